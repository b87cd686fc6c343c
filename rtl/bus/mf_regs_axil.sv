// SPDX-License-Identifier: Apache-2.0
/// AXI4-Lite front end: turns the five channels into one register request at a time.
///
/// Source   Arm IHI 0022, AMBA AXI and ACE protocol specification, part B. Port names of the bus
///          are the ones that IP packagers recognise. Protection bits are not used and have no
///          port.
/// Model    modfab.host.transport_model (values only).
/// Latency  a read: RVALID is high RspCycles + 4 cycles after ARVALID was first. A write: BVALID as
///          long after the later of AWVALID and WVALID. Reads and writes that wait take turns.
/// Assumes  rsp_err_i and rsp_data_i belong to the request of RspCycles cycles before.
/// Ensures  every output is a register; a stalled B does not hold up reads, a stalled R does not
///          hold up writes; address and data of a write may come in any order; two requests are at
///          least RspCycles + 3 cycles apart. Proved in formal/mf_regs_axil (2 and 4).
module mf_regs_axil #(
  parameter int unsigned AddrBits  = 16, // bits of the byte address, 3..32
  parameter int unsigned RspCycles = 2   // from a request to its response, 2..5
) (
  input  logic                clk_i,
  input  logic                rst_i,

  input  logic [AddrBits-1:0] s_axi_awaddr,  // the two low bits are ignored
  input  logic                s_axi_awvalid,
  output logic                s_axi_awready,
  input  logic [31:0]         s_axi_wdata,
  input  logic [3:0]          s_axi_wstrb,
  input  logic                s_axi_wvalid,
  output logic                s_axi_wready,
  output logic [1:0]          s_axi_bresp,
  output logic                s_axi_bvalid,
  input  logic                s_axi_bready,
  input  logic [AddrBits-1:0] s_axi_araddr,  // the two low bits are ignored
  input  logic                s_axi_arvalid,
  output logic                s_axi_arready,
  output logic [31:0]         s_axi_rdata,
  output logic [1:0]          s_axi_rresp,
  output logic                s_axi_rvalid,
  input  logic                s_axi_rready,

  output logic                req_valid_o,   // pulse; the signals below stay until the response
  output logic                req_write_o,
  output logic [AddrBits-3:0] req_word_o,    // address in words
  output logic [31:0]         req_data_o,
  output logic                req_full_o,    // all four bytes are written
  input  logic                rsp_err_i,
  input  logic [31:0]         rsp_data_i
);

  localparam logic [1:0] RespOkay   = 2'b00;
  localparam logic [1:0] RespSlvErr = 2'b10;

  // ---- one register per incoming channel; ready is high while it is empty ----
  logic                aw_take, w_take, ar_take, write_done, read_done;
  logic [AddrBits-3:0] aw_word_q, ar_word_q;
  logic [3:0]          w_strb_q;
  assign aw_take = s_axi_awvalid && s_axi_awready;
  assign w_take  = s_axi_wvalid && s_axi_wready;
  assign ar_take = s_axi_arvalid && s_axi_arready;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      s_axi_awready <= 1'b1;
      s_axi_wready  <= 1'b1;
      s_axi_arready <= 1'b1;
    end else begin
      s_axi_awready <= write_done || (s_axi_awready && !aw_take);
      s_axi_wready  <= write_done || (s_axi_wready && !w_take);
      s_axi_arready <= read_done || (s_axi_arready && !ar_take);
    end
    if (aw_take) aw_word_q <= s_axi_awaddr[AddrBits-1:2];
    if (ar_take) ar_word_q <= s_axi_araddr[AddrBits-1:2];
    if (w_take) begin
      req_data_o <= s_axi_wdata;
      w_strb_q   <= s_axi_wstrb;
    end
  end

  // ---- one request at a time: idle, request (decoded), access, response, its answer ----
  // A write is picked first, but its own response keeps the next one away for at least one pick, so
  // that reads and writes take turns.
  typedef enum logic [2:0] {StIdle, StReq, StAccess, StRsp, StAnswer} state_e;
  state_e state_q;
  logic   can_write, can_read, err_q, due; // due: StAccess ends
  assign can_write  = !s_axi_awready && !s_axi_wready && !s_axi_bvalid;
  assign can_read   = !s_axi_arready && !s_axi_rvalid;
  assign write_done = state_q == StAnswer && req_write_o;
  assign read_done  = state_q == StAnswer && !req_write_o;

  assign req_valid_o = state_q == StReq;
  assign req_full_o  = w_strb_q == 4'b1111;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StIdle;
    end else begin
      unique case (state_q)
        StIdle:   if (can_write || can_read) state_q <= StReq;
        StReq:    state_q <= StAccess;
        StAccess: if (due) state_q <= StRsp;
        StRsp:    state_q <= StAnswer;
        default:  state_q <= StIdle;
      endcase
    end
    if (state_q == StIdle) begin
      req_write_o <= can_write;
      req_word_o  <= can_write ? aw_word_q : ar_word_q;
    end
  end

  // ---- a response of more than two cycles: StAccess lasts RspCycles - 1 ----
  if (RspCycles < 2 || RspCycles > 5) begin : gen_check_cycles
    $error("mf_regs_axil: 2..5 cycles from a request to its response");
  end
  if (RspCycles > 2) begin : gen_wait
    logic [RspCycles-3:0] wait_q; // cycles of StAccess that are over
    always_ff @(posedge clk_i) begin
      wait_q <= (RspCycles-2)'({wait_q, 1'b1});
      if (state_q != StAccess) wait_q <= '0;
    end
    assign due = wait_q[RspCycles-3];
  end else begin : gen_at_once
    assign due = 1'b1;
  end

  // ---- responses wait for their own channel only ----
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      s_axi_bvalid <= 1'b0;
      s_axi_rvalid <= 1'b0;
    end else begin
      s_axi_bvalid <= write_done || (s_axi_bvalid && !s_axi_bready);
      s_axi_rvalid <= read_done || (s_axi_rvalid && !s_axi_rready);
    end
    err_q <= rsp_err_i;
    if (state_q == StRsp && !req_write_o) s_axi_rdata <= rsp_data_i;
    if (write_done) s_axi_bresp <= err_q ? RespSlvErr : RespOkay;
    if (read_done) begin
      s_axi_rresp <= err_q ? RespSlvErr : RespOkay;
      if (err_q) s_axi_rdata <= '0;
    end
  end

  logic unused_bits;
  assign unused_bits = &{1'b0, s_axi_awaddr[1:0], s_axi_araddr[1:0]};

endmodule
