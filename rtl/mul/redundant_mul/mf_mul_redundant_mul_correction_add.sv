// SPDX-License-Identifier: Apache-2.0
/// Adds 0, M, -M or -2M to a redundant number, for example to bring a product below M + e.
///
/// Source   [NAKANO09] section 6.
/// Model    modfab.models.redundant.RedundantNumbers.correction_add.
/// Latency  combinational.
/// Assumes  at most one of plus_i, one_i, two_i, and the copies alike. The result is not negative,
///          but with one_i.
/// Ensures  z = v - q * M, q = 1 with one_i, 2 with two_i, -1 with plus_i; digits of z_o but the
///          highest at most 2^DigitBits + 4, and below 2^DigitBits with Redundant 0. z_o[Digits]
///          is 0 unless plus_i; the highest digit has the sign if the result is negative.
module mf_mul_redundant_mul_correction_add #(
  parameter int unsigned Digits    = 4,  // digits of M, 2..512
  parameter int unsigned DigitBits = 16, // principal bits of a digit, 5..18
  parameter bit          Redundant = 1,
  parameter int unsigned Copies    = 1   // of one_i, two_i, plus_i: each has its part of the digits
) (
  input  logic [Digits:0][DigitBits+1:0]   v_i,
  input  logic [Digits-1:0][DigitBits-1:0] m_i,
  input  logic [Copies-1:0]                one_i,
  input  logic [Copies-1:0]                two_i,
  input  logic [Copies-1:0]                plus_i,
  output logic [Digits:0][DigitBits+1:0]   z_o
);

  localparam int unsigned W       = DigitBits + 2;
  localparam int unsigned LowBits = (Digits - 1) * DigitBits;
  localparam int unsigned TopBits = DigitBits + W;

  logic [TopBits-1:0]              top, top_n, top_z; // all above the lower digits
  logic [Digits*DigitBits:0]       m, m_twice;
  logic [Digits-2:0][DigitBits-1:0] n;                // addend: 0, M, ~M or ~2M
  logic [Digits-2:0][W-1:0]        low_z;
  logic                            negate;
  assign m       = (Digits*DigitBits+1)'(m_i);
  assign m_twice = {m_i, 1'b0};
  assign negate  = one_i[0] || two_i[0];
  assign top     = TopBits'({v_i[Digits], DigitBits'(0)}) + TopBits'(v_i[Digits-1]);
  always_comb begin
    for (int unsigned i = 0; i < Digits - 1; i++) begin
      n[i] = plus_i[i*Copies/Digits] ? m[i*DigitBits+:DigitBits] : '0;
      if (one_i[i*Copies/Digits]) n[i] = ~m[i*DigitBits+:DigitBits];
      if (two_i[i*Copies/Digits]) n[i] = ~m_twice[i*DigitBits+:DigitBits];
    end
    top_n = plus_i[Copies-1] ? TopBits'(m[LowBits+:DigitBits+1]) : '0;
    if (one_i[Copies-1]) top_n = ~TopBits'(m[LowBits+:DigitBits+1]);
    if (two_i[Copies-1]) top_n = ~TopBits'(m_twice[LowBits+:DigitBits+1]);
  end

  if (Redundant) begin : gen_redundant
    logic [Digits-2:0][DigitBits+2:0] sum; // of a digit < 5 * 2^DigitBits
    always_comb begin
      for (int unsigned i = 0; i < Digits - 1; i++) begin
        sum[i] = (W+1)'(v_i[i]) + (W+1)'(n[i]);
        if (i == 0) sum[i] = sum[i] + (W+1)'(negate);
      end
      for (int unsigned i = 0; i < Digits - 1; i++) begin
        low_z[i] = W'(sum[i][DigitBits-1:0]);
        if (i != 0) low_z[i] = low_z[i] + W'(sum[i-1][W:DigitBits]);
      end
    end
    assign top_z = top + top_n + TopBits'(sum[Digits-2][W:DigitBits]);
  end else begin : gen_plain
    logic [LowBits-1:0] low, low_sum, low_n;
    assign low_n = n;
    always_comb begin
      for (int unsigned i = 0; i < Digits - 1; i++)
        low[i*DigitBits+:DigitBits] = v_i[i][DigitBits-1:0];
    end
    always_comb begin
      for (int unsigned i = 0; i < Digits - 1; i++)
        low_z[i] = W'(low_sum[i*DigitBits+:DigitBits]);
    end
    assign {top_z, low_sum} = {top, low} + {top_n, low_n} + (LowBits+TopBits)'(negate);
    logic unused_v; // zero by assumption
    always_comb begin
      unused_v = 1'b0;
      for (int unsigned i = 0; i < Digits - 1; i++) unused_v ^= ^v_i[i][W-1:DigitBits];
    end
  end

  always_comb begin
    z_o = {W'(0), top_z[W-1:0], low_z};
    if (plus_i[Copies-1]) z_o[Digits-:2] = {top_z[TopBits-1:DigitBits], W'(top_z[DigitBits-1:0])};
  end

endmodule
