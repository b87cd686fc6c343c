// SPDX-License-Identifier: Apache-2.0
/// What mf_mul_systolic_seq tells the array and the word units. Slot numbers and digits, which have
/// widths of their own, stand beside these in ports.
package mf_mul_systolic_pkg;

  // For every element, a cycle later for each step to the left.
  typedef struct packed {
    logic fill;  // accumulate another multiple
    logic first; // the multiple is the slot itself
    logic we_b;  // write it into the table of B
    logic we_m;  // write it into the table of M^
    logic inj;   // put the slot's digit on the way to the right
    logic wr;    // slot wr_addr <- sum
    logic arm;   // the next NumDigits digits are loaded into wr_addr
    logic ld;    // the digit a is one of them
    logic clear; // sum phase, first step: no sum yet
    logic late;  // with clear: add acc; else: modulo R (read-out)
  } element_t;

  // For element 0: digits for the next cycle's table phase.
  typedef struct packed {
    logic inj_lane; // what inj puts on its way belongs to the second lane
    logic a_stream; // a <- digit of the stream, else a_const
    logic a_quot;   // with quot: a <- floor(q * mu / 2^RadixBits)
    logic quot;     // q <- lowest digit of the sum, else 0
    logic find_mu;  // mu <- entry whose multiple ends in -1
    logic a_mu;     // a <- mu
  } source_t;

  // For the word units and the normaliser.
  typedef struct packed {
    logic       in_run;    // words in
    logic       in_note;   // ... of a modulus
    logic       out_start; // words out
    logic       out_en;    // ... a digit comes
    logic       neg_start;
    logic       neg_en;
    logic [1:0] neg_pass;
    logic       wipe;
  } units_t;

endpackage
