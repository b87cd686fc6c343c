// SPDX-License-Identifier: Apache-2.0
/// Full product of two words from 16 x 16 bit multipliers: halves multiplied crosswise, the two
/// middle products added, then the rest. The 64 bit multiplier is four 32 bit ones.
///
/// Source   [QURESHI08] section 4.1; splitting as in any schoolbook product.
/// Model    p = a * b.
/// Latency  MulStages + 2 * log2(WordBits / 16) clocks.
/// Assumes  nothing.
/// Ensures  p_o is the product of the operands that many clocks before, exactly.
module mf_mul_sos_mult #(
  parameter int unsigned WordBits  = 32, // bits of a factor: 16, 32 or 64
  parameter int unsigned MulStages = 2   // register stages of one 16 x 16 multiplier, 2..4
) (
  input  logic                  clk_i,
  input  logic [WordBits-1:0]   a_i,
  input  logic [WordBits-1:0]   b_i,
  output logic [2*WordBits-1:0] p_o
);

  if (!(WordBits inside {16, 32, 64})) begin : gen_check_word
    $error("mf_mul_sos_mult: WordBits must be 16, 32 or 64");
  end

  if (WordBits == 16) begin : gen_leaf
    mf_prim_mul #(.WidthA(16), .WidthB(16), .Stages(MulStages)) u_mul (.clk_i, .a_i, .b_i, .p_o);
  end else begin : gen_split
    localparam int unsigned HalfBits = WordBits / 2;
    logic [WordBits-1:0] low, mid0, mid1, high;      // four products of halves
    logic [WordBits-1:0] low_q, high_q;
    logic [WordBits:0]   mid_q;                      // mid0 + mid1 < 2^(WordBits + 1)
    mf_mul_sos_mult #(.WordBits(HalfBits), .MulStages(MulStages)) u_low (
      .clk_i, .a_i(a_i[HalfBits-1:0]), .b_i(b_i[HalfBits-1:0]), .p_o(low));
    mf_mul_sos_mult #(.WordBits(HalfBits), .MulStages(MulStages)) u_mid0 (
      .clk_i, .a_i(a_i[HalfBits-1:0]), .b_i(b_i[WordBits-1:HalfBits]), .p_o(mid0));
    mf_mul_sos_mult #(.WordBits(HalfBits), .MulStages(MulStages)) u_mid1 (
      .clk_i, .a_i(a_i[WordBits-1:HalfBits]), .b_i(b_i[HalfBits-1:0]), .p_o(mid1));
    mf_mul_sos_mult #(.WordBits(HalfBits), .MulStages(MulStages)) u_high (
      .clk_i, .a_i(a_i[WordBits-1:HalfBits]), .b_i(b_i[WordBits-1:HalfBits]), .p_o(high));
    always_ff @(posedge clk_i) begin
      low_q  <= low;
      high_q <= high;
      mid_q  <= {1'b0, mid0} + {1'b0, mid1};
      // The low half of low_q takes no part in the sum; the total is the product, so no carry out.
      p_o[HalfBits-1:0]          <= low_q[HalfBits-1:0];
      p_o[2*WordBits-1:HalfBits] <= {high_q, low_q[WordBits-1:HalfBits]}
                                    + (WordBits+HalfBits)'(mid_q);
    end
  end

endmodule
