// SPDX-License-Identifier: Apache-2.0
/// Proof: a step keeps S within its bounds, these fit the accumulator, and the result of radix 16
/// lies between -M and M; for every M, Y, S and digit of this width.
///
/// Source   rtl/mul/booth16/README.md, Bounds.
/// Latency  combinational.
/// Assumes  M > 0, -M < Y < M, the digits' ranges (proved by digit.sby and quotient.sby), the step
///          (proved by step.sby), S within the bounds.
/// Ensures  the assertions.
module mf_formal_booth16_bound #(
  parameter int unsigned NumBits   = 8,
  parameter int unsigned DigitBits = 4,
  parameter bit          Booth     = 1,
  localparam int unsigned SumBits  = mf_mul_booth16_pkg::sum_bits(NumBits, DigitBits, Booth)
) (
  input logic signed [SumBits-1:0] next_i, // S after the step; S before it follows
  input logic        [NumBits-1:0] m_i,
  input logic signed [NumBits:0]   y_i,
  input logic signed [5:0]         digit_i,
  input logic signed [5:0]         q_i
);

  localparam int unsigned WideBits = SumBits + 9;
  localparam int Radix = 2 ** DigitBits;
  localparam int Half  = Radix / 2;
  localparam int MaxB  = Booth ? Half : Radix - 1;
  localparam int MaxQ  = Booth ? Half : Radix - 1;
  localparam int MinQ  = Booth ? 1 - Half : -Half; // negative without Booth: the last one only
  localparam int Above = Radix * MaxB + MaxQ;      // (Radix - 1) * S <= Above * M
  localparam int Below = Radix * MaxB - MinQ;      // (Radix - 1) * S >= -Below * M
  typedef logic signed [WideBits-1:0] wide_t;

  // A small signed digit times a wide number, bit by bit.
  function automatic wide_t times(input logic signed [5:0] digit, input wide_t value);
    times = digit[5] ? -(value <<< 5) : '0;
    for (int i = 0; i < 5; i++) if (digit[i]) times = times + (value <<< i);
  endfunction

  wide_t m, y, next, s;
  assign m    = wide_t'(signed'({1'b0, m_i}));
  assign y    = wide_t'(y_i);
  assign next = wide_t'(next_i);
  assign s    = wide_t'(Radix) * (next - times(digit_i, y)) - times(q_i, m);

  logic q_ok;
  assign q_ok = q_i >= 6'(MinQ) && q_i <= 6'(MaxQ);
  always_comb begin
    assume (m > 0 && y > -m && y < m && q_ok);
    assume (digit_i >= 6'(-MaxB) && digit_i <= 6'(MaxB));
    assume (wide_t'(Radix - 1) * s <= wide_t'(Above) * m);
    assume (wide_t'(Radix - 1) * s >= -wide_t'(Below) * m);
    a_above: assert (wide_t'(Radix - 1) * next <= wide_t'(Above) * m);
    a_below: assert (wide_t'(Radix - 1) * next >= -wide_t'(Below) * m);
    a_range: assert (s >= -wide_t'(3 * 2 ** (SumBits - 3)) && s < wide_t'(2 ** (SumBits - 1)));
    // The multiplier's last digit in radix 16 is -4..4; the iteration after it adds none.
    if (DigitBits == 4 && digit_i >= -6'sd4 && digit_i <= 6'sd4)
      a_last: assert (next <= 6 * m && next >= -6 * m);
    if (DigitBits == 4 && digit_i == 0 && q_i <= 6'(Booth ? Half : Half - 1)
        && s <= 6 * m && s >= -6 * m)
      a_result: assert (next > -m && next < m);
  end

endmodule
