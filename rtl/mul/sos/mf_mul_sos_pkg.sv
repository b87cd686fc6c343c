// SPDX-License-Identifier: Apache-2.0
/// Control signals from mf_mul_sos_ctrl to the data path, memories and word registers. Signals
/// whose width depends on parameters are separate ports.
package mf_mul_sos_pkg;

  // For the data path: the slot, one cycle after its operand address; and N' at any time.
  typedef struct packed {
    logic       first;     // word 0 of a row: take s, no hi, carry c_init
    logic       last;      // the row's carry is kept in top
    logic       s_from_b;  // s <- the word of B
    logic       s_from_m;  // s <- the quotient word; else s_const
    logic [1:0] s_const;
    logic       t_en;      // add the word of T; else its last word, always 0
    logic [1:0] c_init;
    logic       top_en;    // add top, the carry of the row before
    logic       t_we;      // write y to T
    logic       r_we;      // write y to the slot memory
    logic       r_top;     // and then top, one word above
    logic       m_we;      // a new quotient word comes from this y
    logic       ninv_one;  // N' <- 1
    logic       ninv_load; // N' <- m
  } step_t;

  // For the memories and the words of a load or store.
  typedef struct packed {
    logic wipe;
    logic t_neg;    // T takes complements
    logic load_en;  // the last transfer completed a word of the slot
    logic load_top; // then a zero word
    logic w_clear;  // writes into the slot of the result begin at its word 0
    logic show;     // a word of T is on its way to the output
    logic half;     // WordBits 64: this transfer is a high half
  } memory_t;

endpackage
