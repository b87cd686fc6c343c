// SPDX-License-Identifier: Apache-2.0
/// N RSA cores with the same key behind one queue of jobs, without a bus for the key.
///
/// Source   modfab.
/// Model    modfab.models.rsa.farm.Farm (same cycles).
/// Latency  of a job alone: 4 NumWords + 35 cycles beside the core's own, first word to first word.
/// Assumes  setup_i, host_we_i only while idle_o is high and accept_i was low for three cycles;
///          entropy for all of them on s_axis_rnd, see mf_rsa_entropy.
/// Ensures  every job that was begun is answered exactly once, unless reset; answers come in order
///          of completion. Cores that fail leave the others alone, see mf_rsa_farm_member. A job
///          that is lost, doubled, exchanged or changed by one changed bit of the farm's own
///          registers ends with JobFault; what is not covered is in README.md.
module mf_rsa_farm #(
  parameter mf_rsa_pkg::cfg_t Cfg       = mf_rsa_pkg::CfgSmallest, // as of mf_rsa
  parameter int unsigned      NumCores  = 2,                       // 1..32
  parameter int unsigned      NumSmall  = 0, // the last of them are as CfgSmall, with fewer than
  parameter mf_rsa_pkg::cfg_t CfgSmall  = Cfg, // Cfg's elements: watchdog_cycles, unit_wipe differ
  parameter int unsigned      JobIdBits = 16,                      // 1..16
  parameter int unsigned      NumUnits  = 1                        // engines of a core, 1 or 2
) (
  input  logic                            clk_i,
  input  mf_rsa_farm_pkg::parts_t         rst_i,         // of all but the cores
  input  logic [NumCores-1:0]             member_rst_i,  // of what each core has beside it ...
  input  logic [NumCores-1:0]             core_rst_i,    // ... and its own, in the same cycles
  input  logic                            zeroize_i,     // wipes one cycle later

  input  logic                            accept_i,      // take jobs
  input  logic                            setup_i,       // pulse: run a program of the key
  input  mf_rsa_pkg::entry_e              setup_entry_i,
  input  logic [15:0]                     e_bits_i,      // 0: e is unknown
  input  logic [7:0]                      fault_limit_i,
  input  logic                            host_we_i,     // key words, to all cores
  input  logic [mf_rsa_pkg::AddrBits-1:0] host_addr_i,
  input  logic [31:0]                     host_data_i,
  output logic                            host_refused_o, // three cycles later: not taken by a core
  output logic                            fixed_o,       // a core would refuse key words

  output logic                            idle_o,        // no job, no answer, no program
  output logic [NumCores-1:0]             service_o,     // which cores have a key and run jobs
  output logic [NumCores-1:0]             disabled_o,    // which are out of service
  output logic [NumCores-1:0]             recover_o,     // which set up their key after a fault
  output logic [NumCores-1:0]             alarm_o,       // which have raised their alarm
  output logic                            entropy_failed_o, // until zeroize_i
  output logic [NumCores-1:0]             answered_o,    // pulses: a core has answered a job,
  output logic [NumCores-1:0]             fault_o,       // and this was its answer
  output logic [NumCores-1:0]             setup_done_o,  // pulses: a program of the key has ended
  output logic [NumCores-1:0][3:0]        status_o,      // of the cores, mf_rsa_pkg::status_e
  output logic [NumCores-1:0][63:0]       cycles_o,

  input  logic [31:0]                     s_axis_job_tdata,
  input  logic                            s_axis_job_tlast,
  input  logic                            s_axis_job_tvalid,
  output logic                            s_axis_job_tready,
  output logic [31:0]                     m_axis_ans_tdata,
  output logic                            m_axis_ans_tlast,
  output logic                            m_axis_ans_tvalid,
  input  logic                            m_axis_ans_tready,
  input  logic [31:0]                     s_axis_rnd_tdata,
  input  logic                            s_axis_rnd_tvalid,
  output logic                            s_axis_rnd_tready,

  output mf_pkg::engine_req_t [NumCores-1:0][NumUnits-1:0] engine_req_o, // of every core
  input  mf_pkg::engine_rsp_t [NumCores-1:0][NumUnits-1:0] engine_rsp_i,
  output mf_pkg::seq_req_t    [NumCores-1:0][NumUnits-1:0] seq_req_o,
  input  mf_pkg::seq_rsp_t    [NumCores-1:0][NumUnits-1:0] seq_rsp_i,
  output mf_rsa_pkg::addr_t  [NumCores-1:0]  rom_addr_o,
  input  mf_rsa_pkg::instr_t [NumCores-1:0]  rom_data_i
);

  localparam int unsigned NumWords = mf_pkg::words_of(2 * 32'(Cfg.prime_bits));
  localparam int unsigned WordBits = $clog2(NumWords + 1);

  if (NumCores < 1 || NumCores > 32 || JobIdBits < 1 || JobIdBits > 16) begin : gen_check_params
    $error("mf_rsa_farm: 1..32 cores and 1..16 bits of a job's id");
  end
  if (NumSmall >= NumCores) begin : gen_check_small
    $error("mf_rsa_farm: NumSmall must be below NumCores");
  end

  // ---- zeroize ----
  logic [NumCores-1:0] member_zeroize, core_zeroize;
  logic                unused_shared;
  mf_rsa_farm_pkg::parts_t zeroize;
  mf_rsa_farm_spread #(.NumCores(NumCores), .NumParts($bits(zeroize))) u_zeroize (
    .clk_i, .level_i(zeroize_i), .core_o(member_zeroize), .shared_o(zeroize)
  );
  mf_rsa_farm_spread #(.NumCores(NumCores)) u_core_zeroize (
    .clk_i, .level_i(zeroize_i), .core_o(core_zeroize), .shared_o(unused_shared)
  );

  // ---- jobs ----
  logic                         in_valid, in_ready, in_last, in_parity, in_busy, unused_room;
  logic [31:0]                  in_data;
  logic [NumCores-1:0]          ready, box_free, box_we, box_commit;
  logic [WordBits-1:0]          box_addr;
  logic [31:0]                  box_data, box_crc;
  logic [3:0]                   box_status_inv;
  logic [NumCores-1:0]          push, owed_none, owed_full, struck, out_fault;
  logic [17:0]                  push_job;
  mf_rsa_farm_pkg::job_t        box_job;
  mf_rsa_farm_pkg::job_status_e box_status;
  mf_rsa_farm_skid #(.WidthBits(34)) u_skid_in (
    .clk_i, .rst_i(rst_i.jobs),
    .in_valid_i  (s_axis_job_tvalid),
    .in_ready_o  (s_axis_job_tready),
    .in_room_o   (unused_room),
    .in_data_i   ({^{s_axis_job_tlast, s_axis_job_tdata}, s_axis_job_tlast, s_axis_job_tdata}),
    .out_valid_o (in_valid),
    .out_ready_i (in_ready),
    .out_data_o  ({in_parity, in_last, in_data})
  );
  mf_rsa_farm_in #(
    .NumCores(NumCores), .JobIdBits(JobIdBits), .NumWords(NumWords)
  ) u_in (
    .clk_i, .rst_i(rst_i.jobs), .zeroize_i(zeroize.jobs), .accept_i,
    .busy_o     (in_busy),
    .in_valid_i (in_valid),
    .in_ready_o (in_ready),
    .in_data_i  (in_data),
    .in_last_i  (in_last),
    .in_dirty_i ({^{in_parity, in_last, in_data[31:25]}, ^in_data[24:17], ^in_data[16:8],
                  ^in_data[7:0]}),
    .free_i     (box_free & ~owed_full),
    .ready_i    (ready),
    .service_i  (service_o),
    .hope_i     (recover_o != '0),
    .push_o     (push),
    .push_job_o (push_job),
    .we_o       (box_we),
    .addr_o     (box_addr),
    .data_o     (box_data),
    .commit_o   (box_commit),
    .job_o      (box_job),
    .crc_o      (box_crc),
    .status_o   (box_status),
    .status_inv_o (box_status_inv)
  );
  // A job's words, registered beside each inbox; it is complete two cycles after its last word.
  typedef struct packed {
    logic [WordBits-1:0] addr;
    logic [31:0]         data;
  } put_t;
  put_t [NumCores-1:0] box_puts;
  logic [NumCores-1:0] box_we_q;
  mf_fanout_reg #(.WidthBits($bits(put_t)), .Copies(NumCores)) u_puts (
    .clk_i, .d_i({box_addr, box_data}), .q_o(box_puts)
  );
  always_ff @(posedge clk_i) box_we_q <= rst_i.jobs ? '0 : box_we;

  // What the cores say, registered. Nothing but a job, setup_i and zeroize_i ends idle_o: it falls
  // one cycle after the latter two, and a cycle after a job was begun.
  logic                wakes, setup_q; // setup_q: the cores get it now
  logic [NumCores-1:0] rests, rests_q, serves, recovers, disabled, fixed;
  logic [NumCores-1:0] answers, faults, set_ups; // pulses
  assign wakes = setup_i || setup_q || zeroize_i || zeroize.rest || rst_i.rest;
  always_ff @(posedge clk_i) begin
    setup_q   <= setup_i;
    rests_q   <= wakes ? '0 : rests;
    idle_o    <= !wakes && rests_q == '1 && !in_busy && owed_none == '1;
    service_o <= serves;
    recover_o <= recovers;
    disabled_o <= disabled;
    fixed_o   <= fixed != '0;
    answered_o   <= rst_i.rest ? '0 : answers;
    fault_o      <= rst_i.rest ? '0 : faults;
    setup_done_o <= rst_i.rest ? '0 : set_ups;
  end

  // ---- for each core: that a program of the key is run, and which; whether e is unknown, and the
  // complement ----
  typedef struct packed {
    logic               setup;
    mf_rsa_pkg::entry_e entry;
    logic [1:0]         e_none;
  } told_t;
  told_t [NumCores-1:0] told;
  mf_fanout_reg #(.WidthBits($bits(told_t)), .Copies(NumCores)) u_told (
    .clk_i, .d_i({setup_i, setup_entry_i, e_bits_i == '0, e_bits_i != '0}), .q_o(told)
  );

  // ---- entropy: tested, then one core after the other is asked whether it wants a word, which it
  // gets three cycles later, from registers of its own. These always have the generator's word, so
  // that a changed bit gives a core no word of zeros ----
  // Numbers, not rings of one-hot bits: a changed bit moves the turn and does nothing else.
  localparam int unsigned TurnBits = NumCores > 1 ? $clog2(NumCores) : 1;
  logic [TurnBits-1:0] rnd_turn_q, rnd_to_q;
  logic [NumCores-1:0] rnd_turn, rnd_to, rnd_free, rnd_left_q, rnd_given_q;
  logic [NumCores-1:0][31:0] rnd_words;
  logic                rnd_valid, rnd_wanted_q, rnd_gives, unused_seeded;
  logic [31:0]         rnd_data, rnd_data_q;
  logic [NumCores-1:0] core_failed;
  logic                failed, failed_late, clears_random; // late: on its way to all cores
  assign clears_random = rst_i.random || zeroize.random;
  mf_rsa_farm_vote #(.WidthBits(1)) u_failed_late (
    .clk_i, .rst_i(rst_i.random), .next_i(entropy_failed_o), .value_o(failed_late)
  );
  mf_rsa_farm_spread #(.NumCores(NumCores)) u_failed (
    .clk_i, .level_i(failed_late), .core_o(core_failed), .shared_o(failed)
  );
  always_ff @(posedge clk_i) begin
    if (rst_i.random || 32'(rnd_turn_q) + 32'd1 >= NumCores) rnd_turn_q <= '0;
    else rnd_turn_q <= rnd_turn_q + TurnBits'(1);
    rnd_to_q     <= rnd_turn_q;
    rnd_wanted_q <= (rnd_turn & rnd_free & ~rnd_to & ~rnd_left_q & ~rnd_given_q) != '0
                    && !clears_random;
    rnd_left_q   <= clears_random ? '0 : rnd_to;
    rnd_given_q  <= clears_random ? '0 : rnd_left_q;
    rnd_data_q   <= clears_random || failed ? '0 : rnd_data;
  end
  assign rnd_gives = rnd_valid && rnd_wanted_q;
  always_comb begin
    for (int unsigned i = 0; i < NumCores; i++) begin
      rnd_turn[i] = rnd_turn_q == TurnBits'(i);
      rnd_to[i]   = rnd_gives && rnd_to_q == TurnBits'(i);
    end
  end
  mf_fanout_reg #(.WidthBits(32), .Copies(NumCores)) u_rnd_words (
    .clk_i, .d_i(clears_random || failed ? '0 : rnd_data_q), .q_o(rnd_words)
  );
  mf_rsa_entropy #(.OnesLate(1)) u_entropy (
    .clk_i, .rst_i(rst_i.random),
    .wipe_i      (zeroize.random),
    .rnd_valid_i (s_axis_rnd_tvalid),
    .rnd_ready_o (s_axis_rnd_tready),
    .rnd_data_i  (s_axis_rnd_tdata),
    .valid_o     (rnd_valid),
    .take_i      (rnd_gives),
    .data_o      (rnd_data),
    .seeded_o    (unused_seeded),
    .failed_o    (entropy_failed_o)
  );

  // ---- cores ----
  localparam int unsigned LostBits = 4; // a core without its jobs for 2^LostBits - 1 cycles
  logic [NumCores-1:0]                   full, pop, lost, host_refused;
  logic [NumCores-1:0][31:0]             words;
  mf_rsa_farm_pkg::held_t [NumCores-1:0] held;
  mf_rsa_farm_pkg::owed_t [NumCores-1:0] owed;
  logic [$clog2(NumWords)-1:0] out_addr;
  logic                        out_go;
  assign host_refused_o = host_refused != '0;
  for (genvar i = 0; i < NumCores; i++) begin : gen_core
    mf_rsa_pkg::status_e          core_status;
    logic [63:0]                  core_cycles;
    logic                         core_alarm;
    mf_rsa_farm_pkg::seq_t        newest;
    logic                         empty;
    logic [LostBits-1:0]          lost_q;
    assign lost[i] = lost_q == '1;
    // As answered_o: what the bus reads need not lie beside what it comes from.
    always_ff @(posedge clk_i) begin
      status_o[i] <= core_status;
      cycles_o[i] <= core_cycles;
      alarm_o[i]  <= core_alarm;
    end
    always_ff @(posedge clk_i) begin
      if (rst_i.rest || owed_none[i] || !empty || in_busy) lost_q <= '0;
      else if (!lost[i]) lost_q <= lost_q + LostBits'(1);
    end

    mf_rsa_farm_ledger u_ledger (
      .clk_i, .rst_i(rst_i.rest),
      .push_i     (push[i]),
      .push_job_i (push_job),
      .pop_i      (struck[i]),
      .empty_o    (owed_none[i]),
      .full_o     (owed_full[i]),
      .count_o    (owed[i].count),
      .first_o    (owed[i].number),
      .job_o      ({owed[i].parity, owed[i].job}),
      .newest_o   (newest)
    );

    mf_rsa_farm_member #(
      .Cfg(32'(i) + NumSmall < NumCores ? Cfg : CfgSmall), .NumUnits(NumUnits)
    ) u_member (
      .clk_i, .rst_i(member_rst_i[i]), .core_rst_i(core_rst_i[i]),
      .zeroize_i(member_zeroize[i]), .core_zeroize_i(core_zeroize[i]),
      .engine_req_o (engine_req_o[i]),
      .engine_rsp_i (engine_rsp_i[i]),
      .seq_req_o    (seq_req_o[i]),
      .seq_rsp_i    (seq_rsp_i[i]),
      .rom_addr_o   (rom_addr_o[i]),
      .rom_data_i   (rom_data_i[i]),
      .setup_i(told[i].setup), .setup_entry_i(told[i].entry),
      .e_bits_i, .e_none_i(told[i].e_none), .fault_limit_i,
      .host_we_i, .host_addr_i, .host_data_i,
      .host_refused_o (host_refused[i]),
      .fixed_o      (fixed[i]),
      .idle_o       (rests[i]),
      .ready_o      (ready[i]),
      .service_o    (serves[i]),
      .recover_o    (recovers[i]),
      .alarm_o      (core_alarm),
      .disabled_o   (disabled[i]),
      .status_o     (core_status),
      .cycles_o     (core_cycles),
      .answered_o   (answers[i]),
      .fault_o      (faults[i]),
      .setup_done_o (set_ups[i]),
      .in_free_o    (box_free[i]),
      .in_we_i      (box_we_q[i]),
      .in_addr_i    (box_puts[i].addr),
      .in_data_i    (box_puts[i].data),
      .in_commit_i  (box_commit[i]),
      .in_job_i     (box_job),
      .in_crc_i     (box_crc),
      .in_status_i  (box_status),
      .in_status_inv_i (box_status_inv),
      .in_seq_i     (newest),
      .out_full_o   (full[i]),
      .out_addr_i   (out_addr),
      .out_go_i     (out_go),
      .out_data_o   (words[i]),
      .out_job_o    (held[i].job),
      .out_crc_o    (held[i].crc),
      .out_seq_o    (held[i].seq),
      .out_status_o (held[i].status),
      .out_status_inv_o (held[i].status_inv),
      .out_pop_i    (pop[i]),
      .out_fault_i  (out_fault[i]),
      .empty_o      (empty),
      .rnd_valid_i  (rnd_given_q[i]),
      .rnd_failed_i (core_failed[i]),
      .rnd_free_o   (rnd_free[i]),
      .rnd_data_i   (rnd_words[i])
    );
  end

  // ---- answers; each word is looked at once more when it has left ----
  logic        out_valid, out_room, unused_ready, out_last, leaves, sent_q;
  logic [31:0] out_data, sent_data_q;
  assign leaves = m_axis_ans_tvalid && m_axis_ans_tready && !m_axis_ans_tlast;
  always_ff @(posedge clk_i) begin
    sent_q      <= leaves && !rst_i.answers;
    sent_data_q <= leaves && !zeroize.answers ? m_axis_ans_tdata : '0;
  end
  mf_rsa_farm_out #(.NumCores(NumCores), .NumWords(NumWords)) u_out (
    .clk_i, .rst_i(rst_i.answers), .zeroize_i(zeroize.answers),
    .full_i      (full),
    .addr_o      (out_addr),
    .go_o        (out_go),
    .word_i      (words),
    .held_i      (held),
    .pop_o       (pop),
    .fault_o     (out_fault),
    .lost_i      (lost),
    .owed_i      (owed),
    .answered_o  (struck),
    .out_valid_o (out_valid),
    .out_room_i  (out_room),
    .out_data_o  (out_data),
    .out_last_o  (out_last),
    .sent_i      (sent_q),
    .sent_data_i (sent_data_q),
    .drained_i   (!m_axis_ans_tvalid && !sent_q)
  );
  mf_rsa_farm_skid #(.WidthBits(33)) u_skid_out (
    .clk_i, .rst_i(rst_i.answers),
    .in_valid_i  (out_valid),
    .in_ready_o  (unused_ready),
    .in_room_o   (out_room),
    .in_data_i   ({out_last, out_data}),
    .out_valid_o (m_axis_ans_tvalid),
    .out_ready_i (m_axis_ans_tready),
    .out_data_o  ({m_axis_ans_tlast, m_axis_ans_tdata})
  );

endmodule
