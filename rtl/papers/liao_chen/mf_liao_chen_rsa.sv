// SPDX-License-Identifier: Apache-2.0
/// The paper's RSA decryption with CRT, complete: mf_liao_chen_crt, two engines, two sequencers.
///
/// NOT FOR KEYS: no blinding, no check of the result, nothing is wiped. The RSA core is rtl/rsa.
///
/// Source   [LIAO24] Table 7 with Montgomery = 0, Table 8 with Montgomery = 1.
/// Model    modfab.models.paper_crt.decrypt.
/// Latency  that of mf_liao_chen_crt.
/// Assumes  what mf_liao_chen_crt assumes.
/// Ensures  what mf_liao_chen_crt ensures.
module mf_liao_chen_rsa #(
  parameter int unsigned HalfBits   = 128,  // bits of p and of q, 16..1024
  parameter bit          Montgomery = 1'b1  // engine: 1 bit_serial, 0 mod_product
) (
  input  logic                  clk_i,
  input  logic                  rst_i,   // synchronous; the engines wipe their slots afterwards
  input  logic                  start_i, // pulse while busy_o is low
  input  logic [HalfBits-1:0]   p_i,     // operands, with start_i
  input  logic [HalfBits-1:0]   q_i,
  input  logic [2*HalfBits-1:0] d_i,
  input  logic [2*HalfBits-1:0] y_i,
  output logic                  busy_o,
  output logic                  done_o,  // pulse
  output mf_pkg::status_e       error_o, // from done_o on
  output logic [2*HalfBits-1:0] x_o      // from done_o on
);

  if (HalfBits < 16 || HalfBits > 1024) begin : gen_check_bits
    $error("mf_liao_chen_rsa: HalfBits must be 16..1024");
  end

  mf_pkg::engine_req_t [1:0] engine_req;
  mf_pkg::engine_rsp_t [1:0] engine_rsp;
  mf_pkg::seq_req_t    [1:0] seq_req;
  mf_pkg::seq_rsp_t    [1:0] seq_rsp;

  mf_liao_chen_crt #(.HalfBits(HalfBits)) u_crt (
    .clk_i, .rst_i, .start_i, .p_i, .q_i, .d_i, .y_i, .busy_o, .done_o, .error_o, .x_o,
    .engine_req_o(engine_req), .engine_rsp_i(engine_rsp),
    .seq_req_o(seq_req), .seq_rsp_i(seq_rsp)
  );

  for (genvar half = 0; half < 2; half++) begin : gen_half
    if (Montgomery) begin : gen_engine
      mf_mul_bit_serial #(.NumBits(HalfBits)) u_engine (
        .clk_i, .rst_i,
        .zeroize_i   (engine_req[half].zeroize),
        .cmd_valid_i (engine_req[half].cmd_valid),
        .cmd_ready_o (engine_rsp[half].cmd_ready),
        .cmd_i       (engine_req[half].cmd),
        .in_valid_i  (engine_req[half].in_valid),
        .in_ready_o  (engine_rsp[half].in_ready),
        .in_data_i   (engine_req[half].in_data),
        .out_valid_o (engine_rsp[half].out_valid),
        .out_ready_i (engine_req[half].out_ready),
        .out_data_o  (engine_rsp[half].out_data),
        .busy_o      (engine_rsp[half].busy),
        .status_o    (engine_rsp[half].status)
      );
    end else begin : gen_engine
      mf_mul_mod_product #(.NumBits(HalfBits)) u_engine (
        .clk_i, .rst_i,
        .zeroize_i   (engine_req[half].zeroize),
        .cmd_valid_i (engine_req[half].cmd_valid),
        .cmd_ready_o (engine_rsp[half].cmd_ready),
        .cmd_i       (engine_req[half].cmd),
        .in_valid_i  (engine_req[half].in_valid),
        .in_ready_o  (engine_rsp[half].in_ready),
        .in_data_i   (engine_req[half].in_data),
        .out_valid_o (engine_rsp[half].out_valid),
        .out_ready_i (engine_req[half].out_ready),
        .out_data_o  (engine_rsp[half].out_data),
        .busy_o      (engine_rsp[half].busy),
        .status_o    (engine_rsp[half].status)
      );
    end

    logic [$clog2(mf_pkg::words_of(HalfBits)+1)-1:0] exp_addr;
    assign seq_rsp[half].exp_addr = 16'(exp_addr);

    mf_exp_r2l #(.ExpBits(HalfBits)) u_sequencer (
      .clk_i,
      .rst_i       (seq_req[half].rst),
      .start_i     (seq_req[half].start),
      .exp_bits_i  (seq_req[half].exp_bits),
      .exp_addr_o  (exp_addr),
      .exp_data_i  (seq_req[half].exp_data),
      .cmd_valid_o (seq_rsp[half].cmd_valid),
      .cmd_ready_i (seq_req[half].cmd_ready),
      .cmd_o       (seq_rsp[half].cmd),
      .done_o      (seq_rsp[half].done)
    );
  end

endmodule
