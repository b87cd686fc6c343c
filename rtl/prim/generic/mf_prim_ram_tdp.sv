// SPDX-License-Identifier: Apache-2.0
/// True dual-port RAM with one clock and a register behind each read port; port A also writes.
/// Becomes block RAM.
///
/// Source   modfab; rtl/prim/ecp5 and rtl/prim/xilinx hold the same module on the vendors' cells
///          with their own output registers. This generic form is for any tool.
/// Model    a list of integers.
/// Latency  read data two cycles after the address.
/// Assumes  the value read is not used when the same address is written in the same cycle, nor
///          that of port A in any cycle with wr_en_i.
/// Ensures  a_data_o, b_data_o are the last values written before the clock edge that took the
///          addresses.
module mf_prim_ram_tdp #(
  parameter int unsigned WidthBits = 18,  // bits of one word, 1..18
  parameter int unsigned Depth     = 1024 // words, 2..1024
) (
  input  logic                     clk_i,
  input  logic                     wr_en_i,   // at port A
  input  logic [$clog2(Depth)-1:0] a_addr_i,
  input  logic [WidthBits-1:0]     a_data_i,
  output logic [WidthBits-1:0]     a_data_o,
  input  logic [$clog2(Depth)-1:0] b_addr_i,
  output logic [WidthBits-1:0]     b_data_o
);

  if (WidthBits > 18 || Depth > 1024) begin : gen_check
    $error("mf_prim_ram_tdp: WidthBits must be 1..18, Depth 2..1024");
  end

  (* no_rw_check *) logic [WidthBits-1:0] mem_q [Depth];
  logic [WidthBits-1:0] a_word_q, b_word_q;

  always_ff @(posedge clk_i) begin
    if (wr_en_i) mem_q[a_addr_i] <= a_data_i;
    a_word_q <= mem_q[a_addr_i];
    b_word_q <= mem_q[b_addr_i];
    a_data_o <= a_word_q;
    b_data_o <= b_word_q;
  end

endmodule
