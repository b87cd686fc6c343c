// SPDX-License-Identifier: Apache-2.0
/// Data path of mf_mul_sos36. One slot of the schedule enters a cycle: y = T + s * A + carry, A
/// doubled in the rows of a square. Four 18 x 18 multipliers make a product of words.
///
/// Source   modfab; the row of mf_mul_sos_path with other operands (README.md beside this file).
/// Model    modfab.models.mul_sos36.row.
/// Latency  slot address at cycle 0, its word of A at 2, y_o at YLat = MulStages + 7.
/// Assumes  a row's slots follow each other without a gap; rows begin at least 7 cycles apart.
/// Ensures  carry <= 2 within a row: lo + hi + T + carry + top <= 3 * 2^36 - 1. No adder is longer
///          than 38 bits.
module mf_mul_sos36_path #(
  parameter int unsigned MulStages = 3,  // register stages of an 18 x 18 multiplier, 2..4
  parameter int unsigned IndexBits = 7,  // bits of an index into T
  parameter int unsigned YLat      = 10  // cycles from a slot to its y
) (
  input  logic                     clk_i,
  input  logic                     wipe_i,    // all zeros from here on, with first, zero and m_we

  input  mf_mul_sos36_pkg::step_t  step_i,
  input  logic [IndexBits-1:0]     t_index_i,

  // Memories: words come two cycles after their addresses.
  input  mf_mul_sos36_pkg::word_t  a_data_i,
  output logic [IndexBits-1:0]     t_rd_index_o,
  input  mf_mul_sos36_pkg::word_t  t_data_i,
  output logic                     t_wr_en_o,
  output logic [IndexBits-1:0]     t_wr_index_o,
  output mf_mul_sos36_pkg::word_t  y_o,
  output logic                     r_wr_en_o,
  output logic                     sign_o     // of the last result with sign_we
);

  localparam int unsigned WordBits = mf_mul_sos36_pkg::WordBits;
  localparam int unsigned HalfBits = WordBits / 2;

  // ---- fields of the slots, delayed stage by stage ----
  logic [YLat:1]        t_we, r_we, sign_we, m_we;
  logic [YLat:2]        t_we_q, r_we_q, sign_we_q, m_we_q;
  logic [YLat-1:1]      last;
  logic [YLat-1:2]      last_q;
  logic [YLat-2:1]      first, top_en;
  logic [YLat-2:2]      first_q, top_en_q;
  logic [YLat-4:1]      t_en;
  logic [YLat-4:2]      t_en_q;
  logic [1:0]           c_init_q  [1:YLat-2];
  logic [IndexBits-1:0] t_index_q [1:YLat];
  assign t_we         = {t_we_q, step_i.t_we};
  assign r_we         = {r_we_q, step_i.r_we};
  assign sign_we      = {sign_we_q, step_i.sign_we};
  assign m_we         = {m_we_q, step_i.m_we};
  assign last         = {last_q, step_i.last};
  assign first        = {first_q, step_i.first};
  assign top_en       = {top_en_q, step_i.top_en};
  assign t_en         = {t_en_q, step_i.t_en};
  assign c_init_q[1]  = step_i.c_init;
  assign t_index_q[1] = t_index_i;
  always_ff @(posedge clk_i) begin
    t_we_q    <= wipe_i ? '0 : t_we[YLat-1:1];
    r_we_q    <= wipe_i ? '0 : r_we[YLat-1:1];
    sign_we_q <= sign_we[YLat-1:1];
    m_we_q    <= m_we[YLat-1:1];
    last_q    <= last[YLat-2:1];
    first_q   <= first[YLat-3:1];
    top_en_q  <= top_en[YLat-3:1];
    t_en_q    <= t_en[YLat-5:1];
    for (int unsigned n = 2; n <= YLat - 2; n++) c_init_q[n] <= c_init_q[n-1];
    for (int unsigned n = 2; n <= YLat; n++) t_index_q[n] <= t_index_q[n-1];
  end

  // ---- operands: a word of A, of 2A or 0; s stays for a row ----
  mf_mul_sos36_pkg::word_t a, s_q, m_q, y_q;
  logic                    zero_q, twice_q, below_q; // below: the highest bit of the word before
  assign a = zero_q ? '0 : twice_q ? {a_data_i[WordBits-2:0], below_q} : a_data_i;
  always_ff @(posedge clk_i) begin
    zero_q  <= step_i.zero;
    twice_q <= step_i.twice;
    below_q <= a_data_i[WordBits-1] && !first[2]; // a square's own word is not in 2A
    if (step_i.first)
      s_q <= step_i.s_from_a ? a_data_i : step_i.s_from_m ? m_q : WordBits'(step_i.s_const);
    if (m_we[YLat]) m_q <= y_q;
  end

  // ---- s * a = low + (mid0 + mid1) * 2^18 + high * 2^36, as two words with a carry between ----
  logic [3:0][WordBits-1:0] part; // bit 0 of the index: high half of a; bit 1: high half of s
  for (genvar i = 0; i < 4; i++) begin : gen_part
    mf_prim_mul #(.WidthA(HalfBits), .WidthB(HalfBits), .Stages(MulStages)) u_mul (
      .clk_i,
      .a_i (a[HalfBits*(i%2)+:HalfBits]),
      .b_i (s_q[HalfBits*(i/2)+:HalfBits]),
      .p_o (part[i])
    );
  end
  logic [WordBits:0]       mid_q;     // mid0 + mid1 < 2^37
  mf_mul_sos36_pkg::word_t low_q, high_q, lo_q, above_q, hi_q;
  logic [HalfBits:0]       lo_sum;    // < 2^19
  logic                    lo_carry_q, hi_carry_q;
  assign lo_sum = {1'b0, low_q[WordBits-1:HalfBits]} + {1'b0, mid_q[HalfBits-1:0]};
  always_ff @(posedge clk_i) begin
    mid_q   <= {1'b0, part[1]} + {1'b0, part[2]};
    low_q   <= part[0];
    high_q  <= part[3];
    lo_q    <= {lo_sum[HalfBits-1:0], low_q[HalfBits-1:0]};
    above_q <= high_q + WordBits'(mid_q[WordBits:HalfBits]); // with lo_carry <= 2^36 - 2
    lo_carry_q <= lo_sum[HalfBits];
  end

  // ---- y = lo + hi of the word before + T + carry ----
  logic [WordBits:0]   u_q;           // lo + hi < 2 * 2^36
  logic [WordBits+1:0] x_q, sum;      // lo + hi + T + top, and with carry < 3 * 2^36
  logic [1:0]          carry_q;       // 0..2
  logic                top_q, sign_q; // a row's carry is 0 or 1, see README.md
  assign sum = x_q + (WordBits+2)'(carry_q);
  always_ff @(posedge clk_i) begin
    hi_q       <= first[YLat-4] ? '0 : above_q;
    hi_carry_q <= !first[YLat-4] && lo_carry_q;
    u_q        <= {1'b0, lo_q} + {1'b0, hi_q} + (WordBits+1)'(hi_carry_q);
    x_q        <= {1'b0, u_q} + {2'b0, t_data_i} + (WordBits+2)'(top_en[YLat-2] && top_q);
    y_q        <= sum[WordBits-1:0];
    carry_q    <= first[YLat-2] ? c_init_q[YLat-2] : sum[WordBits+1:WordBits];
    if (last[YLat-1])  top_q  <= sum[WordBits];
    sign_q     <= !step_i.sign_clr && (sign_we[YLat] ? y_q[WordBits-1] : sign_q);
  end

  assign t_rd_index_o = t_index_q[YLat-4] | {IndexBits{!t_en[YLat-4]}};
  assign t_wr_en_o    = t_we[YLat];
  assign t_wr_index_o = t_index_q[YLat];
  assign y_o          = y_q;
  assign r_wr_en_o    = r_we[YLat];
  assign sign_o       = sign_q;

endmodule
