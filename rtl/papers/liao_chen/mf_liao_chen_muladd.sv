// SPDX-License-Identifier: Apache-2.0
/// a + b * c as an integer, one bit of b a cycle, the lowest first.
///
/// The high half of one register begins as a and takes c where the bit of b is one; the low half
/// begins as b and receives what is shifted out, so that a keeps the weight 1.
///
/// Source   [LIAO24] Algorithm 5, line 13. Not for keys: README.md beside this file.
/// Model    modfab.models.paper_crt.
/// Latency  NumBits cycles of step_i after the one of load_i.
/// Assumes  c_i stable from load_i to the last step.
/// Ensures  sum_o = a + b * c_i, a and b the values of a_i and b_i with load_i.
module mf_liao_chen_muladd #(
  parameter int unsigned NumBits = 128 // bits of each operand
) (
  input  logic                 clk_i,
  input  logic                 load_i,
  input  logic                 step_i,
  input  logic [NumBits-1:0]   a_i,
  input  logic [NumBits-1:0]   b_i,
  input  logic [NumBits-1:0]   c_i,
  output logic [2*NumBits-1:0] sum_o
);

  logic [NumBits-1:0] high_q, low_q;
  logic [NumBits:0]   high;
  assign high = {1'b0, high_q} + (low_q[0] ? {1'b0, c_i} : '0); // ct-ok: a mux

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      high_q <= a_i;
      low_q  <= b_i;
    end else if (step_i) begin
      {high_q, low_q} <= (2*NumBits)'({high, low_q} >> 1); // the sum is below 2^(2*NumBits)
    end
  end
  assign sum_o = {high_q, low_q};

endmodule
