// SPDX-License-Identifier: Apache-2.0
/// 6:3 compressor: the number of ones of six rows, in every column.
///
/// Source   modfab; rtl/prim/xilinx holds the same module on LUTs of six inputs.
/// Model    one_o + 2 * two_o + 4 * four_o = the ones of a column.
/// Latency  combinational.
/// Assumes  nothing.
/// Ensures  the model, in every column. Proof: formal/mul_booth16/compressor.sby.
module mf_prim_compressor_6_3 #(
  parameter int unsigned WidthBits = 256 // columns, 1..16384
) (
  input  logic [WidthBits-1:0] a_i,
  input  logic [WidthBits-1:0] b_i,
  input  logic [WidthBits-1:0] c_i,
  input  logic [WidthBits-1:0] d_i,
  input  logic [WidthBits-1:0] e_i,
  input  logic [WidthBits-1:0] f_i,
  output logic [WidthBits-1:0] one_o,
  output logic [WidthBits-1:0] two_o,
  output logic [WidthBits-1:0] four_o
);

  logic [WidthBits-1:0] abc, abc_c, def, def_c, both;
  assign abc    = a_i ^ b_i ^ c_i;
  assign abc_c  = (a_i & b_i) | (a_i & c_i) | (b_i & c_i);
  assign def    = d_i ^ e_i ^ f_i;
  assign def_c  = (d_i & e_i) | (d_i & f_i) | (e_i & f_i);
  assign both   = abc & def;
  assign one_o  = abc ^ def;
  assign two_o  = abc_c ^ def_c ^ both;
  assign four_o = (abc_c & def_c) | (abc_c & both) | (def_c & both);

endmodule
