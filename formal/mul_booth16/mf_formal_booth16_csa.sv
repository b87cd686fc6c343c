// SPDX-License-Identifier: Apache-2.0
/// Proof: the carry-save adder keeps the sum, for all rows of this width.
///
/// Source   rtl/mul/booth16/mf_mul_booth16_csa.sv.
/// Latency  combinational.
/// Assumes  nothing.
/// Ensures  the assertion; mf_formal_booth16_csa_contract takes it for granted.
module mf_formal_booth16_csa #(
  parameter int unsigned WidthBits = 16
) (
  input logic [WidthBits-1:0] a_i,
  input logic [WidthBits-1:0] b_i,
  input logic [WidthBits-1:0] c_i,
  input logic                 unit_i
);

  logic [WidthBits-1:0] sum, carry;
  mf_mul_booth16_csa #(.WidthBits(WidthBits)) u_dut (.*, .sum_o(sum), .carry_o(carry));
  always_comb a_sum: assert (sum + carry == a_i + b_i + c_i + WidthBits'(unit_i));

endmodule
