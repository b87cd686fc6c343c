// SPDX-License-Identifier: Apache-2.0
/// Sum of two numbers of which one can be switched off; this file is for any tool.
///
/// Source   modfab; rtl/prim/ecp5 holds the same module on carry cells, where the switch is free.
/// Model    s = (en ? a : 0) + b.
/// Latency  combinational.
/// Assumes  the sum is below 2^WidthBits.
/// Ensures  the sum.
module mf_prim_add_gate #(
  parameter int unsigned WidthBits = 36 // bits of operands and sum, 1..128
) (
  input  logic                 en_i,
  input  logic [WidthBits-1:0] a_i,
  input  logic [WidthBits-1:0] b_i,
  output logic [WidthBits-1:0] s_o
);

  assign s_o = (en_i ? a_i : '0) + b_i;

endmodule
