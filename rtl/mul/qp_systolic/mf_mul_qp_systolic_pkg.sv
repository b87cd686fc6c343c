// SPDX-License-Identifier: Apache-2.0
/// Types between the modules of qp_systolic, and the cycle counts of its folded array.
package mf_mul_qp_systolic_pkg;

  // Input of element 0 of the array, in every cycle.
  typedef struct packed {
    logic [17:0] x;        // digit of x; the lower bits where digits are shorter
    logic        q_zero;   // the quotient digit of this cycle is 0
    logic        first;    // first step: the sum starts from 0
    logic [7:0]  y_slot;   // slot of y in the next cycle; SlotMod (reads 0) with y_other or y_unit
    logic        y_other;  // y is the newest result digit of the other lane
    logic        y_unit;   // y is 1 in the last element, 0 in the others
    logic        fin;      // the resolved digit is a digit of a result ...
    logic [7:0]  fin_slot; // ... for this slot
    logic        keep;     // with fin, where not every slot can be y: the elements keep it
    logic        m_clear;  // clear mh
    logic        m_valid;  // x is a digit of mh
  } token_t;

  // A token without `keep`, for two ports on elements that keep every slot.
  typedef struct packed {
    logic [17:0] x;
    logic        q_zero;
    logic        first;
    logic [7:0]  y_slot;
    logic        y_other;
    logic        y_unit;
    logic        fin;
    logic [7:0]  fin_slot;
    logic        m_clear;
    logic        m_valid;
  } port_token_t;

  // Beside it with tables for q * mh; belongs to the quotient digit of this cycle.
  typedef struct packed {
    logic [8:0]  index;    // the lower bits of q with q_zero: number of a table's entry ...
    logic        write;    // ... to be written
    logic        modulus;  // 1: of the second modulus
  } entry_t;

  // One product.
  typedef struct packed {
    logic          outside; // x comes from digit_i instead of slot x ...
    logic          shift;   // ... times 2^(w * Guard)
    logic          mh;      // ... and is mh: the result is not used
    logic          y_unit;  // y = 2^(w * (NumDigits - 1)) instead of slot y
    logic          sum;     // slot x is added, with outside and shift
    mf_pkg::slot_t x;
    mf_pkg::slot_t y;
    mf_pkg::slot_t dst;
  } product_t;

  // Command to the array: a product, or a pair of products with the same y.
  typedef struct packed {
    product_t      lane0;
    logic          two;     // a pair
    mf_pkg::slot_t x1;
    mf_pkg::slot_t dst1;
  } products_t;

  // Read of the x memory while no product runs.
  typedef struct packed {
    logic          valid;
    mf_pkg::slot_t slot;
    logic [10:0]   index;
  } read_t;

  // Wipe of memories and elements; addr counts through all values.
  typedef struct packed {
    logic        all;       // during the whole wipe
    logic        slot;      // full array: two cycles for each slot of the elements, in order
    logic        fill;      // tables: two cycles for each entry, in order
    logic [17:0] addr;
  } wipe_t;

  // ---- tables for q * mh: a RAM has digit j of v * mh for all v of table_bits bits; the other
  //      bits of q read it a second time ----
  function automatic int unsigned table_bits(input int unsigned digit_bits);
    table_bits = digit_bits < 9 ? digit_bits : 9;
  endfunction

  // Two cycles an entry, of which a port of a dual-port engine has one.
  function automatic int unsigned fill_cycles(input int unsigned digit_bits);
    fill_cycles = 2 * 2 ** table_bits(digit_bits);
  endfunction

  // ---- folded array: cycles of a pass over all digits, of the last pass, of a product or a pair
  //      (whose passes alternate) ----
  // A sum that leaves the last element returns to the first one after at least pass_cycles; a digit
  // of a result is available to the next product after last_cycles. Lane 0 of a pair delays the
  // write of its result until lane 1 has read its operands.
  function automatic int unsigned pass_cycles(input int unsigned num_digits,
                                              input int unsigned num_elements,
                                              input int unsigned lanes);
    pass_cycles = (2 * num_elements + 4 + lanes - 1) / lanes;
    if (pass_cycles < num_digits) pass_cycles = num_digits;
  endfunction

  function automatic int unsigned last_cycles(input int unsigned num_digits,
                                              input int unsigned num_elements,
                                              input int unsigned mul_stages,
                                              input int unsigned lanes);
    last_cycles = pass_cycles(num_digits, num_elements, lanes) + (lanes == 2 ? 2 : 0);
    if (last_cycles < 2 * num_elements + mul_stages + 8)
      last_cycles = 2 * num_elements + mul_stages + 8;
  endfunction

  function automatic int unsigned product_cycles(input int unsigned num_digits,
                                                 input int unsigned num_elements,
                                                 input int unsigned num_passes,
                                                 input int unsigned mul_stages,
                                                 input int unsigned lanes);
    product_cycles = (lanes * num_passes - 1) * pass_cycles(num_digits, num_elements, lanes)
                     + last_cycles(num_digits, num_elements, mul_stages, lanes);
  endfunction

endpackage
