// SPDX-License-Identifier: Apache-2.0
/// Separated-operand-scanning Montgomery engine: one word product a cycle, operands in RAM, no
/// final subtraction, operand width chosen with the modulus. With w active 32-bit words a value has
/// B = ceil(32 * w / WordBits) + 1 words, and R = 2^(WordBits * B).
///
/// Source   [QURESHI08] section 4; deviations D1.. in README.md beside this file.
/// Model    modfab.models.mul_sos (same values, same cycles).
/// Latency  product: B * max(B, 6, (D - 1) / 2) + (B - 1) * max(B, D - 1) + max(B, YLat + 2) with
///          D = YLat + LowLat; with Overlap 0 its last term is B + YLat + 1. All other formulas:
///          README.md. Parameters only, never data.
/// Assumes  the engine contract (rtl/mul/README.md).
/// Ensures  the engine contract with run-time width; slots hold values below 2M.
module mf_mul_sos #(
  parameter int unsigned NumBits   = 1024, // bits of the widest modulus, 32..4096
  parameter int unsigned NumSlots  = 8,    // slots, 8..128
  parameter int unsigned WordBits  = 32,   // bits of a word: 32 or 64
  parameter int unsigned MulStages = 2,    // register stages of a 16 x 16 multiplier, 1..4
  parameter bit          Overlap   = 1,    // 1: step 1 of a product begins while step 2 of the one
                                           // before it leaves the pipeline
  parameter bit          DspAdd    = 0     // 1: sums in the adders of DSP blocks, where the
                                           // vendor has them; with WordBits 32 only
) (
  input  logic              clk_i,
  input  logic              rst_i,       // synchronous; clears control, then the wipe clears data
  input  logic              zeroize_i,

  input  logic              cmd_valid_i,
  output logic              cmd_ready_o,
  input  mf_pkg::cmd_t      cmd_i,

  input  logic              in_valid_i,
  output logic              in_ready_o,
  input  logic [31:0]       in_data_i,

  output logic              out_valid_o,
  input  logic              out_ready_i,
  output logic [31:0]       out_data_o,

  output logic              busy_o,
  output mf_pkg::status_e   status_o
);

  if (NumBits < 32 || NumBits > 4096) begin : gen_check_bits
    $error("mf_mul_sos: NumBits must be 32..4096");
  end
  if (NumSlots < 8 || NumSlots > 128) begin : gen_check_slots
    $error("mf_mul_sos: NumSlots must be 8..128");
  end
  if (WordBits != 32 && WordBits != 64) begin : gen_check_word
    $error("mf_mul_sos: WordBits must be 32 or 64");
  end
  if (MulStages < 1 || MulStages > 4) begin : gen_check_stages
    $error("mf_mul_sos: MulStages must be 1..4");
  end

  if (DspAdd && WordBits != 32) begin : gen_check_dsp
    $error("mf_mul_sos: DspAdd needs WordBits 32");
  end

  localparam int unsigned NumWords  = (NumBits + WordBits - 1) / WordBits + 1; // B at full width
  localparam int unsigned PosBits   = NumWords > 8 ? $clog2(NumWords) : 3;
  localparam int unsigned SlotBits  = $clog2(NumSlots);
  localparam int unsigned AddrBits  = SlotBits + PosBits;
  localparam int unsigned MulLat    = MulStages + 2 * $clog2(WordBits / 16);
  localparam int unsigned YLat      = MulLat + 5;
  localparam int unsigned LowLat    = MulStages + $clog2(WordBits / 16) + 1;
  localparam int unsigned LenBits   = $clog2(NumWords + YLat + LowLat > mf_pkg::words_of(NumBits)
                                    ? NumWords + YLat + LowLat : mf_pkg::words_of(NumBits)) + 1;

  mf_mul_sos_pkg::step_t   step;
  mf_mul_sos_pkg::memory_t memory;
  logic                 top, t_wr_en, r_wr_en;
  logic [AddrBits-1:0]  wipe_addr;
  logic [PosBits-1:0]   a_pos, b_pos, show_pos;
  logic [PosBits:0]     t_index, t_rd_index, t_wr_index;
  logic [WordBits-1:0]  a_data, b_data, t_data, t_wr_data, y, r_wr_data;
  logic [31:0]          loaded_q;
  mf_pkg::slot_t        a_slot, b_slot, w_slot;

  mf_mul_sos_ctrl #(
    .NumBits  (NumBits),
    .NumSlots (NumSlots),
    .WordBits (WordBits),
    .Overlap  (Overlap),
    .YLat     (YLat),
    .LowLat   (LowLat),
    .PosBits  (PosBits),
    .LenBits  (LenBits)
  ) u_ctrl (
    .clk_i, .rst_i, .zeroize_i, .cmd_valid_i, .cmd_ready_o, .cmd_i, .in_valid_i, .in_ready_o,
    .out_valid_o, .out_ready_i, .busy_o, .status_o,
    .loaded_i    (loaded_q),
    .a_slot_o    (a_slot),
    .a_pos_o     (a_pos),
    .b_slot_o    (b_slot),
    .b_pos_o     (b_pos),
    .step_o      (step),
    .t_index_o   (t_index),
    .top_i       (top),
    .memory_o    (memory),
    .wipe_addr_o (wipe_addr),
    .w_slot_o    (w_slot),
    .show_pos_o  (show_pos)
  );

  // ---- words in, and the one write port of the slots ----
  logic                 wr_en;
  logic [PosBits-1:0]   w_pos_q;
  logic [AddrBits-1:0]  wr_addr;
  logic [WordBits-1:0]  wr_data, load_word;
  if (WordBits == 32) begin : gen_one
    logic unused_half;
    assign unused_half = memory.half;
    assign load_word   = loaded_q;
    assign out_data_o  = t_data;
  end else begin : gen_two
    logic        high_q;
    logic [31:0] low_q;
    assign load_word  = high_q ? {loaded_q, low_q} : WordBits'(loaded_q);
    always_ff @(posedge clk_i) begin
      if (memory.wipe) low_q <= '0;
      else if (in_valid_i && in_ready_o) begin
        low_q  <= loaded_q;
        high_q <= memory.half;
      end
    end
    assign out_data_o = memory.half ? t_data[WordBits-1:32] : t_data[31:0];
  end
  always_ff @(posedge clk_i) begin
    if (memory.wipe)                   loaded_q <= '0;
    else if (in_valid_i && in_ready_o) loaded_q <= in_data_i;
    if (memory.w_clear || memory.wipe)                     w_pos_q <= '0;
    else if (r_wr_en || memory.load_en || memory.load_top) w_pos_q <= w_pos_q + PosBits'(1);
  end
  assign wr_en   = memory.wipe || r_wr_en || memory.load_en || memory.load_top;
  assign wr_addr = memory.wipe ? wipe_addr : {w_slot[SlotBits-1:0], w_pos_q};
  assign wr_data = memory.wipe || memory.load_top ? '0 : memory.load_en ? load_word : r_wr_data;
  logic unused_slots; // slot numbers may have more bits than there are slots
  assign unused_slots = ^{a_slot, b_slot, w_slot};

  // ---- memories: the slots twice, for two words a cycle; the double-length sum T ----
  logic                wipe_q;
  logic [PosBits:0]    wipe_index_q;
  assign t_wr_data = wipe_q ? '0 : memory.t_neg ? ~y : y;
  always_ff @(posedge clk_i) begin
    wipe_q       <= memory.wipe;
    wipe_index_q <= wipe_addr[PosBits:0];
  end
  mf_prim_ram_pipe #(.WidthBits(WordBits), .Depth(NumSlots << PosBits)) u_ram_a (
    .clk_i,
    .wr_en_i   (wr_en),
    .wr_addr_i (wr_addr),
    .wr_data_i (wr_data),
    .rd_addr_i ({a_slot[SlotBits-1:0], a_pos}),
    .rd_data_o (a_data)
  );
  mf_prim_ram_pipe #(.WidthBits(WordBits), .Depth(NumSlots << PosBits)) u_ram_b (
    .clk_i,
    .wr_en_i   (wr_en),
    .wr_addr_i (wr_addr),
    .wr_data_i (wr_data),
    .rd_addr_i ({b_slot[SlotBits-1:0], b_pos}),
    .rd_data_o (b_data)
  );
  mf_prim_ram_pipe #(.WidthBits(WordBits), .Depth(2 << PosBits)) u_ram_t (
    .clk_i,
    .wr_en_i   (t_wr_en || wipe_q),
    .wr_addr_i (wipe_q ? wipe_index_q : t_wr_index),
    .wr_data_i (t_wr_data),
    .rd_addr_i (memory.show ? (PosBits+1)'(show_pos) : t_rd_index),
    .rd_data_o (t_data)
  );

  mf_mul_sos_path #(
    .WordBits  (WordBits),
    .MulStages (MulStages),
    .DspAdd    (DspAdd),
    .IndexBits (PosBits + 1),
    .YLat      (YLat),
    .LowLat    (LowLat)
  ) u_path (
    .clk_i,
    .wipe_i       (memory.wipe),
    .step_i       (step),
    .t_index_i    (t_index),
    .a_data_i     (a_data),
    .b_data_i     (b_data),
    .t_rd_index_o (t_rd_index),
    .t_data_i     (t_data),
    .t_wr_en_o    (t_wr_en),
    .t_wr_index_o (t_wr_index),
    .y_o          (y),
    .r_wr_en_o    (r_wr_en),
    .r_wr_data_o  (r_wr_data),
    .top_o        (top)
  );

endmodule
