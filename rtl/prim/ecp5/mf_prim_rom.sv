// SPDX-License-Identifier: Apache-2.0
/// ROM with a register behind it, on block RAM cells with their own output registers: their data
/// comes 3 ns earlier than from the memory itself.
///
/// Source   modfab; generic form in rtl/prim/generic. Cells: Lattice FPGA-TN-02204.
/// Model    a list of integers.
/// Latency  data two cycles after the address.
/// Assumes  nothing.
/// Ensures  data_o is the word at addr_i, 0 from Depth on.
module mf_prim_rom #(
  parameter int unsigned                WidthBits = 32, // bits of one word, 1..64
  parameter int unsigned                Depth     = 64, // words, 2..2048
  parameter logic [Depth*WidthBits-1:0] Words     = '0  // contents, word 0 in the lowest bits
) (
  input  logic                     clk_i,
  input  logic [$clog2(Depth)-1:0] addr_i,
  output logic [WidthBits-1:0]     data_o
);

  if (Depth > 2048) begin : gen_check_depth
    $error("mf_prim_rom: Depth must be 2..2048");
  end

  // One cell holds 512 x 36, 1024 x 18 or 2048 x 9 bits; of 36 bits port B reads the upper 18,
  // which are in the upper half of the cell.
  localparam bit          BothPorts = Depth <= 512;
  localparam int unsigned PortBits  = Depth <= 1024 ? 18 : 9;
  localparam int unsigned TileBits  = BothPorts ? 36 : PortBits;
  localparam int unsigned NumTiles  = (WidthBits + TileBits - 1) / TileBits;
  localparam int unsigned PartWords = 288 / PortBits; // in one INITVAL
  localparam int unsigned PartBits  = PartWords * WidthBits;
  localparam logic [64*PartBits-1:0] Whole = (64*PartBits)'(Words);

  // An INITVAL of a cell: 16 rows of 20 bits, of which 18 count, the lowest address in the lowest
  // bits.
  function automatic logic [319:0] init(input int unsigned tile, input int unsigned index);
    logic [PartBits-1:0]          part;
    logic [NumTiles*TileBits-1:0] word;
    part = Whole[PartBits*(BothPorts?index%32:index)+:PartBits];
    init = '0;
    for (int unsigned i = 0; i < PartWords; i++) begin
      word = (NumTiles*TileBits)'(part[WidthBits*i+:WidthBits]);
      init[(PortBits==18?20*i:20*(i/2)+9*(i%2))+:PortBits] =
        word[TileBits*tile+(BothPorts&&index>=32?PortBits:0)+:PortBits];
    end
  endfunction

  logic [NumTiles*TileBits-1:0] data;
  logic [13:0]                  at_a, at_b; // in units of one bit, or of 9 for 8
  assign data_o = data[WidthBits-1:0];
  assign at_a   = 14'(addr_i) << (PortBits == 18 ? 4 : 3);
  assign at_b   = BothPorts ? at_a | 14'h2000 : '0;

  logic unused_ends; // unused bits of the last cell
  assign unused_ends = ^data;

  for (genvar t = 0; t < NumTiles; t++) begin : gen_tile
    logic [17:0] a, b;
    logic        unused_bits;
    assign data[TileBits*t+:TileBits] = TileBits'({b, a});
    assign unused_bits                = ^{a, b};
    DP16KD #(
      .DATA_WIDTH_A (PortBits),
      .DATA_WIDTH_B (PortBits),
      .REGMODE_A    ("OUTREG"),
      .REGMODE_B    ("OUTREG"),
      .GSR          ("DISABLED"),
      .INITVAL_00(init(t, 'h00)), .INITVAL_01(init(t, 'h01)), .INITVAL_02(init(t, 'h02)),
      .INITVAL_03(init(t, 'h03)), .INITVAL_04(init(t, 'h04)), .INITVAL_05(init(t, 'h05)),
      .INITVAL_06(init(t, 'h06)), .INITVAL_07(init(t, 'h07)), .INITVAL_08(init(t, 'h08)),
      .INITVAL_09(init(t, 'h09)), .INITVAL_0A(init(t, 'h0a)), .INITVAL_0B(init(t, 'h0b)),
      .INITVAL_0C(init(t, 'h0c)), .INITVAL_0D(init(t, 'h0d)), .INITVAL_0E(init(t, 'h0e)),
      .INITVAL_0F(init(t, 'h0f)), .INITVAL_10(init(t, 'h10)), .INITVAL_11(init(t, 'h11)),
      .INITVAL_12(init(t, 'h12)), .INITVAL_13(init(t, 'h13)), .INITVAL_14(init(t, 'h14)),
      .INITVAL_15(init(t, 'h15)), .INITVAL_16(init(t, 'h16)), .INITVAL_17(init(t, 'h17)),
      .INITVAL_18(init(t, 'h18)), .INITVAL_19(init(t, 'h19)), .INITVAL_1A(init(t, 'h1a)),
      .INITVAL_1B(init(t, 'h1b)), .INITVAL_1C(init(t, 'h1c)), .INITVAL_1D(init(t, 'h1d)),
      .INITVAL_1E(init(t, 'h1e)), .INITVAL_1F(init(t, 'h1f)), .INITVAL_20(init(t, 'h20)),
      .INITVAL_21(init(t, 'h21)), .INITVAL_22(init(t, 'h22)), .INITVAL_23(init(t, 'h23)),
      .INITVAL_24(init(t, 'h24)), .INITVAL_25(init(t, 'h25)), .INITVAL_26(init(t, 'h26)),
      .INITVAL_27(init(t, 'h27)), .INITVAL_28(init(t, 'h28)), .INITVAL_29(init(t, 'h29)),
      .INITVAL_2A(init(t, 'h2a)), .INITVAL_2B(init(t, 'h2b)), .INITVAL_2C(init(t, 'h2c)),
      .INITVAL_2D(init(t, 'h2d)), .INITVAL_2E(init(t, 'h2e)), .INITVAL_2F(init(t, 'h2f)),
      .INITVAL_30(init(t, 'h30)), .INITVAL_31(init(t, 'h31)), .INITVAL_32(init(t, 'h32)),
      .INITVAL_33(init(t, 'h33)), .INITVAL_34(init(t, 'h34)), .INITVAL_35(init(t, 'h35)),
      .INITVAL_36(init(t, 'h36)), .INITVAL_37(init(t, 'h37)), .INITVAL_38(init(t, 'h38)),
      .INITVAL_39(init(t, 'h39)), .INITVAL_3A(init(t, 'h3a)), .INITVAL_3B(init(t, 'h3b)),
      .INITVAL_3C(init(t, 'h3c)), .INITVAL_3D(init(t, 'h3d)), .INITVAL_3E(init(t, 'h3e)),
      .INITVAL_3F(init(t, 'h3f))
    ) u_cell (
      .CLKA(clk_i), .CEA(1'b1), .WEA(1'b0), .OCEA(1'b1), .RSTA(1'b0),
      .CSA2(1'b0), .CSA1(1'b0), .CSA0(1'b0),
      .CLKB(clk_i), .CEB(BothPorts), .WEB(1'b0), .OCEB(BothPorts), .RSTB(1'b0),
      .CSB2(1'b0), .CSB1(1'b0), .CSB0(1'b0),
      .ADA13(at_a[13]), .ADA12(at_a[12]), .ADA11(at_a[11]), .ADA10(at_a[10]), .ADA9(at_a[9]),
      .ADA8(at_a[8]), .ADA7(at_a[7]), .ADA6(at_a[6]), .ADA5(at_a[5]), .ADA4(at_a[4]),
      .ADA3(at_a[3]), .ADA2(at_a[2]), .ADA1(at_a[1]), .ADA0(at_a[0]),
      .ADB13(at_b[13]), .ADB12(at_b[12]), .ADB11(at_b[11]), .ADB10(at_b[10]), .ADB9(at_b[9]),
      .ADB8(at_b[8]), .ADB7(at_b[7]), .ADB6(at_b[6]), .ADB5(at_b[5]), .ADB4(at_b[4]),
      .ADB3(at_b[3]), .ADB2(at_b[2]), .ADB1(at_b[1]), .ADB0(at_b[0]),
      .DIA17(1'b0), .DIA16(1'b0), .DIA15(1'b0), .DIA14(1'b0), .DIA13(1'b0), .DIA12(1'b0),
      .DIA11(1'b0), .DIA10(1'b0), .DIA9(1'b0), .DIA8(1'b0), .DIA7(1'b0), .DIA6(1'b0), .DIA5(1'b0),
      .DIA4(1'b0), .DIA3(1'b0), .DIA2(1'b0), .DIA1(1'b0), .DIA0(1'b0),
      .DOA17(a[17]), .DOA16(a[16]), .DOA15(a[15]), .DOA14(a[14]), .DOA13(a[13]), .DOA12(a[12]),
      .DOA11(a[11]), .DOA10(a[10]), .DOA9(a[9]), .DOA8(a[8]), .DOA7(a[7]), .DOA6(a[6]),
      .DOA5(a[5]), .DOA4(a[4]), .DOA3(a[3]), .DOA2(a[2]), .DOA1(a[1]), .DOA0(a[0]),
      .DOB17(b[17]), .DOB16(b[16]), .DOB15(b[15]), .DOB14(b[14]), .DOB13(b[13]), .DOB12(b[12]),
      .DOB11(b[11]), .DOB10(b[10]), .DOB9(b[9]), .DOB8(b[8]), .DOB7(b[7]), .DOB6(b[6]),
      .DOB5(b[5]), .DOB4(b[4]), .DOB3(b[3]), .DOB2(b[2]), .DOB1(b[1]), .DOB0(b[0])
    );
  end

endmodule
