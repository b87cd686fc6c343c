// SPDX-License-Identifier: Apache-2.0
/// What csa.sby proves of the carry-save adder, in its place: any two rows with the right sum.
/// Proofs of what is built from it become linear.
///
/// Source   csa.sby and the adder's own file.
/// Latency  combinational.
/// Assumes  the sum.
/// Ensures  nothing else: sum_o and carry_o are left open (setundef -undriven -anyseq).
module mf_mul_booth16_csa #(
  parameter int unsigned WidthBits = 261
) (
  input  logic [WidthBits-1:0] a_i,
  input  logic [WidthBits-1:0] b_i,
  input  logic [WidthBits-1:0] c_i,
  input  logic                 unit_i,
  output logic [WidthBits-1:0] sum_o,
  output logic [WidthBits-1:0] carry_o
);

  always_comb assume (sum_o == a_i + b_i + c_i + WidthBits'(unit_i) - carry_o);

endmodule
