// SPDX-License-Identifier: Apache-2.0
/// What compressor.sby proves of the 6:3 compressor, in its place: any three rows with the right
/// sum.
///
/// Source   compressor.sby and the compressor's own file.
/// Latency  combinational.
/// Assumes  the sum.
/// Ensures  nothing else: the outputs are left open (setundef -undriven -anyseq).
module mf_mul_booth16_compressor #(
  parameter int unsigned WidthBits = 261
) (
  input  logic [WidthBits-1:0] a_i,
  input  logic [WidthBits-1:0] b_i,
  input  logic [WidthBits-1:0] c_i,
  input  logic [WidthBits-1:0] d_i,
  input  logic [WidthBits-1:0] e_i,
  input  logic [WidthBits-1:0] f_i,
  input  logic [1:0]           unit_i,
  input  logic                 pair_i,
  output logic [WidthBits-1:0] one_o,
  output logic [WidthBits-1:0] two_o,
  output logic [WidthBits-1:0] four_o
);

  always_comb assume (one_o == a_i + b_i + c_i + d_i + e_i + f_i + WidthBits'(unit_i[0])
                      + WidthBits'(unit_i[1]) + WidthBits'({pair_i, 1'b0}) - two_o - four_o);

endmodule
