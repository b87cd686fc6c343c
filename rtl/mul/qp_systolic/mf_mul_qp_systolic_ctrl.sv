// SPDX-License-Identifier: Apache-2.0
/// Controller of the systolic array behind one contract port: commands, words, set-up, store.
///
/// Source   modfab; README.md beside this file.
/// Model    modfab.models.mul_qp_systolic (same values, same cycles).
/// Latency  product and pair: Period, PairPeriod; all others: modfab.catalog.mul_qp_systolic. With
///          Phased = 1 the array begins one cycle later where its phase demands it; the port's
///          cycles do not show that.
/// Assumes  the engine contract (rtl/mul/README.md); operands are loaded after set-up. Phased = 1
///          with Contexts = 1 and MulStages odd only.
/// Ensures  the engine contract with R = 2^(w * (NumSteps - 2 * Guard)), w = DigitBits.
module mf_mul_qp_systolic_ctrl #(
  parameter int unsigned NumBits   = 1024, // bits of the modulus, 64..8192
  parameter int unsigned NumSlots  = 8,    // slots, 8..128
  parameter int unsigned DigitBits = 18,   // bits of a digit, 8..18
  parameter int unsigned Contexts  = 1,    // 2: with OpMul2
  parameter int unsigned SlotBase  = 0,    // slot 0 in the array's memories
  parameter int unsigned FactorSlots = 2 ** $clog2(NumSlots), // slots that elements store: 2^n
  parameter bit          Phased    = 0,    // products start in cycles with phase_i only
  parameter int unsigned NumElements = 0,  // fewer than digits: a folded array is in here
  parameter int unsigned QuotientDelay = 1, // as the array's
  parameter int unsigned MulStages = 3,    // as the array's
  parameter int unsigned MinModBits = 0,   // a modulus is at least 2^MinModBits; below NumBits
  parameter bit          QuotientTables = 0, // the array has tables for q * mh
  parameter bit          Resume    = 0,    // set-up with R^2 from a load
  parameter bit          LoadSum   = 0,    // a load adds a slot; not when folded
  parameter bit          TwoInTurn = 0     // OpMul2 with Contexts = 1; not when folded
) (
  input  logic                           clk_i,
  input  logic                           rst_i,
  input  logic                           zeroize_i,
  input  logic                           phase_i,
  input  logic                           cmd_valid_i,
  output logic                           cmd_ready_o,
  input  mf_pkg::cmd_t                   cmd_i,
  input  logic                           in_valid_i,
  output logic                           in_ready_o,
  input  logic [31:0]                    in_data_i,
  output logic                           out_valid_o,
  input  logic                           out_ready_i,
  output logic [31:0]                    out_data_o,
  output logic                           busy_o,
  output mf_pkg::status_e                status_o,
  output mf_mul_qp_systolic_pkg::token_t token_o, // to the array
  output mf_mul_qp_systolic_pkg::entry_t entry_o,
  input  logic [DigitBits-1:0]           left_i   // from the array
);

  localparam int unsigned NumWords  = mf_pkg::words_of(NumBits);
  localparam int unsigned Guard     = QuotientDelay + 1; // digits of the private form's factor
  localparam int unsigned ModDigits = (NumBits + DigitBits - 1) / DigitBits;
  localparam int unsigned NumDigits = (NumBits + Guard * DigitBits + DigitBits) / DigitBits;
  localparam int unsigned MinSteps  = (NumBits + Guard * DigitBits + 1 + DigitBits) / DigitBits
                                      + Guard;
  // A folded array does a step an element in every pass of the digits.
  localparam bit          Folded    = NumElements != 0 && NumElements < NumDigits;
  localparam int unsigned NumPasses = Folded ? (MinSteps + NumElements - 1) / NumElements : 1;
  localparam int unsigned NumSteps  = Folded ? NumPasses * NumElements : MinSteps;
  localparam int unsigned RDigits   = NumSteps - Guard;
  localparam int unsigned Period    = Folded
    ? mf_mul_qp_systolic_pkg::product_cycles(NumDigits, NumElements, NumPasses, MulStages, 1)
    : 2 * NumSteps + MulStages + 1;
  localparam int unsigned PairPeriod = Folded
    ? mf_mul_qp_systolic_pkg::product_cycles(NumDigits, NumElements, NumPasses, MulStages, 2)
    : TwoInTurn ? 2 * NumSteps + Period : Period;
  localparam int unsigned RBits     = DigitBits * (RDigits - Guard); // of the contract's R
  // Doublings of 2^MinModBits that give, times 2^(w(NumDigits-1)) / 2^(w RDigits), the private form
  // of R; more than (Guard + 1) * w.
  localparam int unsigned Doublings = DigitBits * (2 * RDigits - NumDigits + 1) - MinModBits;
  localparam int unsigned WordPlaces = (32 * NumWords + DigitBits - 1) / DigitBits;
  localparam int unsigned NumPlaces = NumDigits + 1 > WordPlaces ? NumDigits + 1 : WordPlaces;
  localparam int unsigned SlotBits  = $clog2(NumSlots);
  localparam int unsigned IndexBits = $clog2(NumDigits + 1);
  localparam int unsigned PlaceBits = $clog2(NumPlaces + 1);
  localparam int unsigned MemBits   = SlotBits + IndexBits;
  // Wipe: elements at rest, tables, every slot for two cycles, elements again; and the x memory.
  localparam int unsigned Rest      = 2 * NumDigits + 16;
  localparam int unsigned FillTime  = mf_mul_qp_systolic_pkg::fill_cycles(DigitBits);
  localparam int unsigned SlotTime  = QuotientTables ? Rest + FillTime + 16 : Rest;
  localparam int unsigned WipeTime  = SlotTime + 2 * NumSlots + Rest;
  localparam int unsigned WipeCycles = 2 ** MemBits > WipeTime ? 2 ** MemBits : WipeTime;
  localparam int unsigned MaxTime   = WipeCycles > PairPeriod ? WipeCycles : PairPeriod;
  localparam int unsigned TimeBits  = $clog2(MaxTime + 1);
  localparam int unsigned Settle    = 8;                 // cycles until the first digit is back
  localparam int unsigned Fetch     = 2 * NumDigits + 4; // a digit every second cycle
  typedef logic [DigitBits-1:0] digit_t;
  typedef logic [TimeBits-1:0]  time_t;
  typedef logic [PlaceBits-1:0] place_t;
  typedef struct packed { // one bit is set
    logic wipe, idle, cool, run, words, check, setup, settle, fetch, reduce, pack;
  } state_t;

  // ---- control: every input ends in a register, or in one bit of state_q ----
  state_t          state_q, state_d;
  time_t           timer_q;       // cycles left but one, of a wipe, a product, a fetch
  logic            end_q;         // the last of them
  logic [Settle-1:0] brief_q;     // brief_q[k]: a command or a pause began k cycles ago
  logic            ready_q;
  logic            tail_q;        // until the first cycle that can take the next command
  logic            to_mod_q, words_ok_q;
  logic            short_q;       // of a set-up
  logic [15:0]     num_words_q;
  mf_pkg::status_e status_q, check_q;
  logic            clear, clear_q, cmd_fire, load_run, load_end, store_end, reduce_end, timed;
  logic            gear_done, setup_done, ser_done, run_last, check_ok_q;
  logic            gear_ready, gear_valid;
  logic [1:0]      reduce_q;      // operations of reduce that are done
  logic            last_reduce_q;
  assign clear       = rst_i || zeroize_i;
  // Copies, each beside its loads: the parts lie apart. Synthesis merges registers that are equal,
  // but not those of a process that is kept.
  logic clear_gear_q, clear_ser_q, clear_setup_q, clear_feed_q; // of clear_q
  logic pack_gear_q, pack_ser_q, wipe_gear_q, wipe_words_q, wipe_products_q; // of state_q
  logic ready_products_q;                                       // of ready_q
  (* keep *) always_ff @(posedge clk_i) begin
    {clear_gear_q, clear_ser_q, clear_setup_q, clear_feed_q} <= {4{clear}};
    {pack_gear_q, pack_ser_q} <= {2{state_d.pack && !clear_q}};
    {wipe_gear_q, wipe_words_q, wipe_products_q} <= {3{state_d.wipe || clear_q}};
    ready_products_q <= !clear_q && (state_d.idle || (state_q.run && timer_q == '0));
  end
  assign cmd_ready_o = ready_q && !clear && !clear_q;
  assign cmd_fire    = cmd_valid_i && ready_q; // where clear does not come first
  assign busy_o      = !(state_q.idle || state_q.cool) || tail_q || clear_q;
  assign status_o    = status_q;
  assign load_end    = state_q.words && gear_done;
  assign load_run    = load_end && !to_mod_q;
  assign store_end   = state_q.pack && gear_done;
  assign reduce_end  = state_q.reduce && ser_done && last_reduce_q;
  assign timed       = !(ready_q || state_q.words || state_q.settle);
  assign in_ready_o  = gear_ready && !clear_q;
  assign out_valid_o = gear_valid && !clear_q;
  always_comb begin
    state_d.wipe   = state_q.wipe && !end_q;
    state_d.words  = (cmd_fire && cmd_i.op == mf_pkg::OpLoad) || (state_q.words && !gear_done);
    state_d.run    = (cmd_fire && cmd_i.op inside {mf_pkg::OpMul, mf_pkg::OpMul2})
                     || load_run || (state_q.run && !end_q);
    state_d.cool   = (state_q.run && end_q && !cmd_fire) || setup_done
                     || (state_q.cool && !brief_q[2]);
    state_d.check  = (cmd_fire && cmd_i.op == mf_pkg::OpSetup) || (state_q.check && !brief_q[3]);
    state_d.setup  = (state_q.check && brief_q[3] && check_ok_q) || (state_q.setup && !setup_done);
    state_d.settle = (cmd_fire && cmd_i.op == mf_pkg::OpStore)
                     || (state_q.settle && !brief_q[Settle-1]);
    state_d.fetch  = (state_q.settle && brief_q[Settle-1]) || (state_q.fetch && !end_q);
    state_d.reduce = (state_q.fetch && end_q) || (state_q.reduce && !reduce_end);
    state_d.pack   = reduce_end || (state_q.pack && !gear_done);
    state_d.idle   = (state_q.wipe && end_q) || (state_q.cool && brief_q[2])
                     || (load_end && to_mod_q) || (state_q.check && brief_q[3] && !check_ok_q)
                     || store_end || (state_q.idle && !cmd_fire);
  end
  always_ff @(posedge clk_i) begin
    clear_q <= clear;
    state_q <= state_d;
    ready_q <= state_d.idle || (state_q.run && timer_q == '0);
    brief_q <= cmd_fire || (state_q.run && end_q) || setup_done ? Settle'(1)
                                                               : brief_q << 1;
    end_q   <= timed && timer_q == '0;
    // Loaded before the timed state: with the command, during words or settle.
    if (timed) timer_q <= timer_q - time_t'(1);
    else if (state_q.settle) timer_q <= time_t'(Fetch - 2);
    else if (ready_q && cmd_i.op == mf_pkg::OpMul2) timer_q <= time_t'(PairPeriod - 2);
    else timer_q <= time_t'(Period - 2);
    if (clear_q) begin
      state_q <= '{wipe: 1'b1, default: 1'b0};
      timer_q <= time_t'(WipeCycles - 2);
      end_q   <= 1'b0;
      ready_q <= 1'b0;
      brief_q <= '0;
    end
    if (ready_q) begin // also without a command; it has no effect then
      to_mod_q    <= cmd_i.dst0 == mf_pkg::SlotMod;
      short_q     <= Resume && cmd_i.b != '0;
      num_words_q <= cmd_i.num_words;
    end
    words_ok_q    <= num_words_q == '0 || num_words_q == 16'(NumWords);
    check_ok_q    <= check_q == mf_pkg::StatusOk;
    last_reduce_q <= reduce_q == 2'(Guard);
    tail_q <= !clear_q && (state_q.words || state_q.check || state_q.setup || state_q.settle
                           || state_q.fetch || state_q.reduce || state_q.pack
                           || (tail_q && state_q.cool));
    if (!state_q.reduce) reduce_q <= '0;
    else if (ser_done) reduce_q <= reduce_q + 2'd1;
  end

  // ---- check of the loaded modulus ----
  logic   digit_valid, wide; // wide: a bit at or above NumBits is set
  digit_t gear_digit;
  place_t gear_place;
  mf_mul_qp_systolic_check #(
    .DigitBits(DigitBits), .PlaceBits(PlaceBits), .MinModBits(MinModBits)
  ) u_check (
    .clk_i,
    .wipe_i        (wipe_words_q),
    .bad_words_i   (!words_ok_q),
    .to_mod_i      (to_mod_q),
    .words_i       (state_q.words),
    .done_i        (gear_done),
    .wide_i        (wide),
    .digit_valid_i (digit_valid),
    .place_i       (gear_place),
    .digit_i       (gear_digit),
    .status_o      (check_q)
  );
  always_ff @(posedge clk_i) begin
    if (clear_q || state_q.wipe || (state_q.words && to_mod_q))
      status_q <= mf_pkg::StatusNoModulus;
    else if (state_q.check && brief_q[3] && !check_ok_q) status_q <= check_q;
    else if (setup_done) status_q <= mf_pkg::StatusOk;
  end

  // ---- words ----
  logic   wiping, gear_start_q;
  digit_t ser_digit, mem_digit;
  assign wiping  = state_q.wipe;
  always_ff @(posedge clk_i) begin
    gear_start_q <= !clear_q && ((cmd_fire && cmd_i.op == mf_pkg::OpLoad) || reduce_end);
  end
  mf_mul_qp_systolic_gearbox #(
    .NumBits(NumBits), .ModDigits(ModDigits), .DigitBits(DigitBits), .PlaceBits(PlaceBits),
    .ReadyRegister(Phased)
  ) u_gearbox (
    .clk_i,
    .rst_i         (clear_gear_q),
    .wipe_i        (wipe_gear_q),
    .start_i       (gear_start_q),
    .pack_i        (pack_gear_q),
    .done_o        (gear_done),
    .in_valid_i    (in_valid_i && !clear_gear_q),
    .in_ready_o    (gear_ready),
    .in_data_i,
    .digit_valid_o (digit_valid),
    .place_o       (gear_place),
    .digit_o       (gear_digit),
    .digit_i       (ser_digit),
    .out_valid_o   (gear_valid),
    .out_ready_i, .out_data_o,
    .wide_o        (wide)
  );

  // ---- set-up ----
  logic       set_ser_start, learn, set_run;
  logic [2:0] set_ser_op;
  mf_mul_qp_systolic_pkg::product_t set_product;
  mf_mul_qp_systolic_setup #(
    .DigitBits(DigitBits), .Guard(Guard), .Doublings(Doublings), .FromBound(MinModBits != 0),
    .RBits(RBits), .NumPlaces(NumPlaces), .FillTime(QuotientTables ? FillTime : 0),
    .Resume(Resume)
  ) u_setup (
    .clk_i,
    .rst_i         (clear_setup_q),
    .start_i       (state_q.check && brief_q[3] && check_ok_q),
    .short_i       (short_q),
    .done_o        (setup_done),
    .ser_start_o   (set_ser_start),
    .ser_op_o      (set_ser_op),
    .learn_o       (learn),
    .ser_done_i    (ser_done),
    .run_o         (set_run),
    .run_product_o (set_product),
    .run_last_i    (run_last)
  );

  // ---- serial unit: set-up, and the reduction of a result (Reduce Guard times, Subtract) ----
  localparam logic [2:0] OpSubtract = 3'd3, OpReduce = 3'd4;
  logic                 val_we_q, mod_we_q, wipe_q, wipe_ser_q;
  logic [$clog2(NumPlaces)-1:0] we_place_q;
  digit_t               we_digit_q;
  logic [IndexBits-1:0] feed_place;
  time_t                walk_q;        // cycles of a wipe, a fetch
  logic [3:1]           fetched_q;     // a digit of the x memory was requested
  logic [3:1][IndexBits-1:0] fetched_place_q;
  logic                 reduce_go_q, reduce_wait_q, reading_q;
  mf_mul_qp_systolic_pkg::products_t products_q; // held until the next one
  (* keep *) always_ff @(posedge clk_i) {wipe_q, wipe_ser_q} <= {2{wiping}};
  always_ff @(posedge clk_i) begin
    walk_q          <= (wiping || state_q.fetch) && !clear_q ? walk_q + time_t'(1) : '0;
    fetched_q       <= {fetched_q[2:1], state_q.fetch && 32'(walk_q) < 2 * NumDigits};
    fetched_place_q <= {fetched_place_q[2:1], IndexBits'(walk_q >> 1)};
    mod_we_q        <= digit_valid && to_mod_q;
    val_we_q        <= (digit_valid && !to_mod_q) || fetched_q[3];
    we_place_q      <= ($clog2(NumPlaces))'(wipe_words_q ? place_t'(walk_q)
                       : fetched_q[3] ? place_t'(fetched_place_q[3]) : gear_place);
    we_digit_q      <= wipe_words_q ? '0 : fetched_q[3] ? mem_digit : gear_digit;
    reduce_wait_q   <= (state_q.fetch && end_q)
                       || (state_q.reduce && ser_done && !last_reduce_q);
    reduce_go_q     <= reduce_wait_q && !clear_q;
    // Other products leave the serial unit at rest.
    reading_q       <= pack_ser_q || ((state_q.run || state_q.setup) && products_q.lane0.outside);
  end
  mf_mul_qp_systolic_serial #(
    .NumPlaces(NumPlaces), .DigitBits(DigitBits), .MinModBits(MinModBits)
  ) u_serial (
    .clk_i,
    .rst_i      (clear_ser_q),
    .start_i    (set_ser_start || reduce_go_q),
    .op_i       (!state_q.reduce ? set_ser_op : reduce_q >= 2'(Guard) ? OpSubtract : OpReduce),
    .learn_i    (learn),
    .done_o     (ser_done),
    .wipe_i     (wipe_ser_q),
    .mod_we_i   (mod_we_q),
    .val_we_i   (val_we_q),
    .we_place_i (we_place_q),
    .we_digit_i (we_digit_q),
    .rd_en_i    (reading_q),
    .rd_place_i (pack_ser_q ? gear_place : place_t'(feed_place)),
    .digit_o    (ser_digit)
  );

  // ---- products ----
  logic  start_q, late_q, start;
  time_t run_timer_q; // of set-up's products
  assign start = Phased ? (start_q && phase_i) || late_q : start_q;
  always_ff @(posedge clk_i) begin
    start_q <= !clear_q && ((cmd_fire && cmd_i.op inside {mf_pkg::OpMul, mf_pkg::OpMul2})
                          || load_run || set_run);
    late_q  <= Phased && start_q && !phase_i && !clear_q;
    run_last <= !clear_q && run_timer_q == time_t'(2);
    if (clear_q) run_timer_q <= '0;
    else if (set_run) run_timer_q <= time_t'(Period);
    else if (run_timer_q != '0) run_timer_q <= run_timer_q - time_t'(1);
    if (wipe_products_q) begin // slot numbers can depend on a secret exponent
      products_q <= '0;
    end else if (ready_products_q) begin
      products_q.two   <= (Contexts == 2 || TwoInTurn) && cmd_i.op == mf_pkg::OpMul2;
      products_q.x1    <= cmd_i.a1;
      products_q.dst1  <= cmd_i.dst1;
      products_q.lane0 <= '{
        outside: cmd_i.op == mf_pkg::OpLoad,
        shift:   cmd_i.op == mf_pkg::OpLoad,
        mh:      1'b0,
        y_unit:  Resume && cmd_i.op == mf_pkg::OpLoad && cmd_i.dst0 == mf_pkg::SlotR2,
        sum:     LoadSum && cmd_i.op == mf_pkg::OpLoad && cmd_i.a0 != '0,
        x:       cmd_i.a0,
        y:       cmd_i.b,
        dst:     cmd_i.dst0
      };
    end else if (set_run) begin
      products_q.two   <= 1'b0;
      products_q.lane0 <= set_product;
    end else if (state_q.words && products_q.lane0.y == '0) begin // a load without a factor
      products_q.lane0.y <= mf_pkg::SlotR;
    end
  end

  // ---- wipe of the elements: at rest, tables, then every slot for two cycles, then at rest ----
  mf_mul_qp_systolic_pkg::wipe_t wipe;
  logic               wipe_slot_q, wipe_fill_q;
  logic [MemBits-1:0] wipe_addr_q; // from 0 on, so that nothing that is read afterwards is old
  assign wipe = '{all: wipe_q, slot: wipe_slot_q, fill: wipe_fill_q, addr: 18'(wipe_addr_q)};
  always_ff @(posedge clk_i) begin
    wipe_addr_q <= MemBits'(walk_q);
    wipe_slot_q <= wiping && 32'(walk_q) >= SlotTime && 32'(walk_q) < SlotTime + 2 * NumSlots;
    wipe_fill_q <= QuotientTables && wiping && 32'(walk_q) >= Rest
                   && 32'(walk_q) < Rest + FillTime;
  end

  // ---- operand feed of the array outside, or a folded array in here ----
  mf_mul_qp_systolic_pkg::read_t read;
  logic [IndexBits-1:0]          fetch_index;
  assign fetch_index = IndexBits'(walk_q >> 1);
  assign read = '{valid: state_q.fetch, slot: products_q.lane0.x, index: 11'(fetch_index)};
  if (Folded) begin : gen_folded
    mf_mul_qp_systolic_fold #(
      .NumDigits(NumDigits), .ModDigits(ModDigits), .NumElements(NumElements),
      .NumPasses(NumPasses), .DigitBits(DigitBits), .NumSlots(NumSlots),
      .QuotientDelay(QuotientDelay), .MulStages(MulStages)
    ) u_fold (
      .clk_i,
      .rst_i      (clear_feed_q),
      .start_i    (start),
      .products_i (products_q),
      .place_o    (feed_place),
      .digit_i    (ser_digit),
      .read_i     (read),
      .digit_o    (mem_digit),
      .wipe_i     (wipe)
    );
    logic unused_left; // of the array outside
    assign {token_o, entry_o} = '0;
    assign unused_left = ^left_i;
  end else begin : gen_full
    mf_mul_qp_systolic_operand_feed #(
      .NumDigits(NumDigits), .ModDigits(ModDigits), .NumSteps(NumSteps), .DigitBits(DigitBits),
      .NumSlots(NumSlots), .SlotBase(SlotBase), .FactorSlots(FactorSlots),
      .QuotientDelay(QuotientDelay), .MulStages(MulStages), .QuotientTables(QuotientTables),
      .Phased(Phased), .LoadSum(LoadSum), .TwoInTurn(TwoInTurn)
    ) u_operand_feed (
      .clk_i,
      .rst_i      (clear_feed_q),
      .start_i    (start), .phase_i(phase_i),
      .products_i (products_q),
      .place_o    (feed_place),
      .digit_i    (ser_digit),
      .read_i     (read),
      .digit_o    (mem_digit),
      .wipe_i     (wipe),
      .token_o, .entry_o, .left_i
    );
  end

endmodule
