// SPDX-License-Identifier: Apache-2.0
/// Control of the booth16 engine: commands, the cycles of a product, and the set-up program.
///
/// Set-up makes R mod M from 1 by doubling, x <- 2x - M for x >= 0, else 2x + M, and R^2 mod M by
/// square and double over the bits of log2 R. A doubling is two cycles of the array: h * M, then
/// (h * M + h * M) / 2h + 2x, with h = +- 2^DigitBits / 2 as both digits; then the carry.
///
/// Source   modfab; the order of a product's cycles is [NGUYEN20] Algorithm 2.
/// Model    modfab.models.mul_booth16.
/// Latency  see mf_mul_booth16.
/// Assumes  the engine contract.
/// Ensures  the engine contract's order and cycles.
module mf_mul_booth16_control #(
  parameter int unsigned NumSlots     = 8,   // slots, 8..128
  parameter int unsigned NumWords     = 8,   // words of the modulus
  parameter int unsigned NumBanks     = 9,   // words of a slot, sign bit included
  parameter int unsigned NumDigits    = 65,  // digits of a multiplier
  parameter int unsigned DigitBits    = 4,   // bits of a digit
  parameter bit          Booth        = 1,   // digits are signed by themselves
  parameter int unsigned WordAddrBits = 4,
  localparam int unsigned AddrBits    = $clog2(NumSlots),
  localparam int unsigned CountBits   = $clog2(NumDigits + 2)
) (
  input  logic                    clk_i,
  input  logic                    rst_i,
  input  logic                    zeroize_i,
  input  logic                    cmd_valid_i,
  output logic                    cmd_ready_o,
  input  mf_pkg::cmd_t            cmd_i,
  input  logic                    in_valid_i,
  output logic                    in_ready_o,
  output logic                    out_valid_o,
  input  logic                    out_ready_i,
  output logic                    busy_o,
  output mf_pkg::status_e         status_o,

  input  mf_pkg::modulus_t        modulus_i,    // the loaded one
  input  logic                    sign_i,       // of the sum, in its last pass
  output mf_mul_booth16_pkg::control_t control_o,
  output logic [NumBanks-1:0]     bank_o,       // write the word to these banks
  output mf_mul_booth16_pkg::columns_t columns_o, // one cycle ahead, as the addresses of slots are
  output logic [AddrBits-1:0]     dst_o,
  output logic [AddrBits-1:0]     src_a_o,
  output logic [AddrBits-1:0]     src_b_o,
  output logic [CountBits-1:0]    digit_o,
  output logic [WordAddrBits-1:0] word_o
);

  localparam int unsigned RBits    = NumDigits * DigitBits;
  localparam int unsigned StepBits = $clog2(RBits + 1);
  typedef logic [CountBits-1:0] count_t;
  typedef logic [StepBits-1:0]  step_t;
  localparam step_t RBitsSet = step_t'(RBits); // its bits are the program of square and double
  typedef enum logic [4:0] {
    StWipe, StIdle, StLoad, StLoadEnd, StCheck, StOne, StRest, StFetch, StDoubleM, StDoubleX,
    StStep, StAdd1, StAdd2, StAdd3, StGet, StGetMod, StOut
  } state_e;

  state_e                  state_q, state_d, after;
  mf_pkg::cmd_t            cmd_q, cmd_d;
  mf_pkg::status_e         status_q;
  count_t                  digit_q;   // number of the digit after the one in the array
  logic [WordAddrBits-1:0] word_q;    // word of a load or store
  logic                    setup_q;   // the products and doublings are those of a set-up
  logic                    double_q, double_d; // the next or running one is a doubling
  logic                    square_q;  // R is done: square and double towards R^2
  step_t                   step_q;    // doublings done, then the bit of RBits
  logic                    sign_q;    // of the value written last
  logic                    last, cmd_fire, in_fire, out_fire, last_word;
  // Whether a state is at its end, found a cycle before: `last` is in front of much logic.
  logic                    wipe_end_q, step_end_q, setup_end_q;
  logic                    write_all_q; // the sum is written to all banks
  logic                    to_mod;      // the written value is also the modulus

  assign in_ready_o  = state_q == StLoad;
  assign out_valid_o = state_q == StOut;
  assign busy_o      = state_q != StIdle;
  assign status_o    = status_q;
  assign in_fire     = in_valid_i && in_ready_o;
  assign out_fire    = out_valid_o && out_ready_i;
  assign to_mod      = cmd_q.dst0 == mf_pkg::SlotMod;
  assign last_word   = word_q == WordAddrBits'(NumWords - 1);
  assign cmd_ready_o = !rst_i && !zeroize_i && last && after == StIdle;
  assign cmd_fire    = cmd_valid_i && cmd_ready_o;
  logic unused_cmd; // this engine has one lane, and num_words is checked at acceptance
  assign unused_cmd  = ^{cmd_q.op, cmd_q.dst1, cmd_q.a1, cmd_q.num_words};

  mf_pkg::status_e check;
  logic            words_ok_q;
  mf_modulus_check u_check (.bad_words_i(!words_ok_q), .modulus_i, .status_o(check));

  // ---- what follows ----
  always_comb begin
    last  = 1'b1;
    after = StIdle;
    unique case (state_q)
      StWipe:    last = write_all_q && wipe_end_q;
      StLoad:    begin last = in_fire && last_word; after = StLoadEnd; end
      StCheck:   if (check == mf_pkg::StatusOk) after = StOne;
      StOne:     after = StRest;
      StRest:    after = StFetch;
      StFetch:   after = double_q ? StDoubleM : StStep;
      StDoubleM: after = StDoubleX;
      StDoubleX: after = StAdd1;
      StStep:    begin last = step_end_q; after = StAdd1; end
      StAdd1:    after = StAdd2;
      StAdd2:    after = StAdd3;
      StAdd3:    if (setup_q && !setup_end_q) after = StFetch;
      StGet:     after = StGetMod;
      StGetMod:  after = StOut;
      StOut:     begin last = out_ready_i; if (!last_word) after = StGet; end
      default:   last = 1'b1; // StIdle, StLoadEnd
    endcase
  end

  function automatic state_e first_state(input mf_pkg::op_e op);
    unique case (op)
      mf_pkg::OpLoad:  first_state = StLoad;
      mf_pkg::OpStore: first_state = StGet;
      mf_pkg::OpSetup: first_state = StCheck;
      default:         first_state = StFetch;
    endcase
  endfunction

  always_comb begin
    if (rst_i || zeroize_i) state_d = StWipe;
    else if (cmd_fire)      state_d = first_state(cmd_i.op);
    else                    state_d = last ? after : state_q;
  end

  // ---- the set-up program ----
  // After a doubling at bit step_q of RBits comes the square for the next lower bit; after a
  // square, the doubling if that bit is set.
  logic bit_set, double_next;
  assign bit_set     = |(RBitsSet & (step_t'(1) << step_q));
  assign double_next = !square_q || (!double_q && bit_set);
  assign double_d    = cmd_fire ? cmd_i.op == mf_pkg::OpSetup
                     : state_q == StAdd3 ? double_next : double_q;

  always_ff @(posedge clk_i) begin
    state_q  <= state_d;
    double_q <= double_d;
    wipe_end_q  <= state_q == StWipe && write_all_q
                   && cmd_q.dst0 == mf_pkg::slot_t'(NumSlots - 2);
    step_end_q  <= digit_q == count_t'(NumDigits);
    setup_end_q <= square_q && step_q == '0 && (double_q || !bit_set);
    if (cmd_fire) begin
      setup_q    <= cmd_i.op == mf_pkg::OpSetup;
      square_q   <= 1'b0;
      step_q     <= '0;
      words_ok_q <= cmd_i.num_words == '0 || cmd_i.num_words == 16'(NumWords);
    end else if (state_q == StAdd3) begin
      if (!square_q && step_q == step_t'(RBits - 1)) begin
        square_q <= 1'b1;
        step_q   <= step_t'(StepBits - 1);
      end else if (!square_q) begin
        step_q   <= step_q + step_t'(1);
      end else if (!double_next) begin
        step_q   <= step_q - step_t'(1);
      end
    end
    if (state_q inside {StOne, StWipe}) sign_q <= 1'b0;
    else if (state_q == StAdd3) sign_q <= sign_i;
  end

  // Slots: those of the command, or those of the set-up: 1 -> R, R -> R, R -> R^2, R^2 -> R^2.
  always_comb begin
    cmd_d = cmd_q;
    if (cmd_fire) begin
      cmd_d = cmd_i;
      if (cmd_i.op == mf_pkg::OpSetup) cmd_d.dst0 = mf_pkg::SlotOne;
    end else if (state_q == StRest) begin
      cmd_d.b    = mf_pkg::SlotOne;
      cmd_d.dst0 = mf_pkg::SlotR;
    end else if (state_q == StAdd3) begin
      cmd_d.a0   = cmd_q.dst0; // that of a set-up: a square, or a doubling of the value written
      cmd_d.b    = cmd_q.dst0;
      if (!square_q && step_q == step_t'(RBits - 1)) cmd_d.dst0 = mf_pkg::SlotR2;
    end else if (state_q == StWipe) begin
      if (write_all_q) cmd_d.dst0 = cmd_q.dst0 + mf_pkg::slot_t'(1);
      else cmd_d = '0; // slot numbers can depend on a secret exponent
    end
  end
  always_ff @(posedge clk_i) cmd_q <= cmd_d;

  always_ff @(posedge clk_i) begin
    if (state_q == StWipe) status_q <= mf_pkg::StatusNoModulus;
    else if (state_q == StCheck && check != mf_pkg::StatusOk) status_q <= check;
    else if (state_q == StLoadEnd && to_mod) status_q <= mf_pkg::StatusNoModulus;
    else if (state_q == StAdd3 && setup_q && setup_end_q) status_q <= mf_pkg::StatusOk;
    if (cmd_fire) word_q <= '0;
    else if (in_fire || out_fire) word_q <= word_q + WordAddrBits'(1);
    if (state_q inside {StFetch, StStep}) digit_q <= digit_q + count_t'(1);
    else digit_q <= '0;
  end

  // ---- to the data path; what drives many bits comes from a register ----
  logic wipe_q, write_all_d;
  logic half, two, minus;
  logic wipe_first; // the accumulator still holds its old value
  assign wipe_first  = state_q == StWipe && !write_all_q;
  assign write_all_d = !rst_i && !zeroize_i && (state_d == StAdd3
                       || (state_d == StWipe && (wipe_first || write_all_q)));
  assign columns_o   = '{
    wipe:      state_d == StWipe,
    write_all: write_all_d,
    fetch:     state_d inside {StFetch, StDoubleM},
    run:       state_d inside {StStep, StDoubleM, StDoubleX},
    clear:     !(state_d inside {StStep, StDoubleM, StDoubleX, StAdd1, StAdd2})
  };
  assign dst_o   = AddrBits'(cmd_d.dst0);
  assign src_a_o = state_d inside {StGetMod, StOut} ? AddrBits'(mf_pkg::SlotMod)
                                                    : AddrBits'(cmd_d.a0);
  assign src_b_o = state_d == StFetch && double_d ? AddrBits'(mf_pkg::SlotMod)
                                                  : AddrBits'(cmd_d.b);
  always_ff @(posedge clk_i) begin
    wipe_q      <= state_d == StWipe;
    write_all_q <= write_all_d;
    bank_o      <= '0;
    if (!rst_i && !zeroize_i) begin
      if (in_fire) begin
        for (int unsigned b = 0; b < NumBanks; b++)
          bank_o[b] <= b < NumWords ? word_q == WordAddrBits'(b) : last_word;
      end else if (state_q == StCheck && check == mf_pkg::StatusOk) begin
        bank_o <= NumBanks'(1);
      end else if (state_q == StOne) begin
        bank_o <= ~NumBanks'(1);
      end
    end
  end
  assign half    = state_q == StFetch && double_q;
  assign two     = state_q == StDoubleM;
  assign minus   = !sign_q;
  assign digit_o = digit_q;
  assign word_o  = word_q;
  assign control_o = '{
    wipe:      wipe_q,
    start:     cmd_fire,
    constant:  state_q == StCheck && check == mf_pkg::StatusOk,
    to_mod:    to_mod,
    get:       state_q inside {StGet, StGetMod, StOut},
    get_slot:  state_q == StGet,
    first:     state_q == StFetch,
    no_digit:  digit_q >= count_t'(NumDigits),
    top_digit: half ? minus : !two && digit_q == count_t'(NumDigits - 1),
    top_quot:  two ? minus : !Booth && digit_q == count_t'(NumDigits),
    half:      half,
    minus:     minus,
    two:       two,
    second:    state_q == StAdd2
  };

endmodule
