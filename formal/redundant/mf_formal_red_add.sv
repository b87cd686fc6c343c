// SPDX-License-Identifier: Apache-2.0
/// Proof: the carry-free sum keeps the value, and every digit fits two redundant bits.
///
/// Source   rtl/common/mf_redundant_add.sv; [NAKANO09] Lemma 1, and its form for three operands.
/// Latency  combinational.
/// Assumes  with Redundant 0 canonical operands.
/// Ensures  the assertions.
module mf_formal_red_add #(
  parameter int unsigned Digits    = 3,
  parameter int unsigned DigitBits = 16,
  parameter int unsigned Operands  = 2,
  parameter bit          Redundant = 1
) (
  input logic [Operands-1:0][Digits-1:0][DigitBits+1:0] x_i,
  input logic [2:0]                                     carry_i
);

  localparam int unsigned W    = DigitBits + 2;
  localparam int unsigned Bits = (Digits + 1) * DigitBits + 6;

  logic [Digits:0][W-1:0] z;
  mf_redundant_add #(
    .Digits    (Digits),
    .DigitBits (DigitBits),
    .Operands  (Operands),
    .Redundant (Redundant)
  ) u_dut (.x_i, .carry_i, .z_o (z));

  logic [Bits-1:0] want, got;
  logic            fits, canonical;
  always_comb begin
    want = Bits'(carry_i);
    got  = '0;
    fits = 1'b1;
    canonical = 1'b1;
    for (int unsigned k = 0; k < Operands; k++)
      for (int unsigned i = 0; i < Digits; i++) begin
        want = want + (Bits'(x_i[k][i]) << (i * DigitBits));
        canonical = canonical && x_i[k][i] < W'(1) << DigitBits;
      end
    for (int unsigned i = 0; i <= Digits; i++) got = got + (Bits'(z[i]) << (i * DigitBits));
    for (int unsigned i = 0; i < Digits; i++)
      fits = fits && (Redundant ? z[i] <= W'(Operands) * (W'(1) << DigitBits) + W'(13)
                                : z[i] < W'(1) << DigitBits);
    a_canonical: assume (Redundant || canonical);
    a_value:  assert (got == want);
    a_digits: assert (fits);
  end

endmodule
