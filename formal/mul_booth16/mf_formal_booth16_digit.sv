// SPDX-License-Identifier: Apache-2.0
/// Proof: for every input the rows of mf_mul_booth16_digit have the digit's value and range.
///
/// Source   [NGUYEN20] Algorithm 2 step 3.
/// Latency  combinational.
/// Assumes  nothing.
/// Ensures  the assertions.
module mf_formal_booth16_digit #(
  parameter int unsigned DigitBits = 4,
  parameter bit          Booth     = 1,
  localparam int unsigned NumRows  = Booth ? DigitBits / 2 : DigitBits
) (
  input logic [DigitBits:0] bits_i,
  input logic               top_i
);

  localparam int Half = 2 ** (DigitBits - 1);
  logic [NumRows-1:0][2:0] sel;
  logic signed [7:0]       value, expected;
  logic                    legal;
  mf_mul_booth16_digit #(.DigitBits(DigitBits), .Booth(Booth)) u_dut (
    .bits_i, .top_i, .sel_o(sel)
  );
  mf_formal_booth16_value #(.DigitBits(DigitBits), .Booth(Booth)) u_value (
    .sel_i(sel), .value_o(value), .legal_o(legal)
  );

  always_comb begin
    expected = 8'(bits_i[DigitBits:1]);
    if (Booth) expected = expected + 8'(bits_i[0]);
    if ((Booth || top_i) && bits_i[DigitBits]) expected = expected - 8'(2 * Half);
    a_value: assert (value == expected);
    a_legal: assert (legal);
    if (Booth) a_booth: assert (value >= -Half && value <= Half);
    else a_plain: assert (value >= (top_i ? -Half : 0) && value < (top_i ? Half : 2 * Half));
  end

endmodule
