// SPDX-License-Identifier: Apache-2.0
/// Whether the modulus loaded last is at least 2^MinModBits: one of its bits from there on is set.
///
/// Source   modfab; README.md beside this file.
/// Model    modfab.models.engine.EngineModel.
/// Latency  enough_o holds for a modulus from two cycles after its last digit on.
/// Assumes  digits in order from place 0 on.
/// Ensures  enough_o = 0 after a wipe.
module mf_mul_qp_systolic_bound #(
  parameter int unsigned DigitBits  = 18, // bits of a digit
  parameter int unsigned PlaceBits  = 6,  // bits of a digit's number
  parameter int unsigned MinModBits = 0   // 0: any modulus is enough
) (
  input  logic                 clk_i,
  input  logic                 wipe_i,
  input  logic                 digit_valid_i, // a digit of a modulus
  input  logic [PlaceBits-1:0] place_i,
  input  logic [DigitBits-1:0] digit_i,
  output logic                 enough_o
);

  if (MinModBits == 0) begin : gen_any
    logic unused_digit;
    assign enough_o     = 1'b1;
    assign unused_digit = ^{clk_i, wipe_i, digit_valid_i, place_i, digit_i};
  end else begin : gen_bound
    localparam int unsigned BoundPlace = MinModBits / DigitBits; // of the lowest of these bits
    localparam int unsigned BoundBit   = MinModBits % DigitBits;
    logic at_bound, past_bound;
    logic asked_q, set_q; // the digit has such bits; one of them is set
    assign at_bound   = 32'(place_i) == BoundPlace;
    assign past_bound = 32'(place_i) > BoundPlace;
    always_ff @(posedge clk_i) begin
      asked_q <= digit_valid_i && (at_bound || past_bound) && !wipe_i;
      set_q   <= past_bound ? digit_i != '0 : (digit_i >> BoundBit) != '0;
      if (wipe_i) enough_o <= 1'b0;
      else if (asked_q && set_q) enough_o <= 1'b1;
      else if (digit_valid_i && place_i == '0) enough_o <= 1'b0;
    end
  end

endmodule
