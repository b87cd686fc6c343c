// SPDX-License-Identifier: Apache-2.0
/// Proof: for every low digit of S and of M the rows of mf_mul_booth16_quotient clear the low
/// columns, have the digit's range, and carry_o is what leaves these columns.
///
/// Source   [NGUYEN20] Algorithm 2 steps 4 and 5.
/// Latency  combinational.
/// Assumes  M odd; with Booth, top_i only where q is half the radix.
/// Ensures  the assertions.
module mf_formal_booth16_quotient #(
  parameter int unsigned DigitBits = 4,
  parameter bit          Booth     = 1,
  localparam int unsigned NumRows  = Booth ? DigitBits / 2 : DigitBits
) (
  input logic [DigitBits-1:0] ss_i,
  input logic [DigitBits-1:0] sc_i,
  input logic [DigitBits-1:0] m_i,
  input logic                 top_i
);

  localparam int Radix = 2 ** DigitBits;
  localparam int Half  = Radix / 2;
  logic [NumRows-1:0][2:0] sel;
  logic [2:0]              carry;
  logic signed [7:0]       q;
  logic                    legal;
  mf_mul_booth16_quotient #(.DigitBits(DigitBits), .Booth(Booth)) u_dut (
    .ss_i, .sc_i, .m_i, .top_i, .sel_o(sel), .carry_o(carry)
  );
  mf_formal_booth16_value #(.DigitBits(DigitBits), .Booth(Booth)) u_value (
    .sel_i(sel), .value_o(q), .legal_o(legal)
  );

  // The low columns, as the array has them: every row with ones filled in where it is negative.
  logic [DigitBits-1:0] row, multiple;
  logic [15:0]          columns, half_sum;
  logic signed [15:0]   total;
  always_comb begin
    columns  = 16'(ss_i) + 16'(sc_i);
    half_sum = columns + 16'(m_i) * 16'(Half);
    total    = signed'(columns) + 16'(q) * signed'(16'(m_i));
    row      = '0;
    multiple = '0;
    for (int unsigned r = 0; r < NumRows; r++) begin
      multiple = sel[r][1] ? m_i << 1 : sel[r][0] ? m_i : '0;
      row      = (multiple << (Booth ? 2 * r : r)) ^ {DigitBits{sel[r][2]}};
      columns  = columns + 16'(row) + 16'(sel[r][2]);
    end
    if (m_i[0] && (!Booth || !top_i || half_sum[DigitBits-1:0] == '0)) begin
      a_legal:   assert (legal);
      a_divides: assert (total[DigitBits-1:0] == '0);
      a_carry:   assert (columns
                         == 16'(Radix) * (2 * 16'(carry[1]) + 16'(carry[0]) + 16'(carry[2])));
      if (top_i)      a_top:   assert (q >= -Half && q < Half);
      else if (Booth) a_booth: assert (q >= 1 - Half && q <= Half);
      else            a_plain: assert (q >= 0 && q < Radix);
      if (Booth) a_three: assert (!carry[2]);
    end
  end

endmodule
