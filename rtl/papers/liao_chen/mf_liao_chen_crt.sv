// SPDX-License-Identifier: Apache-2.0
/// y^d mod p q as a paper counts it: d mod p - 1 and q - 1, y mod p and q, and the inverse of q are
/// derived for every message, both exponentiations run at the same time by the binary method.
///
/// NOT FOR KEYS: no blinding, no check of the result, nothing is wiped. The RSA core is rtl/rsa.
///
/// Source   [LIAO24] Algorithms 5 and 6; space-time diagram in README.md beside this file.
/// Model    modfab.models.paper_crt.decrypt.
/// Latency  start_i to done_o: modfab.models.paper_crt.decrypt_cycles, the same for every message
///          and key unless the inverse takes longer than the exponentiations.
/// Assumes  start_i only while busy_o is low; p and q are different primes with the highest of
///          HalfBits bits set, d below 2^(2*HalfBits), y below p q.
/// Ensures  with done_o: error_o = StatusOk and x_o = y^d mod p q until the next start_i; or why
///          not: what the engines say of p and q, or StatusOperand where q has no inverse.
module mf_liao_chen_crt #(
  parameter int unsigned HalfBits = 128 // bits of p and of q, 16 or more
) (
  input  logic                      clk_i,
  input  logic                      rst_i,
  input  logic                      start_i,      // pulse
  input  logic [HalfBits-1:0]       p_i,          // operands, with start_i
  input  logic [HalfBits-1:0]       q_i,
  input  logic [2*HalfBits-1:0]     d_i,
  input  logic [2*HalfBits-1:0]     y_i,
  output logic                      busy_o,
  output logic                      done_o,       // pulse
  output mf_pkg::status_e           error_o,
  output logic [2*HalfBits-1:0]     x_o,

  output mf_pkg::engine_req_t [1:0] engine_req_o, // [0] modulo p, [1] modulo q
  input  mf_pkg::engine_rsp_t [1:0] engine_rsp_i,
  output mf_pkg::seq_req_t    [1:0] seq_req_o,
  input  mf_pkg::seq_rsp_t    [1:0] seq_rsp_i
);

  localparam int unsigned NumWords  = mf_pkg::words_of(HalfBits);
  localparam int unsigned AddrBits  = $clog2(NumWords + 1);
  localparam int unsigned CountBits = $clog2(2*HalfBits + 1);

  typedef logic [HalfBits-1:0]       half_t;
  typedef logic [NumWords-1:0][31:0] words_t;
  typedef enum logic [2:0] {
    StIdle, StReduce, StPower, StDiff, StTimes, StSign, StPlus, StEnd
  } state_e;

  state_e                state_q;
  logic [CountBits-1:0]  count_q;          // bits that are left in a state
  logic                  kick_q;           // first cycle of StReduce or StPower
  logic [1:0][HalfBits-1:0] prime_q;       // p, q
  logic [2*HalfBits-1:0] d_q, y_q;         // shifted out, the highest bit first
  words_t [1:0]          power_q;          // m_p, m_q
  logic                  negative_q;       // m_p < m_q
  mf_pkg::status_e       error_q;

  // ---- d mod p - 1, y mod p, and the same for q; primes are odd ----
  half_t [1:0] base, exponent;
  logic        begin_now, count_end, reduce_step;
  assign begin_now   = state_q == StIdle && start_i;
  assign count_end   = count_q == '0;
  assign reduce_step = state_q == StReduce && !count_end;

  for (genvar half = 0; half < 2; half++) begin : gen_reduce
    mf_liao_chen_rem #(.NumBits(HalfBits)) u_message (
      .clk_i, .clear_i(begin_now), .step_i(reduce_step), .bit_i(y_q[2*HalfBits-1]),
      .divisor_i(prime_q[half]), .rem_o(base[half])
    );
    mf_liao_chen_rem #(.NumBits(HalfBits)) u_exponent (
      .clk_i, .clear_i(begin_now), .step_i(reduce_step), .bit_i(d_q[2*HalfBits-1]),
      .divisor_i({prime_q[half][HalfBits-1:1], 1'b0}), .rem_o(exponent[half])
    );
  end

  // ---- both exponentiations ----
  logic            [1:0] power_busy;
  mf_pkg::status_e [1:0] power_error;
  for (genvar half = 0; half < 2; half++) begin : gen_power
    words_t              prime_words, base_words, exp_words;
    logic [AddrBits-1:0] opnd_addr, exp_addr, res_addr;
    logic [31:0]         prime_data_q, base_data_q, exp_data_q, res_data;
    logic                res_we, done;
    logic [31:0]         setup_cycles;
    logic [63:0]         exp_cycles, total_cycles;
    assign prime_words = (32*NumWords)'(prime_q[half]);
    assign base_words  = (32*NumWords)'(base[half]);
    assign exp_words   = (32*NumWords)'(exponent[half]);

    always_ff @(posedge clk_i) begin
      for (int unsigned word = 0; word < NumWords; word++) begin
        if (opnd_addr == AddrBits'(word)) begin
          prime_data_q <= prime_words[word];
          base_data_q  <= base_words[word];
        end
        if (exp_addr == AddrBits'(word)) exp_data_q <= exp_words[word];
        if (res_we && res_addr == AddrBits'(word)) power_q[half][word] <= res_data;
      end
    end

    mf_modexp #(
      .NumBits(HalfBits), .ExpBits(HalfBits)
    ) u_modexp (
      .clk_i, .rst_i,
      .zeroize_i      (1'b0),
      .start_i        (kick_q),
      .setup_only_i   (state_q == StReduce),
      .exp_bits_i     (16'(HalfBits)),
      .num_words_i    (16'd0),
      .mod_written_i  (1'b0), // StReduce always loads the modulus
      .busy_o         (power_busy[half]),
      .done_o         (done),
      .error_o        (power_error[half]),
      .opnd_addr_o    (opnd_addr),
      .mod_data_i     (prime_data_q),
      .base_data_i    (base_data_q),
      .exp_addr_o     (exp_addr),
      .exp_data_i     (exp_data_q),
      .res_we_o       (res_we),
      .res_addr_o     (res_addr),
      .res_data_o     (res_data),
      .setup_cycles_o (setup_cycles),
      .exp_cycles_o   (exp_cycles),
      .total_cycles_o (total_cycles),
      .engine_req_o   (engine_req_o[half]),
      .engine_rsp_i   (engine_rsp_i[half]),
      .seq_req_o      (seq_req_o[half]),
      .seq_rsp_i      (seq_rsp_i[half])
    );

    logic unused_counters;
    assign unused_counters = &{1'b0, done, setup_cycles, exp_cycles, total_cycles};
  end

  // ---- 1 / q mod p, beside them ----
  logic  inverse_done, inverse_found;
  half_t inverse;
  mf_liao_chen_inverse #(.NumBits(HalfBits)) u_inverse (
    .clk_i, .rst_i,
    .start_i   (kick_q && state_q == StReduce),
    .p_i       (prime_q[0]),
    .q_i       (prime_q[1]),
    .done_o    (inverse_done),
    .found_o   (inverse_found),
    .inverse_o (inverse)
  );

  // ---- h = |m_p - m_q| * q_inv mod p, its complement where m_p < m_q, and m_q + h * q ----
  half_t m_p, m_q, distance, product, h;
  logic  negative;
  assign m_p      = HalfBits'(power_q[0]);
  assign m_q      = HalfBits'(power_q[1]);
  assign negative = m_p < m_q;
  assign distance = negative ? m_q - m_p : m_p - m_q;                        // ct-ok: a mux
  assign h        = negative_q && product != '0 ? prime_q[0] - product : product; // ct-ok: a mux

  mf_liao_chen_modmul #(.NumBits(HalfBits)) u_modmul (
    .clk_i, .load_i(state_q == StDiff), .step_i(state_q == StTimes),
    .a_i(distance), .b_i(inverse), .m_i(prime_q[0]), .product_o(product)
  );
  mf_liao_chen_muladd #(.NumBits(HalfBits)) u_muladd (
    .clk_i, .load_i(state_q == StSign), .step_i(state_q == StPlus),
    .a_i(m_q), .b_i(h), .c_i(prime_q[1]), .sum_o(x_o)
  );

  // ---- control ----
  logic            halves_idle;
  mf_pkg::status_e halves_error;
  assign halves_idle  = !kick_q && power_busy == '0;
  assign halves_error = power_error[0] != mf_pkg::StatusOk ? power_error[0] : power_error[1];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StIdle;
      kick_q  <= 1'b0;
      error_q <= mf_pkg::StatusNoModulus;
    end else begin
      kick_q <= 1'b0;
      unique case (state_q)
        StIdle: if (start_i) begin
          state_q <= StReduce;
          kick_q  <= 1'b1;
        end
        StReduce: if (count_end && halves_idle) begin
          state_q <= halves_error == mf_pkg::StatusOk ? StPower : StEnd;
          kick_q  <= halves_error == mf_pkg::StatusOk;
          error_q <= halves_error;
        end
        StPower: if (halves_idle && inverse_done) begin
          state_q <= inverse_found ? StDiff : StEnd;
          if (!inverse_found) error_q <= mf_pkg::StatusOperand;
        end
        StDiff:  state_q <= StTimes;
        StTimes: if (count_end) state_q <= StSign;
        StSign:  state_q <= StPlus;
        StPlus:  if (count_end) state_q <= StEnd;
        default: state_q <= StIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (begin_now) begin
      prime_q <= {q_i, p_i};
      d_q     <= d_i;
      y_q     <= y_i;
    end else if (reduce_step) begin
      d_q <= d_q << 1;
      y_q <= y_q << 1;
    end
    if (state_q == StDiff) negative_q <= negative;
    if (begin_now)                         count_q <= CountBits'(2*HalfBits);
    else if (state_q inside {StDiff, StSign}) count_q <= CountBits'(HalfBits - 1);
    else if (!count_end)                   count_q <= count_q - CountBits'(1);
  end

  assign busy_o  = state_q != StIdle || power_busy != '0; // also while the engines wipe
  assign done_o  = state_q == StEnd;
  assign error_o = error_q;

endmodule
