// SPDX-License-Identifier: Apache-2.0
/// Product modulo m, one bit of the first factor a cycle, the highest first.
///
/// Source   [LIAO24] Algorithm 2, the modulo product of Algorithm 5. Not for keys: README.md beside
///          this file.
/// Model    modfab.models.paper_crt.
/// Latency  NumBits cycles of step_i after the one of load_i.
/// Assumes  b_i < m_i, both stable from load_i to the last step.
/// Ensures  product_o = a * b_i mod m_i, a the value of a_i with load_i.
module mf_liao_chen_modmul #(
  parameter int unsigned NumBits = 128 // bits of each factor and of m
) (
  input  logic               clk_i,
  input  logic               load_i,
  input  logic               step_i,
  input  logic [NumBits-1:0] a_i,
  input  logic [NumBits-1:0] b_i,
  input  logic [NumBits-1:0] m_i,
  output logic [NumBits-1:0] product_o
);

  logic [NumBits-1:0] a_q, sum_q, reduced;
  logic [NumBits:0]   twice, doubled, added; // twice and added < 2 * m

  assign twice   = {sum_q, 1'b0};
  assign doubled = twice >= {1'b0, m_i} ? twice - {1'b0, m_i} : twice; // ct-ok: a mux
  assign added   = doubled + (a_q[NumBits-1] ? {1'b0, b_i} : '0);      // ct-ok: a mux
  assign reduced = NumBits'(added >= {1'b0, m_i} ? added - {1'b0, m_i} : added); // ct-ok: a mux

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      a_q   <= a_i;
      sum_q <= '0;
    end else if (step_i) begin
      a_q   <= a_q << 1;
      sum_q <= reduced;
    end
  end
  assign product_o = sum_q;

endmodule
