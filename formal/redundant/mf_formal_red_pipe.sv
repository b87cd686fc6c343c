// SPDX-License-Identifier: Apache-2.0
/// Proof: what a step of the pipelined form does to S, from any state of its registers. With D the
/// quotient's delay, S' the S of one step later, q = S mod B of D steps before S:
///
///   S' = S div B + x * y + M^ * q
///
/// digit by digit: what is above a digit's place in S or in a product is added to the next digit,
/// no bit is lost, and nothing else is added. So the multiples of M^ that come in are those of the
/// quotient digits that left, each D steps late; what follows for all steps, and the bound, are in
/// README.md. Digits of S are at most 5B + 14, those of a result at most B + 4; a result is S
/// with the D digits that left last.
///
/// Source   rtl/mul/redundant_mul/mf_mul_redundant_mul_pipe_array.sv; README.md there.
/// Latency  a step is two cycles; the proof is of the cycle that has enough cycles before it.
/// Assumes  no command begins (loads and clear low); digits of operands at most B + 4, of M^ at
///          most B + 2.
/// Ensures  the assertions.
module mf_formal_red_pipe #(
  parameter int unsigned Digits    = 3,
  parameter int unsigned ModDigits = 2,
  parameter int unsigned DigitBits = 5,
  parameter int unsigned Stages    = 1
) (
  input logic                              clk_i,
  input logic [ModDigits-1:0][DigitBits:0] mh_i
);

  localparam int unsigned Delay   = (Stages - 1) / 2;
  localparam int unsigned W       = DigitBits + 3;
  localparam int unsigned Past    = 4 + 2 * Delay; // cycles that are remembered
  localparam int unsigned Settled = Past + 4;      // the cycle that is proved
  typedef logic [W+2:0]           sum_t; // of a digit, none lost
  typedef logic [DigitBits:0]     factor_t;
  typedef logic [DigitBits-1:0]   principal_t;
  localparam int unsigned Radix = 1 << DigitBits;

  logic [Digits-1:0][DigitBits:0] z;
  mf_mul_redundant_mul_pipe_array #(
    .Digits    (Digits),
    .ModDigits (ModDigits),
    .DigitBits (DigitBits),
    .Stages    (Stages)
  ) u_dut (
    .clk_i,
    .load_x_i  (1'b0),
    .load_y_i  (1'b0),
    .shift_y_i (1'b0),
    .clear_i   (1'b0),
    .early_i   (1'b0),
    .slot_a_i  ('0),
    .slot_b_i  ('0),
    .mh_i      (mh_i),
    .z_o       (z)
  );

  // ---- the cycles before ----
  logic [4:0]                                    clock_q = '0;
  logic [Past:1][Digits:0][W-1:0]                s_q;
  logic [Past:1][Digits-1:0][2*DigitBits+1:0]    xy_q;
  logic [Past:1][Digits-1:0][DigitBits:0]        x_q;
  logic [Past:1][DigitBits:0]                    y_q;
  logic [ModDigits-1:0][DigitBits:0]             mh_q;
  always_ff @(posedge clk_i) begin
    clock_q <= clock_q + 5'd1;
    s_q     <= {s_q[Past-1:1], u_dut.s_q};
    xy_q    <= {xy_q[Past-1:1], u_dut.xy_q};
    x_q     <= {x_q[Past-1:1], u_dut.x_q};
    y_q     <= {y_q[Past-1:1], u_dut.y[0]};
    mh_q    <= mh_i;
  end

  // ---- multiples of M^ and of x, by the operands of then ----
  principal_t q;
  assign q = s_q[2+2*Delay][0][DigitBits-1:0];
  logic [Digits-1:0][2*DigitBits+1:0]  p;
  logic [ModDigits-1:0][2*DigitBits:0] k;
  for (genvar j = 0; j < Digits; j++) begin : gen_x_y
    mf_prim_mul #(.WidthA(DigitBits + 1), .WidthB(DigitBits + 1), .Stages(0)) u_mul (
      .clk_i, .a_i (x_q[3][j]), .b_i (y_q[3]), .p_o (p[j])
    );
  end
  for (genvar j = 0; j < ModDigits; j++) begin : gen_mh_q
    mf_prim_mul #(.WidthA(DigitBits + 1), .WidthB(DigitBits), .Stages(0)) u_mul (
      .clk_i, .a_i (mh_i[j]), .b_i (q), .p_o (k[j])
    );
  end

  // ---- digits ----
  sum_t [Digits:0] digit; // of S, from the step before
  sum_t [Digits:0] shown; // of a result
  logic            fit, operands_fit, digits_are, products_are, result_is;
  always_comb begin
    fit          = 1'b1;
    operands_fit = 1'b1;
    digits_are   = 1'b1;
    products_are = 1'b1;
    result_is    = 1'b1;
    for (int unsigned j = 0; j <= Digits; j++) begin
      digit[j] = sum_t'(s_q[2][j] >> DigitBits);
      if (j < Digits) begin
        digit[j] = digit[j] + sum_t'(s_q[2][(j+1)%(Digits+1)][DigitBits-1:0])
                 + sum_t'(xy_q[3][j%Digits][DigitBits-1:0]);
      end
      if (j > 0) digit[j] = digit[j] + sum_t'(xy_q[3][(j+Digits-1)%Digits] >> DigitBits);
      if (j < ModDigits) digit[j] = digit[j] + sum_t'(k[j%ModDigits][DigitBits-1:0]);
      if (j > 0 && j <= ModDigits)
        digit[j] = digit[j] + sum_t'(k[(j+ModDigits-1)%ModDigits] >> DigitBits);
      digits_are = digits_are && digit[j] == sum_t'(u_dut.s_q[j]);
      fit        = fit && u_dut.s_q[j] <= W'(5 * Radix + 14);
    end
    for (int unsigned j = 0; j < Digits; j++) begin
      if (j >= Delay) shown[j] = sum_t'(u_dut.s_q[(j-Delay)%(Digits+1)][DigitBits-1:0]);
      else shown[j] = sum_t'(s_q[2*((Delay+Digits-j)%Digits)][0][DigitBits-1:0]);
      if (j > Delay) shown[j] = shown[j] + sum_t'(u_dut.s_q[(j-Delay-1)%(Digits+1)] >> DigitBits);
      result_is    = result_is && shown[j] == sum_t'(z[j]);
      fit          = fit && z[j] <= factor_t'(Radix + 4);
      products_are = products_are && u_dut.xy_q[j] == p[j];
      operands_fit = operands_fit && u_dut.x_q[j] <= factor_t'(Radix + 4);
    end
    for (int unsigned g = 0; g <= (Digits - 1) / 8; g++)
      operands_fit = operands_fit && u_dut.y[g] <= factor_t'(Radix + 4) && u_dut.y[g] == u_dut.y[0];
    for (int unsigned j = 0; j < ModDigits; j++)
      operands_fit = operands_fit && mh_i[j] <= factor_t'(Radix + 2);
    a_operands: assume (operands_fit);
    a_steady:   assume (clock_q == '0 || mh_i == mh_q);
    if (clock_q == 5'(Settled)) begin
      a_products: assert (products_are);
      a_digits:   assert (digits_are);
      a_fit:      assert (fit);
      a_result:   assert (result_is);
    end
  end

endmodule
