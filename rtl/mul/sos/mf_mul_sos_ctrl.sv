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
  typedef enum logic [3:0] {
    StWipe, StIdle, StDrain, StLoad, StLast, StStep1, StStep2, StPass, StGet, StPut
  } state_e;
  typedef enum logic [2:0] {
    PaOne,  // SlotOne <- 1
    PaUnit, // SlotR <- 1
    PaInvA, // m <- N_0 * N'
    PaInvB, // N' <- (m + 2) * N'
    PaNeg,  // T <- complement of N
    PaCmp,  // top <- s * A >= N
    PaSub   // s * A, less N where top is set
  } pass_e;

  // Rows (StDrain, StStep1, StStep2, StPass) take 6 cycles or more, so what follows a row is
  // decided in registers while it runs: next_q, next_len_q and every *_last_q and *_end_q.
  state_e           state_q, state_d, next_q;
  logic             rowing_q;            // the state is a row
  logic             wipe_end_q;          // last cycle of a wipe
  pass_e            pass_q, next_pass_q;
  mf_pkg::op_e      op_q;
  mf_pkg::slot_t    a_slot_q, b_slot_q, d_slot_q, w_slot_q;
  mf_pkg::slot_t    a_next_q, b_next_q, w_next_q; // of the next row, of the next result
  mf_pkg::status_e  status_q, check_q;
  logic             wipe_q, step1_q, step2_q, pass_on_q, load_q, put_q; // the state, decoded
  len_t             left_q, next_len_q;  // cycles left of this row, and of the next one, less one
  logic             end_q;               // last cycle of a row
  logic             ready_q;
  pos_t             i_q, i_plus_q, j_q;  // row, the next row, word in the row
  pos_t             top_pos_q;           // index of the topmost word, 1 or more
  pos_t             top_less_q;          // that less one
  logic             j_last_q;            // j_q is top_pos_q
  logic [PosBits:0] t_q;                 // index into T
  rep_t             rep_q, rep_next_q;   // repetitions left, the address of a wipe; after the row
  logic             rep_end_q;           // rep_q is 0
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
  logic             bad_words_q, wide_q, zero_q, one_q, odd_q;
  logic             fresh_q;             // no word of this load has come yet
  logic             seen_q, seen_first_q, seen_tail_q;       // loaded_i is new, word 0, topmost

  logic cmd_fire, in_fire, out_fire, word_fire, row_end, row_start, pass_end, store, last, is_mul;
  assign in_ready_o  = load_q;
  assign out_valid_o = put_q;
  assign busy_o      = state_q != StIdle;
  assign status_o    = status_q;
  assign cmd_ready_o = ready_q && !rst_i && !zeroize_i;
  assign cmd_fire    = cmd_valid_i && ready_q; // with a reset the wipe takes it all back
  assign in_fire     = in_valid_i && in_ready_o;
  assign out_fire    = out_ready_i && out_valid_o;
  assign word_fire   = in_fire || out_fire;
  assign row_end     = end_q;
  assign row_start   = cmd_fire || row_end;
  assign pass_end    = pass_on_q && end_q;
  assign store       = op_q == mf_pkg::OpStore;
  assign last        = live_q && j_last_q;
  assign is_mul      = cmd_i.op inside {mf_pkg::OpMul, mf_pkg::OpMul2}; // one lane: as OpMul

  logic unused_cmd;
  assign unused_cmd = ^{cmd_i.dst1, cmd_i.a1};

  // ---- state ----
  always_comb begin
    unique case (state_q)
      StWipe:    state_d = wipe_end_q ? StIdle : StWipe;
      StLoad:    state_d = in_fire && word_end_q ? StLast : StLoad;
      StLast:    state_d = StIdle;
      StGet:     state_d = first_q ? StGet : StPut;
      StPut:     state_d = !out_fire ? StPut : word_end_q ? StLast : StGet;
      default:   state_d = row_end ? next_q : state_q;
    endcase
    if (cmd_fire) state_d = is_mul ? StStep1 : StDrain;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i || zeroize_i) begin
      state_q <= StWipe;
      wipe_q  <= 1'b1;
      {step1_q, step2_q, pass_on_q, load_q, put_q, rowing_q, ready_q, end_q, wipe_end_q} <= '0;
    end else begin
      state_q   <= state_d;
      wipe_q    <= state_d == StWipe;
      step1_q   <= state_d == StStep1;
      step2_q   <= state_d == StStep2;
      pass_on_q <= state_d == StPass;
      load_q    <= state_d == StLoad;
      put_q     <= state_d == StPut;
      rowing_q  <= state_d inside {StDrain, StStep1, StStep2, StPass};
      wipe_end_q <= wipe_q && rep_q == rep_t'(WipeLast - 1);
      end_q     <= rowing_q && left_q == len_t'(1);
      ready_q  <= state_d inside {StIdle, StLast}
               || (state_q == StStep2 && next_q == StIdle && left_q == len_t'(1));
    end
    left_q <= cmd_fire ? (is_mul ? row1_q : len_t'(Drain - 1))
            : row_end ? next_len_q : left_q - len_t'(1);
    unique case (state_q)
      StDrain: next_q <= op_q == mf_pkg::OpLoad ? StLoad
                       : store || check_q == mf_pkg::StatusOk ? StPass : StIdle;
      StStep1: next_q <= i_last_q ? StStep2 : StStep1;
      StStep2: next_q <= !i_last_q ? StStep2
                       : op_q == mf_pkg::OpSetup && !rep_end_q ? StStep1 : StIdle;
      default: next_q <= pass_q != PaSub ? StPass
                       : store ? StGet : rep_end_q && group2_q ? StStep1 : StPass;
    endcase
    unique case (next_q)
      StStep1: next_len_q <= row1_q;
      StStep2: next_len_q <= state_q == StStep2 && i_next_last_q ? row_last_q : row2_q;
      default: next_len_q <= pass_len_q;
    endcase
    unique case (pass_q)
      PaOne:   next_pass_q <= PaUnit;
      PaUnit:  next_pass_q <= PaInvA;
      PaInvA:  next_pass_q <= PaInvB;
      PaInvB:  next_pass_q <= rep_end_q ? PaNeg : PaInvA;
      PaNeg:   next_pass_q <= PaCmp;
      PaCmp:   next_pass_q <= PaSub;
      default: next_pass_q <= PaCmp;
    endcase
    if (state_q != StPass) pass_q <= store ? PaNeg : PaOne;
    else if (end_q)        pass_q <= next_pass_q;
  end

  // ---- lengths: all follow from the active words, over a few cycles of StDrain ----
  function automatic len_t max_of(input pos_t top_pos, input len_t least);
    max_of = len_t'(top_pos) > least ? len_t'(top_pos) : least;
  endfunction
  always_ff @(posedge clk_i) begin
    if (wipe_q) words_q <= len_t'(WordsMax - 1);
    else if (state_q == StDrain && op_q == mf_pkg::OpLoad && d_slot_q == mf_pkg::SlotMod)
      words_q <= norm_q > 16'(WordsMax) ? len_t'(WordsMax - 1) : len_t'(norm_q - 16'd1);
    num_q       <= cmd_fire ? cmd_i.num_words : wipe_q ? '0 : num_q;
    norm_q      <= num_q == '0 ? 16'(WordsMax) : num_q;
    words_up_q  <= 16'(words_q) + 16'd1;
    bad_words_q <= norm_q != words_up_q;
    top_pos_q   <= pos_t'(WordBits == 32 ? words_q + len_t'(1) : (words_q + len_t'(2)) >> 1);
    top_less_q  <= top_pos_q - pos_t'(1);
    row1_q      <= max_of(top_pos_q, len_t'(MinRow - 1));
    row2_q      <= max_of(top_pos_q, len_t'(Drain - 2));
    row_last_q  <= Overlap ? max_of(top_pos_q, len_t'(YLat + 1))
                           : len_t'(top_pos_q) + len_t'(YLat + 1);
    pass_len_q  <= len_t'(top_pos_q) + len_t'(Drain);
  end

  // ---- counters of a row, of repeated rows, and of words ----
  logic row_wrap;
  pos_t i_d;
  assign row_wrap = cmd_fire || i_last_q || !(step1_q || step2_q);
  assign i_d      = row_wrap ? '0 : i_plus_q;
  always_ff @(posedge clk_i) begin
    if (row_start) begin
      i_q      <= i_d;
      i_zero_q <= row_wrap;
    end
    i_plus_q      <= i_q + pos_t'(1);
    i_last_q      <= i_q == top_pos_q;
    i_next_last_q <= i_plus_q == top_pos_q;
    j_q           <= row_start || wipe_q ? '0 : j_q + pos_t'(1);
    j_last_q      <= !row_start && j_q == top_less_q;
    t_q           <= row_start ? (PosBits+1)'(i_d) : t_q + (PosBits+1)'(1);
    first_q       <= row_start || out_fire;
    second_q      <= first_q;
    if (wipe_q) live_q <= 1'b0;
    else if (row_start)    live_q <= cmd_fire ? is_mul : next_q inside {StStep1, StStep2, StPass};
    else if (last)         live_q <= 1'b0;

    if (rst_i || zeroize_i) rep_q <= '0;
    else if (wipe_q)        rep_q <= rep_q + rep_t'(1);
    else if (row_end)       rep_q <= rep_next_q;
    rep_next_q <= rep_q;                                // decided while the row runs
    if (pass_on_q && pass_q == PaUnit) rep_next_q <= rep_t'(LogWord - 1);
    else if (pass_on_q && pass_q == PaInvB && rep_end_q)
      rep_next_q <= rep_t'({top_pos_q, {LogWord{1'b1}}}); // WordBits * B doublings: 1 -> R
    else if (pass_on_q && pass_q == PaSub && rep_end_q)
      rep_next_q <= group2_q ? rep_t'(LogWord - 1) : rep_t'(top_pos_q); // B more: R -> 2^B R
    else if ((step2_q && i_last_q) || (pass_on_q && (pass_q == PaInvB || pass_q == PaSub)))
      rep_next_q <= rep_q - rep_t'(1);
    rep_end_q <= rep_q == '0;
    if (state_q == StDrain)                            group2_q <= 1'b0;
    else if (pass_end && pass_q == PaSub && rep_end_q) group2_q <= 1'b1;

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
    if (wipe_q) begin // slot numbers can depend on a secret exponent
      op_q     <= mf_pkg::OpLoad;
      a_slot_q <= '0;
      b_slot_q <= '0;
      d_slot_q <= '0;
    end else if (cmd_fire) begin
      op_q     <= cmd_i.op;
      a_slot_q <= cmd_i.a0;
      b_slot_q <= cmd_i.b;
      d_slot_q <= cmd_i.dst0;
    end else if (row_end) begin
      a_slot_q <= a_next_q;
      b_slot_q <= b_next_q;
    end
    // Decided while the row runs.
    a_next_q <= a_slot_q;
    b_next_q <= pass_on_q && !store ? mf_pkg::SlotR2 : b_slot_q;
    w_next_q <= d_slot_q;
    if (state_q == StDrain && store) begin // N comes first
      a_next_q <= mf_pkg::SlotMod;
      b_next_q <= a_slot_q;
    end else if (step1_q && i_last_q) begin
      a_next_q <= mf_pkg::SlotMod;
    end else if (step2_q && i_last_q) begin // the next squaring towards R^2
      a_next_q <= mf_pkg::SlotR2;
    end else if (pass_on_q && store) begin
      a_next_q <= b_slot_q;
    end else if (pass_on_q) begin
      unique case (pass_q)
        PaUnit:  a_next_q <= mf_pkg::SlotMod;
        PaInvA:  a_next_q <= mf_pkg::SlotOne;
        PaInvB:  a_next_q <= mf_pkg::SlotMod;
        PaNeg:   a_next_q <= mf_pkg::SlotR;
        PaSub:   a_next_q <= group2_q ? mf_pkg::SlotR2 : mf_pkg::SlotR;
        default: ;
      endcase
    end
    if (op_q == mf_pkg::OpSetup) w_next_q <= group2_q ? mf_pkg::SlotR2
                                           : pass_q == PaOne ? mf_pkg::SlotOne : mf_pkg::SlotR;
    if (memory_o.w_clear) w_slot_q <= w_next_q;
  end
  assign memory_o.w_clear = (second_q && (step2_q || pass_on_q)) || (state_q == StDrain && end_q);

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
    if (wipe_q) {zero_q, one_q, odd_q, wide_q} <= 4'b1000;
    else if (seen_q) begin
      odd_q  <= seen_first_q ? loaded_i[0] : odd_q;
      zero_q <= (seen_first_q || zero_q) && loaded_i == '0;
      one_q  <= seen_first_q ? loaded_i == 32'd1 : one_q && loaded_i == '0;
      wide_q <= seen_tail_q && TailBits != 0 && (loaded_i >> TailBits) != '0;
    end
    check_q <= check;
    if (wipe_q || (seen_q && seen_first_q)) status_q <= mf_pkg::StatusNoModulus;
    else if (state_q == StDrain && end_q && op_q == mf_pkg::OpSetup) status_q <= check_q;
  end

  // ---- the slot, one cycle after its address ----
  logic mem_t_neg_q, mem_show_q, mem_load_en_q, mem_load_top_q;
  always_ff @(posedge clk_i) begin
    step_o.first      <= first_q || wipe_q;
    step_o.last       <= last || wipe_q;
    step_o.m_we       <= wipe_q || (step1_q && i_zero_q && first_q)
               || (step2_q && second_q)
               || (pass_on_q && first_q && (pass_q == PaInvA || pass_q == PaInvB));
    step_o.s_from_b   <= step1_q;
    step_o.s_from_m   <= step2_q || (pass_on_q && pass_q == PaInvB);
    step_o.s_const    <= !pass_on_q || pass_q inside {PaOne, PaUnit, PaInvB} ? 2'd0
               : store || pass_q inside {PaInvA, PaNeg} ? 2'd1 : 2'd2;
    step_o.t_en       <= step2_q || (step1_q && !i_zero_q && !last)
               || (pass_on_q && (pass_q == PaCmp || (pass_q == PaSub && top_i)));
    step_o.top_en     <= last && (step2_q || (step1_q && !i_zero_q));
    step_o.t_we       <= live_q && (!pass_on_q || pass_q == PaNeg || (store && pass_q == PaSub));
    step_o.r_we       <= live_q && ((step2_q && i_last_q && !first_q)
               || (pass_on_q && (pass_q inside {PaOne, PaUnit}
                                         || (pass_q == PaSub && !store))));
    step_o.r_top      <= last && step2_q && i_last_q;
    t_index_o         <= t_q;
    mem_t_neg_q <= pass_on_q && pass_q == PaNeg; // all along the row: its words come late
    mem_show_q     <= state_d inside {StGet, StPut};
    mem_load_en_q  <= in_fire && (WordBits == 32 || half_q || word_end_q);
    mem_load_top_q <= state_q == StLast && op_q == mf_pkg::OpLoad;
    step_o.ninv_one   <= pass_end && pass_q == PaUnit;
    step_o.ninv_load  <= pass_end && pass_q == PaInvB; // m stays a few cycles longer
    unique case (pass_q)
      PaOne, PaUnit, PaCmp: step_o.c_init <= {1'b0, pass_on_q};
      PaInvB:               step_o.c_init <= {pass_on_q, 1'b0};
      PaSub:                step_o.c_init <= {1'b0, pass_on_q && top_i};
      default:              step_o.c_init <= '0;
    endcase
  end

  assign memory_o.t_neg    = mem_t_neg_q;
  assign memory_o.show     = mem_show_q;
  assign memory_o.load_en  = mem_load_en_q;
  assign memory_o.load_top = mem_load_top_q;
  assign memory_o.wipe = wipe_q;
  assign wipe_addr_o   = rep_q[AddrBits-1:0];
  assign a_slot_o      = a_slot_q;
  assign a_pos_o       = j_q;
  assign b_slot_o      = b_slot_q;
  assign b_pos_o       = i_q;
  assign w_slot_o      = w_slot_q;
  assign show_pos_o    = show_q;
  assign memory_o.half = half_q;

endmodule
