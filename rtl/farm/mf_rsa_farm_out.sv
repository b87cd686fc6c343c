// SPDX-License-Identifier: Apache-2.0
/// Collector of the farm: sends one answer after the other from the cores' outboxes.
///
/// Source   modfab.
/// Model    modfab.models.rsa.farm.Collector (same cycles).
/// Latency  an answer's first word is offered 9 cycles after its outbox was seen full, then one
///          word a cycle; its last word 8 cycles after the one before when the receiver waits for
///          none; 10 cycles between two answers.
/// Assumes  word_i two cycles after addr_o, still while go_o is low; an outbox stays as it is until
///          pop_o; sent_i and sent_data_i one cycle after a word has left the farm; drained_i when
///          none is left between out_data_o and there.
/// Ensures  answers leave whole, round robin among the cores that have one; result words are zero
///          unless the job ended well, also when that changes in between. Each job of a core's
///          ledger is answered once, in order, with the ledger's id. Its answer says JobFault when
///          the outbox holds another job, a changed ending or words whose checksum is not theirs,
///          or when the core has lost the job; the words are checked as they left. An outbox
///          with a job that was answered before is emptied without an answer. One changed bit of
///          state, address or choice of the core, and of what the answer takes from outbox and
///          ledger, is corrected.
module mf_rsa_farm_out #(
  parameter int unsigned NumCores = 2,
  parameter int unsigned NumWords = 4, // words of a result
  localparam int unsigned RamBits = $clog2(NumWords)
) (
  input  logic                                clk_i,
  input  logic                                rst_i,
  input  logic                                zeroize_i,

  input  logic [NumCores-1:0]                 full_i,       // an answer waits
  output logic [RamBits-1:0]                  addr_o,
  output logic                                go_o,         // low: the words stand still
  input  logic [NumCores-1:0][31:0]           word_i,
  input  mf_rsa_farm_pkg::held_t [NumCores-1:0] held_i,     // what the outbox says of its job
  output logic [NumCores-1:0]                 pop_o,        // pulse: the outbox is free
  output logic [NumCores-1:0]                 fault_o,      // with it: what it held has changed

  input  logic [NumCores-1:0]                 lost_i,       // the core has none of its jobs
  input  mf_rsa_farm_pkg::owed_t [NumCores-1:0] owed_i,     // the ledger's first job
  output logic [NumCores-1:0]                 answered_o,   // pulse: strike it off

  output logic                                out_valid_o,
  input  logic                                out_room_i,   // it is taken in the next cycle
  output logic [31:0]                         out_data_o,
  output logic                                out_last_o,
  input  logic                                sent_i,
  input  logic [31:0]                         sent_data_i,
  input  logic                                drained_i
);

  // ---- what leaves ----
  typedef struct packed {
    logic [2:0]  valid; // a word comes out of the memory, of its register, of word_q
    logic        out_valid;
    logic        out_last;
    logic [31:0] out_data;
  } leaving_t;
  leaving_t leaving, leaving_next;
  assign out_valid_o = leaving.out_valid;
  assign out_data_o  = leaving.out_data;
  assign out_last_o  = leaving.out_last;
  mf_rsa_farm_vote #(.WidthBits($bits(leaving_t))) u_leaving (
    .clk_i, .rst_i, .next_i(leaving_next), .value_o(leaving)
  );

  // Low: address, words and output stand still, as the output does not leave: out_valid_o is high
  // and there is no room. It is found a cycle early.
  logic go;
  assign go_o = go;
  mf_rsa_farm_vote #(.WidthBits(1)) u_go (
    .clk_i, .rst_i, .next_i(out_room_i || !leaving_next.out_valid), .value_o(go)
  );

  typedef struct packed { // one bit is set
    logic done;  // the answer was sent: strike it off
    logic pick;
    logic check; // three cycles: what was picked, compared, decided
    logic words;
    logic sent;  // until every word has left and was looked at
    logic status;
  } state_t;
  state_t at, at_next;
  mf_rsa_farm_vote #(.WidthBits($bits(state_t))) u_state (
    .clk_i, .rst_i, .next_i(at_next), .value_o(at)
  );
  logic astray; // no bit of the state was set, a cycle ago: two have changed
  mf_rsa_farm_vote #(.WidthBits(1)) u_astray (
    .clk_i, .rst_i, .next_i(!rst_i && !astray && at == '0), .value_o(astray)
  );

  logic [NumCores-1:0] asks_q, pick, chosen; // chosen: the picked outbox
  logic [RamBits-1:0]  next, addr_q;
  logic [1:0]          age;      // check: that many cycles are over
  logic                starts;

  // ---- address ----
  assign addr_o = go ? next : addr_q;
  assign starts = go && at.pick && asks_q != '0;
  mf_rr_arb #(.Num(NumCores)) u_turns (
    .clk_i, .rst_i, .set_i(asks_q), .taken_i(starts), .pick_o(pick)
  );
  mf_rsa_farm_count #(.WidthBits(RamBits)) u_next (
    .clk_i,
    .clear_i (go && !at.words),
    .step_i  (go),
    .count_o (next)
  );
  mf_rsa_farm_vote #(.WidthBits(2)) u_age (
    .clk_i, .rst_i, .next_i(at.check ? {age[0], 1'b1} : '0), .value_o(age)
  );

  // ---- the picked outbox ----
  mf_rsa_farm_vote #(.WidthBits(NumCores)) u_chosen (
    .clk_i, .rst_i, .next_i(starts ? pick : chosen), .value_o(chosen)
  );
  typedef struct packed {
    logic [4:0]                   core;
    mf_rsa_farm_pkg::job_status_e status;
    mf_rsa_farm_pkg::owed_t       owed;
  } front_t;
  front_t                 front, front_next;
  mf_rsa_farm_pkg::held_t held;
  mf_rsa_farm_pkg::seq_t  seq_q;
  logic [16:0]            job_q;
  logic [3:0]             status_inv_q;
  logic [31:0]            word, word_q, box_crc_q;
  logic                   full, full_q, lost, lost_q;
  always_comb begin
    word = '0;
    held = '0;
    full = 1'b0;
    lost = 1'b0;
    front_next = '0;
    for (int unsigned i = 0; i < NumCores; i++) begin
      if (chosen[i]) begin
        word = word | word_i[i];
        held = held | held_i[i];
        full = full | full_i[i];
        lost = lost | lost_i[i];
        front_next.core = front_next.core | 5'(i);
        front_next.owed = front_next.owed | owed_i[i];
      end
    end
    if (zeroize_i) begin // as the outbox says one cycle later
      held.status     = mf_rsa_farm_pkg::JobZeroized;
      held.status_inv = ~mf_rsa_farm_pkg::JobZeroized;
      held.crc        = '0;
    end
    front_next.status = held.status;
  end
  mf_rsa_farm_vote #(.WidthBits($bits(front_t))) u_front (
    .clk_i, .rst_i, .next_i(front_next), .value_o(front)
  );

  // ---- is it the job that is owed, one behind it, or one that was answered before? ----
  logic       mine_q, ahead_q, here_q, gone_q, same_job_q, changed_q, sound_q, well_q, bad_q;
  logic       void_q, whole, ok_q, same_q, good_q, known_q;
  logic [1:0] distance; // from the job that is owed to that of the outbox
  mf_rsa_farm_pkg::answer_t answer;
  mf_rsa_farm_pkg::job_t    first;
  logic [31:0]              crc;
  assign distance = mf_rsa_farm_pkg::seq_number(seq_q) - front.owed.number;
  assign whole    = mine_q && same_job_q && !changed_q && sound_q && !void_q;
  assign answer   = '{reserved: '0, core: front.core, unused: '0,
                      status: good_q ? front.status : mf_rsa_farm_pkg::JobFault,
                      id: changed_q ? job_q[15:0] : front.owed.job[15:0]};
  assign first    = '{reserved: 15'd1, public_key: job_q[16], id: job_q[15:0]};
  always_ff @(posedge clk_i) begin
    full_q       <= full;
    lost_q       <= lost;
    seq_q        <= held.seq;
    job_q        <= held.job;
    status_inv_q <= held.status_inv;
    box_crc_q    <= held.crc;
    // one cycle later
    mine_q     <= full_q && front.owed.count != '0 && distance == '0;
    ahead_q    <= full_q && distance != '0 && distance < front.owed.count;
    here_q     <= full_q;
    gone_q     <= !full_q && lost_q && front.owed.count != '0;
    same_job_q <= job_q == front.owed.job;
    changed_q  <= ^{front.owed.parity, front.owed.job};
    sound_q    <= status_inv_q == ~front.status;
    well_q     <= front.status == mf_rsa_farm_pkg::JobOk;
    bad_q      <= front.status inside {mf_rsa_farm_pkg::JobFault, mf_rsa_farm_pkg::JobWatchdog,
                                       mf_rsa_farm_pkg::JobKey};
    same_q     <= crc == box_crc_q;
    // two cycles later
    ok_q    <= whole && well_q && !zeroize_i;
    good_q  <= whole && (!well_q || same_q);
    known_q <= mine_q && sound_q && bad_q; // the core has counted the fault
  end

  // ---- the words that have left ----
  logic quiet;
  logic [2:0] quiet_q; // for so many cycles: the checksum is complete and compared
  logic       clear_q; // a check goes on for longer
  assign quiet = at.sent && drained_i && !leaving.out_valid && leaving.valid == '0;
  mf_rsa_farm_crc u_crc (
    .clk_i,
    .clear_i (clear_q),
    .first_i (at.check),
    .step_i  (at.check || sent_i),
    .word_i  (at.check ? first : sent_data_i),
    .crc_o   (crc)
  );

  logic decides, ends;
  logic [NumCores-1:0] pop_q, fault_q;
  assign decides    = go && at.check && age[1];
  assign ends       = go && at.status;
  assign pop_o      = pop_q;
  assign fault_o    = fault_q;
  assign answered_o = at.done ? chosen : '0;

  always_comb begin
    leaving_next = leaving;
    if (rst_i) begin
      leaving_next = '0;
    end else if (go) begin
      leaving_next.valid     = {leaving.valid[1:0], at.words};
      leaving_next.out_valid = leaving.valid[2] || at.status;
      leaving_next.out_last  = at.status;
      leaving_next.out_data  = at.status ? answer : zeroize_i ? '0 : word_q;
    end else if (zeroize_i && !leaving.out_last) begin
      leaving_next.out_data = '0;
    end
  end

  logic wanted, last_word, all_sent;
  assign wanted    = mine_q || ahead_q || gone_q;
  assign last_word = go && next == RamBits'(NumWords - 1);
  assign all_sent  = quiet_q == '1;
  always_comb begin
    at_next.check  = (at.pick && starts) || (at.check && !decides);
    at_next.words  = (decides && wanted) || (at.words && !last_word);
    at_next.sent   = (at.words && last_word) || (at.sent && !all_sent);
    at_next.status = (at.sent && all_sent) || (at.status && !ends);
    at_next.done   = at.status && ends;
    at_next.pick   = (at.pick && !starts) || (decides && !wanted) || at.done
                     || astray;
    if (rst_i) at_next = '{pick: 1'b1, default: 1'b0};
  end
  always_ff @(posedge clk_i) begin
    // Fresh at the second cycle of pick.
    asks_q <= at.pick && !starts && !rst_i ? full_i | lost_i : '0;
    if (decides) void_q <= !mine_q;
    if (go) addr_q <= next;
    if (rst_i || zeroize_i) word_q <= '0;
    else if (go) word_q <= leaving.valid[1] && ok_q ? word : '0;
    quiet_q <= {quiet_q[1:0] & {2{quiet}}, quiet};
    clear_q  <= rst_i || zeroize_i || at.pick;
    pop_q   <= !rst_i && ((decides && here_q && !mine_q && !ahead_q)
                          || (ends && here_q && !ahead_q)) ? chosen : '0;
    fault_q <= ends && !good_q && !known_q ? chosen : '0;
  end

endmodule
