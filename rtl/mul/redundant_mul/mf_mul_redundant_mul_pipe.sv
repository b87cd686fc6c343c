// SPDX-License-Identifier: Apache-2.0
/// The redundant engine with registers in its multipliers and two products at a time.
///
/// Source   [NAKANO09] for the digits, [ORUP95] for the quotient with a delay; README.md beside
///          this file has the derivation.
/// Model    modfab.models.redundant_pipe (same digits, same cycles).
/// Latency  product and pair: 2 * Steps + 8; others in modfab.catalog.redundant. Parameters only,
///          never data.
/// Assumes  the engine contract (rtl/mul/README.md).
/// Ensures  the engine contract with R = 2^RBits; slots hold values below 2^GuardBits * M.
module mf_mul_redundant_mul_pipe #(
  parameter int unsigned NumBits   = 64, // bits of the modulus, 16..4096
  parameter int unsigned NumSlots  = 8,  // slots, 8..128
  parameter int unsigned DigitBits = 16, // 5..17
  parameter int unsigned Stages    = 3   // registers in the loop of the quotient: 1, 3, 5
) (
  input  logic              clk_i,
  input  logic              rst_i,
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

  function automatic int unsigned digits_of(input int unsigned bits);
    digits_of = bits <= 2 * DigitBits ? 2 : (bits + DigitBits - 1) / DigitBits;
  endfunction
  localparam int unsigned Delay       = (Stages - 1) / 2;
  localparam int unsigned ModDigits   = digits_of(NumBits);
  localparam int unsigned Digits      = Delay + 1 + digits_of(NumBits + 1);
  localparam int unsigned RDigits     = Delay + 1 + digits_of(NumBits + 2);
  localparam int unsigned Steps       = RDigits + 1 + Delay;
  localparam int unsigned RBits       = RDigits * DigitBits;
  localparam int unsigned GuardBits   = (Delay + 1) * DigitBits + 1;
  localparam int unsigned GroupDigits = 8;
  localparam int unsigned Groups      = (Digits - 1) / GroupDigits + 1;
  localparam int unsigned NumWords    = mf_pkg::words_of(NumBits);
  localparam int unsigned WordGroups  = (NumWords + 3) / 4; // four words share a copy
  localparam int unsigned AddrBits    = $clog2(NumSlots + 1);
  localparam int unsigned FlatBits    = Digits * DigitBits;
  localparam int unsigned WordsBits   = NumWords * 32;

  // ---- control ----
  mf_mul_redundant_mul_pkg::pipe_control_t control, far_q;
  mf_mul_redundant_mul_pkg::words_t        words;
  logic                m_odd, m_top;
  mf_pkg::modulus_t    modulus;
  mf_mul_redundant_mul_pipe_control #(
    .NumSlots  (NumSlots),
    .NumWords  (NumWords),
    .Steps     (Steps),
    .Digits    (Digits),
    .ShiftBits (ModDigits * DigitBits),
    .RBits     (RBits),
    .GuardBits (GuardBits)
  ) u_control (
    .clk_i, .rst_i, .zeroize_i, .cmd_valid_i, .cmd_ready_o, .cmd_i, .in_valid_i, .in_ready_o,
    .out_valid_o, .out_ready_i, .busy_o, .status_o,
    .modulus_i    (modulus),
    .m_top_i      (m_top),
    .control_o    (control),
    .words_o      (words)
  );

  // ---- a register between the control and the copies of its signals near the data ----
  always_ff @(posedge clk_i) far_q <= control;
  logic unused_addr; // slot numbers may have more bits than there are slots
  assign unused_addr = ^{far_q.write_addr, far_q.read_a, far_q.read_b};

  // ---- slots: a memory for each group of digits, with its own copy of addresses ----
  typedef struct packed {
    logic                we;
    logic [1:0]          from;
    logic [AddrBits-1:0] wr, a, b;
  } slot_ctl_t;
  slot_ctl_t                         slot_ctl_d;
  slot_ctl_t [Groups-1:0]            slot_ctl;
  logic [Digits-1:0][DigitBits:0]    slot_a, slot_b, slot_in, z;
  logic [Digits-1:0][DigitBits+2:0]  x;
  logic [Digits-1:0][DigitBits-1:0]  word_digits;
  assign slot_ctl_d = '{
    we: far_q.write, from: far_q.write_from, wr: far_q.write_addr[AddrBits-1:0],
    a: far_q.read_a[AddrBits-1:0], b: far_q.read_b[AddrBits-1:0]
  };
  mf_fanout_reg #(.WidthBits($bits(slot_ctl_t)), .Copies(Groups)) u_slot_ctl (
    .clk_i, .d_i (slot_ctl_d), .q_o (slot_ctl)
  );
  always_comb begin
    for (int unsigned j = 0; j < Digits; j++) begin
      unique case (slot_ctl[j/GroupDigits].from)
        2'd1:    slot_in[j] = (DigitBits+1)'(word_digits[j]);
        2'd2:    slot_in[j] = x[j][DigitBits:0];
        2'd3:    slot_in[j] = z[j];
        default: slot_in[j] = '0;
      endcase
    end
  end
  for (genvar g = 0; g < Groups; g++) begin : gen_slots
    localparam int unsigned Low   = g * GroupDigits;
    localparam int unsigned Count = Digits - Low < GroupDigits ? Digits - Low : GroupDigits;
    mf_regfile_1w2r #(.WidthBits(Count * (DigitBits + 1)), .Depth(NumSlots + 1)) u_slots (
      .clk_i,
      .wr_en_i     (slot_ctl[g].we),
      .wr_addr_i   (slot_ctl[g].wr),
      .wr_data_i   (slot_in[Low+:Count]),
      .rd_a_addr_i (slot_ctl[g].a),
      .rd_a_data_o (slot_a[Low+:Count]),
      .rd_b_addr_i (slot_ctl[g].b),
      .rd_b_data_o (slot_b[Low+:Count])
    );
  end

  // ---- products ----
  logic [ModDigits-1:0][DigitBits:0] mh;
  mf_mul_redundant_mul_pipe_array #(
    .Digits      (Digits),
    .ModDigits   (ModDigits),
    .DigitBits   (DigitBits),
    .Stages      (Stages),
    .GroupDigits (GroupDigits)
  ) u_array (
    .clk_i,
    .load_x_i  (far_q.load_x),
    .load_y_i  (far_q.load_y),
    .shift_y_i (far_q.shift_y),
    .clear_i   (far_q.clear),
    .early_i   (far_q.early),
    .slot_a_i  (slot_a),
    .slot_b_i  (slot_b),
    .mh_i      (mh),
    .z_o       (z)
  );

  // ---- set-up and conversion ----
  mf_mul_redundant_mul_pipe_alu #(
    .Digits      (Digits),
    .ModDigits   (ModDigits),
    .DigitBits   (DigitBits),
    .GuardBits   (GuardBits),
    .GroupDigits (GroupDigits)
  ) u_alu (
    .clk_i,
    .wipe_i    (far_q.wipe),
    .start_i   (far_q.start),
    .source_i  (far_q.source),
    .add_i     (far_q.add),
    .half_i    (far_q.half),
    .m_load_i  (far_q.m_load),
    .m_left_i  (far_q.m_left),
    .m_right_i (far_q.m_right),
    .mh_load_i (far_q.mh_load),
    .word_m_i  (word_digits[ModDigits-1:0]),
    .slot_i    (slot_a),
    .m_odd_o   (m_odd),
    .m_top_o   (m_top),
    .mh_o      (mh),
    .x_o       (x)
  );

  // ---- words: a register that moves down by one, with one word before and one behind it ----
  logic [NumWords-1:0][31:0]  words_q;
  logic [WordGroups-1:0][2:0] words_ctl; // wipe, from the adder, move
  logic [31:0]                in_q, out_q;
  logic                       moves_q;
  logic [FlatBits-1:0]        flat, words_flat;
  logic [WordsBits-1:0]       flat_words;
  mf_fanout_reg #(.WidthBits(3), .Copies(WordGroups)) u_words_ctl (
    .clk_i, .d_i ({control.wipe, words.take, words.move}), .q_o (words_ctl)
  );
  always_comb begin
    for (int unsigned j = 0; j < Digits; j++) flat[j*DigitBits+:DigitBits] = x[j][DigitBits-1:0];
  end
  assign flat_words  = WordsBits'(flat);
  assign words_flat  = FlatBits'(words_q);
  assign word_digits = words_flat;
  logic unused_words; // where the widths differ
  assign unused_words = ^{flat, words_q};
  always_ff @(posedge clk_i) begin
    in_q    <= control.wipe ? '0 : in_data_i;
    moves_q <= words.move;
    if (control.wipe) out_q <= '0;
    else if (words.move) out_q <= moves_q ? words_q[NumWords > 1 ? 1 : 0] : words_q[0];
    for (int unsigned i = 0; i < NumWords; i++) begin
      if (words_ctl[i/4][2]) words_q[i] <= '0;
      else if (words_ctl[i/4][1]) words_q[i] <= flat_words[i*32+:32];
      else if (words_ctl[i/4][0]) words_q[i] <= i + 1 < NumWords ? words_q[(i+1)%NumWords] : in_q;
    end
  end
  assign out_data_o = out_q;

  // ---- properties of the modulus for its check ----
  mf_modulus_words #(.NumBits(NumBits)) u_modulus (
    .clk_i,
    .wipe_i    (control.wipe),
    .en_i      (in_ready_o && in_valid_i && words.to_mod),
    .first_i   (words.first),
    .last_i    (words.last),
    .word_i    (in_data_i),
    .odd_i     (m_odd),
    .modulus_o (modulus)
  );

endmodule
