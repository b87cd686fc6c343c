// SPDX-License-Identifier: Apache-2.0
/// Checksum of words, one a cycle: their word is a register, and so is what the checksum takes.
///
/// Source   modfab; the checksum is mf_rsa_farm_pkg::crc_word.
/// Model    modfab.models.rsa.farm.checksum (the value).
/// Latency  crc_o includes word_i two cycles after step_i.
/// Assumes  first_i with the first word at the latest, and in no later cycle of this checksum.
/// Ensures  nothing is kept after clear_i. The word is kept inverted: synthesis makes no single
///          flip-flop of it and of a copy outside, so that one changed bit shows in one of both.
module mf_rsa_farm_crc (
  input  logic        clk_i,
  input  logic        clear_i,
  input  logic        first_i, // begin: forget the words of before
  input  logic        step_i,  // word_i is the next word
  input  logic [31:0] word_i,
  output logic [31:0] crc_o
);

  logic        step_q;
  logic [31:0] word_inv_q, crc_q;
  assign crc_o = crc_q;

  always_ff @(posedge clk_i) begin
    step_q     <= step_i && !clear_i;
    word_inv_q <= step_i && !clear_i ? ~word_i : '0;
    if (clear_i) crc_q <= '0;
    else if (first_i) crc_q <= '1;
    else if (step_q) crc_q <= mf_rsa_farm_pkg::crc_word(crc_q, ~word_inv_q);
  end

endmodule
