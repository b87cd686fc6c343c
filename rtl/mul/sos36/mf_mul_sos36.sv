// SPDX-License-Identifier: Apache-2.0
/// Quotient-free separated operand scanning with 36-bit words on four 18 x 18 multipliers, squares
/// with each pair of words once, operand width chosen with the modulus. With w active 32-bit words
/// a value has L = floor(8 w / 9) + 1 words, and R = 2^(36 L).
///
/// Source   [QURESHI08] section 4 for the rows, [ORUP95] for quotients without a multiplication;
///          README.md beside this file.
/// Model    modfab.models.mul_sos36 (same values, same cycles).
/// Latency  product: 1 + (2 L - 1) (L + 1) + YLat + max(L + 1, YLat + 2) from L = YLat - 1 on, with
///          YLat = MulStages + 7; square and all others: README.md. Slot numbers and parameters
///          only, never data.
/// Assumes  the engine contract (rtl/mul/README.md).
/// Ensures  the engine contract with run-time width; slots hold values below 3M.
module mf_mul_sos36 #(
  parameter int unsigned NumBits   = 1024, // bits of the widest modulus, 32..4096
  parameter int unsigned NumSlots  = 8,    // slots, 8..128
  parameter int unsigned MulStages = 3,    // register stages of an 18 x 18 multiplier, 2..4
  parameter bit          LongR     = 0     // 1: the square of slot 1 takes a product's cycles
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
    $error("mf_mul_sos36: NumBits must be 32..4096");
  end
  if (NumSlots < 8 || NumSlots > 128) begin : gen_check_slots
    $error("mf_mul_sos36: NumSlots must be 8..128");
  end
  if (MulStages < 2 || MulStages > 4) begin : gen_check_stages
    $error("mf_mul_sos36: MulStages must be 2..4");
  end

  localparam int unsigned WordBits  = mf_mul_sos36_pkg::WordBits;
  localparam int unsigned WordsMax  = mf_pkg::words_of(NumBits);
  localparam int unsigned NumWords  = 8 * WordsMax / 9 + 1;               // L at full width
  localparam int unsigned PosBits   = NumWords > 6 ? $clog2(NumWords + 1) : 3;
  localparam int unsigned SlotBits  = $clog2(NumSlots + 1);               // one is hidden
  localparam int unsigned AddrBits  = SlotBits + PosBits;
  localparam int unsigned IndexBits = PosBits + 2;
  localparam int unsigned CountBits = WordsMax > 1 ? $clog2(WordsMax) : 1;
  localparam int unsigned YLat      = MulStages + 7;

  mf_mul_sos36_pkg::step_t   step;
  mf_mul_sos36_pkg::nibble_t nibble;
  mf_mul_sos36_pkg::word_t   a_data, t_data, y, load_word;
  logic                      wipe, t_neg, sign, t_wr_en, r_wr_en, load, out, out_next;
  logic                      take, word_we, load_end, out_end;
  logic [AddrBits-1:0]       a_addr, wipe_addr, wr_addr;
  logic [IndexBits-1:0]      t_index, t_rd_index, t_wr_index;
  logic [CountBits-1:0]      words;

  mf_mul_sos36_ctrl #(
    .NumBits   (NumBits),
    .NumSlots  (NumSlots),
    .LongR     (LongR),
    .NumWords  (NumWords),
    .YLat      (YLat),
    .PosBits   (PosBits),
    .SlotBits  (SlotBits),
    .CountBits (CountBits)
  ) u_ctrl (
    .clk_i, .rst_i, .zeroize_i, .cmd_valid_i, .cmd_ready_o, .cmd_i, .busy_o, .status_o,
    .a_addr_o    (a_addr),
    .step_o      (step),
    .t_index_o   (t_index),
    .t_neg_o     (t_neg),
    .sign_i      (sign),
    .wipe_o      (wipe),
    .wipe_addr_o (wipe_addr),
    .wr_en_i     (r_wr_en || word_we),
    .wr_addr_o   (wr_addr),
    .load_o      (load),
    .out_o       (out),
    .out_next_o  (out_next),
    .words_o     (words),
    .take_i      (take),
    .load_end_i  (load_end),
    .out_end_i   (out_end),
    .nibble_i    (nibble)
  );

  mf_mul_sos36_words #(.CountBits(CountBits)) u_words (
    .clk_i,
    .wipe_i     (wipe),
    .load_i     (load),
    .out_i      (out),
    .out_next_i (out_next),
    .words_i    (words),
    .in_valid_i, .in_ready_o, .in_data_i, .out_valid_o, .out_ready_i, .out_data_o,
    .a_data_i   (a_data),
    .take_o     (take),
    .word_we_o  (word_we),
    .word_o     (load_word),
    .nibble_o   (nibble),
    .load_end_o (load_end),
    .out_end_o  (out_end)
  );

  // ---- memories: the slots; the double-length sum T with two copies of the modulus above it ----
  mf_prim_ram_pipe #(.WidthBits(WordBits), .Depth((NumSlots + 1) << PosBits)) u_ram_slots (
    .clk_i,
    .wr_en_i   (wipe || r_wr_en || word_we),
    .wr_addr_i (wipe ? wipe_addr : wr_addr),
    .wr_data_i (wipe ? '0 : word_we ? load_word : y),
    .rd_addr_i (a_addr),
    .rd_data_o (a_data)
  );
  mf_prim_ram_pipe #(.WidthBits(WordBits), .Depth(1 << IndexBits)) u_ram_t (
    .clk_i,
    .wr_en_i   (t_wr_en || wipe),
    .wr_addr_i (wipe ? wipe_addr[IndexBits-1:0] : t_wr_index),
    .wr_data_i (wipe ? '0 : t_neg ? ~y : y),
    .rd_addr_i (t_rd_index),
    .rd_data_o (t_data)
  );

  mf_mul_sos36_path #(.MulStages(MulStages), .IndexBits(IndexBits), .YLat(YLat)) u_path (
    .clk_i,
    .wipe_i       (wipe),
    .step_i       (step),
    .t_index_i    (t_index),
    .a_data_i     (a_data),
    .t_rd_index_o (t_rd_index),
    .t_data_i     (t_data),
    .t_wr_en_o    (t_wr_en),
    .t_wr_index_o (t_wr_index),
    .y_o          (y),
    .r_wr_en_o    (r_wr_en),
    .sign_o       (sign)
  );

endmodule
