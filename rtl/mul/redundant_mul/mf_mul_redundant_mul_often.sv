// SPDX-License-Identifier: Apache-2.0
/// How often M is taken off a value, 0, 1 or 2 times, by the highest digits of both.
///
/// Source   [NAKANO09] section 6; the two thresholds instead of its one are D1 in README.md.
/// Model    modfab.models.redundant.quotient_of_m.
/// Latency  combinational.
/// Assumes  the value is below 2M + 11 * 2^(DigitBits * (Digits - 1)), so that top_i, its highest
///          digit with all above it, has DigitBits + 2 bits.
/// Ensures  at most one of one_o and two_o; what is left of the value is not negative.
module mf_mul_redundant_mul_often #(
  parameter int unsigned DigitBits = 16 // principal bits of a digit, 5..18
) (
  input  logic [DigitBits+1:0] top_i,
  input  logic [DigitBits-1:0] m_top_i, // highest digit of M
  output logic                 one_o,
  output logic                 two_o
);

  localparam int unsigned W = DigitBits + 2;

  assign two_o = top_i > W'({m_top_i, 1'b1});
  assign one_o = !two_o && top_i > W'(m_top_i);

endmodule
