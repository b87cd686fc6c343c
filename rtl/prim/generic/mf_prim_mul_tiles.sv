// SPDX-License-Identifier: Apache-2.0
/// Unsigned multiplier composed of hard multipliers (tiles) and a tree of adders.
///
/// Source   modfab. Products of every second tile of a row do not overlap, so a row of tiles is two
///          addends at most; the addends of all rows are summed by a binary tree.
/// Model    p = a * b.
/// Latency  Stages cycles. One tile: 1 registers the product, 2 the operands too, 3 the inside too,
///          more lie behind it. Several: 1 registers the sum, 2 the operands too, 3 the tiles'
///          products too, more the levels of the tree from its root on, then behind the sum.
/// Assumes  nothing.
/// Ensures  p_o is the product of the operands Stages cycles before, exactly.
module mf_prim_mul_tiles #(
  parameter int unsigned WidthA = 18, // bits of a, 1..64
  parameter int unsigned WidthB = 18, // bits of b, 1..64
  parameter int unsigned TileA  = 18, // bits of a that one tile takes
  parameter int unsigned TileB  = 18, // bits of b that one tile takes
  parameter int unsigned Stages = 2   // register stages, 0..8
) (
  input  logic                     clk_i,
  input  logic [WidthA-1:0]        a_i,
  input  logic [WidthB-1:0]        b_i,
  output logic [WidthA+WidthB-1:0] p_o
);

  localparam int unsigned WidthP   = WidthA + WidthB;
  localparam int unsigned TilesA   = (WidthA + TileA - 1) / TileA;
  localparam int unsigned TilesB   = (WidthB + TileB - 1) / TileB;
  localparam bit          Single   = TilesA == 1 && TilesB == 1;
  localparam int unsigned Addends  = (TilesA == 1 ? 1 : 2) * TilesB;
  localparam int unsigned Levels   = $clog2(Addends);
  localparam int unsigned Leaves   = 1 << Levels;
  localparam bit          InReg    = Stages >= 2;
  localparam bit          OutReg   = Single ? Stages >= 1 : Stages >= 3;
  localparam bit          MidReg   = Single && Stages >= 3;
  localparam int unsigned CellRegs = 32'(InReg) + 32'(OutReg) + 32'(MidReg);
  localparam int unsigned Rest     = Stages - CellRegs; // registers behind the tiles
  localparam int unsigned TreeRegs = Rest < Levels ? Rest : Levels;
  localparam int unsigned Behind   = Rest - TreeRegs;

  logic unused_clk; // without registers nothing reads the clock
  assign unused_clk = clk_i;

  // ---- tiles: node[0] holds the addends ----
  logic [Levels:0][Leaves-1:0][WidthP-1:0] node;
  for (genvar r = 0; r < TilesB; r++) begin : gen_row
    localparam int unsigned LowB  = r * TileB;
    localparam int unsigned BitsB = WidthB - LowB < TileB ? WidthB - LowB : TileB;
    logic [WidthP-1:0] even, odd; // sums of tiles that share no bit
    logic [TilesA-1:0][WidthP-1:0] placed;
    for (genvar c = 0; c < TilesA; c++) begin : gen_tile
      localparam int unsigned LowA  = c * TileA;
      localparam int unsigned BitsA = WidthA - LowA < TileA ? WidthA - LowA : TileA;
      logic [BitsA+BitsB-1:0] p;
      mf_prim_mul_cell #(
        .WidthA (BitsA), .WidthB (BitsB), .InReg (InReg), .MidReg (MidReg), .OutReg (OutReg)
      ) u_cell (
        .clk_i,
        .a_i (a_i[LowA +: BitsA]),
        .b_i (b_i[LowB +: BitsB]),
        .b_en_i (1'b1),
        .p_o (p)
      );
      assign placed[c] = WidthP'(p) << (LowA + LowB);
    end
    always_comb begin
      even = '0;
      odd  = '0;
      for (int unsigned c = 0; c < TilesA; c++) begin
        if (c % 2 == 0) even |= placed[c];
        else odd |= placed[c];
      end
    end
    if (TilesA == 1) begin : gen_one
      logic unused_odd;
      assign unused_odd = ^odd;
      assign node[0][r] = even;
    end else begin : gen_two
      assign node[0][2*r]   = even;
      assign node[0][2*r+1] = odd;
    end
  end
  for (genvar i = Addends; i < Leaves; i++) begin : gen_none
    assign node[0][i] = '0;
  end

  // ---- tree: level l halves the number of nodes; its last TreeRegs levels are registered ----
  for (genvar l = 0; l < Levels; l++) begin : gen_level
    for (genvar i = 0; i < Leaves; i++) begin : gen_node
      if (i >= Leaves >> (l + 1)) begin : gen_unused
        assign node[l+1][i] = '0;
      end else if (l >= Levels - TreeRegs) begin : gen_reg
        always_ff @(posedge clk_i) node[l+1][i] <= node[l][2*i] + node[l][2*i+1];
      end else begin : gen_comb
        assign node[l+1][i] = node[l][2*i] + node[l][2*i+1];
      end
    end
  end

  // ---- remaining stages ----
  if (Behind == 0) begin : gen_no_behind
    assign p_o = node[Levels][0];
  end else begin : gen_behind
    logic [Behind-1:0][WidthP-1:0] p_q;
    assign p_o = p_q[Behind-1];
    always_ff @(posedge clk_i) begin
      p_q[0] <= node[Levels][0];
      for (int unsigned i = 1; i < Behind; i++) p_q[i] <= p_q[i-1];
    end
  end

endmodule
