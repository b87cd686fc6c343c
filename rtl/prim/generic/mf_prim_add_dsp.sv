// SPDX-License-Identifier: Apache-2.0
/// Registered sum of two numbers and a carry; this file is for any tool.
///
/// Source   modfab; rtl/prim/xilinx and rtl/prim/virtex5 hold the same module on the adder and the
///          register of a DSP block.
/// Model    s = (a + b + carry) mod 2^WidthBits.
/// Latency  1 cycle; s_o stays while en_i is low.
/// Assumes  nothing.
/// Ensures  s_o is that sum of the operands of the last cycle with en_i.
module mf_prim_add_dsp #(
  parameter int unsigned WidthBits = 48 // bits of operands and sum, 2..48
) (
  input  logic                 clk_i,
  input  logic                 en_i,
  input  logic [WidthBits-1:0] a_i,
  input  logic [WidthBits-1:0] b_i,
  input  logic                 carry_i,
  output logic [WidthBits-1:0] s_o
);

  always_ff @(posedge clk_i) if (en_i) s_o <= a_i + b_i + WidthBits'(carry_i);

endmodule
