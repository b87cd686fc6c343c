// SPDX-License-Identifier: Apache-2.0
/// One hard multiplier, unsigned, every register stage optional; DSP48E1 of the Xilinx 7 series.
///
/// Source   modfab; generic form in rtl/prim/generic. Cell: Xilinx UG479.
/// Model    p = a * b.
/// Latency  InReg + MidReg + OutReg cycles.
/// Assumes  b_en_i is 1 where InReg is 0.
/// Ensures  p_o is the product of the operands that many cycles before, exactly; all registers are
///          inside the cell.
module mf_prim_mul_cell #(
  parameter int unsigned WidthA = 18, // bits of a, 1..24
  parameter int unsigned WidthB = 17, // bits of b, 1..17
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

  if (WidthA > 24 || WidthB > 17) begin : gen_check_width
    $error("mf_prim_mul_cell: WidthA must be 1..24 and WidthB 1..17");
  end

  logic [29:0] a;
  logic [17:0] b;
  logic [47:0] p;
  assign a   = 30'(a_i);
  assign b   = 18'(b_i);
  assign p_o = p[WidthA+WidthB-1:0]; // the product of shorter operands has no bit above

  logic unused_high; // bits above the product of shorter operands
  assign unused_high = ^p;

  DSP48E1 #(
    .AREG(32'(InReg)), .ACASCREG(32'(InReg)), .BREG(32'(InReg)), .BCASCREG(32'(InReg)),
    .MREG(32'(MidReg)), .PREG(32'(OutReg)),
    .ADREG(0), .CREG(0), .DREG(0), .ALUMODEREG(0), .INMODEREG(0), .OPMODEREG(0),
    .CARRYINREG(0), .CARRYINSELREG(0),
    .USE_DPORT("FALSE"), .USE_MULT("MULTIPLY"), .USE_SIMD("ONE48")
  ) u_cell (
    .CLK(clk_i), .A(a), .B(b), .P(p),
    .OPMODE(7'b000_01_01), .ALUMODE(4'b0000), .INMODE(5'b00000), .CARRYINSEL(3'b000),
    .C(48'd0), .D(25'd0), .CARRYIN(1'b0),
    .ACIN(30'd0), .BCIN(18'd0), .PCIN(48'd0), .CARRYCASCIN(1'b0), .MULTSIGNIN(1'b0),
    .CEA1(1'b0), .CEA2(1'b1), .CEB1(1'b0), .CEB2(b_en_i), .CEM(1'b1), .CEP(1'b1),
    .CEAD(1'b0), .CEC(1'b0), .CED(1'b0), .CEALUMODE(1'b0), .CECARRYIN(1'b0), .CECTRL(1'b0),
    .CEINMODE(1'b0),
    .RSTA(1'b0), .RSTB(1'b0), .RSTC(1'b0), .RSTD(1'b0), .RSTM(1'b0), .RSTP(1'b0),
    .RSTALLCARRYIN(1'b0), .RSTALUMODE(1'b0), .RSTCTRL(1'b0), .RSTINMODE(1'b0)
  );

endmodule
