// SPDX-License-Identifier: Apache-2.0
/// Modular exponentiator as an AXI4-Lite slave: registers, operand windows, interrupt. The register
/// map is rtl/bus/mf_modexp.rdl; every error response is listed in rtl/bus/README.md.
///
/// Source   modfab.
/// Model    modfab.host.transport_model.ModelTransport.
/// Latency  mf_modexp's; one bus access at a time (mf_regs_axil).
/// Assumes  AXI4-Lite, one clock; rst_i for at least one clock before the first access.
/// Ensures  base and exponent cannot be read (but found from results by whoever writes the other
///          registers); the words of a result, and no others, can be read only after the operation
///          that made it has succeeded and until the next start or zeroize; an access answered with
///          SLVERR has no effect; reset and zeroize overwrite every window with zeros.
module mf_modexp_axil #(
  parameter  int unsigned NumBits      = 256,   // bits of the modulus, as the engine's NumBits
  parameter  int unsigned ExpBits      = 256,   // bits of the exponent window, as the sequencer's
  parameter  bit          RuntimeWords = 1'b0,  // the engine's width is chosen at run time
  parameter  bit          LoadSum      = 1'b0,  // the engine's loads add slot a0, but for 0
  parameter  int unsigned NumLanes     = 1,     // lanes of the engine, 1 or 2
  parameter  logic [7:0]  EngineId     = 8'd1,  // numbers in the catalogue, for the driver
  parameter  logic [7:0]  SequencerId  = 8'd1,
  localparam int unsigned AddrBits     = 16
) (
  input  logic                clk_i,
  input  logic                rst_i,          // synchronous
  output logic                irq_o,          // level, high while an enabled cause is set

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

  output mf_pkg::engine_req_t engine_req_o,
  input  mf_pkg::engine_rsp_t engine_rsp_i,
  output mf_pkg::seq_req_t    seq_req_o,
  input  mf_pkg::seq_rsp_t    seq_rsp_i
);

  localparam int unsigned NumWords     = mf_pkg::words_of(NumBits);
  localparam int unsigned ExpWords     = mf_pkg::words_of(ExpBits);
  localparam int unsigned RegAddrBits  = mf_modexp_regs_pkg::MF_MODEXP_REGS_MIN_ADDR_WIDTH;
  localparam int unsigned WindowWords  = 1024; // address space of one window: 32,768 bits
  localparam int unsigned OpndDepth    = NumWords < 2 ? 2 : NumWords;
  localparam int unsigned ExpDepth     = ExpWords < 2 ? 2 : ExpWords;
  localparam int unsigned WipeWords    = OpndDepth > ExpDepth ? OpndDepth : ExpDepth;
  localparam int unsigned OpndRamBits  = $clog2(OpndDepth);
  localparam int unsigned ExpRamBits   = $clog2(ExpDepth);
  localparam int unsigned WordAddrBits = $clog2(NumWords + 1);
  localparam int unsigned ExpAddrBits  = $clog2(ExpWords + 1);

  if (NumWords > WindowWords || ExpWords > WindowWords) begin : gen_check_window
    $error("NumBits and ExpBits can be 32768 at most, the size of a window.");
  end

  // ---- bus: one request, its answer two cycles later ----
  logic                req_valid, req_write, req_full, rsp_err;
  logic [AddrBits-3:0] req_word;
  logic [31:0]         req_data, rsp_data;

  mf_regs_axil #(.AddrBits(AddrBits)) u_axil (
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
  // Nothing but a request makes the core busy, so this holds in cycle 1 as well.
  typedef enum logic [3:0] {
    RegionRegs = 4'd0, RegionMod = 4'd1, RegionBase = 4'd2, RegionExp = 4'd3, RegionRes = 4'd4
  } region_e;
  logic       busy_q, result_valid_q, in_opnd, in_exp, in_res, allowed, allowed_q;
  logic       reg_req_q, mod_we_q, base_we_q, exp_we_q;
  logic [3:0] region;
  logic [9:0] word;
  assign region  = req_word[13:10];
  assign word    = req_word[9:0];
  assign in_opnd = 32'(word) < NumWords;
  assign in_exp  = 32'(word) < ExpWords;

  always_comb begin
    unique case (region)
      RegionRegs: allowed = word[9:RegAddrBits-2] == '0; // the block itself knows its holes
      RegionMod:  allowed = in_opnd && !busy_q;
      RegionBase: allowed = in_opnd && !busy_q && req_write;
      RegionExp:  allowed = in_exp && !busy_q && req_write;
      RegionRes:  allowed = in_res && result_valid_q && !req_write;
      default:    allowed = 1'b0;
    endcase
    if (req_write && !req_full) allowed = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    allowed_q <= allowed;
    reg_req_q <= req_valid && allowed && region == RegionRegs && !rst_i;
    mod_we_q  <= req_valid && allowed && region == RegionMod && req_write && !rst_i;
    base_we_q <= req_valid && allowed && region == RegionBase && !rst_i;
    exp_we_q  <= req_valid && allowed && region == RegionExp && !rst_i;
  end

  // ---- cycle 1: registers ----
  mf_modexp_regs_pkg::mf_modexp_regs__in_t  to_regs;
  mf_modexp_regs_pkg::mf_modexp_regs__out_t from_regs;
  logic [31:0] reg_rd_data;
  logic        reg_err, reg_rd_ack, reg_rd_err, reg_wr_ack, reg_wr_err;
  logic        unused_stall_wr, unused_stall_rd;

  mf_modexp_regs u_regs (
    .clk                  (clk_i),
    .rst                  (rst_i),
    .s_cpuif_req          (reg_req_q),
    .s_cpuif_req_is_wr    (req_write),
    .s_cpuif_addr         ({word[RegAddrBits-3:0], 2'b00}),
    .s_cpuif_wr_data      (req_data),
    .s_cpuif_wr_biten     ('1),
    .s_cpuif_req_stall_wr (unused_stall_wr), // constant: it never stalls
    .s_cpuif_req_stall_rd (unused_stall_rd),
    .s_cpuif_rd_ack       (reg_rd_ack), // in the cycle of the request, like the error
    .s_cpuif_rd_err       (reg_rd_err),
    .s_cpuif_rd_data      (reg_rd_data),
    .s_cpuif_wr_ack       (reg_wr_ack),
    .s_cpuif_wr_err       (reg_wr_err),
    .hwif_in              (to_regs),
    .hwif_out             (from_regs)
  );
  assign reg_err = (reg_rd_ack && reg_rd_err) || (reg_wr_ack && reg_wr_err)
                 || (busy_q && (from_regs.EXP_BITS.bits.swmod || from_regs.NUM_WORDS.words.swmod));

  // ---- cycle 2: CTRL's pulses, and the answer ----
  logic start_asked, start, zeroize;
  assign zeroize     = from_regs.CTRL.zeroize.value;
  assign start_asked = (from_regs.CTRL.start.value || from_regs.CTRL.setup_only.value) && !zeroize;
  assign start       = start_asked && !busy_q;

  logic        rsp_err_q;
  logic [31:0] rsp_reg_q, rsp_mod_q, rsp_res_q, mod_rd_data, res_rd_data;
  always_ff @(posedge clk_i) begin
    rsp_err_q <= !allowed_q || reg_err;
    rsp_reg_q <= reg_rd_data;
    rsp_mod_q <= mod_rd_data; // a block RAM's output is slow, nothing may follow it
    rsp_res_q <= res_rd_data;
  end
  assign rsp_err  = rsp_err_q || (start_asked && busy_q);
  assign rsp_data = region == RegionMod ? rsp_mod_q : region == RegionRes ? rsp_res_q : rsp_reg_q;

  // ---- wipe of the windows, word by word ----
  logic                         wipe_q;
  logic [$clog2(WipeWords)-1:0] wipe_word_q;
  always_ff @(posedge clk_i) begin
    if (rst_i || zeroize) wipe_q <= 1'b1;
    else if (32'(wipe_word_q) == WipeWords - 1) wipe_q <= 1'b0;
    if (rst_i || zeroize) wipe_word_q <= '0;
    else if (wipe_q) wipe_word_q <= wipe_word_q + 1'b1;
  end

  // ---- exponentiator ----
  // Busy ends one cycle late, and begins in time for the next request.
  logic                    core_busy, core_done, res_we;
  mf_pkg::status_e         core_error;
  logic [WordAddrBits-1:0] opnd_addr, res_addr;
  logic [ExpAddrBits-1:0]  exp_addr;
  logic [31:0]             base_data, exp_data, res_data, exp_bits, setup_cycles;
  logic [63:0]             exp_cycles, total_cycles;
  assign exp_bits = from_regs.EXP_BITS.bits.value;

  // A modulus is set up with its number of words: a new number makes it a new modulus.
  logic mod_changed;
  assign mod_changed = mod_we_q || (from_regs.NUM_WORDS.words.swmod && !busy_q);

  always_ff @(posedge clk_i) busy_q <= rst_i || core_busy || wipe_q || start || zeroize;

  mf_modexp #(
    .NumBits(NumBits), .ExpBits(ExpBits), .RuntimeWords(RuntimeWords), .LoadSum(LoadSum)
  ) u_modexp (
    .clk_i, .rst_i,
    .engine_req_o, .engine_rsp_i, .seq_req_o, .seq_rsp_i,
    .zeroize_i      (zeroize),
    .start_i        (start),
    .setup_only_i   (from_regs.CTRL.setup_only.value),
    .exp_bits_i     (exp_bits[31:16] == '0 ? exp_bits[15:0] : '1),
    .num_words_i    (from_regs.NUM_WORDS.words.value),
    .mod_written_i  (mod_changed),
    .busy_o         (core_busy),
    .done_o         (core_done),
    .error_o        (core_error),
    .opnd_addr_o    (opnd_addr),
    .mod_data_i     (mod_rd_data),
    .base_data_i    (base_data),
    .exp_addr_o     (exp_addr),
    .exp_data_i     (exp_data),
    .res_we_o       (res_we),
    .res_addr_o     (res_addr),
    .res_data_o     (res_data),
    .setup_cycles_o (setup_cycles),
    .exp_cycles_o   (exp_cycles),
    .total_cycles_o (total_cycles)
  );

  // ---- words of the last result: above them are those of a longer one before ----
  if (RuntimeWords) begin : gen_result_words
    logic [15:0] words_q;
    always_ff @(posedge clk_i) if (start) words_q <= from_regs.NUM_WORDS.words.value;
    assign in_res = in_opnd && (words_q == '0 || 16'(word) < words_q);
  end else begin : gen_all_words
    assign in_res = in_opnd;
  end

  // ---- windows ----
  mf_prim_ram_1r1w #(.WidthBits(32), .Depth(OpndDepth)) u_modulus (
    .clk_i,
    .wr_en_i   (mod_we_q || wipe_q),
    .wr_addr_i (wipe_q ? OpndRamBits'(wipe_word_q) : OpndRamBits'(word)),
    .wr_data_i (wipe_q ? '0 : req_data),
    .rd_addr_i (busy_q ? OpndRamBits'(opnd_addr) : OpndRamBits'(word)),
    .rd_data_o (mod_rd_data)
  );
  mf_prim_ram_1r1w #(.WidthBits(32), .Depth(OpndDepth)) u_base (
    .clk_i,
    .wr_en_i   (base_we_q || wipe_q),
    .wr_addr_i (wipe_q ? OpndRamBits'(wipe_word_q) : OpndRamBits'(word)),
    .wr_data_i (wipe_q ? '0 : req_data),
    .rd_addr_i (OpndRamBits'(opnd_addr)),
    .rd_data_o (base_data)
  );
  mf_prim_ram_1r1w #(.WidthBits(32), .Depth(ExpDepth)) u_exponent (
    .clk_i,
    .wr_en_i   (exp_we_q || wipe_q),
    .wr_addr_i (wipe_q ? ExpRamBits'(wipe_word_q) : ExpRamBits'(word)),
    .wr_data_i (wipe_q ? '0 : req_data),
    .rd_addr_i (ExpRamBits'(exp_addr)),
    .rd_data_o (exp_data)
  );
  mf_prim_ram_1r1w #(.WidthBits(32), .Depth(OpndDepth)) u_result (
    .clk_i,
    .wr_en_i   (res_we || wipe_q),
    .wr_addr_i (wipe_q ? OpndRamBits'(wipe_word_q) : OpndRamBits'(res_addr)),
    .wr_data_i (wipe_q ? '0 : res_data),
    .rd_addr_i (OpndRamBits'(word)),
    .rd_data_o (res_rd_data)
  );

  // ---- status ----
  logic done_q, modulus_valid_q, setup_only_q;
  always_ff @(posedge clk_i) begin
    if (rst_i || zeroize || start) begin
      done_q         <= 1'b0;
      result_valid_q <= 1'b0;
    end else if (core_done) begin
      done_q         <= 1'b1;
      result_valid_q <= core_error == mf_pkg::StatusOk && !setup_only_q;
    end
    // A refused base means that the modulus before it was accepted.
    if (rst_i || zeroize || mod_changed) modulus_valid_q <= 1'b0;
    else if (core_done && core_error inside {mf_pkg::StatusOk, mf_pkg::StatusOperand})
      modulus_valid_q <= 1'b1;
    if (start) setup_only_q <= from_regs.CTRL.setup_only.value;
  end

  always_comb begin
    to_regs.exp_bits_max                  = 32'(ExpBits);
    to_regs.CAPABILITY.engine.next        = EngineId;
    to_regs.CAPABILITY.sequencer.next     = SequencerId;
    to_regs.CAPABILITY.lanes.next         = 2'(NumLanes);
    to_regs.NUM_BITS.bits.next            = 32'(NumBits);
    to_regs.EXP_BITS_MAX.bits.next        = 32'(ExpBits);
    to_regs.STATUS.busy.next              = busy_q;
    to_regs.STATUS.done.next              = done_q;
    to_regs.STATUS.modulus_valid.next     = modulus_valid_q;
    to_regs.STATUS.result_valid.next      = result_valid_q;
    to_regs.STATUS.error.next             = core_error;
    to_regs.IRQ_STATUS.done.next          = core_done;
    to_regs.EXP_BITS.bits.swwel           = busy_q;
    to_regs.NUM_WORDS.words.swwel         = busy_q;
    to_regs.CAPABILITY.runtime_words.next = RuntimeWords;
    to_regs.SETUP_CYCLES.cycles.next      = setup_cycles;
    to_regs.EXP_CYCLES_LO.cycles.next     = exp_cycles[31:0];
    to_regs.EXP_CYCLES_HI.cycles.next     = exp_cycles[63:32];
    to_regs.TOTAL_CYCLES_LO.cycles.next   = total_cycles[31:0];
    to_regs.TOTAL_CYCLES_HI.cycles.next   = total_cycles[63:32];
  end
  assign irq_o = from_regs.IRQ_STATUS.intr;

  // Word counters of the exponentiator reach one word past the windows, which is never used.
  logic unused_bits;
  assign unused_bits = &{1'b0, opnd_addr, res_addr, exp_addr};

endmodule
