// SPDX-License-Identifier: Apache-2.0
/// Proof: three passes of mf_mul_booth16_add are an addition, for all rows.
///
/// Source   rtl/mul/booth16/README.md, Cycles.
/// Latency  combinational: the registers between the passes are left out.
/// Assumes  nothing.
/// Ensures  the assertion.
module mf_formal_booth16_add #(
  parameter int unsigned WidthBits = 19,
  parameter int unsigned BlockBits = 4
) (
  input logic [WidthBits-1:0] a_i,
  input logic [WidthBits-1:0] c_i
);

  localparam int unsigned NumBlocks = (WidthBits + BlockBits - 1) / BlockBits;
  logic [WidthBits-1:0] a [4], c [4], first [3], second [3];
  logic [NumBlocks-1:0] full [4];
  assign full[0] = '0; // the first pass does not look ahead
  assign a[0] = a_i;
  assign c[0] = c_i;
  assign c[1] = first[0];
  assign c[2] = second[1];
  for (genvar p = 0; p < 3; p++) begin : gen_passes
    mf_mul_booth16_add #(.WidthBits(WidthBits), .BlockBits(BlockBits)) u_dut (
      .a_i(a[p]), .c_i(c[p]), .full_i(full[p]), .sum_o(a[p+1]), .full_o(full[p+1]),
      .first_o(first[p]), .second_o(second[p])
    );
  end
  always_comb a_sum: assert (a[3] == a_i + c_i);

endmodule
