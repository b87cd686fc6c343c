// SPDX-License-Identifier: Apache-2.0
/// Declaration and simulation model of the Lattice ECP5 PLL cell, as far as modfab uses it. The
/// model bypasses the PLL: its clock is the input's, so that a routed netlist can be simulated.
/// Synthesis takes the vendor's own cell.
///
/// Source   Lattice FPGA-TN-02200 (sysCLOCK PLL); the ports have the vendor's names.
/// Latency  none.
/// Assumes  RST, STDBY and the inputs of the dynamic phase are 0.
/// Ensures  CLKOP = CLKOS = CLKI, LOCK = 1.
(* blackbox *)
module EHXPLLL #(
  // Settings of the vendor's cell without an effect in this model.
  // verilator lint_off UNUSEDPARAM
  parameter CLKI_DIV     = 1,
  parameter CLKFB_DIV    = 1,
  parameter CLKOP_DIV    = 8,
  parameter CLKOP_CPHASE = 0,
  parameter CLKOS_DIV    = 8,
  parameter CLKOS_CPHASE = 0,
  parameter FEEDBK_PATH  = "CLKOP",
  parameter CLKOP_ENABLE = "ENABLED",
  parameter CLKOS_ENABLE = "DISABLED"
  // verilator lint_on UNUSEDPARAM
) (
  input  logic CLKI, CLKFB, RST, STDBY,
  input  logic PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP, PHASELOADREG, PLLWAKESYNC,
  input  logic ENCLKOP, ENCLKOS,
  output logic CLKOP, CLKOS, LOCK
);

  logic unused_ports;
  assign unused_ports = ^{CLKFB, RST, STDBY, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP,
                          PHASELOADREG, PLLWAKESYNC, ENCLKOP, ENCLKOS};
  assign CLKOP = CLKI;
  assign CLKOS = CLKI;
  assign LOCK  = 1'b1;

endmodule
