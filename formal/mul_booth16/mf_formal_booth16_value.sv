// SPDX-License-Identifier: Apache-2.0
/// Value of a digit from its rows' selections: the sum of {neg, two, one} by weight.
///
/// Source   the definition in rtl/mul/booth16/README.md.
/// Latency  combinational.
/// Assumes  nothing.
/// Ensures  value_o is the digit; legal_o that no row selects two multiples.
module mf_formal_booth16_value #(
  parameter int unsigned DigitBits = 4,
  parameter bit          Booth     = 1,
  localparam int unsigned NumRows  = Booth ? DigitBits / 2 : DigitBits
) (
  input  logic [NumRows-1:0][2:0] sel_i,
  output logic signed [7:0]       value_o,
  output logic                    legal_o
);

  logic signed [7:0] row;
  always_comb begin
    value_o = '0;
    legal_o = 1'b1;
    row     = '0;
    for (int unsigned r = 0; r < NumRows; r++) begin
      row     = (sel_i[r][1] ? 8'sd2 : sel_i[r][0] ? 8'sd1 : 8'sd0) <<< (Booth ? 2 * r : r);
      value_o = sel_i[r][2] ? value_o - row : value_o + row;
      if (sel_i[r][1] && sel_i[r][0]) legal_o = 1'b0;
    end
  end

endmodule
