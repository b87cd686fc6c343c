// SPDX-License-Identifier: Apache-2.0
/// Declaration and simulation model of the Xilinx LUT of six inputs. Synthesis takes the vendor's
/// own cell instead.
///
/// Source   Xilinx UG953 (7 series libraries); the ports have the vendor's names.
/// Latency  combinational.
/// Assumes  nothing.
/// Ensures  O is bit {I5..I0} of INIT.
(* blackbox *)
module LUT6 #(
  parameter logic [63:0] INIT = 64'h0 // the function's table
) (
  output logic O,
  input  logic I0, I1, I2, I3, I4, I5
);

  assign O = INIT[{I5, I4, I3, I2, I1, I0}];

endmodule
