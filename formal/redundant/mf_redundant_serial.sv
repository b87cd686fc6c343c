// SPDX-License-Identifier: Apache-2.0
/// Product of two redundant numbers, one digit of y per cycle.
///
/// Source   [NAKANO09] Lemma 4.
/// Model    modfab.models.redundant.RedundantNumbers.serial_product.
/// Latency  digit i of the product leaves in the cycle that takes digit i of y; the digits above
///          stand in rest_o from the cycle after the last digit of y.
/// Assumes  x_i steady from the first digit to the last.
/// Ensures  sum of digit_o by weight, plus rest_o at the weight behind, is x * y.
module mf_redundant_serial #(
  parameter int unsigned Digits    = 4, // digits of x, 2..512
  parameter int unsigned DigitBits = 16 // principal bits of a digit, 5..18
) (
  input  logic                             clk_i,
  input  logic                             first_i, // with the lowest digit of y
  input  logic                             step_i,  // with every digit of y
  input  logic [Digits-1:0][DigitBits+1:0] x_i,
  input  logic [DigitBits+1:0]             y_i,
  output logic [DigitBits+1:0]             digit_o,
  output logic [Digits:0][DigitBits+1:0]   rest_o
);

  logic [Digits:0][DigitBits+1:0]   rest_q;
  logic [Digits+1:0][DigitBits+1:0] sum;

  logic [DigitBits-1:0]      unused_low, unused_high; // for an engine's next quotient digit, ...
  logic [1:0][DigitBits-1:0] unused_mid;
  mf_redundant_mac #(
    .Digits    (Digits),
    .DigitBits (DigitBits),
    .XBits     (DigitBits + 2),
    .YBits     (DigitBits + 2)
  ) u_mac (
    .clk_i,
    .x_i,
    .y_i,
    .c_i    (first_i ? '0 : rest_q),
    .t_o    (sum),
    .low_o  (unused_low),
    .mid_o  (unused_mid),
    .high_o (unused_high)
  );

  always_ff @(posedge clk_i) begin
    if (step_i) rest_q <= sum[Digits+1:1];
  end
  assign digit_o = sum[0];
  assign rest_o  = rest_q;

endmodule
