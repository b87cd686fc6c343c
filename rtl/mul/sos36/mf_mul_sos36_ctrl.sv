// SPDX-License-Identifier: Apache-2.0
/// Control of mf_mul_sos36: commands become rows of slots, one slot a cycle.
///
/// Source   modfab (README.md beside this file).
/// Model    modfab.models.mul_sos36.
/// Latency  README.md, section Cycles; all lengths come from the active words only, and of a
///          product from whether its two slot numbers are one.
/// Assumes  the engine contract (rtl/mul/README.md).
/// Ensures  no row reads a word before the row that makes it has written it.
module mf_mul_sos36_ctrl #(
  parameter int unsigned NumBits   = 1024, // bits of the widest modulus
  parameter int unsigned NumSlots  = 8,    // slots, 8..128
  parameter bit          LongR     = 0,    // 1: the square of slot 1 takes a product's cycles
  parameter int unsigned NumWords  = 29,   // L at the built width
  parameter int unsigned YLat      = 10,   // cycles from a slot to its y
  parameter int unsigned PosBits   = 5,    // bits of a word position in a slot
  parameter int unsigned SlotBits  = 4,    // bits of a slot's number, the hidden slot among them
  parameter int unsigned CountBits = 6     // bits of a number of 32-bit words less one
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic                 zeroize_i,

  input  logic                 cmd_valid_i,
  output logic                 cmd_ready_o,
  input  mf_pkg::cmd_t         cmd_i,
  output logic                 busy_o,
  output mf_pkg::status_e      status_o,

  // ---- operand address; a cycle later, the data path's slot and its index into T ----
  output logic [SlotBits+PosBits-1:0]   a_addr_o,
  output mf_mul_sos36_pkg::step_t       step_o,
  output logic [PosBits+1:0]            t_index_o,
  output logic                          t_neg_o,     // T takes complements
  input  logic                          sign_i,      // what the last row made is negative

  // ---- memories and words ----
  output logic                          wipe_o,
  output logic [SlotBits+PosBits-1:0]   wipe_addr_o,
  input  logic                          wr_en_i,     // a word is written
  output logic [SlotBits+PosBits-1:0]   wr_addr_o,   // to here
  output logic                          load_o,      // words come in
  output logic                          out_o,       // words go out
  output logic                          out_next_o,
  output logic [CountBits-1:0]          words_o,     // their number less one
  input  logic                          take_i,      // the word of the slot is taken
  input  logic                          load_end_i,
  input  logic                          out_end_i,
  input  mf_mul_sos36_pkg::nibble_t     nibble_i     // of a load
);

  localparam int unsigned RowMin   = 7;              // of step 1, so that T has been written
  localparam int unsigned Drain    = YLat + 3;       // then no value is on its way any more
  localparam int unsigned AddrBits = SlotBits + PosBits;
  localparam int unsigned WipeLast = ((NumSlots + 1) << PosBits) - 1;
  localparam int unsigned LenBits  = $clog2(NumWords + Drain) + 1;

  typedef logic [LenBits-1:0] len_t;
  typedef logic [PosBits-1:0] pos_t;
  // One bit is set, or of row.
  typedef struct packed {
    logic wipe, idle, load, out, last, start;
    mf_mul_sos36_pkg::row_t row;
  } state_t;
  localparam state_t AtWipe = '{wipe: 1'b1, default: '0};

  state_t           state_q, state_d;
  mf_mul_sos36_pkg::row_t row;
  mf_mul_sos36_pkg::next_t next;
  logic             rowing_q;            // the state is a row
  logic             first_q, second_q;   // its first, second cycle
  len_t             left_q;              // cycles left of it, from the second one on
  logic             end_q;               // its last cycle
  logic             ready_q, wipe_end_q;
  logic [AddrBits-1:0] wipe_q;           // address of a wipe
  pos_t             top_pos_q;           // words of a modulus, 1 or more
  pos_t             top_less_q;          // that less one
  logic             one_word_q;          // it is 1
  pos_t             i_q, i_plus_q, i_next_q; // row of step 1 or 2, one more, the next row
  logic             i_zero_q, i_last_q;
  pos_t             j_q, j_next_q;       // word of A, that of the next row's first slot
  logic             j_last_q, j_top_q;   // j_q is top_pos_q, j_next_q is
  logic             take_q;              // a word of a store was taken
  logic             live_q;              // the slot is one of the row's
  logic [PosBits+1:0] t_q, t_next_q;     // index into T, that of the next row's first slot
  pos_t             w_pos_q;             // word of the result
  logic             is_store, is_setup, is_mod, is_square, check_ok_q;
  logic [SlotBits-1:0] a_slot, b_slot, w_slot;
  len_t             row1_q, row2_q, fin_q, pass_q, part_q; // cycles of rows, less two
  logic             part_end_q;          // part_q, of a row of step 1, does not become less

  logic cmd_fire, row_end, to_start, last, slots, one_slot, w_take;
  assign row       = state_q.row;
  assign busy_o    = !state_q.idle;
  assign cmd_ready_o = ready_q && !rst_i && !zeroize_i;
  assign cmd_fire  = cmd_valid_i && ready_q; // with a reset the wipe takes it all back
  assign row_end   = end_q;
  assign to_start  = cmd_fire || (row_end && next.start);
  assign last      = live_q && j_last_q;
  assign one_slot  = row.inv || row.invb;
  assign slots     = row.step || row.fix || row.one; // rows whose words all become a slot's
  assign w_take    = (second_q && (row.fin || slots || row.x1 || row.invb || row.mh))
                     || (row.drain && row_end);

  mf_mul_sos36_next #(
    .SlotBits (SlotBits),
    .Hidden   (NumSlots),
    .PosBits  (PosBits),
    .LongR    (LongR)
  ) u_next (
    .clk_i,
    .wipe_i      (state_q.wipe),
    .cmd_fire_i  (cmd_fire),
    .cmd_i,
    .row_end_i   (row_end),
    .row_i       (row),
    .start_i     (state_q.start),
    .i_last_i    (i_last_q),
    .one_word_i  (one_word_q),
    .check_ok_i  (check_ok_q),
    .top_pos_i   (top_pos_q),
    .w_take_i    (w_take),
    .next_o      (next),
    .is_store_o  (is_store),
    .is_setup_o  (is_setup),
    .is_mod_o    (is_mod),
    .is_square_o (is_square),
    .a_slot_o    (a_slot),
    .b_slot_o    (b_slot),
    .w_slot_o    (w_slot)
  );

  // ---- state: a command is accepted in idle, in last, and in the last cycle of a product ----
  always_comb begin
    state_d.wipe  = state_q.wipe && !wipe_end_q;
    state_d.idle  = (state_q.wipe && wipe_end_q)
                    || (!cmd_fire && (state_q.idle || state_q.last || (row_end && next.idle)));
    state_d.start = to_start;
    state_d.load  = (row_end && next.load) || (state_q.load && !load_end_i);
    state_d.out   = (row_end && next.out) || (state_q.out && !out_end_i);
    state_d.last  = (state_q.load && load_end_i) || (state_q.out && out_end_i);
    state_d.row   = row_end ? next.row : row;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i || zeroize_i) begin
      state_q <= AtWipe;
      {rowing_q, ready_q, end_q, wipe_end_q} <= '0;
      wipe_q  <= '0;
    end else begin
      state_q    <= state_d;
      rowing_q   <= to_start || (row_end ? |next.row : rowing_q);
      end_q      <= to_start || (rowing_q && !end_q && !first_q && left_q == len_t'(1));
      ready_q    <= state_d.idle || state_d.last
                    || (row.fin && next.idle && !first_q && left_q == len_t'(1));
      wipe_end_q <= state_q.wipe && wipe_q == AddrBits'(WipeLast - 1);
      wipe_q     <= state_q.wipe ? wipe_q + AddrBits'(1) : '0;
    end
    first_q  <= row_end;
    second_q <= first_q;
    left_q   <= !first_q ? left_q - len_t'(1)
              : row.step1 ? part_q : row.step2 ? row2_q : row.fin ? fin_q
              : row.inv ? len_t'(YLat - 2) : row.drain ? len_t'(Drain - 2) : pass_q;
  end

  // ---- lengths of rows ----
  function automatic len_t max_of(input pos_t top_pos, input len_t least);
    max_of = len_t'(top_pos) > least ? len_t'(top_pos) - len_t'(1) : least - len_t'(1);
  endfunction
  always_ff @(posedge clk_i) begin
    if (state_q.wipe)                       top_pos_q <= pos_t'(NumWords);
    else if (is_mod && row.drain)           top_pos_q <= '0;
    else if (is_mod && state_q.load && wr_en_i) top_pos_q <= top_pos_q + pos_t'(1);
    top_less_q <= top_pos_q - pos_t'(1);
    one_word_q <= top_pos_q == pos_t'(1);
    // The only row of one word waits for its m. What ends a product waits for its second word.
    row1_q <= top_pos_q == pos_t'(1) ? len_t'(YLat - 2) : max_of(top_pos_q, len_t'(RowMin - 1));
    row2_q <= max_of(top_pos_q, len_t'(YLat - 1));
    fin_q  <= max_of(top_pos_q, len_t'(YLat + 1));
    pass_q <= len_t'(top_pos_q) + len_t'(Drain - 2);
    part_end_q <= !is_square || part_q == len_t'(RowMin - 2) || one_word_q;
    if (state_q.start)             part_q <= row1_q;
    else if (row_end && !part_end_q) part_q <= part_q - len_t'(1);
  end

  // ---- counters of a row ----
  always_ff @(posedge clk_i) begin
    if (row_end) i_q <= i_next_q;
    i_zero_q <= row_end ? state_q.start : i_zero_q;
    i_plus_q <= to_start ? '0 : i_q + pos_t'(1);
    i_next_q <= to_start ? '0 : row.step1 && i_last_q ? (one_word_q ? '0 : pos_t'(1))
              : row.step1 || (row.step2 && !i_last_q) ? i_plus_q : i_q;
    i_last_q <= i_q == top_less_q;

    j_next_q <= to_start ? '0 : next.row.inv || next.row.invb ? top_pos_q
              : is_square && next.row.step1 ? i_next_q : '0;
    j_top_q  <= !to_start && (next.row.inv || next.row.invb);
    j_q      <= row_end ? j_next_q : state_q.wipe ? '0
              : state_q.out ? j_q + pos_t'(take_q) : j_q + pos_t'(1);
    take_q   <= take_i; // the next word is taken 9 cycles later
    j_last_q <= row_end ? j_top_q : j_q == top_less_q;
    live_q   <= !state_q.wipe
                && (row_end ? |next.row && !next.row.drain : live_q && !last);
    t_next_q <= to_start ? '0
              : next.row.step1 && is_square ? {1'b0, i_next_q, 1'b0}
              : next.row.step1 || next.row.step2 || next.row.fin ? {2'b0, i_next_q}
              : {1'b1, next.row.neg || (next.row.step && !sign_i), pos_t'(0)};
    t_q      <= row_end ? t_next_q : state_q.wipe ? '0 : t_q + (PosBits+2)'(1);

    if (w_take || state_q.wipe) w_pos_q <= row.x1 || row.invb ? top_pos_q : '0;
    else if (wr_en_i)           w_pos_q <= w_pos_q + pos_t'(1);
  end

  // ---- number of words, status ----
  mf_mul_sos36_check #(.NumBits(NumBits), .CountBits(CountBits)) u_check (
    .clk_i,
    .wipe_i      (state_q.wipe),
    .cmd_fire_i  (cmd_fire),
    .num_words_i (cmd_i.num_words),
    .drain_i     (row.drain),
    .drain_end_i (row.drain && row_end),
    .is_mod_i    (is_mod),
    .is_setup_i  (is_setup),
    .nibble_i,
    .words_o,
    .check_ok_o  (check_ok_q),
    .status_o
  );

  // ---- the slot, one cycle after its address ----
  always_ff @(posedge clk_i) begin
    step_o.first      <= first_q || state_q.wipe;
    step_o.last       <= last || state_q.wipe;
    step_o.zero       <= (last && !one_slot) || state_q.wipe;
    step_o.twice      <= is_square && row.step1 && !first_q;
    step_o.s_from_a   <= row.step1;
    step_o.s_from_m   <= row.step2 || row.inv || row.fin || row.inva || row.invb || row.mh;
    step_o.s_const[0] <= row.x1 || row.neg || row.pos || row.fix || (row.step && is_store);
    step_o.s_const[1] <= row.step && is_setup;
    step_o.t_en       <= row.step2 || row.fin || (row.step1 && !i_zero_q && !last) || row.step
                         || (row.fix && sign_i);
    step_o.c_init[0]  <= row.mh || row.one || (row.step && !sign_i);
    step_o.c_init[1]  <= row.x1 || row.inva;
    step_o.top_en     <= last && row.step2;
    step_o.t_we       <= live_q && (row.step1 || row.step2 || ((row.neg || row.pos) && !last));
    step_o.r_we       <= live_q && (((row.fin || row.mh) && !first_q) || (slots && !last)
                                    || ((row.x1 || row.invb) && first_q));
    step_o.sign_we    <= (live_q && (row.step || row.one) && !last) || state_q.wipe;
    step_o.sign_clr   <= row.drain;
    step_o.m_we       <= state_q.wipe || (first_q && ((row.step1 && i_zero_q) || row.step2
                         || row.inv || row.x1 || row.inva || row.invb));
    t_index_o         <= t_q;
    t_neg_o           <= row.neg; // all along the row: its words come late
  end

  // In the last cycle of a row the word of B of the next row is read.
  assign a_addr_o    = end_q ? {b_slot, i_plus_q} : {a_slot, j_q};
  assign wipe_o      = state_q.wipe;
  assign wipe_addr_o = wipe_q;
  assign wr_addr_o   = {w_slot, w_pos_q};
  assign load_o      = state_q.load;
  assign out_o       = state_q.out;
  assign out_next_o  = is_store;

endmodule
