// SPDX-License-Identifier: Apache-2.0
/// What the controls of the redundant engines tell their data paths. Slots, digits and words, whose
/// numbers have widths of their own, stand beside these in ports.
package mf_mul_redundant_mul_pkg;

  // One product at a time, PipelineStages = 0.
  typedef struct packed {
    logic wipe;
    logic clear;      // the accumulator becomes 0
    logic step;       // ... x * y + c
    logic step_d;     // ... in the next clock
    logic late;       // c is the product; the next clock writes it
    logic write;      // write the correction's result
    logic word;       // a word is awaited
    logic to_mod;     // the word or value belongs to the modulus
    logic mod_load;   // M <- accumulator
    logic mod_shift;
    logic make_table; // table or inverse is being made
    logic take_a;     // the next clock reads the product as slot a
    logic take_b;     // ... as slot b
    logic from_b;     // ... takes its first digit from slot b
    logic one;        // the correction takes 1
  } control_t;

  // What the correction (mf_mul_redundant_mul_fix) takes and does in the next clock; 0 where
  // none of acc, twice, half and slot is set. Known a clock ahead, since it goes to every digit.
  typedef struct packed {
    logic acc;        // it takes the accumulator
    logic twice;      // ... its double
    logic half;       // ... its half
    logic slot;       // ... slot a
    logic word;       // the accumulator takes a new word when there is one
    logic reduce;     // M is taken off as often as it has to be
    logic minus;      // ... once
    logic plus;       // M is added
  } fix_t;

endpackage
