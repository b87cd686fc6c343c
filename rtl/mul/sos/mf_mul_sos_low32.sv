// SPDX-License-Identifier: Apache-2.0
/// Low word of a 32-bit product, from three 16 x 16 bit multipliers.
///
/// Source   [QURESHI08] section 4.1.
/// Model    p = a * b mod 2^32.
/// Latency  MulStages + 2 cycles; en_i is that of the last of them.
/// Assumes  nothing.
/// Ensures  p_o is the low word of the product of the operands that many cycles before, kept while
///          en_i is low.
module mf_mul_sos_low32 #(
  parameter int unsigned MulStages = 2, // register stages of one 16 x 16 multiplier, 1..4
  parameter bit          DspAdd    = 0  // 1: sums in DSP blocks
) (
  input  logic        clk_i,
  input  logic        en_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] p_o
);

  logic [2:0][31:0] part; // bit 0 of the index: high half of a; bit 1: high half of b
  logic             unused_high;
  for (genvar i = 0; i < 3; i++) begin : gen_part
    mf_prim_mul #(.WidthA(16), .WidthB(16), .Stages(MulStages)) u_mul (
      .clk_i,
      .a_i (a_i[16*(i%2)+:16]),
      .b_i (b_i[16*(i/2)+:16]),
      .p_o (part[i])
    );
  end
  logic [31:0] low_q;
  always_ff @(posedge clk_i) begin // multipliers are far apart: once more before the adder
    low_q <= part[0];
    if (en_i) p_o[15:0] <= low_q[15:0];
  end
  if (DspAdd) begin : gen_dsp
    logic [15:0] mid_q;
    mf_prim_add_dsp #(.WidthBits(16)) u_mid (
      .clk_i, .en_i(1'b1), .a_i(part[1][15:0]), .b_i(part[2][15:0]), .carry_i(1'b0), .s_o(mid_q));
    mf_prim_add_dsp #(.WidthBits(16)) u_sum (
      .clk_i, .en_i, .a_i(low_q[31:16]), .b_i(mid_q), .carry_i(1'b0), .s_o(p_o[31:16]));
  end else begin : gen_fabric
    logic [15:0] mid0_q, mid1_q;
    always_ff @(posedge clk_i) begin
      mid0_q <= part[1][15:0];
      mid1_q <= part[2][15:0];
      if (en_i) p_o[31:16] <= low_q[31:16] + mid0_q + mid1_q;
    end
  end
  assign unused_high = ^{part[1][31:16], part[2][31:16]};

endmodule
