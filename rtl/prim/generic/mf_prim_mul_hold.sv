// SPDX-License-Identifier: Apache-2.0
/// Unsigned multiplier whose operand b stays in its register; this file is for any tool.
///
/// Source   modfab; rtl/prim/ecp5 holds the same module on the vendor's cell and its own registers.
/// Model    p = a * b.
/// Latency  Stages cycles from a_i; b_i is taken in a cycle with b_en_i.
/// Assumes  nothing.
/// Ensures  p_o(t) = a(t - Stages) * b, with b as last latched by b_en_i.
module mf_prim_mul_hold #(
  parameter int unsigned WidthA = 18, // bits of a, 1..18
  parameter int unsigned WidthB = 18, // bits of b, 1..18
  parameter int unsigned Stages = 2   // register stages, 2 or 3: operands, product, one between
) (
  input  logic                     clk_i,
  input  logic [WidthA-1:0]        a_i,
  input  logic [WidthB-1:0]        b_i,
  input  logic                     b_en_i, // take b_i
  output logic [WidthA+WidthB-1:0] p_o
);

  logic [WidthA-1:0] a_q;
  logic [WidthB-1:0] b_q;

  logic [WidthA+WidthB-1:0] product;

  always_ff @(posedge clk_i) begin
    a_q <= a_i;
    if (b_en_i) b_q <= b_i;
    p_o <= product;
  end

  if (Stages == 2) begin : gen_direct
    assign product = (WidthA+WidthB)'(a_q) * (WidthA+WidthB)'(b_q);
  end else begin : gen_between
    always_ff @(posedge clk_i) product <= (WidthA+WidthB)'(a_q) * (WidthA+WidthB)'(b_q);
  end

endmodule
