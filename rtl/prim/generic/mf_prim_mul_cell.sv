// SPDX-License-Identifier: Apache-2.0
/// One hard multiplier, unsigned, each of its register stages optional; generic form for any tool.
///
/// Source   modfab; rtl/prim/ecp5 and rtl/prim/xilinx hold the same module on one vendor cell.
/// Model    p = a * b.
/// Latency  InReg + MidReg + OutReg cycles.
/// Assumes  b_en_i is 1 where InReg is 0.
/// Ensures  p_o is the product of the operands that many cycles before, exactly; with InReg the b
///          of a cycle with b_en_i low is that of the cycle before.
module mf_prim_mul_cell #(
  parameter int unsigned WidthA = 18, // bits of a, 1..18 (1..24 on DSP48E1)
  parameter int unsigned WidthB = 18, // bits of b, 1..18 (1..17 on DSP48E1)
  parameter bit          InReg  = 1,  // registers at the operands
  parameter bit          MidReg = 0,  // registers inside the multiplier
  parameter bit          OutReg = 1   // registers at the product
) (
  input  logic                     clk_i,
  input  logic [WidthA-1:0]        a_i,
  input  logic [WidthB-1:0]        b_i,
  input  logic                     b_en_i, // take b_i
  output logic [WidthA+WidthB-1:0] p_o
);

  localparam int unsigned WidthP = WidthA + WidthB;

  logic [WidthA-1:0] a;
  logic [WidthB-1:0] b;
  logic [WidthP-1:0] product, middle;
  assign product = WidthP'(a) * WidthP'(b);

  logic unused_clk; // without registers nothing reads the clock
  assign unused_clk = clk_i;

  if (InReg) begin : gen_in
    always_ff @(posedge clk_i) begin
      a <= a_i;
      if (b_en_i) b <= b_i;
    end
  end else begin : gen_no_in
    assign a = a_i;
    assign b = b_i;
    logic unused_enable;
    assign unused_enable = b_en_i;
  end

  if (MidReg) begin : gen_mid
    always_ff @(posedge clk_i) middle <= product;
  end else begin : gen_no_mid
    assign middle = product;
  end

  if (OutReg) begin : gen_out
    always_ff @(posedge clk_i) p_o <= middle;
  end else begin : gen_no_out
    assign p_o = middle;
  end

endmodule
