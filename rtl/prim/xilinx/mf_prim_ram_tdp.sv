// SPDX-License-Identifier: Apache-2.0
/// True dual-port RAM with one clock and a register behind each read port; port A also writes. One
/// block RAM cell with its own output registers.
///
/// Source   modfab; generic form in rtl/prim/generic. Cell: Xilinx UG473.
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

  logic [17:0] d, qa, qb;
  logic        unused_bits;
  assign d           = 18'(a_data_i);
  assign a_data_o    = qa[WidthBits-1:0];
  assign b_data_o    = qb[WidthBits-1:0];
  assign unused_bits = ^{qa, qb};

  RAMB18E1 #(
    .RAM_MODE("TDP"), .SIM_DEVICE("7SERIES"), .DOA_REG(1), .DOB_REG(1),
    .READ_WIDTH_A(18), .WRITE_WIDTH_A(18), .READ_WIDTH_B(18), .WRITE_WIDTH_B(18)
  ) u_cell (
    .CLKARDCLK(clk_i), .ENARDEN(1'b1), .REGCEAREGCE(1'b1), .RSTRAMARSTRAM(1'b0),
    .RSTREGARSTREG(1'b0), .ADDRARDADDR({10'(a_addr_i), 4'd0}), .WEA({2{wr_en_i}}),
    .DIADI(d[15:0]), .DIPADIP(d[17:16]), .DOADO(qa[15:0]), .DOPADOP(qa[17:16]),
    .CLKBWRCLK(clk_i), .ENBWREN(1'b1), .REGCEB(1'b1), .RSTRAMB(1'b0), .RSTREGB(1'b0),
    .ADDRBWRADDR({10'(b_addr_i), 4'd0}), .WEBWE(4'd0), .DIBDI(16'd0), .DIPBDIP(2'd0),
    .DOBDO(qb[15:0]), .DOPBDOP(qb[17:16])
  );

endmodule
