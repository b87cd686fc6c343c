// SPDX-License-Identifier: Apache-2.0
/// Digits of -(c * M * 2^t) from digits of M: the constants that need the modulus normalised.
///
/// With p the position of M's highest bit and E = RadixBits * NumDigits, t = E - 3 - p puts
/// M * 2^t between E/8 and E/4 of R = 2^E, and c = 4, 5 or 6, chosen by the two bits below the
/// highest, puts c * M * 2^t between 3/4 R and R. So R - c * M * 2^t is congruent to R mod M and
/// at most R/4, and twice that is congruent to 2R and at most R/2.
///
/// Source   modfab; README.md beside this file, "Set-up".
/// Model    modfab.models.mul_systolic.normalised.
/// Latency  a digit leaves three cycles after its en_i; en_i at most every second cycle.
/// Assumes  the stream is late by shift_o digits (zero before); the notes stand still.
/// Ensures  digit_o is the digit of -(M * 2^0), -(c * M * 2^t), -(c * M * 2^(t+1)) mod R for pass_i
///          0, 1, 2.
module mf_mul_systolic_neg #(
  parameter int unsigned RadixBits = 4,  // bits of a digit, 1..6
  parameter int unsigned NumDigits = 66, // digits of an operand
  localparam int unsigned IndexBits = $clog2(NumDigits + 1)
) (
  input  logic                 clk_i,
  input  logic                 start_i,     // before the first digit
  input  logic [1:0]           pass_i,
  input  logic [IndexBits-1:0] top_index_i, // from mf_mul_systolic_in
  input  logic [2:0]           top_bit_i,
  input  logic [1:0]           below_i,
  output logic [IndexBits-1:0] shift_o,     // floor(t / RadixBits): digits of delay
  input  logic                 en_i,
  input  logic [RadixBits-1:0] digit_i,
  output logic [RadixBits-1:0] digit_o
);

  typedef logic [RadixBits-1:0] digit_t;
  typedef logic [RadixBits+2:0] product_t; // 6 * digit + 5 < 2^(RadixBits+3)
  typedef logic [IndexBits-1:0] index_t;

  // t = RadixBits * (NumDigits - top_index) - under, under = 3 + top_bit in pass 1, 2 + in pass 2.
  // Both stand still from the load of the modulus on, so they take a register a step.
  logic [2:0] factor;
  index_t     digits [2];          // ceil(under / RadixBits)
  logic [2:0] rest   [2], rest_q [2]; // t mod RadixBits
  index_t     above_q, digits_q [2], shift_q [2];
  logic [2:0] bits_q;
  always_comb begin
    for (int unsigned n = 0; n < 2; n++) begin
      digits[n] = '0;
      rest[n]   = '0;
      for (int unsigned top = 0; top < RadixBits; top++) begin
        if (top_bit_i == 3'(top)) begin // under = top + 3 - n, 2..8
          digits[n] = index_t'((top + 2 - n + RadixBits) / RadixBits);
          rest[n]   = 3'((top + 2 - n + RadixBits) / RadixBits * RadixBits - (top + 3 - n));
        end
      end
    end
    if (pass_i == 2'd0)    factor = 3'd1;
    else if (below_i[1])   factor = 3'd4;
    else                   factor = below_i[0] ? 3'd5 : 3'd6;
  end
  always_ff @(posedge clk_i) begin
    above_q <= index_t'(NumDigits) - top_index_i;
    for (int unsigned n = 0; n < 2; n++) begin
      digits_q[n] <= digits[n];
      rest_q[n]   <= rest[n];
      shift_q[n]  <= above_q - digits_q[n];
    end
  end

  logic [2:0]             factor_q, carry_q;
  logic                   en_q, sum_q, one_q; // a multiple is new; a digit of c * M is
  digit_t                 low_q, high_q; // two neighbouring digits of c * M
  product_t               multiple_q, product;
  logic [2*RadixBits-1:0] aligned;
  logic [RadixBits:0]     carries;
  assign product = multiple_q + product_t'(carry_q);
  assign aligned = {high_q, low_q} << bits_q;
  for (genvar i = 0; i <= RadixBits; i++) begin : gen_carry // ~aligned + one_q, no carry chain
    assign carries[i] = one_q && (aligned[2*RadixBits-1:RadixBits] & digit_t'((1 << i) - 1)) == '0;
  end
  logic unused_aligned;
  assign unused_aligned = ^aligned[RadixBits-1:0];

  always_ff @(posedge clk_i) begin
    en_q     <= en_i;
    sum_q    <= en_q;
    factor_q <= factor;
    shift_o  <= pass_i == 2'd0 ? '0 : pass_i == 2'd1 ? shift_q[0] : shift_q[1];
    bits_q   <= pass_i == 2'd0 ? '0 : pass_i == 2'd1 ? rest_q[0] : rest_q[1];
    if (start_i) begin
      multiple_q <= '0;
      carry_q <= '0;
      low_q   <= '0;
      high_q  <= '0;
      one_q   <= 1'b1;
      digit_o <= '0;
    end else begin
      // The factor is 1, 4, 5 or 6: it has one of its two lower bits at most. ct-ok: gates
      multiple_q <= (factor_q[2] ? product_t'(digit_i) << 2 : '0)
                    + ((factor_q[1] ? product_t'(digit_i) << 1 : '0)
                       | (factor_q[0] ? product_t'(digit_i) : '0));
      if (en_q) begin
        carry_q <= 3'(product >> RadixBits);
        high_q  <= product[RadixBits-1:0];
        low_q   <= high_q;
      end
      if (sum_q) begin
        digit_o <= ~aligned[2*RadixBits-1:RadixBits] ^ carries[RadixBits-1:0];
        one_q   <= carries[RadixBits];
      end
    end
  end

endmodule
