// SPDX-License-Identifier: Apache-2.0
/// Clock multiplier. This form passes its input on: for simulation, and for devices without one.
///
/// Source   modfab; forms on vendors' cells are beside this folder.
/// Model    none.
/// Latency  none.
/// Assumes  nothing.
/// Ensures  clk_o is clk_i; locked_o is high.
module mf_prim_pll #(
  // Settings without an effect here. In the vendors' forms f(clk_o) is
  // f(clk_i) FbDiv / (InDiv OutDiv).
  // verilator lint_off UNUSEDPARAM
  parameter int unsigned InDiv  = 1,  // divider of clk_i, 1..128
  parameter int unsigned FbDiv  = 24, // divider from the oscillator to the comparison, 1..128
  parameter int unsigned OutDiv = 6   // divider from the oscillator to clk_o, 1..128
  // verilator lint_on UNUSEDPARAM
) (
  input  logic clk_i,
  output logic clk_o,
  output logic locked_o
);

  assign clk_o    = clk_i;
  assign locked_o = 1'b1;

endmodule
