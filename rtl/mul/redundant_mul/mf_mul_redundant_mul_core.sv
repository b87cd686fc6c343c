// SPDX-License-Identifier: Apache-2.0
/// Common part of both redundant engines: slots, accumulator, words in and out, set-up.
/// c_i = (sum + k * M) / 2^DigitBits comes from outside; k makes the lowest digit zero.
///
/// A product: S <- X * y[i] + c, c = (S + k * M) / 2^DigitBits, Digits cycles; one cycle more makes
/// the last c and selects the correction (0, M or 2M). Correction and write overlap the first cycle
/// of the next command, which gets the result instead of the old value of that slot.
///
/// Source   [NAKANO09] Theorems 9 and 10, section 6; deviations in README.md beside this file.
/// Model    modfab.models.redundant.
/// Latency  see mf_mul_redundant_mul.
/// Assumes  the engine contract; k of the outside is 0 in the cycle after clear_o.
/// Ensures  the engine contract with R = 2^(Digits * DigitBits); slots hold values below 2M.
module mf_mul_redundant_mul_core #(
  parameter int unsigned NumBits     = 64, // bits of the modulus, 16..4096
  parameter int unsigned NumSlots    = 8,  // slots, 8..128
  parameter int unsigned Digits      = 4,
  parameter int unsigned DigitBits   = 16, // 5..18
  parameter bit          Redundant   = 1,
  parameter int unsigned TableCycles = 16, // cycles of table_o in a set-up
  parameter int unsigned WipeCycles  = 8,  // at least NumSlots
  parameter bit          FillTable   = 1   // the accumulator counts up the multiples of M for it
) (
  input  logic                             clk_i,
  input  logic                             rst_i,
  input  logic                             zeroize_i,
  input  logic                             cmd_valid_i,
  output logic                             cmd_ready_o,
  input  mf_pkg::cmd_t                     cmd_i,
  input  logic                             in_valid_i,
  output logic                             in_ready_o,
  input  logic [31:0]                      in_data_i,
  output logic                             out_valid_o,
  input  logic                             out_ready_i,
  output logic [31:0]                      out_data_o,
  output logic                             busy_o,
  output mf_pkg::status_e                  status_o,

  output logic                             wipe_o,  // clear the registers outside
  output logic                             clear_o, // the next k is 0
  output logic                             step_d_o, // S takes X * y + c in the next cycle
  output logic                             table_o, // make table or inverse
  output logic [DigitBits-1:0]             low_o,   // lowest digit of X * y
  output logic [Digits+1:0][DigitBits+1:0] acc_o,   // the accumulator S
  output logic [Digits-1:0][DigitBits-1:0] m_o,     // the modulus
  input  logic [Digits:0][DigitBits+1:0]   c_i,
  input  logic [1:0][DigitBits+1:0]        top_i // their sum: the highest digit of c with all above
);

  localparam int unsigned W          = DigitBits + 2;
  localparam int unsigned NumWords   = mf_pkg::words_of(NumBits);
  localparam int unsigned RBits      = Digits * DigitBits;
  localparam int unsigned AddrBits   = $clog2(NumSlots);
  localparam int unsigned IndexBits  = $clog2(Digits + 1);
  localparam int unsigned WordBits   = $clog2(NumWords + 1);
  localparam int unsigned WordsBits  = NumWords * 32;
  localparam int unsigned SlotBits   = Redundant ? RBits + Digits : RBits + 1;
  localparam int unsigned NormCycles = Redundant ? Digits - 1 : 1;

  typedef logic [Digits-1:0][DigitBits:0] operand_t; // digits of slots: one redundant bit
  typedef logic [Digits:0][W-1:0]         value_t;

  // ---- control ----
  typedef struct packed {
    logic acc, twice, half, slot; // operand of the correction
    logic one, two, plus;         // ... and does with M
    logic word;                   // S takes the word of a load instead
  } correction_t;
  correction_t correction_d;                           // for the next cycle
  value_t v, z;                          // of the correction: in, out
  mf_mul_redundant_mul_pkg::control_t control;
  mf_mul_redundant_mul_pkg::correction_t     correction_ctl; // for the next cycle
  logic [IndexBits-1:0]   next;
  logic [WordBits-1:0]    index;
  logic [AddrBits-1:0]    dst, src_a, src_b;
  mf_pkg::modulus_t       modulus;
  logic [Digits+1:0][W-1:0]             s_q, s_step;
  logic [Digits-1:0][DigitBits-1:0]     m_q;
  mf_mul_redundant_mul_control #(
    .NumSlots    (NumSlots),
    .NumWords    (NumWords),
    .Digits      (Digits),
    .DigitBits   (DigitBits),
    .NormCycles  (NormCycles),
    .TableCycles (TableCycles),
    .WipeCycles  (WipeCycles)
  ) u_control (
    .clk_i, .rst_i, .zeroize_i, .cmd_valid_i, .cmd_ready_o, .cmd_i, .in_valid_i, .in_ready_o,
    .out_valid_o, .out_ready_i, .busy_o, .status_o,
    .modulus_i   (modulus),
    .m_top_i     (m_q[Digits-1][DigitBits-1-:2]),
    .negative_i  (z[Digits-1][W-1]),
    .control_o   (control),
    .correction_o       (correction_ctl),
    .next_o      (next),
    .index_o     (index),
    .dst_o       (dst),
    .src_a_o     (src_a),
    .src_b_o     (src_b)
  );
  assign wipe_o   = control.wipe;
  assign clear_o  = control.clear;
  assign step_d_o = control.step_d;
  assign table_o  = control.make_table;

  // ---- slots; without redundant bits only the highest digit has one more ----
  logic [SlotBits-1:0] slot_a, slot_b, slot_in;
  operand_t            x, b;
  localparam int unsigned Step   = Redundant ? DigitBits + 1 : DigitBits;
  localparam int unsigned Copies = (Digits + 3) / 4; // of a broadcast signal
  logic [Copies-1:0][2*AddrBits-1:0] src;
  mf_fanout_reg #(.WidthBits(2 * AddrBits), .Copies(Copies)) u_src (
    .clk_i, .d_i ({src_a, src_b}), .q_o (src)
  );
  for (genvar g = 0; g < Copies; g++) begin : gen_slots // a memory for each copy's digits
    localparam int unsigned Low   = (g * Digits + Copies - 1) / Copies * Step;
    localparam int unsigned Above = g == Copies - 1
                                  ? SlotBits : ((g + 1) * Digits + Copies - 1) / Copies * Step;
    mf_regfile_1w2r #(.WidthBits(Above - Low), .Depth(NumSlots)) u_slots (
      .clk_i,
      .wr_en_i     (control.write),
      .wr_addr_i   (dst),
      .wr_data_i   (slot_in[Above-1:Low]),
      .rd_a_addr_i (src[g][AddrBits+:AddrBits]),
      .rd_a_data_o (slot_a[Above-1:Low]),
      .rd_b_addr_i (src[g][AddrBits-1:0]),
      .rd_b_data_o (slot_b[Above-1:Low])
    );
  end
  // ---- previous product: correction, write to its slot, bypass to a reader of that slot ----
  typedef struct packed {
    logic once, twice;            // subtract M, 2M; twice has priority
    logic late, take_a;
  } spread_t;
  spread_t               spread_d;
  spread_t [Copies-1:0]  spread;
  logic [Copies-1:0]     one_q, two_q;
  logic                  take_b_q;
  value_t                c_q, late_z;
  logic [DigitBits-1:0]  low_z; // its lowest digit, while c is made
  mf_mul_redundant_mul_correction_select #(.DigitBits(DigitBits)) u_select (
    .top_i   (top_i),
    .m_top_i (m_q[Digits-1]),
    .once_o  (spread_d.once),
    .twice_o (spread_d.twice)
  );
  assign spread_d.late   = control.late;
  assign spread_d.take_a = control.take_a;
  mf_fanout_reg #(.WidthBits($bits(spread_t)), .Copies(Copies)) u_spread (
    .clk_i, .d_i (spread_d), .q_o (spread)
  );
  always_comb begin
    for (int unsigned g = 0; g < Copies; g++)
      {one_q[g], two_q[g]} = {spread[g].once && !spread[g].twice, spread[g].twice};
    low_z = c_i[0][DigitBits-1:0];
    if (spread_d.once) low_z = c_i[0][DigitBits-1:0] - m_q[0];
    if (spread_d.twice) low_z = c_i[0][DigitBits-1:0] - {m_q[0][DigitBits-2:0], 1'b0};
  end
  always_ff @(posedge clk_i) begin
    c_q      <= c_i;
    take_b_q <= control.take_b;
  end
  mf_mul_redundant_mul_correction_add #(
    .Digits    (Digits),
    .DigitBits (DigitBits),
    .Redundant (Redundant),
    .Copies    (Copies)
  ) u_late (
    .v_i    (c_q),
    .m_i    (m_q),
    .one_i  (one_q),
    .two_i  (two_q),
    .plus_i ('0),
    .z_o    (late_z)
  );

  logic [Copies-1:0][DigitBits:0] y;
  logic [DigitBits:0]             x_low_q;
  always_comb begin
    for (int unsigned i = 0; i < Digits - 1; i++) begin
      x[i] = (DigitBits+1)'(slot_a[i*Step+:Step]);
      b[i] = (DigitBits+1)'(slot_b[i*Step+:Step]);
    end
    x[Digits-1] = slot_a[SlotBits-1-:DigitBits+1];
    b[Digits-1] = slot_b[SlotBits-1-:DigitBits+1];
    for (int unsigned i = 0; i < Digits; i++)
      if (spread[i*Copies/Digits].take_a) x[i] = late_z[i][DigitBits:0];
    x[0] = x_low_q; // the same, sooner
  end
  always_comb begin
    for (int unsigned i = 0; i < Digits - 1; i++)
      slot_in[i*Step+:Step] = spread[i*Copies/Digits].late ? late_z[i][Step-1:0] : z[i][Step-1:0];
    slot_in[SlotBits-1-:DigitBits+1] = spread[Copies-1].late ? late_z[Digits-1][DigitBits:0]
                                                             : z[Digits-1][DigitBits:0];
  end

  // ---- S <- X * y + c ----
  // The lowest digit of slots is read while a command is accepted, from a memory of its own.
  logic [Step-1:0]    x_low, y_low;
  logic [DigitBits:0] x_d, y_d;
  mf_regfile_1w2r #(.WidthBits(Step), .Depth(NumSlots)) u_slots_low (
    .clk_i,
    .wr_en_i     (control.write),
    .wr_addr_i   (dst),
    .wr_data_i   (slot_in[Step-1:0]),
    .rd_a_addr_i (src_a),
    .rd_a_data_o (x_low),
    .rd_b_addr_i (src_b),
    .rd_b_data_o (y_low)
  );
  logic [2:0][DigitBits-1:0] unused_parts; // for k * M
  always_comb begin
    y_d = !wipe_o && next < IndexBits'(Digits) ? b[next] : '0;
    if (take_b_q) y_d = late_z[1][DigitBits:0];
    if (control.from_b)
      y_d = control.write && dst == src_b ? (DigitBits+1)'(slot_in[Step-1:0])
                                          : (DigitBits+1)'(y_low);
    if (control.take_b) y_d = (DigitBits+1)'(low_z);
    x_d = control.write && dst == src_a ? (DigitBits+1)'(slot_in[Step-1:0])
                                        : (DigitBits+1)'(x_low);
    if (control.take_a) x_d = (DigitBits+1)'(low_z);
  end
  always_ff @(posedge clk_i) x_low_q <= x_d;
  mf_fanout_reg #(.WidthBits(DigitBits + 1), .Copies(Copies)) u_y (.clk_i, .d_i(y_d), .q_o(y));
  mf_redundant_mac #(
    .Digits    (Digits),
    .DigitBits (DigitBits),
    .XBits     (DigitBits + 1),
    .YBits     (DigitBits + 1),
    .Redundant (Redundant),
    .YCopies   (Copies)
  ) u_mac (
    .clk_i,
    .x_i (x),
    .y_i (y),
    .c_i    (c_i),
    .t_o    (s_step),
    .low_o,
    .mid_o  (unused_parts[1:0]),
    .high_o (unused_parts[2])
  );

  // ---- other next values of S, and the write data of slots ----
  logic [RBits-1:0]     principal, loaded; // principal bits of S, before and with the new word
  logic [WordsBits-1:0] words, words_in;
  assign words  = WordsBits'(principal);
  assign loaded = RBits'(words_in);
  logic unused_bits; // of the highest digit or word, where the widths differ
  assign unused_bits = ^{principal, loaded, words_in};
  always_comb begin
    for (int unsigned i = 0; i < Digits; i++)
      principal[i*DigitBits+:DigitBits] = s_q[i][DigitBits-1:0];
    words_in = words; // 0 in the beginning: S is cleared when a command ends
    if (in_valid_i) words_in[index*32+:32] = in_data_i;
    out_data_o = words[index*32+:32];
  end

  correction_t [Copies-1:0] correction;
  logic [Copies-1:0] correction_one, correction_two, correction_plus;
  logic              double_once, double_twice;
  mf_fanout_reg #(.WidthBits($bits(correction_t)), .Copies(Copies)) u_correction_fanout (
    .clk_i, .d_i (correction_d), .q_o (correction)
  );
  assign correction_d = '{
    acc:   correction_ctl.acc,
    twice: correction_ctl.twice,
    half:  correction_ctl.half,
    slot:  correction_ctl.slot,
    one:   correction_ctl.minus || (correction_ctl.reduce && double_once && !double_twice),
    two:   correction_ctl.reduce && double_twice,
    plus:  correction_ctl.plus,
    word:  correction_ctl.word
  };
  always_comb begin
    v = '0;
    for (int unsigned i = 0; i < Digits; i++) begin
      if (correction[i*Copies/Digits].acc)  v[i] = v[i] | s_q[i];
      if (correction[i*Copies/Digits].slot) v[i] = v[i] | W'(x[i]);
      if (correction[i*Copies/Digits].half)
        v[i] = v[i] | ((s_q[i] >> 1) + (W'(s_q[i+1][0]) << (DigitBits - 1)));
      if (correction[i*Copies/Digits].twice) begin
        if (Redundant)            v[i] = v[i] | (s_q[i] << 1);
        else if (i == Digits - 1) v[i] = v[i] | {s_q[i][W-2:0], s_q[i-1][DigitBits-1]};
        else if (i == 0)          v[i] = v[i] | W'({s_q[i][DigitBits-2:0], 1'b0});
        else v[i] = v[i] | W'({s_q[i][DigitBits-2:0], s_q[i-1][DigitBits-1]});
      end
    end
    if (correction[Copies-1].acc) v[Digits] = s_q[Digits];
    if (control.one) v[0][0] = 1'b1;
  end

  // Selects the correction of the double of what S becomes.
  logic [W-1:0] top_twice;
  assign top_twice = {z[Digits-1][W-2:0], !Redundant && z[Digits-2][DigitBits-1]};
  mf_mul_redundant_mul_correction_select #(.DigitBits(DigitBits)) u_select_double (
    .top_i   ({top_twice, W'(0)}),
    .m_top_i (m_q[Digits-1]),
    .once_o  (double_once),
    .twice_o (double_twice)
  );
  always_comb begin
    for (int unsigned g = 0; g < Copies; g++) begin
      correction_one[g]  = correction[g].one;
      correction_two[g]  = correction[g].two;
      correction_plus[g] = FillTable && correction[g].plus;
    end
  end
  mf_mul_redundant_mul_correction_add #(
    .Digits    (Digits),
    .DigitBits (DigitBits),
    .Redundant (Redundant),
    .Copies    (Copies)
  ) u_correction_add (
    .v_i    (v),
    .m_i    (m_q),
    .one_i  (correction_one),
    .two_i  (correction_two),
    .plus_i (correction_plus),
    .z_o    (z)
  );

  always_ff @(posedge clk_i) begin
    s_q <= control.step ? s_step : {W'(0), z};
    for (int unsigned i = 0; i < Digits; i++)
      if (correction[i*Copies/Digits].word) s_q[i] <= W'(loaded[i*DigitBits+:DigitBits]);
    if (clear_o) s_q <= '0;
  end

  // ---- modulus and its properties for the check ----
  always_ff @(posedge clk_i) begin
    if (wipe_o) m_q <= '0;
    else if (control.mod_load) begin
      for (int unsigned i = 0; i < Digits; i++) m_q[i] <= s_q[i][DigitBits-1:0];
    end else if (control.mod_shift) m_q <= m_q << 1;
  end
  mf_modulus_words #(.NumBits(NumBits)) u_modulus (
    .clk_i,
    .wipe_i    (control.wipe),
    .en_i      (control.word && in_valid_i && control.to_mod),
    .first_i   (index == '0),
    .last_i    (index == WordBits'(NumWords - 1)),
    .word_i    (in_data_i),
    .odd_i     (m_q[0][0]),
    .modulus_o (modulus)
  );

  assign acc_o = s_q;
  assign m_o   = m_q;

endmodule
