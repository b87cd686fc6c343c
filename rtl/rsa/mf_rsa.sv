// SPDX-License-Identifier: Apache-2.0
/// RSA without a bus: a word machine and its memory, over one or two engines. The programs
/// (rtl/rsa/programs/rsa.asm) do everything from the set-up of a key to the checked result; this
/// file executes them. Engines, sequencers and program memory are connected through ports.
///
/// Source   modfab; fault check and blinding: see rtl/rsa/README.md.
/// Model    modfab.models.rsa.machine (same words, same cycles).
/// Latency  of each instruction: modfab.models.rsa.machine; of a program: their sum, in cycles_o.
///          Never data dependent, except that an operation that is refused ends early.
/// Assumes  host_we_i and start_i only while busy_o is low, a clock apart; the engine contract;
///          program memory of Cfg, an instruction one clock after its address.
/// Ensures  result_valid_o only after a program released its result, and until the next start_i,
///          host_we_i or wipe. Each of these wipes memory, engines and every data register: reset,
///          zeroize_i, watchdog, program-counter mismatch, out-of-range write.
module mf_rsa #(
  parameter mf_rsa_pkg::cfg_t Cfg      = mf_rsa_pkg::CfgSmallest, // sizes and memory map
  parameter int unsigned      NumUnits = 1                        // engines, 1 or 2
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic                zeroize_i,

  input  logic                start_i,        // pulse
  input  mf_rsa_pkg::entry_e  entry_i,        // with start_i: the program
  input  logic [15:0]         e_bits_i,       // bits of the public exponent; 0: unknown
  output logic                busy_o,
  output logic                done_o,         // pulse
  output mf_rsa_pkg::status_e status_o,       // how the last operation ended
  output logic                key_valid_o,
  output logic                result_valid_o,
  output logic [63:0]         cycles_o,       // of the last operation

  input  logic                host_we_i,      // word memory; never in consecutive cycles
  input  mf_rsa_pkg::addr_t   host_addr_i,
  input  logic [31:0]         host_data_i,
  output logic [31:0]         host_data_o,    // one clock after the address, while idle
  output logic                host_error_o,   // with host_data_o: do not use it

  input  logic                rnd_valid_i,    // entropy
  output logic                rnd_ready_o,
  input  logic [31:0]         rnd_data_i,

  output mf_rsa_pkg::addr_t   rom_addr_o,     // program memory
  input  mf_rsa_pkg::instr_t  rom_data_i,

  output mf_pkg::engine_req_t [NumUnits-1:0] engine_req_o,
  input  mf_pkg::engine_rsp_t [NumUnits-1:0] engine_rsp_i,
  output mf_pkg::seq_req_t    [NumUnits-1:0] seq_req_o,
  input  mf_pkg::seq_rsp_t    [NumUnits-1:0] seq_rsp_i
);

  typedef mf_rsa_pkg::addr_t addr_t;
  localparam int unsigned NumWords = mf_pkg::words_of(32'(Cfg.prime_bits));
  localparam int unsigned Drain    = 4; // clocks behind the last word before the next fetch
  localparam addr_t       LastWord = Cfg.ram_words - addr_t'(1);

  typedef enum logic [3:0] {
    StWipe, StIdle, StFetch, StDecode, StVector, StDrain, StCommand, StFeed, StTake, StEngine,
    StSequencer, StRunning, StRandom, StControl
  } state_e;
  state_e             state_q;
  mf_rsa_pkg::instr_t instr, instr_q;
  addr_t              a_q, b_q, dst_q, left_q;  // running addresses, words left
  addr_t              end_q;                    // what dst_q has to be when the instruction is over
  logic               first_q, active;
  logic [15:0]        e_bits;
  logic [31:0]        watchdog_q;
  assign instr = rom_data_i;

  // ---- engines ----
  logic        alarm, wipe_start, eng_ready, in_valid, in_ready, out_valid, eng_busy, eng_refuses;
  logic        running;
  logic        unit_q; // which unit engine instructions are for
  logic [31:0] out_data, ram_a, ram_b;
  addr_t [NumUnits-1:0]      exp_addr;
  logic [NumUnits-1:0][31:0] exp_data; // exponents come from one memory copy each
  assign exp_data = (32*NumUnits)'({ram_b, ram_a});
  mf_rsa_units #(.NumUnits(NumUnits)) u_units (
    .clk_i, .rst_i,
    .wipe_i      (wipe_start),
    .instr_i     (instr_q),
    .unit_i      (unit_q),
    .e_bits_i    (e_bits),
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
    .refuses_o   (eng_refuses),
    .engine_req_o, .engine_rsp_i, .seq_req_o, .seq_rsp_i
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

  // ---- word memory ----
  logic  write;
  addr_t rd_a, rd_b;
  assign write = alu_valid || take_fire || random_fire;
  always_comb begin
    if (state_q == StIdle)         rd_a = host_addr_i;
    else if (state_q == StRunning) rd_a = instr_q.a + exp_addr[0];
    else if (feed_fire)            rd_a = a_q + addr_t'(1);
    else                           rd_a = a_q;
    rd_b = state_q == StIdle ? host_addr_i : b_q;
    if (NumUnits > 1 && state_q == StRunning)
      rd_b = (instr_q.op == mf_rsa_pkg::OpExp2 ? instr_q.b : instr_q.a) + exp_addr[NumUnits-1];
  end
  mf_rsa_memory #(.Cfg(Cfg)) u_memory (
    .clk_i,
    .wipe_i      (state_q == StWipe),
    .idle_i      (state_q == StIdle),
    .host_we_i, .host_addr_i, .host_data_i,
    .wr_en_i     (write),
    .wr_addr_i   (dst_q),
    .wr_data_i   (alu_valid ? alu_data : take_fire ? out_data : rnd_data_i),
    .addr_a_i    (rd_a),
    .addr_b_i    (rd_b),
    .data_a_o    (ram_a),
    .data_b_o    (ram_b),
    .differ_o    (host_error_o)
  );
  assign host_data_o = ram_a;

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

  logic  last_word, refused, need_fails, halts, late, working, out_of_range, step, start_ok;
  logic  control, wipe_end, pc_differs;
  addr_t drain_q;
  assign last_word    = left_q == addr_t'(1);
  assign control      = state_q == StControl;
  assign refused      = state_q == StEngine && !eng_busy && eng_refuses
                      && instr_q.op inside {mf_rsa_pkg::OpSetup, mf_rsa_pkg::OpSetup2};
  assign need_fails   = control && instr_q.op == mf_rsa_pkg::OpNeed && flag != instr_q.b[0];
  assign halts        = control && instr_q.op == mf_rsa_pkg::OpHalt;
  assign late         = watchdog_q >= Cfg.watchdog_cycles;
  assign working      = !(state_q inside {StIdle, StWipe});
  assign out_of_range = working ? pc_differs || (state_q == StDecode && dst_q != end_q)
                                : state_q == StIdle && active;
  assign alarm        = late || out_of_range;
  assign wipe_start   = zeroize_i || alarm;
  assign wipe_end     = state_q == StWipe && dst_q == LastWord && !eng_busy;
  assign busy_o       = state_q != StIdle;

  mf_rsa_fetch #(.Cfg(Cfg)) u_fetch (
    .clk_i,
    .idle_i     (state_q == StIdle),
    .entry_i,
    .e_known_i  (e_bits_i != '0),
    .step_i     (step),
    .fail_i     (refused || need_fails),
    .loop_i     (control && instr_q.op == mf_rsa_pkg::OpLoop),
    .loop_num_i (instr_q.len),
    .end_loop_i (control && instr_q.op == mf_rsa_pkg::OpEndLoop),
    .pc_o       (rom_addr_o),
    .differ_o   (pc_differs)
  );

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

  // The instruction ends.
  assign step = (state_q == StDrain && drain_q == addr_t'(1)) || (state_q == StEngine && !eng_busy)
              || (control && !halts) || (random_fire && last_word);

  always_ff @(posedge clk_i) begin
    if (rst_i || wipe_start) begin
      state_q <= StWipe;
    end else begin
      unique case (state_q)
        StWipe:      if (wipe_end) state_q <= StIdle;
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
      if (dst_q != LastWord) dst_q <= dst_q + addr_t'(1);
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
    watchdog_q <= rst_i || wipe_start || state_q inside {StIdle, StFetch} ? '0
                                                                         : watchdog_q + 32'd1;
  end

  // ---- how an operation ends ----
  mf_rsa_ending #(.Cfg(Cfg)) u_ending (
    .clk_i, .rst_i, .zeroize_i,
    .alarm_i       (alarm),
    .late_i        (late),
    .idle_i        (state_q == StIdle),
    .wipe_i        (state_q == StWipe),
    .wipe_end_i    (wipe_end),
    .start_i, .entry_i, .e_bits_i, .host_we_i, .host_addr_i,
    .refused_i     (refused),
    .need_fails_i  (need_fails),
    .need_status_i (mf_rsa_pkg::status_e'(instr_q.dst[3:0])),
    .release_i     (control && instr_q.op == mf_rsa_pkg::OpRelease),
    .halt_i        (halts),
    .start_ok_o    (start_ok),
    .active_o      (active),
    .done_o, .status_o, .key_valid_o, .result_valid_o,
    .e_bits_o      (e_bits),
    .cycles_o
  );

endmodule
