// SPDX-License-Identifier: Apache-2.0
/// Proof: number times digit plus number keeps the value, and every digit fits two redundant bits.
/// The products of digits are those of mf_prim_mul.
///
/// Source   rtl/common/mf_redundant_mac.sv, mf_redundant_mul.sv; [NAKANO09] Lemmas 2 and 3.
/// Latency  combinational.
/// Assumes  nothing.
/// Ensures  the assertions.
module mf_formal_red_mac #(
  parameter int unsigned Digits    = 3,
  parameter int unsigned DigitBits = 5,
  parameter int unsigned XBits     = 7,
  parameter int unsigned YBits     = 7
) (
  input logic                           clk_i,
  input logic [Digits-1:0][XBits-1:0]   x_i,
  input logic [YBits-1:0]               y_i,
  input logic [Digits:0][DigitBits+1:0] c_i
);

  localparam int unsigned W    = DigitBits + 2;
  localparam int unsigned Bits = (Digits + 2) * DigitBits + 6;

  logic [Digits+1:0][W-1:0]  t, t_mul;
  logic [DigitBits-1:0]      low, high;
  logic [1:0][DigitBits-1:0] mid;
  mf_redundant_mac #(
    .Digits    (Digits),
    .DigitBits (DigitBits),
    .XBits     (XBits),
    .YBits     (YBits)
  ) u_mac (.clk_i, .x_i, .y_i, .c_i, .t_o (t), .low_o (low), .mid_o (mid), .high_o (high));
  mf_redundant_mul #(
    .Digits    (Digits),
    .DigitBits (DigitBits),
    .XBits     (XBits),
    .YBits     (YBits)
  ) u_mul (.clk_i, .x_i, .y_i, .t_o (t_mul));

  logic [Digits-1:0][XBits+YBits-1:0] p; // the products that the module has
  for (genvar i = 0; i < Digits; i++) begin : gen_products
    mf_prim_mul #(.WidthA(XBits), .WidthB(YBits), .Stages(0)) u_mul_of_digit (
      .clk_i, .a_i (x_i[i]), .b_i (y_i), .p_o (p[i])
    );
  end

  logic [Bits-1:0] product, got, got_mul, c;
  logic            fits, fits_mul;
  always_comb begin
    product  = '0;
    c        = '0;
    got      = '0;
    got_mul  = '0;
    fits     = 1'b1;
    fits_mul = 1'b1;
    for (int unsigned i = 0; i < Digits; i++)
      product = product + (Bits'(p[i]) << (i * DigitBits));
    for (int unsigned i = 0; i <= Digits; i++) c = c + (Bits'(c_i[i]) << (i * DigitBits));
    for (int unsigned i = 0; i < Digits + 2; i++) begin
      got      = got + (Bits'(t[i]) << (i * DigitBits));
      got_mul  = got_mul + (Bits'(t_mul[i]) << (i * DigitBits));
      fits     = fits && (W+1)'(t[i]) < (W+1)'(3) * ((W+1)'(1) << DigitBits) + (W+1)'(16);
      fits_mul = fits_mul && (W+1)'(t_mul[i]) < (W+1)'(2) * ((W+1)'(1) << DigitBits) + (W+1)'(14);
    end
    a_value:      assert (got == product + c);
    a_value_mul:  assert (got_mul == product);
    a_digits:     assert (fits);
    a_digits_mul: assert (fits_mul);
    a_low:        assert (low == p[0][DigitBits-1:0]);
    a_mid:        assert (DigitBits'(mid[0] + mid[1] + c_i[1][DigitBits-1:0]
                                     + DigitBits'(c_i[0][W-1:DigitBits])) == t[1][DigitBits-1:0]);
    a_high:       assert (high == p[Digits-1][2*DigitBits-1:DigitBits]);
  end

endmodule
