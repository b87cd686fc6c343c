// SPDX-License-Identifier: Apache-2.0
/// Unsigned multiplier with Stages register stages, on MULT18X18D cells.
///
/// Source   modfab; generic form in rtl/prim/generic.
/// Model    p = a * b.
/// Latency  Stages cycles, placed as mf_prim_mul_tiles says.
/// Assumes  nothing.
/// Ensures  p_o is the product of the operands Stages cycles before, exactly.
module mf_prim_mul #(
  parameter int unsigned WidthA = 18, // bits of a, 1..64
  parameter int unsigned WidthB = 18, // bits of b, 1..64
  parameter int unsigned Stages = 2   // register stages, 0..8
) (
  input  logic                     clk_i,
  input  logic [WidthA-1:0]        a_i,
  input  logic [WidthB-1:0]        b_i,
  output logic [WidthA+WidthB-1:0] p_o
);

  mf_prim_mul_tiles #(
    .WidthA (WidthA), .WidthB (WidthB), .TileA (18), .TileB (18), .Stages (Stages)
  ) u_tiles (.*);

endmodule
