// SPDX-License-Identifier: Apache-2.0
/// What follows a row of mf_mul_sos36: the next kind of row, its operand slots and the repetitions
/// left. All is decided in registers while the row runs, since rows take 7 cycles or more.
///
/// Source   modfab (README.md beside this file, section Set-up).
/// Model    modfab.models.mul_sos36.
/// Latency  next_o follows the row's kind by one cycle, slots and repetitions by two.
/// Assumes  row_end_i is not high in the first 4 cycles of a row, a start alone excepted.
/// Ensures  the order of rows depends on the command and on the active words only.
module mf_mul_sos36_next #(
  parameter int unsigned SlotBits = 4,  // bits of a slot's number, the hidden slot among them
  parameter int unsigned Hidden   = 8,  // number of the hidden slot: mh, and N' above it
  parameter int unsigned PosBits  = 5,  // bits of a word position in a slot
  parameter bit          LongR    = 0   // 1: the square of slot 1 takes a product's cycles
) (
  input  logic                       clk_i,
  input  logic                       wipe_i,
  input  logic                       cmd_fire_i,
  input  mf_pkg::cmd_t               cmd_i,
  input  logic                       row_end_i,
  input  mf_mul_sos36_pkg::row_t     row_i,
  input  logic                       start_i,    // the row is a command's first cycle
  input  logic                       i_last_i,   // last of the rows of step 1, of step 2
  input  logic                       one_word_i, // a modulus has one word
  input  logic                       check_ok_i, // it can be a modulus
  input  logic [PosBits-1:0]         top_pos_i,  // words of a modulus
  input  logic                       w_take_i,   // w_slot_o is that of this row from here on

  output mf_mul_sos36_pkg::next_t    next_o,
  output logic                       is_store_o,
  output logic                       is_setup_o,
  output logic                       is_mod_o,   // a load of the modulus
  output logic                       is_square_o,
  output logic [SlotBits-1:0]        a_slot_o,   // of the row
  output logic [SlotBits-1:0]        b_slot_o,
  output logic [SlotBits-1:0]        w_slot_o    // of the results that come
);

  localparam int unsigned RepBits = PosBits + 6; // 36 * L - 1 < 2^(PosBits + 6)
  typedef logic [SlotBits-1:0] slot_t;
  typedef logic [RepBits-1:0]  rep_t;

  mf_mul_sos36_pkg::next_t next_q;
  logic  is_load_q, is_store_q, is_setup_q, is_mod_q, is_square_q;
  logic  more_q;              // R is made; the rest is for R^2
  slot_t a0_q, b_q, d_q;      // slots of the command; a set-up's are all SlotR2
  slot_t a_slot_q, a_next_q, w_slot_q, w_next_q;
  rep_t  rep_q, rep_next_q, rep_less_q, nine_q; // repetitions left; nine_q is 9 * L
  logic  rep_end_q;           // none
  logic  rep_dec, to_start;

  assign to_start = cmd_fire_i || (row_end_i && next_q.start);
  assign rep_dec  = row_i.invb || row_i.step || row_i.fin;

  logic unused_cmd; // one lane, and a number of words that ctrl takes
  assign unused_cmd = ^{cmd_i.dst1, cmd_i.a1, cmd_i.num_words};

  logic is_mul;
  assign is_mul = cmd_i.op inside {mf_pkg::OpMul, mf_pkg::OpMul2}; // one lane: as OpMul

  always_ff @(posedge clk_i) begin
    if (wipe_i) begin // slot numbers can depend on a secret exponent
      {is_load_q, is_store_q, is_setup_q, is_mod_q, is_square_q, more_q} <= '0;
      a0_q <= '0;
      b_q  <= '0;
      d_q  <= '0;
    end else if (cmd_fire_i) begin
      is_load_q   <= cmd_i.op == mf_pkg::OpLoad;
      is_store_q  <= cmd_i.op == mf_pkg::OpStore;
      is_setup_q  <= cmd_i.op == mf_pkg::OpSetup;
      is_mod_q    <= cmd_i.op == mf_pkg::OpLoad && cmd_i.dst0 == mf_pkg::SlotMod;
      is_square_q <= cmd_i.op == mf_pkg::OpSetup
                     || (cmd_i.a0 == cmd_i.b && !(LongR && cmd_i.a0 == mf_pkg::SlotR));
      a0_q <= cmd_i.op == mf_pkg::OpSetup ? slot_t'(mf_pkg::SlotR2) : slot_t'(cmd_i.a0);
      b_q  <= cmd_i.op == mf_pkg::OpSetup ? slot_t'(mf_pkg::SlotR2) : slot_t'(cmd_i.b);
      d_q  <= cmd_i.op == mf_pkg::OpSetup ? slot_t'(mf_pkg::SlotR2)
            : cmd_i.op == mf_pkg::OpStore ? slot_t'(cmd_i.a0) : slot_t'(cmd_i.dst0);
      more_q <= 1'b0;
    end else if (row_end_i && row_i.fix) more_q <= 1'b1;

    next_q <= '0;
    if (to_start) begin
      next_q.row.step1 <= !cmd_fire_i || is_mul;
      next_q.row.drain <= cmd_fire_i && !is_mul;
    end else if (!start_i) begin
      next_q.load      <= row_i.drain && is_load_q;
      next_q.out       <= row_i.fix && is_store_q;
      next_q.idle      <= (row_i.drain && is_setup_q && !check_ok_i)
                          || (row_i.fin && !(is_setup_q && !rep_end_q));
      next_q.start     <= (row_i.fix && !is_store_q && more_q)
                          || (row_i.fin && is_setup_q && !rep_end_q);
      next_q.row.step1 <= row_i.step1 && !i_last_i;
      next_q.row.step2 <= (row_i.step1 && i_last_i && !one_word_i) || (row_i.step2 && !i_last_i);
      next_q.row.inv   <= (row_i.step1 && i_last_i && one_word_i) || (row_i.step2 && i_last_i);
      next_q.row.fin   <= row_i.inv;
      next_q.row.x1    <= row_i.drain && is_setup_q && check_ok_i;
      next_q.row.inva  <= row_i.x1 || (row_i.invb && !rep_end_q);
      next_q.row.invb  <= row_i.inva;
      next_q.row.mh    <= row_i.invb && rep_end_q;
      next_q.row.neg   <= row_i.mh;
      next_q.row.pos   <= row_i.neg;
      next_q.row.one   <= row_i.pos;
      next_q.row.step  <= (row_i.drain && is_store_q) || row_i.one || (row_i.step && !rep_end_q)
                          || (row_i.fix && !is_store_q && !more_q);
      next_q.row.fix   <= row_i.step && rep_end_q;
    end

    // N' has 2, 4, .. 64 right bits; 36 L doublings make R, 9 L more and two squares R^2.
    nine_q     <= {3'd0, top_pos_i, 3'd0} + rep_t'(top_pos_i);
    rep_less_q <= rep_q - rep_t'(1);
    rep_end_q  <= rep_q == '0;
    rep_next_q <= row_i.drain ? rep_t'(1) : row_i.x1 ? rep_t'(4)
                : row_i.one ? {nine_q[RepBits-3:0], 2'b00} - rep_t'(1)
                : row_i.fix ? (more_q ? rep_t'(1) : nine_q - rep_t'(1))
                : rep_dec ? rep_less_q : rep_q;
    if (row_end_i && !start_i) rep_q <= rep_next_q;

    // A: the first operand, mh or N', the modulus, and 1 for the first doubling.
    if (row_i.one)                                      a_next_q <= slot_t'(mf_pkg::SlotOne);
    else if (next_q.row.step2 || next_q.row.inv || next_q.row.invb) a_next_q <= slot_t'(Hidden);
    else if (next_q.row.step1 || next_q.row.step || next_q.row.fix || next_q.out) a_next_q <= a0_q;
    else                                                a_next_q <= slot_t'(mf_pkg::SlotMod);
    if (row_end_i || wipe_i) a_slot_q <= start_i || wipe_i ? a0_q : a_next_q;

    // The result: words of a product come when the next command may be here.
    w_next_q <= row_i.x1 || row_i.invb || row_i.mh ? slot_t'(Hidden)
              : row_i.one ? slot_t'(mf_pkg::SlotOne)
              : row_i.fix && is_setup_q && !more_q ? slot_t'(mf_pkg::SlotR) : d_q;
    if (w_take_i || wipe_i) w_slot_q <= w_next_q;
  end

  assign next_o      = next_q;
  assign is_store_o  = is_store_q;
  assign is_setup_o  = is_setup_q;
  assign is_mod_o    = is_mod_q;
  assign is_square_o = is_square_q;
  assign a_slot_o    = a_slot_q;
  assign b_slot_o    = b_q;
  assign w_slot_o    = w_slot_q;

endmodule
