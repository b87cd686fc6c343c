// SPDX-License-Identifier: Apache-2.0
/// Control of the pipelined redundant engine: commands, cycles of a pair of products, the programs
/// of set-up and conversion.
///
/// Set-up: 1 halved to M^ = 2^-(GuardBits-1) mod M; 1 and M shifted left until M has its highest
/// bit, 1 doubled modulo that M up to R^2, both shifted back; R and the factor of the conversion
/// are a pair of products. Conversion: a product that brings in 2^GuardBits, GuardBits halvings,
/// M is subtracted, and added back if the difference is negative.
///
/// Source   modfab.
/// Model    modfab.models.redundant_pipe.
/// Latency  see mf_mul_redundant_mul_pipe.
/// Assumes  the engine contract.
/// Ensures  the engine contract's order and cycles.
module mf_mul_redundant_mul_pipe_control #(
  parameter int unsigned NumSlots  = 8,   // slots of the contract; one more is for conversions
  parameter int unsigned NumWords  = 2,   // words of the modulus
  parameter int unsigned Steps     = 9,   // of a product
  parameter int unsigned Digits    = 7,   // of a slot
  parameter int unsigned ShiftBits = 64,  // bits that hold M
  parameter int unsigned RBits     = 112,
  parameter int unsigned GuardBits = 33,
  localparam int unsigned AddrBits = $clog2(NumSlots + 1)
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic                zeroize_i,
  input  logic                cmd_valid_i,
  output logic                cmd_ready_o,
  input  mf_pkg::cmd_t        cmd_i,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  output logic                out_valid_o,
  input  logic                out_ready_i,
  output logic                busy_o,
  output mf_pkg::status_e     status_o,

  input  mf_pkg::modulus_t    modulus_i,    // the loaded one
  input  logic                m_top_i,      // highest bit of M
  output mf_mul_redundant_mul_pkg::pipe_control_t control_o,
  output mf_mul_redundant_mul_pkg::words_t        words_o
);

  localparam int unsigned MulCycles  = 2 * Steps + 8;
  localparam int unsigned Depth      = NumSlots + 1;
  localparam int unsigned WipeCycles = Depth + 20;
  localparam int unsigned MulBits    = MulCycles > WipeCycles ? MulCycles : WipeCycles;
  localparam int unsigned OpsBits    = 2 * RBits > NumWords ? 2 * RBits : NumWords;
  localparam int unsigned CountBits  = $clog2((OpsBits > MulBits ? OpsBits : MulBits) + 1);
  localparam logic [2:0] FromOne = 3'd1, FromGuard = 3'd2, FromSlot = 3'd3, FromSame = 3'd4,
                         FromDouble = 3'd5;
  localparam logic [2:0] AddOdd = 3'd1, AddMinus = 3'd2, AddNegative = 3'd3, AddAuto = 3'd4;
  typedef logic [CountBits-1:0] count_t;
  typedef logic [AddrBits-1:0]  addr_t;
  localparam addr_t Scratch = addr_t'(NumSlots);
  localparam addr_t SlotMod = addr_t'(mf_pkg::SlotMod);
  typedef enum logic [4:0] {
    StWipe, StIdle, StLoad, StLoadEnd, StMul, StWords, StOut, StCheck,
    // operations of the adder from here on
    StTake, StHalve, StMinus, StPlus,
    StOne, StPutOne, StInverse, StCarry, StGuard, StPutGuard, StUnit, StShift, StDouble, StBack,
    StPutR2
  } state_e;

  state_e          state_q, after, enters;
  count_t          count_q;             // cycles, words or operations done in the state
  count_t          turn_q;              // count before the last; behind the state by a cycle
  logic            end_q, fresh_q;      // last, first cycle of the state
  logic [2:0]      phase_q;             // cycle of an operation
  logic            start, m_left;       // cycle 0 of an operation of the adder; M is shifted left
  logic            last, adder, fire_in, fire_out, cmd_fire, begins_mul, shift_back;
  logic            setup_q, store_q, two_q, to_mod_q, words_ok_q;
  addr_t           dst0_q, dst1_q, a0_q, a1_q, b_q;
  logic [$clog2(ShiftBits+1)-1:0] shift_q; // places M was shifted
  mf_pkg::status_e status_q, check;

  assign adder       = state_q >= StTake;
  assign in_ready_o  = state_q == StLoad;
  assign out_valid_o = state_q == StOut;
  assign busy_o      = state_q != StIdle;
  assign status_o    = status_q;
  assign fire_in     = in_valid_i && in_ready_o;
  assign fire_out    = out_valid_o && out_ready_i;
  assign cmd_ready_o = !rst_i && !zeroize_i && last && after == StIdle;
  assign cmd_fire    = cmd_valid_i && cmd_ready_o;
  assign begins_mul  = cmd_fire ? cmd_i.op inside {mf_pkg::OpMul, mf_pkg::OpMul2, mf_pkg::OpStore}
                                : last && after == StMul;

  mf_modulus_check u_check (.bad_words_i(!words_ok_q), .modulus_i, .status_o(check));

  // ---- what follows, and how long a state is: in cycles, words or operations ----
  function automatic logic at(input int unsigned count);
    at = count_q == count_t'(count - 1);
  endfunction

  function automatic count_t units(input state_e state);
    unique case (state)
      StWipe:         units = count_t'(WipeCycles);
      StLoad, StOut:  units = count_t'(NumWords);
      StLoadEnd:      units = count_t'(3);
      StMul:          units = count_t'(MulCycles);
      StHalve:        units = count_t'(GuardBits);
      StMinus, StPlus: units = count_t'(Digits - 1);
      StWords:        units = count_t'(3);
      StInverse:      units = count_t'(GuardBits - 1);
      StShift, StBack: units = count_t'(ShiftBits);
      StDouble:       units = count_t'(2 * RBits);
      default:        units = count_t'(1);
    endcase
  endfunction

  always_comb begin
    after = StIdle;
    unique case (state_q)
      StLoad:     after = StLoadEnd;
      StMul:      if (store_q) after = StTake;
      StTake:     after = StHalve;
      StHalve:    after = StMinus;
      StMinus:    after = StPlus;
      StPlus:     after = StWords;
      StWords:    after = StOut;
      StCheck:    if (check == mf_pkg::StatusOk) after = StOne;
      StOne:      after = StPutOne;
      StPutOne:   after = StInverse;
      StInverse:  after = StCarry;
      StCarry:    after = StGuard;
      StGuard:    after = StPutGuard;
      StPutGuard: after = StUnit;
      StUnit:     after = StShift;
      StShift:    after = StDouble;
      StDouble:   after = StBack;
      StBack:     after = StPutR2;
      StPutR2:    after = StMul;
      default:    after = StIdle;
    endcase
  end

  // end_q: this is the last cycle, or with the words of a stream, the last word.
  logic stream, fire;
  assign stream = state_q inside {StLoad, StOut};
  assign fire   = fire_in || fire_out;
  assign last   = end_q && (!stream || fire);

  function automatic state_e first_state(input mf_pkg::op_e op);
    unique case (op)
      mf_pkg::OpLoad:  first_state = StLoad;
      mf_pkg::OpSetup: first_state = StCheck;
      default:         first_state = StMul;
    endcase
  endfunction

  assign enters = cmd_fire ? first_state(cmd_i.op) : after;
  always_ff @(posedge clk_i) begin
    if (rst_i || zeroize_i) begin
      state_q <= StWipe;
      count_q <= '0;
      phase_q <= '0;
      end_q   <= 1'b0;
      fresh_q <= 1'b1;
    end else if (cmd_fire || last) begin
      state_q <= enters;
      count_q <= '0;
      phase_q <= '0;
      end_q   <= units(enters) == count_t'(1) && enters < StTake;
      fresh_q <= 1'b1;
    end else begin
      fresh_q <= 1'b0;
      if (adder) begin
        phase_q <= phase_q == 3'd5 ? '0 : phase_q + 3'd1;
        end_q   <= phase_q == 3'd4 && count_q == turn_q;
        if (phase_q == 3'd5) count_q <= count_q + count_t'(1);
      end else if (!stream || fire) begin
        count_q <= count_q + count_t'(1);
        end_q   <= fresh_q ? units(state_q) == count_t'(2) : count_q == turn_q;
      end
    end
    turn_q <= units(state_q) - count_t'(adder ? 1 : 2);
    if (cmd_fire) begin
      setup_q    <= cmd_i.op == mf_pkg::OpSetup;
      store_q    <= cmd_i.op == mf_pkg::OpStore;
      two_q      <= cmd_i.op inside {mf_pkg::OpMul2, mf_pkg::OpSetup};
      to_mod_q   <= cmd_i.dst0 == mf_pkg::SlotMod;
      words_ok_q <= cmd_i.num_words == '0 || cmd_i.num_words == 16'(NumWords);
      dst0_q     <= cmd_i.op == mf_pkg::OpStore ? Scratch : addr_t'(cmd_i.dst0);
      dst1_q     <= addr_t'(cmd_i.dst1);
      a0_q       <= addr_t'(cmd_i.a0);
      a1_q       <= addr_t'(cmd_i.a1);
      b_q        <= cmd_i.op == mf_pkg::OpStore ? SlotMod : addr_t'(cmd_i.b);
      shift_q    <= '0;
    end else begin
      unique case (state_q)
        StWipe: {dst0_q, dst1_q, a0_q, a1_q, b_q} <= '0; // they can depend on a secret exponent
        StMul:   if (store_q && last) a0_q <= Scratch;
        StShift: begin // where the products will read and write
          dst0_q <= addr_t'(mf_pkg::SlotR);
          a0_q   <= addr_t'(mf_pkg::SlotOne);
          dst1_q <= SlotMod;
          a1_q   <= SlotMod;
          b_q    <= addr_t'(mf_pkg::SlotR2);
        end
        default: ;
      endcase
      if (m_left) shift_q <= shift_q + 1'b1;
      else if (shift_back && phase_q == 3'd5) shift_q <= shift_q - 1'b1;
    end
    if (state_q == StWipe) status_q <= mf_pkg::StatusNoModulus;
    else if (state_q == StCheck && check != mf_pkg::StatusOk) status_q <= check;
    else if (state_q == StLoadEnd && to_mod_q) status_q <= mf_pkg::StatusNoModulus;
    else if (state_q == StMul && setup_q && last) status_q <= mf_pkg::StatusOk;
  end

  // ---- slots and array ----
  localparam logic [1:0] Nothing = 2'd0, Words = 2'd1, Adder = 2'd2, Array = 2'd3;
  logic       write;
  logic [1:0] write_from;
  addr_t      write_addr, read_a, read_b;
  always_comb begin
    read_a = a0_q;
    read_b = b_q;
    if (cmd_fire) read_b = cmd_i.op == mf_pkg::OpStore ? SlotMod : addr_t'(cmd_i.b);
    if (state_q == StMul && at(2)) read_a = a1_q;
    write      = 1'b0;
    write_from = Nothing;
    write_addr = dst0_q;
    unique case (state_q)
      StWipe: begin
        write      = count_q < count_t'(Depth);
        write_addr = addr_t'(count_q);
      end
      StLoadEnd: begin
        write      = count_q == '0 && !to_mod_q;
        write_from = Words;
      end
      StMul: begin
        write      = at(MulCycles - 2) || (two_q && at(MulCycles - 1));
        write_from = Array;
        if (at(MulCycles - 1)) write_addr = dst1_q;
      end
      StPutOne, StPutGuard, StPutR2: begin
        write      = phase_q == 3'd0;
        write_from = Adder;
        if (state_q == StPutOne) write_addr = addr_t'(mf_pkg::SlotOne);
        else if (state_q == StPutGuard) write_addr = SlotMod;
        else write_addr = addr_t'(mf_pkg::SlotR2);
      end
      default: ;
    endcase
  end

  // ---- adder ----
  logic [2:0] source, add;
  assign start      = adder && phase_q == 3'd0;
  assign shift_back = state_q == StBack && shift_q != '0;
  assign m_left     = state_q == StShift && start && !m_top_i;
  always_comb begin
    source = FromSame;
    add    = '0;
    unique case (state_q)
      StTake:             source = FromSlot;
      StHalve, StInverse: add = AddOdd;
      StMinus:            if (count_q == '0) add = AddMinus;
      StPlus:             if (count_q == '0) add = AddNegative;
      StOne, StUnit:      source = FromOne;
      StGuard:            source = FromGuard;
      StShift:            source = m_top_i ? FromSame : FromDouble;
      StDouble:           begin source = FromDouble; add = AddAuto; end
      StWipe:             source = '0;
      default: ;
    endcase
  end

  assign control_o = '{
    write:      write,
    write_from: write_from,
    write_addr: 8'(write_addr),
    read_a:     8'(read_a),
    read_b:     8'(read_b),
    load_x:     state_q == StWipe || (state_q == StMul && count_q < count_t'(2)),
    load_y:     state_q == StWipe || begins_mul,
    shift_y:    state_q == StMul && count_q[0],
    clear:      !(state_q == StMul && count_q >= count_t'(7) && !last),
    early:      !(state_q == StMul && count_q >= count_t'(6) && !last),
    wipe:       state_q == StWipe,
    start:      start,
    half:       state_q inside {StHalve, StInverse} || shift_back,
    m_load:     state_q == StLoadEnd && count_q == '0 && to_mod_q,
    m_left:     m_left,
    m_right:    shift_back && start,
    mh_load:    state_q == StGuard && start,
    source:     source,
    add:        add
  };
  assign words_o = '{
    take:   state_q == StWords && count_q == '0,
    move:   fire_in || fire_out || (state_q == StWords && end_q),
    first:  count_q == '0,
    last:   end_q,
    to_mod: to_mod_q
  };

endmodule
