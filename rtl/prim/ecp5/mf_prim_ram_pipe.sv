// SPDX-License-Identifier: Apache-2.0
/// Simple dual-port RAM with one clock and a register behind the read port, on block RAM cells with
/// their own output registers: their read data comes 3 ns earlier than from the memory itself.
///
/// Source   modfab; generic form in rtl/prim/generic. Cells: Lattice FPGA-TN-02204.
/// Model    a list of integers.
/// Latency  read data two cycles after the address.
/// Assumes  addresses below Depth; the value read is not used when the same address is written
///          in the same cycle.
/// Ensures  rd_data_o is the last value written before the clock edge that took rd_addr_i.
module mf_prim_ram_pipe #(
  parameter int unsigned WidthBits = 32, // bits of one word, 1..1024
  parameter int unsigned Depth     = 64  // words, 2..16384
) (
  input  logic                     clk_i,
  input  logic                     wr_en_i,
  input  logic [$clog2(Depth)-1:0] wr_addr_i,
  input  logic [WidthBits-1:0]     wr_data_i,
  input  logic [$clog2(Depth)-1:0] rd_addr_i,
  output logic [WidthBits-1:0]     rd_data_o
);

  if (Depth > 16384) begin : gen_check_depth
    $error("mf_prim_ram_pipe: Depth must be 2..16384");
  end

  // One cell holds 512 x 36, 1024 x 18, 2048 x 9, 4096 x 4, 8192 x 2 or 16384 x 1 bits.
  localparam int unsigned TileBits = Depth <= 512 ? 36 : Depth <= 1024 ? 18 : Depth <= 2048 ? 9
                                   : Depth <= 4096 ? 4 : Depth <= 8192 ? 2 : 1;
  localparam int unsigned NumTiles = (WidthBits + TileBits - 1) / TileBits;
  localparam int unsigned LowBits  = TileBits == 36 ? 5 : TileBits == 18 ? 4 : TileBits == 9 ? 3
                                   : TileBits == 4 ? 2 : TileBits == 2 ? 1 : 0;

  logic [NumTiles*TileBits-1:0] wr_data, rd_data;
  logic [13:0]                  wr_addr, rd_addr;  // in units of one bit, or of 9 for 8
  assign wr_data   = (NumTiles*TileBits)'(wr_data_i);
  assign rd_data_o = rd_data[WidthBits-1:0];
  assign wr_addr   = 14'(wr_addr_i) << LowBits;
  assign rd_addr   = 14'(rd_addr_i) << LowBits;

  logic unused_ends; // unused bits of the last cell, and of the wide cell's write address
  assign unused_ends = ^{rd_data, wr_addr};

  for (genvar t = 0; t < NumTiles; t++) begin : gen_tile
    logic [35:0] d, q;
    logic        unused_bits;
    assign d                              = 36'(wr_data[TileBits*t+:TileBits]);
    assign rd_data[TileBits*t+:TileBits]  = q[TileBits-1:0];
    assign unused_bits                    = ^{d, q};
    if (TileBits == 36) begin : gen_wide
      PDPW16KD #(
        .DATA_WIDTH_W (36),
        .DATA_WIDTH_R (36),
        .REGMODE      ("OUTREG"),
        .GSR          ("DISABLED")
      ) u_cell (
        .CLKW(clk_i), .CLKR(clk_i), .CEW(wr_en_i), .CER(1'b1), .OCER(1'b1), .RST(1'b0),
        .CSW2(1'b0), .CSW1(1'b0), .CSW0(1'b0), .CSR2(1'b0), .CSR1(1'b0), .CSR0(1'b0),
        .BE3(1'b1), .BE2(1'b1), .BE1(1'b1), .BE0(1'b1),
        .ADW8(wr_addr[13]), .ADW7(wr_addr[12]), .ADW6(wr_addr[11]), .ADW5(wr_addr[10]),
        .ADW4(wr_addr[9]), .ADW3(wr_addr[8]), .ADW2(wr_addr[7]), .ADW1(wr_addr[6]),
        .ADW0(wr_addr[5]),
        .ADR13(rd_addr[13]), .ADR12(rd_addr[12]), .ADR11(rd_addr[11]), .ADR10(rd_addr[10]),
        .ADR9(rd_addr[9]), .ADR8(rd_addr[8]), .ADR7(rd_addr[7]), .ADR6(rd_addr[6]),
        .ADR5(rd_addr[5]), .ADR4(rd_addr[4]), .ADR3(rd_addr[3]), .ADR2(rd_addr[2]),
        .ADR1(rd_addr[1]), .ADR0(rd_addr[0]),
        .DI35(d[35]), .DI34(d[34]), .DI33(d[33]), .DI32(d[32]), .DI31(d[31]), .DI30(d[30]),
        .DI29(d[29]), .DI28(d[28]), .DI27(d[27]), .DI26(d[26]), .DI25(d[25]), .DI24(d[24]),
        .DI23(d[23]), .DI22(d[22]), .DI21(d[21]), .DI20(d[20]), .DI19(d[19]), .DI18(d[18]),
        .DI17(d[17]), .DI16(d[16]), .DI15(d[15]), .DI14(d[14]), .DI13(d[13]), .DI12(d[12]),
        .DI11(d[11]), .DI10(d[10]), .DI9(d[9]), .DI8(d[8]), .DI7(d[7]), .DI6(d[6]), .DI5(d[5]),
        .DI4(d[4]), .DI3(d[3]), .DI2(d[2]), .DI1(d[1]), .DI0(d[0]),
        .DO35(q[35]), .DO34(q[34]), .DO33(q[33]), .DO32(q[32]), .DO31(q[31]), .DO30(q[30]),
        .DO29(q[29]), .DO28(q[28]), .DO27(q[27]), .DO26(q[26]), .DO25(q[25]), .DO24(q[24]),
        .DO23(q[23]), .DO22(q[22]), .DO21(q[21]), .DO20(q[20]), .DO19(q[19]), .DO18(q[18]),
        .DO17(q[17]), .DO16(q[16]), .DO15(q[15]), .DO14(q[14]), .DO13(q[13]), .DO12(q[12]),
        .DO11(q[11]), .DO10(q[10]), .DO9(q[9]), .DO8(q[8]), .DO7(q[7]), .DO6(q[6]), .DO5(q[5]),
        .DO4(q[4]), .DO3(q[3]), .DO2(q[2]), .DO1(q[1]), .DO0(q[0])
      );
    end else begin : gen_narrow
      // At 18 bits the lowest address bits are byte enables.
      logic [13:0] ada;
      assign ada      = TileBits == 18 ? wr_addr | 14'd3 : wr_addr;
      assign q[35:18] = '0;
      // verilator lint_off PINCONNECTEMPTY
      DP16KD #( // port A does not read
        .DATA_WIDTH_A (TileBits),
        .DATA_WIDTH_B (TileBits),
        .REGMODE_B    ("OUTREG"),
        .GSR          ("DISABLED")
      ) u_cell (
        .CLKA(clk_i), .CEA(wr_en_i), .WEA(1'b1), .OCEA(1'b0), .RSTA(1'b0),
        .CSA2(1'b0), .CSA1(1'b0), .CSA0(1'b0),
        .CLKB(clk_i), .CEB(1'b1), .WEB(1'b0), .OCEB(1'b1), .RSTB(1'b0),
        .CSB2(1'b0), .CSB1(1'b0), .CSB0(1'b0),
        .ADA13(ada[13]), .ADA12(ada[12]), .ADA11(ada[11]), .ADA10(ada[10]), .ADA9(ada[9]),
        .ADA8(ada[8]), .ADA7(ada[7]), .ADA6(ada[6]), .ADA5(ada[5]), .ADA4(ada[4]), .ADA3(ada[3]),
        .ADA2(ada[2]), .ADA1(ada[1]), .ADA0(ada[0]),
        .ADB13(rd_addr[13]), .ADB12(rd_addr[12]), .ADB11(rd_addr[11]), .ADB10(rd_addr[10]),
        .ADB9(rd_addr[9]), .ADB8(rd_addr[8]), .ADB7(rd_addr[7]), .ADB6(rd_addr[6]),
        .ADB5(rd_addr[5]), .ADB4(rd_addr[4]), .ADB3(rd_addr[3]), .ADB2(rd_addr[2]),
        .ADB1(rd_addr[1]), .ADB0(rd_addr[0]),
        .DIA17(d[17]), .DIA16(d[16]), .DIA15(d[15]), .DIA14(d[14]), .DIA13(d[13]), .DIA12(d[12]),
        .DIA11(d[11]), .DIA10(d[10]), .DIA9(d[9]), .DIA8(d[8]), .DIA7(d[7]), .DIA6(d[6]),
        .DIA5(d[5]), .DIA4(d[4]), .DIA3(d[3]), .DIA2(d[2]), .DIA1(d[1]), .DIA0(d[0]),
        .DOA17(), .DOA16(), .DOA15(), .DOA14(), .DOA13(), .DOA12(), .DOA11(), .DOA10(), .DOA9(),
        .DOA8(), .DOA7(), .DOA6(), .DOA5(), .DOA4(), .DOA3(), .DOA2(), .DOA1(), .DOA0(),
        .DOB17(q[17]), .DOB16(q[16]), .DOB15(q[15]), .DOB14(q[14]), .DOB13(q[13]), .DOB12(q[12]),
        .DOB11(q[11]), .DOB10(q[10]), .DOB9(q[9]), .DOB8(q[8]), .DOB7(q[7]), .DOB6(q[6]),
        .DOB5(q[5]), .DOB4(q[4]), .DOB3(q[3]), .DOB2(q[2]), .DOB1(q[1]), .DOB0(q[0])
      );
      // verilator lint_on PINCONNECTEMPTY
    end
  end

endmodule
