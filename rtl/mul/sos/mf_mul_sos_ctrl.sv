// SPDX-License-Identifier: Apache-2.0
/// Control of the separated-operand-scanning engine: commands become rows of slots, one slot a
/// cycle. Step 1 is B rows of A * B_i, step 2 is B rows of m_i * N; set-up and store are passes.
///
/// Source   [QURESHI08] section 4; set-up is ours (README.md beside this file).
/// Model    modfab.models.mul_sos.
/// Latency  README.md, section Cycles; all lengths come from the active words only.
/// Assumes  the engine contract (rtl/mul/README.md).
/// Ensures  no row reads a word before the row that makes it has written it.
module mf_mul_sos_ctrl #(
  parameter int unsigned NumBits   = 1024, // bits of the widest modulus
  parameter int unsigned NumSlots  = 8,    // slots, 8..128
  parameter int unsigned WordBits  = 32,   // bits of a word, 32 or 64
  parameter bit          Overlap   = 1,    // 1: next product begins while the last word is made
  parameter int unsigned YLat      = 9,    // cycles from a slot to its y
  parameter int unsigned LowLat    = 4,    // cycles from y to the next quotient word
  parameter int unsigned PosBits   = 6,    // bits of a word position in a slot
  parameter int unsigned LenBits   = 8     // bits of a count of cycles in a row, or of words
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic                zeroize_i,

  input  logic                cmd_valid_i,
  output logic                cmd_ready_o,
  input  mf_pkg::cmd_t        cmd_i,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [31:0]         loaded_i,    // the word of the last transfer
  output logic                out_valid_o,
  input  logic                out_ready_i,
  output logic                busy_o,
  output mf_pkg::status_e     status_o,

  // ---- operand addresses; a cycle later, the data path's slot and its index into T ----
  output mf_pkg::slot_t       a_slot_o,
  output logic [PosBits-1:0]  a_pos_o,
  output mf_pkg::slot_t       b_slot_o,
  output logic [PosBits-1:0]  b_pos_o,
  output mf_mul_sos_pkg::step_t step_o,
  output logic [PosBits:0]    t_index_o,
  input  logic                top_i,       // carry of the last row

  // ---- memories and words ----
  output mf_mul_sos_pkg::memory_t memory_o,
  output logic [$clog2(NumSlots)+PosBits-1:0] wipe_addr_o,
  output mf_pkg::slot_t       w_slot_o,
  output logic [PosBits-1:0]  show_pos_o   // word of T on its way to the output
);

  localparam int unsigned WordsMax = mf_pkg::words_of(NumBits);
  localparam int unsigned LogWord  = $clog2(WordBits);
  localparam int unsigned Drain    = YLat + LowLat; // then no value is on its way any more
  localparam int unsigned MinRow   = (Drain - 1) / 2 > 6 ? (Drain - 1) / 2 : 6; // T's way; m_0
  localparam int unsigned AddrBits = $clog2(NumSlots) + PosBits;
  localparam int unsigned RepBits  = AddrBits > LogWord + PosBits ? AddrBits : LogWord + PosBits;
  localparam int unsigned WipeLast = (NumSlots << PosBits) - 1;
  localparam int unsigned TailBits = NumBits % 32;  // bits of the topmost 32-bit word, 0 = all

  typedef logic [LenBits-1:0] len_t;
  typedef logic [PosBits-1:0] pos_t;
  typedef logic [RepBits-1:0] rep_t;
  // One bit of each is set: a comparison would stand before every register.
  typedef struct packed {
    logic wipe, idle, drain, load, last, step1, step2, pass, get, put;
  } state_t;
  typedef struct packed {
    logic idle, load, step1, step2, pass, get;
  } next_t;
  typedef struct packed {
    logic one;   // SlotOne <- 1
    logic unit;  // SlotR <- 1
    logic inv_a; // m <- N_0 * N'
    logic inv_b; // N' <- (m + 2) * N'
    logic neg;   // T <- complement of N
    logic cmp;   // top <- s * A >= N
    logic sub;   // s * A, less N where top is set
  } pass_t;
  localparam state_t AtWipe  = '{wipe: 1'b1, default: 1'b0};
  localparam pass_t  PassOne = '{one: 1'b1, default: 1'b0};
  localparam pass_t  PassNeg = '{neg: 1'b1, default: 1'b0};

  // Rows (drain, step1, step2, pass) take 6 cycles or more, so what follows a row is decided in
  // registers while it runs, a step of the decision each cycle: next_q, next_len_q, i_next_q and
  // every *_last_q and *_end_q.
  state_t           state_q, state_d;
  next_t            next_q;
  logic             rowing_q;            // the state is a row
  logic             wipe_end_q;          // last cycle of a wipe
  pass_t            pass_q, next_pass_q;
  logic             is_load_q, is_store_q, is_setup_q; // the command; none: a product
  mf_pkg::slot_t    a_slot_q, b_slot_q, d_slot_q, w_slot_q;
  mf_pkg::slot_t    a_next_q, b_next_q, w_next_q; // of the next row, of the next result
  logic             a_keep_q, a_from_b_q;         // a_next_q is that of this row, is b_slot_q
  logic [1:0]       a_const_q;                    // else this one
  mf_pkg::status_e  status_q, check_q;
  logic             check_ok_q;
  logic             top_q;               // top_i a cycle later
  logic             start_q;             // first cycle of a command
  len_t             left_q, next_len_q;  // cycles left of this row, and of the next one, less one
  logic             end_q;               // last cycle of a row
  logic             ready_q;
  pos_t             i_q, i_plus_q, j_q;  // row, one more, word in the row
  pos_t             i_next_q;            // the next row
  logic             i_wrap_q;            // that is row 0
  pos_t             top_pos_q;           // index of the topmost word, 1 or more
  pos_t             top_less_q;          // that less one
  logic             j_last_q;            // j_q is top_pos_q
  logic [PosBits:0] t_q;                 // index into T
  rep_t             rep_q, rep_next_q;   // repetitions left, the address of a wipe; after the row
  logic             rep_end_q;           // rep_q is 0
  logic             rep_load_q, rep_dec_q; // rep_next_q is rep_value_q, is rep_less_q; else rep_q
  rep_t             rep_value_q, rep_less_q;
  logic             i_zero_q, i_last_q, i_next_last_q;
  logic             first_q, second_q;   // the slot is word 0, 1 of its row
  logic             live_q;              // the slot is one of the row's words
  logic             group2_q;            // doubling R into R2
  len_t             word_q;              // words of a load or store left, less one
  logic             word_end_q;          // none is left after this one
  logic             word_fire_q;
  logic             half_q;
  pos_t             show_q;              // word of T that a store gives
  logic [15:0]      num_q, norm_q;       // requested number of words, as given and with its default
  len_t             words_q;             // active 32-bit words, less one
  logic [15:0]      words_up_q;          // active 32-bit words
  len_t             row1_q, row2_q, row_last_q, pass_len_q;  // cycles, less one
  len_t             row1_less_q, step2_q; // row1_q less one; the next row's, if it is of step 2
  logic             bad_words_q, wide_q, zero_q, one_q, odd_q;
  logic             fresh_q;             // no word of this load has come yet
  logic             seen_q, seen_first_q, seen_tail_q;       // loaded_i is new, word 0, topmost

  logic cmd_fire, in_fire, out_fire, word_fire, row_end, row_start, pass_end, last, is_mul;
  assign in_ready_o  = state_q.load;
  assign out_valid_o = state_q.put;
  assign busy_o      = !state_q.idle;
  assign status_o    = status_q;
  assign cmd_ready_o = ready_q && !rst_i && !zeroize_i;
  assign cmd_fire    = cmd_valid_i && ready_q; // with a reset the wipe takes it all back
  assign in_fire     = in_valid_i && in_ready_o;
  assign out_fire    = out_ready_i && out_valid_o;
  assign word_fire   = in_fire || out_fire;
  assign row_end     = end_q;
  assign row_start   = cmd_fire || row_end;
  assign pass_end    = state_q.pass && end_q;
  assign last        = live_q && j_last_q;
  assign is_mul      = cmd_i.op inside {mf_pkg::OpMul, mf_pkg::OpMul2}; // one lane: as OpMul

  logic unused_cmd;
  assign unused_cmd = ^{cmd_i.dst1, cmd_i.a1};

  // ---- state: a command is accepted in idle, in last, and in the last cycle of a product ----
  always_comb begin
    state_d.wipe  = state_q.wipe && !wipe_end_q;
    state_d.idle  = (state_q.wipe && wipe_end_q)
                    || (!cmd_fire && (state_q.idle || state_q.last || (row_end && next_q.idle)));
    state_d.drain = (cmd_fire && !is_mul) || (state_q.drain && !row_end);
    state_d.load  = (row_end && next_q.load) || (state_q.load && !(in_fire && word_end_q));
    state_d.last  = word_fire && word_end_q;
    state_d.step1 = (cmd_fire && is_mul) || (row_end ? next_q.step1 : state_q.step1);
    state_d.step2 = row_end ? next_q.step2 : state_q.step2;
    state_d.pass  = row_end ? next_q.pass : state_q.pass;
    state_d.get   = (row_end && next_q.get) || (state_q.get && first_q)
                    || (out_fire && !word_end_q);
    state_d.put   = (state_q.get && !first_q) || (state_q.put && !out_fire);
  end
  always_ff @(posedge clk_i) begin
    if (rst_i || zeroize_i) begin
      state_q <= AtWipe;
      {start_q, rowing_q, ready_q, end_q, wipe_end_q} <= '0;
    end else begin
      state_q    <= state_d;
      start_q    <= cmd_fire;
      rowing_q   <= row_start ? cmd_fire || next_q.step1 || next_q.step2 || next_q.pass : rowing_q;
      wipe_end_q <= state_q.wipe && rep_q == rep_t'(WipeLast - 1);
      end_q      <= rowing_q && !start_q && left_q == len_t'(1);
      ready_q    <= state_d.idle || state_d.last
                    || (state_q.step2 && next_q.idle && left_q == len_t'(1));
    end
    left_q <= start_q ? (state_q.step1 ? row1_less_q : len_t'(Drain - 2))
            : row_end ? next_len_q : left_q - len_t'(1);
    next_q.idle  <= (state_q.drain && !is_load_q && !is_store_q && !check_ok_q)
                    || (state_q.step2 && i_last_q && !(is_setup_q && !rep_end_q));
    next_q.load  <= state_q.drain && is_load_q;
    next_q.step1 <= (state_q.step1 && !i_last_q)
                    || (state_q.step2 && i_last_q && is_setup_q && !rep_end_q)
                    || (state_q.pass && pass_q.sub && !is_store_q && rep_end_q && group2_q);
    next_q.step2 <= (state_q.step1 && i_last_q) || (state_q.step2 && !i_last_q);
    next_q.pass  <= (state_q.drain && (is_store_q || (!is_load_q && check_ok_q)))
                    || (state_q.pass && (!pass_q.sub || !(is_store_q || (rep_end_q && group2_q))));
    next_q.get   <= state_q.pass && pass_q.sub && is_store_q;
    step2_q      <= state_q.step2 && i_next_last_q ? row_last_q : row2_q;
    next_len_q   <= next_q.step1 ? row1_q : next_q.step2 ? step2_q : pass_len_q;
    next_pass_q <= '{
      one:   1'b0,
      unit:  pass_q.one,
      inv_a: pass_q.unit || (pass_q.inv_b && !rep_end_q),
      inv_b: pass_q.inv_a,
      neg:   pass_q.inv_b && rep_end_q,
      cmp:   pass_q.neg || pass_q.sub,
      sub:   pass_q.cmp
    };
    if (!state_q.pass) pass_q <= is_store_q ? PassNeg : PassOne;
    else if (end_q)    pass_q <= next_pass_q;
    top_q <= top_i;
  end

  // ---- lengths: all follow from the active words, over a few cycles of StDrain ----
  function automatic len_t max_of(input pos_t top_pos, input len_t least);
    max_of = len_t'(top_pos) > least ? len_t'(top_pos) : least;
  endfunction
  always_ff @(posedge clk_i) begin
    if (state_q.wipe) words_q <= len_t'(WordsMax - 1);
    else if (state_q.drain && is_load_q && d_slot_q == mf_pkg::SlotMod)
      words_q <= norm_q > 16'(WordsMax) ? len_t'(WordsMax - 1) : len_t'(norm_q - 16'd1);
    num_q       <= cmd_fire ? cmd_i.num_words : state_q.wipe ? '0 : num_q;
    norm_q      <= num_q == '0 ? 16'(WordsMax) : num_q;
    words_up_q  <= 16'(words_q) + 16'd1;
    bad_words_q <= norm_q != words_up_q;
    top_pos_q   <= pos_t'(WordBits == 32 ? words_q + len_t'(1) : (words_q + len_t'(2)) >> 1);
    top_less_q  <= top_pos_q - pos_t'(1);
    row1_q      <= max_of(top_pos_q, len_t'(MinRow - 1));
    row1_less_q <= row1_q - len_t'(1);
    row2_q      <= max_of(top_pos_q, len_t'(Drain - 2));
    row_last_q  <= Overlap ? max_of(top_pos_q, len_t'(YLat + 1))
                           : len_t'(top_pos_q) + len_t'(YLat + 1);
    pass_len_q  <= len_t'(top_pos_q) + len_t'(Drain);
  end

  // ---- counters of a row, of repeated rows, and of words ----
  always_ff @(posedge clk_i) begin
    if (row_start) begin
      i_q      <= cmd_fire ? '0 : i_next_q;
      i_zero_q <= cmd_fire || i_wrap_q;
    end
    i_plus_q      <= i_q + pos_t'(1);
    i_wrap_q      <= i_last_q || !(state_q.step1 || state_q.step2);
    i_next_q      <= i_wrap_q ? '0 : i_plus_q;
    i_last_q      <= i_q == top_pos_q;
    i_next_last_q <= i_plus_q == top_pos_q;
    j_q           <= row_start || state_q.wipe ? '0 : j_q + pos_t'(1);
    j_last_q      <= !row_start && j_q == top_less_q;
    t_q           <= cmd_fire ? '0 : row_end ? (PosBits+1)'(i_next_q) : t_q + (PosBits+1)'(1);
    first_q       <= row_start || out_fire;
    second_q      <= first_q;
    if (state_q.wipe)   live_q <= 1'b0;
    else if (row_start) live_q <= cmd_fire ? is_mul : next_q.step1 || next_q.step2 || next_q.pass;
    else if (last)      live_q <= 1'b0;

    if (rst_i || zeroize_i) rep_q <= '0;
    else if (state_q.wipe)  rep_q <= rep_q + rep_t'(1);
    else if (row_end)       rep_q <= rep_next_q;
    rep_end_q   <= rep_q == '0;
    rep_less_q  <= rep_q - rep_t'(1);
    rep_load_q  <= state_q.pass && (pass_q.unit || ((pass_q.inv_b || pass_q.sub) && rep_end_q));
    rep_dec_q   <= (state_q.step2 && i_last_q) || (state_q.pass && (pass_q.inv_b || pass_q.sub));
    rep_value_q <= pass_q.inv_b ? rep_t'({top_pos_q, {LogWord{1'b1}}}) // WordBits * B: 1 -> R
                   : pass_q.sub && !group2_q ? rep_t'(top_pos_q)       // B more: R -> 2^B R
                   : rep_t'(LogWord - 1);
    rep_next_q  <= rep_load_q ? rep_value_q : rep_dec_q ? rep_less_q : rep_q;
    if (state_q.drain)                          group2_q <= 1'b0;
    else if (pass_end && pass_q.sub && rep_end_q) group2_q <= 1'b1;

    // The count follows a transfer one cycle late; its end does not.
    word_fire_q <= word_fire;
    if (rowing_q)         word_q <= words_q;
    else if (word_fire_q) word_q <= word_q - len_t'(1);
    if (rowing_q) begin
      word_end_q <= words_q == '0;
      half_q     <= 1'b0;
    end else if (word_fire) begin
      word_end_q <= word_q == (word_fire_q ? len_t'(2) : len_t'(1));
      half_q     <= !half_q;
    end
    if (rowing_q)      show_q <= '0;
    else if (out_fire) show_q <= show_q + pos_t'(WordBits == 32 || half_q);
  end

  // ---- slots of the operands and of the result ----
  always_ff @(posedge clk_i) begin
    if (state_q.wipe) begin // slot numbers can depend on a secret exponent
      {is_load_q, is_store_q, is_setup_q} <= 3'b100;
      a_slot_q <= '0;
      b_slot_q <= '0;
      d_slot_q <= '0;
    end else if (cmd_fire) begin
      is_load_q  <= cmd_i.op == mf_pkg::OpLoad;
      is_store_q <= cmd_i.op == mf_pkg::OpStore;
      is_setup_q <= cmd_i.op == mf_pkg::OpSetup;
      a_slot_q <= cmd_i.a0;
      b_slot_q <= cmd_i.b;
      d_slot_q <= cmd_i.dst0;
    end else if (row_end) begin
      a_slot_q <= a_next_q;
      b_slot_q <= b_next_q;
    end
    // Decided while the row runs. A store takes N first, a set-up squares towards R^2 at its end.
    a_from_b_q <= state_q.pass && is_store_q;
    a_keep_q   <= (state_q.drain && !is_store_q) || (state_q.step1 && !i_last_q)
                  || (state_q.step2 && !i_last_q)
                  || (state_q.pass && (pass_q.one || pass_q.cmp));
    a_const_q  <= state_q.step2 || (state_q.pass && pass_q.sub && group2_q) ? 2'(mf_pkg::SlotR2)
                : state_q.pass && pass_q.inv_a ? 2'(mf_pkg::SlotOne)
                : state_q.pass && (pass_q.neg || pass_q.sub) ? 2'(mf_pkg::SlotR)
                : 2'(mf_pkg::SlotMod);
    a_next_q <= a_from_b_q ? b_slot_q : a_keep_q ? a_slot_q : mf_pkg::slot_t'(a_const_q);
    b_next_q <= state_q.pass && !is_store_q ? mf_pkg::SlotR2
              : state_q.drain && is_store_q ? a_slot_q : b_slot_q;
    w_next_q <= !is_setup_q ? d_slot_q : group2_q ? mf_pkg::SlotR2
              : pass_q.one ? mf_pkg::SlotOne : mf_pkg::SlotR;
    if (memory_o.w_clear || state_q.wipe) w_slot_q <= w_next_q;
  end
  assign memory_o.w_clear = (second_q && (state_q.step2 || state_q.pass))
                            || (state_q.drain && end_q);

  // ---- status ----
  mf_pkg::status_e check;
  mf_modulus_check u_check (
    .bad_words_i (bad_words_q),
    .modulus_i   ('{wide: wide_q, zero: zero_q, one: one_q, odd: odd_q}),
    .status_o    (check)
  );
  always_ff @(posedge clk_i) begin
    seen_q       <= in_fire && d_slot_q == mf_pkg::SlotMod;
    seen_first_q <= fresh_q;
    seen_tail_q  <= word_end_q && words_q == len_t'(WordsMax - 1);
    if (rowing_q)     fresh_q <= 1'b1;
    else if (in_fire) fresh_q <= 1'b0;
    if (state_q.wipe) {zero_q, one_q, odd_q, wide_q} <= 4'b1000;
    else if (seen_q) begin
      odd_q  <= seen_first_q ? loaded_i[0] : odd_q;
      zero_q <= (seen_first_q || zero_q) && loaded_i == '0;
      one_q  <= seen_first_q ? loaded_i == 32'd1 : one_q && loaded_i == '0;
      wide_q <= seen_tail_q && TailBits != 0 && (loaded_i >> TailBits) != '0;
    end
    check_q    <= check;
    check_ok_q <= check == mf_pkg::StatusOk;
    if (state_q.wipe || (seen_q && seen_first_q)) status_q <= mf_pkg::StatusNoModulus;
    else if (state_q.drain && end_q && is_setup_q) status_q <= check_q;
  end

  // ---- the slot, one cycle after its address ----
  logic mem_t_neg_q, mem_show_q, mem_load_en_q, mem_load_top_q;
  always_ff @(posedge clk_i) begin
    step_o.first      <= first_q || state_q.wipe;
    step_o.last       <= last || state_q.wipe;
    step_o.m_we       <= state_q.wipe || (state_q.step1 && i_zero_q && first_q)
               || (state_q.step2 && second_q)
               || (state_q.pass && first_q && (pass_q.inv_a || pass_q.inv_b));
    step_o.s_from_b   <= state_q.step1;
    step_o.s_from_m   <= state_q.step2 || (state_q.pass && pass_q.inv_b);
    step_o.s_const[0] <= state_q.pass && (pass_q.inv_a || pass_q.neg
                                          || (is_store_q && (pass_q.cmp || pass_q.sub)));
    step_o.s_const[1] <= state_q.pass && !is_store_q && (pass_q.cmp || pass_q.sub);
    step_o.t_en       <= state_q.step2 || (state_q.step1 && !i_zero_q && !last)
               || (state_q.pass && (pass_q.cmp || (pass_q.sub && top_q)));
    step_o.top_en     <= last && (state_q.step2 || (state_q.step1 && !i_zero_q));
    step_o.t_we       <= live_q && (!state_q.pass || pass_q.neg || (is_store_q && pass_q.sub));
    step_o.r_we       <= live_q && ((state_q.step2 && i_last_q && !first_q)
               || (state_q.pass && (pass_q.one || pass_q.unit || (pass_q.sub && !is_store_q))));
    step_o.r_top      <= last && state_q.step2 && i_last_q;
    t_index_o         <= t_q;
    mem_t_neg_q <= state_q.pass && pass_q.neg; // all along the row: its words come late
    mem_show_q     <= state_d.get || state_d.put;
    mem_load_en_q  <= in_fire && (WordBits == 32 || half_q || word_end_q);
    mem_load_top_q <= state_q.last && is_load_q;
    step_o.ninv_one   <= pass_end && pass_q.unit;
    step_o.ninv_load  <= pass_end && pass_q.inv_b; // m stays a few cycles longer
    step_o.c_init[0]  <= state_q.pass && (pass_q.one || pass_q.unit || pass_q.cmp
                                          || (pass_q.sub && top_q));
    step_o.c_init[1]  <= state_q.pass && pass_q.inv_b;
  end

  assign memory_o.t_neg    = mem_t_neg_q;
  assign memory_o.show     = mem_show_q;
  assign memory_o.load_en  = mem_load_en_q;
  assign memory_o.load_top = mem_load_top_q;
  assign memory_o.wipe = state_q.wipe;
  assign wipe_addr_o   = rep_q[AddrBits-1:0];
  assign a_slot_o      = a_slot_q;
  assign a_pos_o       = j_q;
  assign b_slot_o      = b_slot_q;
  assign b_pos_o       = i_q;
  assign w_slot_o      = w_slot_q;
  assign show_pos_o    = show_q;
  assign memory_o.half = half_q;

endmodule
