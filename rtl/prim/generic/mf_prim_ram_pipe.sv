// SPDX-License-Identifier: Apache-2.0
/// Simple dual-port RAM with one clock and a register behind the read port. Becomes block RAM.
///
/// Source   modfab; rtl/prim/ecp5 holds the same module on the vendor's cell with its own output
///          register. This generic form becomes a block RAM with one in tools that move it there.
/// Model    a list of integers.
/// Latency  read data two cycles after the address.
/// Assumes  addresses below Depth; the value read is not used when the same address is written
///          in the same cycle (read-during-write is undefined: no cell needs emulation logic).
/// Ensures  rd_data_o is the last value written before the clock edge that took rd_addr_i.
module mf_prim_ram_pipe #(
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
  logic [WidthBits-1:0] word_q;

  always_ff @(posedge clk_i) begin
    if (wr_en_i) mem_q[wr_addr_i] <= wr_data_i;
    word_q    <= mem_q[rd_addr_i];
    rd_data_o <= word_q;
  end

endmodule
