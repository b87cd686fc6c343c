// SPDX-License-Identifier: Apache-2.0
/// Declaration and simulation model of the Xilinx Virtex-5 DSP cell, as far as modfab uses it: the
/// adder of A:B, C and CARRYIN. Synthesis takes the vendor's own cell instead.
///
/// Source   Xilinx UG193 (Virtex-5 XtremeDSP); the ports have the vendor's names.
/// Latency  one cycle if PREG is 1.
/// Assumes  OPMODE is 011_00_11, USE_MULT "NONE", all registers but P's are 0, no reset.
/// Ensures  P = A:B + C + CARRYIN, kept while CEP is low.
(* blackbox *)
module DSP48E #(
  parameter int PREG           = 1, // 0 or 1
  // Settings of the vendor's cell without an effect in this model.
  // verilator lint_off UNUSEDPARAM
  parameter int AREG           = 1,
  parameter int ACASCREG       = 1,
  parameter int BREG           = 1,
  parameter int BCASCREG       = 1,
  parameter int CREG           = 1,
  parameter int MREG           = 1,
  parameter int ALUMODEREG     = 1,
  parameter int OPMODEREG      = 1,
  parameter int CARRYINREG     = 1,
  parameter int CARRYINSELREG  = 1,
  parameter int MULTCARRYINREG = 1,
  parameter USE_MULT           = "MULT_S",
  parameter USE_SIMD           = "ONE48"
  // verilator lint_on UNUSEDPARAM
) (
  input  logic        CLK,
  input  logic [29:0] A, ACIN,
  input  logic [17:0] B, BCIN,
  input  logic [47:0] C, PCIN,
  input  logic [6:0]  OPMODE,
  input  logic [3:0]  ALUMODE,
  input  logic [2:0]  CARRYINSEL,
  input  logic        CARRYIN, CARRYCASCIN, MULTSIGNIN,
  input  logic        CEA1, CEA2, CEB1, CEB2, CEM, CEP, CEC, CEALUMODE, CECARRYIN, CECTRL,
  input  logic        CEMULTCARRYIN,
  input  logic        RSTA, RSTB, RSTC, RSTM, RSTP, RSTALLCARRYIN, RSTALUMODE, RSTCTRL,
  output logic [47:0] P
);

  logic unused_ports;
  assign unused_ports = ^{
    CLK, ACIN, BCIN, PCIN, OPMODE, ALUMODE, CARRYINSEL, CARRYCASCIN, MULTSIGNIN, CEA1, CEA2, CEB1,
    CEB2, CEM, CEP, CEC, CEALUMODE, CECARRYIN, CECTRL, CEMULTCARRYIN, RSTA, RSTB, RSTC, RSTM, RSTP,
    RSTALLCARRYIN, RSTALUMODE, RSTCTRL
  };

  logic [47:0] sum;
  assign sum = {A, B} + C + 48'(CARRYIN);
  if (PREG == 0) begin : gen_out
    assign P = sum;
  end else begin : gen_out_reg
    always_ff @(posedge CLK) if (CEP) P <= sum;
  end

endmodule
