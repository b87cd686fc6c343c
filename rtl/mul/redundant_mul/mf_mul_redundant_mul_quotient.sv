// SPDX-License-Identifier: Apache-2.0
/// k * M by multipliers: k = low digit * -M^-1 mod 2^DigitBits in a register, then k * M + S.
///
/// Source   [NAKANO09] Lemma 6 and Figure 1, the sum as in Lemma 3; the register of k is D2 in
///          README.md.
/// Model    modfab.models.mul_redundant_mul (`reduce`).
/// Latency  k is registered; c_o is combinational in S and k.
/// Assumes  table_i for DigitBits cycles while m_i is the odd modulus; low_i, the lowest digit of
///          X * y, with that of c_o belongs to acc_i one cycle later; wipe_i before any of it.
/// Ensures  c_o = (acc + k * M) / 2^DigitBits, exactly; k is 0 in the first cycle of steps.
module mf_mul_redundant_mul_quotient #(
  parameter int unsigned Digits    = 4,
  parameter int unsigned DigitBits = 16, // 5..18
  parameter bit          Redundant = 1
) (
  input  logic                             clk_i,
  input  logic                             wipe_i,
  input  logic                             step_d_i,
  input  logic                             table_i,
  input  logic [DigitBits-1:0]             low_i,
  input  logic [Digits+1:0][DigitBits+1:0] acc_i,
  input  logic [Digits-1:0][DigitBits-1:0] m_i,
  output logic [Digits:0][DigitBits+1:0]   c_o,
  output logic [1:0][DigitBits+1:0]        top_o // their sum: the highest digit of c with all above
);

  localparam int unsigned W = DigitBits + 2;

  // ---- -M^-1, bit by bit from the lowest: 1 + inverse * M becomes 0 ----
  logic [DigitBits-1:0] inverse_q, left_q, left;
  logic                 table_q;
  assign left = table_q ? left_q : DigitBits'(1);
  always_ff @(posedge clk_i) begin
    table_q <= table_i;
    if (wipe_i) begin
      inverse_q <= '0;
      left_q    <= '0;
    end else if (table_i) begin
      inverse_q <= {left[0], inverse_q[DigitBits-1:1]};
      // a sum of DigitBits + 1 bits that loses its lowest, which is 0; the carry is not needed:
      // after i cycles only DigitBits - i bits count
      left_q    <= DigitBits'((left + (left[0] ? m_i[0] : '0)) >> 1);
    end
  end

  // ---- k ----
  localparam int unsigned Copies = (Digits + 3) / 4; // of k
  logic [Copies-1:0][DigitBits-1:0] k_q;
  logic [DigitBits-1:0]             next; // lowest digit of the next S
  logic [2*DigitBits-1:0]           k;
  mf_prim_mul #(.WidthA(DigitBits), .WidthB(DigitBits), .Stages(0)) u_k (
    .clk_i,
    .a_i (next),
    .b_i (inverse_q),
    .p_o (k)
  );
  mf_fanout_reg #(.WidthBits(DigitBits), .Copies(Copies)) u_leaf (
    .clk_i,
    .d_i (k[DigitBits-1:0]),
    .q_o (k_q)
  );
  logic step; // else the next k is 0
  mf_fanout_reg #(.WidthBits(1), .Copies(1)) u_step (.clk_i, .d_i (step_d_i), .q_o (step));
  logic unused_k;
  assign unused_k = ^k[2*DigitBits-1:DigitBits];

  // ---- S + k * M; its lowest digit's principal bits are 0 or sum up to 2^DigitBits ----
  logic [DigitBits-1:0]      unused_low; // cancelled by that of S
  logic [1:0][DigitBits-1:0] mid;
  logic [DigitBits-1:0]      high;
  logic [Digits:0][W-1:0]   s;
  logic [Digits+1:0][W-1:0] sum;
  always_comb begin
    s = acc_i[Digits:0];
    // The carry of the lowest digit is known before its sum. S's lowest digit is < 2 * 2^DigitBits.
    if (Redundant) s[0] = {acc_i[0][W-1:DigitBits] + 2'(|acc_i[0][DigitBits-1:0]), DigitBits'(0)};
  end
  mf_redundant_mac #(
    .Digits    (Digits),
    .DigitBits (DigitBits),
    .XBits     (DigitBits),
    .YBits     (DigitBits),
    .Redundant (Redundant),
    .YCopies   (Copies)
  ) u_km (
    .clk_i,
    .x_i (m_i),
    .y_i (k_q),
    .c_i    (s),
    .t_o    (sum),
    .low_o  (unused_low),
    .mid_o  (mid),
    .high_o (high)
  );
  if (Redundant) begin : gen_soon // one addition between the multipliers
    logic [DigitBits-1:0] kept, save, carry, twice;
    // step also keeps these sums apart from those of c and S, which have the same value later in
    // the cycle: a mapper that finds two equal signals takes one of them for both.
    assign kept  = step ? s[1][DigitBits-1:0] + DigitBits'(s[0][W-1:DigitBits]) : '0;
    assign save  = kept ^ mid[1] ^ mid[0];
    assign carry = {(kept & mid[1]) | (kept & mid[0]) | (mid[1] & mid[0])} << 1;
    assign twice = !step ? '0 : (save & carry) | (save & low_i) | (carry & low_i);
    assign next  = (!step ? '0 : save ^ carry ^ low_i) + {twice[DigitBits-2:0], 1'b0};
    assign top_o = {W'(high), acc_i[Digits] + W'(acc_i[Digits-1][W-1:DigitBits])
                              + {acc_i[Digits+1][1:0], DigitBits'(0)}};
    logic unused_twice;
    assign unused_twice = twice[DigitBits-1];
  end else begin : gen_summed
    assign next  = !step ? '0 : c_o[0][DigitBits-1:0] + low_i;
    assign top_o = {c_o[Digits-1], c_o[Digits][1:0], DigitBits'(0)};
    logic unused_parts;
    assign unused_parts = ^{mid, high};
  end
  always_comb begin
    c_o         = sum[Digits+1:1];
    c_o[Digits] = c_o[Digits] + acc_i[Digits+1]; // c < 4 * 2^(DigitBits * Digits)
  end
  logic unused_lowest;
  assign unused_lowest = ^sum[0];

endmodule
