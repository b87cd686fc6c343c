// SPDX-License-Identifier: Apache-2.0
/// Proof: the recurrence with quotient delay d gives (2^w (x y + z) + mt Q) / 2^(w(T-d)) without a
/// rest, which stays below B when x and y are; for every odd modulus n and operand of this size. z
/// is what a load adds in the first step, another slot; x is then a value shifted by d + 1 digits.
///
/// Source   rtl/mul/qp_systolic/README.md, Arithmetic.
/// Latency  combinational.
/// Assumes  n odd; mt = m n = -1 modulo 2^(w(d+1)); x, y, z < B = 2^(w(d+1) + 1) n; z is 0, or
///          x = v 2^(w(d+1)) for some v of NumBits bits.
/// Ensures  the assertions.
module mf_formal_qp_systolic_product #(
  parameter int unsigned DigitBits = 1, // w
  parameter int unsigned NumBits   = 3,
  parameter int unsigned QuotientDelay = 1, // d
  parameter bit          Adds      = 0, // z is any slot; else 0
  localparam int unsigned Guard    = QuotientDelay + 1,
  localparam int unsigned OperandBits = NumBits + Guard * DigitBits + 1,
  localparam int unsigned RDigits  = (NumBits + Guard * DigitBits + 1 + DigitBits) / DigitBits,
  localparam int unsigned NumSteps = RDigits + Guard
) (
  input logic [NumBits-1:0]           n_i,
  input logic [Guard*DigitBits-1:0]   m_i,
  input logic [OperandBits-1:0]       x_i,
  input logic [OperandBits-1:0]       y_i,
  input logic [OperandBits-1:0]       z_i
);

  localparam int unsigned WideBits = 2 * OperandBits + DigitBits * (NumSteps + 1) + 2;
  typedef logic [WideBits-1:0] wide_t;

  wide_t n, x, y, z, mt, mh, bound, result, all_q;
  wide_t s [NumSteps+1];
  wide_t q [NumSteps];
  assign n     = wide_t'(n_i);
  assign x     = wide_t'(x_i);
  assign y     = wide_t'(y_i);
  assign z     = Adds ? wide_t'(z_i) : '0;
  assign mt    = wide_t'(m_i) * n;
  assign mh    = (mt + wide_t'(1)) >> (Guard * DigitBits);
  assign bound = n << (Guard * DigitBits + 1);

  always_comb begin
    s[0]  = '0;
    all_q = '0;
    for (int unsigned i = 0; i < NumSteps; i++) begin
      q[i]   = s[i] & wide_t'(2 ** DigitBits - 1);
      s[i+1] = (s[i] >> DigitBits)
               + ((x >> (DigitBits * i)) & wide_t'(2 ** DigitBits - 1)) * y;
      if (i == 0) s[i+1] = s[i+1] + z;
      if (i >= QuotientDelay) s[i+1] = s[i+1] + q[i-QuotientDelay] * mh;
      if (i < NumSteps - QuotientDelay) all_q = all_q | q[i] << (DigitBits * i);
    end
    result = s[NumSteps] << (DigitBits * QuotientDelay);
    for (int unsigned k = 0; k < QuotientDelay; k++)
      result = result | q[NumSteps-QuotientDelay+k] << (DigitBits * k);
  end

  always_comb begin
    assume (n_i[0] && x < bound && y < bound && z < bound);
    assume (z == '0 || (x >> (Guard * DigitBits + NumBits) == '0
                        && (x & wide_t'(2 ** (Guard * DigitBits) - 1)) == '0));
    assume (((mt + wide_t'(1)) & wide_t'(2 ** (Guard * DigitBits) - 1)) == '0);
    a_exact: assert (result << (DigitBits * (NumSteps - QuotientDelay))
                     == ((x * y + z) << DigitBits) + mt * all_q);
    a_bound: assert (result < bound);
  end

endmodule
