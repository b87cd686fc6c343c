// SPDX-License-Identifier: Apache-2.0
/// One cycle of the carry-save array: S <- (S + q * M) / 2^DigitBits + B * Y.
///
/// Source   [NGUYEN20] Algorithm 2 steps 3, 6, 7 and Fig. 1; deviations D2, D3 in README.md.
/// Model    a step of modfab.models.mul_booth16.product.
/// Latency  combinational.
/// Assumes  the copies of a digit are equal. S = ss_i + sc_i, as a signed number modulo 2^SumBits,
///          is at least -3 * 2^(SumBits-3); q (m_sel_i, carry_i) makes S + q * M divisible.
/// Ensures  ss_o + sc_o is the exact result modulo 2^SumBits; the result lies within the bounds of
///          README.md, so it can be the next S. Proof: formal/mul_booth16/step.sby.
module mf_mul_booth16_step #(
  parameter int unsigned NumBits   = 256,  // bits of the modulus
  parameter int unsigned YBits     = 257,  // bits of Y, two's complement
  parameter int unsigned SumBits   = 261,  // bits of a row of the accumulator
  parameter int unsigned DigitBits = 4,    // bits of a digit: 1, 2 or 4
  parameter bit          Booth     = 1,    // 1 Booth-4 rows, 0 one row for each bit of a digit
  parameter int unsigned Segments    = 1,   // parts of the columns, each with a copy of the digits
  parameter int unsigned SegmentBits = 256, // columns of a segment; the highest takes the rest
  parameter int unsigned LowBits     = 0,   // columns 0 .. LowBits-1 with one more copy of them
  localparam int unsigned NumRows  = Booth ? DigitBits / 2 : DigitBits,
  localparam int unsigned Copies   = LowBits == 0 ? Segments : Segments + 1
) (
  input  logic [SumBits-1:0]      ss_i,    // accumulator, carry-save
  input  logic [SumBits-1:0]      sc_i,
  input  logic [NumBits-1:0]      m_i,
  // quotient digit, {neg, two, one} of each row; a copy for each segment, and for the low columns
  input  logic [Copies-1:0][NumRows-1:0][2:0] m_sel_i,
  input  logic [2:0]              carry_i, // units of 1, 2, 1 out of the low columns
  input  logic [YBits-1:0]        y_i,
  input  logic [Copies-1:0][NumRows-1:0][2:0] y_sel_i, // multiplier digit, likewise
  output logic [SumBits-1:0]      ss_o,
  output logic [SumBits-1:0]      sc_o
);

  localparam int unsigned WideBits = SumBits + DigitBits; // before the shift
  localparam int unsigned RowStep  = Booth ? 2 : 1;       // row r has the weight 2^(r * RowStep)
  typedef logic [SumBits-1:0]  row_t;
  typedef logic [WideBits-1:0] wide_t;

  // Shift-safe rows: the top three columns of both rows become one signed digit, which can be
  // extended. It is S's own top digit or one less, and S >= -3 * 2^(SumBits-3) keeps that in range.
  logic [2:0] top_s, top_c, top;
  assign top_s  = ss_i[SumBits-1-:3];
  assign top_c  = sc_i[SumBits-1-:3];
  assign top[0] = top_s[0] ^ top_c[0];
  assign top[1] = top_s[1] ^ top_c[1] ^ (top_s[0] && top_c[0]);
  assign top[2] = top_s[2] ^ top_c[2] ^ ((top_s[1] && top_c[1])
                || ((top_s[1] ^ top_c[1]) && top_s[0] && top_c[0]));
  row_t s_shift, c_shift; // both without the digit that becomes zero
  assign s_shift = row_t'({{DigitBits{top[2]}}, top, ss_i[SumBits-4:0]} >> DigitBits);
  assign c_shift = row_t'(sc_i[SumBits-4:0]) >> DigitBits;
  logic unused_low;
  assign unused_low = ^{sc_i[DigitBits-1:0], ss_i[DigitBits-1:0]};

  // Rows of multiples; the +1 of each negative one is added below, as a unit.
  row_t m_rows [NumRows];
  row_t y_rows [NumRows];
  for (genvar r = 0; r < NumRows; r++) begin : gen_rows
    wide_t m_base, m_row, m_one, m_two, m_neg;
    row_t  y_base, y_one, y_two, y_neg;
    logic  unused_row;
    for (genvar k = 0; k < Copies; k++) begin : gen_segments
      // The last copy drives the low columns, which the first segment leaves to it.
      localparam bit          IsLow = k == Segments;
      localparam int unsigned Low   = k == 0 ? LowBits : IsLow ? 0 : k * SegmentBits;
      localparam int unsigned End   = (k + 1) * SegmentBits;
      localparam int unsigned MBits = (IsLow ? LowBits : k == Segments - 1 ? WideBits : End) - Low;
      localparam int unsigned YCols = (IsLow ? LowBits : k == Segments - 1 ? SumBits : End) - Low;
      assign {m_neg[Low+:MBits], m_two[Low+:MBits], m_one[Low+:MBits]} =
             {{MBits{m_sel_i[k][r][2]}}, {MBits{m_sel_i[k][r][1]}}, {MBits{m_sel_i[k][r][0]}}};
      assign {y_neg[Low+:YCols], y_two[Low+:YCols], y_one[Low+:YCols]} =
             {{YCols{y_sel_i[k][r][2]}}, {YCols{y_sel_i[k][r][1]}}, {YCols{y_sel_i[k][r][0]}}};
    end
    assign m_base = wide_t'(m_i) << (r * RowStep);
    assign m_row  = ((m_one & m_base) | (m_two & (m_base << 1))) ^ m_neg;
    assign m_rows[r] = m_row[WideBits-1:DigitBits];
    assign unused_row = ^m_row[DigitBits-1:0]; // counted in carry_i
    assign y_base = {{SumBits-YBits{y_i[YBits-1]}}, y_i} << (r * RowStep);
    assign y_rows[r] = ((y_one & y_base) | (y_two & (y_base << 1))) ^ y_neg;
  end

  // Three rows, with the units that their empty lowest places take: the +1 of negative rows of the
  // multiplier, and the carry out of the low columns.
  row_t one, two, four;
  if (NumRows == 1) begin : gen_one_row // four rows: two carry-save adders, three half adders
    row_t sum, sum_c, one_c;
    mf_mul_booth16_csa #(.WidthBits(SumBits)) u_csa_sum (
      .a_i(s_shift), .b_i(c_shift), .c_i(y_rows[0]), .unit_i(y_sel_i[Copies-1][0][2]), .sum_o(sum),
      .carry_o(sum_c)
    );
    mf_mul_booth16_csa #(.WidthBits(SumBits)) u_csa_one (
      .a_i(sum), .b_i(m_rows[0]), .c_i(row_t'(0)), .unit_i(carry_i[1]), .sum_o(one),
      .carry_o(one_c)
    );
    mf_mul_booth16_csa #(.WidthBits(SumBits)) u_csa_two (
      .a_i(sum_c), .b_i(one_c), .c_i(row_t'(0)), .unit_i(carry_i[1]), .sum_o(two), .carry_o(four)
    );
    logic unused_carry; // the carry is at most 2
    assign unused_carry = carry_i[2];
  end else begin : gen_six_rows
    row_t       a, b, c, d, e, f;
    logic [1:0] unit;
    if (Booth) begin : gen_booth16
      assign {a, b, c} = {s_shift, c_shift, y_rows[0]};
      assign {d, e, f} = {y_rows[1], m_rows[0], m_rows[1]};
      assign unit      = {y_sel_i[Copies-1][1][2], y_sel_i[Copies-1][0][2]};
      logic unused_carry; // the carry is at most 3 with Booth rows
      assign unused_carry = carry_i[2];
    end else begin : gen_radix16 // four carry-save adders first: ten rows become six
      row_t ys, yc, ts;
      mf_mul_booth16_csa #(.WidthBits(SumBits)) u_csa_y (
        .a_i(y_rows[0]), .b_i(y_rows[1]), .c_i(y_rows[2]), .unit_i(1'b0), .sum_o(ys), .carry_o(yc)
      );
      mf_mul_booth16_csa #(.WidthBits(SumBits)) u_csa_m (
        .a_i(m_rows[0]), .b_i(m_rows[1]), .c_i(m_rows[2]), .unit_i(1'b0), .sum_o(e), .carry_o(f)
      );
      mf_mul_booth16_csa #(.WidthBits(SumBits)) u_csa_t (
        .a_i(s_shift), .b_i(c_shift), .c_i(y_rows[3]), .unit_i(1'b0), .sum_o(ts), .carry_o(c)
      );
      mf_mul_booth16_csa #(.WidthBits(SumBits)) u_csa_ty (
        .a_i(ts), .b_i(ys), .c_i(yc), .unit_i(1'b0), .sum_o(a), .carry_o(b)
      );
      assign d    = m_rows[3];
      assign unit = {carry_i[2], y_sel_i[Copies-1][3][2]};
    end
    mf_mul_booth16_compressor #(.WidthBits(SumBits)) u_count (
      .a_i(a), .b_i(b), .c_i(c), .d_i(d), .e_i(e), .f_i(f), .unit_i(unit), .pair_i(carry_i[1]),
      .one_o(one), .two_o(two), .four_o(four)
    );
  end
  mf_mul_booth16_csa #(.WidthBits(SumBits)) u_csa_out (
    .a_i(one), .b_i(two), .c_i(four), .unit_i(carry_i[0]), .sum_o(ss_o), .carry_o(sc_o)
  );

endmodule
