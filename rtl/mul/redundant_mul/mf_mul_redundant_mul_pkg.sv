// SPDX-License-Identifier: Apache-2.0
/// Control signals from the controllers of the redundant engines to their data paths. Signals whose
/// width depends on parameters are separate ports.
package mf_mul_redundant_mul_pkg;

  // One product at a time, PipelineStages = 0.
  typedef struct packed {
    logic wipe;
    logic clear;      // the accumulator becomes 0
    logic step;       // ... x * y + c
    logic step_d;     // ... in the next cycle
    logic late;       // c is the product; the next cycle writes it
    logic write;      // write the correction's result
    logic word;       // a word is awaited
    logic to_mod;     // the word or value belongs to the modulus
    logic mod_load;   // M <- accumulator
    logic mod_shift;
    logic make_table; // table or inverse is being made
    logic take_a;     // the next cycle reads the product as slot a
    logic take_b;     // ... as slot b
    logic from_b;     // ... takes its first digit from slot b
    logic one;        // the correction takes 1
  } control_t;

  // Operand and operation of mf_mul_redundant_mul_correction_add in the next cycle; the operand is
  // 0 where none of acc, twice, half and slot is set. Sent a cycle ahead: every digit takes it.
  typedef struct packed {
    logic acc;        // operand: the accumulator
    logic twice;      // ... twice the accumulator
    logic half;       // ... half of the accumulator
    logic slot;       // ... slot a
    logic word;       // the accumulator takes a new word when there is one
    logic reduce;     // subtract M or 2M as selected
    logic minus;      // subtract M
    logic plus;       // add M
  } correction_t;

  // PipelineStages above 0: passes one register, then copies of a second one.
  typedef struct packed {
    logic       write;
    logic [1:0] write_from; // 0 nothing, 1 words, 2 adder, 3 array
    logic [7:0] write_addr; // a slot number, as the next two
    logic [7:0] read_a;
    logic [7:0] read_b;
    logic       load_x;     // the array takes a factor
    logic       load_y;
    logic       shift_y;
    logic       clear;
    logic       early;
    logic       wipe;
    logic       start;      // cycle 0 of an operation of the adder
    logic       half;
    logic       m_load;
    logic       m_left;
    logic       m_right;
    logic       mh_load;
    logic [2:0] source;
    logic [2:0] add;
  } pipe_control_t;

  // PipelineStages above 0: the words of a load or store, in this cycle.
  typedef struct packed {
    logic take;   // words <- adder
    logic move;   // words move one down
    logic first;  // a load's first word comes next
    logic last;   // a load's last word comes next
    logic to_mod;
  } words_t;

endpackage
