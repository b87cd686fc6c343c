// SPDX-License-Identifier: Apache-2.0
/// Tables of multiples: entry c of table j holds element j's digit of c times a number.
///
/// Source   [BLUM01] section 4.2, B-RAM and M-RAM; for RadixBits = 1 a register holds entry 1.
/// Model    modfab.models.mul_systolic_array.
/// Latency  reads are combinational; a write is seen by reads after the clock edge.
/// Assumes  with RadixBits = 1 nothing but zero is written to entry 0.
/// Ensures  rd_data_o is the last value written to rd_addr_i before this cycle.
module mf_mul_systolic_tables #(
  parameter int unsigned RadixBits = 4, // bits of a digit, 1..6; a table has 2^RadixBits entries
  parameter int unsigned NumTables = 8,
  parameter int unsigned WidthBits = RadixBits // bits of an element; more with RadixBits = 1 only
) (
  input  logic                 clk_i,
  input  logic                 wr_en_i   [NumTables],
  input  logic [RadixBits-1:0] wr_addr_i [NumTables],
  input  logic [WidthBits-1:0] wr_data_i [NumTables],
  input  logic [RadixBits-1:0] rd_addr_i [NumTables],
  output logic [WidthBits-1:0] rd_data_o [NumTables]
);

  if (RadixBits == 1) begin : gen_registers
    logic [WidthBits-1:0] one_q [NumTables]; // entry 1; entry 0 is zero
    always_ff @(posedge clk_i) begin
      for (int unsigned j = 0; j < NumTables; j++) begin
        if (wr_en_i[j] && wr_addr_i[j][0]) one_q[j] <= wr_data_i[j];
      end
    end
    always_comb begin
      for (int unsigned j = 0; j < NumTables; j++)
        rd_data_o[j] = {WidthBits{rd_addr_i[j]}} & one_q[j];
    end
  end else begin : gen_ram
    logic [RadixBits-1:0] second [NumTables];
    logic                 unused_second;
    assign unused_second = ^second[0];
    mf_regfile_1w2r_banked #(
      .NumBanks  (NumTables),
      .WidthBits (RadixBits),
      .Depth     (1 << RadixBits)
    ) u_ram (
      .clk_i,
      .wr_en_i,
      .wr_addr_i,
      .wr_data_i,
      .rd_a_addr_i (rd_addr_i),
      .rd_a_data_o (rd_data_o),
      .rd_b_addr_i (rd_addr_i),
      .rd_b_data_o (second)
    );
  end

endmodule
