// SPDX-License-Identifier: Apache-2.0
/// Counter in three forms (binary, its complement, Gray), of which the majority holds.
///
/// Source   modfab.
/// Model    none: a number.
/// Latency  count_o changes one cycle after clear_i or step_i.
/// Assumes  nothing.
/// Ensures  one changed bit neither shows in count_o nor stays.
module mf_rsa_farm_count #(
  parameter int unsigned WidthBits = 4 // of the count, 1..16
) (
  input  logic                 clk_i,
  input  logic                 clear_i,
  input  logic                 step_i,
  output logic [WidthBits-1:0] count_o
);

  logic [WidthBits-1:0] count_q, inverse_q, gray_q, third, next;
  always_comb begin
    for (int unsigned i = 0; i < WidthBits; i++) third[i] = ^(gray_q >> i);
  end
  assign count_o = (count_q & ~inverse_q) | (third & (count_q | ~inverse_q));
  assign next    = clear_i ? '0 : step_i ? count_o + WidthBits'(1) : count_o;

  always_ff @(posedge clk_i) begin
    count_q   <= next;
    inverse_q <= ~next;
    gray_q    <= next ^ (next >> 1);
  end

endmodule
