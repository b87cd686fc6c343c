// SPDX-License-Identifier: Apache-2.0
/// The RSA core as an AXI4-Lite slave with an AXI-Stream port for entropy: registers, windows,
/// interrupt. The register map is rtl/bus/mf_rsa.rdl; rtl/bus/README.md lists the error responses.
///
/// Source   modfab.
/// Model    modfab.host.rsa_model.RsaModelTransport.
/// Latency  u_rsa's; one bus access at a time (mf_regs_axil).
/// Assumes  AXI4-Lite, one clock; rst_i for at least one cycle, no access in the first cycle behind
///          it; words of entropy now and then, else operations end with the status entropy (but for
///          Cfg.public_only, which takes none).
/// Ensures  no window of the key and not the message can be read; the result only after its check
///          (u_rsa decides); an access answered with SLVERR has no effect, and addresses no word of
///          a key in the memory; while locked, and once a key is valid, the key and the bits of e
///          cannot be changed; reset and zeroize wipe everything, a change or erase no context but
///          the one that is empty then.
module mf_rsa_axil #(
  parameter  mf_rsa_pkg::cfg_t Cfg         = mf_rsa_pkg::CfgSmallest, // as of mf_rsa
  parameter  int unsigned      NumUnits    = 1,    // engines, 1 or 2
  parameter  int unsigned      NumLanes    = 1,    // lanes of an engine, 1 or 2
  parameter  logic [7:0]       EngineId    = 8'd1, // numbers in the catalogue, for the driver
  parameter  logic [7:0]       SequencerId = 8'd1,
  localparam int unsigned      AddrBits    = 16
) (
  input  logic                clk_i,
  input  logic                rst_i,          // synchronous
  output logic                irq_o,          // level, high while an enabled cause is set
  output logic                alarm_o,        // level, high from an alarm until reset or zeroize

  input  logic [AddrBits-1:0] s_axi_awaddr,
  input  logic                s_axi_awvalid,
  output logic                s_axi_awready,
  input  logic [31:0]         s_axi_wdata,
  input  logic [3:0]          s_axi_wstrb,    // all ones, other writes are refused
  input  logic                s_axi_wvalid,
  output logic                s_axi_wready,
  output logic [1:0]          s_axi_bresp,
  output logic                s_axi_bvalid,
  input  logic                s_axi_bready,
  input  logic [AddrBits-1:0] s_axi_araddr,
  input  logic                s_axi_arvalid,
  output logic                s_axi_arready,
  output logic [31:0]         s_axi_rdata,
  output logic [1:0]          s_axi_rresp,
  output logic                s_axi_rvalid,
  input  logic                s_axi_rready,

  input  logic [31:0]         s_axis_rnd_tdata, // entropy, every bit fresh and unbiased
  input  logic                s_axis_rnd_tvalid,
  output logic                s_axis_rnd_tready,

  output mf_pkg::engine_req_t [NumUnits-1:0] engine_req_o, // as those of mf_rsa
  input  mf_pkg::engine_rsp_t [NumUnits-1:0] engine_rsp_i,
  output mf_pkg::seq_req_t    [NumUnits-1:0] seq_req_o,
  input  mf_pkg::seq_rsp_t    [NumUnits-1:0] seq_rsp_i,
  output mf_rsa_pkg::addr_t                  rom_addr_o,
  input  mf_rsa_pkg::instr_t                 rom_data_i
);

  typedef mf_rsa_pkg::addr_t addr_t;
  localparam int unsigned HalfWords   = mf_pkg::words_of(32'(Cfg.prime_bits));
  localparam int unsigned NumWords    = mf_pkg::words_of((Cfg.public_only ? 1 : 2)
                                                         * 32'(Cfg.prime_bits));
  localparam int unsigned RegAddrBits = mf_rsa_regs_pkg::MF_RSA_REGS_MIN_ADDR_WIDTH;

  // ---- bus: one request, its answer four cycles later, as a word of the result takes them ----
  logic                req_valid, req_write, req_full, rsp_err;
  logic [AddrBits-3:0] req_word;
  logic [31:0]         req_data, rsp_data;

  mf_regs_axil #(.AddrBits(AddrBits), .RspCycles(4)) u_axil (
    .clk_i, .rst_i,
    .s_axi_awaddr, .s_axi_awvalid, .s_axi_awready,
    .s_axi_wdata, .s_axi_wstrb, .s_axi_wvalid, .s_axi_wready,
    .s_axi_bresp, .s_axi_bvalid, .s_axi_bready,
    .s_axi_araddr, .s_axi_arvalid, .s_axi_arready,
    .s_axi_rdata, .s_axi_rresp, .s_axi_rvalid, .s_axi_rready,
    .req_valid_o (req_valid),
    .req_write_o (req_write),
    .req_word_o  (req_word),
    .req_data_o  (req_data),
    .req_full_o  (req_full),
    .rsp_err_i   (rsp_err),
    .rsp_data_i  (rsp_data)
  );

  // ---- cycle 0 of a request: which window, and whether the access is allowed ----
  // Nothing but a request makes the core busy, so this holds in cycle 1 as well. fixed_q: the key
  // cannot change, known a cycle late, which is before the next request. What is allowed of key
  // and result is decided in u_rsa once more.
  typedef enum logic [3:0] {
    RegionRegs = 4'd0, RegionP = 4'd1, RegionQ = 4'd2, RegionDp = 4'd3, RegionDq = 4'd4,
    RegionQi = 4'd5, RegionE = 4'd6, RegionD = 4'd7, RegionMessage = 4'd8, RegionResult = 4'd9
  } region_e;
  mf_rsa_pkg::contexts_t contexts;
  logic       busy_q, locked, key_valid, fixed_q, result_valid, in_half, in_full;
  logic       allowed, allowed_q, reg_req_q, mem_we_q;
  logic [3:0] region;
  logic [9:0] word;
  addr_t      base, mem_addr_q;
  assign region  = req_word[13:10];
  assign word    = req_word[9:0];
  assign in_half = 32'(word) < HalfWords;
  assign in_full = 32'(word) < NumWords;

  always_comb begin
    unique case (region)
      RegionRegs: allowed = word[9:RegAddrBits-2] == '0; // the block itself knows its holes
      RegionP:    allowed = in_half && !fixed_q && req_write;
      RegionQ, RegionDp, RegionDq, RegionQi:
                  allowed = in_half && !fixed_q && req_write && !Cfg.public_only;
      RegionE:    allowed = in_full && !fixed_q && req_write;
      RegionD:    allowed = in_full && !fixed_q && req_write && !Cfg.public_only;
      RegionMessage:    allowed = in_full && !busy_q && req_write;
      RegionResult:     allowed = in_full && !busy_q && result_valid && !req_write;
      default:          allowed = 1'b0;
    endcase
    if (req_write && !req_full) allowed = 1'b0;
    unique case (region)
      RegionP:       base = Cfg.var_p;
      RegionQ:       base = Cfg.var_q;
      RegionDp:      base = Cfg.var_dp;
      RegionDq:      base = Cfg.var_dq;
      RegionQi:      base = Cfg.var_qi;
      RegionE:       base = Cfg.var_e;
      RegionD:       base = Cfg.var_d;
      RegionMessage: base = Cfg.var_c;
      default:       base = Cfg.var_m;
    endcase
  end

  always_ff @(posedge clk_i) begin
    fixed_q    <= busy_q || locked || key_valid;
    allowed_q  <= allowed;
    reg_req_q  <= req_valid && allowed && region == RegionRegs && !rst_i;
    mem_we_q   <= req_valid && allowed && region != RegionRegs && req_write && !rst_i;
    // The idle core reads what is here, be it for the host or not: of a valid key never a word.
    mem_addr_q <= allowed && region != RegionRegs ? base + addr_t'(word) : Cfg.var_m;
  end

  // ---- cycle 1: registers; u_rsa has the address ----
  mf_rsa_regs_pkg::mf_rsa_regs__in_t  to_regs;
  mf_rsa_regs_pkg::mf_rsa_regs__out_t from_regs;
  logic [31:0] reg_rd_data;
  logic        reg_rd_ack, reg_rd_err, reg_wr_ack, reg_wr_err;
  logic        write_bad, unused_stall_wr, unused_stall_rd, no_target, too_high_q;

  mf_rsa_regs u_regs (
    .clk                  (clk_i),
    .rst                  (rst_i),
    .s_cpuif_req          (reg_req_q),
    .s_cpuif_req_is_wr    (req_write),
    .s_cpuif_addr         ({word[RegAddrBits-3:0], 2'b00}),
    .s_cpuif_wr_data      (req_data),
    .s_cpuif_wr_biten     ('1),
    .s_cpuif_req_stall_wr (unused_stall_wr), // requests are too far apart
    .s_cpuif_req_stall_rd (unused_stall_rd),
    .s_cpuif_rd_ack       (reg_rd_ack), // in cycle 2, with error and data; those of a write at once
    .s_cpuif_rd_err       (reg_rd_err),
    .s_cpuif_rd_data      (reg_rd_data),
    .s_cpuif_wr_ack       (reg_wr_ack),
    .s_cpuif_wr_err       (reg_wr_err),
    .hwif_in              (to_regs),
    .hwif_out             (from_regs)
  );
  assign write_bad = (reg_wr_ack && reg_wr_err) || (fixed_q && from_regs.E_BITS.bits.swmod)
                   || (contexts.locks != '0 && from_regs.FAULT_LIMIT.count.swmod)
                   || (no_target && from_regs.CONTEXT.target.swmod);
  assign no_target = busy_q || too_high_q;
  always_ff @(posedge clk_i) too_high_q <= req_data >= 32'(Cfg.num_keys); // from cycle 0

  // ---- cycle 2: CTRL's pulses, and what is refused; an operation starts in cycle 3 ----
  logic               asked, refused, start, start_q, zeroize, core_busy, core_done;
  mf_rsa_pkg::entry_e entry, entry_q;
  assign zeroize = from_regs.CTRL.zeroize.value;
  assign asked   = (from_regs.CTRL.key.value || from_regs.CTRL.start_private.value
                 || from_regs.CTRL.start_public.value || from_regs.CTRL.derive.value
                 || from_regs.CTRL.test.value || from_regs.CTRL.change.value
                 || from_regs.CTRL.erase.value) && !zeroize;
  assign refused = (asked || from_regs.CTRL.lock.value) && !zeroize
                 && (busy_q || (asked && fixed_q && entry == mf_rsa_pkg::EntryDerive)
                     || (asked && contexts.keys != '0 && entry == mf_rsa_pkg::EntryTest)
                     || (asked && Cfg.num_keys < 2 && entry inside {mf_rsa_pkg::EntryChange,
                                                                    mf_rsa_pkg::EntryLeave})
                     || (asked && Cfg.public_only && entry inside {mf_rsa_pkg::EntryPrivate,
                                                                   mf_rsa_pkg::EntryDerive}));
  assign start   = asked && !refused;
  always_comb begin
    if (from_regs.CTRL.key.value)                entry = mf_rsa_pkg::EntryKey;
    else if (from_regs.CTRL.start_private.value) entry = mf_rsa_pkg::EntryPrivate;
    else if (from_regs.CTRL.start_public.value)  entry = mf_rsa_pkg::EntryPublic;
    else if (from_regs.CTRL.derive.value)        entry = mf_rsa_pkg::EntryDerive;
    else if (from_regs.CTRL.test.value)          entry = mf_rsa_pkg::EntryTest;
    else if (from_regs.CTRL.change.value)        entry = mf_rsa_pkg::EntryChange;
    else                                         entry = mf_rsa_pkg::EntryLeave;
  end

  // ---- cycle 3: whether u_rsa wrote the word; cycle 4: the answer ----
  logic             bad_q, refused_q, rsp_err_q, mem_error, mem_refused;
  logic [1:0][31:0] rsp_reg_q;
  logic [31:0]      mem_rd_data;
  always_ff @(posedge clk_i) begin
    bad_q     <= !allowed_q || write_bad;
    refused_q <= bad_q || refused || (reg_rd_ack && reg_rd_err);
    rsp_err_q <= refused_q || mem_refused;
    rsp_reg_q <= {rsp_reg_q[0], reg_rd_data};
  end
  assign rsp_err  = rsp_err_q || (region == RegionResult && mem_error);
  assign rsp_data = region == RegionResult ? mem_rd_data : rsp_reg_q[1];

  // ---- core ----
  mf_rsa_pkg::status_e core_status;
  logic                alarm, rnd_valid, rnd_valid_q, rnd_take, rnd_failed, rnd_failed_q;
  logic                unused_seeded, started_q, zeroize_q, core_busy_q;
  logic [31:0]         rnd_data, e_bits;
  logic [15:0]         e_bits_q; // as the core takes it; too many: refused
  logic [63:0]         cycles;
  assign e_bits = from_regs.E_BITS.bits.value;
  always_ff @(posedge clk_i) begin
    e_bits_q <= e_bits[31:16] == '0 ? e_bits[15:0] : '1;
    start_q      <= start && !rst_i;
    entry_q      <= entry;
    started_q    <= start_q;
    zeroize_q    <= zeroize;
    core_busy_q  <= rst_i || core_busy;
    busy_q       <= rst_i || core_busy_q || start || start_q || started_q || zeroize || zeroize_q;
    alarm_o      <= alarm && !rst_i;
    rnd_valid_q  <= rnd_valid && !zeroize && !zeroize_q && !rst_i;
    rnd_failed_q <= rnd_failed;
  end

  if (Cfg.public_only) begin : gen_no_entropy
    logic unused_rnd;
    assign unused_rnd        = ^{s_axis_rnd_tvalid, s_axis_rnd_tdata, rnd_take, rnd_valid_q};
    assign s_axis_rnd_tready = 1'b0;
    assign unused_seeded     = 1'b0;
    assign rnd_valid         = 1'b0;
    assign rnd_data          = '0;
    assign rnd_failed        = 1'b0;
  end else begin : gen_entropy
    mf_rsa_entropy u_entropy (
      .clk_i, .rst_i,
      .wipe_i      (zeroize_q),
      .rnd_valid_i (s_axis_rnd_tvalid),
      .rnd_ready_o (s_axis_rnd_tready),
      .rnd_data_i  (s_axis_rnd_tdata),
      .valid_o     (rnd_valid),
      .take_i      (rnd_take && rnd_valid_q),
      .data_o      (rnd_data),
      .seeded_o    (unused_seeded),
      .failed_o    (rnd_failed)
    );
  end

  mf_rsa #(.Cfg(Cfg), .NumUnits(NumUnits), .CountLate(Cfg.load_sums)) u_rsa (
    .clk_i, .rst_i,
    .engine_req_o, .engine_rsp_i, .seq_req_o, .seq_rsp_i, .rom_addr_o, .rom_data_i,
    .zeroize_i      (zeroize),
    .start_i        (start_q),
    .entry_i        (entry_q),
    .context_i      (from_regs.CONTEXT.target.value),
    .e_bits_i       (e_bits_q),
    .lock_i         (from_regs.CTRL.lock.value && !refused),
    .fault_limit_i  (from_regs.FAULT_LIMIT.count.value),
    .busy_o         (core_busy),
    .done_o         (core_done),
    .status_o       (core_status),
    .key_valid_o    (key_valid),
    .result_valid_o (result_valid),
    .locked_o       (locked),
    .contexts_o     (contexts),
    .alarm_o        (alarm),
    .cycles_o       (cycles),
    .host_we_i      (mem_we_q),
    .host_addr_i    (mem_addr_q),
    .host_data_i    (req_data),
    .host_refused_o (mem_refused),
    .host_data_o    (mem_rd_data),
    .host_error_o   (mem_error),
    .rnd_valid_i    (rnd_valid_q),
    .rnd_failed_i   (rnd_failed_q),
    .rnd_ready_o    (rnd_take),
    .rnd_data_i     (rnd_data)
  );

  // ---- status ----
  logic        done_q;
  logic [31:0] faults_q;
  always_ff @(posedge clk_i) begin
    if (rst_i || zeroize || start_q) done_q <= 1'b0;
    else if (core_done) done_q <= 1'b1;
    if (rst_i) faults_q <= '0;
    else if (core_done && faults_q != '1
             && core_status inside {mf_rsa_pkg::StatusFault, mf_rsa_pkg::StatusWatchdog})
      faults_q <= faults_q + 32'd1;
  end

  always_comb begin
    to_regs.CAPABILITY.engine.next         = EngineId;
    to_regs.CAPABILITY.sequencer.next      = SequencerId;
    to_regs.CAPABILITY.lanes.next          = 2'(NumLanes);
    to_regs.CAPABILITY.blind_message.next  = Cfg.blind_message;
    to_regs.CAPABILITY.blind_exponent.next = Cfg.blind_exponent;
    to_regs.CAPABILITY.hardened.next       = Cfg.hardened;
    to_regs.CAPABILITY.blind_address.next  = Cfg.blind_address;
    to_regs.CAPABILITY.public_only.next    = Cfg.public_only;
    to_regs.PRIME_BITS.bits.next           = 32'(Cfg.prime_bits);
    to_regs.MIN_PRIME_BITS.bits.next       = 32'(Cfg.min_prime_bits);
    to_regs.STATUS.busy.next               = busy_q;
    to_regs.STATUS.done.next               = done_q;
    to_regs.STATUS.key_valid.next          = key_valid;
    to_regs.STATUS.result_valid.next       = result_valid && !busy_q;
    to_regs.STATUS.error.next              = core_status;
    to_regs.STATUS.locked.next             = locked;
    to_regs.STATUS.alarm.next              = alarm;
    to_regs.STATUS.entropy_failed.next     = rnd_failed_q;
    to_regs.IRQ_STATUS.done.next           = core_done;
    to_regs.E_BITS.bits.swwel              = fixed_q;
    to_regs.FAULT_LIMIT.count.swwel        = contexts.locks != '0;
    to_regs.CONTEXT.target.swwel           = no_target;
    to_regs.CONTEXT.chosen.next            = contexts.chosen;
    to_regs.CONTEXT.count.next             = Cfg.num_keys;
    to_regs.KEYS.valid.next                = contexts.keys;
    to_regs.KEYS.locked.next               = contexts.locks;
    to_regs.FAULTS.count.next              = faults_q;
    to_regs.CYCLES_LO.cycles.next          = cycles[31:0];
    to_regs.CYCLES_HI.cycles.next          = cycles[63:32];
  end
  assign irq_o = from_regs.IRQ_STATUS.intr;

endmodule
