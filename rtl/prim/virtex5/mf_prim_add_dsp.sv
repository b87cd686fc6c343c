// SPDX-License-Identifier: Apache-2.0
/// Registered sum of two numbers and a carry, in the adder and the register of one DSP48E.
///
/// Source   modfab; generic form in rtl/prim/generic. Cell: Xilinx UG193.
/// Model    s = (a + b + carry) mod 2^WidthBits.
/// Latency  1 cycle; s_o stays while en_i is low.
/// Assumes  nothing.
/// Ensures  s_o is that sum of the operands of the last cycle with en_i.
module mf_prim_add_dsp #(
  parameter int unsigned WidthBits = 48 // bits of operands and sum, 2..48
) (
  input  logic                 clk_i,
  input  logic                 en_i,
  input  logic [WidthBits-1:0] a_i,
  input  logic [WidthBits-1:0] b_i,
  input  logic                 carry_i,
  output logic [WidthBits-1:0] s_o
);

  if (WidthBits > 48) begin : gen_check_width
    $error("mf_prim_add_dsp: WidthBits must be 2..48");
  end

  logic [47:0] a, p;
  logic        unused_high; // sums of shorter operands leave a carry there
  assign a           = 48'(a_i);
  assign s_o         = p[WidthBits-1:0];
  assign unused_high = ^p;

  // A and B together are one operand, C is the other: OPMODE selects X = A:B, Y = 0, Z = C.
  DSP48E #(
    .AREG(0), .ACASCREG(0), .BREG(0), .BCASCREG(0), .CREG(0), .MREG(0), .PREG(1),
    .ALUMODEREG(0), .OPMODEREG(0), .CARRYINREG(0), .CARRYINSELREG(0), .MULTCARRYINREG(0),
    .USE_MULT("NONE"), .USE_SIMD("ONE48")
  ) u_cell (
    .CLK(clk_i), .A(a[47:18]), .B(a[17:0]), .C(48'(b_i)), .CARRYIN(carry_i), .P(p),
    .OPMODE(7'b011_00_11), .ALUMODE(4'b0000), .CARRYINSEL(3'b000),
    .ACIN(30'd0), .BCIN(18'd0), .PCIN(48'd0), .CARRYCASCIN(1'b0), .MULTSIGNIN(1'b0),
    .CEA1(1'b0), .CEA2(1'b0), .CEB1(1'b0), .CEB2(1'b0), .CEM(1'b0), .CEP(en_i),
    .CEC(1'b0), .CEALUMODE(1'b0), .CECARRYIN(1'b0), .CECTRL(1'b0), .CEMULTCARRYIN(1'b0),
    .RSTA(1'b0), .RSTB(1'b0), .RSTC(1'b0), .RSTM(1'b0), .RSTP(1'b0),
    .RSTALLCARRYIN(1'b0), .RSTALUMODE(1'b0), .RSTCTRL(1'b0)
  );

endmodule
