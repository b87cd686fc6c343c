// SPDX-License-Identifier: Apache-2.0
/// Proof: one step of the array is exact, shift and sign extension included: for every M, Y, S and
/// digit of this width, and every carry-save form of S.
///
/// Source   rtl/mul/booth16/README.md, Bounds.
/// Latency  combinational.
/// Assumes  M odd, S >= -3 * 2^(SumBits-3); mf_formal_booth16_bound shows that S stays there.
/// Ensures  the assertion, modulo 2^SumBits after the shift.
module mf_formal_booth16_step #(
  parameter int unsigned NumBits   = 8,
  parameter int unsigned DigitBits = 4,
  parameter bit          Booth     = 1,
  parameter int unsigned Segments    = 1,
  parameter int unsigned SegmentBits = 256,
  parameter int unsigned LowBits     = 0,
  localparam int unsigned SumBits  = mf_mul_booth16_pkg::sum_bits(NumBits, DigitBits, Booth),
  localparam int unsigned NumRows  = Booth ? DigitBits / 2 : DigitBits,
  localparam int unsigned Copies   = LowBits == 0 ? Segments : Segments + 1
) (
  input logic [SumBits-1:0] ss_i,
  input logic [SumBits-1:0] sc_i,
  input logic [NumBits-1:0] m_i,
  input logic [NumBits:0]   y_i,
  input logic [DigitBits:0] bits_i,
  input logic               top_digit_i,
  input logic               top_quot_i
);

  localparam int unsigned WideBits = SumBits + DigitBits;
  typedef logic [WideBits-1:0] wide_t;

  logic [NumRows-1:0][2:0] y_sel, m_sel;
  logic [2:0]              carry;
  logic [SumBits-1:0]      ss, sc, s, next;
  mf_mul_booth16_digit #(.DigitBits(DigitBits), .Booth(Booth)) u_digit (
    .bits_i, .top_i(top_digit_i), .sel_o(y_sel)
  );
  mf_mul_booth16_quotient #(.DigitBits(DigitBits), .Booth(Booth)) u_quotient (
    .ss_i(ss_i[DigitBits-1:0]), .sc_i(sc_i[DigitBits-1:0]), .m_i(m_i[DigitBits-1:0]),
    .top_i(top_quot_i && !Booth), .sel_o(m_sel), .carry_o(carry)
  );
  mf_mul_booth16_step #(
    .NumBits(NumBits), .YBits(NumBits + 1), .SumBits(SumBits), .DigitBits(DigitBits),
    .Booth(Booth), .Segments(Segments), .SegmentBits(SegmentBits), .LowBits(LowBits)
  ) u_dut (
    .ss_i, .sc_i, .m_i, .m_sel_i({Copies{m_sel}}), .carry_i(carry), .y_i,
    .y_sel_i({Copies{y_sel}}), .ss_o(ss), .sc_o(sc)
  );

  // (S + q * M) / 2^DigitBits + B * Y, row by row: a negative row is its complement and 1.
  wide_t s_plus_qm, m_row;
  logic [SumBits-1:0] expected, y_row;
  assign s    = ss_i + sc_i;
  assign next = ss + sc;
  always_comb begin
    s_plus_qm = {{DigitBits{s[SumBits-1]}}, s};
    for (int unsigned r = 0; r < NumRows; r++) begin
      m_row     = wide_t'(m_i) << (Booth ? 2 * r : r);
      m_row     = ({WideBits{m_sel[r][0]}} & m_row) | ({WideBits{m_sel[r][1]}} & (m_row << 1));
      s_plus_qm = s_plus_qm + (m_row ^ {WideBits{m_sel[r][2]}}) + wide_t'(m_sel[r][2]);
    end
    expected = s_plus_qm[WideBits-1:DigitBits];
    for (int unsigned r = 0; r < NumRows; r++) begin
      y_row    = {{SumBits-NumBits-1{y_i[NumBits]}}, y_i} << (Booth ? 2 * r : r);
      y_row    = ({SumBits{y_sel[r][0]}} & y_row) | ({SumBits{y_sel[r][1]}} & (y_row << 1));
      expected = expected + (y_row ^ {SumBits{y_sel[r][2]}}) + SumBits'(y_sel[r][2]);
    end
    assume (m_i[0]);
    assume (s[SumBits-1-:3] != 3'b100); // S >= -3 * 2^(SumBits-3)
    a_divides: assert (s_plus_qm[DigitBits-1:0] == '0);
    a_exact:   assert (next == expected);
  end

endmodule
