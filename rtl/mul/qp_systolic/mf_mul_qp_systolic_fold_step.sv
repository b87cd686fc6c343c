// SPDX-License-Identifier: Apache-2.0
/// Adders of an element of the folded array, without its registers. A sum is held as {high, carry,
/// low}, with the value (high + carry) * 2^w + low: no adder is longer than a product.
///
/// Source   README.md beside this file.
/// Model    modfab.models.mul_qp_systolic_fold.
/// Latency  combinational; u_i is u_o of the cycle before.
/// Assumes  px_i, pq_i at most (2^w - 1)^2; high + carry <= 2^(w+1) - 2 in s_i.
/// Ensures  u_o = px_i + high + carry of s_i, below 2^(2w); s_o = u_i + pq_i + low of s_i (0 for it
///          with last_i), and high + carry <= 2^(w+1) - 2 again: with u_i made so, s_o is at most
///          2 * (2^w - 1)^2 + 2^(w+1) - 2 + 2^w - 1 < (2^(w+1) - 1) * 2^w.
module mf_mul_qp_systolic_fold_step #(
  parameter int unsigned DigitBits = 18, // bits of a digit, w
  localparam int unsigned SumBits  = 2 * DigitBits + 2
) (
  input  logic [SumBits-1:0]     s_i,    // this digit for u_o, the digit above for s_o
  input  logic                   last_i, // there is no digit above
  input  logic [2*DigitBits-1:0] px_i,
  input  logic [2*DigitBits-1:0] pq_i,
  input  logic [2*DigitBits-1:0] u_i,
  output logic [2*DigitBits-1:0] u_o,
  output logic [SumBits-1:0]     s_o
);

  typedef logic [DigitBits-1:0] digit_t;

  digit_t               u_low, pq_low, above, parity, majority;
  logic [DigitBits:0]   low;  // with the carry out of it
  logic [2*DigitBits:0] u;    // one bit more, to take a carry in
  logic [DigitBits+1:0] high; // one bit more, to take a carry in
  logic                 unused_bits;

  assign u   = {px_i, 1'b1} + (2*DigitBits+1)'({s_i[SumBits-1:DigitBits+1], s_i[DigitBits]});
  assign u_o = u[2*DigitBits:1];

  assign u_low    = u_i[DigitBits-1:0];
  assign pq_low   = pq_i[DigitBits-1:0];
  assign above    = last_i ? '0 : s_i[DigitBits-1:0];
  assign parity   = u_low ^ pq_low ^ above;
  assign majority = (u_low & pq_low) | (u_low & above) | (pq_low & above);
  assign low      = {1'b0, parity} + {1'b0, majority[DigitBits-2:0], 1'b0};
  assign high     = {1'b0, u_i[2*DigitBits-1:DigitBits], 1'b1}
                    + {1'b0, pq_i[2*DigitBits-1:DigitBits], majority[DigitBits-1]};
  assign s_o      = {high[DigitBits+1:1], low};
  assign unused_bits = ^{u[0], high[0]};

endmodule
