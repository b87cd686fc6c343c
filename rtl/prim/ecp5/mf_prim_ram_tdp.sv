// SPDX-License-Identifier: Apache-2.0
/// True dual-port RAM with one clock and a register behind each read port; port A also writes. One
/// block RAM cell with its own output registers.
///
/// Source   modfab; generic form in rtl/prim/generic. Cell: Lattice FPGA-TN-02204.
/// Model    a list of integers.
/// Latency  read data two cycles after the address.
/// Assumes  the value read is not used when the same address is written in the same cycle, nor
///          that of port A in any cycle with wr_en_i.
/// Ensures  a_data_o, b_data_o are the last values written before the clock edge that took the
///          addresses.
module mf_prim_ram_tdp #(
  parameter int unsigned WidthBits = 18,  // bits of one word, 1..18
  parameter int unsigned Depth     = 1024 // words, 2..1024
) (
  input  logic                     clk_i,
  input  logic                     wr_en_i,   // at port A
  input  logic [$clog2(Depth)-1:0] a_addr_i,
  input  logic [WidthBits-1:0]     a_data_i,
  output logic [WidthBits-1:0]     a_data_o,
  input  logic [$clog2(Depth)-1:0] b_addr_i,
  output logic [WidthBits-1:0]     b_data_o
);

  if (WidthBits > 18 || Depth > 1024) begin : gen_check
    $error("mf_prim_ram_tdp: WidthBits must be 1..18, Depth 2..1024");
  end

  logic [13:0] ada, adb; // the lowest bits are byte enables of a write
  logic [17:0] d, qa, qb;
  logic        unused_bits;
  assign ada         = {10'(a_addr_i), 4'b0011};
  assign adb         = {10'(b_addr_i), 4'b0000};
  assign d           = 18'(a_data_i);
  assign a_data_o    = qa[WidthBits-1:0];
  assign b_data_o    = qb[WidthBits-1:0];
  assign unused_bits = ^{qa, qb};

  DP16KD #(
    .DATA_WIDTH_A (18),
    .DATA_WIDTH_B (18),
    .REGMODE_A    ("OUTREG"),
    .REGMODE_B    ("OUTREG"),
    .GSR          ("DISABLED")
  ) u_cell (
    .CLKA(clk_i), .CEA(1'b1), .WEA(wr_en_i), .OCEA(1'b1), .RSTA(1'b0),
    .CSA2(1'b0), .CSA1(1'b0), .CSA0(1'b0),
    .CLKB(clk_i), .CEB(1'b1), .WEB(1'b0), .OCEB(1'b1), .RSTB(1'b0),
    .CSB2(1'b0), .CSB1(1'b0), .CSB0(1'b0),
    .ADA13(ada[13]), .ADA12(ada[12]), .ADA11(ada[11]), .ADA10(ada[10]), .ADA9(ada[9]),
    .ADA8(ada[8]), .ADA7(ada[7]), .ADA6(ada[6]), .ADA5(ada[5]), .ADA4(ada[4]), .ADA3(ada[3]),
    .ADA2(ada[2]), .ADA1(ada[1]), .ADA0(ada[0]), .ADB13(adb[13]), .ADB12(adb[12]),
    .ADB11(adb[11]), .ADB10(adb[10]), .ADB9(adb[9]), .ADB8(adb[8]), .ADB7(adb[7]), .ADB6(adb[6]),
    .ADB5(adb[5]), .ADB4(adb[4]), .ADB3(adb[3]), .ADB2(adb[2]), .ADB1(adb[1]), .ADB0(adb[0]),
    .DIA17(d[17]), .DIA16(d[16]), .DIA15(d[15]), .DIA14(d[14]), .DIA13(d[13]), .DIA12(d[12]),
    .DIA11(d[11]), .DIA10(d[10]), .DIA9(d[9]), .DIA8(d[8]), .DIA7(d[7]), .DIA6(d[6]), .DIA5(d[5]),
    .DIA4(d[4]), .DIA3(d[3]), .DIA2(d[2]), .DIA1(d[1]), .DIA0(d[0]), .DOA17(qa[17]),
    .DOA16(qa[16]), .DOA15(qa[15]), .DOA14(qa[14]), .DOA13(qa[13]), .DOA12(qa[12]),
    .DOA11(qa[11]), .DOA10(qa[10]), .DOA9(qa[9]), .DOA8(qa[8]), .DOA7(qa[7]), .DOA6(qa[6]),
    .DOA5(qa[5]), .DOA4(qa[4]), .DOA3(qa[3]), .DOA2(qa[2]), .DOA1(qa[1]), .DOA0(qa[0]),
    .DOB17(qb[17]), .DOB16(qb[16]), .DOB15(qb[15]), .DOB14(qb[14]), .DOB13(qb[13]),
    .DOB12(qb[12]), .DOB11(qb[11]), .DOB10(qb[10]), .DOB9(qb[9]), .DOB8(qb[8]), .DOB7(qb[7]),
    .DOB6(qb[6]), .DOB5(qb[5]), .DOB4(qb[4]), .DOB3(qb[3]), .DOB2(qb[2]), .DOB1(qb[1]),
    .DOB0(qb[0])
  );

endmodule
