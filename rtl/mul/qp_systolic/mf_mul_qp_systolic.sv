// SPDX-License-Identifier: Apache-2.0
/// Quotient-pipelined systolic Montgomery engine: two products every 2T + 4 clocks.
///
/// Source   modfab, after [ORUP95]; README.md beside this file has the derivation and the bounds.
/// Model    modfab.models.mul_qp_systolic (same values, same cycles).
/// Latency  product and pair: 2 * NumSteps + 4; all others in modfab.catalog.mul_qp_systolic.
/// Assumes  the engine contract (rtl/mul/README.md); operands are loaded after set-up.
/// Ensures  the engine contract with R = 2^(w * (NumSteps - 4)), w = DigitBits. A slot holds
///          v * 2^(2w) mod n for the integer v, below 2^(2w + 1) * n, in digits of w bits.
module mf_mul_qp_systolic #(
  parameter int unsigned NumBits   = 1024, // bits of the modulus, 64..8192
  parameter int unsigned NumSlots  = 8,    // slots, 8..128
  parameter int unsigned DigitBits = 18    // bits of a digit, 8..18
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

  if (NumBits < 64 || NumBits > 8192) begin : gen_check_bits
    $error("mf_mul_qp_systolic: NumBits must be 64..8192");
  end
  if (NumSlots < 8 || NumSlots > 128) begin : gen_check_slots
    $error("mf_mul_qp_systolic: NumSlots must be 8..128");
  end
  if (DigitBits < 8 || DigitBits > 18) begin : gen_check_digit
    $error("mf_mul_qp_systolic: DigitBits must be 8..18");
  end

  localparam int unsigned NumWords  = mf_pkg::words_of(NumBits);
  localparam int unsigned Guard     = 2; // digits of the private form's factor: quotient delay + 1
  localparam int unsigned ModDigits = (NumBits + DigitBits - 1) / DigitBits;
  localparam int unsigned NumDigits = (NumBits + Guard * DigitBits + DigitBits) / DigitBits;
  localparam int unsigned RDigits   = (NumBits + Guard * DigitBits + 1 + DigitBits) / DigitBits;
  localparam int unsigned NumSteps  = RDigits + 2;
  localparam int unsigned RBits     = DigitBits * (RDigits - Guard); // of the contract's R
  // Doublings of 1 that give, times 2^(w(NumDigits-1)) / 2^(w RDigits), the private form of R.
  localparam int unsigned Doublings = DigitBits * (2 * RDigits - NumDigits + 1);
  localparam int unsigned NumPlaces = NumDigits + 1;
  localparam int unsigned Drain     = 2 * NumDigits + 4;
  localparam int unsigned SlotBits  = $clog2(NumSlots + 1);
  localparam int unsigned IndexBits = $clog2(NumDigits);
  localparam int unsigned PlaceBits = $clog2(NumPlaces + 1);
  localparam int unsigned MemDepth  = 2 ** (SlotBits + IndexBits);
  localparam int unsigned WipeHold  = 2 * NumDigits + 16;
  localparam int unsigned WipeTime  = WipeHold + NumSlots + NumDigits + 4;
  localparam int unsigned WipeClocks = MemDepth > WipeTime ? MemDepth : WipeTime;
  localparam int unsigned CountBits = $clog2(WipeClocks + 1);
  localparam int unsigned FillBits  = $clog2(32 + DigitBits + 1);

  typedef logic [DigitBits-1:0] digit_t;
  typedef logic [SlotBits-1:0]  slot_t;
  typedef logic [CountBits-1:0] count_t;
  typedef logic [PlaceBits-1:0] place_t;
  localparam slot_t SlotScratch = slot_t'(NumSlots);

  // StCool: the array needs 3 clocks before a product that does not follow at once.
  typedef enum logic [3:0] {
    StWipe, StIdle, StCool, StRun, StDrain, StWords, StCheck, StSetup, StFetch, StReduce, StPack
  } state_e;
  state_e          state_q, state_d;
  mf_pkg::cmd_t    cmd_q;
  count_t          count_q;        // clocks spent in the state
  mf_pkg::status_e status_q, check;
  digit_t          low_q;          // lowest digit of the modulus
  logic            high_q, wide_q; // another digit is not zero; a bit at or above NumBits is set
  logic            last, cmd_fire, to_mod;
  assign to_mod = cmd_q.dst0 == mf_pkg::SlotMod;

  always_comb begin
    if (cmd_q.num_words != '0 && cmd_q.num_words != 16'(NumWords)) check = mf_pkg::StatusNumWords;
    else if (wide_q)                          check = mf_pkg::StatusModWide;
    else if (high_q)                          check = mf_pkg::StatusOk;
    else if (low_q == '0)                     check = mf_pkg::StatusModZero;
    else if (low_q == digit_t'(1))            check = mf_pkg::StatusModOne;
    else                                      check = mf_pkg::StatusOk;
    if (check == mf_pkg::StatusOk && !low_q[0]) check = mf_pkg::StatusModEven;
  end

  // ---- words to digits and back: bits_q holds fill_q bits that wait ----
  logic [32+DigitBits-1:0] bits_q;
  logic [FillBits-1:0]     fill_q;
  place_t                  place_q;     // digit being written or fetched
  logic [15:0]             words_q;     // words moved
  logic                    fetched_q;   // a digit of the memory was asked for one clock ago
  logic                    want, take, wrote, out_fire, append;
  digit_t                  new_digit;
  place_t                  low_place;
  logic [31:0]             above;       // bits of a word at or above NumBits
  localparam int unsigned TopBits = NumBits % 32 == 0 ? 32 : NumBits % 32; // used in the last word
  assign low_place   = to_mod ? '0 : place_t'(Guard); // a private form has Guard zero digits below
  assign want        = place_q >= low_place && 32'(place_q) < 32'(low_place) + ModDigits;
  assign in_ready_o  = state_q == StWords && want && 32'(fill_q) < DigitBits
                       && 32'(words_q) < NumWords;
  assign take        = in_ready_o && in_valid_i;
  assign wrote       = state_q == StWords && !in_ready_o;
  assign new_digit   = want ? bits_q[DigitBits-1:0] : '0;
  assign above       = TopBits == 32 ? '0 : in_data_i >> TopBits;
  assign out_valid_o = state_q == StPack && 32'(fill_q) >= 32;
  assign out_data_o  = bits_q[31:0];
  assign out_fire    = out_valid_o && out_ready_i;
  assign append      = state_q == StPack && fetched_q && 32'(fill_q) < 32;

  // ---- control ----
  logic   run_last, ser_done, setup_done;
  digit_t ser_digit, mem_digit; // digits read in the serial unit and in the x memory
  always_comb begin
    last    = 1'b1;
    state_d = StIdle;
    unique case (state_q)
      StWipe:  last = 32'(count_q) == WipeClocks - 1;
      StIdle:  last = 1'b1;
      StCool:  last = count_q == count_t'(2);
      StRun:   begin last = run_last; state_d = StCool; end
      StDrain: begin
        last    = 32'(count_q) == Drain - 1;
        state_d = cmd_q.op == mf_pkg::OpLoad ? StWords : StFetch;
      end
      StWords: begin
        last    = wrote && 32'(place_q) == NumPlaces - 1;
        state_d = to_mod ? StIdle : StRun;
      end
      StCheck: state_d = check == mf_pkg::StatusOk ? StSetup : StIdle;
      StSetup: begin last = setup_done; state_d = StCool; end
      StFetch: begin last = fetched_q && 32'(place_q) == NumPlaces; state_d = StReduce; end
      StReduce: begin last = ser_done && count_q == count_t'(3); state_d = StPack; end
      StPack:  last = out_fire && 32'(words_q) == NumWords - 1;
      default: last = 1'b1;
    endcase
  end
  assign cmd_ready_o = !rst_i && !zeroize_i && (state_q == StIdle
                       || (last && (state_d == StIdle || state_d == StCool) && state_q != StCool));
  assign cmd_fire    = cmd_valid_i && cmd_ready_o;
  assign busy_o      = !(state_q inside {StIdle, StCool});
  assign status_o    = status_q;

  function automatic state_e first_state(input mf_pkg::op_e op);
    unique case (op)
      mf_pkg::OpLoad, mf_pkg::OpStore: first_state = StDrain;
      mf_pkg::OpSetup:                 first_state = StCheck;
      default:                         first_state = StRun;
    endcase
  endfunction

  always_ff @(posedge clk_i) begin
    if (rst_i || zeroize_i) begin
      state_q <= StWipe;
      count_q <= '0;
    end else if (cmd_fire) begin
      state_q <= first_state(cmd_i.op);
      count_q <= '0;
    end else if (last) begin
      state_q <= state_d;
      count_q <= '0;
    end else if (state_q != StReduce || ser_done) begin
      count_q <= count_q + count_t'(1); // StReduce counts operations
    end
    if (cmd_fire) cmd_q <= cmd_i;
    else if (state_q == StWipe) cmd_q <= '0; // slot numbers can depend on a secret exponent
    if (state_q == StWipe || (state_q == StWords && to_mod)) status_q <= mf_pkg::StatusNoModulus;
    else if (state_q == StCheck && check != mf_pkg::StatusOk) status_q <= check;
    else if (setup_done) status_q <= mf_pkg::StatusOk;
  end

  always_ff @(posedge clk_i) begin
    fetched_q <= !last && (state_q == StFetch
                           || (state_q == StPack && 32'(fill_q) < 32 && !append));
    if (state_q == StWipe) begin
      {low_q, high_q, wide_q} <= '0;
    end else if (state_q == StWords && to_mod) begin
      if (take && 32'(words_q) == NumWords - 1) wide_q <= above != '0;
      if (wrote && place_q == '0) begin
        low_q  <= new_digit;
        high_q <= 1'b0;
      end else if (wrote && new_digit != '0) begin
        high_q <= 1'b1;
      end
    end
    if (!(state_q inside {StWords, StFetch, StPack}) || (state_q == StFetch && last)) begin
      {bits_q, fill_q, place_q, words_q} <= '0;
    end else if (take) begin
      bits_q  <= bits_q | ((32+DigitBits)'(in_data_i) << fill_q);
      fill_q  <= fill_q + FillBits'(32);
      words_q <= words_q + 16'd1;
    end else if (wrote) begin
      place_q <= place_q + place_t'(1);
      bits_q  <= want ? bits_q >> DigitBits : bits_q;
      if (want) fill_q <= 32'(fill_q) < DigitBits ? '0 : fill_q - FillBits'(DigitBits);
    end else if (out_fire) begin
      bits_q  <= bits_q >> 32;
      fill_q  <= fill_q - FillBits'(32);
      words_q <= words_q + 16'd1;
    end else if (append) begin
      bits_q  <= bits_q | ((32+DigitBits)'(32'(place_q) < NumPlaces ? ser_digit : '0) << fill_q);
      fill_q  <= fill_q + FillBits'(DigitBits);
      if (32'(place_q) < NumPlaces) place_q <= place_q + place_t'(1);
    end else if (state_q == StFetch) begin
      place_q <= place_q + place_t'(1);
    end
  end

  // ---- set-up ----
  logic             set_ser_start, set_ser_value, learn, to_array, to_mem, one, set_run;
  logic             run_scratch, run_unit;
  logic [2:0]       set_ser_op;
  mf_pkg::slot_t    set_x, set_y, set_dst;
  logic [IndexBits-1:0] one_index;
  logic unused_bits; // both lanes go to the array with the command; slots need fewer bits
  assign unused_bits = ^{cmd_q, set_x, set_y, set_dst};
  mf_mul_qp_systolic_setup #(
    .DigitBits(DigitBits), .NumDigits(NumDigits), .Doublings(Doublings), .RBits(RBits),
    .Drain(Drain)
  ) u_setup (
    .clk_i,
    .rst_i         (rst_i || zeroize_i),
    .start_i       (state_q == StCheck && check == mf_pkg::StatusOk),
    .done_o        (setup_done),
    .ser_start_o   (set_ser_start),
    .ser_op_o      (set_ser_op),
    .ser_value_o   (set_ser_value),
    .learn_o       (learn),
    .ser_done_i    (ser_done),
    .to_array_o    (to_array),
    .to_mem_o      (to_mem),
    .one_o         (one),
    .one_index_o   (one_index),
    .run_o         (set_run),
    .run_x_o       (set_x),
    .run_scratch_o (run_scratch),
    .run_y_o       (set_y),
    .run_unit_o    (run_unit),
    .run_dst_o     (set_dst),
    .run_last_i    (run_last)
  );

  // ---- serial unit: set-up, and the reduction of a result (Reduce twice, Subtract twice) ----
  logic   wiping, ser_start, ser_send, reduce_go_q;
  place_t ser_send_place;
  assign wiping    = state_q == StWipe;
  assign ser_start = set_ser_start || (state_q == StReduce && reduce_go_q);
  always_ff @(posedge clk_i) begin
    reduce_go_q <= (state_q == StFetch && last) || (state_q == StReduce && ser_done && !last);
  end
  mf_mul_qp_systolic_serial #(.NumPlaces(NumPlaces), .DigitBits(DigitBits)) u_serial (
    .clk_i,
    .rst_i        (rst_i || zeroize_i),
    .start_i      (ser_start),
    .op_i         (set_ser_start ? set_ser_op : count_q < count_t'(2) ? 3'd4 : 3'd3),
    .value_i      (digit_t'(set_ser_value)),
    .learn_i      (learn),
    .wipe_i       (wiping),
    .done_o       (ser_done),
    .mod_we_i     (wrote && to_mod),
    .val_we_i     (state_q == StFetch && fetched_q),
    .we_place_i   (wiping ? place_t'(count_q)
                   : state_q == StFetch ? place_q - place_t'(1) : place_q),
    .we_digit_i   (wiping ? '0 : state_q != StFetch ? new_digit
                   : 32'(place_q) <= NumDigits ? mem_digit : '0),
    .rd_en_i      (state_q == StPack),
    .rd_place_i   (place_q),
    .send_o       (ser_send),
    .send_place_o (ser_send_place),
    .digit_o      (ser_digit)
  );

  // ---- array ----
  logic                 mem_we, inc_q, load_run;
  slot_t                mem_slot;
  logic [IndexBits-1:0] mem_index;
  digit_t               mem_we_digit;
  logic [DigitBits:0]   plus_one;
  assign plus_one = {1'b0, ser_digit} + (DigitBits+1)'(inc_q); // mh = (halved value) + 1
  assign load_run = state_q == StWords && last && !to_mod;
  always_ff @(posedge clk_i) begin
    if (ser_start) inc_q <= 1'b1;
    else if (ser_send) inc_q <= plus_one[DigitBits];
  end
  always_comb begin
    mem_we       = ser_send && to_mem && 32'(ser_send_place) < NumDigits;
    mem_slot     = SlotScratch;
    mem_index    = IndexBits'(ser_send_place);
    mem_we_digit = to_array ? plus_one[DigitBits-1:0] : ser_digit;
    if (wiping) begin
      mem_we = 1'b1;
      {mem_slot, mem_index} = (SlotBits + IndexBits)'(count_q);
      mem_we_digit = '0;
    end else if (state_q == StWords) begin
      mem_we       = wrote && !to_mod && 32'(place_q) < NumDigits;
      mem_index    = IndexBits'(place_q);
      mem_we_digit = new_digit;
    end else if (state_q == StFetch) begin
      mem_slot  = slot_t'(cmd_q.a0);
      mem_index = IndexBits'(place_q);
    end else if (one) begin
      mem_we       = 1'b1;
      mem_index    = one_index;
      mem_we_digit = digit_t'(32'(one_index) == Guard); // the private form of 1
    end
  end

  logic is_product;
  assign is_product = cmd_fire && (cmd_i.op == mf_pkg::OpMul || cmd_i.op == mf_pkg::OpMul2);
  mf_mul_qp_systolic_head #(
    .NumDigits(NumDigits), .ModDigits(ModDigits), .NumSteps(NumSteps), .DigitBits(DigitBits),
    .NumSlots(NumSlots)
  ) u_head (
    .clk_i,
    .rst_i       (rst_i || zeroize_i),
    .start_i     (is_product || load_run || set_run),
    .two_i       (is_product && cmd_i.op == mf_pkg::OpMul2),
    .x0_i        (is_product ? slot_t'(cmd_i.a0)
                  : load_run || run_scratch ? SlotScratch : slot_t'(set_x)),
    .x1_i        (slot_t'(cmd_i.a1)),
    .y_i         (is_product ? slot_t'(cmd_i.b)
                  : load_run ? slot_t'(mf_pkg::SlotR) : slot_t'(set_y)),
    .y_unit_i    (set_run && run_unit),
    .dst0_i      (is_product ? slot_t'(cmd_i.dst0) : load_run ? slot_t'(cmd_q.dst0)
                  : slot_t'(set_dst)),
    .dst1_i      (slot_t'(cmd_i.dst1)),
    .last_o      (run_last),
    .we_i        (mem_we),
    .rd_i        (state_q == StFetch),
    .slot_i      (mem_slot),
    .index_i     (mem_index),
    .digit_i     (mem_we_digit),
    .digit_o     (mem_digit),
    .m_clear_i   (set_ser_start && to_array),
    .m_valid_i   (ser_send && to_array && 32'(ser_send_place) < ModDigits),
    .wipe_i      (wiping),
    .wipe_slot_i (wiping && 32'(count_q) >= WipeHold && 32'(count_q) < WipeHold + NumSlots)
  );

endmodule
