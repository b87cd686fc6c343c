// SPDX-License-Identifier: Apache-2.0
/// A flip-flop of the 7 series for timing analysis. Yosys' models of these cells have no delays,
/// and without one no path starts or ends at them.
///
/// Source   modfab; the ports and parameters have the vendor's names.
/// Latency  one clock.
/// Assumes  used by src/modfab/flow/synth.py, after mapping.
/// Ensures  one picosecond from clock to output, none before the clock.
(* blackbox *)
module mf_flow_flip_flop (input C, CE, D, R, S, CLR, PRE, output Q);
  parameter [0:0] INIT = 0, IS_C_INVERTED = 0, IS_D_INVERTED = 0, IS_R_INVERTED = 0;
  parameter [0:0] IS_S_INVERTED = 0, IS_CLR_INVERTED = 0, IS_PRE_INVERTED = 0;
  specify
    (posedge C => (Q : 1'bx)) = 1;
    $setup(D, posedge C, 0);
    $setup(CE, posedge C, 0);
    $setup(R, posedge C, 0);
    $setup(S, posedge C, 0);
  endspecify
endmodule
