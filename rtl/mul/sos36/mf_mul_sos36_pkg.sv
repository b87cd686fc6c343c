// SPDX-License-Identifier: Apache-2.0
/// Types between the modules of mf_mul_sos36. Signals whose width depends on parameters are
/// separate ports.
package mf_mul_sos36_pkg;

  localparam int unsigned WordBits = 36; // bits of a word of a slot, two 18-bit operands

  typedef logic [WordBits-1:0] word_t;

  // Kinds of rows; at most one bit is set. A comparison would stand before every register.
  typedef struct packed {
    logic drain; // nothing; what was before leaves the pipeline
    logic step1; // T += A * b_i, or a square's share of it
    logic step2; // T += q * mh
    logic inv;   // m <- T[L-1] * N', one word
    logic fin;   // result <- (T + m * M) / 2^36
    logic x1;    // N' <- M_0 + 2, right modulo 4
    logic inva;  // m <- M_0 * N' + 2
    logic invb;  // N' <- m * N'
    logic mh;    // mh <- (N' * M + 1) / 2^36
    logic neg;   // T's copy of -M - 1
    logic pos;   // T's copy of M
    logic one;   // SlotOne <- 1
    logic step;  // v <- s * v - M, or + M where v is negative
    logic fix;   // v + M where v is negative
  } row_t;

  // What follows a row.
  typedef struct packed {
    logic idle, load, out, start;
    row_t row;
  } next_t;

  // For the data path: the slot, one cycle after its operand address.
  typedef struct packed {
    logic       first;    // word 0 of a row: take s, no hi, carry c_init
    logic       last;     // the row's carry is kept in top
    logic       zero;     // 0 instead of the word of A
    logic       twice;    // the word of 2A, word 0 of the row left out
    logic       s_from_a; // s <- the word read in the cycle before; else
    logic       s_from_m; // s <- the quotient word; else s_const
    logic [1:0] s_const;
    logic       t_en;     // add the word of T; else its last word, always 0
    logic [1:0] c_init;
    logic       top_en;   // add top, the carry of the row before
    logic       t_we;     // write y to T
    logic       r_we;     // write y to the slot memory
    logic       sign_we;  // y's highest bit is the sign of what the row makes
    logic       sign_clr; // what a store begins with is not negative
    logic       m_we;     // m <- y
  } step_t;

  // From the word transfers: a nibble of a load.
  typedef struct packed {
    logic       valid;
    logic       first;  // of the load
    logic       last;   // of its last 32-bit word, at the place `index`
    logic [2:0] index;
    logic [3:0] value;
  } nibble_t;

endpackage
