// SPDX-License-Identifier: Apache-2.0
/// A product from the four products of the halves of its factors: the two middle ones are added,
/// then all.
///
/// Source   schoolbook multiplication.
/// Model    p = low + (mid0 + mid1) * 2^(WordBits / 2) + high * 2^WordBits.
/// Latency  2 cycles.
/// Assumes  the sum is below 2^(2 * WordBits), as it is for a product; WordBits 32 with DspAdd.
/// Ensures  p_o is that sum, two cycles later.
module mf_mul_sos_join #(
  parameter int unsigned WordBits = 32, // bits of a factor, 32 or 64
  parameter bit          DspAdd   = 0   // 1: both sums in DSP blocks
) (
  input  logic                  clk_i,
  input  logic [WordBits-1:0]   low_i,
  input  logic [WordBits-1:0]   mid0_i,
  input  logic [WordBits-1:0]   mid1_i,
  input  logic [WordBits-1:0]   high_i,
  output logic [2*WordBits-1:0] p_o
);

  localparam int unsigned HalfBits = WordBits / 2;
  logic [WordBits-1:0] low_q, high_q;
  logic [WordBits:0]   mid_q;                      // mid0 + mid1 < 2^(WordBits + 1)
  always_ff @(posedge clk_i) begin
    low_q  <= low_i;
    high_q <= high_i;
    // The low half of low_q takes no part in the sum; the whole is a product, so no carry leaves.
    p_o[HalfBits-1:0] <= low_q[HalfBits-1:0];
  end
  if (DspAdd) begin : gen_dsp
    mf_prim_add_dsp #(.WidthBits(WordBits + 1)) u_mid (
      .clk_i, .en_i(1'b1), .a_i({1'b0, mid0_i}), .b_i({1'b0, mid1_i}), .carry_i(1'b0), .s_o(mid_q));
    mf_prim_add_dsp #(.WidthBits(WordBits + HalfBits)) u_sum (
      .clk_i, .en_i(1'b1), .a_i({high_q, low_q[WordBits-1:HalfBits]}),
      .b_i((WordBits+HalfBits)'(mid_q)), .carry_i(1'b0), .s_o(p_o[2*WordBits-1:HalfBits]));
  end else begin : gen_fabric
    always_ff @(posedge clk_i) begin
      mid_q <= {1'b0, mid0_i} + {1'b0, mid1_i};
      p_o[2*WordBits-1:HalfBits] <= {high_q, low_q[WordBits-1:HalfBits]}
                                    + (WordBits+HalfBits)'(mid_q);
    end
  end

endmodule
