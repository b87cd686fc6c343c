// SPDX-License-Identifier: Apache-2.0
/// One digit of the multiplier, recoded into selections of multiples: sum of the rows' values is
/// the digit. Row r selects {neg, two, one} of Y * 4^r (Booth) or of Y * 2^r (plain).
///
/// Source   [NGUYEN20] Algorithm 2 step 3: B16 = 4 * B4 + B4; plain digits as its Algorithm 1.
/// Model    modfab.models.mul_booth16.digits.
/// Latency  combinational.
/// Assumes  nothing.
/// Ensures  Booth: -8 <= digit <= 8 of 4 bits, -2..2 of 2 bits. Plain: the digit's bits, the
///          highest with a negative weight when top_i is set. Proof: formal/mul_booth16/digit.sby.
module mf_mul_booth16_digit #(
  parameter int unsigned DigitBits = 4, // bits of a digit: 1, 2 or 4
  parameter bit          Booth     = 1, // 1 Booth-4 rows (DigitBits 2, 4), 0 one row for each bit
  localparam int unsigned NumRows  = Booth ? DigitBits / 2 : DigitBits
) (
  input  logic [DigitBits:0]      bits_i, // the digit, and below it one bit more
  input  logic                    top_i,  // plain: the last digit, whose highest bit is the sign
  output logic [NumRows-1:0][2:0] sel_o   // {neg, two, one} of each row
);

  if (Booth) begin : gen_booth
    logic unused_top;
    assign unused_top = top_i;
    always_comb begin
      for (int unsigned r = 0; r < NumRows; r++) begin
        sel_o[r][0] = bits_i[2*r+1] ^ bits_i[2*r];
        sel_o[r][1] = bits_i[2*r+2] ? !bits_i[2*r+1] && !bits_i[2*r]  // ct-ok: gates
                                    : bits_i[2*r+1] && bits_i[2*r];
        sel_o[r][2] = bits_i[2*r+2] && !(bits_i[2*r+1] && bits_i[2*r]);
      end
    end
  end else begin : gen_plain
    logic unused_previous;
    assign unused_previous = bits_i[0];
    always_comb begin
      for (int unsigned r = 0; r < NumRows; r++) sel_o[r] = {2'b00, bits_i[r+1]};
      sel_o[NumRows-1][2] = bits_i[DigitBits] && top_i;
    end
  end

endmodule
