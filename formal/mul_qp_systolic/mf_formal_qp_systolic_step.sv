// SPDX-License-Identifier: Apache-2.0
/// Proof: u of an element fits 2w bits and s 2w + 1 bits, for all products of digits, and the part
/// of s above its digit keeps the bound that this takes.
///
/// Source   rtl/mul/qp_systolic/README.md, Widths.
/// Latency  combinational: the registers between the two additions are left out.
/// Assumes  products of digits; a sum within the bound before the step.
/// Ensures  the assertions. Without the bound on the sum before, a_u fails.
module mf_formal_qp_systolic_step #(
  parameter int unsigned DigitBits = 18,
  localparam int unsigned ProductBits = 2 * DigitBits,
  localparam int unsigned SumBits     = 2 * DigitBits + 1
) (
  input logic [SumBits-1:0]     s_i,     // the element's sum before, but for
  input logic                   e_i,     // a carry into bit DigitBits
  input logic [DigitBits-1:0]   above_i, // the digit of its neighbour's
  input logic                   first_i,
  input logic [ProductBits-1:0] px_i,
  input logic [ProductBits-1:0] pq_i
);

  localparam int unsigned WideBits = SumBits + 2;
  typedef logic [WideBits-1:0] wide_t;
  localparam wide_t Digit      = wide_t'(2 ** DigitBits - 1); // the largest
  localparam wide_t MaxProduct = Digit * Digit;
  localparam wide_t MaxHigh    = 2 * Digit;

  logic [ProductBits-1:0] u;
  logic [SumBits-1:0]     s;
  logic [DigitBits-1:0]   gated, save, majority;
  logic [DigitBits:0]     top;
  logic [DigitBits:1]     low;
  logic                   e, unused_low, unused_high;
  mf_prim_add_gate #(.WidthBits(ProductBits+1)) u_add (
    .en_i (!first_i),
    .a_i  ((ProductBits+1)'({s_i[SumBits-1:DigitBits], e_i})),
    .b_i  ({px_i, e_i}),
    .s_o  ({u, unused_low})
  );
  assign gated    = first_i ? '0 : above_i;
  assign save     = u[DigitBits-1:0] ^ pq_i[DigitBits-1:0] ^ gated;
  assign majority = (u[DigitBits-1:0] & pq_i[DigitBits-1:0])
                  | (gated & (u[DigitBits-1:0] | pq_i[DigitBits-1:0]));
  assign {top, unused_high} = (DigitBits+2)'({u[ProductBits-1:DigitBits], 1'b1})
                              + (DigitBits+2)'({pq_i[ProductBits-1:DigitBits],
                                                majority[DigitBits-1]});
  assign low = DigitBits'(save[DigitBits-1:1]) + DigitBits'(majority[DigitBits-2:0]);
  assign e   = low[DigitBits];
  assign s   = {top, low[DigitBits-1:1], save[0]};

  wide_t kept, high;
  assign kept = wide_t'(s_i >> DigitBits) + wide_t'(e_i);
  assign high   = first_i ? '0 : kept;
  always_comb begin
    assume (wide_t'(px_i) <= MaxProduct && wide_t'(pq_i) <= MaxProduct);
    assume (kept <= MaxHigh);
    a_u:    assert (wide_t'(u) == high + wide_t'(px_i));
    a_s:    assert (wide_t'(s) + (wide_t'(e) << DigitBits)
                    == high + wide_t'(px_i) + wide_t'(pq_i) + wide_t'(gated));
    a_high: assert (wide_t'(s >> DigitBits) + wide_t'(e) <= MaxHigh);
  end

endmodule
