// SPDX-License-Identifier: Apache-2.0
/// Redundant number times one digit, plus a redundant number: t = x * y + c, no carry that runs.
///
/// Source   [NAKANO09] Lemma 3; with c = 0 Lemma 2.
/// Model    modfab.models.redundant.RedundantNumbers.product_sum.
/// Latency  combinational.
/// Assumes  XBits, YBits <= DigitBits + 2, DigitBits >= 5. Redundant 0: digits of x and c but the
///          highest, and every product of a digit but the highest, have no bits above their place.
/// Ensures  the value of t_o is x * y + c; a digit of t_o below 3 * 2^DigitBits + 16. low_o is the
///          lowest digit of x * y; with Redundant 1 the sum of mid_o, the principal bits of c_i[1]
///          and the others of c_i[0] is t_o[1] modulo 2^DigitBits; high_o is part of t_o[Digits].
module mf_redundant_mac #(
  parameter int unsigned Digits    = 4,  // digits of x, 2..512
  parameter int unsigned DigitBits = 16, // principal bits of a digit, 5..18
  parameter int unsigned XBits     = 18, // bits of a digit of x
  parameter int unsigned YBits     = 18, // bits of y
  parameter bit          Redundant = 1,
  parameter int unsigned YCopies   = 1   // copies of y, each for its own part of the digits
) (
  input  logic                             clk_i, // for the multipliers; they have no registers
  input  logic [Digits-1:0][XBits-1:0]     x_i,
  input  logic [YCopies-1:0][YBits-1:0]    y_i,
  input  logic [Digits:0][DigitBits+1:0]   c_i,
  output logic [Digits+1:0][DigitBits+1:0] t_o,
  output logic [DigitBits-1:0]             low_o,
  output logic [1:0][DigitBits-1:0]        mid_o, // the products' part of t_o[1], available early
                                                  // for this digit
  output logic [DigitBits-1:0]             high_o // the highest product's part of t_o[Digits]
);

  localparam int unsigned W = DigitBits + 2;

  logic [Digits-1:0][3*DigitBits-1:0] p; // product of a digit: three parts, the highest 4 bits
  for (genvar i = 0; i < Digits; i++) begin : gen_products
    logic [XBits+YBits-1:0] product;
    mf_prim_mul #(.WidthA(XBits), .WidthB(YBits), .Stages(0)) u_mul (
      .clk_i,
      .a_i (x_i[i]),
      .b_i (y_i[i*YCopies/Digits]),
      .p_o (product)
    );
    assign p[i] = (3*DigitBits)'(product);
  end

  assign low_o     = p[0][DigitBits-1:0];
  assign high_o    = p[Digits-1][2*DigitBits-1:DigitBits];
  assign mid_o     = {p[1][DigitBits-1:0], p[0][DigitBits+:DigitBits]};

  if (Redundant) begin : gen_redundant
    always_comb begin
      t_o = '0;
      for (int unsigned i = 0; i < Digits; i++) begin // < 3 * 2^DigitBits + 15 + 3
        t_o[i]   = t_o[i] + W'(p[i][DigitBits-1:0]);
        t_o[i+1] = t_o[i+1] + W'(p[i][2*DigitBits-1:DigitBits]);
        t_o[i+2] = t_o[i+2] + W'(p[i][3*DigitBits-1:2*DigitBits]);
      end
      for (int unsigned i = 0; i <= Digits; i++) begin
        t_o[i]   = t_o[i] + W'(c_i[i][DigitBits-1:0]);
        t_o[i+1] = t_o[i+1] + W'(c_i[i][W-1:DigitBits]);
      end
    end
  end else begin : gen_plain
    localparam int unsigned FlatBits = (Digits + 2) * DigitBits;
    logic [FlatBits-1:0] low, high, c, sum;
    always_comb begin
      low  = '0;
      high = '0;
      c    = FlatBits'(c_i[Digits]) << (Digits * DigitBits);
      for (int unsigned i = 0; i < Digits; i++) begin
        low[i*DigitBits+:DigitBits]      = p[i][DigitBits-1:0];
        high[(i+1)*DigitBits+:DigitBits] = p[i][2*DigitBits-1:DigitBits];
        c[i*DigitBits+:DigitBits]        = c_i[i][DigitBits-1:0];
      end
      high[(Digits+1)*DigitBits+:DigitBits] = p[Digits-1][3*DigitBits-1:2*DigitBits];
      sum = low + high + c;
      for (int unsigned i = 0; i < Digits + 2; i++) t_o[i] = W'(sum[i*DigitBits+:DigitBits]);
    end
    logic unused_high; // zero by assumption
    always_comb begin
      unused_high = 1'b0;
      for (int unsigned i = 0; i < Digits; i++)
        unused_high ^= ^p[i][3*DigitBits-1:2*DigitBits] ^ ^c_i[i][W-1:DigitBits];
    end
  end

endmodule
