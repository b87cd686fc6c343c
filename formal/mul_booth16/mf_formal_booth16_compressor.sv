// SPDX-License-Identifier: Apache-2.0
/// Proof: six rows to three keeps the sum, for all rows of this width.
///
/// Source   rtl/mul/booth16/mf_mul_booth16_compressor.sv.
/// Latency  combinational.
/// Assumes  nothing.
/// Ensures  the assertions; the contract of the same name takes the sum for granted.
module mf_formal_booth16_compressor #(
  parameter int unsigned WidthBits = 8
) (
  input logic [WidthBits-1:0] a_i,
  input logic [WidthBits-1:0] b_i,
  input logic [WidthBits-1:0] c_i,
  input logic [WidthBits-1:0] d_i,
  input logic [WidthBits-1:0] e_i,
  input logic [WidthBits-1:0] f_i,
  input logic [1:0]           unit_i,
  input logic                 pair_i
);

  logic [WidthBits-1:0] one, two, four, below_one, below_two, below_four;
  mf_mul_booth16_compressor #(.WidthBits(WidthBits)) u_dut (
    .*, .one_o(one), .two_o(two), .four_o(four)
  );
  mf_prim_compressor_6_3 #(.WidthBits(WidthBits)) u_columns (
    .a_i, .b_i, .c_i, .d_i, .e_i, .f_i, .one_o(below_one), .two_o(below_two), .four_o(below_four)
  );
  // Every column by itself; the sum over the columns, by weight, is the sum of the rows.
  logic columns_ok;
  always_comb begin
    columns_ok = 1'b1;
    for (int unsigned j = 0; j < WidthBits; j++)
      if (3'(a_i[j]) + 3'(b_i[j]) + 3'(c_i[j]) + 3'(d_i[j]) + 3'(e_i[j]) + 3'(f_i[j])
          != {below_four[j], below_two[j], below_one[j]}) columns_ok = 1'b0;
    a_columns: assert (columns_ok);
    a_sum: assert (one + two + four == a_i + b_i + c_i + d_i + e_i + f_i + WidthBits'(unit_i[0])
                   + WidthBits'(unit_i[1]) + WidthBits'({pair_i, 1'b0}));
  end

endmodule
