// SPDX-License-Identifier: Apache-2.0
/// One RSA core of the farm between its inbox and its outbox, so that the next message comes in and
/// the last result goes out while it computes.
///
/// Source   modfab.
/// Model    modfab.models.rsa.farm_member.Member (same cycles).
/// Latency  3 NumWords + 18 cycles between two operations, with a job waiting and a free outbox.
/// Assumes  setup_i, host_we_i only while idle_o of every core is high and no job is begun.
/// Ensures  each job that came into the inbox goes into the outbox exactly once. A job that ends
///          with fault, watchdog or key is answered so, a job behind it with JobService; then the
///          core sets up its key again and goes on if that succeeds, else it is out of service, as
///          after fault_limit_i faults since the host set up the key (0: no limit). JobEntropy is
///          a fault that keeps the key. zeroize_i wipes all, and ends each job with JobZeroized.
///          A message reaches the core's program only when the words put into the core have the
///          checksum that the dispatcher made; otherwise the job ends with JobFault, counts as a
///          fault of this core, and is not run. out_crc_o is the checksum of the job and of the
///          words read out of the core. One changed bit of the state is corrected; a state that is
///          none wipes the boxes, and the job ends with JobFault.
module mf_rsa_farm_member #(
  parameter  mf_rsa_pkg::cfg_t Cfg      = mf_rsa_pkg::CfgSmallest, // as of mf_rsa
  parameter  int unsigned      NumUnits = 1,                       // engines of the core, 1 or 2
  localparam int unsigned      NumWords = mf_pkg::words_of(2 * 32'(Cfg.prime_bits)),
  localparam int unsigned      WordBits = $clog2(NumWords + 1),
  localparam int unsigned      RamBits  = $clog2(NumWords)
) (
  input  logic                            clk_i,
  input  logic                            rst_i,
  input  logic                            core_rst_i,     // the same, for the core alone
  input  logic                            zeroize_i,
  input  logic                            core_zeroize_i,

  input  logic                            setup_i,       // pulse: run a program of the key
  input  mf_rsa_pkg::entry_e              setup_entry_i,
  input  logic [15:0]                     e_bits_i,      // 0: e is unknown ...
  input  logic [1:0]                      e_none_i,      // ... which a register says, and that not
  input  logic [7:0]                      fault_limit_i,
  input  logic                            host_we_i,     // key words
  input  logic [mf_rsa_pkg::AddrBits-1:0] host_addr_i,
  input  logic [31:0]                     host_data_i,
  output logic                            host_refused_o, // three cycles later: not written
  output logic                            fixed_o,       // key words would be refused

  output logic                            idle_o,        // neither job nor answer nor program
  output logic                            ready_o,       // a job would start at once
  output logic                            service_o,     // it has a key and runs jobs
  output logic                            recover_o,     // it sets up its key after a fault
  output logic                            disabled_o,    // out of service
  output logic                            alarm_o,       // of the core, until zeroize_i
  output mf_rsa_pkg::status_e             status_o,      // the core's last operation
  output logic [63:0]                     cycles_o,      // of it
  output logic                            answered_o,    // pulse: an answer is complete
  output logic                            fault_o,       // pulse: its status is a fault
  output logic                            setup_done_o,  // pulse: a program of the key has ended

  output logic                            in_free_o,     // inbox
  input  logic                            in_we_i,
  input  logic [WordBits-1:0]             in_addr_i,
  input  logic [31:0]                     in_data_i,
  input  logic                            in_commit_i,
  input  mf_rsa_farm_pkg::job_t           in_job_i,
  input  logic [31:0]                     in_crc_i,        // a cycle later
  input  mf_rsa_farm_pkg::job_status_e    in_status_i,
  input  logic [3:0]                      in_status_inv_i, // its complement
  input  mf_rsa_farm_pkg::seq_t           in_seq_i,        // number of the job

  output logic                            out_full_o,    // outbox
  input  logic [RamBits-1:0]              out_addr_i,
  input  logic                            out_go_i,      // low: out_data_o stands still
  output logic [31:0]                     out_data_o,    // two cycles after the address
  output logic [16:0]                     out_job_o,     // public_key and id
  output logic [31:0]                     out_crc_o,     // of out_job_o and a result
  output mf_rsa_farm_pkg::seq_t           out_seq_o,
  output mf_rsa_farm_pkg::job_status_e    out_status_o,
  output logic [3:0]                      out_status_inv_o,
  input  logic                            out_pop_i,
  input  logic                            out_fault_i,   // pulse: the answer was found changed
  output logic                            empty_o,       // no job, no answer

  input  logic                            rnd_valid_i,   // random word; taken when rnd_free_o
  input  logic                            rnd_failed_i,  // there will be none until zeroize_i
  output logic                            rnd_free_o,
  input  logic [31:0]                     rnd_data_i,

  output mf_pkg::engine_req_t [NumUnits-1:0] engine_req_o, // as those of mf_rsa
  input  mf_pkg::engine_rsp_t [NumUnits-1:0] engine_rsp_i,
  output mf_pkg::seq_req_t    [NumUnits-1:0] seq_req_o,
  input  mf_pkg::seq_rsp_t    [NumUnits-1:0] seq_rsp_i,
  output mf_rsa_pkg::addr_t                  rom_addr_o,
  input  mf_rsa_pkg::instr_t                 rom_data_i
);

  typedef mf_rsa_pkg::addr_t addr_t;
  localparam int unsigned CountBits = $clog2(NumWords + 5);
  typedef struct packed { // one bit is set
    logic wipe;
    logic idle;
    logic put;
    logic go;
    logic run;
    logic read;
    logic answer;
  } state_t;
  localparam state_t ToWipe = '{wipe: 1'b1, default: 1'b0};
  state_t at, next, plain_q; // plain_q: at, unless one of its bits has changed
  logic   astray_q; // there was none or more than one: two bits have changed
  mf_rsa_farm_vote #(.WidthBits($bits(state_t))) u_state (
    .clk_i, .rst_i, .next_i(next), .value_o(at)
  );

  mf_rsa_farm_pkg::job_t        in_job_q, job_q;
  logic [16:0]                  out_job_q;
  mf_rsa_farm_pkg::job_status_e in_status_q, status_q, out_status_q;
  logic [3:0]                   in_status_inv_q, status_inv_q, out_status_inv_q;
  mf_rsa_farm_pkg::seq_t        in_seq_q, seq_q, out_seq_q;
  logic [31:0]                  in_crc_q, crc, out_crc_q;
  logic                         out_full_q;
  mf_rsa_pkg::entry_e           entry_q;             // of a program of the key
  logic                         in_full_q, active_q; // a job in the inbox, one in the core
  logic                         setup_q, no_setup_q; // the core runs a program of the key
  logic                         setup;               // what most of both and active_q say
  logic                         ran_q;               // the core has begun with the job
  logic                         needs_setup, key_valid; // needs_setup: of the key, after a fault
  logic [CountBits-1:0]         count_q, more;       // words; cycles of go and behind the words
  assign more = count_q + CountBits'(1);
  logic                         phase_q;             // put: the word is there
  logic                         all_words;           // each word of the box was used

  assign out_full_o       = out_full_q;
  assign out_job_o        = out_job_q;
  assign out_crc_o        = out_crc_q;
  assign out_seq_o        = out_seq_q;
  assign out_status_o     = out_status_q;
  assign out_status_inv_o = out_status_inv_q;

  // ---- the core; what goes in and out of it is registered here ----
  logic                core_busy, core_done, core_valid, rnd_taken, host_error;
  logic                rnd_valid, unused_locked;
  mf_rsa_pkg::contexts_t unused_contexts;
  logic                start_q, busy_q, done_q, valid_q, core_we, core_we_q, core_refuses;
  logic                over_q, well_q;     // done or not busy: an illegal ending; done well
  logic                puts_word, clear_q; // a word for the core; reset, zeroize or the wipe
  mf_rsa_pkg::status_e core_status, core_status_q;
  mf_rsa_pkg::entry_e  run_entry, run_entry_q;
  logic [$bits(run_entry)-1:0] run_entry_inv_q;    // its complement, as the next one's
  addr_t               core_addr, core_addr_q, core_addr_inv_q;
  logic                strays_q, spoiled_q; // a changed address; of this job, or a word refused
  logic [31:0]         in_word, core_data_q, host_data, rnd_word;
  mf_rsa #(.Cfg(Cfg), .NumUnits(NumUnits), .CountLate(1)) u_rsa (
    .clk_i, .rst_i(core_rst_i), .zeroize_i(core_zeroize_i),
    .engine_req_o, .engine_rsp_i, .seq_req_o, .seq_rsp_i, .rom_addr_o, .rom_data_i,
    .start_i        (start_q && run_entry_q == ~run_entry_inv_q), .entry_i(run_entry_q), .e_bits_i,
    .lock_i         (1'b0), // the farm's own lock keeps key words away
    .fault_limit_i  ('0),   // counted here
    .context_i      ('0),   // one key
    .contexts_o     (unused_contexts),
    .busy_o         (core_busy), .done_o(core_done), .status_o(core_status),
    .key_valid_o    (key_valid), .result_valid_o(core_valid), .locked_o(unused_locked),
    .alarm_o, .cycles_o,
    .host_we_i      (core_we_q), .host_addr_i(core_addr_q), .host_data_i(core_data_q),
    .host_refused_o (core_refuses),
    .host_data_o    (host_data), .host_error_o(host_error),
    .rnd_valid_i    (rnd_valid), .rnd_failed_i,
    .rnd_ready_o    (rnd_taken), .rnd_data_i(rnd_word)
  );
  assign setup     = (setup_q && !no_setup_q) || (!active_q && (setup_q || !no_setup_q));
  assign run_entry = setup ? entry_q : job_q.public_key ? mf_rsa_pkg::EntryPublic
                                                           : mf_rsa_pkg::EntryPrivate;
  assign puts_word = at.put ? phase_q && !all_words : host_we_i && at.idle;
  assign core_we   = puts_word && !rst_i && !zeroize_i;
  always_comb begin
    core_addr = host_addr_i;
    if (at.put) core_addr = Cfg.var_c + addr_t'(count_q);
    if (at.read) core_addr = Cfg.var_m + addr_t'(count_q);
  end
  always_ff @(posedge clk_i) begin
    start_q       <= at.go && count_q == '0 && !rst_i && !zeroize_i;
    run_entry_q   <= run_entry;
    {run_entry_inv_q, core_addr_inv_q} <= {~run_entry, ~core_addr};
    busy_q        <= core_busy;
    done_q        <= core_done && !rst_i && !zeroize_i;
    core_status_q <= core_status;
    valid_q       <= core_valid;
    over_q        <= core_done || !core_busy;
    well_q        <= core_done && core_valid && core_status == mf_rsa_pkg::StatusOk;
    core_we_q     <= core_we;
    core_addr_q   <= core_addr;
    strays_q      <= core_addr_q != ~core_addr_inv_q;
    spoiled_q     <= !at.idle && !rst_i
                     && (spoiled_q || (at.put && core_refuses)
                         || ((at.put || at.read) && strays_q));
    core_data_q   <= !puts_word ? '0 : at.put ? in_word : host_data_i;
    clear_q       <= rst_i || zeroize_i || at.wipe;
  end
  assign {status_o, host_refused_o} = {core_status_q, core_refuses};

  mf_rsa_farm_words u_words (
    .clk_i,
    .clear_i (rst_i || zeroize_i || rnd_failed_i),
    .free_o  (rnd_free_o), .put_i(rnd_valid_i), .data_i(rnd_data_i),
    .valid_o (rnd_valid), .take_i(rnd_taken), .data_o(rnd_word)
  );

  // ---- boxes ----
  logic        wiping, reading, error;
  logic [31:0] read_inv;
  logic [4:0]  all_q; // read: the last word was asked for so many cycles ago
  logic [RamBits-1:0] fetch_q; // put: the next word of the inbox, asked for two cycles early
  assign wiping    = at.wipe;
  assign all_words = count_q >= CountBits'(NumWords);
  assign in_free_o = !in_full_q && !in_commit_i && !at.put && !at.wipe;
  mf_prim_ram_pipe #(.WidthBits(32), .Depth(NumWords)) u_inbox (
    .clk_i,
    .wr_en_i   (wiping || in_we_i),
    .wr_addr_i (RamBits'(wiping ? WordBits'(count_q) : in_addr_i)),
    .wr_data_i (wiping ? '0 : in_data_i),
    .rd_addr_i (fetch_q),
    .rd_data_o (in_word)
  );
  mf_rsa_farm_outbox #(.NumWords(NumWords)) u_outbox (
    .clk_i,
    .clear_i      (rst_i || zeroize_i), .wipe_i(wiping),
    .open_i       (at.read && !out_full_q),
    .ask_i        (at.read && !out_full_q && !all_words),
    .ask_addr_i   (RamBits'(count_q)),
    .host_data_i  (host_data), .host_error_i(host_error),
    .reading_o    (reading), .word_inv_o(read_inv), .error_o(error),
    .addr_i       (out_addr_i), .go_i(out_go_i), .data_o(out_data_o)
  );
  always_ff @(posedge clk_i) all_q <= at.read ? {all_q[3:0], all_words} : '0;
  always_ff @(posedge clk_i) fetch_q <= at.put ? RamBits'(count_q) + RamBits'(1) : '0;

  // ---- control ----
  logic last_word_q, gone_q, ended, bad, failing, offers, answers, wiped, checked, as_sent,
        as_sent_q, waited_q; // put: four cycles behind all words
  mf_rsa_farm_pkg::job_status_e in_status; // what the job in the inbox says, a cycle later
  logic [7:0] known_q, begun;     // that, its complement behind it; and what the core says to it
  logic       known_job_q, runs;  // it is of the job that is there now, which is run
  always_comb begin
    in_status = in_status_q;
    if (in_status_inv_q != ~in_status_q) begin
      in_status = mf_rsa_farm_pkg::JobFault;
    end else if (in_status_q == mf_rsa_farm_pkg::JobOk && in_job_q.public_key) begin
      if (e_none_i[1] == e_none_i[0]) in_status = mf_rsa_farm_pkg::JobFault;
      else if (e_none_i[1]) in_status = mf_rsa_farm_pkg::JobFormat;
    end
  end
  always_ff @(posedge clk_i) {known_q, known_job_q} <= {in_status, ~in_status, in_full_q && !rst_i};
  assign begun = known_q == {mf_rsa_farm_pkg::JobOk, ~mf_rsa_farm_pkg::JobOk}
                 && (needs_setup || disabled_o)
                 ? {mf_rsa_farm_pkg::JobService, ~mf_rsa_farm_pkg::JobService} : known_q;
  assign runs  = begun == {mf_rsa_farm_pkg::JobOk, ~mf_rsa_farm_pkg::JobOk};
  assign checked    = at.put && waited_q;
  assign wiped      = wiping && last_word_q && !busy_q;
  assign ended      = at.run && over_q;
  assign offers     = at.answer && !out_full_q;
  assign answers    = offers && !zeroize_i;
  assign bad        = status_q inside {mf_rsa_farm_pkg::JobFault, mf_rsa_farm_pkg::JobWatchdog,
                                       mf_rsa_farm_pkg::JobKey};
  assign failing    = bad || status_q == mf_rsa_farm_pkg::JobEntropy;
  assign fault_o    = (answers && failing) || out_fault_i;
  assign {answered_o, setup_done_o} = {answers, ended && setup};
  assign fixed_o    = key_valid || alarm_o;
  assign service_o  = key_valid && !needs_setup && !disabled_o;
  assign recover_o  = needs_setup;
  assign ready_o    = at.idle && !in_full_q && !needs_setup && !busy_q;
  assign idle_o     = ready_o && !out_full_q;
  assign empty_o    = at.idle && !in_full_q && !in_commit_i && !out_full_q;

  logic chosen, repairs; // a job leaves the inbox; the key is set up
  // A core that runs although nobody started it, as one changed bit can make it, costs no job.
  assign chosen  = at.idle && in_full_q && known_job_q && !busy_q;
  assign repairs = at.idle && !in_full_q && (setup_i || (needs_setup && !busy_q));
  always_comb begin
    next.wipe   = at.wipe && !wiped;
    next.idle   = (wiped && !active_q) || (at.idle && !chosen && !repairs)
                  || (ended && setup) || offers;
    next.put    = (chosen && runs) || (at.put && !checked);
    next.go     = repairs || (checked && as_sent) || (at.go && !gone_q);
    next.run    = (at.go && gone_q) || (at.run && !ended);
    next.read   = (ended && !setup && well_q) || (at.read && !all_q[4]);
    next.answer = (wiped && active_q) || (chosen && !runs)
                  || (checked && !as_sent) || (ended && !setup && !well_q)
                  || (at.read && all_q[4]) || (at.answer && !offers);
    if (rst_i || zeroize_i || astray_q) next = ToWipe;
  end
  always_ff @(posedge clk_i) begin
    astray_q <= !rst_i && !zeroize_i && !mf_rsa_farm_pkg::one_hot(at);
    plain_q <= next;
    count_q <= '0;
    if (!rst_i && !zeroize_i && !astray_q) begin
      if (plain_q.wipe || plain_q.go) count_q <= more; // wipe: on and on
      // Every second cycle a word, then one without, which the core needs.
      if (plain_q.put && !waited_q) count_q <= phase_q || all_words ? more : count_q;
      if (plain_q.read && !out_full_q) count_q <= all_words ? count_q : more;
    end
    phase_q  <= at.put && !phase_q && !all_words;
    waited_q <= at.put && count_q >= CountBits'(NumWords + 3);
    gone_q   <= at.go && count_q != '0; // busy_q is right
    last_word_q <= at.wipe && (last_word_q || count_q == CountBits'(NumWords - 1));
  end

  // ---- endings, each with its complement behind it ----
  logic [7:0] in_ending, ending, out_ending;
  always_comb begin
    in_ending  = in_commit_i ? {in_status_i, in_status_inv_i} : {in_status_q, in_status_inv_q};
    ending     = {status_q, status_inv_q};
    out_ending = answers ? ending : {out_status_q, out_status_inv_q};
    if (at.idle) ending = begun;
    if (ended && done_q && (valid_q || core_status_q != mf_rsa_pkg::StatusOk))
      ending = {core_status_q, ~core_status_q};
    else if (ended || astray_q || (reading && error)
             || (checked && !as_sent) || (at.read && spoiled_q))
      ending = {mf_rsa_farm_pkg::JobFault, ~mf_rsa_farm_pkg::JobFault};
    if (zeroize_i) begin
      in_ending  = {mf_rsa_farm_pkg::JobZeroized, ~mf_rsa_farm_pkg::JobZeroized};
      ending     = in_ending;
      out_ending = in_ending;
    end
  end
  always_ff @(posedge clk_i) begin
    in_status_q      <= mf_rsa_farm_pkg::job_status_e'(in_ending[7:4]);
    in_status_inv_q  <= in_ending[3:0];
    status_q         <= mf_rsa_farm_pkg::job_status_e'(ending[7:4]);
    status_inv_q     <= ending[3:0];
    out_status_q     <= mf_rsa_farm_pkg::job_status_e'(out_ending[7:4]);
    out_status_inv_q <= out_ending[3:0];
  end

  // ---- checksums: of what is put into the core, of what is read out of it; this one is complete
  // in the cycle behind the answer ----
  // A checksum begins with the job; that of a result has the lowest reserved bit set.
  logic                  crc_first, puts; // puts: the word that the core gets now
  logic                  answered_q, commit_q;
  mf_rsa_farm_pkg::job_t tag;
  assign puts      = core_we_q && at.put;
  assign as_sent   = as_sent_q && !spoiled_q;
  assign crc_first = at.run || (at.put && count_q == '0 && !phase_q);
  assign tag       = '{reserved: 15'(at.run), public_key: job_q.public_key, id: job_q.id};
  mf_rsa_farm_crc u_crc (
    .clk_i,
    .clear_i (clear_q),
    .first_i (crc_first),
    .step_i  (crc_first || puts || reading),
    .word_i  (puts ? core_data_q : reading ? ~read_inv : tag),
    .crc_o   (crc)
  );
  always_ff @(posedge clk_i) begin
    as_sent_q   <= crc == in_crc_q;
    {answered_q, commit_q} <= {answers, in_commit_i};
    if (rst_i || zeroize_i) {in_crc_q, out_crc_q} <= '0;
    else begin
      if (commit_q) in_crc_q <= in_crc_i;
      if (answered_q) out_crc_q <= crc;
    end
  end

  // ---- jobs: inbox, core, outbox ----
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      in_full_q  <= 1'b0;
      active_q   <= 1'b0;
      out_full_q <= 1'b0;
    end else begin
      in_full_q  <= in_commit_i || (in_full_q && (!chosen || zeroize_i));
      active_q   <= (active_q && !answers) || (chosen && !zeroize_i);
      out_full_q <= answers || (out_full_q && !out_pop_i);
    end
    if (in_commit_i) begin
      in_job_q <= in_job_i;
      in_seq_q <= in_seq_i;
    end
    if (at.idle || rst_i) begin // after reset the core may be at rest before its boxes
      job_q      <= in_job_q;
      seq_q      <= in_seq_q;
      entry_q    <= needs_setup ? mf_rsa_pkg::EntryKey : setup_entry_i;
      setup_q    <= !in_full_q;
      no_setup_q <= in_full_q;
      ran_q      <= 1'b0;
    end
    if (at.go) ran_q <= 1'b1;
    if (answers) out_job_q <= {job_q.public_key, job_q.id};
    // After reset the number before the first job's: an outbox that seems full is emptied.
    if (rst_i) out_seq_q <= mf_rsa_farm_pkg::seq_code(2'd3);
    else if (answers) out_seq_q <= seq_q;
  end

  mf_rsa_farm_service u_service (
    .clk_i, .fault_limit_i,
    .clear_i  (rst_i || zeroize_i || setup_i),
    .fault_i  ((offers && failing) || out_fault_i), // zeroize_i clears it anyway
    .heals_i  (offers && bad && ran_q),
    .set_up_i (ended && setup && needs_setup),
    .good_i   (done_q && core_status_q == mf_rsa_pkg::StatusOk),
    .needs_setup_o (needs_setup), .disabled_o
  );

  logic unused_bits;
  assign unused_bits = &{1'b0, job_q.reserved, in_job_q.reserved, plain_q};

endmodule
