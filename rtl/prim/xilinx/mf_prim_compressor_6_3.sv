// SPDX-License-Identifier: Apache-2.0
/// 6:3 compressor in three LUTs of six inputs for every column, which are instantiated
/// because a mapper that starts from gates does not find them again.
///
/// Source   modfab; the tables are computed here from the definition.
/// Model    one_o + 2 * two_o + 4 * four_o = the ones of a column.
/// Latency  combinational.
/// Assumes  nothing.
/// Ensures  the model, in every column.
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

  // Bit k of the number of ones, for every value of the six inputs.
  function automatic logic [63:0] table_of(input int unsigned k);
    for (int unsigned i = 0; i < 64; i++) table_of[i] = 1'(32'($countones(6'(i))) >> k);
  endfunction

  for (genvar j = 0; j < WidthBits; j++) begin : gen_columns
    LUT6 #(.INIT(table_of(0))) u_one (
      .O(one_o[j]), .I0(a_i[j]), .I1(b_i[j]), .I2(c_i[j]), .I3(d_i[j]), .I4(e_i[j]), .I5(f_i[j])
    );
    LUT6 #(.INIT(table_of(1))) u_two (
      .O(two_o[j]), .I0(a_i[j]), .I1(b_i[j]), .I2(c_i[j]), .I3(d_i[j]), .I4(e_i[j]), .I5(f_i[j])
    );
    LUT6 #(.INIT(table_of(2))) u_four (
      .O(four_o[j]), .I0(a_i[j]), .I1(b_i[j]), .I2(c_i[j]), .I3(d_i[j]), .I4(e_i[j]), .I5(f_i[j])
    );
  end

endmodule
