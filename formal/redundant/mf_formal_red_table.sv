// SPDX-License-Identifier: Apache-2.0
/// Proof: the table of k * M. Two multiples of M, any two, are written as the filling writes them;
/// then a sum S whose low bits select them is read. With both in their places
///
///   c * 2^DigitBits = S + X1 + 2^IndexBits * X2,
///
/// exactly: the low digit that is not stored cancels, its carry and function g are right, and no
/// digit overflows. X1 and X2 are multiples of M, so the right side is S + k * M. The filling
/// itself, that every address gets its multiple, is mf_formal_red_fill.sv.
///
/// Source   mf_mul_redundant_lut_table.sv in rtl/mul/redundant_lut; [NAKANO09] Lemma 7 (one read,
///          DigitBits up to 10) and Lemma 8 (two reads).
/// Latency  cycle 0 and 1 write, cycle 2 reads, cycle 3 is proved.
/// Assumes  digits of multiples as the accumulator makes them (one redundant bit, none in the
///          lowest: mf_formal_red_correction.sv), the lowest digit of S as the core announces it,
///          and half of S's highest digit free.
/// Ensures  the assertions.
module mf_formal_red_table #(
  parameter int unsigned Digits    = 2,
  parameter int unsigned DigitBits = 16,
  parameter bit          Redundant = 1
) (
  input logic                             clk_i,
  input logic                             table_i,
  input logic [DigitBits-1:0]             low_i,
  input logic [Digits+1:0][DigitBits+1:0] acc_i
);

  localparam int unsigned W         = DigitBits + 2;
  localparam bit          Two       = DigitBits > 10;
  localparam int unsigned IndexBits = Two ? DigitBits / 2 : DigitBits;
  localparam int unsigned Step      = Redundant ? DigitBits + 1 : DigitBits;
  localparam int unsigned Bits      = (Digits + 2) * DigitBits + IndexBits + 6;
  typedef logic [Bits-1:0]      sum_t;
  typedef logic [IndexBits-1:0] index_t;
  typedef logic [DigitBits-1:0] digit_t;

  logic [Digits:0][W-1:0] c;
  mf_mul_redundant_lut_table #(
    .Digits    (Digits),
    .DigitBits (DigitBits),
    .Redundant (Redundant)
  ) u_dut (
    .clk_i, .wipe_i (1'b0), .clear_i (1'b0), .table_i, .low_i, .acc_i, .c_o (c)
  );

  logic [2:0]               cycle_q = 3'd0;
  logic [Digits+1:0][W-1:0] first_q, second_q; // the multiples
  digit_t                   next, next_q;      // lowest digit of S, announced
  logic [IndexBits+1:0]     upper;             // address of the second multiple, with carry
  assign next  = c[0][DigitBits-1:0] + low_i;
  assign upper = (IndexBits+2)'(next >> (DigitBits - IndexBits))
               + (IndexBits+2)'(index_t'(first_q[0][DigitBits-1:0] >> (DigitBits - IndexBits)))
               + (IndexBits+2)'(|first_q[0][IndexBits-1:0]);
  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 3'(cycle_q != 3'd4);
    if (cycle_q == 3'd0) first_q <= acc_i;
    if (cycle_q == 3'd1) second_q <= Two ? acc_i : '0;
    next_q <= next;
  end

  logic narrow, plain; // a multiple's digits; digits without redundancy
  sum_t s, x, want, got;
  always_comb begin
    narrow = acc_i[Digits+1] == '0 && acc_i[Digits] < W'(1) << IndexBits
             && acc_i[0] < W'(1) << DigitBits;
    plain  = 1'b1;
    s      = '0;
    x      = '0;
    got    = '0;
    for (int unsigned i = 0; i < Digits; i++) narrow = narrow && acc_i[i] < W'(1) << Step;
    for (int unsigned i = 0; i < Digits + 2; i++) begin
      plain = plain && acc_i[i] < W'(1) << DigitBits;
      s     = s + (sum_t'(acc_i[i]) << (i * DigitBits));
      x     = x + (sum_t'(first_q[i]) << (i * DigitBits));
      x     = x + (sum_t'(second_q[i]) << (i * DigitBits + IndexBits));
    end
    for (int unsigned i = 0; i <= Digits; i++) got = got + (sum_t'(c[i]) << (i * DigitBits));
    want = s + x;
    a_fill: assume (table_i == (cycle_q < 3'd2));
    a_multiples: assume (cycle_q >= 3'd2 || narrow);
    if (cycle_q == 3'd1) begin // one multiple for each address
      a_once: assume (acc_i == first_q
                      || acc_i[0][IndexBits-1:0] != first_q[0][IndexBits-1:0]);
    end
    if (cycle_q == 3'd2) begin // both addresses are those of the multiples
      a_first:  assume (next[IndexBits-1:0] == -first_q[0][IndexBits-1:0]);
      a_second: assume (!Two || upper[IndexBits-1:0] == -second_q[0][IndexBits-1:0]);
    end
    if (cycle_q == 3'd3) begin
      a_announced: assume (acc_i[0][DigitBits-1:0] == next_q);
      a_room:      assume (acc_i[Digits+1] < W'(1) << (DigitBits - 1));
      a_plain:     assume (Redundant || plain);
      a_cancels:   assert (want[DigitBits-1:0] == '0);
      a_value:     assert (got << DigitBits == want);
    end
  end

endmodule
