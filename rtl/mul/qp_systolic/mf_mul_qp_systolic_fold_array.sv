// SPDX-License-Identifier: Apache-2.0
/// The folded array: element p does one step of the recurrence, digit after digit, and hands its
/// sums to element p + 1, which does the next step two cycles behind.
///
/// Source   [ORUP95] quotient pipelining; README.md beside this file.
/// Model    modfab.models.mul_qp_systolic_fold.
/// Latency  With c the cycle in which digit 0 of a pass is at s_i, element p sees digit j in cycle
///          c + 2p + j, and s_o gives it in cycle c + 2 * NumElements + j.
/// Assumes  the cycles given beside the ports; digits of y and mh below 2^DigitBits.
/// Ensures  s <- floor(s / 2^w) + (s of the digit above mod 2^w) + q * mh + x * y in every step;
///          mf_mul_qp_systolic_fold_step has the bound.
module mf_mul_qp_systolic_fold_array #(
  parameter int unsigned NumElements = 8,  // elements, P
  parameter int unsigned DigitBits   = 18, // bits of a digit, w
  parameter int unsigned QuotientDelay = 1, // steps from a quotient digit to its product, D
  parameter int unsigned MulStages   = 3,  // registers of a product, M = 3 .. D + 2
  localparam int unsigned SumBits    = 2 * DigitBits + 2
) (
  input  logic                 clk_i,
  // ---- into element 0; c is the cycle of digit 0 of the pass at s_i, b = c - M ----
  input  logic [DigitBits-1:0] x_i,       // digit of x for element p in cycle b + p
  input  logic [DigitBits-1:0] y_i,       // digit j of y in cycle b + j
  input  logic [DigitBits-1:0] m_i,       // digit j of mh in cycle b + 1 + j
  input  logic [DigitBits-1:0] q_i,       // quotient digit of element p < D in cycle b + 1 + 2p
  input  logic [SumBits-1:0]   s_i,       // sum of digit j in cycle c + j: {high, carry, low}
  input  logic                 first_i,   // cycle b - 1
  input  logic                 lane_i,    // with first_i: lane of the pass
  input  logic                 final_i,   // with first_i: the pass ends its product
  input  logic                 last_i,    // cycle c + number of digits
  // ---- out of the last element; d = c + 2 * NumElements ----
  output logic [QuotientDelay-1:0][DigitBits-1:0] q_o, // incoming digits of the last D elements:
                                          // the k-th is a quotient digit in cycle d - 2 (D - k)
  output logic [SumBits-1:0]   s_o,       // sum of digit j in cycle d + j
  output logic [QuotientDelay-1:0] take_q_o, // in these cycles
  output logic [QuotientDelay-1:0] take_q_lane_o,
  output logic                 first_o,   // cycle d - 1
  output logic                 lane_o,
  output logic                 final_o
);

  localparam int unsigned Walk   = 2 * NumElements + MulStages; // cycles from first_i to first_o
  localparam int unsigned QLag   = 2 * QuotientDelay + 1 - MulStages; // cycles in which a quotient
                                   // digit walks on, an element in each and the rest at the end
  localparam int unsigned Inside = MulStages - 1; // registers inside a multiplier

  typedef logic [DigitBits-1:0]   digit_t;
  typedef logic [2*DigitBits-1:0] product_t;

  // ---- moving right: *_at[0] is the input, each further place one cycle later ----
  logic [NumElements:0][DigitBits-1:0]   x_at;
  logic [NumElements:1][DigitBits-1:0]   x_q;
  logic [2*NumElements:0][DigitBits-1:0] y_at, m_at;
  logic [2*NumElements:1][DigitBits-1:0] y_q, m_q;
  logic [2*NumElements:0]                last_at;
  logic [2*NumElements:1]                last_q;
  logic [Walk:0]                         first_at, lane_at, final_at;
  logic [Walk:1]                         first_q, lane_q, final_q;
  logic [NumElements:0][SumBits-1:0]     s_at; // input sum of element p
  logic [NumElements:1][SumBits-1:0]     s_q;

  assign x_at     = {x_q, x_i};
  assign y_at     = {y_q, y_i};
  assign m_at     = {m_q, m_i};
  assign last_at  = {last_q, last_i};
  assign first_at = {first_q, first_i};
  assign lane_at  = {lane_q, lane_i};
  assign final_at = {final_q, final_i};
  assign s_at     = {s_q, s_i};
  always_ff @(posedge clk_i) begin
    x_q     <= x_at[NumElements-1:0];
    y_q     <= y_at[2*NumElements-1:0];
    m_q     <= m_at[2*NumElements-1:0];
    last_q  <= last_at[2*NumElements-1:0];
    first_q <= first_at[Walk-1:0];
    lane_q  <= lane_at[Walk-1:0];
    final_q <= final_at[Walk-1:0];
  end

  for (genvar k = 0; k < int'(QuotientDelay); k++) begin : gen_take
    localparam int unsigned Before = QuotientDelay - 32'(k);
    assign q_o[k]           = s_at[NumElements-Before][DigitBits-1:0];
    assign take_q_o[k]      = first_at[Walk+1-2*Before];
    assign take_q_lane_o[k] = lane_at[Walk+1-2*Before];
  end
  assign s_o           = s_at[NumElements];
  assign first_o       = first_at[Walk];
  assign lane_o        = lane_at[Walk];
  assign final_o       = final_at[Walk];

  logic unused_ends; // outputs of the last element to the right
  assign unused_ends = ^{x_at[NumElements], y_at[2*NumElements:2*NumElements-1],
                         m_at[2*NumElements:2*NumElements-1],
                         last_at[2*NumElements:2*NumElements-1]};

  for (genvar p = 0; p < int'(NumElements); p++) begin : gen_element
    digit_t             q_new;
    product_t           px, pq, px_q, pq_q, u, u_q;
    logic [SumBits-1:0] s;

    // The quotient digit is digit 0 of the sum that element p - D received QLag cycles ago.
    if (p < int'(QuotientDelay)) begin : gen_q_head
      assign q_new = q_i;
    end else if (QLag == 0) begin : gen_q
      assign q_new = s_at[p-QuotientDelay][DigitBits-1:0];
    end else begin : gen_q_walk
      logic [QLag:1][DigitBits-1:0] walk_q;
      assign q_new = walk_q[QLag];
      always_ff @(posedge clk_i) begin
        walk_q[1] <= s_at[p-QuotientDelay][DigitBits-1:0];
        for (int unsigned i = 2; i <= QLag; i++) walk_q[i] <= walk_q[i-1];
      end
    end

    mf_prim_mul_hold #(.WidthA(DigitBits), .WidthB(DigitBits), .Stages(Inside)) u_mul_x (
      .clk_i, .a_i(y_at[2*p]), .b_i(x_at[p]), .b_en_i(first_at[2*p+1]), .p_o(px)
    );
    mf_prim_mul_hold #(.WidthA(DigitBits), .WidthB(DigitBits), .Stages(Inside)) u_mul_q (
      .clk_i, .a_i(m_at[2*p]), .b_i(q_new), .b_en_i(first_at[2*p+2]), .p_o(pq)
    );

    mf_mul_qp_systolic_fold_step #(.DigitBits(DigitBits)) u_step (
      .s_i(s_at[p]), .last_i(last_at[2*p]), .px_i(px_q), .pq_i(pq_q), .u_i(u_q), .u_o(u), .s_o(s)
    );
    always_ff @(posedge clk_i) begin
      px_q     <= px;
      pq_q     <= pq;
      u_q      <= u;
      s_q[p+1] <= s;
    end
  end

endmodule
