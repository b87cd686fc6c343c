// SPDX-License-Identifier: Apache-2.0
/// One clock of the carry-save array: S <- (S + q * M) / 2^DigitBits + B * Y.
///
/// Source   [NGUYEN20] Algorithm 2 steps 3, 6, 7 and Fig. 1; deviations D2, D3 in README.md.
/// Model    modfab.models.mul_booth16.step.
/// Latency  combinational.
/// Assumes  S = ss_i + sc_i, read as a signed number modulo 2^SumBits, is at least
///          -3 * 2^(SumBits-3); q (m_sel_i, carry_i) makes S + q * M divisible.
/// Ensures  ss_o + sc_o is the exact result modulo 2^SumBits; the result lies within the bounds of
///          README.md, so it can be the next S. Proof: formal/mul_booth16/step.sby.
module mf_mul_booth16_step #(
  parameter int unsigned NumBits   = 256,  // bits of the modulus
  parameter int unsigned YBits     = 257,  // bits of Y, two's complement
  parameter int unsigned SumBits   = 261,  // bits of a row of the accumulator
  parameter int unsigned DigitBits = 4,    // bits of a digit: 1, 2 or 4
  parameter bit          Booth     = 1,    // 1 Booth-4 rows, 0 one row for each bit of a digit
  localparam int unsigned NumRows  = Booth ? DigitBits / 2 : DigitBits
) (
  input  logic [SumBits-1:0]      ss_i,    // accumulator, carry-save
  input  logic [SumBits-1:0]      sc_i,
  input  logic [NumBits-1:0]      m_i,
  input  logic [NumRows-1:0][2:0] m_sel_i, // quotient digit, {neg, two, one} of each row
  input  logic [2:0]              carry_i, // units of 1, 2, 1 out of the low columns
  input  logic [YBits-1:0]        y_i,
  input  logic [NumRows-1:0][2:0] y_sel_i, // multiplier digit
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

  // Rows of multiples; the +1 of each negative one is injected below, at the lowest column.
  row_t m_rows [NumRows];
  row_t y_rows [NumRows];
  for (genvar r = 0; r < NumRows; r++) begin : gen_rows
    wide_t m_base, m_row;
    row_t  y_base;
    logic  unused_row;
    assign m_base = wide_t'(m_i) << (r * RowStep);
    assign m_row  = (({WideBits{m_sel_i[r][0]}} & m_base)
                  | ({WideBits{m_sel_i[r][1]}} & (m_base << 1))) ^ {WideBits{m_sel_i[r][2]}};
    assign m_rows[r] = m_row[WideBits-1:DigitBits];
    assign unused_row = ^m_row[DigitBits-1:0]; // counted in carry_i
    assign y_base = {{SumBits-YBits{y_i[YBits-1]}}, y_i} << (r * RowStep);
    assign y_rows[r] = (({SumBits{y_sel_i[r][0]}} & y_base)
                     | ({SumBits{y_sel_i[r][1]}} & (y_base << 1))) ^ {SumBits{y_sel_i[r][2]}};
  end

  // Six rows, those of the multiplier first.
  row_t a, b, c, d, e, f;
  logic neg_0, neg_1; // +1 of two's complement, weight 1
  if (Booth && NumRows == 2) begin : gen_booth16
    assign {a, b, c} = {s_shift, c_shift, y_rows[0]};
    assign {d, e, f} = {y_rows[1], m_rows[0], m_rows[1]};
    assign {neg_0, neg_1} = {y_sel_i[0][2], y_sel_i[1][2]};
    logic unused_carry; // the quotient is at most 3 with Booth rows
    assign unused_carry = carry_i[2];
  end else if (NumRows == 1) begin : gen_one_row
    assign {a, b, c} = {s_shift, c_shift, y_rows[0]};
    assign {d, e, f} = {m_rows[0], row_t'(0), row_t'(0)};
    assign {neg_0, neg_1} = {y_sel_i[0][2], carry_i[2]};
  end else begin : gen_radix16 // four full adders first: ten rows become six
    row_t ys, yc, ms, mc, ts, tc;
    assign ys = y_rows[0] ^ y_rows[1] ^ y_rows[2];
    assign yc = (y_rows[0] & y_rows[1]) | (y_rows[0] & y_rows[2]) | (y_rows[1] & y_rows[2]);
    assign ms = m_rows[0] ^ m_rows[1] ^ m_rows[2];
    assign mc = (m_rows[0] & m_rows[1]) | (m_rows[0] & m_rows[2]) | (m_rows[1] & m_rows[2]);
    assign ts = s_shift ^ c_shift ^ y_rows[3];
    assign tc = (s_shift & c_shift) | (s_shift & y_rows[3]) | (c_shift & y_rows[3]);
    assign a  = ts ^ ys ^ (yc << 1);
    assign b  = ((ts & ys) | (ts & (yc << 1)) | (ys & (yc << 1))) << 1;
    assign c  = tc << 1;
    assign {d, e, f} = {m_rows[3], ms, mc << 1};
    assign {neg_0, neg_1} = {y_sel_i[3][2], carry_i[2]};
  end

  // Six rows to three by counting ones in each column, three to two by full adders. The empty
  // places of the lowest columns take the units.
  row_t abc, abc_c, def, def_c, both, one, two, four, two_in, four_in;
  assign abc     = a ^ b ^ c;
  assign abc_c   = (a & b) | (a & c) | (b & c);
  assign def     = d ^ e ^ f;
  assign def_c   = (d & e) | (d & f) | (e & f);
  assign both    = abc & def;
  assign one     = abc ^ def;
  assign two     = abc_c ^ def_c ^ both;
  assign four    = (abc_c & def_c) | (abc_c & both) | (def_c & both);
  assign two_in  = {two[SumBits-2:0], neg_0};
  assign four_in = {four[SumBits-3:0], carry_i[1], neg_1};
  assign ss_o    = one ^ two_in ^ four_in;
  row_t carries;
  assign carries = (one & two_in) | (one & four_in) | (two_in & four_in);
  assign sc_o    = {carries[SumBits-2:0], carry_i[0]};
  logic unused_top; // beyond the accumulator
  assign unused_top = ^{two[SumBits-1], four[SumBits-1:SumBits-2], carries[SumBits-1]};

endmodule
