// SPDX-License-Identifier: Apache-2.0
/// Collector of the farm: sends one answer after the other from the cores' outboxes.
///
/// Source   modfab.
/// Model    modfab.models.rsa.farm.Collector (same clocks).
/// Latency  an answer's first word is offered 4 cycles after its outbox was seen full, then one
///          word a cycle; its last word 5 cycles after the one before when the receiver waits for
///          none; 4 cycles between two answers.
/// Assumes  word_i one cycle after addr_o; an outbox stays as it is until pop_o; sent_i and
///          sent_data_i one cycle after a word has left the farm; drained_i when none is left
///          between out_data_o and there.
/// Ensures  answers leave whole, in turns among the cores that have one; result words are zero
///          unless the job ended well, also when that changes in between. Each job of a core's
///          ledger is answered once, in order, with the ledger's id. Its answer says JobFault when
///          the outbox holds another job, a changed ending or words whose checksum is not theirs,
///          or when the core has lost the job; the words are checked as they left. An outbox
///          with a job that was answered before is emptied without an answer. One changed bit of
///          state, address or choice of the core is corrected.
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
  input  logic [NumCores-1:0][31:0]           word_i,
  input  mf_rsa_farm_pkg::held_t [NumCores-1:0] held_i,     // what the outbox says of its job
  output logic [NumCores-1:0]                 pop_o,        // pulse: the outbox is free
  output logic [NumCores-1:0]                 fault_o,      // with it: what it held has changed

  input  logic [NumCores-1:0]                 lost_i,       // the core has none of its jobs
  input  mf_rsa_farm_pkg::owed_t [NumCores-1:0] owed_i,     // the ledger's first job
  output logic [NumCores-1:0]                 answered_o,   // pulse: strike it off

  output logic                                out_valid_o,
  input  logic                                out_ready_i,
  output logic [31:0]                         out_data_o,
  output logic                                out_last_o,
  input  logic                                sent_i,
  input  logic [31:0]                         sent_data_i,
  input  logic                                drained_i
);

  // ---- what leaves ----
  typedef struct packed {
    logic        valid; // a word comes out of the memory
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

  typedef enum logic [5:0] {
    StPick   = mf_rsa_farm_pkg::Code1,
    StCheck  = mf_rsa_farm_pkg::Code2,
    StWords  = mf_rsa_farm_pkg::Code3,
    StDrain  = mf_rsa_farm_pkg::Code4, // the last word comes out of the memory
    StSent   = mf_rsa_farm_pkg::Code5, // until every word has left
    StStatus = mf_rsa_farm_pkg::Code6
  } state_e;
  (* fsm_encoding = "none" *) logic [5:0] state_q;
  state_e state;
  always_comb begin
    state = StPick;
    if (mf_rsa_farm_pkg::near(state_q, StCheck))  state = StCheck;
    if (mf_rsa_farm_pkg::near(state_q, StWords))  state = StWords;
    if (mf_rsa_farm_pkg::near(state_q, StDrain))  state = StDrain;
    if (mf_rsa_farm_pkg::near(state_q, StSent))   state = StSent;
    if (mf_rsa_farm_pkg::near(state_q, StStatus)) state = StStatus;
  end

  logic [NumCores-1:0]    asks, pick, pick_q, pick_inv_q, both, chosen;
  logic [RamBits-1:0]     next, addr_q;
  logic                   starts, advance, void_q, same_q;
  logic [31:0]            word, crc_q;
  logic [4:0]             core;
  logic                   full, lost;
  mf_rsa_farm_pkg::held_t held;
  mf_rsa_farm_pkg::owed_t owed;
  mf_rsa_farm_pkg::job_t  first;

  // ---- address, memory, output register: all three stand still while the output does ----
  assign advance = out_ready_i || !leaving.out_valid;
  assign addr_o  = advance ? next : addr_q;
  assign asks    = full_i | lost_i;
  assign starts  = advance && state == StPick && asks != '0;
  mf_rr_arb #(.Num(NumCores)) u_turns (
    .clk_i, .rst_i, .set_i(asks), .taken_i(starts), .pick_o(pick)
  );
  mf_rsa_farm_count #(.WidthBits(RamBits)) u_next (
    .clk_i,
    .clear_i (advance && state != StWords),
    .step_i  (advance),
    .count_o (next)
  );

  // ---- the picked outbox; a bit too many is in one copy only, and so is a bit too few ----
  assign both   = pick_q & ~pick_inv_q;
  assign chosen = both != '0 ? both : pick_q | ~pick_inv_q;
  always_comb begin
    word = '0;
    core = '0;
    held = '0;
    owed = '0;
    full = 1'b0;
    lost = 1'b0;
    for (int unsigned i = 0; i < NumCores; i++) begin
      if (chosen[i]) begin
        word = word | word_i[i];
        core = core | 5'(i);
        held = held | held_i[i];
        owed = owed | owed_i[i];
        full = full | full_i[i];
        lost = lost | lost_i[i];
      end
    end
  end

  // ---- is it the job that is owed, one behind it, or one that was answered before? ----
  logic       mine, ahead, whole, whole_q, good, ok, ok_q; // _q: one cycle ago
  logic [1:0] distance; // from the job that is owed to that of the outbox
  mf_rsa_farm_pkg::job_status_e status;
  mf_rsa_farm_pkg::answer_t     answer;
  assign distance = mf_rsa_farm_pkg::seq_number(held.seq) - owed.number;
  assign mine     = full && owed.count != '0 && distance == '0;
  assign ahead    = full && distance != '0 && distance < owed.count;
  assign whole    = mine && held.job == owed.job && !owed.changed && !void_q
                  && held.status_inv == ~held.status;
  assign good     = whole_q && (held.status != mf_rsa_farm_pkg::JobOk || same_q);
  assign ok       = ok_q && !zeroize_i;
  assign status   = good ? mf_rsa_farm_pkg::job_status_e'(held.status) : mf_rsa_farm_pkg::JobFault;
  assign answer   = '{reserved: '0, core: core, unused: '0, status: status,
                      id: owed.changed ? held.job[15:0] : owed.job[15:0]};
  assign first    = '{reserved: 15'd1, public_key: held.job[16], id: held.job[15:0]};

  logic decides, drops, ends, known; // known: the core has counted the fault
  assign decides    = advance && state == StCheck;
  assign drops      = decides && full && !mine && !ahead;
  assign ends       = advance && state == StStatus;
  assign known      = mine && held.status_inv == ~held.status
                    && held.status inside {mf_rsa_farm_pkg::JobFault, mf_rsa_farm_pkg::JobWatchdog,
                                           mf_rsa_farm_pkg::JobKey};
  assign pop_o      = drops || (ends && full && !ahead) ? chosen : '0;
  assign answered_o = ends ? chosen : '0;
  assign fault_o    = ends && !good && !known ? chosen : '0;

  always_comb begin
    leaving_next = leaving;
    if (rst_i) begin
      leaving_next = '0;
    end else if (advance) begin
      leaving_next.valid     = state == StWords;
      leaving_next.out_valid = leaving.valid || state == StStatus;
      leaving_next.out_last  = state == StStatus;
      leaving_next.out_data  = state == StStatus ? answer : leaving.valid && ok ? word : '0;
    end else if (zeroize_i && !leaving.out_last) begin
      leaving_next.out_data = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StPick;
    end else if (advance) begin
      unique case (state)
        StPick:  state_q <= starts ? StCheck : StPick;
        StCheck: state_q <= mine || ahead || (!full && lost) ? StWords : StPick;
        StWords: state_q <= next == RamBits'(NumWords - 1) ? StDrain : StWords;
        StDrain: state_q <= StSent;
        StSent:  state_q <= drained_i && !leaving.out_valid && !leaving.valid ? StStatus : StSent;
        default: state_q <= StPick;
      endcase
    end else begin
      state_q <= state; // without a bit that has changed
    end
    if (starts) begin
      pick_q     <= pick;
      pick_inv_q <= ~pick;
    end
    if (decides) void_q <= !mine;
    if (advance) addr_q <= next;
    if (rst_i || zeroize_i || state == StPick) crc_q <= '0;
    else if (state == StCheck || sent_i)
      crc_q <= mf_rsa_farm_pkg::crc_word(state == StCheck ? '1 : crc_q,
                                         state == StCheck ? first : sent_data_i);
    same_q  <= crc_q == held.crc;
    whole_q <= whole;
    ok_q    <= whole && held.status == mf_rsa_farm_pkg::JobOk && !zeroize_i;
  end

endmodule
