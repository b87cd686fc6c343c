// SPDX-License-Identifier: Apache-2.0
/// One addition of 0, M, -M or -2M to a redundant number; also what brings a product below M + e.
///
/// Source   [NAKANO09] section 6; the two thresholds instead of its one are D1 in README.md.
/// Model    modfab.models.redundant.fix.
/// Latency  combinational.
/// Assumes  at most one of minus_i, plus_i, auto_i. With auto_i v < 2M + 11 * 2^(DigitBits *
///          (Digits-1)).
/// Ensures  z = v - q * M, q = 1 with minus_i, -1 with plus_i, 0, 1 or 2 with auto_i so that
///          0 <= z; digits of z_o but the highest at most 2^DigitBits + 4, and below 2^DigitBits
///          with Redundant 0. z_o[Digits] is 0 unless plus_i; the highest digit has a sign after
///          minus_i.
module mf_mul_redundant_mul_fix #(
  parameter int unsigned Digits    = 4,  // digits of M, 2..512
  parameter int unsigned DigitBits = 16, // principal bits of a digit, 5..18
  parameter bit          Redundant = 1
) (
  input  logic [Digits:0][DigitBits+1:0]   v_i,
  input  logic [Digits-1:0][DigitBits-1:0] m_i,
  input  logic                             auto_i,
  input  logic                             minus_i,
  input  logic                             plus_i,
  output logic [Digits:0][DigitBits+1:0]   z_o
);

  localparam int unsigned W       = DigitBits + 2;
  localparam int unsigned LowBits = (Digits - 1) * DigitBits;
  localparam int unsigned TopBits = DigitBits + W;

  logic [TopBits-1:0]                            top; // all above the lower digits
  logic [Digits*DigitBits-1:0]                   m;
  logic [2:0][LowBits+TopBits-1:0]               n;   // what is added: 0 or M; ~M; ~2M
  logic [2:0][TopBits-1:0]                       top_z;
  logic [2:0][Digits-2:0][W-1:0]                 low_z;
  logic                                          one, two;

  // All three results are made while the highest digits are compared: the choice is a wide
  // broadcast, and nothing but a multiplexer comes after it.
  assign m    = m_i;
  assign top  = TopBits'({v_i[Digits], DigitBits'(0)}) + TopBits'(v_i[Digits-1]);
  assign two  = auto_i && top[W-1:0] > W'({m_i[Digits-1], 1'b1});
  assign one  = minus_i || (auto_i && !two && top[W-1:0] > W'(m_i[Digits-1]));
  assign n[0] = plus_i ? (LowBits+TopBits)'(m) : '0;
  assign n[1] = ~(LowBits+TopBits)'(m);
  assign n[2] = ~(LowBits+TopBits)'({m, 1'b0});

  for (genvar k = 0; k < 3; k++) begin : gen_results
    localparam bit Negate = k != 0;
    if (Redundant) begin : gen_redundant
      // sum of a digit < 5 * 2^DigitBits
      logic [Digits-2:0][DigitBits+2:0] sum;
      always_comb begin
        for (int unsigned i = 0; i < Digits - 1; i++) begin
          sum[i] = (W+1)'(v_i[i]) + (W+1)'(n[k][i*DigitBits+:DigitBits]);
          if (i == 0) sum[i] = sum[i] + (W+1)'(Negate);
        end
        for (int unsigned i = 0; i < Digits - 1; i++) begin
          low_z[k][i] = W'(sum[i][DigitBits-1:0]);
          if (i != 0) low_z[k][i] = low_z[k][i] + W'(sum[i-1][W:DigitBits]);
        end
      end
      assign top_z[k] = top + n[k][LowBits+:TopBits] + TopBits'(sum[Digits-2][W:DigitBits]);
    end else begin : gen_plain
      logic [LowBits-1:0] low, low_sum;
      always_comb begin
        for (int unsigned i = 0; i < Digits - 1; i++) begin
          low[i*DigitBits+:DigitBits] = v_i[i][DigitBits-1:0];
          low_z[k][i] = W'(low_sum[i*DigitBits+:DigitBits]);
        end
      end
      assign {top_z[k], low_sum} = {top, low} + n[k] + (LowBits+TopBits)'(Negate);
    end
  end
  if (!Redundant) begin : gen_unused
    logic unused_v; // zero by assumption
    always_comb begin
      unused_v = 1'b0;
      for (int unsigned i = 0; i < Digits - 1; i++) unused_v ^= ^v_i[i][W-1:DigitBits];
    end
  end

  always_comb begin
    z_o = {W'(0), top_z[0][W-1:0], low_z[0]};
    if (plus_i) z_o[Digits-:2] = {top_z[0][TopBits-1:DigitBits], W'(top_z[0][DigitBits-1:0])};
    if (one)    z_o = {W'(0), top_z[1][W-1:0], low_z[1]};
    if (two)    z_o = {W'(0), top_z[2][W-1:0], low_z[2]};
  end

endmodule
