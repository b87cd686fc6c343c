// SPDX-License-Identifier: Apache-2.0
/// One RSA core of the farm between its inbox and its outbox, so that the next message comes in and
/// the last result goes out while it computes.
///
/// Source   modfab.
/// Model    modfab.models.rsa.farm.Member (same clocks).
/// Latency  3 NumWords + 8 cycles between two operations, with a job waiting and a free outbox.
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
  input  logic                            zeroize_i,

  input  logic                            setup_i,       // pulse: run a program of the key
  input  mf_rsa_pkg::entry_e              setup_entry_i,
  input  logic [15:0]                     e_bits_i,      // 0: e is unknown
  input  logic [7:0]                      fault_limit_i,
  input  logic                            host_we_i,     // key words
  input  logic [mf_rsa_pkg::AddrBits-1:0] host_addr_i,
  input  logic [31:0]                     host_data_i,
  output logic                            host_refused_o, // two cycles later: not written
  output logic                            fixed_o,       // key words would be refused

  output logic                            idle_o,        // neither job nor answer nor program
  output logic                            ready_o,       // a job would start at once
  output logic                            service_o,     // it has a key and runs jobs
  output logic                            recover_o,     // it sets up its key after a fault
  output logic                            out_o,         // out of service
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
  input  logic [31:0]                     in_crc_i,
  input  mf_rsa_farm_pkg::job_status_e    in_status_i,
  input  logic [3:0]                      in_status_inv_i, // its complement
  input  mf_rsa_farm_pkg::seq_t           in_seq_i,        // number of the job

  output logic                            out_full_o,    // outbox
  input  logic [RamBits-1:0]              out_addr_i,
  output logic [31:0]                     out_data_o,    // one cycle after the address
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
  typedef enum logic [5:0] {
    StWipe   = mf_rsa_farm_pkg::Code0,
    StIdle   = mf_rsa_farm_pkg::Code1,
    StPut    = mf_rsa_farm_pkg::Code2,
    StGo     = mf_rsa_farm_pkg::Code3,
    StRun    = mf_rsa_farm_pkg::Code4,
    StRead   = mf_rsa_farm_pkg::Code5,
    StAnswer = mf_rsa_farm_pkg::Code6
  } state_e;
  (* fsm_encoding = "none" *) logic [5:0] state_q;
  state_e state;
  logic   astray; // none of them
  always_comb begin
    state  = StWipe;
    astray = 1'b0;
    if (mf_rsa_farm_pkg::near(state_q, StIdle))        state = StIdle;
    else if (mf_rsa_farm_pkg::near(state_q, StPut))    state = StPut;
    else if (mf_rsa_farm_pkg::near(state_q, StGo))     state = StGo;
    else if (mf_rsa_farm_pkg::near(state_q, StRun))    state = StRun;
    else if (mf_rsa_farm_pkg::near(state_q, StRead))   state = StRead;
    else if (mf_rsa_farm_pkg::near(state_q, StAnswer)) state = StAnswer;
    else astray = !mf_rsa_farm_pkg::near(state_q, StWipe);
  end

  mf_rsa_farm_pkg::job_t        in_job_q, job_q;
  logic [16:0]                  out_job_q;
  mf_rsa_farm_pkg::job_status_e in_status_q, status_q, out_status_q;
  logic [3:0]                   in_status_inv_q, status_inv_q, out_status_inv_q;
  mf_rsa_farm_pkg::seq_t        in_seq_q, seq_q, out_seq_q;
  logic [31:0]                  in_crc_q, crc_q, out_crc_q;
  logic                         out_full_q, out_q;
  mf_rsa_pkg::entry_e           entry_q;             // of a program of the key
  logic                         in_full_q, active_q; // a job in the inbox, one in the core
  logic                         setup_q, no_setup_q; // the core runs a program of the key
  logic                         setup;               // what most of both and active_q say
  logic                         ran_q;               // the core has begun with the job
  logic                         sick_q, key_valid;   // sick: to be set up again
  logic [7:0]                   since_q;             // faults since the host set up the key
  logic [WordBits-1:0]          count_q;
  logic                         phase_q;             // StPut: the word is there
  logic                         all_words;           // each word of the box was used

  assign out_full_o       = out_full_q;
  assign out_job_o        = out_job_q;
  assign out_crc_o        = out_crc_q;
  assign out_seq_o        = out_seq_q;
  assign out_status_o     = out_status_q;
  assign out_status_inv_o = out_status_inv_q;
  assign out_o            = out_q;

  // ---- the core ----
  logic                core_busy, core_done, result_valid, core_we, rnd_taken, host_error;
  logic                rnd_valid, unused_locked;
  mf_rsa_pkg::status_e core_status;
  mf_rsa_pkg::entry_e  run_entry;
  addr_t               core_addr;
  logic [31:0]         in_word, host_data, rnd_word;
  mf_rsa #(.Cfg(Cfg), .NumUnits(NumUnits)) u_rsa (
    .clk_i, .rst_i, .zeroize_i,
    .engine_req_o, .engine_rsp_i, .seq_req_o, .seq_rsp_i, .rom_addr_o, .rom_data_i,
    .start_i        (state == StGo),
    .entry_i        (run_entry),
    .e_bits_i,
    .lock_i         (1'b0), // the farm's own lock keeps key words away
    .fault_limit_i  ('0),   // counted here
    .busy_o         (core_busy),
    .done_o         (core_done),
    .status_o       (core_status),
    .key_valid_o    (key_valid),
    .result_valid_o (result_valid),
    .locked_o       (unused_locked),
    .alarm_o,
    .cycles_o,
    .host_we_i      (core_we),
    .host_addr_i    (core_addr),
    .host_data_i    (state == StPut ? in_word : host_data_i),
    .host_refused_o,
    .host_data_o    (host_data), .host_error_o(host_error),
    .rnd_valid_i    (rnd_valid),
    .rnd_failed_i,
    .rnd_ready_o    (rnd_taken),
    .rnd_data_i     (rnd_word)
  );
  assign setup     = (setup_q && !no_setup_q) || (!active_q && (setup_q || !no_setup_q));
  assign run_entry = setup ? entry_q : job_q.public_key ? mf_rsa_pkg::EntryPublic
                                                           : mf_rsa_pkg::EntryPrivate;
  assign core_we = state == StPut ? phase_q && !all_words : host_we_i && state == StIdle;
  always_comb begin
    unique case (state)
      StPut:   core_addr = Cfg.var_c + addr_t'(count_q);
      StRead:  core_addr = Cfg.var_m + addr_t'(count_q);
      default: core_addr = host_addr_i;
    endcase
  end
  assign status_o = core_status;

  mf_rsa_farm_words u_words (
    .clk_i,
    .clear_i (rst_i || zeroize_i || rnd_failed_i),
    .free_o  (rnd_free_o), .put_i(rnd_valid_i), .data_i(rnd_data_i),
    .valid_o (rnd_valid), .take_i(rnd_taken), .data_o(rnd_word)
  );

  // ---- boxes ----
  // The core's words, two cycles after they are asked for, and compared there: so registered here,
  // for the outbox, and inverted for the checksum, which tells a changed bit.
  logic wiping, asked_q, asked_all_q, here_q, here_all_q, reading_q, host_error_q;
  logic [WordBits-1:0] asked_addr_q, here_addr_q, read_addr_q;
  logic [31:0] host_word_q, host_inv_q;
  assign wiping    = state == StWipe;
  assign all_words = count_q >= WordBits'(NumWords);
  assign in_free_o = !in_full_q && !in_commit_i && !(state inside {StPut, StWipe});
  mf_prim_ram_1r1w #(.WidthBits(32), .Depth(NumWords)) u_inbox (
    .clk_i,
    .wr_en_i   (wiping || in_we_i),
    .wr_addr_i (RamBits'(wiping ? count_q : in_addr_i)),
    .wr_data_i (wiping ? '0 : in_data_i),
    .rd_addr_i (RamBits'(count_q)),
    .rd_data_o (in_word)
  );
  always_ff @(posedge clk_i) begin
    asked_q      <= state == StRead && !out_full_q && !all_words && !zeroize_i && !rst_i;
    asked_all_q  <= state == StRead && all_words;
    here_q       <= asked_q && !zeroize_i && !rst_i;
    here_all_q   <= state == StRead && asked_all_q;
    reading_q    <= here_q && !zeroize_i && !rst_i;
    host_word_q  <= here_q ? host_data : '0;
    host_inv_q   <= here_q ? ~host_data : '0;
    host_error_q <= here_q && host_error;
    {read_addr_q, here_addr_q, asked_addr_q} <= {here_addr_q, asked_addr_q, count_q};
  end
  mf_prim_ram_1r1w #(.WidthBits(32), .Depth(NumWords)) u_outbox (
    .clk_i,
    .wr_en_i   (wiping || reading_q),
    .wr_addr_i (RamBits'(wiping ? count_q : read_addr_q)),
    .wr_data_i (wiping ? '0 : host_word_q),
    .rd_addr_i (out_addr_i),
    .rd_data_o (out_data_o)
  );

  // ---- control ----
  logic last_word, ended, bad, answers, wiped, as_sent;
  mf_rsa_farm_pkg::job_status_e in_status; // other than JobOk: it is not run
  always_comb begin
    in_status = in_status_q;
    if (in_status_inv_q != ~in_status_q) begin
      in_status = mf_rsa_farm_pkg::JobFault;
    end else if (in_status_q == mf_rsa_farm_pkg::JobOk) begin
      if (in_job_q.public_key && e_bits_i == '0) in_status = mf_rsa_farm_pkg::JobFormat;
      if (sick_q || out_q) in_status = mf_rsa_farm_pkg::JobService;
    end
  end
  assign last_word  = count_q == WordBits'(NumWords - 1);
  assign as_sent    = crc_q == in_crc_q;
  assign wiped      = wiping && last_word && !core_busy;
  assign ended      = state == StRun && (core_done || !core_busy); // neither: an illegal ending
  assign answers    = state == StAnswer && !out_full_q && !zeroize_i;
  assign bad        = status_q inside {mf_rsa_farm_pkg::JobFault, mf_rsa_farm_pkg::JobWatchdog,
                                       mf_rsa_farm_pkg::JobKey};
  assign answered_o = answers;
  assign fault_o    = (answers && (bad || status_q == mf_rsa_farm_pkg::JobEntropy)) || out_fault_i;
  assign setup_done_o = ended && setup;
  assign fixed_o    = key_valid || alarm_o;
  assign service_o  = key_valid && !sick_q && !out_q;
  assign recover_o  = sick_q;
  assign ready_o    = state == StIdle && !in_full_q && !sick_q && !core_busy;
  assign idle_o     = ready_o && !out_full_q;
  assign empty_o    = state == StIdle && !in_full_q && !in_commit_i && !out_full_q;

  always_ff @(posedge clk_i) begin
    if (rst_i || zeroize_i || astray) begin
      state_q <= StWipe;
      count_q <= '0;
    end else begin
      count_q <= '0;
      state_q <= state; // without a bit that has changed
      unique case (state)
        StWipe: begin
          count_q <= last_word ? count_q : count_q + WordBits'(1);
          if (wiped) state_q <= active_q ? StAnswer : StIdle;
          if (wiped) count_q <= '0;
        end
        StIdle: begin
          if (in_full_q) begin
            state_q <= in_status == mf_rsa_farm_pkg::JobOk ? StPut : StAnswer;
          end else if (setup_i || sick_q) begin
            state_q <= StGo;
          end
        end
        StPut: begin // every second cycle a word, then one without, which the core needs
          count_q <= phase_q ? count_q + WordBits'(1) : count_q;
          if (all_words) state_q <= as_sent ? StGo : StAnswer;
        end
        StGo:  state_q <= StRun;
        StRun: begin
          if (ended) begin
            state_q <= setup ? StIdle
                     : core_done && core_status == mf_rsa_pkg::StatusOk && result_valid
                     ? StRead : StAnswer;
          end
        end
        StRead: begin
          count_q <= out_full_q ? '0 : all_words ? count_q : count_q + WordBits'(1);
          if (here_all_q) state_q <= StAnswer;
        end
        default: if (answers) state_q <= StIdle;
      endcase
    end
    phase_q <= state == StPut && !phase_q && !all_words;
  end

  // ---- endings, each with its complement behind it ----
  logic [7:0] in_ending, ending, out_ending;
  always_comb begin
    in_ending  = in_commit_i ? {in_status_i, in_status_inv_i} : {in_status_q, in_status_inv_q};
    ending     = {status_q, status_inv_q};
    out_ending = answers ? ending : {out_status_q, out_status_inv_q};
    if (state == StIdle) ending = {in_status, ~in_status};
    if (ended && core_done && (result_valid || core_status != mf_rsa_pkg::StatusOk))
      ending = {core_status, ~core_status};
    else if (ended || astray || (reading_q && host_error_q)
             || (state == StPut && all_words && !as_sent))
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

  // ---- checksums: of what is put into the core, of what is read out of it ----
  // A checksum begins with the job; that of a result has the lowest reserved bit set.
  logic                  crc_first, crc_put;
  mf_rsa_farm_pkg::job_t tag;
  assign crc_put   = state == StPut && phase_q;
  assign crc_first = !crc_put && !reading_q;
  assign tag       = '{reserved: 15'(state == StRun), public_key: job_q.public_key, id: job_q.id};
  always_ff @(posedge clk_i) begin
    if (rst_i || zeroize_i || wiping)
      crc_q <= '0;
    else if (crc_put || reading_q || state == StRun || (state == StPut && count_q == '0))
      crc_q <= mf_rsa_farm_pkg::crc_word(crc_first ? '1 : crc_q,
                                         crc_put ? in_word : reading_q ? ~host_inv_q : tag);
    if (rst_i || zeroize_i) begin
      in_crc_q  <= '0;
      out_crc_q <= '0;
    end else begin
      if (in_commit_i) in_crc_q <= in_crc_i;
      if (answers) out_crc_q <= crc_q;
    end
  end

  // ---- jobs: inbox, core, outbox ----
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      in_full_q  <= 1'b0;
      active_q   <= 1'b0;
      out_full_q <= 1'b0;
    end else begin
      in_full_q  <= in_commit_i || (in_full_q && (state != StIdle || zeroize_i));
      active_q   <= (active_q && !answers) || (state == StIdle && in_full_q && !zeroize_i);
      out_full_q <= answers || (out_full_q && !out_pop_i);
    end
    if (in_commit_i) begin
      in_job_q <= in_job_i;
      in_seq_q <= in_seq_i;
    end
    if (state == StIdle || rst_i) begin // after reset the core may be at rest before its boxes
      job_q      <= in_job_q;
      seq_q      <= in_seq_q;
      entry_q    <= sick_q ? mf_rsa_pkg::EntryKey : setup_entry_i;
      setup_q    <= !in_full_q;
      no_setup_q <= in_full_q;
      ran_q      <= 1'b0;
    end
    if (state == StGo) ran_q <= 1'b1;
    if (answers) out_job_q <= {job_q.public_key, job_q.id};
    // After reset the number before the first job's: an outbox that seems full is emptied.
    if (rst_i) out_seq_q <= mf_rsa_farm_pkg::seq_code(2'd3);
    else if (answers) out_seq_q <= seq_q;
  end

  // ---- service ----
  logic limit_hit;
  assign limit_hit = 9'(since_q) + 9'd1 == 9'(fault_limit_i);
  always_ff @(posedge clk_i) begin
    if (rst_i || zeroize_i || setup_i) begin
      sick_q  <= 1'b0;
      out_q   <= 1'b0;
      since_q <= '0;
    end else if (fault_o) begin
      sick_q  <= sick_q || (!limit_hit && answers && bad && ran_q);
      out_q   <= out_q || limit_hit;
      since_q <= since_q == '1 ? since_q : since_q + 8'd1;
    end else if (ended && setup && sick_q) begin
      sick_q  <= 1'b0;
      out_q   <= !core_done || core_status != mf_rsa_pkg::StatusOk;
    end
  end

  logic unused_bits;
  assign unused_bits = &{1'b0, job_q.reserved, in_job_q.reserved};

endmodule
