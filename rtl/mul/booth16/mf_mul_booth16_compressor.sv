// SPDX-License-Identifier: Apache-2.0
/// 6:3 compressor of rows: six rows and four units to three rows, the count of ones per column.
///
/// Source   modfab.
/// Model    addition.
/// Latency  combinational.
/// Assumes  nothing.
/// Ensures  one_o + two_o + four_o = the six rows + unit_i[0] + unit_i[1] + 2 * pair_i, modulo
///          2^WidthBits. Proof: formal/mul_booth16/compressor.sby.
module mf_mul_booth16_compressor #(
  parameter int unsigned WidthBits = 261 // bits of a row, 3 or more
) (
  input  logic [WidthBits-1:0] a_i,
  input  logic [WidthBits-1:0] b_i,
  input  logic [WidthBits-1:0] c_i,
  input  logic [WidthBits-1:0] d_i,
  input  logic [WidthBits-1:0] e_i,
  input  logic [WidthBits-1:0] f_i,
  input  logic [1:0]           unit_i, // these take the empty lowest places
  input  logic                 pair_i,
  output logic [WidthBits-1:0] one_o,
  output logic [WidthBits-1:0] two_o,
  output logic [WidthBits-1:0] four_o
);

  logic [WidthBits-1:0] two, four;
  mf_prim_compressor_6_3 #(.WidthBits(WidthBits)) u_compressor_6_3 (
    .a_i, .b_i, .c_i, .d_i, .e_i, .f_i, .one_o, .two_o(two), .four_o(four)
  );
  assign two_o  = {two[WidthBits-2:0], unit_i[0]};
  assign four_o = {four[WidthBits-3:0], pair_i, unit_i[1]};
  logic unused_top; // beyond the rows
  assign unused_top = ^{two[WidthBits-1], four[WidthBits-1:WidthBits-2]};

endmodule
