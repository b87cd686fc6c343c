// SPDX-License-Identifier: Apache-2.0
/// Proof: the digits that elements add, with a carry from one to the next, are entry + mh; at rest
/// they are mh; digits of two entries at their weights are the entries' sum; each is within the
/// bound of a product of two digits, which mf_formal_qp_systolic_step takes.
///
/// Source   rtl/mul/qp_systolic/README.md, Tables. By induction from entry(0) = 0, entry(v) is
///          v * mh; with q = lower + 2^TableBits * upper the sum of entry(lower) and
///          2^TableBits * entry(upper) is q * mh.
/// Latency  combinational: the registers between elements delay all digits of an entry alike.
/// Assumes  nothing: any digits.
/// Ensures  the assertions.
module mf_formal_qp_systolic_table #(
  parameter int unsigned DigitBits = 18,
  localparam int unsigned NumDigits = 3,
  localparam int unsigned TableBits = DigitBits < 9 ? DigitBits : 9
) (
  input logic                                fill_i,
  input logic [NumDigits-1:0][DigitBits-1:0] lower_i, // entry read at the lower bits of q
  input logic [NumDigits-1:0][DigitBits-1:0] upper_i, // and at the upper ones
  input logic [NumDigits-1:0][DigitBits-1:0] mh_i
);

  localparam int unsigned WideBits = NumDigits * DigitBits + TableBits + 2;
  typedef logic [WideBits-1:0]    wide_t;
  typedef logic [2*DigitBits-1:0] product_t;

  // ---- the next entry ----
  logic [NumDigits-1:0][DigitBits-1:0] next;
  logic [NumDigits:0]                  carry;
  logic [NumDigits-1:0]                unused_lowest;
  assign carry[0] = 1'b0;
  for (genvar j = 0; j < int'(NumDigits); j++) begin : gen_element
    mf_prim_add_gate #(.WidthBits(DigitBits+2)) u_entry (
      .en_i (fill_i),
      .a_i  ({1'b0, lower_i[j], carry[j]}),
      .b_i  ({1'b0, mh_i[j], carry[j]}),
      .s_o  ({carry[j+1], next[j], unused_lowest[j]})
    );
  end

  // ---- the product of a quotient digit ----
  localparam product_t MaxDigit = product_t'(2 ** DigitBits - 1);
  product_t [NumDigits-1:0] both;
  wide_t [NumDigits:0]      sum;
  assign sum[0] = '0;
  for (genvar j = 0; j < int'(NumDigits); j++) begin : gen_product
    if (DigitBits == TableBits) begin : gen_whole
      assign both[j] = product_t'(lower_i[j]);
    end else begin : gen_halves
      assign both[j] = product_t'(lower_i[j]) + (product_t'(upper_i[j]) << TableBits);
    end
    assign sum[j+1] = sum[j] + (wide_t'(both[j]) << (DigitBits * j));
    always_comb a_bound: assert (both[j] <= MaxDigit * MaxDigit);
  end

  wide_t upper;
  assign upper = DigitBits == TableBits ? '0 : wide_t'(upper_i) << TableBits;
  always_comb begin
    a_next:    assert (!fill_i || wide_t'({carry[NumDigits], next}) == wide_t'(lower_i)
                                                                      + wide_t'(mh_i));
    a_rest:    assert (fill_i || {carry, next} == {(NumDigits+1)'(0), mh_i});
    a_product: assert (sum[NumDigits] == wide_t'(lower_i) + upper);
  end

endmodule
