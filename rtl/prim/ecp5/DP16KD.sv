// SPDX-License-Identifier: Apache-2.0
/// Declaration and simulation model of the Lattice ECP5 true dual-port block RAM cell, as far as
/// modfab uses it: port A writes or reads, port B reads, both of the same width, one clock, no
/// resets.
/// Synthesis takes the vendor's own cell.
///
/// Source   Lattice FPGA-TN-02204 (memory usage guide); the ports have the vendor's names.
/// Latency  one cycle for the memory, one more with REGMODE_A (REGMODE_B) "OUTREG".
/// Assumes  CLKA = CLKB, CEB = OCEB = 1, OCEA = 1 where DOA is used, WEB = RST = CS = 0,
///          DATA_WIDTH_A = DATA_WIDTH_B, byte enables ADA[1:0] = 11 at 18 bits, no read of a word
///          being written.
/// Ensures  DOB is the word at ADB, whose low bits are unused at widths above 1; DOA that at ADA
///          where WEA is 0.
(* blackbox *)
module DP16KD #(
  parameter DATA_WIDTH_A = 18,      // 18, 9, 4, 2 or 1
  parameter REGMODE_A    = "NOREG", // or "OUTREG"
  parameter REGMODE_B    = "NOREG",
  // Settings of the vendor's cell without an effect in this model.
  // verilator lint_off UNUSEDPARAM
  parameter DATA_WIDTH_B = 18,
  parameter GSR          = "ENABLED"
  // verilator lint_on UNUSEDPARAM
) (
  input  logic CLKA, CEA, WEA, OCEA, RSTA, CSA2, CSA1, CSA0,
  input  logic CLKB, CEB, WEB, OCEB, RSTB, CSB2, CSB1, CSB0,
  input  logic ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7,
  input  logic ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0,
  input  logic ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7,
  input  logic ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0,
  input  logic DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5,
  input  logic DIA4, DIA3, DIA2, DIA1, DIA0,
  output logic DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5,
  output logic DOA4, DOA3, DOA2, DOA1, DOA0,
  output logic DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5,
  output logic DOB4, DOB3, DOB2, DOB1, DOB0
);

  logic unused_ports;
  assign unused_ports = ^{OCEA, RSTA, CSA2, CSA1, CSA0, CLKB, CEB, WEB, OCEB, RSTB,
                          CSB2, CSB1, CSB0};

  logic [2:0]  shift; // not a localparam: the vendor's cell has no such parameter
  assign shift = DATA_WIDTH_A == 18 ? 3'd4 : DATA_WIDTH_A == 9 ? 3'd3
               : DATA_WIDTH_A == 4 ? 3'd2 : DATA_WIDTH_A == 2 ? 3'd1 : 3'd0;
  logic [17:0] mem_q [16384]; // as many words as the narrowest width has
  logic [17:0] dia, a_word_q, a_out_q, word_q, out_q;
  logic [13:0] ada, adb;
  assign ada = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2,
               ADA1, ADA0};
  assign adb = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2,
               ADB1, ADB0};
  assign dia = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6,
               DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
  // verilator lint_off WIDTHEXPAND
  assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5,
          DOA4, DOA3, DOA2, DOA1, DOA0}
    = REGMODE_A == "OUTREG" ? a_out_q : a_word_q;
  // verilator lint_on WIDTHEXPAND
  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5,
          DOB4, DOB3, DOB2, DOB1, DOB0}
    = REGMODE_B == "OUTREG" ? out_q : word_q;

  always_ff @(posedge CLKA) begin
    if (CEA && WEA) mem_q[14'(ada >> shift)] <= dia & 18'((19'd1 << DATA_WIDTH_A) - 19'd1);
    if (CEA) a_word_q <= mem_q[14'(ada >> shift)];
    a_out_q  <= a_word_q;
    word_q   <= mem_q[14'(adb >> shift)];
    out_q    <= word_q;
  end

endmodule
