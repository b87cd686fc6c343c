// SPDX-License-Identifier: Apache-2.0
/// What enters the systolic array of qp_systolic at element 0 in every clock.
package mf_mul_qp_systolic_pkg;

  typedef struct packed {
    logic [17:0] x;        // digit of x; the lower bits where digits are shorter
    logic        q_zero;   // the quotient digit of this clock is 0
    logic        first;    // first step: the sum starts from 0
    logic [7:0]  y_slot;   // slot of y in the next clock; SlotMod, which is always 0, where y is
                           // one of these instead:
    logic        y_other;  // the result digit of the other context that has just been made
    logic        y_unit;   // 1 in the last element
    logic        fin;      // the resolved digit is a digit of a result ...
    logic [7:0]  fin_slot; // ... for this slot
    logic        m_clear;  // forget mh
    logic        m_valid;  // x is a digit of mh
  } token_t;

  // ---- folded array: clocks of a pass of all digits, of the last one, and of a product or a pair,
  //      whose passes take turns ----
  // A sum that leaves the last element can be used by the first one after pass_clocks at least, a
  // digit of a result by the next product after last_clocks. Lane 0 of a pair holds its result back
  // until lane 1 has read its operands.
  function automatic int unsigned pass_clocks(input int unsigned num_digits,
                                              input int unsigned num_elements,
                                              input int unsigned lanes);
    pass_clocks = (2 * num_elements + 4 + lanes - 1) / lanes;
    if (pass_clocks < num_digits) pass_clocks = num_digits;
  endfunction

  function automatic int unsigned last_clocks(input int unsigned num_digits,
                                              input int unsigned num_elements,
                                              input int unsigned mul_stages,
                                              input int unsigned lanes);
    last_clocks = pass_clocks(num_digits, num_elements, lanes) + (lanes == 2 ? 2 : 0);
    if (last_clocks < 2 * num_elements + mul_stages + 8)
      last_clocks = 2 * num_elements + mul_stages + 8;
  endfunction

  function automatic int unsigned product_clocks(input int unsigned num_digits,
                                                 input int unsigned num_elements,
                                                 input int unsigned num_passes,
                                                 input int unsigned mul_stages,
                                                 input int unsigned lanes);
    product_clocks = (lanes * num_passes - 1) * pass_clocks(num_digits, num_elements, lanes)
                     + last_clocks(num_digits, num_elements, mul_stages, lanes);
  endfunction

endpackage
