// SPDX-License-Identifier: Apache-2.0
/// Sum of two or three redundant numbers without a carry from digit to digit.
///
/// A redundant digit has DigitBits principal bits and two redundant ones, which count at the next
/// digit: z[i] = sum of x[i] mod 2^DigitBits + sum of x[i-1] / 2^DigitBits.
///
/// Source   [NAKANO09] Lemma 1 (two operands) and ADD(2,2,2,r,r,r) of Lemma 8 (three).
/// Model    modfab.models.redundant.RedundantNumbers.add.
/// Latency  combinational.
/// Assumes  with Redundant 0, principal bits only in every digit but the highest.
/// Ensures  the value of z_o is the sum of the values of x_i, plus carry_i, and its digits are at
///          most Operands * 2^DigitBits + 13; Redundant 0: the same value with carries through
///          the whole number, digits but the highest below 2^DigitBits.
module mf_redundant_add #(
  parameter int unsigned Digits    = 4,  // digits of an operand, 1..512
  parameter int unsigned DigitBits = 16, // principal bits of a digit, 5..18
  parameter int unsigned Operands  = 2,  // 2 or 3
  parameter bit          Redundant = 1
) (
  input  logic [Operands-1:0][Digits-1:0][DigitBits+1:0] x_i,
  input  logic [2:0]                                     carry_i, // counts at digit 0
  output logic [Digits:0][DigitBits+1:0]                 z_o
);

  localparam int unsigned W = DigitBits + 2;

  if (Redundant) begin : gen_redundant
    always_comb begin
      z_o    = '0;
      z_o[0] = W'(carry_i);
      for (int unsigned k = 0; k < Operands; k++) begin
        for (int unsigned i = 0; i < Digits; i++) begin
          // < 3 * 2^DigitBits + 3 * 3 + 7
          z_o[i]   = z_o[i] + W'(x_i[k][i][DigitBits-1:0]);
          z_o[i+1] = z_o[i+1] + W'(x_i[k][i][W-1:DigitBits]);
        end
      end
    end
  end else begin : gen_plain
    localparam int unsigned FlatBits = Digits * DigitBits + W;
    logic [FlatBits-1:0] sum;
    always_comb begin
      sum = FlatBits'(carry_i);
      for (int unsigned k = 0; k < Operands; k++) sum = sum + flat(x_i[k]);
      for (int unsigned i = 0; i < Digits; i++) z_o[i] = W'(sum[i*DigitBits+:DigitBits]);
      z_o[Digits] = sum[FlatBits-1-:W];
    end

    // Digits below 2^DigitBits, but for the highest.
    function automatic logic [FlatBits-1:0] flat(input logic [Digits-1:0][W-1:0] x);
      flat = '0;
      for (int unsigned i = 0; i < Digits; i++) flat[i*DigitBits+:W] = x[i];
    endfunction
  end

endmodule
