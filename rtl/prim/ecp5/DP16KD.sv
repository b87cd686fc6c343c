// SPDX-License-Identifier: Apache-2.0
/// Declaration and simulation model of the Lattice ECP5 true dual-port block RAM cell, as far as
/// modfab uses it: port A writes or reads, port B reads, both of the same width, one clock, no
/// resets. Its contents at power-up are given.
/// Synthesis takes the vendor's own cell.
///
/// Source   Lattice FPGA-TN-02204 (memory usage guide); the ports have the vendor's names.
/// Latency  one cycle for the memory, one more with REGMODE_A (REGMODE_B) "OUTREG".
/// Assumes  CLKA = CLKB, OCEA = 1 where DOA is used, CEB = OCEB = 1 where DOB is used, WEB = RST
///          = CS = 0, DATA_WIDTH_A = DATA_WIDTH_B, byte enables ADA[1:0] = 11 at 18 bits, no read
///          of a word being written.
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
  parameter GSR          = "ENABLED",
  // verilator lint_on UNUSEDPARAM
  // Contents: 1024 rows of 18 bits, each in 20 bits; the lowest address in a row's lowest bits.
  parameter logic [319:0] INITVAL_00 = '0,
  parameter logic [319:0] INITVAL_01 = '0,
  parameter logic [319:0] INITVAL_02 = '0,
  parameter logic [319:0] INITVAL_03 = '0,
  parameter logic [319:0] INITVAL_04 = '0,
  parameter logic [319:0] INITVAL_05 = '0,
  parameter logic [319:0] INITVAL_06 = '0,
  parameter logic [319:0] INITVAL_07 = '0,
  parameter logic [319:0] INITVAL_08 = '0,
  parameter logic [319:0] INITVAL_09 = '0,
  parameter logic [319:0] INITVAL_0A = '0,
  parameter logic [319:0] INITVAL_0B = '0,
  parameter logic [319:0] INITVAL_0C = '0,
  parameter logic [319:0] INITVAL_0D = '0,
  parameter logic [319:0] INITVAL_0E = '0,
  parameter logic [319:0] INITVAL_0F = '0,
  parameter logic [319:0] INITVAL_10 = '0,
  parameter logic [319:0] INITVAL_11 = '0,
  parameter logic [319:0] INITVAL_12 = '0,
  parameter logic [319:0] INITVAL_13 = '0,
  parameter logic [319:0] INITVAL_14 = '0,
  parameter logic [319:0] INITVAL_15 = '0,
  parameter logic [319:0] INITVAL_16 = '0,
  parameter logic [319:0] INITVAL_17 = '0,
  parameter logic [319:0] INITVAL_18 = '0,
  parameter logic [319:0] INITVAL_19 = '0,
  parameter logic [319:0] INITVAL_1A = '0,
  parameter logic [319:0] INITVAL_1B = '0,
  parameter logic [319:0] INITVAL_1C = '0,
  parameter logic [319:0] INITVAL_1D = '0,
  parameter logic [319:0] INITVAL_1E = '0,
  parameter logic [319:0] INITVAL_1F = '0,
  parameter logic [319:0] INITVAL_20 = '0,
  parameter logic [319:0] INITVAL_21 = '0,
  parameter logic [319:0] INITVAL_22 = '0,
  parameter logic [319:0] INITVAL_23 = '0,
  parameter logic [319:0] INITVAL_24 = '0,
  parameter logic [319:0] INITVAL_25 = '0,
  parameter logic [319:0] INITVAL_26 = '0,
  parameter logic [319:0] INITVAL_27 = '0,
  parameter logic [319:0] INITVAL_28 = '0,
  parameter logic [319:0] INITVAL_29 = '0,
  parameter logic [319:0] INITVAL_2A = '0,
  parameter logic [319:0] INITVAL_2B = '0,
  parameter logic [319:0] INITVAL_2C = '0,
  parameter logic [319:0] INITVAL_2D = '0,
  parameter logic [319:0] INITVAL_2E = '0,
  parameter logic [319:0] INITVAL_2F = '0,
  parameter logic [319:0] INITVAL_30 = '0,
  parameter logic [319:0] INITVAL_31 = '0,
  parameter logic [319:0] INITVAL_32 = '0,
  parameter logic [319:0] INITVAL_33 = '0,
  parameter logic [319:0] INITVAL_34 = '0,
  parameter logic [319:0] INITVAL_35 = '0,
  parameter logic [319:0] INITVAL_36 = '0,
  parameter logic [319:0] INITVAL_37 = '0,
  parameter logic [319:0] INITVAL_38 = '0,
  parameter logic [319:0] INITVAL_39 = '0,
  parameter logic [319:0] INITVAL_3A = '0,
  parameter logic [319:0] INITVAL_3B = '0,
  parameter logic [319:0] INITVAL_3C = '0,
  parameter logic [319:0] INITVAL_3D = '0,
  parameter logic [319:0] INITVAL_3E = '0,
  parameter logic [319:0] INITVAL_3F = '0
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

  initial begin
    logic [64*320+17:0] contents;
    contents = {
      18'd0,
      INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39,
      INITVAL_38, INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32,
      INITVAL_31, INITVAL_30, INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B,
      INITVAL_2A, INITVAL_29, INITVAL_28, INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24,
      INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20, INITVAL_1F, INITVAL_1E, INITVAL_1D,
      INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18, INITVAL_17, INITVAL_16,
      INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10, INITVAL_0F,
      INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
      INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03, INITVAL_02, INITVAL_01,
      INITVAL_00
    };
    for (int i = 0; i < 16384 >> shift; i++) begin // (i << shift) / 8: which 9 bits
      mem_q[i] = contents[20*((i<<shift)/16)+9*((i<<shift)/8%2)+(i<<shift)%8+:18]
               & 18'((19'd1 << DATA_WIDTH_A) - 19'd1);
    end
  end

  always_ff @(posedge CLKA) begin
    if (CEA && WEA) mem_q[14'(ada >> shift)] <= dia & 18'((19'd1 << DATA_WIDTH_A) - 19'd1);
    if (CEA) a_word_q <= mem_q[14'(ada >> shift)];
    a_out_q  <= a_word_q;
    word_q   <= mem_q[14'(adb >> shift)];
    out_q    <= word_q;
  end

endmodule
