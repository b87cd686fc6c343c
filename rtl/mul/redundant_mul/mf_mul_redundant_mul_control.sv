// SPDX-License-Identifier: Apache-2.0
/// Control of the redundant engines: commands, the cycles of a product, the set-up program.
///
/// Set-up: table or inverse of M; x = 1 and M are shifted left together until M has its highest
/// bit; x is doubled modulo that M up to R^2, halved back; M returns from its slot; R = R^2 / R.
///
/// Source   modfab; order of a product and of the final conversion: [NAKANO09] section 6.
/// Model    modfab.models.redundant.
/// Latency  see mf_mul_redundant_mul.
/// Assumes  the engine contract.
/// Ensures  the engine contract's order and cycles.
module mf_mul_redundant_mul_control #(
  parameter int unsigned NumSlots    = 8,  // slots, 8..128
  parameter int unsigned NumWords    = 8,  // words of the modulus
  parameter int unsigned Digits      = 16, // digits of an operand
  parameter int unsigned DigitBits   = 16,
  parameter int unsigned NormCycles  = 15, // cycles until no carry runs any more
  parameter int unsigned TableCycles = 16, // cycles to make the table or inverse
  parameter int unsigned WipeCycles  = 8,
  localparam int unsigned AddrBits   = $clog2(NumSlots),
  localparam int unsigned IndexBits  = $clog2(Digits + 1),
  localparam int unsigned WordBits   = $clog2(NumWords + 1)
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic                 zeroize_i,
  input  logic                 cmd_valid_i,
  output logic                 cmd_ready_o,
  input  mf_pkg::cmd_t         cmd_i,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic                 busy_o,
  output mf_pkg::status_e      status_o,

  input  mf_pkg::modulus_t     modulus_i,  // the loaded one
  input  logic [1:0]           m_top_i,    // highest two bits of M
  input  logic                 negative_i, // sign of the accumulator's next value
  output mf_mul_redundant_mul_pkg::control_t control_o,
  output mf_mul_redundant_mul_pkg::correction_t     correction_o, // for the next cycle
  output logic [IndexBits-1:0] next_o,     // the digit of b for the next cycle
  output logic [WordBits-1:0]  index_o,    // word of a load or store
  output logic [AddrBits-1:0]  dst_o,
  output logic [AddrBits-1:0]  src_a_o,    // one cycle ahead
  output logic [AddrBits-1:0]  src_b_o
);

  localparam int unsigned RBits = Digits * DigitBits;
  localparam int unsigned Long  = WipeCycles > 2 * RBits ? WipeCycles : 2 * RBits;
  localparam int unsigned CountBits = $clog2((TableCycles > Long ? TableCycles : Long) + 1);
  typedef logic [CountBits-1:0] count_t;
  typedef enum logic [4:0] {
    StWipe, StIdle, StLoad, StLoadEnd, StStep, StFix, StCompare, StReduce, StOut, StCheck, StTable,
    StOne, StShift, StDouble, StHalve, StPut, StReload, StModulus
  } state_e;

  state_e          state_q, state_d;
  count_t          count_q;          // cycles spent in the state
  count_t          shift_q, shift_d; // places M was shifted
  mf_pkg::cmd_t    cmd_q;
  mf_pkg::status_e status_q, check;
  mf_pkg::slot_t   a0_d, b_d;        // slots to read in the next cycle
  logic [AddrBits-1:0] late_dst_q;
  logic            setup_q, words_ok_q, late, late_q, half_d, half_q, take_b, to_mod, mod_shift;

  state_e after;
  logic   last, cmd_fire, in_fire, out_fire;
  assign in_ready_o  = state_q == StLoad;
  assign out_valid_o = state_q == StOut;
  assign busy_o      = state_q != StIdle;
  assign status_o    = status_q;
  assign in_fire     = in_valid_i && in_ready_o;
  assign out_fire    = out_valid_o && out_ready_i;
  assign cmd_ready_o = !rst_i && !zeroize_i && last && after == StIdle;
  assign cmd_fire    = cmd_valid_i && cmd_ready_o;
  logic unused_cmd; // this engine has one lane, and num_words is checked at acceptance
  assign unused_cmd  = ^{cmd_q.op, cmd_q.dst1, cmd_q.a1, cmd_q.num_words};

  mf_modulus_check u_check (.bad_words_i(!words_ok_q), .modulus_i, .status_o(check));

  // ---- what follows ----
  function automatic logic at(input int unsigned cycles);
    at = count_q == count_t'(cycles - 1);
  endfunction

  always_comb begin
    last  = 1'b1;
    after = StIdle;
    unique case (state_q)
      StWipe:    last = at(WipeCycles);
      StLoad:    begin last = in_fire && at(NumWords); after = StLoadEnd; end
      StStep:    begin last = at(Digits); after = StFix; end
      StCompare: begin last = at(NormCycles); after = StReduce; end
      StReduce:  begin last = at(NormCycles); after = StOut; end
      StOut:     last = out_fire && at(NumWords);
      StCheck:   if (check == mf_pkg::StatusOk) after = StTable;
      StTable:   begin last = at(TableCycles); after = StOne; end
      StOne:     after = StShift;
      StShift:   begin last = at(RBits); after = StDouble; end
      StDouble:  begin last = at(2 * RBits); after = StHalve; end
      StHalve:   begin last = at(RBits); after = StPut; end
      StPut:     after = StReload;
      StReload:  after = StModulus;
      StModulus: after = StStep;
      default:   last = 1'b1; // StIdle, StLoadEnd, StFix
    endcase
  end

  function automatic state_e first_state(input mf_pkg::op_e op);
    unique case (op)
      mf_pkg::OpLoad:  first_state = StLoad;
      mf_pkg::OpStore: first_state = StCompare;
      mf_pkg::OpSetup: first_state = StCheck;
      default:         first_state = StStep;
    endcase
  endfunction

  always_comb begin
    state_d = state_q;
    if (last)                 state_d = after;
    if (cmd_fire)             state_d = first_state(cmd_i.op);
    if (rst_i || zeroize_i)   state_d = StWipe;
    shift_d = shift_q;
    if (cmd_fire)             shift_d = '0;
    else if (mod_shift)     shift_d = shift_q + count_t'(1);
    else if (half_q)          shift_d = shift_q - count_t'(1);
  end

  always_ff @(posedge clk_i) begin
    state_q <= state_d;
    shift_q <= shift_d;
    half_q  <= half_d;
    if (rst_i || zeroize_i || cmd_fire || last) begin
      count_q <= '0;
    end else if (!(state_q inside {StLoad, StOut}) || in_fire || out_fire) begin
      count_q <= count_q + count_t'(1);
    end
    if (cmd_fire) begin
      cmd_q      <= cmd_i;
      setup_q    <= cmd_i.op == mf_pkg::OpSetup;
      words_ok_q <= cmd_i.num_words == '0 || cmd_i.num_words == 16'(NumWords);
    end else begin
      unique case (state_q)
        StWipe:    cmd_q <= '0; // slot numbers can depend on a secret exponent
        StCheck:   cmd_q.dst0 <= mf_pkg::SlotOne;
        StOne:     cmd_q.dst0 <= mf_pkg::SlotR2;
        StModulus: cmd_q.dst0 <= mf_pkg::SlotR;
        default: ;
      endcase
    end
    cmd_q.a0   <= a0_d;
    cmd_q.b    <= b_d;
    late_q     <= late;
    late_dst_q <= state_q == StWipe ? '0 : AddrBits'(cmd_q.dst0);
    if (state_q == StWipe) status_q <= mf_pkg::StatusNoModulus;
    else if (state_q == StCheck && check != mf_pkg::StatusOk) status_q <= check;
    else if (state_q == StLoadEnd && to_mod) status_q <= mf_pkg::StatusNoModulus;
    else if (state_q == StFix && setup_q) status_q <= mf_pkg::StatusOk;
  end

  always_comb begin
    a0_d = cmd_q.a0;
    b_d  = cmd_q.b;
    if (cmd_fire) begin
      a0_d = cmd_i.a0;
      b_d  = cmd_i.b;
    end else begin
      unique case (state_q)
        StWipe:    begin a0_d = '0; b_d = '0; end
        StPut:     a0_d = mf_pkg::SlotMod;
        StModulus: begin a0_d = mf_pkg::SlotR2; b_d = mf_pkg::SlotOne; end
        default: ;
      endcase
    end
  end

  // ---- to the data path ----
  logic begins_d, shift_m_d; // in the next cycle: a state begins, M is shifted
  logic passing_d;           // ... a carry runs on
  assign begins_d  = cmd_fire || last;
  assign shift_m_d = state_d == StShift && !(mod_shift ? m_top_i[0] : m_top_i[1]);
  assign passing_d = state_d inside {StCompare, StReduce};
  assign half_d    = state_d == StHalve && shift_d != '0;
  assign late      = state_q == StFix && !rst_i && !zeroize_i;
  assign take_b    = late && cmd_fire && cmd_i.b == cmd_q.dst0;
  assign to_mod    = cmd_q.dst0 == mf_pkg::SlotMod;
  assign mod_shift = state_q == StShift && !m_top_i[1];
  assign control_o = '{
    wipe:       state_q == StWipe,
    clear:      state_q == StWipe || state_q == StModulus || (last && after == StIdle),
    step:       state_q == StStep,
    step_d:     state_d == StStep,
    late:       late,
    write:      state_q inside {StWipe, StLoadEnd, StOne, StPut} || late_q,
    word:       state_q == StLoad,
    to_mod:     to_mod,
    mod_load:   state_q == StModulus || (state_q == StLoadEnd && to_mod),
    mod_shift:  mod_shift,
    make_table: state_q == StTable,
    take_a:     late && cmd_fire && cmd_i.a0 == cmd_q.dst0,
    take_b:     take_b,
    from_b:     (cmd_fire || state_q == StModulus) && !take_b,
    one:        state_q == StOne
  };
  assign correction_o = '{
    acc:     state_d inside {StLoadEnd, StOut, StPut, StTable}
             || (passing_d && !begins_d)
             || (state_d == StShift && !shift_m_d) || (state_d == StHalve && !half_d),
    twice:   shift_m_d || state_d == StDouble,
    half:    half_d,
    slot:    (passing_d && begins_d) || state_d == StReload,
    word:    state_d == StLoad,
    reduce:  state_d == StDouble,
    minus:   begins_d && (state_d == StCompare || (state_d == StReduce && !negative_i)),
    plus:    state_d == StTable
  };
  assign next_o  = IndexBits'(count_q) + IndexBits'(1);
  assign index_o = WordBits'(count_q);
  assign dst_o   = state_q == StWipe ? AddrBits'(count_q % count_t'(NumSlots))
                 : late_q ? late_dst_q : AddrBits'(cmd_q.dst0);
  assign src_a_o = AddrBits'(a0_d);
  assign src_b_o = AddrBits'(b_d);

endmodule
