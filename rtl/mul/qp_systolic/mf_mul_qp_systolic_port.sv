// SPDX-License-Identifier: Apache-2.0
/// One contract port in front of the systolic array: commands, words, set-up, store.
///
/// Source   modfab; README.md beside this file.
/// Model    modfab.models.mul_qp_systolic (same values, same cycles).
/// Latency  product and pair: 2 * NumSteps + 4; all others in modfab.catalog.mul_qp_systolic. With
///          Phased = 1 the array begins one clock later where its phase demands it; the port's
///          clocks do not show that.
/// Assumes  the engine contract (rtl/mul/README.md); operands are loaded after set-up. Phased = 1
///          with Contexts = 1 only.
/// Ensures  the engine contract with R = 2^(w * (NumSteps - 4)), w = DigitBits.
module mf_mul_qp_systolic_port #(
  parameter int unsigned NumBits   = 1024, // bits of the modulus, 64..8192
  parameter int unsigned NumSlots  = 8,    // slots, 8..128
  parameter int unsigned DigitBits = 18,   // bits of a digit, 8..18
  parameter int unsigned Contexts  = 1,    // 2: with OpMul2
  parameter int unsigned SlotBase  = 0,    // slot 0 in the array's memories
  parameter bit          Phased    = 0,    // products start in clocks with phase_i only
  parameter int unsigned NumElements = 0   // fewer than digits: a folded array is in the port
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
  input  logic [DigitBits-1:0]           left_i   // from the array
);

  localparam int unsigned NumWords  = mf_pkg::words_of(NumBits);
  localparam int unsigned Guard     = 2; // digits of the private form's factor: quotient delay + 1
  localparam int unsigned ModDigits = (NumBits + DigitBits - 1) / DigitBits;
  localparam int unsigned NumDigits = (NumBits + Guard * DigitBits + DigitBits) / DigitBits;
  localparam int unsigned MinSteps  = (NumBits + Guard * DigitBits + 1 + DigitBits) / DigitBits + 2;
  // A folded array does a step an element in every pass of the digits.
  localparam bit          Folded    = NumElements != 0 && NumElements < NumDigits;
  localparam int unsigned NumPasses = Folded ? (MinSteps + NumElements - 1) / NumElements : 1;
  localparam int unsigned NumSteps  = Folded ? NumPasses * NumElements : MinSteps;
  localparam int unsigned RDigits   = NumSteps - 2;
  localparam int unsigned Period    = Folded
    ? mf_mul_qp_systolic_pkg::product_clocks(NumDigits, NumElements, NumPasses, 1)
    : 2 * NumSteps + 4;
  localparam int unsigned PairPeriod = Folded
    ? mf_mul_qp_systolic_pkg::product_clocks(NumDigits, NumElements, NumPasses, 2)
    : Period;
  localparam int unsigned RBits     = DigitBits * (RDigits - Guard); // of the contract's R
  // Doublings of 1 that give, times 2^(w(NumDigits-1)) / 2^(w RDigits), the private form of R.
  localparam int unsigned Doublings = DigitBits * (2 * RDigits - NumDigits + 1);
  localparam int unsigned WordPlaces = (32 * NumWords + DigitBits - 1) / DigitBits;
  localparam int unsigned NumPlaces = NumDigits + 1 > WordPlaces ? NumDigits + 1 : WordPlaces;
  localparam int unsigned SlotBits  = $clog2(NumSlots);
  localparam int unsigned IndexBits = $clog2(NumDigits + 1);
  localparam int unsigned PlaceBits = $clog2(NumPlaces + 1);
  localparam int unsigned MemBits   = SlotBits + IndexBits;
  // Wipe: elements at rest, every slot for two clocks, elements again; and the x memory.
  localparam int unsigned Rest      = 2 * NumDigits + 16;
  localparam int unsigned WipeTime  = 2 * Rest + 2 * NumSlots;
  localparam int unsigned WipeClocks = 2 ** MemBits > WipeTime ? 2 ** MemBits : WipeTime;
  localparam int unsigned MaxTime   = WipeClocks > PairPeriod ? WipeClocks : PairPeriod;
  localparam int unsigned TimeBits  = $clog2(MaxTime + 1);
  localparam int unsigned Settle    = 8;                 // clocks until the first digit is back
  localparam int unsigned Fetch     = 2 * NumDigits + 4; // a digit every second clock
  localparam int unsigned Cool      = 3; // before a product that does not follow at once

  typedef logic [DigitBits-1:0] digit_t;
  typedef logic [TimeBits-1:0]  time_t;
  typedef logic [SlotBits-1:0]  slot_t;
  typedef logic [PlaceBits-1:0] place_t;
  typedef enum logic [3:0] {
    StWipe, StIdle, StCool, StRun, StWords, StCheck, StSetup, StSettle, StFetch, StReduce, StPack
  } state_e;

  // ---- control ----
  state_e          state_q;
  time_t           timer_q;       // clocks left but one
  logic            end_q;         // the last clock of a timed state
  logic            ready_q;
  logic            tail_q;        // until the first clock that can take the next command
  logic            to_mod_q, words_ok_q;
  logic [15:0]     num_words_q;
  mf_pkg::status_e status_q, check_q;
  logic            clear, cmd_fire, load_run;
  logic            gear_done, setup_done, ser_done, run_last;
  logic [1:0]      reduce_q;      // operations of StReduce that are done
  assign clear       = rst_i || zeroize_i;
  assign cmd_ready_o = ready_q && !clear;
  assign cmd_fire    = cmd_valid_i && ready_q; // where clear does not come first
  assign busy_o      = !(state_q inside {StIdle, StCool}) || tail_q;
  assign status_o    = status_q;
  assign load_run    = state_q == StWords && gear_done && !to_mod_q;

  function automatic state_e first_state(input mf_pkg::op_e op);
    unique case (op)
      mf_pkg::OpLoad:  first_state = StWords;
      mf_pkg::OpStore: first_state = StSettle;
      mf_pkg::OpSetup: first_state = StCheck;
      default:         first_state = StRun;
    endcase
  endfunction

  state_e state_d;
  logic   leave; // state_q ends, for state_d
  always_comb begin
    leave   = end_q;
    state_d = StIdle;
    unique case (state_q)
      StIdle:   leave = 1'b0;
      StRun:    state_d = StCool;
      StWords:  begin leave = gear_done; state_d = to_mod_q ? StIdle : StRun; end
      StCheck:  state_d = check_q == mf_pkg::StatusOk ? StSetup : StIdle;
      StSetup:  begin leave = setup_done; state_d = StCool; end
      StSettle: state_d = StFetch;
      StFetch:  state_d = StReduce;
      StReduce: begin leave = ser_done && reduce_q == 2'd2; state_d = StPack; end
      StPack:   leave = gear_done;
      default:  leave = end_q; // StWipe, StCool
    endcase
  end

  // What a state lasts; those not named end with an event.
  function automatic time_t clocks_of(input state_e state);
    unique case (state)
      StRun:    clocks_of = time_t'(Period - 2);
      StCool:   clocks_of = time_t'(Cool - 2);
      StSettle: clocks_of = time_t'(Settle - 2);
      StFetch:  clocks_of = time_t'(Fetch - 2);
      default:  clocks_of = time_t'(2); // StCheck: 4 clocks
    endcase
  endfunction

  always_ff @(posedge clk_i) begin
    timer_q <= timer_q - time_t'(1);
    end_q   <= timer_q == '0;
    if (clear) begin
      state_q <= StWipe;
      timer_q <= time_t'(WipeClocks - 2);
      end_q   <= 1'b0;
      ready_q <= 1'b0;
    end else if (cmd_fire) begin
      state_q <= first_state(cmd_i.op);
      timer_q <= cmd_i.op == mf_pkg::OpMul2 ? time_t'(PairPeriod - 2)
                 : clocks_of(first_state(cmd_i.op));
      end_q   <= 1'b0;
      ready_q <= 1'b0;
    end else if (leave) begin
      state_q <= state_d;
      timer_q <= clocks_of(state_d);
      end_q   <= 1'b0;
      ready_q <= state_d == StIdle;
    end else begin
      ready_q <= state_q == StIdle || (state_q == StRun && timer_q == '0);
    end
    if (ready_q) begin // whatever is there; what is not accepted has no effect
      to_mod_q    <= cmd_i.dst0 == mf_pkg::SlotMod;
      num_words_q <= cmd_i.num_words;
    end
    words_ok_q <= num_words_q == '0 || num_words_q == 16'(NumWords);
    if (clear) tail_q <= 1'b0;
    else if (leave && !(state_q inside {StWipe, StRun, StCool})) tail_q <= 1'b1;
    else if (state_q inside {StIdle, StRun}) tail_q <= 1'b0;
    if (state_q != StReduce) reduce_q <= '0;
    else if (ser_done) reduce_q <= reduce_q + 2'd1;
  end

  // ---- the modulus as it came ----
  digit_t low_q;        // its lowest digit
  logic   high_q, wide; // another digit is not zero; a bit at or above NumBits is set
  logic   wide_q, low_zero_q, low_one_q;
  logic   digit_valid;
  digit_t gear_digit;
  place_t gear_place;
  always_ff @(posedge clk_i) begin
    low_zero_q <= low_q == '0;
    low_one_q  <= low_q == digit_t'(1);
    if (!words_ok_q)                check_q <= mf_pkg::StatusNumWords;
    else if (wide_q)                check_q <= mf_pkg::StatusModWide;
    else if (!high_q && low_zero_q) check_q <= mf_pkg::StatusModZero;
    else if (!high_q && low_one_q)  check_q <= mf_pkg::StatusModOne;
    else if (!low_q[0])             check_q <= mf_pkg::StatusModEven;
    else                            check_q <= mf_pkg::StatusOk;
    if (state_q == StWipe || (state_q == StWords && to_mod_q)) status_q <= mf_pkg::StatusNoModulus;
    else if (state_q == StCheck && end_q && check_q != mf_pkg::StatusOk) status_q <= check_q;
    else if (setup_done) status_q <= mf_pkg::StatusOk;
    if (state_q == StWipe) begin
      {low_q, high_q, wide_q} <= '0;
    end else if (state_q == StWords && to_mod_q) begin
      if (gear_done) wide_q <= wide;
      if (digit_valid && gear_place == '0) begin
        low_q  <= gear_digit;
        high_q <= 1'b0;
      end else if (digit_valid && gear_digit != '0) begin
        high_q <= 1'b1;
      end
    end
  end

  // ---- words ----
  logic   clear_q, wiping, gear_start_q, packing;
  digit_t ser_digit, mem_digit;
  assign wiping  = state_q == StWipe;
  assign packing = state_q == StPack;
  always_ff @(posedge clk_i) begin
    clear_q      <= clear;
    gear_start_q <= !clear && ((cmd_fire && cmd_i.op == mf_pkg::OpLoad)
                                || (state_q == StReduce && leave));
  end
  mf_mul_qp_systolic_gear #(
    .NumBits(NumBits), .ModDigits(ModDigits), .DigitBits(DigitBits), .PlaceBits(PlaceBits)
  ) u_gear (
    .clk_i,
    .rst_i         (clear),
    .wipe_i        (wiping),
    .start_i       (gear_start_q),
    .pack_i        (packing),
    .done_o        (gear_done),
    .in_valid_i, .in_ready_o, .in_data_i,
    .digit_valid_o (digit_valid),
    .place_o       (gear_place),
    .digit_o       (gear_digit),
    .digit_i       (ser_digit),
    .out_valid_o, .out_ready_i, .out_data_o,
    .wide_o        (wide)
  );

  // ---- set-up ----
  logic          set_ser_start, learn, set_run, run_outside, run_shift, run_mh, run_unit;
  logic [2:0]    set_ser_op;
  mf_pkg::slot_t set_x, set_y, set_dst;
  mf_mul_qp_systolic_setup #(
    .DigitBits(DigitBits), .Doublings(Doublings), .RBits(RBits)
  ) u_setup (
    .clk_i,
    .rst_i         (clear_q),
    .start_i       (state_q == StCheck && end_q && check_q == mf_pkg::StatusOk),
    .done_o        (setup_done),
    .ser_start_o   (set_ser_start),
    .ser_op_o      (set_ser_op),
    .learn_o       (learn),
    .ser_done_i    (ser_done),
    .run_o         (set_run),
    .run_x_o       (set_x),
    .run_outside_o (run_outside),
    .run_shift_o   (run_shift),
    .run_mh_o      (run_mh),
    .run_y_o       (set_y),
    .run_unit_o    (run_unit),
    .run_dst_o     (set_dst),
    .run_last_i    (run_last)
  );

  // ---- serial unit: set-up, and the reduction of a result (Reduce twice, Subtract) ----
  localparam logic [2:0] OpSubtract = 3'd3, OpReduce = 3'd4;
  logic                 val_we_q, mod_we_q, wipe_q;
  logic [$clog2(NumPlaces)-1:0] we_place_q;
  digit_t               we_digit_q;
  logic [IndexBits-1:0] head_place;
  time_t                walk_q;        // clocks of StWipe, StFetch
  logic [3:1]           fetched_q;     // a digit of the x memory was asked for
  logic [3:1][IndexBits-1:0] fetched_place_q;
  logic                 reduce_go_q, reduce_wait_q;
  always_ff @(posedge clk_i) begin
    walk_q          <= (state_q == StWipe || state_q == StFetch) && !clear
                       ? walk_q + time_t'(1) : '0;
    fetched_q       <= {fetched_q[2:1], state_q == StFetch && 32'(walk_q) < 2 * NumDigits};
    fetched_place_q <= {fetched_place_q[2:1], IndexBits'(walk_q >> 1)};
    wipe_q          <= wiping;
    mod_we_q        <= digit_valid && to_mod_q;
    val_we_q        <= (digit_valid && !to_mod_q) || fetched_q[3];
    we_place_q      <= ($clog2(NumPlaces))'(wiping ? place_t'(walk_q)
                       : fetched_q[3] ? place_t'(fetched_place_q[3]) : gear_place);
    we_digit_q      <= wiping ? '0 : fetched_q[3] ? mem_digit : gear_digit;
    reduce_wait_q   <= (state_q == StFetch && leave)
                       || (state_q == StReduce && ser_done && reduce_q != 2'd2);
    reduce_go_q     <= reduce_wait_q && !clear;
  end
  mf_mul_qp_systolic_serial #(.NumPlaces(NumPlaces), .DigitBits(DigitBits)) u_serial (
    .clk_i,
    .rst_i      (clear_q),
    .start_i    (set_ser_start || reduce_go_q),
    .op_i       (state_q != StReduce ? set_ser_op : reduce_q[1] ? OpSubtract : OpReduce),
    .learn_i    (learn),
    .done_o     (ser_done),
    .wipe_i     (wipe_q),
    .mod_we_i   (mod_we_q),
    .val_we_i   (val_we_q),
    .we_place_i (we_place_q),
    .we_digit_i (we_digit_q),
    .rd_en_i    (state_q inside {StPack, StRun, StSetup}),
    .rd_place_i (packing ? gear_place : place_t'(head_place)),
    .digit_o    (ser_digit)
  );

  // ---- products: what the head is told, held until the next one ----
  logic  start_q, two_q, outside_q, shift_q, mh_q, unit_q;
  slot_t x0_q, x1_q, y_q, dst0_q, dst1_q;
  logic  late_q, start;
  time_t run_timer_q; // of set-up's products
  assign start    = Phased ? (start_q && phase_i) || late_q : start_q;
  always_ff @(posedge clk_i) begin
    start_q <= !clear && !clear_q && ((cmd_fire && cmd_i.op inside {mf_pkg::OpMul, mf_pkg::OpMul2})
                          || load_run || set_run);
    late_q  <= Phased && start_q && !phase_i && !clear;
    run_last <= !clear_q && run_timer_q == time_t'(2);
    if (clear_q) run_timer_q <= '0;
    else if (set_run) run_timer_q <= time_t'(Period);
    else if (run_timer_q != '0) run_timer_q <= run_timer_q - time_t'(1);
    if (wiping) begin // slot numbers can depend on a secret exponent
      {two_q, outside_q, shift_q, mh_q, unit_q} <= '0;
      {x0_q, x1_q, y_q, dst0_q, dst1_q}         <= '0;
    end else if (ready_q) begin
      two_q     <= Contexts == 2 && cmd_i.op == mf_pkg::OpMul2;
      outside_q <= cmd_i.op == mf_pkg::OpLoad;
      shift_q   <= cmd_i.op == mf_pkg::OpLoad;
      mh_q      <= 1'b0;
      unit_q    <= 1'b0;
      x0_q      <= slot_t'(cmd_i.a0);
      x1_q      <= slot_t'(cmd_i.a1);
      y_q       <= cmd_i.op == mf_pkg::OpLoad ? slot_t'(mf_pkg::SlotR) : slot_t'(cmd_i.b);
      dst0_q    <= slot_t'(cmd_i.dst0);
      dst1_q    <= slot_t'(cmd_i.dst1);
    end else if (set_run) begin
      two_q     <= 1'b0;
      outside_q <= run_outside;
      shift_q   <= run_shift;
      mh_q      <= run_mh;
      unit_q    <= run_unit;
      x0_q      <= slot_t'(set_x);
      y_q       <= slot_t'(set_y);
      dst0_q    <= slot_t'(set_dst);
    end
  end
  logic unused_bits; // slots need fewer bits
  assign unused_bits = ^{cmd_i, set_x, set_y, set_dst};

  // ---- wipe of the elements: at rest, then every slot for two clocks, then at rest ----
  logic               wipe_slot_q;
  logic [MemBits-1:0] wipe_addr_q; // from 0 on, so that nothing that is read afterwards is old
  always_ff @(posedge clk_i) begin
    wipe_addr_q <= MemBits'(walk_q);
    wipe_slot_q <= wiping && 32'(walk_q) >= Rest && 32'(walk_q) < Rest + 2 * NumSlots;
  end

  mf_mul_qp_systolic_front #(
    .NumDigits(NumDigits), .ModDigits(ModDigits), .NumSteps(NumSteps), .DigitBits(DigitBits),
    .NumSlots(NumSlots), .SlotBase(SlotBase), .NumElements(Folded ? NumElements : 0)
  ) u_front (
    .clk_i,
    .rst_i       (clear_q),
    .start_i     (start),
    .two_i       (two_q),
    .x0_i        (x0_q),
    .x1_i        (x1_q),
    .outside_i   (outside_q),
    .shift_i     (shift_q),
    .mh_i        (mh_q),
    .y_i         (y_q),
    .y_unit_i    (unit_q),
    .dst0_i      (dst0_q),
    .dst1_i      (dst1_q),
    .place_o     (head_place),
    .digit_i     (ser_digit),
    .rd_i        (state_q == StFetch),
    .slot_i      (x0_q),
    .index_i     (IndexBits'(walk_q >> 1)),
    .digit_o     (mem_digit),
    .wipe_i      (wipe_q),
    .wipe_slot_i (wipe_slot_q),
    .wipe_addr_i (wipe_addr_q),
    .token_o,
    .left_i
  );

endmodule
