// SPDX-License-Identifier: Apache-2.0
/// Control signals from mf_mul_booth16_control to the data path. Signals whose width depends on
/// parameters are separate ports. And the width of the accumulator.
package mf_mul_booth16_pkg;

  // Bits of S, signed: what README.md, Bounds, asks for.
  function automatic int unsigned sum_bits(
    input int unsigned num_bits, input int unsigned digit_bits, input bit booth
  );
    return num_bits + (digit_bits < 4 ? 3 : booth ? 5 : 6);
  endfunction

  // Signals of every column, one cycle ahead: each segment has a register of its own.
  typedef struct packed {
    logic wipe;      // clear data registers
    logic write_all; // write the sum to all banks
    logic fetch;     // load Y
    logic run;       // the array steps
    logic clear;     // the accumulator is cleared
  } columns_t;

  typedef struct packed {
    logic wipe;      // clear data registers
    // words and slots
    logic start;     // a command is accepted
    logic constant;  // the word written next is 1
    logic to_mod;    // the written word is one of the modulus, too
    logic get;       // a store reads words
    logic get_slot;  // ... of the slot, then those of the modulus
    // digits
    logic first;     // first digit of a multiplier
    logic no_digit;  // the next digit is 0
    logic top_digit; // the next digit is the multiplier's last
    logic top_quot;  // the next quotient digit is negative if halfway
    logic half;      // the next digit is +- 2^DigitBits / 2
    logic minus;     // sign of half
    logic two;       // the next digit is 2
    // array
    logic second;    // second pass of the carry
  } control_t;

endpackage
