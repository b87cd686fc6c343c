// SPDX-License-Identifier: Apache-2.0
/// Commands to the program of the array's element 0. Every command is a fixed number of clocks.
///
/// In a command, x counts clocks and y counts clocks from the first table phase on. Tables are
/// filled first: entry c at x = c - 1. Steps of lane L then have their table phase at y = 2i + L
/// and their sum phase a clock later, i = 0 .. NumDigits; a product begins them while its two last
/// multiples are still being made (mf_mul_systolic_head). README.md has the diagram.
///
/// Source   [BLUM01] section 4; deviations in README.md beside this file.
/// Model    modfab.models.mul_systolic_array.Program.
/// Latency  product: 2 * NumDigits + 2^RadixBits (+ 2 if RadixBits = 1); others in the catalogue.
/// Assumes  the engine contract (rtl/mul/README.md).
/// Ensures  the engine contract, with the array, the word units and mf_mul_systolic_neg.
module mf_mul_systolic_seq #(
  parameter int unsigned NumBits   = 256, // bits of the modulus
  parameter int unsigned NumSlots  = 8,   // slots of the contract
  parameter int unsigned RadixBits = 4,   // bits of a digit, 1..6
  parameter int unsigned NumDigits = 66,  // digits of an operand
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

  // Slots in the array. 1, R and R^2 of the contract are one value, since its R is 1.
  localparam addr_t SlotOne  = addr_t'(0);        // the array's R mod M
  localparam addr_t SlotR2   = addr_t'(1);        // its R^2; M^ for a while during set-up
  localparam addr_t SlotNeg  = addr_t'(2);        // -M
  localparam addr_t SlotMod  = addr_t'(3);        // M
  localparam addr_t SlotTemp = addr_t'(NumSlots); // read-out; 2R during set-up

  typedef enum logic [3:0] {
    StWipe, StIdle, StLoad, StLoadEnd, StCheck, StNeg, StHat, StFillM, StMul, StStore, StOut
  } state_e;

  state_e               state_q, state_d;
  logic                 last, cmd_fire;
  count_t               x_q, y_q, near, near_q; // near: x of the last clock but one
  logic                 end_q, final_q;    // last clock of the state, of the command
  logic                 y_on_q;
  logic                 new_q;             // first clock of the state
  addr_t                a0_q, a1_q, b_q, dst0_q, dst1_q;
  logic                 two_q, mod_q, load_q;
  logic                 bad_words_q;       // of the command that was accepted in the clock before
  logic [1:0]           pass_q;
  logic                 chain_q, times_q;  // set-up's products; it is the product with 2R
  logic [BitBits-1:0]   bit_q;
  logic                 bit_one_q, bit_end_q; // Chain[bit_q]; bit_q is 0; a clock behind it
  logic                 chain_end;
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
  // The last clock of a state with a fixed number of clocks is known one clock before, from the
  // second clock on; no such state but one that is said to be has a single clock.
  always_comb begin
    unique case (state_q)
      StWipe:  near = count_t'(WipeLast - 1);
      StNeg:   near = count_t'(NegLast - 1);
      StHat:   near = count_t'(HatLast - 1);
      StFillM: near = count_t'(FillLast == 0 ? 0 : FillLast - 1);
      StMul:   near = count_t'(MulStart + StepsLast - 1);
      default: near = count_t'(StoreStart + StepsLast - 1);
    endcase
  end

  assign chain_end = bit_end_q && (times_q || !Chain[0]);
  always_comb begin
    last    = end_q;
    state_d = StIdle;
    unique case (state_q)
      StLoad:    begin last = in_done_i; state_d = StLoadEnd; end
      StLoadEnd: begin last = 1'b1; state_d = mod_q ? StIdle : StMul; end
      StCheck:   begin last = 1'b1; state_d = check == mf_pkg::StatusOk ? StNeg : StIdle; end
      StNeg:     state_d = pass_q == 2'd2 ? StHat : StNeg;
      StHat:     state_d = StFillM;
      StFillM:   begin last = end_q || FillLast == 0; state_d = StMul; end
      StMul:     state_d = chain_q && !chain_end ? StMul : StIdle;
      StStore:   state_d = StOut;
      StOut:     last = out_done_i;
      StIdle:    last = 1'b1;
      default:   last = end_q; // StWipe
    endcase
  end
  assign cmd_ready_o = !rst_i && !zeroize_i
                       && (state_q == StIdle || final_q || (state_q == StLoadEnd && mod_q)
                           || (state_q == StOut && out_done_i));
  assign cmd_fire    = cmd_valid_i && cmd_ready_o;
  assign busy_o      = state_q != StIdle;
  assign status_o    = status_q;

  function automatic state_e first_state(input mf_pkg::op_e op);
    unique case (op)
      mf_pkg::OpLoad:  first_state = StLoad;
      mf_pkg::OpStore: first_state = StStore;
      mf_pkg::OpSetup: first_state = StCheck;
      default:         first_state = StMul;
    endcase
  endfunction

  // Where a counter stands is decided a clock ahead, so that no comparison is in the array's way.
  logic start_q;                           // x is that of y_start, if that is not 0
  logic y0_q, y1_q, y_new_q, y_old_q;      // y is 0, 1, StepsLast - 1, StepsLast
  logic digits_q, later_q;                 // y is 1 .. 2 * NumDigits; 3 or more
  logic shift_q;                           // StNeg: x is 2 * neg_shift + 2
  logic y_start;
  assign y_start = (state_q == StMul && (MulStart == 1 ? new_q : start_q))
                   || (state_q == StStore && (StoreStart == 1 ? new_q : start_q));
  always_ff @(posedge clk_i) begin
    start_q  <= (state_q == StMul && x_q == count_t'(MulStart - 2))
                || (state_q == StStore && x_q == count_t'(StoreStart - 2));
    shift_q  <= x_q == count_t'({neg_shift_i, 1'b1}); // never in the last clock of StNeg
    y0_q     <= y_start;
    y1_q     <= y0_q;
    y_new_q  <= y_on_q && y_q == count_t'(StepsLast - 2);
    y_old_q  <= y_new_q;
    digits_q <= y_on_q && y_q < count_t'(2 * NumDigits);
    later_q  <= y_on_q && y_q >= count_t'(2);
    if (rst_i || zeroize_i || end_q)
      {start_q, y0_q, y1_q, y_new_q, y_old_q, digits_q, later_q} <= '0;
  end

  always_ff @(posedge clk_i) begin
    new_q <= 1'b0;
    x_q   <= x_q + count_t'(1);
    y_q   <= y_q + count_t'(1);
    near_q   <= near;
    end_q    <= !new_q && x_q == near_q;
    final_q  <= !new_q && x_q == near_q && state_q == StMul && (!chain_q || chain_end);
    if (y_start) begin
      y_on_q <= 1'b1;
      y_q    <= '0;
    end
    if (rst_i || zeroize_i || cmd_fire || last) begin
      if (rst_i || zeroize_i) state_q <= StWipe;
      else if (cmd_fire)      state_q <= first_state(cmd_i.op);
      else                    state_q <= state_d;
      new_q  <= 1'b1;
      x_q    <= '0;
      y_on_q <= 1'b0;
      end_q   <= 1'b0;
      final_q <= 1'b0;
    end
    if (state_q == StWipe) status_q <= mf_pkg::StatusNoModulus;
    else if (state_q == StLoadEnd && mod_q) status_q <= mf_pkg::StatusNoModulus;
    else if (state_q == StCheck && check != mf_pkg::StatusOk) status_q <= check;
    else if (final_q && chain_q) status_q <= mf_pkg::StatusOk;
  end

  // ---- operands of the product; set-up's chain: 2R, squared, times 2R where RBits has a one ----
  always_ff @(posedge clk_i) begin
    load_q <= state_q == StLoad ? in_valid_i
              : state_q == StNeg && !x_q[0] && x_q >= count_t'(6);
    if (state_q == StWipe) begin // slot numbers can depend on a secret exponent
      {a0_q, a1_q, b_q, dst0_q, dst1_q} <= '0;
      {two_q, mod_q, chain_q, times_q}  <= '0;
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
    end else if (end_q && state_q == StNeg) begin
      pass_q <= pass_q + 2'd1;
    end else if (state_q == StFillM) begin
      chain_q <= 1'b1;
      times_q <= 1'b0;
      bit_q   <= BitBits'(ChainBits - 2);
      a0_q    <= SlotTemp;
      b_q     <= SlotTemp;
      dst0_q  <= SlotR2;
    end else if (end_q && state_q == StMul) begin
      a0_q    <= SlotR2;
      times_q <= !times_q && bit_one_q;
      b_q     <= !times_q && bit_one_q ? SlotTemp : SlotR2;
      if (times_q || !bit_one_q) bit_q <= bit_q - BitBits'(1);
    end
    bit_one_q   <= Chain[bit_q]; // a product is longer than a clock
    bit_end_q   <= bit_q == '0;
    bad_words_q <= cmd_i.num_words != '0 && cmd_i.num_words != 16'(NumWords);
  end

  // ---- word units ----
  assign units_o = '{
    in_run:    state_q == StLoad,
    in_note:   mod_q,
    out_start: state_q == StStore,
    out_en:    state_q == StOut && x_q[0],
    neg_start: state_q == StNeg && new_q,
    neg_en:    state_q == StNeg && !x_q[0] && x_q >= count_t'(4),
    neg_pass:  pass_q,
    wipe:      state_q == StWipe
  };
  always_ff @(posedge clk_i) wipe_word_o <= x_q < count_t'(NumWords) ? WordBits'(x_q) : '0;

  // ---- the program ----
  logic  steps, later, wipe_table, wipe_slot;
  addr_t src, inj_src;
  always_comb begin
    steps      = y_on_q && state_q inside {StMul, StStore};
    later      = steps && later_q;            // sum phases after the first step
    wipe_table = state_q == StWipe && x_q >= count_t'(WipeTables)
                 && x_q < count_t'(WipeTables + Entries);
    wipe_slot  = state_q == StWipe && x_q >= count_t'(WipeSlots)
                 && x_q < count_t'(WipeSlots + (1 << AddrBits)) && addr_t'(x_q) <= SlotTemp;

    unique case (state_q)
      StMul:   src = b_q;
      StFillM: src = SlotR2;
      StStore: begin
        if (x_q == count_t'(FillLast))        src = SlotOne;
        else if (x_q == count_t'(StoreStart)) src = a0_q;
        else                                  src = SlotNeg;
      end
      default: src = SlotMod;
    endcase
    tab_addr_o        = RadixBits'(x_q + count_t'(1));
    element_o.fill    = (state_q inside {StMul, StHat, StFillM} && x_q <= count_t'(FillLast))
                        || (state_q == StStore && x_q <= count_t'(StoreStart));
    element_o.first   = element_o.fill && (x_q == '0 || (state_q == StStore
                        && x_q inside {count_t'(FillLast), count_t'(StoreStart)}));
    element_o.we_b    = wipe_table || (state_q inside {StMul, StHat, StStore}
                                       && x_q <= count_t'(FillLast));
    element_o.we_m    = wipe_table || state_q == StFillM;
    source_o.find_mu  = state_q == StHat && x_q <= count_t'(FillLast);

    element_o.inj     = 1'b0;
    inj_src           = SlotMod;
    source_o.inj_lane = state_q == StMul && steps; // lane 0 is read in the clock before
    unique case (state_q)
      StMul: begin
        element_o.inj = y_start || (two_q && steps && y0_q);
        inj_src       = y_start ? a0_q : a1_q;
      end
      StStore: begin
        element_o.inj = steps && y_old_q;
        inj_src       = SlotTemp;
      end
      StNeg:   element_o.inj = shift_q;
      default: element_o.inj = 1'b0;
    endcase
    rd_addr_o         = element_o.inj && RadixBits > 2 ? inj_src : src;
    inj_addr_o        = inj_src;

    source_o.a_stream = state_q == StMul && (y_start || (steps && (y0_q || digits_q)));
    source_o.quot     = steps && digits_q;
    source_o.a_quot   = state_q == StStore;
    source_o.a_mu     = state_q == StHat && x_q == count_t'(FillLast + 1);
    unique case (state_q)
      StLoad:  a_const_o = in_digit_i;
      StNeg:   a_const_o = neg_digit_i;
      StStore: a_const_o = {RadixBits{y_start}};
      default: a_const_o = '0;
    endcase

    carry_o           = state_q == StHat && last;
    element_o.clear   = !later && !carry_o;
    element_o.late    = state_q == StStore && (later || (steps && y1_q));
    element_o.arm     = new_q && state_q inside {StLoad, StNeg};
    element_o.ld      = load_q;

    element_o.wr      = wipe_slot || (state_q == StHat && last)
                        || (steps && (y_new_q || (two_q && y_old_q)));
    unique case (state_q)
      StWipe:  wr_addr_o = addr_t'(x_q);
      StHat:   wr_addr_o = SlotR2;
      StStore: wr_addr_o = SlotTemp;
      StNeg:   wr_addr_o = pass_q == 2'd0 ? SlotNeg : pass_q == 2'd1 ? SlotOne : SlotTemp;
      default: wr_addr_o = state_q == StMul && y_old_q ? dst1_q : dst0_q;
    endcase
  end

endmodule
