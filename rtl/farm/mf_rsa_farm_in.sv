// SPDX-License-Identifier: Apache-2.0
/// Dispatcher of the farm: takes jobs off the queue and puts each into the inbox of one core.
///
/// Source   modfab.
/// Model    modfab.models.rsa.farm.Dispatcher (same clocks).
/// Latency  2 cycles before a job's first word is taken, then one word a cycle; an inbox sees a
///          word one cycle after it was taken.
/// Assumes  free_i of a core falls in the cycle of commit_o at the latest.
/// Ensures  a job goes to a core with an empty inbox that is in service: to one that has nothing to
///          do if there is one, in turns. When no core is or will be in service, to any, which
///          answers it with an error. Every job that was begun is committed exactly once, also when
///          it is malformed or when zeroize_i came in between; push_o names its core and its job as
///          soon as it is begun. One changed bit of state, count or choice of the core is
///          corrected, one of anything else is found here (JobFault) or by crc_o.
module mf_rsa_farm_in #(
  parameter  int unsigned NumCores  = 2,
  parameter  int unsigned JobIdBits = 16,
  parameter  int unsigned NumWords  = 4, // words of a message
  localparam int unsigned WordBits  = $clog2(NumWords + 1)
) (
  input  logic                         clk_i,
  input  logic                         rst_i,
  input  logic                         zeroize_i,
  input  logic                         accept_i,  // low: no further job is begun
  output logic                         busy_o,    // a job is being taken

  input  logic                         in_valid_i,
  output logic                         in_ready_o,
  input  logic [31:0]                  in_data_i,
  input  logic                         in_last_i,
  input  logic                         in_dirty_i, // the word has changed since it came

  input  logic [NumCores-1:0]          free_i,    // the inbox is empty
  input  logic [NumCores-1:0]          ready_i,   // it has nothing to do
  input  logic [NumCores-1:0]          service_i, // it runs jobs
  input  logic                         hope_i,    // a core is about to be in service again
  output logic [NumCores-1:0]          push_o,    // pulse: a job is begun for this core
  output logic [16:0]                  push_job_o,
  output logic [NumCores-1:0]          we_o,      // to the inboxes
  output logic [WordBits-1:0]          addr_o,
  output logic [31:0]                  data_o,
  output logic [NumCores-1:0]          commit_o,  // pulse: the job is complete
  output mf_rsa_farm_pkg::job_t        job_o,
  output logic [31:0]                  crc_o,     // crc_word of all words of the packet
  output mf_rsa_farm_pkg::job_status_e status_o,  // other than JobOk: do not run it
  output logic [3:0]                   status_inv_o // its complement
);

  // ---- registers of the outputs ----
  logic [NumCores-1:0]          we_q;
  logic [WordBits-1:0]          addr_q;
  logic [31:0]                  data_q;
  logic [NumCores-1:0]          commit_q;
  mf_rsa_farm_pkg::job_t        job_q;
  mf_rsa_farm_pkg::job_status_e status_q;
  logic [3:0]                   status_inv_q;
  assign we_o         = we_q;
  assign addr_o       = addr_q;
  assign data_o       = data_q;
  assign commit_o     = commit_q;
  assign job_o        = job_q;
  assign status_o     = status_q;
  assign status_inv_o = status_inv_q;

  typedef enum logic [5:0] {
    StIdle  = mf_rsa_farm_pkg::Code1,
    StHead  = mf_rsa_farm_pkg::Code2,
    StWords = mf_rsa_farm_pkg::Code3
  } state_e;
  (* fsm_encoding = "none" *) logic [5:0] state_q;
  state_e state;
  always_comb begin
    state = StIdle;
    if (mf_rsa_farm_pkg::near(state_q, StHead)) state = StHead;
    if (mf_rsa_farm_pkg::near(state_q, StWords)) state = StWords;
  end

  logic [NumCores-1:0] able, set, pick, pick_q, pick_inv_q, both, chosen;
  logic                begins, fire, dead, dead_q, live_q, bad, bad_q, good_q, dirty, dirty_q;
  logic                known;
  logic [WordBits-1:0] count;
  logic [31:0]         crc_q;
  mf_rsa_farm_pkg::job_t        head;
  mf_rsa_farm_pkg::job_status_e status;

  assign able   = free_i & (service_i == '0 && !hope_i ? '1 : service_i);
  assign set    = (able & ready_i) != '0 ? able & ready_i : able;
  assign begins = state == StIdle && in_valid_i && accept_i && set != '0 && !zeroize_i;
  mf_rr_arb #(.Num(NumCores)) u_turns (
    .clk_i, .rst_i, .set_i(set), .taken_i(begins), .pick_o(pick)
  );
  assign push_o     = begins ? pick : '0;
  assign push_job_o = in_data_i[16:0];

  // One core is chosen: a bit too many is in one copy only, and so is a bit too few.
  assign both   = pick_q & ~pick_inv_q;
  assign chosen = both != '0 ? both : pick_q | ~pick_inv_q;

  assign in_ready_o = state != StIdle;
  assign busy_o     = state != StIdle || commit_q != '0;
  assign fire       = in_valid_i && in_ready_o;
  assign dead       = dead_q || zeroize_i;
  assign head       = mf_rsa_farm_pkg::job_t'(in_data_i);
  assign known      = head.reserved == '0 && head.id >> JobIdBits == '0;
  assign crc_o      = crc_q;

  mf_rsa_farm_count #(.WidthBits(WordBits)) u_count (
    .clk_i,
    .clear_i (state == StHead),
    .step_i  (fire && count != WordBits'(NumWords)),
    .count_o (count)
  );

  // The job's words, its packet flags or their copies have changed.
  assign dirty = dirty_q || (fire && in_dirty_i) || dead_q == live_q
               || (state == StWords && bad_q == good_q);
  always_comb begin
    bad = bad_q;
    if (state == StHead) bad = !known;
    else if (fire && count == WordBits'(NumWords)) bad = 1'b1; // a word too many
    if (dirty || !(fire && in_last_i)) status = mf_rsa_farm_pkg::JobFault; // not committed now
    else if (dead) status = mf_rsa_farm_pkg::JobZeroized;
    else if (state == StHead || bad_q || count != WordBits'(NumWords - 1))
      status = mf_rsa_farm_pkg::JobFormat;
    else status = mf_rsa_farm_pkg::JobOk;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q  <= StIdle;
      we_q     <= '0;
      commit_q <= '0;
    end else begin
      unique case (state)
        StIdle:  state_q <= begins ? StHead : StIdle;
        StHead:  state_q <= !fire ? StHead : in_last_i ? StIdle : StWords;
        default: state_q <= fire && in_last_i ? StIdle : StWords;
      endcase
      we_q     <= state == StWords && fire && !dead && count != WordBits'(NumWords) ? chosen : '0;
      commit_q <= fire && in_last_i ? chosen : '0;
    end
    if (begins) begin
      pick_q     <= pick;
      pick_inv_q <= ~pick;
    end
    dead_q  <= state != StIdle && dead;
    live_q  <= !(state != StIdle && dead);
    bad_q   <= bad;
    good_q  <= !bad;
    dirty_q <= state != StIdle && dirty;
    if (state == StHead) job_q <= head;
    if (rst_i || zeroize_i) crc_q <= '0;
    else if (fire)
      crc_q <= mf_rsa_farm_pkg::crc_word(state == StHead ? '1 : crc_q, dead ? '0 : in_data_i);
    addr_q       <= count;
    data_q       <= fire && !dead ? in_data_i : '0;
    status_q     <= status;
    status_inv_q <= ~status;
  end

endmodule
