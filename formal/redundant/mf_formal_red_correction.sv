// SPDX-License-Identifier: Apache-2.0
/// Proof: the correction subtracts 0, M or 2M, the result is not negative, and its digits are
/// below 2^(DigitBits + 1): at DigitBits = 16 a signed 18-bit factor takes them.
///
/// Source   mf_mul_redundant_mul_correction_select.sv and mf_mul_redundant_mul_correction_add.sv in
///          rtl/mul/redundant_mul; D1, D4 in README.md there.
/// Latency  combinational.
/// Assumes  v < 2M + 11 U, U = 2^(DigitBits * (Digits - 1)), as the page argues.
/// Ensures  the assertions.
module mf_formal_red_correction #(
  parameter int unsigned Digits    = 2,
  parameter int unsigned DigitBits = 16
) (
  input logic [Digits:0][DigitBits+1:0]   v_i,
  input logic [Digits-1:0][DigitBits-1:0] m_i
);

  localparam int unsigned W    = DigitBits + 2;
  localparam int unsigned Bits = (Digits + 1) * DigitBits + 6;
  localparam logic [Bits-1:0] U = Bits'(1) << (DigitBits * (Digits - 1));

  logic [Digits:0][W-1:0] z;
  logic                   once, one, two;
  assign one = once && !two;
  mf_mul_redundant_mul_correction_select #(.DigitBits(DigitBits)) u_select (
    .top_i   ({v_i[Digits-1], {v_i[Digits][1:0], DigitBits'(0)}}),
    .m_top_i (m_i[Digits-1]),
    .once_o  (once),
    .twice_o (two)
  );
  mf_mul_redundant_mul_correction_add #(.Digits(Digits), .DigitBits(DigitBits), .Copies(2)) u_dut (
    .v_i, .m_i, .one_i ({one, one}), .two_i ({two, two}), .plus_i ('0), .z_o (z)
  );

  logic [Bits-1:0] v, m, got;
  logic            fits;
  always_comb begin
    v    = '0;
    got  = '0;
    fits = z[Digits] == '0;
    m    = Bits'(m_i);
    for (int unsigned i = 0; i <= Digits; i++) begin
      v   = v + (Bits'(v_i[i]) << (i * DigitBits));
      got = got + (Bits'(z[i]) << (i * DigitBits));
    end
    for (int unsigned i = 0; i < Digits; i++)
      fits = fits && z[i] < W'(1) << (DigitBits + 1);
    for (int unsigned i = 0; i < Digits - 1; i++)
      fits = fits && z[i] <= (W'(1) << DigitBits) + W'(4);
    a_range: assume (v < m + m + (U << 3) + (U << 1) + U);
    a_value: assert (got == v || got + m == v || got + m + m == v);
    a_below: assert (got + m + m == v || got < m + (U << 2) + U + (U >> 2));
    a_digits: assert (fits);
    a_lowest: assert (z[0] < W'(1) << DigitBits);
  end

endmodule
