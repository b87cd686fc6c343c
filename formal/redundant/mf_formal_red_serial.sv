// SPDX-License-Identifier: Apache-2.0
/// Proof: the digits that leave, with what stays above them, are x * y after each digit of y.
///
/// Source   formal/redundant/mf_redundant_serial.sv; [NAKANO09] Lemma 4.
/// Latency  Digits cycles from first_i.
/// Assumes  x steady, first_i in the first cycle only.
/// Ensures  the assertions, Digits of them.
module mf_formal_red_serial #(
  parameter int unsigned Digits    = 2,
  parameter int unsigned DigitBits = 5
) (
  input logic                             clk_i,
  input logic [Digits-1:0][DigitBits+1:0] x_i,
  input logic [DigitBits+1:0]             y_i
);

  localparam int unsigned W    = DigitBits + 2;
  localparam int unsigned Bits = (2 * Digits + 2) * DigitBits + 6;

  logic [W-1:0]           digit;
  logic [Digits:0][W-1:0] rest;
  logic [3:0]             clock_q = '0; // digits of y that have been taken
  logic [Digits-1:0][W-1:0] x_q;
  logic [Bits-1:0]        out_q = '0, want_q = '0;

  mf_redundant_serial #(.Digits(Digits), .DigitBits(DigitBits)) u_dut (
    .clk_i,
    .first_i (clock_q == '0),
    .step_i  (1'b1),
    .x_i,
    .y_i,
    .digit_o (digit),
    .rest_o  (rest)
  );

  logic [Digits-1:0][2*W-1:0] p; // the products of this cycle
  for (genvar i = 0; i < Digits; i++) begin : gen_products
    mf_prim_mul #(.WidthA(W), .WidthB(W), .Stages(0)) u_mul (
      .clk_i, .a_i (x_i[i]), .b_i (y_i), .p_o (p[i])
    );
  end

  logic [Bits-1:0] product, above;
  always_comb begin
    product = '0;
    above   = '0;
    for (int unsigned i = 0; i < Digits; i++)
      product = product + (Bits'(p[i]) << ((32'(clock_q) + i) * DigitBits));
    for (int unsigned i = 0; i <= Digits; i++)
      above = above + (Bits'(rest[i]) << ((32'(clock_q) + i) * DigitBits));
  end
  always_ff @(posedge clk_i) begin
    clock_q <= clock_q + 4'd1;
    x_q     <= x_i;
    out_q   <= out_q + (Bits'(digit) << (32'(clock_q) * DigitBits));
    want_q  <= want_q + product;
  end
  always_comb begin
    a_steady: assume (clock_q == '0 || x_i == x_q);
    a_value:  assert (clock_q == '0 || clock_q > 4'(Digits) || out_q + above == want_q);
  end

endmodule
