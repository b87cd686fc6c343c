// SPDX-License-Identifier: Apache-2.0
/// Checksum of words, one a cycle: their word is a register, and so is what the checksum takes.
///
/// Source   modfab; the checksum is mf_rsa_farm_pkg::crc_word.
/// Model    modfab.models.rsa.farm.checksum (the value).
/// Latency  crc_o includes word_i three cycles after step_i.
/// Assumes  first_i with the first word, with the last of several such, and in no later cycle.
/// Ensures  nothing is kept two cycles after clear_i. The word is kept inverted: synthesis makes no
///          single flip-flop of it and of a copy outside, so that one changed bit shows in one of
///          both.
module mf_rsa_farm_crc (
  input  logic        clk_i,
  input  logic        clear_i,
  input  logic        first_i, // begin: forget the words of before
  input  logic        step_i,  // word_i is the next word
  input  logic [31:0] word_i,
  output logic [31:0] crc_o
);

  // A checksum is linear in what it takes, and in the ones that it begins with: the word's part is
  // computed a cycle before. All that decides what the checksum becomes is a register beside it.
  localparam logic [31:0] Begin = mf_rsa_farm_pkg::crc_word('1, '0);
  logic        step_q, first_q, late_q, keep_q;
  logic [31:0] word_inv_q, part_q, crc_q; // no word: one of zeros
  assign crc_o = crc_q;

  always_ff @(posedge clk_i) begin
    step_q     <= step_i && !clear_i;
    first_q    <= first_i && !clear_i;
    word_inv_q <= step_i && !clear_i ? ~word_i : '1;
    late_q     <= step_q && !first_q && !clear_i;
    keep_q     <= !step_q && !first_q && !clear_i;
    if (clear_i) part_q <= '0;
    else part_q <= mf_rsa_farm_pkg::crc_word('0, ~word_inv_q) ^ (first_q ? Begin : '0);
    crc_q      <= (late_q ? mf_rsa_farm_pkg::crc_word(crc_q, '0) : '0) ^ (keep_q ? crc_q : '0)
                  ^ part_q;
  end

endmodule
