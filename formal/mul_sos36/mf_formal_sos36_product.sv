// SPDX-License-Identifier: Apache-2.0
/// Proof: the rows of sos36 on words of w bits, carries and gates as in the data path, make
/// (A B + N' M Q) / 2^(wL) without a rest and below 3M, of a square as well; no carry is lost. For
/// every odd modulus above 1 and all factors below 3M of this size.
///
/// Source   rtl/mul/sos36/README.md, Arithmetic and Bounds.
/// Latency  combinational.
/// Assumes  M odd, 1 < M < 2^(wL - 4); N' M = -1 modulo 2^w; A, B < 3M.
/// Ensures  the assertions.
module mf_formal_sos36_product #(
  parameter int unsigned WordBits = 4,  // w
  parameter int unsigned NumWords = 2,  // L
  parameter bit          Square   = 0,  // each pair of words once; b_i is not read
  localparam int unsigned ModBits = WordBits * NumWords - 4
) (
  input logic [ModBits-1:0]  m_i,
  input logic [WordBits-1:0] n_i,       // N'
  input logic [ModBits+1:0]  a_i,
  input logic [ModBits+1:0]  b_i
);

  localparam int unsigned WideBits = 2 * WordBits * NumWords + WordBits + 3;
  localparam int unsigned RBits    = WordBits * NumWords;
  typedef logic [WideBits-1:0] wide_t;
  typedef logic [WordBits-1:0] word_t;

  wide_t m, a, b, n_m, mh, result, all_q;
  assign m   = wide_t'(m_i);
  assign a   = wide_t'(a_i);
  assign b   = Square ? a : wide_t'(b_i);
  assign n_m = wide_t'(n_i) * m;
  assign mh  = (n_m + wide_t'(1)) >> WordBits;

  function automatic word_t word(input wide_t value, input int unsigned index);
    word = word_t'(value >> (WordBits * index));
  endfunction

  // What row i of step 1 has for word j: of A, or of a square's own word and 2A without that.
  function automatic word_t factor(input wide_t value, input int unsigned i, input int unsigned j);
    word_t below;
    below = j == 0 || j - 1 == i ? '0 : word(value, j - 1) >> (WordBits - 1);
    factor = !Square || j == i ? word(value, j) : word(value, j) << 1 | below;
  endfunction

  word_t      t [2*NumWords];
  word_t      s, hi;
  wide_t      product, sum;
  logic       top;                      // what a row of step 2 leaves to the next one
  logic       lost, over, rest;         // a carry that no word takes, one above its bound, a digit
  always_comb begin
    foreach (t[k]) t[k] = '0;
    {top, lost, over, rest} = '0;
    all_q = '0;
    for (int unsigned i = 0; i < 2 * NumWords; i++) begin
      // rows 0 .. L-1: step 1; the next L-1: step 2; the last one divides by Montgomery's way
      s   = i < NumWords ? word(b, i) : i < 2 * NumWords - 1 ? t[i-NumWords] : t[NumWords-1] * n_i;
      hi  = '0;
      sum = '0;
      if (i >= NumWords)
        all_q = all_q | wide_t'(s) << (WordBits * (i - NumWords)) & {WideBits{i < 2*NumWords-1}};
      for (int unsigned j = 0; j <= NumWords; j++) begin
        if (!Square || i >= NumWords || j >= i) begin
          product = wide_t'(s) * wide_t'(j == NumWords ? '0 : i < NumWords ? factor(a, i, j)
                                         : i < 2 * NumWords - 1 ? word(mh, j) : word(m, j));
          sum = wide_t'(word_t'(product)) + wide_t'(hi) + (sum >> WordBits);
          if (i < NumWords) begin
            if (j < NumWords) sum = sum + wide_t'(t[i+j]);
            t[i+j] = word_t'(sum);
          end else if (i < 2 * NumWords - 1) begin
            sum = sum + wide_t'(t[i-NumWords+1+j]) + wide_t'(j == NumWords && top);
            t[i-NumWords+1+j] = word_t'(sum);
          end else begin
            sum = sum + wide_t'(t[NumWords-1+j]) + wide_t'(j == NumWords && top);
            t[NumWords-1+j] = word_t'(sum);
            rest = rest || (j == 0 && word_t'(sum) != '0);
          end
          over = over || (sum >> WordBits) > wide_t'(2);
          hi   = word_t'(product >> WordBits);
        end
      end
      // of step 2 but its last row, the carry is one bit and belongs to the next row's last word
      lost = lost || (sum >> WordBits) > wide_t'(i >= NumWords && i < 2 * NumWords - 2);
      top  = i >= NumWords && sum[WordBits];
    end
    result = '0;
    for (int unsigned j = 0; j < NumWords; j++)
      result = result | wide_t'(t[NumWords+j]) << (WordBits * j);
  end

  always_comb begin
    assume (m_i[0] && m > wide_t'(1) && a < 3 * m && b < 3 * m);
    assume (word_t'(n_m) == '1);
    a_exact: assert (result << RBits
                     == a * b + n_m * all_q + (wide_t'(s) * m << (RBits - WordBits)));
    a_bound: assert (result < 3 * m);
    a_carry: assert (!lost && !over && !rest);
  end

endmodule
