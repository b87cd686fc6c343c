// SPDX-License-Identifier: Apache-2.0
/// Commands to the program of the array's element 0. A command takes a fixed number of cycles.
///
/// x counts a command's cycles, y those from its first table phase on. Tables are filled first:
/// entry c at x = c - 1. Steps of lane L have their table phase at y = 2i + L and their sum phase a
/// cycle later, i = 0 .. NumDigits; a product begins them while its last two multiples are still
/// being made (mf_mul_systolic_head). README.md has the diagram.
///
/// The program leaves through registers, a cycle behind x and y, with out_en, neg_en and neg_start
/// of units_o, so that no counter is in a path of the array.
///
/// Source   [BLUM01] section 4; deviations in README.md beside this file.
/// Model    modfab.models.mul_systolic_array (product_program and those beside it).
/// Latency  product: 2 * NumDigits + 2^RadixBits (+ 2 if RadixBits = 1); others in the catalogue.
/// Assumes  the engine contract (rtl/mul/README.md).
/// Ensures  the engine contract, with the array, the word units and mf_mul_systolic_neg.
module mf_mul_systolic_seq #(
  parameter int unsigned NumBits   = 256, // bits of the modulus
  parameter int unsigned NumSlots  = 8,   // slots of the contract
  parameter int unsigned RadixBits = 4,   // bits of a digit, 1..6
  parameter int unsigned NumDigits = 66,  // digits of an operand
  parameter int unsigned ElementBits = 1, // as of the array
  localparam int unsigned AddrBits  = $clog2(NumSlots + 1),
  localparam int unsigned IndexBits = $clog2(NumDigits + 1),
  localparam int unsigned NumWords  = mf_pkg::words_of(NumBits),
  localparam int unsigned WordBits  = $clog2(NumWords < 2 ? 2 : NumWords)
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic                 zeroize_i,
  input  logic                 cmd_valid_i,
  output logic                 cmd_ready_o,
  input  mf_pkg::cmd_t         cmd_i,
  output logic                 busy_o,
  output mf_pkg::status_e      status_o,

  // ---- word units and normaliser ----
  output mf_mul_systolic_pkg::units_t   units_o,
  output logic [WordBits-1:0]  wipe_word_o, // word of the output unit to wipe
  input  logic                 in_valid_i,
  input  logic [RadixBits-1:0] in_digit_i,
  input  logic                 in_done_i,
  input  mf_pkg::modulus_t     modulus_i,
  input  logic                 out_done_i,
  input  logic [IndexBits-1:0] neg_shift_i,
  input  logic [RadixBits-1:0] neg_digit_i,

  // ---- the array; meaning as there ----
  output mf_mul_systolic_pkg::element_t element_o,
  output mf_mul_systolic_pkg::source_t  source_o,
  output logic [AddrBits-1:0]  rd_addr_o,
  output logic [AddrBits-1:0]  inj_addr_o,
  output logic [AddrBits-1:0]  wr_addr_o,
  output logic [RadixBits-1:0] tab_addr_o,
  output logic [RadixBits-1:0] a_const_o,
  output logic                 carry_o
);

  localparam int unsigned Entries    = 1 << RadixBits;
  localparam int unsigned FillLast   = Entries - 2;                       // x of the last entry
  localparam int unsigned MulStart   = RadixBits == 1 ? 1 : Entries - 3;  // x of y = 0
  localparam int unsigned StoreStart = Entries - 1;
  localparam int unsigned StepsLast  = 2 * NumDigits + 2;                 // y of the last sum phase
  localparam int unsigned NegLast    = 2 * NumDigits + 5;
  localparam int unsigned HatLast    = FillLast + 5;
  localparam int unsigned WipeTables = 2;                                 // x of the first entry
  localparam int unsigned WipeSlots  = Entries + 5;                       // x of the first slot
  localparam int unsigned WipeLast   = WipeSlots + (1 << AddrBits) + 2 * NumDigits + 5;
  localparam int unsigned CountBits  = $clog2(WipeLast + Entries + 1);
  localparam int unsigned RBits      = RadixBits * NumDigits;             // log2 of the array's R
  localparam int unsigned ChainBits  = $clog2(RBits + 1);                 // bits of that number
  localparam int unsigned BitBits    = $clog2(ChainBits);
  localparam logic [ChainBits-1:0] Chain = ChainBits'(RBits);

  typedef logic [CountBits-1:0] count_t;
  typedef logic [AddrBits-1:0]  addr_t;
  typedef logic [RadixBits-1:0] digit_t;

  // Slots in the array. 1, R and R^2 of the contract are one value, since its R is 1.
  localparam addr_t SlotOne  = addr_t'(0);        // the array's R mod M
  localparam addr_t SlotR2   = addr_t'(1);        // its R^2; M^ for a while during set-up
  localparam addr_t SlotNeg  = addr_t'(2);        // -M
  localparam addr_t SlotMod  = addr_t'(3);        // M
  localparam addr_t SlotTemp = addr_t'(NumSlots); // read-out; 2R during set-up

  typedef struct packed { // one bit is set
    logic wipe, idle, load, load_end, check, neg, hat, fill_m, mul, store, out;
  } state_t;
  localparam state_t AtWipe = '{wipe: 1'b1, default: 1'b0};

  state_t               state_q, state_d;
  logic                 restart, cmd_fire, ready;
  count_t               x_q, y_q, near, near_q; // near: x of the last cycle but one
  logic                 end_q, final_q;    // last cycle of the state, of the command
  logic                 y_on_q;
  logic                 new_q;             // first cycle of the state
  addr_t                a0_q, a1_q, b_q, dst0_q, dst1_q;
  logic                 two_q, mod_q, load_q;
  logic                 neg_digit_q; // set-up: a digit comes in the next cycle
  logic                 neg_last_q;  // the cycle before was of set-up's passes
  logic                 bad_words_q;       // of the command accepted in the cycle before
  logic [1:0]           pass_q, neg_pass_q;
  logic                 chain_q, times_q;  // set-up's products; it is the product with 2R
  logic [BitBits-1:0]   bit_q;
  logic                 bit_one_q, bit_end_q; // Chain[bit_q]; bit_q is 0; a cycle late
  logic                 chain_last_q;      // no product of set-up's chain follows
  mf_pkg::status_e      status_q, check;

  function automatic addr_t slot_of(input mf_pkg::slot_t slot);
    slot_of = slot < mf_pkg::SlotMod ? SlotOne : addr_t'(slot);
  endfunction

  mf_modulus_check u_check (
    .bad_words_i (bad_words_q),
    .modulus_i,
    .status_o    (check)
  );

  // ---- states ----
  // end_q is computed one cycle early, so a timed state lasts at least two cycles; StFillM with
  // RadixBits = 1 is the exception. Load waits for words and out for the reader: not timed.
  logic timed;
  assign timed = state_q.wipe || state_q.neg || state_q.hat || state_q.fill_m || state_q.mul
                 || state_q.store;
  always_comb begin
    near = count_t'(StoreStart + StepsLast - 1);
    if (state_q.wipe)   near = count_t'(WipeLast - 1);
    if (state_q.neg)    near = count_t'(NegLast - 1);
    if (state_q.hat)    near = count_t'(HatLast - 1);
    if (state_q.fill_m) near = count_t'(FillLast == 0 ? 0 : FillLast - 1);
    if (state_q.mul)    near = count_t'(MulStart + StepsLast - 1);
  end

  logic filled, neg_done, check_ok; // ends of states
  assign filled   = state_q.fill_m && (end_q || FillLast == 0);
  assign neg_done = state_q.neg && end_q && pass_q == 2'd2;
  assign check_ok = check == mf_pkg::StatusOk;
  always_comb begin
    state_d.wipe     = state_q.wipe && !end_q;
    state_d.load     = (cmd_fire && cmd_i.op == mf_pkg::OpLoad) || (state_q.load && !in_done_i);
    state_d.load_end = state_q.load && in_done_i;
    state_d.check    = cmd_fire && cmd_i.op == mf_pkg::OpSetup;
    state_d.neg      = (state_q.check && check_ok) || (state_q.neg && !neg_done);
    state_d.hat      = neg_done || (state_q.hat && !end_q);
    state_d.fill_m   = (state_q.hat && end_q) || (state_q.fill_m && !filled);
    state_d.mul      = (cmd_fire && !(cmd_i.op inside {mf_pkg::OpLoad, mf_pkg::OpSetup,
                                                       mf_pkg::OpStore}))
                       || filled || (state_q.load_end && !mod_q) || (state_q.mul && !final_q);
    state_d.store    = (cmd_fire && cmd_i.op == mf_pkg::OpStore) || (state_q.store && !end_q);
    state_d.out      = (state_q.store && end_q) || (state_q.out && !out_done_i);
    state_d.idle     = !cmd_fire && (ready || (state_q.wipe && end_q)
                                     || (state_q.check && !check_ok));
  end
  assign ready       = state_q.idle || final_q || (state_q.load_end && mod_q)
                       || (state_q.out && out_done_i);
  assign restart     = cmd_fire || end_q || state_q.load_end || state_q.check || filled
                       || (state_q.load && in_done_i) || (state_q.out && out_done_i);
  assign cmd_ready_o = ready && !rst_i && !zeroize_i;
  assign cmd_fire    = cmd_valid_i && ready; // with a reset the wipe takes it all back
  assign busy_o      = !state_q.idle;
  assign status_o    = status_q;

  // Comparisons of a counter are registered a cycle early, out of the array's paths.
  logic start_q;                           // x is that of y_start, if that is not 0
  logic y0_q, y1_q, y2_q, y_new_q, y_old_q; // y is 0, 1, 2, StepsLast - 1, StepsLast
  logic digits_q, later_q;                 // y is 1 .. 2 * NumDigits; 3 or more
  logic shift_q;                           // set-up: x is 2 * neg_shift + 2
  logic filling_q, fill_last_q, behind_q;  // x is 0 .. FillLast, FillLast, FillLast + 1
  logic [5:0] age_q;                       // bit n: x is above n
  logic y_start, y_digits;
  assign y_start  = (state_q.mul && (MulStart == 1 ? new_q : start_q))
                    || (state_q.store && (StoreStart == 1 ? new_q : start_q));
  assign y_digits = y_on_q && y_q == count_t'(2 * NumDigits);
  always_ff @(posedge clk_i) begin
    start_q  <= (state_q.mul && x_q == count_t'(MulStart - 2))
                || (state_q.store && x_q == count_t'(StoreStart - 2));
    shift_q  <= state_q.neg && x_q == count_t'({neg_shift_i, 1'b1}); // never in its last cycle
    y0_q     <= y_start;
    y1_q     <= y0_q;
    y2_q     <= y1_q;
    y_new_q  <= y_digits;
    y_old_q  <= y_new_q;
    digits_q <= y0_q || (digits_q && !y_digits);
    later_q  <= y2_q || later_q;
    if (rst_i || zeroize_i || end_q)
      {start_q, y0_q, y1_q, y2_q, y_new_q, y_old_q, digits_q, later_q} <= '0;
    fill_last_q <= restart ? FillLast == 0 : x_q == count_t'(FillLast - 1);
    filling_q   <= restart || (filling_q && !fill_last_q);
    behind_q    <= fill_last_q && !restart;
    age_q       <= restart || rst_i || zeroize_i ? '0 : {age_q[4:0], 1'b1};
  end

  always_ff @(posedge clk_i) begin
    new_q <= 1'b0;
    x_q   <= x_q + count_t'(1);
    y_q   <= y_q + count_t'(1);
    near_q  <= near;
    end_q   <= timed && !new_q && x_q == near_q && !rst_i && !zeroize_i;
    final_q <= state_q.mul && chain_last_q && !new_q && x_q == near_q && !rst_i && !zeroize_i;
    if (y_start) begin
      y_on_q <= 1'b1;
      y_q    <= '0;
    end
    if (rst_i || zeroize_i || restart) begin
      new_q   <= 1'b1;
      x_q     <= '0;
      y_on_q  <= 1'b0;
    end
    state_q <= rst_i || zeroize_i ? AtWipe : state_d;
    if (state_q.wipe || (state_q.load_end && mod_q)) status_q <= mf_pkg::StatusNoModulus;
    else if (state_q.check && !check_ok)             status_q <= check;
    else if (final_q && chain_q)                     status_q <= mf_pkg::StatusOk;
  end

  logic times_d; // the next product of the chain is that with 2R
  // ---- operands of the product; set-up's chain: 2R, squared, times 2R where RBits has a one ----
  always_ff @(posedge clk_i) begin
    neg_digit_q <= state_q.neg && !x_q[0] && age_q[5];
    neg_last_q  <= state_q.neg;
    neg_pass_q  <= pass_q;
    load_q      <= state_q.load ? in_valid_i : neg_digit_q; // set-up: into the pass behind, too
    if (state_q.wipe) begin // slot numbers can depend on a secret exponent
      {a0_q, a1_q, b_q, dst0_q, dst1_q} <= '0;
      {two_q, mod_q, chain_q, pass_q}       <= '0;
    end else if (cmd_fire) begin
      a0_q        <= slot_of(cmd_i.op == mf_pkg::OpLoad ? cmd_i.dst0 : cmd_i.a0);
      b_q         <= cmd_i.op == mf_pkg::OpLoad ? SlotR2 : slot_of(cmd_i.b);
      a1_q        <= slot_of(cmd_i.a1);
      dst0_q      <= slot_of(cmd_i.dst0);
      dst1_q      <= slot_of(cmd_i.dst1);
      two_q       <= cmd_i.op == mf_pkg::OpMul2;
      mod_q       <= cmd_i.op == mf_pkg::OpLoad && cmd_i.dst0 == mf_pkg::SlotMod;
      chain_q     <= 1'b0;
      pass_q      <= 2'd0;
    end else if (state_q.neg) begin
      if (end_q) pass_q <= pass_q + 2'd1;
    end else if (state_q.fill_m) begin
      chain_q <= 1'b1;
      a0_q    <= SlotTemp;
      b_q     <= SlotTemp;
      dst0_q  <= SlotR2;
    end else if (end_q && state_q.mul) begin
      a0_q    <= SlotR2;
      b_q     <= times_d ? SlotTemp : SlotR2;
    end
    // Only set-up's chain reads these.
    if (state_q.wipe || state_q.fill_m) times_q <= 1'b0;
    else if (end_q && state_q.mul)      times_q <= times_d;
    if (state_q.fill_m)                             bit_q <= BitBits'(ChainBits - 2);
    else if (end_q && state_q.mul && !times_d)      bit_q <= bit_q - BitBits'(1);
    bit_one_q    <= Chain[bit_q]; // a product is longer than a cycle
    bit_end_q    <= bit_q == '0;
    chain_last_q <= !chain_q || (bit_end_q && (times_q || !Chain[0]));
    bad_words_q  <= cmd_i.num_words != '0 && cmd_i.num_words != 16'(NumWords);
  end
  assign times_d = !times_q && bit_one_q;

  // ---- word units ----
  logic out_en_q, neg_en_q, neg_start_q, neg_q, arm_q;
  always_ff @(posedge clk_i) begin
    out_en_q    <= state_q.out && x_q[0];
    neg_en_q    <= state_q.neg && !x_q[0] && age_q[3];
    neg_start_q <= arm_q;
    arm_q       <= state_q.neg && new_q; // the pass before loads its last digit meanwhile
    neg_q       <= neg_last_q;
    wipe_word_o <= x_q < count_t'(NumWords) ? WordBits'(x_q) : '0;
  end
  assign units_o = '{
    in_run:    state_q.load,
    in_note:   mod_q,
    out_start: state_q.store,
    out_en:    out_en_q,
    neg_start: neg_start_q,
    neg_en:    neg_en_q,
    neg_pass:  pass_q,
    wipe:      state_q.wipe
  };

  // ---- the program ----
  mf_mul_systolic_pkg::element_t element;
  mf_mul_systolic_pkg::source_t  source;
  logic   later, wipe_table_q, wipe_slot_q, hat_end;
  addr_t  src, inj_src, wr_addr;
  digit_t a_const, const_q;
  assign hat_end = state_q.hat && end_q;
  always_ff @(posedge clk_i) begin // a cycle early
    wipe_table_q <= state_q.wipe && x_q >= count_t'(WipeTables - 1)
                    && x_q < count_t'(WipeTables + Entries - 1);
    wipe_slot_q  <= state_q.wipe && x_q >= count_t'(WipeSlots - 1)
                    && x_q < count_t'(WipeSlots + (1 << AddrBits) - 1)
                    && addr_t'(x_q + count_t'(1)) <= SlotTemp;
  end
  always_comb begin
    later = (state_q.mul || state_q.store) && later_q; // sum phases after the first step

    src = SlotMod;
    if (state_q.mul)    src = b_q;
    if (state_q.fill_m) src = SlotR2;
    if (state_q.store)  src = fill_last_q ? SlotOne : behind_q ? a0_q : SlotNeg;
    element.fill    = ((state_q.mul || state_q.hat || state_q.fill_m || state_q.store) && filling_q)
                      || (state_q.store && behind_q);
    element.first   = element.fill && (new_q || (state_q.store && (fill_last_q || behind_q)));
    element.we_b    = wipe_table_q || ((state_q.mul || state_q.hat || state_q.store) && filling_q);
    element.we_m    = wipe_table_q || state_q.fill_m;
    source.find_mu  = state_q.hat && filling_q;

    source.inj_lane = state_q.mul && y0_q; // lane 0 is read in the cycle before
    element.inj     = (state_q.mul && (y_start || (two_q && y0_q)))
                      || (state_q.store && y_old_q) || (state_q.neg && shift_q);
    inj_src         = SlotMod;
    if (state_q.mul)   inj_src = y_start ? a0_q : a1_q;
    if (state_q.store) inj_src = SlotTemp;

    source.a_stream = state_q.mul && (y_start || y0_q || digits_q);
    source.quot     = (state_q.mul || state_q.store) && digits_q;
    source.a_quot   = state_q.store;
    source.a_mu     = state_q.hat && behind_q;
    a_const         = (state_q.load ? in_digit_i : '0) // ct-ok: gates
                      | {RadixBits{state_q.store && y_start}};

    element.clear   = !later && !hat_end;
    element.late    = state_q.store && (later || y1_q);
    element.arm     = (new_q && state_q.load) || arm_q;
    element.ld      = load_q && !state_q.wipe;

    // Elements of several digits may still wait for those of a load that was cut off.
    element.wr      = wipe_slot_q || (ElementBits > 1 && state_q.wipe && new_q) || hat_end
                      || ((state_q.mul || state_q.store) && (y_new_q || (two_q && y_old_q)));
    wr_addr = state_q.mul && y_old_q ? dst1_q : dst0_q;
    if (state_q.wipe)  wr_addr = addr_t'(x_q);
    if (state_q.hat)   wr_addr = SlotR2;
    if (state_q.store) wr_addr = SlotTemp;
    if (neg_last_q)    wr_addr = neg_pass_q == 2'd0 ? SlotNeg
                               : neg_pass_q == 2'd1 ? SlotOne : SlotTemp;
  end
  always_ff @(posedge clk_i) begin
    element_o  <= element;
    source_o   <= source;
    rd_addr_o  <= element.inj && RadixBits > 2 ? inj_src : src;
    inj_addr_o <= inj_src;
    wr_addr_o  <= wr_addr;
    tab_addr_o <= RadixBits'(x_q + count_t'(1));
    carry_o    <= hat_end;
    const_q    <= a_const;
  end
  assign a_const_o = const_q | (neg_q ? neg_digit_i : '0); // ct-ok: a gate

endmodule
