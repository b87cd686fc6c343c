// SPDX-License-Identifier: Apache-2.0
/// Unsigned multiplier with Stages register stages, on DSP48E1 cells.
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

  // The cell takes 24 by 17 unsigned bits: the longer operand goes where more bits fit.
  if (WidthA >= WidthB) begin : gen_straight
    mf_prim_mul_tiles #(
      .WidthA (WidthA), .WidthB (WidthB), .TileA (24), .TileB (17), .Stages (Stages)
    ) u_tiles (.*);
  end else begin : gen_swapped
    mf_prim_mul_tiles #(
      .WidthA (WidthB), .WidthB (WidthA), .TileA (24), .TileB (17), .Stages (Stages)
    ) u_tiles (.clk_i, .a_i (b_i), .b_i (a_i), .p_o);
  end

endmodule
