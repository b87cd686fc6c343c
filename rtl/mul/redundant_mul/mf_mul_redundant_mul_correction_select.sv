// SPDX-License-Identifier: Apache-2.0
/// Selects the correction (0, M or 2M) from the top digits of the value and of M.
///
/// Source   [NAKANO09] section 6; the two thresholds instead of its one are D1 in README.md.
/// Model    modfab.models.redundant.correction_select.
/// Latency  combinational.
/// Assumes  the value is below 2M + 11 * 2^(DigitBits * (Digits - 1)), so that top_i[0] + top_i[1],
///          its highest digit with all above it, has DigitBits + 2 bits. top_i[1] may come late.
/// Ensures  the correction is 2M with twice_o, else M with once_o, else 0; twice_o implies once_o.
///          The value less its correction is not negative.
module mf_mul_redundant_mul_correction_select #(
  parameter int unsigned DigitBits = 16 // principal bits of a digit, 5..18
) (
  input  logic [1:0][DigitBits+1:0] top_i,
  input  logic [DigitBits-1:0]      m_top_i, // highest digit of M
  output logic                      once_o,
  output logic                      twice_o
);

  localparam int unsigned W = DigitBits + 2;

  logic [W:0] more_once, more_twice; // above the thresholds of M, of 2M
  assign more_once  = (W+1)'(top_i[1]) + ((W+1)'(top_i[0]) - (W+1)'(m_top_i) - (W+1)'(1));
  assign more_twice = (W+1)'(top_i[1]) + ((W+1)'(top_i[0]) - (W+1)'({m_top_i, 1'b1}) - (W+1)'(1));
  assign once_o     = !more_once[W];
  assign twice_o    = !more_twice[W];
  logic unused_bits;
  assign unused_bits = ^{more_once, more_twice};

endmodule
