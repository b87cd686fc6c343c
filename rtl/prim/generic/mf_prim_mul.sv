// SPDX-License-Identifier: Apache-2.0
/// Unsigned multiplier with Stages register stages; this file is the generic form for any tool.
///
/// Source   modfab; rtl/prim/ecp5 and rtl/prim/xilinx hold the same module on vendor cells.
/// Model    p = a * b.
/// Latency  Stages cycles. Stages 1 registers the product, 2 also the operands, 3 also a stage
///          between; more stages lie behind the product.
/// Assumes  nothing.
/// Ensures  p_o is the product of the operands Stages cycles before, exactly.
module mf_prim_mul #(
  parameter int unsigned WidthA = 18, // bits of a, 1..64
  parameter int unsigned WidthB = 18, // bits of b, 1..64
  parameter int unsigned Stages = 2   // register stages, 0..8
) (
  input  logic                     clk_i,
  input  logic [WidthA-1:0]        a_i,
  input  logic [WidthB-1:0]        b_i,
  output logic [WidthA+WidthB-1:0] p_o
);

  localparam int unsigned WidthP = WidthA + WidthB;

  if (Stages == 0) begin : gen_comb
    logic unused_clk;
    assign unused_clk = clk_i;
    assign p_o = WidthP'(a_i) * WidthP'(b_i);
  end else if (Stages == 1) begin : gen_out
    always_ff @(posedge clk_i) p_o <= WidthP'(a_i) * WidthP'(b_i);
  end else begin : gen_pipe
    logic [WidthA-1:0] a_q;
    logic [WidthB-1:0] b_q;
    logic [WidthP-1:0] p_q [Stages-1];
    assign p_o = p_q[Stages-2];
    always_ff @(posedge clk_i) begin
      a_q    <= a_i;
      b_q    <= b_i;
      p_q[0] <= WidthP'(a_q) * WidthP'(b_q);
      for (int unsigned i = 1; i < Stages - 1; i++) p_q[i] <= p_q[i-1];
    end
  end

endmodule
