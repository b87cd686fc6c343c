// SPDX-License-Identifier: Apache-2.0
/// Declaration and simulation model of the Xilinx 7 series DSP cell, as far as modfab uses it: the
/// multiplier alone, or the adder of A:B, C and CARRYIN alone, without pre-adder and cascades.
/// Synthesis takes the vendor's own cell instead.
///
/// Source   Xilinx UG479 (7 series DSP slice); the ports have the vendor's names.
/// Latency  one cycle for each of AREG (BREG), MREG and PREG that is 1.
/// Assumes  OPMODE selects the product alone, and registers are enabled; or A:B and C, USE_MULT is
///          "NONE" and all registers but P's are 0. No reset.
/// Ensures  P = A[24:0] * B, both signed; with USE_MULT "NONE" P = A:B + C + CARRYIN, kept while
///          CEP is low.
(* blackbox *)
module DSP48E1 #(
  parameter int AREG          = 1, // 0 or 1, here and below
  parameter int BREG          = 1,
  parameter int MREG          = 1,
  parameter int PREG          = 1,
  parameter USE_MULT          = "MULTIPLY",
  // Settings of the vendor's cell without an effect in this model.
  // verilator lint_off UNUSEDPARAM
  parameter int ACASCREG      = 1,
  parameter int BCASCREG      = 1,
  parameter int ADREG         = 1,
  parameter int CREG          = 1,
  parameter int DREG          = 1,
  parameter int ALUMODEREG    = 1,
  parameter int INMODEREG     = 1,
  parameter int OPMODEREG     = 1,
  parameter int CARRYINREG    = 1,
  parameter int CARRYINSELREG = 1,
  parameter USE_DPORT         = "FALSE",
  parameter USE_SIMD          = "ONE48"
  // verilator lint_on UNUSEDPARAM
) (
  input  logic        CLK,
  input  logic [29:0] A, ACIN,
  input  logic [17:0] B, BCIN,
  input  logic [47:0] C, PCIN,
  input  logic [24:0] D,
  input  logic [6:0]  OPMODE,
  input  logic [4:0]  INMODE,
  input  logic [3:0]  ALUMODE,
  input  logic [2:0]  CARRYINSEL,
  input  logic        CARRYIN, CARRYCASCIN, MULTSIGNIN,
  input  logic        CEA1, CEA2, CEB1, CEB2, CEM, CEP,
  input  logic        CEAD, CEC, CED, CEALUMODE, CECARRYIN, CECTRL, CEINMODE,
  input  logic        RSTA, RSTB, RSTC, RSTD, RSTM, RSTP,
  input  logic        RSTALLCARRYIN, RSTALUMODE, RSTCTRL, RSTINMODE,
  output logic [47:0] P
);

  logic unused_ports;
  assign unused_ports = ^{
    CLK, A[29:25], ACIN, BCIN, C, PCIN, D, OPMODE, INMODE, ALUMODE, CARRYINSEL, CARRYIN,
    CARRYCASCIN, MULTSIGNIN, CEA1, CEA2, CEB1, CEB2, CEM, CEP, CEAD, CEC, CED, CEALUMODE, CECARRYIN,
    CECTRL, CEINMODE, RSTA, RSTB, RSTC, RSTD, RSTM, RSTP, RSTALLCARRYIN, RSTALUMODE, RSTCTRL,
    RSTINMODE
  };

  logic signed [24:0] a;
  logic signed [17:0] b;
  logic signed [42:0] product, middle;
  logic signed [47:0] p;
  assign product = 43'(a) * 43'(b);
  if (USE_MULT == "NONE") begin : gen_add
    assign p = signed'({A, B} + C + 48'(CARRYIN));
  end else begin : gen_product
    assign p = 48'(middle);
  end

  if (AREG == 0) begin : gen_a
    assign a = A[24:0];
  end else begin : gen_a_reg
    always_ff @(posedge CLK) a <= A[24:0];
  end
  if (BREG == 0) begin : gen_b
    assign b = B;
  end else begin : gen_b_reg
    always_ff @(posedge CLK) b <= B;
  end
  if (MREG == 0) begin : gen_mid
    assign middle = product;
  end else begin : gen_mid_reg
    always_ff @(posedge CLK) middle <= product;
  end
  if (PREG == 0) begin : gen_out
    assign P = p;
  end else begin : gen_out_reg
    always_ff @(posedge CLK) if (CEP) P <= p;
  end

endmodule
