// SPDX-License-Identifier: Apache-2.0
/// Checksum of words, one a cycle: their word is a register, and so is what the checksum takes.
///
/// Source   modfab; the checksum is mf_rsa_farm_pkg::crc_word.
/// Model    modfab.models.rsa.farm.checksum (the value).
/// Latency  crc_o includes word_i two cycles after step_i, with Folded three.
/// Assumes  first_i with the first word at the latest, and in no later cycle of this checksum.
/// Ensures  nothing is kept after clear_i. The word is kept inverted: synthesis makes no single
///          flip-flop of it and of a copy outside, so that one changed bit shows in one of both.
module mf_rsa_farm_crc #(
  parameter bit Folded = 0 // the word's part is computed a cycle before the checksum takes it
) (
  input  logic        clk_i,
  input  logic        clear_i,
  input  logic        first_i, // begin: forget the words of before
  input  logic        step_i,  // word_i is the next word
  input  logic [31:0] word_i,
  output logic [31:0] crc_o
);

  logic        step_q, first, step;
  logic [31:0] word_inv_q, crc_q, crc;
  assign crc_o = crc_q;

  always_ff @(posedge clk_i) begin
    step_q     <= step_i && !clear_i;
    word_inv_q <= step_i && !clear_i ? ~word_i : '0;
    if (clear_i) crc_q <= '0;
    else if (first) crc_q <= '1;
    else if (step) crc_q <= crc;
  end

  if (Folded) begin : gen_folded // a checksum is linear in what it takes
    logic        first_q, late_q;
    logic [31:0] part_q;
    always_ff @(posedge clk_i) begin
      first_q <= first_i && !clear_i;
      late_q  <= step_q && !clear_i;
      part_q  <= step_q && !clear_i ? mf_rsa_farm_pkg::crc_word('0, ~word_inv_q) : '0;
    end
    assign {first, step} = {first_q, late_q};
    assign crc = mf_rsa_farm_pkg::crc_word(crc_q, '0) ^ part_q;
  end else begin : gen_at_once
    assign {first, step} = {first_i, step_q};
    assign crc = mf_rsa_farm_pkg::crc_word(crc_q, ~word_inv_q);
  end

endmodule
