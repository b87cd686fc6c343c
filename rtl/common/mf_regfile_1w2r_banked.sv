// SPDX-License-Identifier: Apache-2.0
/// Banks of mf_regfile_1w2r, each with its own addresses, data and write enable.
///
/// Source   modfab.
/// Model    a list of lists of integers.
/// Latency  reads are combinational; a write is seen by reads after the clock edge.
/// Assumes  addresses below Depth.
/// Ensures  rd_*_o[i] is the last value written to rd_*_addr_i[i] of bank i before this cycle.
///          Every bank is one mf_regfile_1w2r; for Verilator the banks are one array, since a loop
///          simulates and compiles several times faster than as many instances.
module mf_regfile_1w2r_banked #(
  parameter int unsigned NumBanks  = 16, // memories, 1..8192
  parameter int unsigned WidthBits = 4,  // bits of a word, 1..64
  parameter int unsigned Depth     = 16, // words of a bank, 2..256
  localparam int unsigned AddrBits = $clog2(Depth)
) (
  input  logic                 clk_i,
  input  logic                 wr_en_i     [NumBanks],
  input  logic [AddrBits-1:0]  wr_addr_i   [NumBanks],
  input  logic [WidthBits-1:0] wr_data_i   [NumBanks],
  input  logic [AddrBits-1:0]  rd_a_addr_i [NumBanks],
  output logic [WidthBits-1:0] rd_a_data_o [NumBanks],
  input  logic [AddrBits-1:0]  rd_b_addr_i [NumBanks],
  output logic [WidthBits-1:0] rd_b_data_o [NumBanks]
);

`ifdef VERILATOR
  logic [WidthBits-1:0] mem_q [NumBanks][Depth];
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < NumBanks; i++) begin
      if (wr_en_i[i]) mem_q[i][wr_addr_i[i]] <= wr_data_i[i];
    end
  end
  always_comb begin
    for (int unsigned i = 0; i < NumBanks; i++) begin
      rd_a_data_o[i] = mem_q[i][rd_a_addr_i[i]];
      rd_b_data_o[i] = mem_q[i][rd_b_addr_i[i]];
    end
  end
`else
  for (genvar i = 0; i < NumBanks; i++) begin : gen_bank
    mf_regfile_1w2r #(.WidthBits(WidthBits), .Depth(Depth)) u_bank (
      .clk_i,
      .wr_en_i     (wr_en_i[i]),
      .wr_addr_i   (wr_addr_i[i]),
      .wr_data_i   (wr_data_i[i]),
      .rd_a_addr_i (rd_a_addr_i[i]),
      .rd_a_data_o (rd_a_data_o[i]),
      .rd_b_addr_i (rd_b_addr_i[i]),
      .rd_b_data_o (rd_b_data_o[i])
    );
  end
`endif

endmodule
