// SPDX-License-Identifier: Apache-2.0
/// Low word of a product: the quotient word m_i = T_i * N' mod 2^WordBits.
///
/// Source   [QURESHI08] section 4.1, "a dedicated multiplier computes this result".
/// Model    p = a * b mod 2^WordBits.
/// Latency  MulStages + 2 * log2(WordBits / 32) clocks, then an adder before the output.
/// Assumes  nothing.
/// Ensures  p_o is the low word of the product of the operands that many clocks before.
module mf_mul_sos_low #(
  parameter int unsigned WordBits  = 32, // bits of a factor: 32 or 64
  parameter int unsigned MulStages = 2   // register stages of one 16 x 16 multiplier, 2..4
) (
  input  logic                clk_i,
  input  logic [WordBits-1:0] a_i,
  input  logic [WordBits-1:0] b_i,
  output logic [WordBits-1:0] p_o
);

  if (WordBits != 32 && WordBits != 64) begin : gen_check_word
    $error("mf_mul_sos_low: WordBits must be 32 or 64");
  end

  localparam int unsigned HalfBits = WordBits / 2;
  logic [WordBits-1:0] low;         // low half times low half, whole
  logic [HalfBits-1:0] mid0, mid1;  // low half times high half, low half of it
  mf_mul_sos_mult #(.WordBits(HalfBits), .MulStages(MulStages)) u_low (
    .clk_i, .a_i(a_i[HalfBits-1:0]), .b_i(b_i[HalfBits-1:0]), .p_o(low));

  if (WordBits == 32) begin : gen_leaf
    logic [WordBits-1:0] whole0, whole1;
    logic                unused_high;
    mf_prim_mul #(.WidthA(16), .WidthB(16), .Stages(MulStages)) u_mid0 (
      .clk_i, .a_i(a_i[15:0]), .b_i(b_i[31:16]), .p_o(whole0));
    mf_prim_mul #(.WidthA(16), .WidthB(16), .Stages(MulStages)) u_mid1 (
      .clk_i, .a_i(a_i[31:16]), .b_i(b_i[15:0]), .p_o(whole1));
    assign mid0        = whole0[15:0];
    assign mid1        = whole1[15:0];
    assign unused_high = ^{whole0[31:16], whole1[31:16]};
  end else begin : gen_split
    logic [HalfBits-1:0] sum0, sum1, sum0_q, sum1_q;
    mf_mul_sos_low #(.WordBits(HalfBits), .MulStages(MulStages)) u_mid0 (
      .clk_i, .a_i(a_i[HalfBits-1:0]), .b_i(b_i[WordBits-1:HalfBits]), .p_o(sum0));
    mf_mul_sos_low #(.WordBits(HalfBits), .MulStages(MulStages)) u_mid1 (
      .clk_i, .a_i(a_i[WordBits-1:HalfBits]), .b_i(b_i[HalfBits-1:0]), .p_o(sum1));
    always_ff @(posedge clk_i) begin // as many clocks as u_low takes
      sum0_q <= sum0;
      sum1_q <= sum1;
      mid0   <= sum0_q;
      mid1   <= sum1_q;
    end
  end

  assign p_o = {low[WordBits-1:HalfBits] + mid0 + mid1, low[HalfBits-1:0]};

endmodule
