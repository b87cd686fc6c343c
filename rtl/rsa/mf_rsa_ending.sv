// SPDX-License-Identifier: Apache-2.0
/// What the RSA core permits, and how an operation ends: validity of key and result, lock, alarm,
/// status, cycles. Every flag that permits something is kept twice, once inverted.
///
/// Source   modfab.
/// Model    modfab.models.rsa.
/// Latency  outputs change one cycle after their cause; begins_o comes one cycle after start_i.
/// Assumes  host_we_i, and start_i but for a wipe, only while idle_i, not due_o and not starts_o;
///          e_bits_i from the cycle before start_i to the one after.
/// Ensures  result_valid_o only after a program released its result and halted with its next
///          instruction, and until the next start_i, accepted write or wipe. active_o from an
///          accepted start_i until done_o. Key words and the bits of e do not change from the end
///          of a successful program `key` until a wipe.
///          A start_i in a wipe finds no key. differ_o two cycles after two copies of a flag or of
///          the program differ. alarm_o from alarm_i until reset or zeroize_i; until then every
///          start is refused. With several keys the flags are the chosen context's; a refused key
///          and EntryLeave wipe no other one, and a change that was not released raises the alarm.
///          After reset the program `test` starts by itself, again and again until it has passed.
///          It passes only if the alarm that its last instruction raises comes; this one does not
///          last. Any other end is an alarm.
module mf_rsa_ending #(
  parameter mf_rsa_pkg::cfg_t Cfg       = mf_rsa_pkg::CfgSmallest,
  parameter bit               CountLate = 0 // as of mf_rsa
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic                zeroize_i,
  input  logic                lock_i,         // pulse: no write to the key until zeroize
  input  logic [7:0]          fault_limit_i,  // faults that raise the alarm; 0: none does
  input  logic                alarm_i,        // wipes the core
  input  logic                late_i,         // with alarm_i: the watchdog
  input  logic                idle_i,         // state of the core: idle, in the wipe, at its end
  input  logic                wipe_i,
  input  logic                wipe_end_i,
  input  logic                waits_i,        // for a random word, a cycle ago: not counted

  input  logic                start_i,
  input  mf_rsa_pkg::entry_e  entry_i,
  input  mf_rsa_pkg::context_t context_i,     // to change to
  input  logic [15:0]         e_bits_i,
  input  logic                host_we_i,
  input  mf_rsa_pkg::addr_t   host_addr_i,    // a cycle before host_we_i

  input  logic                refused_i,      // the engine refuses a modulus
  input  logic                starved_i,      // no usable random words
  input  logic                need_fails_i,   // an instruction `need` ends the operation, so:
  input  mf_rsa_pkg::status_e need_status_i,
  input  logic                release_i,      // instruction `release`, its trace right
  input  logic                other_i,        // neither that nor the end of a program or a loop
  input  logic                halt_i,         // instruction `halt`

  output logic                begins_o,       // while idle_i: a program begins
  output logic                starts_o,       // a start is looked at
  output mf_rsa_pkg::entry_e  entry_o,        // in the cycle before begins_o: which
  output logic                due_o,          // the program `test` has not passed since reset
  output logic                wrong_o,        // with halt_i: it did not pass
  output logic                write_ok_o,     // host_we_i is accepted
  output logic                in_message_o,   // with host_we_i: a word of the message
  output logic                drop_o,         // with halt_i: no key came of it; wipe everything
  output logic                spoils_o,       // a key is refused before its program: likewise
  output logic                limit_o,        // too many faults
  output logic                active_o,
  output logic                done_o,         // pulse
  output mf_rsa_pkg::status_e status_o,
  output logic                key_valid_o,
  output logic                result_valid_o,
  output logic                locked_o,
  output logic                alarm_o,
  output logic                differ_o,
  output logic [15:0]         e_bits_o,       // of the key
  output mf_rsa_pkg::banks_t  banks_o,
  output mf_rsa_pkg::contexts_t contexts_o,
  output logic [63:0]         cycles_o
);

  localparam bit HasContexts = Cfg.num_keys > 1;
  // A flag and its complement. True needs both; they differ after a fault in one.
  typedef struct packed {
    logic on;
    logic off;
  } flag_t;
  function automatic flag_t flag(input logic value);
    flag = '{on: value, off: !value};
  endfunction
  function automatic logic is_set(input flag_t value);
    is_set = value.on && !value.off;
  endfunction
  function automatic logic is_broken(input flag_t value);
    is_broken = value.on == value.off;
  endfunction
  function automatic logic needs_key(input mf_rsa_pkg::entry_e entry);
    needs_key = entry inside {mf_rsa_pkg::EntryPrivate, mf_rsa_pkg::EntryPublic};
  endfunction

  localparam logic [15:0] TestEBits = 16'd3; // bits of the public exponent of EntryTest

  flag_t               active_q, released_q, key_q, result_q, locked_q, alarm_q, tested_q, e_ok_q;
  flag_t               open_q, start_ok_q;      // key words are accepted; start_q's program begins
  flag_t               start_q;                 // a start came a cycle ago
  logic                drop_q, limit_q, spoils, spoil_q;
  logic [15:0]         e_bits_q;
  logic [7:0]          faults_q;
  mf_rsa_pkg::entry_e  entry, entry_q;
  logic [$bits(entry_q)-1:0] entry_inv_q; // its complement
  mf_rsa_pkg::status_e status_q, ending_q;
  mf_rsa_pkg::status_e if_refused_q, if_halted_q, if_alarmed_q; // what status_q would be
  logic [3:0]          unequal_q; // copies that differ, in groups
  logic                broken_q, makes_key, in_key_q, in_message_q;
  logic                restarts_q, counts, wraps_q; // of cycles_o; its low half has passed 0
  logic                restarts, counted;           // as it takes them
  logic                start, start_ok, starts, testing, expected, pass_q, drops, e_differs;
  // Of contexts: the host's has a key, exists; the target is the chosen one; the next one's flags.
  logic                wanted, wanted_ok, own, leaves, moving, moves, clears, differ;
  flag_t               next_valid, next_locked, keeps_q, erases_q;
  logic [15:0]         next_e_bits;
  mf_rsa_pkg::context_t chosen;
  mf_rsa_pkg::each_t   other_keys, other_locks;
  assign status_o       = status_q;
  assign active_o       = is_set(active_q);
  assign key_valid_o    = is_set(key_q);
  assign result_valid_o = is_set(result_q);
  assign locked_o       = !(locked_q.off && !locked_q.on); // in doubt: locked
  assign alarm_o        = !(alarm_q.off && !alarm_q.on);
  assign differ_o       = broken_q;
  assign e_bits_o       = e_bits_q;

  // The program `test` runs; the alarm at its end is due. pass_q: the alarm came, the wipe goes on.
  assign due_o    = !is_set(tested_q) && !alarm_o;
  assign start    = idle_i && !starts && (due_o || start_i);
  assign starts   = start_q.on || !start_q.off; // in doubt one came; it is answered with a fault
  always_comb begin
    entry = is_set(tested_q) ? entry_i : mf_rsa_pkg::EntryTest; // an alarm refuses either
    if (HasContexts) begin
      if (entry == mf_rsa_pkg::EntryChange && !wanted) entry = mf_rsa_pkg::EntryLeave;
    end
  end
  assign entry_o  = entry;
  assign starts_o = starts;
  assign begins_o = is_set(start_q) && is_set(start_ok_q);
  assign testing  = entry_q == mf_rsa_pkg::EntryTest && is_set(active_q);
  assign expected = alarm_i && testing && is_set(released_q);
  assign wrong_o  = halt_i && (testing || (HasContexts && moving && !is_set(released_q)));

  // ---- contexts ----
  // A change that does not end as it should is an alarm. Its program takes everything of the target
  // but the flags; without a key there, the wipe that follows empties it.
  assign leaves  = entry_q == mf_rsa_pkg::EntryLeave;
  assign moving  = leaves || entry_q == mf_rsa_pkg::EntryChange;
  assign moves   = HasContexts && halt_i && moving && is_set(released_q);
  assign clears  = rst_i || zeroize_i || alarm_i;
  always_comb begin
    contexts_o.chosen = chosen;
    contexts_o.keys   = other_keys;
    contexts_o.locks  = other_locks;
    contexts_o.keys[chosen]  = key_valid_o;
    contexts_o.locks[chosen] = locked_o;
  end
  if (HasContexts) begin : gen_contexts
    mf_rsa_contexts #(.Cfg(Cfg)) u_contexts (
      .clk_i, .rst_i,
      .clear_i    (clears), .first_i(rst_i || zeroize_i),
      .context_i,
      .look_i     (idle_i && !starts), .own_i(entry_i == mf_rsa_pkg::EntryLeave),
      .changing_i (is_set(active_q) && entry_q == mf_rsa_pkg::EntryChange),
      .moves_i    (moves),
      .valid_i    (key_q), .locked_i(locked_q), .e_bits_i(e_bits_q),
      .wanted_o   (wanted), .wanted_ok_o(wanted_ok), .own_o(own),
      .valid_o    (next_valid), .locked_o(next_locked), .e_bits_o(next_e_bits),
      .chosen_o   (chosen), .valids_o(other_keys), .locks_o(other_locks),
      .rd_bank_o  (banks_o.rd), .wr_bank_o(banks_o.wr),
      .differ_o   (differ)
    );
    assign banks_o.keeps = is_set(keeps_q);
    always_ff @(posedge clk_i) begin
      if (clears || (idle_i && !spoil_q)) keeps_q <= flag(1'b0);
      else if (spoil_q || (halt_i && drops && !testing)) keeps_q <= flag(1'b1);
      // A change to the chosen context is the same program, but takes no lock.
      if (clears) erases_q <= flag(1'b0);
      else if (start) erases_q <= flag(entry_i == mf_rsa_pkg::EntryLeave);
    end
  end else begin : gen_one_context
    logic unused_contexts;
    assign unused_contexts = ^{context_i, clears, moves};
    assign {wanted, wanted_ok, own, differ, chosen, banks_o} = '0;
    assign {next_valid, next_locked, keeps_q, erases_q} = {4{flag(1'b0)}};
    assign {next_e_bits, other_keys, other_locks} = '0;
  end

  assign makes_key  = !needs_key(entry_q);
  always_ff @(posedge clk_i) begin
    in_key_q     <= host_addr_i < Cfg.key_end;
    in_message_q <= host_addr_i >= Cfg.var_c && host_addr_i < Cfg.var_m;
  end
  assign in_message_o = in_message_q;
  assign write_ok_o   = (in_message_q && !alarm_o) || (in_key_q && is_set(open_q));
  always_comb begin
    unique case (entry)
      mf_rsa_pkg::EntryTest:   start_ok = key_q.off && !key_q.on;
      mf_rsa_pkg::EntryDerive: start_ok = key_q.off && !key_q.on && !locked_o;
      mf_rsa_pkg::EntryKey:    start_ok = is_set(key_q) || is_set(e_ok_q);
      default:                 start_ok = is_set(key_q);
    endcase
    if (HasContexts) begin
      if (entry == mf_rsa_pkg::EntryTest && other_keys != '0) start_ok = 1'b0;
      if (entry == mf_rsa_pkg::EntryChange) start_ok = wanted_ok;
      if (entry == mf_rsa_pkg::EntryLeave)
        start_ok = wanted_ok || entry_i == mf_rsa_pkg::EntryLeave;
    end
    if (alarm_o) start_ok = 1'b0;
  end
  // A second copy of the bits of e where no private key tells which e is right.
  if (Cfg.public_only) begin : gen_e_copy
    logic [15:0] e_bits_inv_q;
    always_ff @(posedge clk_i) begin
      if (rst_i || zeroize_i || alarm_i) e_bits_inv_q <= '1;
      else if (idle_i && begins_o && !is_set(key_q))
        e_bits_inv_q <= entry_q == mf_rsa_pkg::EntryTest ? ~TestEBits : ~e_bits_i;
    end
    assign e_differs = e_bits_inv_q != ~e_bits_q;
  end else begin : gen_one_e
    assign e_differs = 1'b0;
  end
  // What drop_q has to be: with halt_i nothing of it has changed since the cycle before.
  assign drops   = makes_key && (!is_set(released_q) || testing || (HasContexts && leaves));
  assign drop_o  = drop_q;
  // A key whose e has a length that cannot be leaves nothing, as one that its program refuses.
  assign spoils   = idle_i && starts && !begins_o && entry_q == mf_rsa_pkg::EntryKey && !alarm_o;
  assign spoils_o = spoils;
  assign limit_o = limit_q;

  assign counts  = !idle_i && !wipe_i && !waits_i;
  if (CountLate) begin : gen_late
    logic counts_q, again_q;
    always_ff @(posedge clk_i) {counts_q, again_q} <= {counts, restarts_q};
    assign {counted, restarts} = {counts_q, again_q};
  end else begin : gen_at_once
    assign {counted, restarts} = {counts, restarts_q};
  end
  always_ff @(posedge clk_i) begin
    done_o     <= 1'b0;
    open_q     <= flag(key_q.off && !key_q.on && !locked_o && !alarm_o);
    start_q    <= flag(start && !zeroize_i && !alarm_i);
    start_ok_q <= flag(start_ok);
    drop_q     <= drops;
    spoil_q    <= spoils && !rst_i;
    limit_q    <= fault_limit_i != '0 && faults_q >= fault_limit_i && !alarm_o;
    e_ok_q   <= flag(e_bits_i >= 16'd2 && e_bits_i <= Cfg.max_e_bits);
    // From the cycle before: key, entry, test and release are older than what ends an operation.
    if_refused_q <= alarm_o ? mf_rsa_pkg::StatusFault
                  : is_set(key_q) || !needs_key(entry) ? mf_rsa_pkg::StatusKey
                                                       : mf_rsa_pkg::StatusNoKey;
    if_halted_q  <= testing ? mf_rsa_pkg::StatusTest
                  : is_set(released_q) ? mf_rsa_pkg::StatusOk : ending_q;
    if_alarmed_q <= !testing ? mf_rsa_pkg::StatusFault
                  : !is_set(released_q) ? mf_rsa_pkg::StatusTest
                  : is_set(tested_q) ? mf_rsa_pkg::StatusOk : mf_rsa_pkg::StatusNoKey;
    unequal_q[0] <= is_broken(active_q) || is_broken(released_q) || is_broken(key_q)
                    || is_broken(result_q) || is_broken(locked_q) || is_broken(alarm_q);
    unequal_q[1] <= is_broken(tested_q) || is_broken(e_ok_q) || is_broken(open_q)
                    || is_broken(start_q) || is_broken(start_ok_q);
    unequal_q[2] <= (halt_i && drop_q != drops) || entry_inv_q != ~entry_q;
    unequal_q[3] <= e_differs || (HasContexts
                                  && (differ || is_broken(keeps_q) || is_broken(erases_q)));
    if (rst_i) unequal_q <= '0;
    broken_q     <= !rst_i && unequal_q != '0;
    if (zeroize_i || alarm_i) begin
      // A start that meets a wipe ends with it.
      active_q   <= flag(active_q.on || starts || spoil_q || (idle_i && start_i)
                         || (alarm_i && !idle_i && !wipe_i));
      key_q      <= flag(1'b0);
      result_q   <= flag(1'b0);
      // The alarm at the test's end may already be on its way, a cycle behind zeroize_i.
      if (!(zeroize_i && testing)) released_q <= flag(1'b0);
      entry_inv_q <= ~entry_q;
      status_q   <= zeroize_i ? mf_rsa_pkg::StatusZeroized
                  : late_i && if_alarmed_q == mf_rsa_pkg::StatusFault ? mf_rsa_pkg::StatusWatchdog
                                                                      : if_alarmed_q;
    end else if (idle_i) begin
      released_q <= flag(1'b0);
      ending_q   <= mf_rsa_pkg::StatusFault;
      if (!starts) begin
        entry_q     <= entry;
        entry_inv_q <= ~entry;
      end
      active_q   <= flag(begins_o || spoil_q);
      if (start || starts || (host_we_i && write_ok_o)) result_q <= flag(1'b0);
      if (begins_o && !is_set(key_q))
        e_bits_q <= entry_q == mf_rsa_pkg::EntryTest ? TestEBits : e_bits_i;
      if (starts) status_q <= mf_rsa_pkg::StatusFault; // until the operation ends
      if (starts && !begins_o) begin
        done_o <= !spoils; // then behind the wipe
        if (!is_broken(start_q)) status_q <= if_refused_q;
      end
    end else begin
      if (refused_i) ending_q <= mf_rsa_pkg::StatusKey;
      else if (starved_i) ending_q <= mf_rsa_pkg::StatusEntropy;
      else if (need_fails_i) ending_q <= need_status_i;
      if (refused_i || starved_i || need_fails_i || other_i) released_q <= flag(1'b0);
      else if (release_i) released_q <= flag(1'b1);
      if (halt_i) begin
        status_q <= if_halted_q;
        if (testing) released_q <= flag(1'b0);
        result_q <= flag(is_set(released_q) && needs_key(entry_q));
        if (Cfg.keygen) begin // the set-up of a key ends with a result, too: its n
          if (entry_q == mf_rsa_pkg::EntryKey) result_q <= flag(is_set(released_q));
        end
        if (entry_q == mf_rsa_pkg::EntryKey) key_q <= flag(is_set(released_q));
        if (HasContexts) begin
          if (moves && leaves) begin
            key_q    <= flag(1'b0);
            e_bits_q <= '0;
          end else if (moves && !own) begin
            key_q    <= next_valid;
            e_bits_q <= next_e_bits;
          end
        end
      end
      if (wipe_i) begin
        key_q      <= flag(1'b0);
        result_q   <= flag(1'b0);
        released_q <= flag(1'b0);
      end
      if (wipe_i && (start_i || starts)) begin
        done_o <= 1'b1;
        if (!alarm_o) status_q <= mf_rsa_pkg::StatusNoKey;
      end
      if ((halt_i && !drop_o) || (wipe_end_i && active_q.on)) begin
        done_o   <= !pass_q || is_set(tested_q); // none for what reset has started
        active_q <= flag(1'b0);
      end
    end

    if (rst_i || (alarm_i && ((testing && !expected) || is_broken(tested_q))))
      tested_q <= flag(1'b0);
    else if (pass_q && wipe_end_i) tested_q <= flag(1'b1);
    pass_q <= !rst_i && !zeroize_i && (expected || (pass_q && wipe_i && !alarm_i && !wipe_end_i));

    if (rst_i || zeroize_i) begin
      locked_q <= flag(1'b0);
      alarm_q  <= flag(1'b0);
      faults_q <= '0;
    end else begin
      if (lock_i || alarm_i) locked_q <= flag(lock_i || locked_o);
      else if (HasContexts) begin
        if (moves && !own) locked_q <= next_locked;
        else if (moves && leaves && is_set(erases_q)) locked_q <= flag(1'b0);
      end
      if (alarm_i && !expected) alarm_q <= flag(1'b1);
      if (done_o && faults_q != '1
          && status_q inside {mf_rsa_pkg::StatusFault, mf_rsa_pkg::StatusWatchdog})
        faults_q <= faults_q + 8'd1;
    end
    if (rst_i || zeroize_i || alarm_i) e_bits_q <= '0;
    restarts_q <= rst_i || zeroize_i || (alarm_i && !expected) || starts;
    if (rst_i) begin // last, so that it is in no longer path
      done_o      <= 1'b0;
      active_q    <= flag(1'b0);
      start_q     <= flag(1'b0);
      key_q       <= flag(1'b0);
      result_q    <= flag(1'b0);
      released_q  <= flag(1'b0);
      entry_q     <= mf_rsa_pkg::EntryKey;
      entry_inv_q <= ~mf_rsa_pkg::EntryKey;
      status_q    <= mf_rsa_pkg::StatusNoKey;
    end
    {wraps_q, cycles_o[31:0]} <= restarts ? 33'(counted) : 33'(cycles_o[31:0]) + 33'(counted);
    if (restarts) cycles_o[63:32] <= '0;
    else if (wraps_q) cycles_o[63:32] <= cycles_o[63:32] + 32'd1;
  end

endmodule
