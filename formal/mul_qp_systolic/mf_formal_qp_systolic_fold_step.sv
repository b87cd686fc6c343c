// SPDX-License-Identifier: Apache-2.0
/// Proof: the adders of an element of the folded array are exact and keep their bound, for all sums
/// and products of digits of this width.
///
/// Source   rtl/mul/qp_systolic/README.md.
/// Latency  combinational: the registers between the two additions are left out.
/// Assumes  products of digits; a sum within the bound before the step.
/// Ensures  the assertions. Without the bound on the sum before, a_bound fails.
module mf_formal_qp_systolic_fold_step #(
  parameter int unsigned DigitBits = 18,
  localparam int unsigned SumBits  = 2 * DigitBits + 2
) (
  input logic [SumBits-1:0]     here_i,  // the digit's sum
  input logic [SumBits-1:0]     above_i, // that of the digit above
  input logic                   last_i,
  input logic [2*DigitBits-1:0] px_i,
  input logic [2*DigitBits-1:0] pq_i
);

  localparam int unsigned WideBits = SumBits + 2;
  localparam int unsigned Digit    = 2 ** DigitBits - 1; // the largest
  typedef logic [WideBits-1:0] wide_t;
  localparam wide_t MaxProduct = wide_t'(Digit) * wide_t'(Digit);
  localparam wide_t MaxHigh    = wide_t'(2 * Digit);

  logic [2*DigitBits-1:0] u, unused_u;
  logic [SumBits-1:0]     unused_s, s;
  mf_mul_qp_systolic_fold_step #(.DigitBits(DigitBits)) u_first (
    .s_i(here_i), .last_i, .px_i, .pq_i, .u_i('0), .u_o(u), .s_o(unused_s)
  );
  mf_mul_qp_systolic_fold_step #(.DigitBits(DigitBits)) u_second (
    .s_i(above_i), .last_i, .px_i, .pq_i, .u_i(u), .u_o(unused_u), .s_o(s)
  );

  function automatic wide_t high(input logic [SumBits-1:0] sum);
    high = wide_t'(sum[SumBits-1:DigitBits+1]) + wide_t'(sum[DigitBits]);
  endfunction

  wide_t above;
  assign above = last_i ? '0 : wide_t'(above_i[DigitBits-1:0]);
  always_comb begin
    assume (wide_t'(px_i) <= MaxProduct && wide_t'(pq_i) <= MaxProduct);
    assume (high(here_i) <= MaxHigh);
    a_bound: assert (high(s) <= MaxHigh);
    a_value: assert ((high(s) << DigitBits) + wide_t'(s[DigitBits-1:0])
                     == high(here_i) + wide_t'(px_i) + wide_t'(pq_i) + above);
  end

endmodule
