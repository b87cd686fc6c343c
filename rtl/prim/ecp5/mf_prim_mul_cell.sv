// SPDX-License-Identifier: Apache-2.0
/// One hard multiplier, unsigned, every register stage optional; MULT18X18D of the Lattice ECP5.
///
/// Source   modfab; generic form in rtl/prim/generic. Cell: Lattice FPGA-TN-02205.
/// Model    p = a * b.
/// Latency  InReg + MidReg + OutReg cycles.
/// Assumes  b_en_i is 1 where InReg is 0.
/// Ensures  p_o is the product of the operands that many cycles before, exactly; all registers are
///          inside the cell.
module mf_prim_mul_cell #(
  parameter int unsigned WidthA = 18, // bits of a, 1..18
  parameter int unsigned WidthB = 18, // bits of b, 1..18
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

  if (WidthA > 18 || WidthB > 18) begin : gen_check_width
    $error("mf_prim_mul_cell: WidthA must be 1..18 and WidthB 1..18");
  end

  localparam InClk  = InReg ? "CLK0" : "NONE";
  localparam MidClk = MidReg ? "CLK0" : "NONE";
  localparam OutClk = OutReg ? "CLK0" : "NONE";

  logic [17:0] a, b;
  logic [35:0] p;
  assign a   = 18'(a_i);
  assign b   = 18'(b_i);
  assign p_o = p[WidthA+WidthB-1:0]; // the product of shorter operands has no bit above

  logic unused_high; // bits above the product of shorter operands
  assign unused_high = ^p;

  MULT18X18D #(
    .REG_INPUTA_CLK   (InClk),
    .REG_INPUTB_CLK   (InClk),
    .REG_INPUTB_CE    ("CE1"),
    .REG_PIPELINE_CLK (MidClk),
    .REG_OUTPUT_CLK   (OutClk),
    .GSR              ("DISABLED"),
    .RESETMODE        ("SYNC")
  ) u_cell (
    .CLK0(clk_i), .CE0(1'b1), .CE1(b_en_i), .RST0(1'b0),
    .SIGNEDA(1'b0), .SIGNEDB(1'b0), .SOURCEA(1'b0), .SOURCEB(1'b0),
    .A17(a[17]), .A16(a[16]), .A15(a[15]), .A14(a[14]), .A13(a[13]), .A12(a[12]),
    .A11(a[11]), .A10(a[10]), .A9(a[9]), .A8(a[8]), .A7(a[7]), .A6(a[6]),
    .A5(a[5]), .A4(a[4]), .A3(a[3]), .A2(a[2]), .A1(a[1]), .A0(a[0]),
    .B17(b[17]), .B16(b[16]), .B15(b[15]), .B14(b[14]), .B13(b[13]), .B12(b[12]),
    .B11(b[11]), .B10(b[10]), .B9(b[9]), .B8(b[8]), .B7(b[7]), .B6(b[6]),
    .B5(b[5]), .B4(b[4]), .B3(b[3]), .B2(b[2]), .B1(b[1]), .B0(b[0]),
    .P35(p[35]), .P34(p[34]), .P33(p[33]), .P32(p[32]), .P31(p[31]), .P30(p[30]),
    .P29(p[29]), .P28(p[28]), .P27(p[27]), .P26(p[26]), .P25(p[25]), .P24(p[24]),
    .P23(p[23]), .P22(p[22]), .P21(p[21]), .P20(p[20]), .P19(p[19]), .P18(p[18]),
    .P17(p[17]), .P16(p[16]), .P15(p[15]), .P14(p[14]), .P13(p[13]), .P12(p[12]),
    .P11(p[11]), .P10(p[10]), .P9(p[9]), .P8(p[8]), .P7(p[7]), .P6(p[6]),
    .P5(p[5]), .P4(p[4]), .P3(p[3]), .P2(p[2]), .P1(p[1]), .P0(p[0])
  );

endmodule
