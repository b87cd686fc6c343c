// SPDX-License-Identifier: Apache-2.0
/// Dispatcher of the farm: takes jobs off the queue and puts each into the inbox of one core.
///
/// Source   modfab.
/// Model    modfab.models.rsa.farm.Dispatcher (same cycles).
/// Latency  a job's first word is taken 2 cycles after it is begun, then one word a cycle; an inbox
///          sees a word one cycle after it was taken, commit_o comes two cycles after the last one.
///          The next job is begun 4 cycles after a last word at the earliest, and 3 cycles after
///          free_i, ready_i; 2 after service_i, hope_i.
/// Assumes  free_i of a core falls in the cycle of commit_o at the latest, else with zeroize_i.
/// Ensures  a job goes to a core with an empty inbox that is in service: to one that has nothing to
///          do if there is one, round robin. When no core is or will be in service, to any, which
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
  input  logic [3:0]                   in_dirty_i, // odd: the word has changed since it came

  input  logic [NumCores-1:0]          free_i,    // the inbox is empty
  input  logic [NumCores-1:0]          ready_i,   // it has nothing to do
  input  logic [NumCores-1:0]          service_i, // it runs jobs
  input  logic                         hope_i,    // a core is about to be in service again
  output logic [NumCores-1:0]          push_o,    // pulse: a job is begun for this core
  output logic [17:0]                  push_job_o, // bits 16:0 of job_t, with parity above
  output logic [NumCores-1:0]          we_o,      // to the inboxes
  output logic [WordBits-1:0]          addr_o,
  output logic [31:0]                  data_o,
  output logic [NumCores-1:0]          commit_o,  // pulse: the job is complete
  output mf_rsa_farm_pkg::job_t        job_o,
  output logic [31:0]                  crc_o,     // crc_word of all words; a cycle later
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

  typedef struct packed { // one bit is set
    logic push;  // a core was chosen
    logic pick;
    logic head;
    logic words;
    logic ends;  // how the job ends is known
    logic look;  // commit_o; free_i is right again
    logic rank;
  } state_t;
  state_t at, next;
  mf_rsa_farm_vote #(.WidthBits($bits(state_t))) u_state (
    .clk_i, .rst_i, .next_i(next), .value_o(at)
  );
  logic astray; // no bit of the state was set, a cycle ago: two have changed
  mf_rsa_farm_vote #(.WidthBits(1)) u_astray (
    .clk_i, .rst_i, .next_i(!rst_i && !astray && at == '0), .value_o(astray)
  );

  // ---- which cores can take a job: what they say, who can, who is asked ----
  logic [NumCores-1:0] free_q, ready_q, able_q, rest_q, idle, set_q;
  logic                none; // no core is or will be in service
  assign none = service_i == '0 && !hope_i;
  assign idle = able_q & rest_q;
  always_ff @(posedge clk_i) begin
    free_q  <= rst_i || zeroize_i ? '0 : free_i;
    ready_q <= ready_i;
    able_q  <= rst_i || zeroize_i ? '0 : free_q & ~commit_q & (service_i | {NumCores{none}});
    rest_q  <= ready_q;
    set_q   <= rst_i || zeroize_i ? '0 : idle != '0 ? idle : able_q;
  end

  logic [NumCores-1:0] pick, chosen; // chosen: by `begins`
  logic                begins, fire, last, dead, dead_q, live_q, bad, bad_q, good_q;
  logic                dirty, dirty_q, strange, strange_q, plain_q;
  logic [3:0]          soiled_q; // of the word before
  logic                clear_q;  // of the checksum; no job begins so soon behind a dead one
  logic                last_place, full; // the next word goes there; there is no place
  logic [17:0]         push_job_q;
  logic [WordBits-1:0] count;
  mf_rsa_farm_pkg::job_t        head;
  mf_rsa_farm_pkg::job_status_e status;

  assign begins = at.pick && in_valid_i && accept_i && set_q != '0 && !zeroize_i;
  mf_rr_arb #(.Num(NumCores)) u_turns (
    .clk_i, .rst_i, .set_i(set_q), .taken_i(begins), .pick_o(pick)
  );

  mf_rsa_farm_vote #(.WidthBits(NumCores)) u_chosen (
    .clk_i, .rst_i, .next_i(begins ? pick : chosen), .value_o(chosen)
  );
  mf_rsa_farm_vote #(.WidthBits(NumCores)) u_push (
    .clk_i, .rst_i, .next_i(at.push && !rst_i ? chosen : '0), .value_o(push_o)
  );
  assign push_job_o = push_job_q;

  // head or words.
  logic takes;
  mf_rsa_farm_vote #(.WidthBits(1)) u_takes (
    .clk_i, .rst_i,
    .next_i  (!rst_i && (at.push || ((at.head || at.words) && !last))),
    .value_o (takes)
  );
  assign in_ready_o = takes;
  assign busy_o     = !at.pick;
  assign fire       = in_valid_i && takes;
  assign last       = fire && in_last_i;
  assign dead       = dead_q || zeroize_i;
  assign head       = mf_rsa_farm_pkg::job_t'(in_data_i);
  assign strange    = head.reserved != '0 || head.id >> JobIdBits != '0;

  // The count goes on beyond the last place, where nothing is written.
  assign last_place = count == WordBits'(NumWords - 1);
  mf_rsa_farm_vote #(.WidthBits(1)) u_full (
    .clk_i, .rst_i, .next_i(!at.head && (full || (fire && last_place))), .value_o(full)
  );
  mf_rsa_farm_count #(.WidthBits(WordBits)) u_count (
    .clk_i,
    .clear_i (at.head),
    .step_i  (fire),
    .count_o (count)
  );
  mf_rsa_farm_crc u_crc (
    .clk_i,
    .clear_i (clear_q),
    .first_i (at.head),
    .step_i  (fire),
    .word_i  (in_data_i),
    .crc_o
  );

  // The job's words, its packet flags or their copies have changed.
  assign dirty = dirty_q || ^soiled_q || dead_q == live_q
               || (at.head && strange_q == plain_q)
               || ((at.words || at.ends) && bad_q == good_q);
  always_comb begin
    bad = bad_q;
    if (at.head) bad = strange_q || last; // too few words
    else if (fire && (full || (in_last_i && !last_place))) bad = 1'b1;
    if (dirty || !at.ends) status = mf_rsa_farm_pkg::JobFault; // not committed now
    else if (dead) status = mf_rsa_farm_pkg::JobZeroized;
    else if (bad_q) status = mf_rsa_farm_pkg::JobFormat;
    else status = mf_rsa_farm_pkg::JobOk;
  end

  always_comb begin
    next.push  = at.pick && begins;
    next.head  = at.push || (at.head && !fire);
    next.words = (at.head && fire && !in_last_i) || (at.words && !last);
    next.ends  = (at.head || at.words) && last;
    next.look  = at.ends;
    next.rank  = at.look;
    next.pick  = (at.pick && !begins) || at.rank || astray;
    if (rst_i) next = '{pick: 1'b1, default: 1'b0};
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      we_q     <= '0;
      commit_q <= '0;
    end else begin
      we_q     <= at.words && fire && !dead && !full ? chosen : '0;
      commit_q <= at.ends ? chosen : '0;
    end
    // The first word stands still until it is taken.
    push_job_q <= {^in_data_i[16:0], in_data_i[16:0]};
    strange_q  <= strange;
    plain_q    <= !strange;
    clear_q <= rst_i || dead;
    dead_q  <= !at.pick && dead;
    live_q  <= !(!at.pick && dead);
    bad_q   <= bad;
    good_q  <= !bad;
    soiled_q <= fire ? in_dirty_i : '0;
    dirty_q  <= !at.pick && dirty;
    if (at.head) job_q <= head;
    addr_q       <= count;
    data_q       <= fire && !dead ? in_data_i : '0;
    status_q     <= status;
    status_inv_q <= ~status;
  end

endmodule
