// SPDX-License-Identifier: Apache-2.0
/// The farm of RSA cores as an AXI4-Lite slave for key, control and state, with AXI-Stream ports
/// for jobs, answers and entropy. Register map: rtl/bus/mf_rsa_farm.rdl; packets:
/// rtl/farm/README.md.
///
/// Source   modfab.
/// Model    modfab.models.rsa.farm (cycles of the queue), modfab.models.rsa.machine (each core).
/// Latency  u_farm's; one bus access at a time (mf_regs_axil).
/// Assumes  AXI4-Lite, AXI-Stream, one clock; rst_i, which acts a cycle later, for at least two, no
///          access or job in the first cycle behind it; entropy as u_farm.
/// Ensures  no window can be read; an access answered with SLVERR has no effect, but for a key word
///          that only some cores refuse, and addresses no other word of a key in the memories;
///          while locked, and once a core has a valid key, the key and the bits of e cannot be
///          changed; reset and zeroize wipe everything.
module mf_rsa_farm_axil #(
  parameter  mf_rsa_pkg::cfg_t Cfg         = mf_rsa_pkg::CfgSmallest, // as of mf_rsa
  parameter  int unsigned      NumCores    = 2,    // 1..32
  parameter  int unsigned      NumSmall    = 0,    // as of mf_rsa_farm
  parameter  mf_rsa_pkg::cfg_t CfgSmall    = Cfg,
  parameter  int unsigned      JobIdBits   = 16,   // bits of a job's id, 1..16
  parameter  int unsigned      NumUnits    = 1,    // engines of a core, 1 or 2
  parameter  logic [7:0]       EngineId    = 8'd1, // numbers in the catalogue, for the driver
  parameter  logic [7:0]       SequencerId = 8'd1,
  localparam int unsigned      AddrBits    = 16
) (
  input  logic                clk_i,
  input  logic                rst_i,          // synchronous
  output logic                irq_o,          // level, high while an enabled cause is set
  output logic                alarm_o,        // level, as that of mf_rsa_axil, of any core

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

  input  logic [31:0]         s_axis_job_tdata,
  input  logic                s_axis_job_tlast,
  input  logic                s_axis_job_tvalid,
  output logic                s_axis_job_tready,
  output logic [31:0]         m_axis_ans_tdata,
  output logic                m_axis_ans_tlast,
  output logic                m_axis_ans_tvalid,
  input  logic                m_axis_ans_tready,

  input  logic [31:0]         s_axis_rnd_tdata, // entropy, every bit fresh and unbiased
  input  logic                s_axis_rnd_tvalid,
  output logic                s_axis_rnd_tready,

  output mf_rsa_farm_pkg::reset_t [NumCores-1:0] core_rst_o, // of every core's engine
  output mf_pkg::engine_req_t [NumCores-1:0][NumUnits-1:0] engine_req_o, // of every core
  input  mf_pkg::engine_rsp_t [NumCores-1:0][NumUnits-1:0] engine_rsp_i,
  output mf_pkg::seq_req_t    [NumCores-1:0][NumUnits-1:0] seq_req_o,
  input  mf_pkg::seq_rsp_t    [NumCores-1:0][NumUnits-1:0] seq_rsp_i,
  output mf_rsa_pkg::addr_t  [NumCores-1:0]  rom_addr_o,
  input  mf_rsa_pkg::instr_t [NumCores-1:0]  rom_data_i
);

  typedef mf_rsa_pkg::addr_t addr_t;
  localparam int unsigned HalfWords   = mf_pkg::words_of(32'(Cfg.prime_bits));
  localparam int unsigned NumWords    = mf_pkg::words_of(2 * 32'(Cfg.prime_bits));
  localparam int unsigned FaultBits   = 16;
  localparam int unsigned RegAddrBits = mf_rsa_farm_regs_pkg::MF_RSA_FARM_REGS_MIN_ADDR_WIDTH;

  // ---- reset, for each core, for what the farm has beside it, for its engine and sequencers, and
  // for all else in a register ----
  mf_rsa_farm_pkg::parts_t rsts;
  logic                rst;
  logic [1:0]          unused_shared;
  logic [NumCores-1:0] member_rst, core_rst;
  mf_rsa_farm_spread #(.NumCores(NumCores), .NumParts($bits(rsts))) u_reset (
    .clk_i, .level_i(rst_i), .core_o(member_rst), .shared_o(rsts)
  );
  assign rst = rsts.rest;
  mf_rsa_farm_spread #(.NumCores(NumCores)) u_core_reset (
    .clk_i, .level_i(rst_i), .core_o(core_rst), .shared_o(unused_shared[0])
  );
  mf_rsa_farm_spread #(.NumCores(NumCores)) u_engine_reset (
    .clk_i, .level_i(rst_i), .core_o(core_rst_o), .shared_o(unused_shared[1])
  );

  // ---- bus: one request, its answer four cycles later ----
  logic                req_valid, req_write, req_full, rsp_err;
  logic [AddrBits-3:0] req_word;
  logic [31:0]         req_data, rsp_data;

  mf_regs_axil #(.AddrBits(AddrBits), .RspCycles(4)) u_axil (
    .clk_i, .rst_i(rst),
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
  // open_q: the farm is at rest, and nothing but a request can wake it. fixed_q: so is the key, a
  // cycle late, which is before the next request; the cores decide once more.
  typedef enum logic [3:0] {
    RegionRegs = 4'd0, RegionP = 4'd1, RegionQ = 4'd2, RegionDp = 4'd3, RegionDq = 4'd4,
    RegionQi = 4'd5, RegionE = 4'd6, RegionD = 4'd7
  } region_e;
  logic       open_q, closed_q, locked_q, key_fixed, fixed_q, key_refused, allowed, allowed_q;
  logic       key_write, reg_req_q, key_we_q;
  addr_t      key_addr_q;
  logic [3:0] region;
  logic [9:0] word;
  addr_t      base;
  assign region    = req_word[13:10];
  assign word      = req_word[9:0];
  assign key_write = !fixed_q && req_write;

  always_comb begin
    unique case (region)
      RegionRegs: allowed = word[9:RegAddrBits-2] == '0; // the block itself knows its holes
      RegionP, RegionQ, RegionDp, RegionDq, RegionQi:
                  allowed = key_write && 32'(word) < HalfWords;
      RegionE, RegionD:
                  allowed = key_write && 32'(word) < NumWords;
      default:    allowed = 1'b0;
    endcase
    if (req_write && !req_full) allowed = 1'b0;
    unique case (region)
      RegionP:  base = Cfg.var_p;
      RegionQ:  base = Cfg.var_q;
      RegionDp: base = Cfg.var_dp;
      RegionDq: base = Cfg.var_dq;
      RegionQi: base = Cfg.var_qi;
      RegionE:  base = Cfg.var_e;
      default:  base = Cfg.var_d;
    endcase
  end

  always_ff @(posedge clk_i) begin
    fixed_q    <= !open_q || locked_q || key_fixed;
    allowed_q  <= allowed;
    reg_req_q  <= req_valid && allowed && region == RegionRegs && !rst;
    key_we_q   <= req_valid && allowed && region != RegionRegs && !rst;
    // Idle cores read what is here: of a valid key never a word.
    key_addr_q <= allowed && region != RegionRegs ? base + addr_t'(word) : Cfg.var_m;
  end

  // ---- cycle 1: registers ----
  mf_rsa_farm_regs_pkg::mf_rsa_farm_regs__in_t  to_regs;
  mf_rsa_farm_regs_pkg::mf_rsa_farm_regs__out_t from_regs;
  logic [31:0] reg_rd_data;
  logic        reg_err, reg_rd_ack, reg_rd_err, reg_wr_ack, reg_wr_err;
  logic        unused_stall_wr, unused_stall_rd;

  mf_rsa_farm_regs u_regs (
    .clk                  (clk_i),
    .rst                  (rst),
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
  assign reg_err = (reg_wr_ack && reg_wr_err) || (fixed_q && from_regs.E_BITS.bits.swmod);

  // ---- cycle 2: CTRL's pulses; cycle 4: the answer, with what the cores say of a key word ----
  logic asked, refused, setup, zeroize, derives;
  assign zeroize = from_regs.CTRL.zeroize.value;
  assign derives = !from_regs.CTRL.key.value;
  assign asked   = (from_regs.CTRL.key.value || from_regs.CTRL.derive.value) && !zeroize;
  assign refused = (asked || from_regs.CTRL.lock.value) && !zeroize
                 && (!open_q || (fixed_q && asked && derives));
  assign setup   = asked && !refused;

  logic        rsp_err_q, refused_q, late_err_q;
  logic [31:0] rsp_data_q;
  always_ff @(posedge clk_i) begin
    rsp_err_q  <= !allowed_q || reg_err;
    refused_q  <= rsp_err_q || refused || (reg_rd_ack && reg_rd_err);
    late_err_q <= refused_q;
    if (reg_rd_ack) rsp_data_q <= reg_rd_data;
    else if (req_valid || rst) rsp_data_q <= '0;
  end
  assign rsp_err  = late_err_q || key_refused;
  assign rsp_data = rsp_data_q;

  // ---- farm ----
  logic                      idle, entropy_failed;
  logic [NumCores-1:0]       service, disabled, recover, alarms, answered, fault, setup_done;
  logic [NumCores-1:0][3:0]  statuses;
  logic [NumCores-1:0][63:0] cycles;
  logic [31:0]               e_bits;
  logic [15:0]               e_bits_q; // as the cores take it; too many: refused
  assign e_bits = from_regs.E_BITS.bits.value;
  always_ff @(posedge clk_i) e_bits_q <= e_bits[31:16] == '0 ? e_bits[15:0] : '1;

  mf_rsa_farm #(
    .Cfg(Cfg), .NumCores(NumCores), .NumSmall(NumSmall), .CfgSmall(CfgSmall),
    .JobIdBits(JobIdBits), .NumUnits(NumUnits)
  ) u_farm (
    .clk_i, .rst_i(rsts), .member_rst_i(member_rst), .core_rst_i(core_rst),
    .engine_req_o, .engine_rsp_i, .seq_req_o, .seq_rsp_i, .rom_addr_o, .rom_data_i,
    .zeroize_i     (zeroize),
    .accept_i      (from_regs.ACCEPT.on.value),
    .setup_i       (setup),
    .setup_entry_i (derives ? mf_rsa_pkg::EntryDerive : mf_rsa_pkg::EntryKey),
    .e_bits_i      (e_bits_q),
    .fault_limit_i (from_regs.FAULT_LIMIT.faults.value),
    .host_we_i     (key_we_q),
    .host_addr_i   (key_addr_q),
    .host_data_i   (req_data),
    .host_refused_o(key_refused),
    .fixed_o       (key_fixed),
    .idle_o        (idle),
    .service_o     (service),
    .disabled_o    (disabled),
    .recover_o     (recover),
    .alarm_o       (alarms),
    .entropy_failed_o (entropy_failed),
    .answered_o    (answered),
    .fault_o       (fault),
    .setup_done_o  (setup_done),
    .status_o      (statuses),
    .cycles_o      (cycles),
    .s_axis_job_tdata, .s_axis_job_tlast, .s_axis_job_tvalid, .s_axis_job_tready,
    .m_axis_ans_tdata, .m_axis_ans_tlast, .m_axis_ans_tvalid, .m_axis_ans_tready,
    .s_axis_rnd_tdata, .s_axis_rnd_tvalid, .s_axis_rnd_tready
  );

  // ---- state ----
  logic                               setup_q; // a program of the key was started for all cores
  logic [NumCores-1:0][31:0]          jobs_q;
  logic [NumCores-1:0][FaultBits-1:0] faults_q;
  logic [NumCores-1:0]                left_q;  // cores whose program has not ended
  always_ff @(posedge clk_i) begin
    alarm_o <= alarms != '0 && !rst;
    closed_q <= !from_regs.ACCEPT.on.value && !rst; // idle says it one cycle late
    open_q  <= idle && !from_regs.ACCEPT.on.value && closed_q && !setup && !zeroize && !rst;
    if (rst || zeroize) locked_q <= 1'b0;
    else if (from_regs.CTRL.lock.value && !refused) locked_q <= 1'b1;
    if (rst || zeroize) setup_q <= 1'b0;
    else setup_q <= setup || (setup_q && left_q != '0);
    left_q <= setup ? '1 : left_q & ~setup_done;
    for (int unsigned i = 0; i < NumCores; i++) begin
      if (rst) jobs_q[i] <= '0;
      else if (answered[i]) jobs_q[i] <= jobs_q[i] + 32'd1;
      if (rst) faults_q[i] <= '0;
      else if (fault[i] && faults_q[i] != '1) faults_q[i] <= faults_q[i] + FaultBits'(1);
    end
  end

  // ---- registers; those of a selected core that is not there are zero ----
  typedef struct packed {
    logic [3:0]           error;
    logic [31:0]          jobs;
    logic [FaultBits-1:0] faults;
    logic [63:0]          cycles;
  } shown_t;
  shown_t shown, shown_q;
  always_comb begin
    shown = '0;
    for (int unsigned i = 0; i < NumCores; i++) begin
      if (from_regs.SELECT.core.value == 5'(i))
        shown = '{error: statuses[i], jobs: jobs_q[i], faults: faults_q[i], cycles: cycles[i]};
    end
  end
  always_ff @(posedge clk_i) shown_q <= shown;
  always_comb begin
    to_regs.CAPABILITY.engine.next    = EngineId;
    to_regs.CAPABILITY.sequencer.next = SequencerId;
    to_regs.CAPABILITY.cores.next     = 6'(NumCores);
    to_regs.CAPABILITY.id_bits.next   = 5'(JobIdBits);
    to_regs.PRIME_BITS.bits.next      = 32'(Cfg.prime_bits);
    to_regs.MIN_PRIME_BITS.bits.next  = 32'(Cfg.min_prime_bits);
    to_regs.STATUS.busy.next          = !idle;
    to_regs.STATUS.locked.next        = locked_q;
    to_regs.STATUS.recovering.next    = recover != '0;
    to_regs.STATUS.alarm.next         = alarms != '0;
    to_regs.STATUS.entropy_failed.next = entropy_failed;
    to_regs.IRQ_STATUS.done.next      = setup_q && left_q == '0;
    to_regs.IRQ_STATUS.fault.next     = fault != '0;
    to_regs.E_BITS.bits.swwel         = fixed_q;
    to_regs.ACCEPT.on.hwclr           = zeroize;
    to_regs.SERVICE.cores.next        = 32'(service);
    to_regs.OUT_OF_SERVICE.cores.next = 32'(disabled);
    to_regs.STATUS.error.next         = shown_q.error;
    to_regs.CORE_JOBS.count.next      = shown_q.jobs;
    to_regs.CORE_FAULTS.count.next    = 32'(shown_q.faults);
    to_regs.CYCLES_LO.cycles.next     = shown_q.cycles[31:0];
    to_regs.CYCLES_HI.cycles.next     = shown_q.cycles[63:32];
  end
  assign irq_o = from_regs.IRQ_STATUS.intr;

endmodule
