// SPDX-License-Identifier: Apache-2.0
/// RSA without a bus: word memory, word machine, engine, sequencer. The programs
/// (rtl/rsa/programs/rsa.asm, assembled into u_rom) do everything from the set-up of a key to
/// the checked result; this file executes them.
///
/// Source   modfab; fault check and blinding: see rtl/rsa/README.md.
/// Model    modfab.models.rsa (same words, same cycles).
/// Latency  of each instruction: modfab.models.rsa; of a program: their sum, in cycles_o. Never
///          data dependent, except that an operation that is refused ends early.
/// Assumes  host_we_i and start_i only while busy_o is low, a clock apart; the engine contract.
/// Ensures  result_valid_o only after a program released its result, and until the next start_i,
///          host_we_i or wipe. Reset, zeroize_i, a hang, a program counter whose two copies
///          differ and an instruction that has written other words than its own wipe the
///          memory, the engine and every data register.
module mf_rsa (
  input  logic                            clk_i,
  input  logic                            rst_i,
  input  logic                            zeroize_i,

  input  logic                            start_i,        // pulse
  input  mf_rsa_pkg::entry_e              entry_i,        // with start_i: the program
  input  logic [15:0]                     e_bits_i,       // bits of the public exponent; 0: unknown
  output logic                            busy_o,
  output logic                            done_o,         // pulse
  output mf_rsa_pkg::status_e             status_o,       // how the last operation ended
  output logic                            key_valid_o,
  output logic                            result_valid_o,
  output logic [63:0]                     cycles_o,       // of the last operation

  input  logic                            host_we_i,      // word memory; addresses: mf_rsa_cfg_pkg;
                                                          // never in two clocks on end
  input  logic [mf_rsa_pkg::AddrBits-1:0] host_addr_i,
  input  logic [31:0]                     host_data_i,
  output logic [31:0]                     host_data_o,    // one clock after the address, while idle
  output logic                            host_error_o,   // with host_data_o: do not use it

  input  logic                            rnd_valid_i,    // entropy
  output logic                            rnd_ready_o,
  input  logic [31:0]                     rnd_data_i
);

  typedef logic [mf_rsa_pkg::AddrBits-1:0] addr_t;
  localparam int unsigned RamWords = mf_rsa_cfg_pkg::RamWords;
  localparam int unsigned RamBits  = $clog2(RamWords);
  localparam int unsigned NumWords = mf_pkg::words_of(mf_cfg_pkg::NumBits);
  localparam int unsigned ExpAddrBits = $clog2(mf_pkg::words_of(mf_cfg_pkg::ExpBits) + 1);
  localparam int unsigned NumUnits = mf_rsa_cfg_pkg::CrtEngines;
  localparam int unsigned Drain = 4; // clocks behind the last word before the next fetch

  if (mf_cfg_pkg::NumBits != mf_rsa_cfg_pkg::PrimeBits
      || mf_cfg_pkg::ExpBits < mf_rsa_cfg_pkg::ExpBits) begin : gen_check_engine
    $error("mf_rsa: engine and sequencer were generated for other widths than the programs");
  end

  typedef enum logic [3:0] {
    StWipe, StIdle, StFetch, StDecode, StVector, StDrain, StCommand, StFeed, StTake, StEngine,
    StSequencer, StRunning, StRandom, StControl
  } state_e;
  state_e             state_q;
  mf_rsa_pkg::instr_t instr, instr_q;
  addr_t              pc_q, pc_inv_q;           // program counter and its complement
  addr_t              a_q, b_q, dst_q, left_q;  // running addresses, words left
  addr_t              end_q;                    // what dst_q has to be when the instruction is over
  addr_t              loop_pc_q, loop_left_q;
  logic               first_q, active_q, released_q;
  logic [15:0]        e_bits_q;
  logic [31:0]        watchdog_q;
  mf_rsa_pkg::entry_e entry_q;
  mf_rsa_pkg::status_e status_q, ending_q;

  // ---- program ----
  mf_rsa_rom u_rom (.clk_i, .addr_i(pc_q), .instr_o(instr));

  // ---- engines, each with a sequencer; exponents come from one memory copy each ----
  logic        alarm, wipe_start, eng_ready, in_valid, in_ready, out_valid, eng_busy, eng_refuses;
  logic        running;
  logic        unit_q; // which unit engine instructions are for
  logic [31:0] out_data, ram_a, ram_b;
  logic [NumUnits-1:0][ExpAddrBits-1:0] exp_addr;
  logic [NumUnits-1:0][31:0]            exp_data;
  assign exp_data = (32*NumUnits)'({ram_b, ram_a});
  mf_rsa_units u_units (
    .clk_i, .rst_i,
    .wipe_i      (wipe_start),
    .instr_i     (instr_q),
    .unit_i      (unit_q),
    .e_bits_i    (e_bits_q),
    .cmd_valid_i (state_q == StCommand),
    .cmd_ready_o (eng_ready),
    .in_valid_i  (in_valid),
    .in_ready_o  (in_ready),
    .in_data_i   (ram_a),
    .out_valid_o (out_valid),
    .out_ready_i (state_q == StTake),
    .out_data_o  (out_data),
    .start_i     (state_q == StSequencer),
    .running_o   (running),
    .exp_addr_o  (exp_addr),
    .exp_data_i  (exp_data),
    .busy_o      (eng_busy),
    .refuses_o   (eng_refuses)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i || wipe_start || state_q == StIdle) unit_q <= 1'b0;
    else if (state_q == StControl && instr_q.op == mf_rsa_pkg::OpUnit)
      unit_q <= NumUnits > 1 && instr_q.len[0];
  end

  logic feed_fire, take_fire, random_fire;
  assign in_valid    = state_q == StFeed;
  assign feed_fire   = in_valid && in_ready;
  assign take_fire   = state_q == StTake && out_valid;
  assign rnd_ready_o = state_q == StRandom;
  assign random_fire = rnd_ready_o && rnd_valid_i;

  // ---- arithmetic ----
  logic        alu_in_q, alu_first_q, alu_last_q, alu_valid, flag;
  logic [31:0] alu_data;
  always_ff @(posedge clk_i) begin
    alu_in_q    <= state_q == StVector;
    alu_first_q <= first_q;
    alu_last_q  <= left_q == addr_t'(1);
  end
  mf_rsa_alu u_alu (
    .clk_i,
    .wipe_i      (state_q == StWipe),
    .clear_i     (state_q == StVector && first_q),
    .op_i        (instr_q.op),
    .immediate_i (instr_q.b),
    .valid_i     (alu_in_q),
    .first_i     (alu_first_q),
    .last_i      (alu_last_q),
    .a_i         (ram_a),
    .b_i         (ram_b),
    .valid_o     (alu_valid),
    .data_o      (alu_data),
    .flag_o      (flag)
  );

  // ---- word memory: two copies, so that two words can be read at once ----
  logic         wr_en_q, write, copy_q;
  addr_t        wr_addr_q, rd_a, rd_b;
  logic [31:0]  wr_data_q;
  assign write = alu_valid || take_fire || random_fire;
  always_comb begin
    if (state_q == StIdle)         rd_a = host_addr_i;
    else if (state_q == StRunning) rd_a = instr_q.a + addr_t'(exp_addr[0]);
    else if (feed_fire)            rd_a = a_q + addr_t'(1);
    else                           rd_a = a_q;
    rd_b = state_q == StIdle ? host_addr_i : b_q;
    if (NumUnits > 1 && state_q == StRunning)
      rd_b = (instr_q.op == mf_rsa_pkg::OpExp2 ? instr_q.b : instr_q.a)
           + addr_t'(exp_addr[NumUnits-1]);
  end
  always_ff @(posedge clk_i) begin
    copy_q <= state_q == StIdle && host_we_i && host_addr_i >= mf_rsa_cfg_pkg::VarC
            && host_addr_i < mf_rsa_cfg_pkg::VarM; // a word of the message is kept twice
    if (state_q == StWipe) begin
      wr_en_q   <= 1'b1;
      wr_addr_q <= dst_q;
      wr_data_q <= '0;
    end else if (state_q == StIdle && copy_q) begin
      wr_en_q   <= 1'b1;
      wr_addr_q <= wr_addr_q + (mf_rsa_cfg_pkg::VarC2 - mf_rsa_cfg_pkg::VarC);
    end else if (state_q == StIdle) begin
      wr_en_q   <= host_we_i;
      wr_addr_q <= host_addr_i;
      wr_data_q <= host_data_i;
    end else begin
      wr_en_q   <= write;
      wr_addr_q <= dst_q;
      wr_data_q <= alu_valid ? alu_data : take_fire ? out_data : rnd_data_i;
    end
  end
  mf_prim_ram_1r1w #(.WidthBits(32), .Depth(RamWords)) u_ram_a (
    .clk_i,
    .wr_en_i   (wr_en_q),
    .wr_addr_i (RamBits'(wr_addr_q)),
    .wr_data_i (wr_data_q),
    .rd_addr_i (RamBits'(rd_a)),
    .rd_data_o (ram_a)
  );
  mf_prim_ram_1r1w #(.WidthBits(32), .Depth(RamWords)) u_ram_b (
    .clk_i,
    .wr_en_i   (wr_en_q),
    .wr_addr_i (RamBits'(wr_addr_q)),
    .wr_data_i (wr_data_q),
    .rd_addr_i (RamBits'(rd_b)),
    .rd_data_o (ram_b)
  );
  assign host_data_o  = ram_a;
  assign host_error_o = ram_a != ram_b; // a bit has changed since the word was written

  logic unused_bits; // addresses reach further than the memory
  assign unused_bits = &{1'b0, wr_addr_q, rd_a, rd_b};

  // ---- control ----
  function automatic state_e first_state(input mf_rsa_pkg::op_e op);
    unique case (op)
      mf_rsa_pkg::OpAdd, mf_rsa_pkg::OpAdc, mf_rsa_pkg::OpSub, mf_rsa_pkg::OpSel, mf_rsa_pkg::OpEq,
      mf_rsa_pkg::OpMac, mf_rsa_pkg::OpSet, mf_rsa_pkg::OpLdm: first_state = StVector;
      mf_rsa_pkg::OpRnd: first_state = StRandom;
      mf_rsa_pkg::OpLoad, mf_rsa_pkg::OpStore, mf_rsa_pkg::OpMul, mf_rsa_pkg::OpSetup,
      mf_rsa_pkg::OpSetup2:
        first_state = StCommand;
      mf_rsa_pkg::OpExp, mf_rsa_pkg::OpExp2: first_state = StSequencer;
      default: first_state = StControl;
    endcase
  endfunction

  function automatic state_e second_state(input mf_rsa_pkg::op_e op);
    unique case (op)
      mf_rsa_pkg::OpLoad:  second_state = StFeed;
      mf_rsa_pkg::OpStore: second_state = StTake;
      default:             second_state = StEngine;
    endcase
  endfunction

  function automatic addr_t first_pc(input mf_rsa_pkg::entry_e entry, input logic e_known);
    unique case (entry)
      mf_rsa_pkg::EntryKey:
        first_pc = e_known ? mf_rsa_cfg_pkg::EntryKey : mf_rsa_cfg_pkg::EntryKeyAgain;
      mf_rsa_pkg::EntryPrivate:
        first_pc = e_known ? mf_rsa_cfg_pkg::EntryPrivate : mf_rsa_cfg_pkg::EntryPrivateAgain;
      mf_rsa_pkg::EntryPublic: first_pc = mf_rsa_cfg_pkg::EntryPublic;
      default:                 first_pc = mf_rsa_cfg_pkg::EntryDerive;
    endcase
  endfunction

  logic  last_word, refused, need_fails, again, halts, late, working, astray;
  addr_t next_pc, drain_q;
  assign last_word  = left_q == addr_t'(1);
  assign refused    = state_q == StEngine && !eng_busy && eng_refuses
                    && instr_q.op inside {mf_rsa_pkg::OpSetup, mf_rsa_pkg::OpSetup2};
  assign need_fails = state_q == StControl && instr_q.op == mf_rsa_pkg::OpNeed
                    && flag != instr_q.b[0];
  assign again      = state_q == StControl && instr_q.op == mf_rsa_pkg::OpEndLoop
                    && loop_left_q != addr_t'(1);
  assign halts      = state_q == StControl && instr_q.op == mf_rsa_pkg::OpHalt;
  assign late       = watchdog_q >= mf_rsa_cfg_pkg::WatchdogClocks;
  assign working    = !(state_q inside {StIdle, StWipe});
  assign astray     = working ? pc_inv_q != ~pc_q || (state_q == StDecode && dst_q != end_q)
                              : state_q == StIdle && active_q;
  assign alarm      = late || astray;
  assign wipe_start = zeroize_i || alarm;
  assign next_pc    = refused || need_fails ? mf_rsa_cfg_pkg::EntryFail
                    : again ? loop_pc_q : pc_q + addr_t'(1);

  logic start_ok;
  assign start_ok = 32'(e_bits_i) <= mf_rsa_cfg_pkg::MaxEBits
                  && (e_bits_i != '0 || entry_i != mf_rsa_pkg::EntryPublic)
                  && (key_valid_o || !(entry_i inside {mf_rsa_pkg::EntryPrivate,
                                                      mf_rsa_pkg::EntryPublic}));
  assign busy_o   = state_q != StIdle;
  assign status_o = status_q;

  addr_t length, written; // words of the instruction that is fetched, and how many it writes
  always_comb begin
    length = instr.len;
    if (instr.op == mf_rsa_pkg::OpMac) length = instr.len + addr_t'(1);
    if (instr.op inside {mf_rsa_pkg::OpLoad, mf_rsa_pkg::OpStore}) length = addr_t'(NumWords);
    if (instr.op == mf_rsa_pkg::OpLdm) length = addr_t'(1);
    written = '0;
    if (first_state(instr.op) inside {StVector, StRandom} || instr.op == mf_rsa_pkg::OpStore)
      written = length;
    if (instr.op inside {mf_rsa_pkg::OpEq, mf_rsa_pkg::OpLdm}) written = '0;
  end

  logic step; // the instruction ends
  assign step = (state_q == StDrain && drain_q == addr_t'(1)) || (state_q == StEngine && !eng_busy)
              || (state_q == StControl && !halts) || (random_fire && last_word);

  always_ff @(posedge clk_i) begin
    if (rst_i || wipe_start) begin
      state_q <= StWipe;
    end else begin
      unique case (state_q)
        StWipe:      if (dst_q == addr_t'(RamWords - 1) && !eng_busy) state_q <= StIdle;
        StIdle:      if (start_i && start_ok) state_q <= StFetch;
        StFetch:     state_q <= StDecode;
        StDecode:    state_q <= first_state(instr.op);
        StVector:    if (last_word) state_q <= StDrain;
        StCommand:   if (eng_ready) state_q <= second_state(instr_q.op);
        StFeed:      if (feed_fire && last_word) state_q <= StEngine;
        StTake:      if (take_fire && last_word) state_q <= StEngine;
        StSequencer: state_q <= StRunning;
        StRunning:   if (!running) state_q <= StEngine;
        default:     if (step) state_q <= StFetch; else if (halts) state_q <= StIdle;
      endcase
    end
  end

  // ---- addresses ----
  always_ff @(posedge clk_i) begin
    instr_q <= state_q == StDecode ? instr : state_q == StWipe ? '0 : instr_q;
    first_q <= state_q == StDecode;
    drain_q <= state_q == StDrain ? drain_q - addr_t'(1) : addr_t'(Drain);
    if (rst_i || wipe_start) begin
      dst_q <= '0;
    end else if (state_q == StWipe) begin
      if (dst_q != addr_t'(RamWords - 1)) dst_q <= dst_q + addr_t'(1);
      a_q    <= '0;
      b_q    <= '0;
    end else if (state_q == StDecode) begin
      a_q    <= instr.a;
      b_q    <= instr.op == mf_rsa_pkg::OpMac ? instr.dst : instr.b;
      dst_q  <= instr.dst;
      left_q <= length;
    end else begin
      if (state_q == StVector || feed_fire) a_q <= a_q + addr_t'(1);
      if (state_q == StVector) b_q <= b_q + addr_t'(1);
      if (write) dst_q <= dst_q + addr_t'(1);
      if (state_q == StVector || feed_fire || take_fire || random_fire)
        left_q <= left_q - addr_t'(1);
    end
    if (state_q inside {StIdle, StWipe}) end_q <= dst_q;
    else if (state_q == StDecode) end_q <= instr.dst + written;
    if (state_q == StIdle) begin
      pc_q     <= first_pc(entry_i, e_bits_i != '0);
      pc_inv_q <= ~first_pc(entry_i, e_bits_i != '0);
    end else if (step) begin
      pc_q     <= next_pc;
      pc_inv_q <= refused || need_fails ? ~mf_rsa_cfg_pkg::EntryFail
                : again ? ~loop_pc_q : pc_inv_q - addr_t'(1);
    end
    if (state_q == StControl && instr_q.op == mf_rsa_pkg::OpLoop) begin
      loop_pc_q   <= pc_q + addr_t'(1);
      loop_left_q <= instr_q.len;
    end else if (again) begin
      loop_left_q <= loop_left_q - addr_t'(1);
    end
    watchdog_q <= rst_i || wipe_start || state_q inside {StIdle, StFetch} ? '0
                                                                         : watchdog_q + 32'd1;
  end

  // ---- how an operation ends ----
  always_ff @(posedge clk_i) begin
    done_o <= 1'b0;
    if (rst_i || wipe_start) begin
      active_q       <= !rst_i && (active_q || (alarm && working));
      key_valid_o    <= 1'b0;
      result_valid_o <= 1'b0;
      released_q     <= 1'b0;
      status_q       <= rst_i ? mf_rsa_pkg::StatusNoKey
                      : zeroize_i ? mf_rsa_pkg::StatusZeroized
                      : late ? mf_rsa_pkg::StatusWatchdog : mf_rsa_pkg::StatusFault;
    end else if (state_q == StIdle) begin
      released_q <= 1'b0;
      ending_q   <= mf_rsa_pkg::StatusFault;
      entry_q    <= entry_i;
      e_bits_q   <= e_bits_i;
      active_q   <= start_i && start_ok;
      if (start_i || host_we_i) result_valid_o <= 1'b0;
      if (host_we_i && host_addr_i < mf_rsa_cfg_pkg::KeyEnd) key_valid_o <= 1'b0;
      if (start_i) status_q <= mf_rsa_pkg::StatusFault; // until the operation ends
      if (start_i && !start_ok) begin
        done_o   <= 1'b1;
        status_q <= key_valid_o || !(entry_i inside {mf_rsa_pkg::EntryPrivate,
                                                     mf_rsa_pkg::EntryPublic})
                  ? mf_rsa_pkg::StatusKey : mf_rsa_pkg::StatusNoKey;
      end
    end else begin
      if (refused) ending_q <= mf_rsa_pkg::StatusKey;
      else if (need_fails) ending_q <= mf_rsa_pkg::status_e'(instr_q.dst[3:0]);
      if (refused || need_fails) released_q <= 1'b0;
      else if (state_q == StControl && instr_q.op == mf_rsa_pkg::OpRelease) released_q <= 1'b1;
      if (halts) begin
        status_q       <= released_q ? mf_rsa_pkg::StatusOk : ending_q;
        result_valid_o <= released_q && entry_q inside {mf_rsa_pkg::EntryPrivate,
                                                        mf_rsa_pkg::EntryPublic};
        if (entry_q == mf_rsa_pkg::EntryKey) key_valid_o <= released_q;
      end
      if (state_q == StWipe) key_valid_o <= 1'b0;
      if (halts || (state_q == StWipe && active_q && dst_q == addr_t'(RamWords - 1) && !eng_busy))
      begin
        done_o   <= 1'b1;
        active_q <= 1'b0;
      end
    end
    if (rst_i || wipe_start || (state_q == StIdle && start_i)) cycles_o <= '0;
    else if (!(state_q inside {StIdle, StWipe})) cycles_o <= cycles_o + 64'd1;
  end

endmodule
