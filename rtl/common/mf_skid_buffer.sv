// SPDX-License-Identifier: Apache-2.0
/// Skid buffer: two words of a valid/ready stream; no combinational path between its sides.
///
/// Source   modfab.
/// Model    modfab.models.stream.Skid.
/// Latency  a word leaves one cycle after it came; one word a cycle.
/// Assumes  a word that is offered stays until it is taken.
/// Ensures  the same of its own output, words in order, none lost or doubled; an empty place holds
///          zero: no word remains after it left.
module mf_skid_buffer #(
  parameter int unsigned WidthBits = 33 // bits of one word, 1..1024
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [WidthBits-1:0] in_data_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [WidthBits-1:0] out_data_o
);

  // ---- registers of the outputs ----
  logic                 out_valid_q;
  logic [WidthBits-1:0] out_data_q;
  assign out_valid_o = out_valid_q;
  assign out_data_o  = out_data_q;

  logic                 spill_valid_q;
  logic [WidthBits-1:0] spill_q;
  assign in_ready_o = !spill_valid_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      out_valid_q   <= 1'b0;
      out_data_q    <= '0;
      spill_valid_q <= 1'b0;
      spill_q       <= '0;
    end else if (out_ready_i || !out_valid_q) begin
      out_valid_q   <= spill_valid_q || in_valid_i;
      out_data_q    <= spill_valid_q ? spill_q : in_valid_i ? in_data_i : '0;
      spill_valid_q <= 1'b0;
      spill_q       <= '0;
    end else if (in_valid_i && in_ready_o) begin
      spill_valid_q <= 1'b1;
      spill_q       <= in_data_i;
    end
  end

endmodule
