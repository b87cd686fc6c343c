// SPDX-License-Identifier: Apache-2.0
// Concurrent assertions are written with these macros only. They are there where MF_ASSERT_ON is
// defined and in Verilator, which checks them with --assert; other tools see nothing.
`ifndef MF_ASSERT_SVH
`define MF_ASSERT_SVH

`ifdef VERILATOR
  `define MF_ASSERT_ON
`endif

// Property holds in every cycle of Clk in which Off is low. In a property over several cycles Off
// counts in the last one. The simulator's message carries Name.
`ifdef MF_ASSERT_ON
  `define MF_ASSERT(Name, Clk, Off, Property) \
    Name: assert property (@(posedge Clk) disable iff (Off) (Property)) else $error(`"Name`");
`else
  `define MF_ASSERT(Name, Clk, Off, Property)
`endif

`endif
