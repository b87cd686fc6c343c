// SPDX-License-Identifier: Apache-2.0
/// The quotient digit that clears the low digit of S + q * M, recoded into rows of multiples of M,
/// and the carry that leaves those low columns.
///
/// Source   [NGUYEN20] Algorithm 2 steps 4, 5: q = -S / M mod 2^DigitBits, taken from -7..8 and
///          split into 4 * T1 + T0, T in -2..2; plain digits 0 .. 2^DigitBits - 1 without Booth.
/// Model    modfab.models.mul_booth16.quotient.
/// Latency  combinational.
/// Assumes  m_i odd; with Booth, top_i only where the digit is 2^(DigitBits-1).
/// Ensures  2^DigitBits divides ss_i + sc_i + (low columns of the rows, with +1 for each neg), and
///          the quotient is 2*carry_o[1] + carry_o[0] + carry_o[2]; see
///          formal/mul_booth16/quotient.sby.
module mf_mul_booth16_quotient #(
  parameter int unsigned DigitBits = 4, // bits of a digit: 1, 2 or 4
  parameter bit          Booth     = 1, // 1 Booth-4 rows (DigitBits 2, 4), 0 one row for each bit
  localparam int unsigned NumRows  = Booth ? DigitBits / 2 : DigitBits
) (
  input  logic [DigitBits-1:0]    ss_i,   // low digit of S in carry-save form
  input  logic [DigitBits-1:0]    sc_i,
  input  logic [DigitBits-1:0]    m_i,    // low digit of M
  input  logic                    top_i,  // the highest row's digit is negative
  output logic [NumRows-1:0][2:0] sel_o,  // {neg, two, one} of each row
  output logic [2:0]              carry_o // units of 1, 2, 1 into the column above
);

  localparam int unsigned Radix     = 2 ** DigitBits;
  localparam int unsigned IndexBits = 2 * DigitBits - 1; // the low bit of M is 1
  localparam int unsigned EntryBits = 3 * NumRows + 2;   // rows, carry of the rows' low columns

  typedef logic [EntryBits-1:0] entry_t;
  typedef logic [2**IndexBits-1:0][EntryBits-1:0] table_t;

  // One entry from the definition: search the digit, recode it, add the low columns of its rows.
  function automatic entry_t entry_of(input int unsigned sum, input int unsigned m);
    logic [DigitBits:0]      bits;
    logic [NumRows-1:0][2:0] sel;
    int unsigned             q, low, multiple;
    q = 0;
    for (int unsigned i = 0; i < Radix; i++) if ((sum + i * m) % Radix == 0) q = i;
    bits = (DigitBits+1)'(2 * q);
    low  = 0;
    for (int unsigned r = 0; r < NumRows; r++) begin
      if (Booth) begin
        sel[r][0] = bits[2*r+1] ^ bits[2*r];
        sel[r][1] = bits[2*r+2] ? !bits[2*r+1] && !bits[2*r] : bits[2*r+1] && bits[2*r];
        sel[r][2] = bits[2*r+2] && !(bits[2*r+1] && bits[2*r]) && q != Radix / 2;
        multiple  = (m << (2 * r)) * (sel[r][1] ? 2 : sel[r][0] ? 1 : 0);
      end else begin
        sel[r]   = {2'b00, bits[r+1]};
        multiple = (m << r) * (sel[r][0] ? 1 : 0);
      end
      low += (sel[r][2] ? Radix - multiple % Radix : multiple % Radix);
    end
    entry_of = {2'(low / Radix), sel}; // low <= 49 for plain digits of 4 bits
  endfunction

  function automatic table_t make_table();
    for (int unsigned i = 0; i < 2 ** IndexBits; i++)
      make_table[i] = entry_of(i >> (DigitBits - 1), 2 * (i % (Radix / 2)) + 1);
  endfunction

  localparam table_t Table = make_table();

  // Sum of the low digits, as gates: a carry chain of a few bits costs more than it saves.
  logic [DigitBits-1:0] sum;
  logic                 out;
  always_comb begin
    out = 1'b0;
    for (int unsigned i = 0; i < DigitBits; i++) begin
      sum[i] = ss_i[i] ^ sc_i[i] ^ out;
      out    = (ss_i[i] && sc_i[i]) || ((ss_i[i] ^ sc_i[i]) && out);
    end
  end

  logic [2*DigitBits-1:0]  sum_m;
  logic [1:0]              rows_carry;
  logic [NumRows-1:0][2:0] sel;
  assign sum_m = {sum, m_i};
  assign {rows_carry, sel} = Table[IndexBits'(sum_m >> 1)]; // ct-ok: gates

  always_comb begin
    sel_o = sel;
    sel_o[NumRows-1][2] = Booth ? sel[NumRows-1][2] || top_i : sel[NumRows-1][0] && top_i;
  end

  // The low columns hold carry * Radix + sum and rows_carry * Radix + (Radix - sum) or 0:
  // the carry out is carry + rows_carry + (sum != 0) <= 4, and <= 3 with Booth.
  logic rest, pair, four, unused_m;
  assign unused_m   = m_i[0];
  assign rest       = sum != '0;
  assign pair       = (out && rest) || (out && rows_carry[0]) || (rest && rows_carry[0]);
  assign four       = rows_carry[1] && pair;
  assign carry_o[0] = (out ^ rest ^ rows_carry[0]) || four;
  assign carry_o[1] = rows_carry[1] || pair;
  assign carry_o[2] = four;

endmodule
