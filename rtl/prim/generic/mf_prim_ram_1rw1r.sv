// SPDX-License-Identifier: Apache-2.0
/// Dual-port RAM with one clock: port A reads or writes, port B reads. Becomes block RAM with two
/// addresses: one copy of the words where two of 1r1w form would need two.
///
/// Source   modfab.
/// Model    a list of integers.
/// Latency  read data one cycle after the address.
/// Assumes  addresses below Depth; the value read at port A is not used after a cycle with wr_en_i,
///          nor that of port B when the same address is written in the same cycle.
/// Ensures  a_data_o, b_data_o are the last values written before the clock edge that took the
///          addresses.
module mf_prim_ram_1rw1r #(
  parameter int unsigned WidthBits = 32, // bits of one word, 1..4608
  parameter int unsigned Depth     = 64  // words, 2..65536
) (
  input  logic                     clk_i,
  input  logic                     wr_en_i,   // at port A
  input  logic [$clog2(Depth)-1:0] a_addr_i,
  input  logic [WidthBits-1:0]     a_data_i,
  output logic [WidthBits-1:0]     a_data_o,
  input  logic [$clog2(Depth)-1:0] b_addr_i,
  output logic [WidthBits-1:0]     b_data_o
);

  (* ram_style = "block", no_rw_check *) logic [WidthBits-1:0] mem_q [Depth];

  always_ff @(posedge clk_i) begin
    if (wr_en_i) mem_q[a_addr_i] <= a_data_i;
    a_data_o <= mem_q[a_addr_i];
    b_data_o <= mem_q[b_addr_i];
  end

endmodule
