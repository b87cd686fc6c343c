// SPDX-License-Identifier: Apache-2.0
/// Clock multiplier on the PLL cell of ECP5.
///
/// Source   modfab; generic form in rtl/prim/generic. Cell: Lattice FPGA-TN-02200 (sysCLOCK PLL).
/// Model    none.
/// Latency  locked_o within 15 ms of a stable clk_i.
/// Assumes  f(clk_i) / InDiv is 10..400 MHz; f(clk_i) FbDiv / InDiv is 400..800 MHz.
/// Ensures  f(clk_o) = f(clk_i) FbDiv / (InDiv OutDiv) while locked_o is high.
module mf_prim_pll #(
  parameter int unsigned InDiv  = 1,  // divider of clk_i, 1..128
  parameter int unsigned FbDiv  = 24, // divider from the oscillator to the comparison, 1..128
  parameter int unsigned OutDiv = 6   // divider from the oscillator to clk_o, 1..128
) (
  input  logic clk_i,
  output logic clk_o,
  output logic locked_o
);

  // An output of its own closes the loop, so that the comparison's frequency does not depend on
  // clk_o's.
  logic feedback;

  // Charge pump and loop filter as Project Trellis' ecppll sets them for these dividers: nextpnr
  // takes them from attributes, and 0 for those that are not there.
  (* ICP_CURRENT = "12", LPF_RESISTOR = "8", MFG_ENABLE_FILTEROPAMP = "1", MFG_GMCREF_SEL = "2" *)
  EHXPLLL #(
    .CLKI_DIV     (InDiv),
    .CLKFB_DIV    (1),
    .CLKOP_DIV    (FbDiv),
    .CLKOP_CPHASE (FbDiv - 1),
    .CLKOS_DIV    (OutDiv),
    .CLKOS_CPHASE (OutDiv - 1),
    .FEEDBK_PATH  ("CLKOP"),
    .CLKOP_ENABLE ("ENABLED"),
    .CLKOS_ENABLE ("ENABLED")
  ) u_pll (
    .CLKI         (clk_i),
    .CLKFB        (feedback),
    .RST          (1'b0),
    .STDBY        (1'b0),
    .PHASESEL0    (1'b0),
    .PHASESEL1    (1'b0),
    .PHASEDIR     (1'b0),
    .PHASESTEP    (1'b0),
    .PHASELOADREG (1'b0),
    .PLLWAKESYNC  (1'b0),
    .ENCLKOP      (1'b0),
    .ENCLKOS      (1'b0),
    .CLKOP        (feedback),
    .CLKOS        (clk_o),
    .LOCK         (locked_o)
  );

endmodule
