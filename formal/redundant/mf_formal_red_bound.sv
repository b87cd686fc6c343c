// SPDX-License-Identifier: Apache-2.0
/// Proof: the bound of the pipelined form. Operands below K = 2 * B^(D+1) * M give a result below
/// K, by the sum that all steps of a product make (README.md):
///
///   B * R * P + Q = B * X * Y + B^(D+1) * M^ * Q, 0 <= Q < B * R
///
/// Source   rtl/mul/redundant_mul/README.md, section PipelineStages.
/// Latency  combinational.
/// Assumes  M^ <= M, M below 2^NumBits.
/// Ensures  the assertions.
module mf_formal_red_bound #(
  parameter int unsigned NumBits   = 8,
  parameter int unsigned DigitBits = 5,
  parameter int unsigned Delay     = 0
) (
  input logic [NumBits-1:0]                         m_i,
  input logic [NumBits-1:0]                         mh_i,
  input logic [NumBits+(Delay+1)*DigitBits:0]       x_i,
  input logic [NumBits+(Delay+1)*DigitBits:0]       y_i,
  input logic [NumBits+(Delay+4)*DigitBits:0]       q_i
);

  localparam int unsigned GuardBits = (Delay + 1) * DigitBits + 1;
  localparam int unsigned RBits =
    (Delay + 1 + (NumBits + 2 + DigitBits - 1) / DigitBits) * DigitBits;
  localparam int unsigned Bits = RBits + DigitBits + NumBits + GuardBits + 2;
  typedef logic [Bits-1:0] sum_t;

  sum_t x_y, mh_q, k, most_x_y, most_mh_q;
  always_comb begin
    k         = sum_t'(m_i) << GuardBits;
    x_y       = sum_t'(x_i) * sum_t'(y_i);
    mh_q      = sum_t'(mh_i) * sum_t'(q_i);
    most_x_y  = k << (RBits - 1);                // K * K <= K * R / 2
    most_mh_q = sum_t'(m_i) << (RBits + DigitBits);
    a_operands: assume (sum_t'(x_i) < k && sum_t'(y_i) < k && mh_i <= m_i);
    a_q:        assume (sum_t'(q_i) < sum_t'(1) << (RBits + DigitBits));
    a_factors:  assert (x_y < most_x_y);
    a_multiple: assert (mh_q <= most_mh_q);
    a_bound: assert (x_y >= most_x_y || mh_q > most_mh_q || (x_y << DigitBits)
                     + (mh_q << (GuardBits - 1)) < k << (RBits + DigitBits));
    a_room:  assert (k <= sum_t'(1) << (RBits - 1));
  end

endmodule
