// SPDX-License-Identifier: Apache-2.0
/// Register file: one write port, two asynchronous read ports. Becomes distributed RAM.
///
/// Source   modfab.
/// Model    a list of integers.
/// Latency  reads are combinational; a write is seen by reads after the clock edge.
/// Assumes  addresses below Depth.
/// Ensures  rd_*_o is the last value written to rd_*_addr_i before this cycle.
module mf_regfile_1w2r #(
  parameter int unsigned WidthBits = 256, // bits of one slot, 1..16384
  parameter int unsigned Depth     = 8    // slots, 2..512
) (
  input  logic                     clk_i,
  input  logic                     wr_en_i,
  input  logic [$clog2(Depth)-1:0] wr_addr_i,
  input  logic [WidthBits-1:0]     wr_data_i,
  input  logic [$clog2(Depth)-1:0] rd_a_addr_i,
  output logic [WidthBits-1:0]     rd_a_data_o,
  input  logic [$clog2(Depth)-1:0] rd_b_addr_i,
  output logic [WidthBits-1:0]     rd_b_data_o
);

  (* ram_style = "distributed" *) logic [WidthBits-1:0] mem_q [Depth];

  always_ff @(posedge clk_i) begin
    if (wr_en_i) mem_q[wr_addr_i] <= wr_data_i;
  end

  assign rd_a_data_o = mem_q[rd_a_addr_i];
  assign rd_b_data_o = mem_q[rd_b_addr_i];

endmodule
