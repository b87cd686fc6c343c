// SPDX-License-Identifier: Apache-2.0
/// Simple dual-port RAM with one clock: a write port, a synchronous read port. Becomes block RAM.
///
/// Source   modfab.
/// Model    a list of integers.
/// Latency  read data one cycle after the address.
/// Assumes  addresses below Depth; the value read is not used when the same address is written
///          in the same cycle (read-during-write is undefined: no cell needs emulation logic).
/// Ensures  rd_data_o is the last value written before the clock edge that took rd_addr_i.
module mf_prim_ram_1r1w #(
  parameter int unsigned WidthBits = 32, // bits of one word, 1..1024
  parameter int unsigned Depth     = 64  // words, 2..65536
) (
  input  logic                     clk_i,
  input  logic                     wr_en_i,
  input  logic [$clog2(Depth)-1:0] wr_addr_i,
  input  logic [WidthBits-1:0]     wr_data_i,
  input  logic [$clog2(Depth)-1:0] rd_addr_i,
  output logic [WidthBits-1:0]     rd_data_o
);

  (* no_rw_check *) logic [WidthBits-1:0] mem_q [Depth];

  always_ff @(posedge clk_i) begin
    if (wr_en_i) mem_q[wr_addr_i] <= wr_data_i;
    rd_data_o <= mem_q[rd_addr_i];
  end

endmodule
