// SPDX-License-Identifier: Apache-2.0
/// Redundant number times one digit, without a carry that runs.
///
/// Source   [NAKANO09] Lemma 2.
/// Model    modfab.models.redundant.RedundantNumbers.product_sum with c = 0.
/// Latency  combinational.
/// Assumes  as mf_redundant_mac.
/// Ensures  the value of t_o is x * y; a digit of t_o below 2 * 2^DigitBits + 14.
module mf_redundant_mul #(
  parameter int unsigned Digits    = 4,  // digits of x, 2..512
  parameter int unsigned DigitBits = 16, // principal bits of a digit, 5..18
  parameter int unsigned XBits     = 18, // bits of a digit of x
  parameter int unsigned YBits     = 18, // bits of y
  parameter bit          Redundant = 1
) (
  input  logic                             clk_i,
  input  logic [Digits-1:0][XBits-1:0]     x_i,
  input  logic [YBits-1:0]                 y_i,
  output logic [Digits+1:0][DigitBits+1:0] t_o
);

  logic [DigitBits-1:0]      unused_low, unused_high; // for an engine's next quotient digit, ...
  logic [1:0][DigitBits-1:0] unused_mid;
  mf_redundant_mac #(
    .Digits    (Digits),
    .DigitBits (DigitBits),
    .XBits     (XBits),
    .YBits     (YBits),
    .Redundant (Redundant)
  ) u_mac (
    .clk_i,
    .x_i,
    .y_i,
    .c_i    ('0),
    .t_o,
    .low_o  (unused_low),
    .mid_o  (unused_mid),
    .high_o (unused_high)
  );

endmodule
