// SPDX-License-Identifier: Apache-2.0
/// Declaration and simulation model of the Lattice ECP5 multiplier cell, as far as modfab uses it:
/// one clock, a clock enable at operand B, no resets, no cascade. Synthesis takes the vendor's own
/// cell.
///
/// Source   Lattice FPGA-TN-02205 (sysDSP usage guide); the ports have the vendor's names.
/// Latency  one cycle for each REG_*_CLK that is not "NONE" on the way.
/// Assumes  CE0 = 1, RST0 = 0, SOURCEA = SOURCEB = 0, REG_INPUTB_CE = "CE1".
/// Ensures  P = A * B, operands signed where SIGNEDA, SIGNEDB say so.
(* blackbox *)
module MULT18X18D #(
  parameter REG_INPUTA_CLK   = "NONE", // "NONE" or "CLK0", here and below
  parameter REG_INPUTB_CLK   = "NONE",
  parameter REG_PIPELINE_CLK = "NONE",
  parameter REG_OUTPUT_CLK   = "NONE",
  // Settings of the vendor's cell without an effect in this model.
  // verilator lint_off UNUSEDPARAM
  parameter REG_INPUTB_CE    = "CE0",  // "CE1" wherever modfab uses the cell
  parameter GSR              = "ENABLED",
  parameter RESETMODE        = "SYNC"
  // verilator lint_on UNUSEDPARAM
) (
  input  logic CLK0, CE0, CE1, RST0, SIGNEDA, SIGNEDB, SOURCEA, SOURCEB,
  input  logic A17, A16, A15, A14, A13, A12, A11, A10, A9,
  input  logic A8, A7, A6, A5, A4, A3, A2, A1, A0,
  input  logic B17, B16, B15, B14, B13, B12, B11, B10, B9,
  input  logic B8, B7, B6, B5, B4, B3, B2, B1, B0,
  output logic P35, P34, P33, P32, P31, P30, P29, P28, P27,
  output logic P26, P25, P24, P23, P22, P21, P20, P19, P18,
  output logic P17, P16, P15, P14, P13, P12, P11, P10, P9,
  output logic P8, P7, P6, P5, P4, P3, P2, P1, P0
);

  logic unused_ports;
  assign unused_ports = ^{CLK0, CE0, CE1, RST0, SOURCEA, SOURCEB};

  logic [17:0] a, b, a_in, b_in;
  logic [35:0] product, middle, p;
  assign a_in = {A17, A16, A15, A14, A13, A12, A11, A10, A9,
               A8, A7, A6, A5, A4, A3, A2, A1, A0};
  assign b_in = {B17, B16, B15, B14, B13, B12, B11, B10, B9,
               B8, B7, B6, B5, B4, B3, B2, B1, B0};
  assign product = {{18{SIGNEDA && a[17]}}, a} * {{18{SIGNEDB && b[17]}}, b};
  assign {P35, P34, P33, P32, P31, P30, P29, P28, P27,
          P26, P25, P24, P23, P22, P21, P20, P19, P18,
          P17, P16, P15, P14, P13, P12, P11, P10, P9,
          P8, P7, P6, P5, P4, P3, P2, P1, P0} = p;

  if (REG_INPUTA_CLK == "NONE") begin : gen_a
    assign a = a_in;
  end else begin : gen_a_reg
    always_ff @(posedge CLK0) a <= a_in;
  end
  if (REG_INPUTB_CLK == "NONE") begin : gen_b
    assign b = b_in;
  end else begin : gen_b_reg
    always_ff @(posedge CLK0) if (CE1) b <= b_in;
  end
  if (REG_PIPELINE_CLK == "NONE") begin : gen_mid
    assign middle = product;
  end else begin : gen_mid_reg
    always_ff @(posedge CLK0) middle <= product;
  end
  if (REG_OUTPUT_CLK == "NONE") begin : gen_out
    assign p = middle;
  end else begin : gen_out_reg
    always_ff @(posedge CLK0) p <= middle;
  end

endmodule
