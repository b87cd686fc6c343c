// SPDX-License-Identifier: Apache-2.0
/// Unsigned multiplier whose operand b stays in its register, on one MULT18X18D cell: neither the
/// register nor its enable costs fabric, and no enable has more than one sink.
///
/// Source   modfab; generic form in rtl/prim/generic.
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

  mf_prim_mul_cell #(
    .WidthA(WidthA), .WidthB(WidthB), .MidReg(Stages == 3)
  ) u_cell (.*);

endmodule
