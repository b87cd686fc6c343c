// SPDX-License-Identifier: Apache-2.0
/// Proof: the whole table of Lemma 7, for every odd M. It is filled as a set-up does, from the
/// adder that counts 0, M, 2M ..; then one S, any, is read:
///
///   c * 2^DigitBits = S + k * M, 0 <= k < 2^DigitBits,
///
/// for the k with which the right side ends in a zero digit. So every address has its multiple.
///
/// Source   mf_mul_redundant_lut_table.sv in rtl/mul/redundant_lut, its filling in
///          mf_mul_redundant_mul_core.sv; [NAKANO09] Lemma 7.
/// Latency  2^DigitBits cycles fill, one reads, the next is proved.
/// Assumes  M odd and always the same; the lowest digit of S as the core announces it; half of S's
///          highest digit free.
/// Ensures  the assertions.
module mf_formal_red_fill #(
  parameter int unsigned Digits    = 2,
  parameter int unsigned DigitBits = 5 // up to 10: one read
) (
  input logic                             clk_i,
  input logic [Digits-1:0][DigitBits-1:0] m_i,
  input logic [DigitBits-1:0]             k_i,
  input logic [DigitBits-1:0]             low_i,
  input logic [Digits+1:0][DigitBits+1:0] sum_i
);

  localparam int unsigned W    = DigitBits + 2;
  localparam int unsigned Bits = (Digits + 2) * DigitBits + 6;
  localparam int unsigned Last = 2 ** DigitBits + 1; // the cycle that is proved
  typedef logic [Bits-1:0] sum_t;

  logic [DigitBits+1:0]     cycle_q = '0;
  logic [Digits:0][W-1:0]   count_q = '0, count_d; // k * M, as the accumulator has it
  logic [Digits:0][W-1:0]   c;
  logic [Digits+1:0][W-1:0] acc;
  logic                     fill;
  logic [DigitBits-1:0]     next_q;
  logic [Digits-1:0][DigitBits-1:0] m_q; // M of the cycle before
  assign fill = cycle_q < (DigitBits+2)'(2 ** DigitBits);
  assign acc  = fill ? {W'(0), count_q} : sum_i;
  mf_mul_redundant_mul_correction_add #(.Digits(Digits), .DigitBits(DigitBits), .Copies(2)) u_add (
    .v_i    (count_q),
    .m_i,
    .one_i  ('0),
    .two_i  ('0),
    .plus_i ('1),
    .z_o    (count_d)
  );
  mf_mul_redundant_lut_table #(.Digits(Digits), .DigitBits(DigitBits), .Redundant(1)) u_dut (
    .clk_i, .wipe_i (1'b0), .clear_i (1'b0), .table_i (fill), .low_i, .acc_i (acc), .c_o (c)
  );
  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + (DigitBits+2)'(cycle_q <= (DigitBits+2)'(Last));
    if (fill) count_q <= count_d;
    m_q     <= m_i;
    next_q  <= c[0][DigitBits-1:0] + low_i;
  end

  sum_t s, m, want, got;
  logic narrow;
  always_comb begin
    s      = '0;
    m      = '0;
    got    = '0;
    narrow = count_q[0] < W'(1) << DigitBits;
    for (int unsigned i = 0; i < Digits; i++) begin
      m      = m + (sum_t'(m_i[i]) << (i * DigitBits));
      narrow = narrow && count_q[i] < W'(1) << (DigitBits + 1);
    end
    for (int unsigned i = 0; i < Digits + 2; i++) s = s + (sum_t'(sum_i[i]) << (i * DigitBits));
    for (int unsigned i = 0; i <= Digits; i++) got = got + (sum_t'(c[i]) << (i * DigitBits));
    want = s + sum_t'(k_i) * m;
    a_odd:  assume (m_i[0][0]);
    a_same: assume (cycle_q == '0 || m_i == m_q);
    a_narrow: assert (!fill || (narrow && count_q[Digits] < W'(1) << DigitBits));
    if (cycle_q == (DigitBits+2)'(Last)) begin
      a_announced: assume (sum_i[0][DigitBits-1:0] == next_q);
      a_room:      assume (sum_i[Digits+1] < W'(1) << (DigitBits - 1));
      a_k:         assume (want[DigitBits-1:0] == '0);
      a_value:     assert (got << DigitBits == want);
    end
  end

endmodule
