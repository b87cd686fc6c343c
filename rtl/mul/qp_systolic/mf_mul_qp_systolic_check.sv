// SPDX-License-Identifier: Apache-2.0
/// Check of the modulus loaded last, from its digits as they pass.
///
/// Source   modfab; README.md beside this file.
/// Model    modfab.models.engine.EngineModel.
/// Latency  status_o holds for a modulus from three cycles after done_i on.
/// Assumes  digits in order from place 0 on; words_i until done_i, a cycle behind the last of them.
/// Ensures  status_o is StatusOk for an odd modulus from 2^MinModBits, 3 or more, below 2^NumBits.
module mf_mul_qp_systolic_check #(
  parameter int unsigned DigitBits  = 18, // bits of a digit
  parameter int unsigned PlaceBits  = 6,  // bits of a digit's number
  parameter int unsigned MinModBits = 0   // 0: any modulus is large enough
) (
  input  logic                 clk_i,
  input  logic                 wipe_i,
  input  logic                 bad_words_i,   // the command's number of words
  input  logic                 to_mod_i,      // the value that is loaded is a modulus
  input  logic                 words_i,       // words of a value are on their way
  input  logic                 done_i,        // the last of them
  input  logic                 wide_i,        // with done_i: a bit at or above NumBits is set
  input  logic                 digit_valid_i,
  input  logic [PlaceBits-1:0] place_i,
  input  logic [DigitBits-1:0] digit_i,
  output mf_pkg::status_e      status_o
);

  typedef logic [DigitBits-1:0] digit_t;

  digit_t low_q;        // the lowest digit
  logic   high_q;       // another digit is not zero
  logic   wide_q, low_zero_q, low_one_q;
  logic   above_q, not_zero_q; // above_q: the digit was not the lowest
  logic   enough;       // a bit at or above MinModBits is set
  mf_pkg::status_e check;
  mf_modulus_check u_check (
    .bad_words_i,
    .modulus_i   ('{wide: wide_q, zero: !high_q && low_zero_q, one: !high_q && low_one_q,
                    odd: low_q[0]}),
    .status_o    (check)
  );
  always_ff @(posedge clk_i) begin
    low_zero_q <= low_q == '0;
    low_one_q  <= low_q == digit_t'(1);
    status_o   <= check == mf_pkg::StatusOk && !enough ? mf_pkg::StatusModSmall : check;
    if (wipe_i) begin
      {low_q, high_q, wide_q} <= '0;
    end else if (words_i && to_mod_i) begin
      if (done_i) wide_q <= wide_i;
      if (digit_valid_i && place_i == '0) begin
        low_q  <= digit_i;
        high_q <= 1'b0;
      end
    end
    if (above_q && not_zero_q) high_q <= 1'b1;
    above_q    <= digit_valid_i && to_mod_i && place_i != '0 && !wipe_i;
    not_zero_q <= digit_i != '0;
  end
  mf_mul_qp_systolic_bound #(
    .DigitBits(DigitBits), .PlaceBits(PlaceBits), .MinModBits(MinModBits)
  ) u_bound (
    .clk_i, .wipe_i, .digit_valid_i(digit_valid_i && to_mod_i), .place_i, .digit_i,
    .enough_o(enough)
  );

endmodule
