// SPDX-License-Identifier: Apache-2.0
/// What enters the systolic array of qp_systolic at element 0 in every clock.
package mf_mul_qp_systolic_pkg;

  typedef struct packed {
    logic [17:0] x;        // digit of x; the lower bits where digits are shorter
    logic        q_zero;   // the quotient digit of this clock is 0
    logic        first;    // first step: the sum starts from 0
    logic        y_keep;   // go on with y; else take a new one, the OR of all that follows:
    logic        y_other;  // the result digit of the other context that passes now
    logic        y_unit;   // 1 in the last element
    logic [7:0]  y_slot;   // a slot; SlotMod, which is always 0, where none is meant
    logic        fin;      // the resolved digit is a digit of a result ...
    logic [7:0]  fin_slot; // ... for this slot
    logic        m_clear;  // forget mh
    logic        m_valid;  // x is a digit of mh
  } token_t;

endpackage
