// SPDX-License-Identifier: Apache-2.0
/// Declaration and simulation model of the Lattice ECP5 carry cell, two bits. Synthesis takes the
/// vendor's own cell.
///
/// Source   Lattice FPGA-TN-02205 and the open library's model; the ports have the vendor's names.
/// Latency  combinational.
/// Assumes  INJECT1_0 = INJECT1_1 = "NO".
/// Ensures  S is the table's value plus the carry; where the table says 0, the next carry is the
///          table's entry for A and B with C = D = 0.
(* blackbox *)
module CCU2C #(
  parameter logic [15:0] INIT0 = 16'h0000,
  parameter logic [15:0] INIT1 = 16'h0000,
  // Settings of the vendor's cell without an effect in this model.
  // verilator lint_off UNUSEDPARAM
  parameter INJECT1_0 = "YES",
  parameter INJECT1_1 = "YES"
  // verilator lint_on UNUSEDPARAM
) (
  input  logic CIN, A0, B0, C0, D0, A1, B1, C1, D1,
  output logic S0, S1, COUT
);

  logic table0, table1, carry;
  assign table0 = INIT0[{D0, C0, B0, A0}];
  assign table1 = INIT1[{D1, C1, B1, A1}];
  assign S0     = table0 ^ CIN;
  assign carry  = table0 ? CIN : INIT0[{2'b00, B0, A0}];
  assign S1     = table1 ^ carry;
  assign COUT   = table1 ? carry : INIT1[{2'b00, B1, A1}];

endmodule
