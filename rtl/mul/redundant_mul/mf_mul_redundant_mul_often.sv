// SPDX-License-Identifier: Apache-2.0
/// How often M is taken off a value, 0, 1 or 2 times, by the highest digits of both.
///
/// Source   [NAKANO09] section 6; the two thresholds instead of its one are D1 in README.md.
/// Model    modfab.models.redundant.quotient_of_m.
/// Latency  combinational.
/// Assumes  the value is below 2M + 11 * 2^(DigitBits * (Digits - 1)), so that top_i[0] + top_i[1],
///          its highest digit with all above it, has DigitBits + 2 bits. top_i[1] may come late.
/// Ensures  at most one of one_o and two_o; what is left of the value is not negative.
module mf_mul_redundant_mul_often #(
  parameter int unsigned DigitBits = 16 // principal bits of a digit, 5..18
) (
  input  logic [1:0][DigitBits+1:0] top_i,
  input  logic [DigitBits-1:0]      m_top_i, // highest digit of M
  output logic                      one_o,
  output logic                      two_o
);

  localparam int unsigned W = DigitBits + 2;

  logic [W:0] more_once, more_twice; // than what is left alone, or left when M is taken off once
  assign more_once  = (W+1)'(top_i[1]) + ((W+1)'(top_i[0]) - (W+1)'(m_top_i) - (W+1)'(1));
  assign more_twice = (W+1)'(top_i[1]) + ((W+1)'(top_i[0]) - (W+1)'({m_top_i, 1'b1}) - (W+1)'(1));
  assign two_o      = !more_twice[W];
  assign one_o      = more_twice[W] && !more_once[W];
  logic unused_bits;
  assign unused_bits = ^{more_once, more_twice};

endmodule
