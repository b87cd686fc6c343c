// SPDX-License-Identifier: Apache-2.0
/// RSA without a bus: a word machine and its memory, over one or two engines. The programs
/// (rtl/rsa/programs/rsa.asm) do everything from the set-up of a key to the checked result; this
/// file executes them. Engines, sequencers and program memory are connected through ports.
///
/// Source   modfab; fault check and blinding: see rtl/rsa/README.md.
/// Model    modfab.models.rsa.machine (same words, same cycles).
/// Latency  of each instruction: modfab.models.rsa.instructions; of a program: their sum, in
///          cycles_o. Never dependent on secrets; an operation that is refused ends early.
/// Assumes  host_we_i and start_i only while busy_o is low, a cycle apart; the engine contract;
///          program memory of Cfg, an instruction two cycles after its address.
/// Ensures  the host reads words of the result only, while it is valid and the core is idle. Each
///          of these wipes memory, engines and data registers: reset, zeroize_i, a refused key, and
///          with a lasting alarm: watchdog, fault limit, a control register whose copies differ, an
///          illegal state, a program word of odd parity, an instruction that does not end where it
///          should. A wipe is read back before it ends.
module mf_rsa #(
  parameter mf_rsa_pkg::cfg_t Cfg       = mf_rsa_pkg::CfgSmallest, // sizes and memory map
  parameter int unsigned      NumUnits  = 1, // engines, 1 or 2
  parameter bit               CountLate = 0  // cycles_o a cycle later: its counter lies elsewhere
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic                zeroize_i,

  input  logic                start_i,        // pulse
  input  mf_rsa_pkg::entry_e  entry_i,        // with start_i: the program
  input  logic [15:0]         e_bits_i,       // with a key: bits of the public exponent, 2 or more
  input  logic                lock_i,         // pulse: refuse key words until zeroize_i
  input  logic [7:0]          fault_limit_i,  // faults that raise the alarm; 0: any number
  input  mf_rsa_pkg::context_t context_i,     // to change to, from two cycles before start_i
  output logic                busy_o,
  output logic                done_o,         // pulse
  output mf_rsa_pkg::status_e status_o,       // how the last operation ended
  output logic                key_valid_o,    // from here on key words are refused, until zeroize_i
  output logic                result_valid_o,
  output logic                locked_o,
  output mf_rsa_pkg::contexts_t contexts_o,   // key_valid_o, locked_o, key words: the chosen one's
  output logic                alarm_o,        // until reset or zeroize_i
  output logic [63:0]         cycles_o,       // of the last operation, without waits for words

  input  logic                host_we_i,      // word memory; never in consecutive cycles
  input  mf_rsa_pkg::addr_t   host_addr_i,
  input  logic [31:0]         host_data_i,
  output logic                host_refused_o, // two cycles after host_we_i: nothing was written
  output logic [31:0]         host_data_o,    // three cycles after the address; 0 where not allowed
  output logic                host_error_o,   // with host_data_o: do not use it

  input  logic                rnd_valid_i,    // random words, see mf_rsa_entropy
  input  logic                rnd_failed_i,   // there will be none
  output logic                rnd_ready_o,    // with rnd_valid_i: the word is used
  input  logic [31:0]         rnd_data_i,

  output mf_rsa_pkg::addr_t   rom_addr_o,     // program memory
  input  mf_rsa_pkg::instr_t  rom_data_i,

  output mf_pkg::engine_req_t [NumUnits-1:0] engine_req_o,
  input  mf_pkg::engine_rsp_t [NumUnits-1:0] engine_rsp_i,
  output mf_pkg::seq_req_t    [NumUnits-1:0] seq_req_o,
  input  mf_pkg::seq_rsp_t    [NumUnits-1:0] seq_rsp_i
);

  typedef mf_rsa_pkg::addr_t addr_t;
  localparam addr_t NumWords = addr_t'(mf_pkg::words_of(32'(Cfg.prime_bits)));
  localparam addr_t LastWord = Cfg.ram_words - addr_t'(1);
  localparam int unsigned GapBits = $clog2(32'(Cfg.store_gap) + 8) + 1;

  mf_rsa_pkg::at_t    at;
  mf_rsa_pkg::instr_t instr, instr_q; // fetched; executed
  addr_t              a_q, b_q, dst_q, end_q;   // running addresses; what dst_q has to end at
  logic               first_q, active, strange_q; // strange: kind_q is not instr_q's
  logic [1:0]         taken_q;                  // there is an instruction, and was a cycle ago
  logic               last_word, second, next_second; // of the instruction; the second unit's words
  logic               feed_wants, feed_ends, feed_switch; // see mf_rsa_count
  logic [15:0]        e_bits, exp_bits_q;
  logic [GapBits-1:0] gap_q;        // less two; below zero: the gap is over
  logic [31:0]        watchdog_q;   // cycles of the instruction
  mf_rsa_pkg::kind_t  kind_q, next_kind, unlike_q; // of instr_q, of instr; where it was not
  logic               is_load2, is_store2;
  assign next_kind = mf_rsa_pkg::kind_of(instr.op);
  assign is_load2  = kind_q.load && kind_q.second;
  assign is_store2 = kind_q.store && kind_q.second;

  // ---- engines ----
  logic        alarm, alarm_q, zeroize_q, wipe_q, wipe_units, idle, clearing, clear_q;
  logic        eng_done, in_valid, in_ready, out_valid, out_ready, feed_here;
  logic        eng_refuses, eng_pending, running, cmd_fire, cmd_q;
  logic        sent_q; // OpStore2's second command is out
  logic [31:0] out_data, ram_a, ram_b, feed_data;
  logic  [NumUnits-1:0]      eng_busy;
  addr_t [NumUnits-1:0]      exp_addr;
  logic [NumUnits-1:0][31:0] exp_data; // exponents come from one memory copy each
  assign {idle, clearing} = {at.idle, at.idle || at.wipe || at.verify};
  assign exp_data  = (32*NumUnits)'({ram_b, ram_a});
  assign cmd_fire  = cmd_q && eng_done; // in command and take, where alone cmd_q is set
  mf_rsa_units #(.NumUnits(NumUnits), .LoadSums(Cfg.load_sums)) u_units (
    .clk_i, .rst_i,
    .wipe_i      (wipe_units),
    .instr_i     (instr_q), .kind_i(kind_q),
    .clear_i     (wipe_q || idle),
    .step_i      (at.decode), .next_both_i(at.decode ? next_kind.both : kind_q.both),
    .pick_i      (at.control && kind_q.unit),
    .second_i    (second), .next_second_i(next_second),
    .stores_i    (at.take),
    .exp_bits_i  (exp_bits_q),
    .cmd_valid_i (cmd_q && (at.command || at.take)),
    .cmd_done_o  (eng_done),
    .in_valid_i  (in_valid), .in_ready_o(in_ready),
    .in_data_i   (feed_data),
    .out_valid_o (out_valid),
    .out_ready_i (out_ready),
    .out_data_o  (out_data),
    .start_i     (at.start && !kind_q.exp_e),
    .start_e_i   (at.start && kind_q.exp_e),
    .running_o   (running),
    .exp_addr_o  (exp_addr),
    .exp_data_i  (exp_data),
    .busy_o      (eng_busy), .pending_o(eng_pending),
    .refuses_o   (eng_refuses),
    .engine_req_o, .engine_rsp_i, .seq_req_o, .seq_rsp_i
  );

  // took: a word has come, a cycle ago; fed: the last one has left, a cycle ago.
  logic        feed_free, feed_issue, feeds, takes, fed, starved, waits, took;
  logic [31:0] took_data;
  assign feed_issue = feed_wants && feed_free; // wanted in command and feed only
  mf_rsa_feed u_feed (
    .clk_i,
    .clear_i (clear_q), .free_o(feed_free), .issue_i(feed_issue), .last_i(feed_ends),
    .data_i  (ram_a), .here_o(feed_here), .feed_i(feeds),
    .valid_o (in_valid), .ready_i(in_ready), .data_o(feed_data),
    .fed_o   (fed)
  );
  mf_rsa_take #(.EntropyCycles(Cfg.entropy_cycles)) u_take (
    .clk_i, .clear_i(rst_i || wipe_q),
    .take_i      (takes), .random_i(at.random), .last_i(last_word),
    .out_valid_i (out_valid), .out_ready_o(out_ready), .out_data_i(out_data),
    .rnd_valid_i, .rnd_failed_i, .rnd_ready_o, .rnd_data_i,
    .waits_o     (waits), .starved_o(starved),
    .valid_o     (took), .data_o(took_data)
  );

  // ---- arithmetic: marks follow the words through the memory's two cycles ----
  typedef struct packed {
    logic valid;
    logic first;
    logic last;
    logic row; // the multiplier of a row
  } mark_t;
  mark_t       issued_q, here_q;
  logic        alu_valid, carry, equal;
  logic [31:0] alu_data;
  always_ff @(posedge clk_i) begin
    issued_q <= '{valid: at.words, first: first_q, last: last_word, row: at.row};
    here_q   <= issued_q;
  end
  mf_rsa_alu u_alu (
    .clk_i,
    .wipe_i      (clear_q), // its last words come in the wipe's first cycles, which writes zeros
    .clear_i     (at.words && first_q),
    .op_i        (instr_q.op), .immediate_i(instr_q.b),
    .mult_i      (here_q.row),
    .soon_i      (issued_q.valid), .soon_first_i(issued_q.first),
    .valid_i     (here_q.valid), .first_i(here_q.first), .last_i(here_q.last),
    .a_i         (ram_a), .b_i(ram_b),
    .valid_o     (alu_valid), .data_o(alu_data),
    .carry_o     (carry), .equal_o(equal)
  );

  // ---- word memory; the host reaches it while idle, key words only before a key is valid ----
  logic        write, write_ok, in_message, host_we, host_we_q;
  mf_rsa_pkg::banks_t banks;
  addr_t       rd_a, rd_b, host_addr_q;
  logic [31:0] host_data_q, read_back;
  assign write   = alu_valid || took;
  assign host_we = host_we_q && idle && write_ok;
  always_ff @(posedge clk_i) begin
    host_we_q      <= host_we_i && !rst_i;
    host_addr_q    <= host_addr_i;
    host_data_q    <= host_we_i ? host_data_i : '0;
    host_refused_o <= host_we_q && !host_we;
  end
  always_comb begin
    // Exponents lie where their word numbers need no carry.
    rd_a = idle ? host_addr_i : a_q | exp_addr[0];
    rd_b = idle ? host_addr_i : b_q | (NumUnits > 1 ? exp_addr[NumUnits-1] : '0);
  end
  mf_rsa_memory #(.Cfg(Cfg)) u_memory (
    .clk_i,
    .wipe_i      (at.wipe), .verify_i(at.verify), .banks_i(banks), .back_o(read_back),
    .idle_i      (idle), .result_valid_i(result_valid_o),
    .host_we_i   (host_we),
    .host_wr_addr_i (host_addr_q), .host_data_i(host_data_q), .host_message_i(in_message),
    .host_addr_i, .host_data_o, .host_error_o,
    .wr_en_i     (write),
    .wr_addr_i   (dst_q),
    .wr_data_i   (alu_data | took_data),
    .addr_a_i    (rd_a), .addr_b_i(rd_b),
    .data_a_o    (ram_a), .data_b_o(ram_b)
  );

  // ---- control ----
  logic refused, need_fails, released, halts, late_q, step, fails, released_off_q, spoils;
  logic begins, starts, due, wrong, control, wipe_end, again, fetch_alarm, illegal, drops, limit;
  logic written, read, dirty, verified, engine_done, eng_waits_q, eng_refuses_q, over_q, rests;
  logic differs, late_count_q, astray_q, refused_q, ended_starved_q, need_fails_q, released_q;
  logic unmet, unmet_q, unmet_off_q, runs_q, other_q, restarts_q, loop_q, end_loop_q;
  mf_rsa_pkg::entry_e entry;
  logic [25:0] trace;
  assign control      = at.control;
  assign step         = at.decode;
  // An engine's busy and status, registered: the next instruction is here and decoded at once.
  assign engine_done  = at.engine && !eng_waits_q;
  assign refused      = engine_done && eng_refuses_q && kind_q.setup;
  assign need_fails   = control && kind_q.need && (unmet_q || !unmet_off_q);
  assign unmet        = (instr.a[0] ? equal : carry) != instr.b[0];
  assign released     = control && kind_q.trace && {instr_q.dst, instr_q.a} == trace;
  assign halts        = control && kind_q.halt && !eng_waits_q;
  assign fails        = refused || need_fails || starved;
  assign busy_o       = !rests || due || starts || wipe_q;
  always_ff @(posedge clk_i) begin
    eng_waits_q   <= eng_busy != '0 || eng_pending || at.command || at.feed;
    eng_refuses_q <= eng_refuses;
    restarts_q    <= rst_i || wipe_q || idle || step || at.random;
    late_count_q  <= !restarts_q && watchdog_q >= Cfg.watchdog_cycles;
    over_q        <= !rst_i && !restarts_q && !alarm_q && late_count_q;
    // An instruction that did not end at its last word, an operation without one.
    astray_q      <= !rst_i && !wipe_q && (idle ? active : step && dst_q != end_q);
    {refused_q, ended_starved_q, need_fails_q} <= {refused, starved, need_fails};
    {released_q, released_off_q} <= {released, !released};
    {unmet_q, unmet_off_q} <= {unmet, !unmet}; // of a NEED; both have to let it pass
    runs_q       <= running || at.start;
    other_q      <= !(kind_q.trace || kind_q.halt || kind_q.end_loop);
    {loop_q, end_loop_q} <= {2{step}} & {next_kind.loop, next_kind.end_loop}; // then in control
    late_q       <= !rst_i && over_q;
    // In the last case alarm_q has flipped by itself.
    wipe_q       <= !rst_i && (zeroize_i || alarm || (halts && drops) || spoils || dirty
                               || (alarm_q && !wipe_q));
    zeroize_q    <= !rst_i && zeroize_i;
    alarm_q      <= !rst_i && alarm;
  end
  assign alarm = !alarm_q && (over_q || astray_q || illegal || strange_q || wrong || differs
                              || fetch_alarm || (idle && limit) || dirty);

  mf_rsa_fetch #(.Cfg(Cfg)) u_fetch (
    .clk_i, .clear_i(rst_i || wipe_q),
    .idle_i     (clearing), .begins_i(begins),
    .entry_i    (entry),
    .step_i     (step),
    .fail_i     (fails),
    .loop_i     (loop_q), .loop_num_i(instr_q.len),
    .end_loop_i (end_loop_q),
    .again_o    (again), .pc_o(rom_addr_o),
    .rom_data_i,
    .instr_o    (instr),
    .trace_o    (trace),
    .alarm_o    (fetch_alarm)
  );

  mf_rsa_control #(.LoadsRunOn(Cfg.load_sums)) u_control (
    .clk_i, .rst_i,
    .wipe_i        (wipe_q),
    .start_i       (begins),
    .next_op_i     (instr.op),
    .kind_i        (kind_q),
    .last_word_i   (last_word),
    .written_i     (written),
    .read_i        (read),
    .wipe_end_i    (wipe_end),
    .cmd_fire_i    (cmd_fire),
    .fed_i         (fed),
    .took_i        (took),
    .second_i      (second),
    .running_i     (runs_q),
    .engine_done_i (engine_done),
    .fails_i       (fails), .refused_i(refused), .starved_i(starved),
    .again_i       (again),
    .halts_i       (halts),
    .drops_i       (drops),
    .at_o          (at), .feeds_o(feeds), .takes_o(takes),
    .idle_o        (rests),
    .verified_o    (verified),
    .illegal_o     (illegal)
  );

  // ---- addresses ----
  mf_rsa_count #(.NumWords(NumWords)) u_count (
    .clk_i,
    .clear_i  (clear_q),
    .step_i   (step), .instr_i(instr),
    .both_i   (is_load2 || is_store2),
    .whole_i  (at.command),
    .passes_i (at.words || took), .fed_i(fed),
    .asks_i   (feed_issue),
    .last_o   (last_word), .second_o(second), .next_second_o(next_second),
    .wants_o  (feed_wants), .ends_o(feed_ends), .switch_o(feed_switch)
  );
  logic store2_q, dst_turns, dst_counts; // behind the first unit's last word to the second one's
  assign dst_turns  = store2_q && !second && at.take && last_word;
  assign dst_counts = write ? !dst_turns : at.wipe;

  always_ff @(posedge clk_i) begin
    clear_q   <= clearing; // for all that keeps no word of a secret
    store2_q  <= is_store2; // long before its first word comes
    first_q   <= step || at.row;
    taken_q   <= {taken_q[0], step || taken_q[0]} & {2{!rst_i && !clearing}};
    unlike_q  <= kind_q ^ mf_rsa_pkg::kind_of(instr_q.op);
    strange_q <= !rst_i && !clearing && taken_q[1] && unlike_q != '0;
    if (clear_q) begin
      instr_q  <= '0;
      kind_q   <= '0;
      sent_q   <= 1'b0;
    end else if (step) begin
      instr_q  <= instr;
      kind_q   <= next_kind;
      sent_q   <= 1'b0;
    end else if (at.take && cmd_fire) begin
      sent_q   <= 1'b1;
    end

    // A row reads its multiplier on port B first, an exponentiation its exponent on both ports.
    if (at.wipe || idle) a_q <= '0;
    else if (step) a_q <= instr.a;
    else if (feed_issue && feed_switch) a_q <= b_q;
    else if (at.words || feed_issue || (at.verify && !read)) a_q <= a_q + addr_t'(1);
    if (at.wipe || idle) b_q <= '0;
    else if (step) b_q <= instr.b;
    else if (at.row) b_q <= instr_q.dst;
    else if (at.start && kind_q.exp_a) b_q <= instr_q.a;
    else if (at.words || (at.verify && !read)) b_q <= b_q + addr_t'(1);
    if (rst_i || wipe_q || idle || (at.wipe && written)) dst_q <= '0;
    else dst_q <= dst_counts ? dst_q + addr_t'(1) : step ? instr.dst : write ? instr_q.b : dst_q;

    if (clear_q) exp_bits_q <= '0;
    else if (step) begin
      unique case ({instr.op[4], instr.op[2]}) // in which OpExp, OpExp2 and OpExpE differ
        2'b01:   exp_bits_q <= 16'(instr.b);
        2'b11:   exp_bits_q <= 16'(instr.len);
        default: exp_bits_q <= e_bits;
      endcase
    end

    // cmd_q is set at once, for a load with its first word, and for the second store of OpStore2
    // store_gap cycles after the engine has accepted the first.
    cmd_q      <= !rst_i && !wipe_q && !cmd_fire
                  && ((step && instr.op inside {mf_rsa_pkg::OpStore, mf_rsa_pkg::OpMul,
                                                mf_rsa_pkg::OpSetup, mf_rsa_pkg::OpStore2,
                                                mf_rsa_pkg::OpMul2, mf_rsa_pkg::OpSetup2})
                      || (at.command && (!kind_q.load || feed_here))
                      || (at.take && is_store2 && !sent_q && !eng_pending && gap_q[GapBits-1]));
    if (at.command || eng_pending) gap_q <= GapBits'(Cfg.store_gap) - GapBits'(4);
    else if (!gap_q[GapBits-1]) gap_q <= gap_q - GapBits'(1);
    watchdog_q <= restarts_q ? '0 : watchdog_q + 32'd1;
  end

  mf_rsa_wipe #(.LastWord(LastWord), .UnitWipe(Cfg.unit_wipe), .NumUnits(NumUnits)) u_wipe (
    .clk_i, .start_i(rst_i || wipe_q),
    .writes_i   (at.wipe), .wr_addr_i(dst_q), .written_o(written), .busy_i(eng_busy),
    .verifies_i (at.verify), .rd_addr_i(a_q), .read_o(read), .data_i(read_back),
    .verified_i (verified), .units_o(wipe_units), .dirty_o(dirty), .end_o(wipe_end)
  );

  mf_rsa_end #(.Cfg(Cfg)) u_end (
    .clk_i,
    .clear_i (clear_q),
    .take_i  (first_q || at.command),
    .fail_i  (refused_q || ended_starved_q || need_fails_q),
    .instr_i (instr_q), .kind_i(kind_q),
    .dst_i   (dst_q),
    .end_o   (end_q)
  );

  // ---- how an operation ends ----
  mf_rsa_ending #(.Cfg(Cfg), .CountLate(CountLate)) u_ending (
    .clk_i, .rst_i, .zeroize_i(zeroize_q && wipe_q), .lock_i, .fault_limit_i, // never alone
    .alarm_i       (alarm_q),
    .late_i        (late_q),
    .idle_i        (rests),
    .wipe_i        ((at.wipe || at.verify)),
    .wipe_end_i    (wipe_end),
    .waits_i       (waits),
    .start_i, .entry_i, .context_i, .e_bits_i, .host_we_i(host_we_q), .host_addr_i,
    .refused_i     (refused_q),
    .starved_i     (ended_starved_q),
    .need_fails_i  (need_fails_q),
    .need_status_i (mf_rsa_pkg::status_e'(instr_q.dst[3:0])),
    .release_i     (released_q && !released_off_q), .other_i(other_q),
    .halt_i        (halts),
    .begins_o(begins), .starts_o(starts), .entry_o(entry), .due_o(due), .wrong_o(wrong),
    .write_ok_o(write_ok), .in_message_o(in_message), .spoils_o(spoils),
    .drop_o        (drops),
    .limit_o       (limit),
    .active_o      (active),
    .done_o, .status_o, .key_valid_o, .result_valid_o, .locked_o, .alarm_o,
    .differ_o      (differs),
    .e_bits_o      (e_bits),
    .banks_o       (banks), .contexts_o, .cycles_o
  );

endmodule
