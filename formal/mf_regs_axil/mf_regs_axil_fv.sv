// SPDX-License-Identifier: Apache-2.0
/// Proof obligations of mf_regs_axil under any behaviour of a bus master.
///
/// Source   modfab.
/// Model    none: properties only.
/// Latency  none.
/// Assumes  nothing but one cycle of reset at the beginning; the master may even withdraw a valid.
/// Ensures  every accepted access is answered once, within MaxWait cycles of its channel being
///          free; no answer comes unasked, none changes or vanishes before it is taken; a request
///          carries the accepted address and data; a response carries what the access gave.
module mf_regs_axil_fv #(
  parameter int unsigned RspCycles = 2 // of the front end
) (
  input logic        clk_i,
  input logic        rst_i,
  input logic [3:0]  s_axi_awaddr,
  input logic        s_axi_awvalid,
  input logic [31:0] s_axi_wdata,
  input logic [3:0]  s_axi_wstrb,
  input logic        s_axi_wvalid,
  input logic        s_axi_bready,
  input logic [3:0]  s_axi_araddr,
  input logic        s_axi_arvalid,
  input logic        s_axi_rready,
  input logic        rsp_err_i,
  input logic [31:0] rsp_data_i
);

  localparam int unsigned Access = RspCycles + 3;  // from one request to the next
  localparam logic [3:0] MaxWait = 4'(2 * Access); // its own and one of the other kind before it

  logic        s_axi_awready, s_axi_wready, s_axi_bvalid, s_axi_arready, s_axi_rvalid;
  logic [1:0]  s_axi_bresp, s_axi_rresp;
  logic [31:0] s_axi_rdata, req_data_o;
  logic        req_valid_o, req_write_o, req_full_o;
  logic [1:0]  req_word_o;
  mf_regs_axil #(.AddrBits(4), .RspCycles(RspCycles)) dut (.*);

  // ---- requests accepted and not yet answered ----
  logic        aw_take, w_take, ar_take, b_take, r_take;
  logic [1:0]  aw_open_q, w_open_q, ar_open_q; // accepted and not answered
  logic [1:0]  aw_word_q, ar_word_q;
  logic [31:0] w_data_q;
  logic [3:0]  w_strb_q;
  assign aw_take = s_axi_awvalid && s_axi_awready;
  assign w_take  = s_axi_wvalid && s_axi_wready;
  assign ar_take = s_axi_arvalid && s_axi_arready;
  assign b_take  = s_axi_bvalid && s_axi_bready;
  assign r_take  = s_axi_rvalid && s_axi_rready;

  logic [3:0]  write_wait_q, read_wait_q, since_req_q;
  logic        write_waits, read_waits;
  logic        b_stays_q, r_stays_q, live_q;
  logic [1:0]  b_resp_q, r_resp_q;
  logic [31:0] r_data_q;
  logic        rsp_err_q, rsp_err_qq;
  logic [31:0] rsp_data_q, rsp_data_qq;
  assign write_waits = !s_axi_awready && !s_axi_wready && !s_axi_bvalid;
  assign read_waits  = !s_axi_arready && !s_axi_rvalid;

  initial live_q = 1'b0; // no property is asked for before the reset
  always_ff @(posedge clk_i) begin
    live_q <= live_q || rst_i;
    if (rst_i) begin
      aw_open_q    <= '0;
      w_open_q     <= '0;
      ar_open_q    <= '0;
      write_wait_q <= '0;
      read_wait_q  <= '0;
      since_req_q  <= '1;
      b_stays_q    <= 1'b0;
      r_stays_q    <= 1'b0;
    end else begin
      aw_open_q    <= aw_open_q + 2'(aw_take) - 2'(b_take);
      w_open_q     <= w_open_q + 2'(w_take) - 2'(b_take);
      ar_open_q    <= ar_open_q + 2'(ar_take) - 2'(r_take);
      write_wait_q <= write_waits ? write_wait_q + 4'd1 : '0;
      read_wait_q  <= read_waits ? read_wait_q + 4'd1 : '0;
      since_req_q  <= req_valid_o ? '0 : since_req_q == '1 ? '1 : since_req_q + 4'd1;
      b_stays_q    <= s_axi_bvalid && !s_axi_bready;
      r_stays_q    <= s_axi_rvalid && !s_axi_rready;
    end
    if (aw_take) aw_word_q <= s_axi_awaddr[3:2];
    if (ar_take) ar_word_q <= s_axi_araddr[3:2];
    if (w_take) begin
      w_data_q <= s_axi_wdata;
      w_strb_q <= s_axi_wstrb;
    end
    b_resp_q   <= s_axi_bresp;
    r_resp_q   <= s_axi_rresp;
    r_data_q   <= s_axi_rdata;
    rsp_err_q   <= rsp_err_i;
    rsp_data_q  <= rsp_data_i;
    rsp_err_qq  <= rsp_err_q;
    rsp_data_qq <= rsp_data_q;
  end

  always_comb begin
    if (live_q) begin
      // Each accepted access is waiting or is being answered, once.
      count_aw: assert (aw_open_q == 2'(!s_axi_awready) + 2'(s_axi_bvalid));
      count_w:  assert (w_open_q == 2'(!s_axi_wready) + 2'(s_axi_bvalid));
      count_ar: assert (ar_open_q == 2'(!s_axi_arready) + 2'(s_axi_rvalid));
      // Held requests equal the accepted ones.
      if (!s_axi_awready) keep_aw: assert (dut.aw_word_q == aw_word_q);
      if (!s_axi_arready) keep_ar: assert (dut.ar_word_q == ar_word_q);
      if (!s_axi_wready) keep_w: assert (req_data_o == w_data_q && dut.w_strb_q == w_strb_q);
      // No hang.
      wait_write: assert (write_wait_q <= MaxWait);
      wait_read:  assert (read_wait_q <= MaxWait);
      // Answers stay until they are taken.
      if (b_stays_q) stay_b: assert (s_axi_bvalid && s_axi_bresp == b_resp_q);
      if (r_stays_q) stay_r: assert (s_axi_rvalid && s_axi_rresp == r_resp_q
                                     && s_axi_rdata == r_data_q);
      // Requests equal the accepted ones, with the minimum distance.
      if (req_valid_o) begin
        apart: assert (since_req_q >= 4'd4);
        if (req_write_o) begin
          write_asked: assert (write_waits && req_word_o == aw_word_q && req_data_o == w_data_q
                               && req_full_o == (w_strb_q == '1));
        end else begin
          read_asked: assert (read_waits && req_word_o == ar_word_q);
        end
      end
      // Responses: what the access gave RspCycles after its request.
      if (s_axi_bvalid && !b_stays_q && since_req_q == 4'(RspCycles + 1))
        answer_b: assert (s_axi_bresp == {rsp_err_qq, 1'b0});
      if (s_axi_rvalid && !r_stays_q && since_req_q == 4'(RspCycles + 1))
        answer_r: assert (s_axi_rresp == {rsp_err_qq, 1'b0}
                          && s_axi_rdata == (rsp_err_qq ? '0 : rsp_data_qq));
    end
  end

endmodule
