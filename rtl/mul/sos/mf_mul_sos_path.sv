// SPDX-License-Identifier: Apache-2.0
/// Data path of the separated-operand-scanning engine. One slot of the schedule enters a cycle:
/// y = T + s * A + carry, and the word below comes back as the next quotient word m = y * N'.
///
/// Source   [QURESHI08] Figures 1 and 3; deviations in README.md beside this file.
/// Model    modfab.models.mul_sos.row.
/// Latency  slot at cycle 0, y_o at YLat = 5 + MulLat, its m at YLat + LowLat.
/// Assumes  a row's slots follow each other without a gap; rows begin at least 6 cycles apart.
/// Ensures  carry <= 2 within a row: lo + hi + T + carry + top <= 3 * 2^WordBits - 1.
module mf_mul_sos_path #(
  parameter int unsigned WordBits  = 32, // bits of a word, 32 or 64
  parameter int unsigned MulStages = 2,  // register stages of a 16 x 16 multiplier, 1..4
  parameter bit          DspAdd    = 0,  // 1: sums in DSP blocks, with WordBits 32
  parameter int unsigned IndexBits = 7,  // bits of an index into T
  parameter int unsigned YLat      = 9,  // cycles from a slot to its y
  parameter int unsigned LowLat    = 4   // cycles from y to its quotient word
) (
  input  logic                 clk_i,
  input  logic                 wipe_i,       // all zeros from here on, with first and m_we

  input  mf_mul_sos_pkg::step_t step_i,
  input  logic [IndexBits-1:0] t_index_i,

  // Memories: words come two cycles after their addresses.
  input  logic [WordBits-1:0]  a_data_i,
  input  logic [WordBits-1:0]  b_data_i,
  output logic [IndexBits-1:0] t_rd_index_o,
  input  logic [WordBits-1:0]  t_data_i,
  output logic                 t_wr_en_o,
  output logic [IndexBits-1:0] t_wr_index_o,
  output logic [WordBits-1:0]  y_o,
  output logic                 r_wr_en_o,    // with r_wr_data_o
  output logic [WordBits-1:0]  r_wr_data_o,
  output logic                 top_o
);

  // ---- fields of the slots, delayed stage by stage ----
  logic [YLat+LowLat:1] m_we;
  logic [YLat+LowLat:2] m_we_q;
  logic [YLat:1]        first, last, top_en, t_we, r_we;
  logic [YLat:2]        first_q, last_q, top_en_q, t_we_q, r_we_q;
  logic [YLat-4:1]      t_en;
  logic [YLat-4:2]      t_en_q;
  logic [YLat+1:1]      r_top;
  logic [YLat+1:2]      r_top_q;
  logic [1:0]           c_init_q  [1:YLat];
  logic [IndexBits-1:0] t_index_q [1:YLat];
  assign m_we         = {m_we_q, step_i.m_we};
  assign first        = {first_q, step_i.first};
  assign last         = {last_q, step_i.last};
  assign t_en         = {t_en_q, step_i.t_en};
  assign top_en       = {top_en_q, step_i.top_en};
  assign t_we         = {t_we_q, step_i.t_we};
  assign r_we         = {r_we_q, step_i.r_we};
  assign r_top        = {r_top_q, step_i.r_top};
  assign c_init_q[1]  = step_i.c_init;
  assign t_index_q[1] = t_index_i;
  always_ff @(posedge clk_i) begin
    m_we_q   <= m_we[YLat+LowLat-1:1];
    first_q  <= first[YLat-1:1];
    last_q   <= last[YLat-1:1];
    t_en_q   <= t_en[YLat-5:1];
    top_en_q <= top_en[YLat-1:1];
    t_we_q   <= wipe_i ? '0 : t_we[YLat-1:1];
    r_we_q   <= wipe_i ? '0 : r_we[YLat-1:1];
    r_top_q  <= wipe_i ? '0 : r_top[YLat:1];
    for (int unsigned n = 2; n <= YLat; n++) begin
      c_init_q[n]  <= c_init_q[n-1];
      t_index_q[n] <= t_index_q[n-1];
    end
  end
  logic unused_tags;
  assign unused_tags = ^{last[YLat], m_we[YLat+LowLat],
                         top_en[YLat:YLat-1], first[YLat:YLat-1], c_init_q[YLat],
                         c_init_q[YLat-1]};

  // ---- operands and the product ----
  logic [WordBits-1:0]   s, s_q, m_q, ninv_q;
  logic                  take_b_q, take_m_q;  // s comes from there in this cycle
  logic [2*WordBits-1:0] product;
  assign s = take_b_q ? b_data_i : take_m_q ? m_q : s_q;
  always_ff @(posedge clk_i) begin
    take_b_q <= step_i.first && step_i.s_from_b;
    take_m_q <= step_i.first && step_i.s_from_m;
    s_q      <= step_i.first && !step_i.s_from_b && !step_i.s_from_m
                ? WordBits'(step_i.s_const) : s;
  end
  mf_mul_sos_mult #(.WordBits(WordBits), .MulStages(MulStages), .DspAdd(DspAdd)) u_mult (
    .clk_i, .a_i(a_data_i), .b_i(s), .p_o(product));

  // ---- y = lo + hi of the word before + T + carry ----
  logic [WordBits-1:0] hi_q;
  logic [WordBits:0]   u_q;        // lo + hi < 2 * 2^WordBits
  logic [WordBits+1:0] x_q;        // lo + hi + T + top < 3 * 2^WordBits
  logic [WordBits-1:0] y_q;
  logic                top_q;      // a row's carry is 0 or 1, see README.md
  always_ff @(posedge clk_i) hi_q <= first[YLat-4] ? '0 : product[2*WordBits-1:WordBits];
  if (DspAdd) begin : gen_dsp
    logic [WordBits+1:0] sum_q;    // x + carry         < 3 * 2^WordBits
    logic [1:0]          carry;    // 0..2
    assign carry = first[YLat-1] ? c_init_q[YLat-1] : sum_q[WordBits+1:WordBits];
    mf_prim_add_dsp #(.WidthBits(WordBits + 1)) u_halves (
      .clk_i, .en_i(1'b1), .a_i({1'b0, product[WordBits-1:0]}), .b_i({1'b0, hi_q}),
      .carry_i(1'b0), .s_o(u_q));
    mf_prim_add_dsp #(.WidthBits(WordBits + 2)) u_total (
      .clk_i, .en_i(1'b1), .a_i({1'b0, u_q}), .b_i({2'b0, t_data_i}),
      .carry_i(top_en[YLat-2] & top_q), .s_o(x_q));
    mf_prim_add_dsp #(.WidthBits(WordBits + 2)) u_carry (
      .clk_i, .en_i(1'b1), .a_i(x_q), .b_i((WordBits+2)'(carry)), .carry_i(1'b0), .s_o(sum_q));
    assign y_q = sum_q[WordBits-1:0];
    // A cycle later than without DSP blocks: no row needs it before.
    always_ff @(posedge clk_i) if (last[YLat]) top_q <= sum_q[WordBits];
  end else begin : gen_fabric
    logic [WordBits+1:0] sum;      // x + carry         < 3 * 2^WordBits
    logic [1:0]          carry_q;  // 0..2
    assign sum = x_q + (WordBits+2)'(carry_q);
    always_ff @(posedge clk_i) begin
      u_q     <= {1'b0, product[WordBits-1:0]} + {1'b0, hi_q};
      x_q     <= {1'b0, u_q} + {2'b0, t_data_i} + (WordBits+2)'({top_en[YLat-2] & top_q});
      y_q     <= sum[WordBits-1:0];
      carry_q <= first[YLat-2] ? c_init_q[YLat-2] : sum[WordBits+1:WordBits];
      if (last[YLat-1]) top_q <= sum[WordBits];
    end
  end

  // ---- the next quotient word ----
  mf_mul_sos_low #(.WordBits(WordBits), .MulStages(MulStages), .DspAdd(DspAdd)) u_low (
    .clk_i, .en_i(m_we[YLat+LowLat-1]), .a_i(y_q), .b_i(ninv_q), .p_o(m_q));
  always_ff @(posedge clk_i) begin
    if (wipe_i)                ninv_q <= '0;
    else if (step_i.ninv_one)  ninv_q <= WordBits'(1);
    else if (step_i.ninv_load) ninv_q <= m_q;
  end

  assign t_rd_index_o = t_index_q[YLat-4] | {IndexBits{!t_en[YLat-4]}};
  assign t_wr_en_o    = t_we[YLat];
  assign t_wr_index_o = t_index_q[YLat];
  assign y_o          = y_q;
  assign r_wr_en_o    = r_we[YLat] || r_top[YLat+1];
  assign r_wr_data_o  = r_top[YLat+1] ? WordBits'(top_q) : y_q;
  assign top_o        = top_q;

endmodule
