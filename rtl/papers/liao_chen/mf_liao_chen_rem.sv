// SPDX-License-Identifier: Apache-2.0
/// Remainder by restoring division, one bit of the dividend a cycle, the highest first.
///
/// Source   [LIAO24] Algorithm 5, the two operations modulo p - 1 and q - 1; deviation D1: the
///          message modulo p and q. Not for keys: README.md beside this file.
/// Model    modfab.models.paper_crt.
/// Latency  one cycle for each bit of the dividend.
/// Assumes  divisor_i > 0 and stable from clear_i to the last bit.
/// Ensures  rem_o = (bits since clear_i) mod divisor_i.
module mf_liao_chen_rem #(
  parameter int unsigned NumBits = 128 // bits of the divisor
) (
  input  logic               clk_i,
  input  logic               clear_i,   // before the first bit
  input  logic               step_i,    // bit_i is the next bit
  input  logic               bit_i,
  input  logic [NumBits-1:0] divisor_i,
  output logic [NumBits-1:0] rem_o
);

  logic [NumBits-1:0] rem_q;
  logic [NumBits:0]   shifted; // < 2 * divisor_i
  assign shifted = {rem_q, bit_i};

  always_ff @(posedge clk_i) begin
    if (clear_i)     rem_q <= '0;
    else if (step_i) rem_q <= NumBits'(shifted >= {1'b0, divisor_i} // ct-ok: a mux
                                       ? shifted - {1'b0, divisor_i} : shifted);
  end
  assign rem_o = rem_q;

endmodule
