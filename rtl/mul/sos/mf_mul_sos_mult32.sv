// SPDX-License-Identifier: Apache-2.0
/// Full product of two 32-bit words from four 16 x 16 bit multipliers.
///
/// Source   [QURESHI08] section 4.1.
/// Model    p = a * b.
/// Latency  MulStages + 2 cycles.
/// Assumes  nothing.
/// Ensures  p_o is the product of the operands that many cycles before, exactly.
module mf_mul_sos_mult32 #(
  parameter int unsigned MulStages = 2, // register stages of one 16 x 16 multiplier, 1..4
  parameter bit          DspAdd    = 0  // 1: sums in DSP blocks
) (
  input  logic        clk_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [63:0] p_o
);

  logic [3:0][31:0] part; // bit 0 of the index: high half of a; bit 1: high half of b
  for (genvar i = 0; i < 4; i++) begin : gen_part
    mf_prim_mul #(.WidthA(16), .WidthB(16), .Stages(MulStages)) u_mul (
      .clk_i,
      .a_i (a_i[16*(i%2)+:16]),
      .b_i (b_i[16*(i/2)+:16]),
      .p_o (part[i])
    );
  end
  mf_mul_sos_join #(.WordBits(32), .DspAdd(DspAdd)) u_join (
    .clk_i, .low_i(part[0]), .mid0_i(part[1]), .mid1_i(part[2]), .high_i(part[3]), .p_o);

endmodule
