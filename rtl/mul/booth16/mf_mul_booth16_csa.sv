// SPDX-License-Identifier: Apache-2.0
/// Carry-save adder: three rows and one unit become two rows.
///
/// Source   full adders side by side.
/// Model    addition.
/// Latency  combinational.
/// Assumes  nothing.
/// Ensures  sum_o + carry_o = a_i + b_i + c_i + unit_i modulo 2^WidthBits. Proof:
///          formal/mul_booth16/csa.sby.
module mf_mul_booth16_csa #(
  parameter int unsigned WidthBits = 261
) (
  input  logic [WidthBits-1:0] a_i,
  input  logic [WidthBits-1:0] b_i,
  input  logic [WidthBits-1:0] c_i,
  input  logic                 unit_i, // takes the empty lowest place of the carries
  output logic [WidthBits-1:0] sum_o,
  output logic [WidthBits-1:0] carry_o
);

  logic [WidthBits-1:0] carries;
  logic                 unused_carry; // beyond the rows
  assign unused_carry = carries[WidthBits-1];
  assign carries = (a_i & b_i) | (a_i & c_i) | (b_i & c_i);
  assign sum_o   = a_i ^ b_i ^ c_i;
  assign carry_o = {carries[WidthBits-2:0], unit_i};

endmodule
