// SPDX-License-Identifier: Apache-2.0
/// One element's table of multiples: entry c holds the element's digit of c times a number.
///
/// Source   [BLUM01] section 4.2, B-RAM and M-RAM; for RadixBits = 1 a register, as in section 5.
/// Model    modfab.models.mul_systolic_array.
/// Latency  reads are combinational; a write is seen by reads after the clock edge.
/// Assumes  with RadixBits = 1 nothing but zero is written to entry 0.
/// Ensures  rd_data_o is the last value written to rd_addr_i before this cycle.
module mf_mul_systolic_table #(
  parameter int unsigned RadixBits = 4 // bits of a digit, 1..6; the table has 2^RadixBits entries
) (
  input  logic                 clk_i,
  input  logic                 wr_en_i,
  input  logic [RadixBits-1:0] wr_addr_i,
  input  logic [RadixBits-1:0] wr_data_i,
  input  logic [RadixBits-1:0] rd_addr_i,
  output logic [RadixBits-1:0] rd_data_o
);

  if (RadixBits == 1) begin : gen_register
    logic one_q; // entry 1; entry 0 is zero
    always_ff @(posedge clk_i) if (wr_en_i && wr_addr_i[0]) one_q <= wr_data_i[0];
    assign rd_data_o = rd_addr_i & one_q;
  end else begin : gen_ram
    logic [RadixBits-1:0] unused_port;
    mf_prim_slots #(.WidthBits(RadixBits), .Depth(1 << RadixBits)) u_ram (
      .clk_i,
      .wr_en_i,
      .wr_addr_i,
      .wr_data_i,
      .rd_a_addr_i (rd_addr_i),
      .rd_a_data_o (rd_data_o),
      .rd_b_addr_i (rd_addr_i),
      .rd_b_data_o (unused_port)
    );
  end

endmodule
