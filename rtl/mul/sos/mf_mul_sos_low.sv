// SPDX-License-Identifier: Apache-2.0
/// Low word of a product: the quotient word m_i = T_i * N' mod 2^WordBits.
///
/// Source   [QURESHI08] section 4.1, "a dedicated multiplier computes this result".
/// Model    p = a * b mod 2^WordBits.
/// Latency  MulStages + log2(WordBits / 16) + 1 cycles; en_i is that of the last of them.
/// Assumes  nothing.
/// Ensures  p_o is the low word of the product of the operands that many cycles before, kept while
///          en_i is low.
module mf_mul_sos_low #(
  parameter int unsigned WordBits  = 32, // bits of a factor: 32 or 64
  parameter int unsigned MulStages = 2,  // register stages of one 16 x 16 multiplier, 1..4
  parameter bit          DspAdd    = 0   // 1: sums in DSP blocks, with WordBits 32
) (
  input  logic                clk_i,
  input  logic                en_i,
  input  logic [WordBits-1:0] a_i,
  input  logic [WordBits-1:0] b_i,
  output logic [WordBits-1:0] p_o
);

  if (WordBits == 32) begin : gen_one
    mf_mul_sos_low32 #(.MulStages(MulStages), .DspAdd(DspAdd)) u_low (
      .clk_i, .en_i, .a_i, .b_i, .p_o);
  end else begin : gen_three
    logic [63:0] whole;
    logic [31:0] mid0_q, mid1_q;
    mf_mul_sos_mult32 #(.MulStages(MulStages)) u_whole (
      .clk_i, .a_i(a_i[31:0]), .b_i(b_i[31:0]), .p_o(whole));
    mf_mul_sos_low32 #(.MulStages(MulStages)) u_mid0 (
      .clk_i, .en_i(1'b1), .a_i(a_i[63:32]), .b_i(b_i[31:0]), .p_o(mid0_q));
    mf_mul_sos_low32 #(.MulStages(MulStages)) u_mid1 (
      .clk_i, .en_i(1'b1), .a_i(a_i[31:0]), .b_i(b_i[63:32]), .p_o(mid1_q));
    always_ff @(posedge clk_i) if (en_i) p_o <= {whole[63:32] + mid0_q + mid1_q, whole[31:0]};
  end

endmodule
