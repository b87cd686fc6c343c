// SPDX-License-Identifier: Apache-2.0
/// FIFO of a valid/ready stream in a block RAM, whose output is registered.
///
/// Source   modfab.
/// Model    a queue.
/// Latency  three cycles from the first word in to the same word out; then one word every third
///          cycle.
/// Assumes  a word that is offered stays until it is taken.
/// Ensures  the same of its own output; words in order, none lost or doubled; reset empties it.
module mf_stream_fifo #(
  parameter  int unsigned WidthBits = 32,  // bits of one word, 1..1024
  parameter  int unsigned Depth     = 512, // words, a power of two, 4..65536
  localparam int unsigned AddrBits  = $clog2(Depth)
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [WidthBits-1:0] in_data_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [WidthBits-1:0] out_data_o,
  output logic [AddrBits:0]    level_o      // words in the memory, the one at the output included
);

  logic [AddrBits-1:0] wr_addr_q, rd_addr_q;
  logic [AddrBits:0]   level_q;
  logic                put, get, read_q; // read_q: the word is in front of the output register
  assign in_ready_o = level_q != (AddrBits+1)'(Depth);
  assign put        = in_valid_i && in_ready_o;
  assign get        = out_valid_o && out_ready_i;
  assign level_o    = level_q;

  mf_prim_ram_pipe #(.WidthBits(WidthBits), .Depth(Depth)) u_ram (
    .clk_i,
    .wr_en_i   (put),
    .wr_addr_i (wr_addr_q),
    .wr_data_i (in_data_i),
    .rd_addr_i (rd_addr_q),
    .rd_data_o (out_data_o)
  );

  // A word is valid two cycles after its address was read while the word was in the memory already.
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      wr_addr_q   <= '0;
      rd_addr_q   <= '0;
      level_q     <= '0;
      read_q      <= 1'b0;
      out_valid_o <= 1'b0;
    end else begin
      if (put) wr_addr_q <= wr_addr_q + AddrBits'(1);
      if (get) rd_addr_q <= rd_addr_q + AddrBits'(1);
      level_q     <= level_q + (AddrBits+1)'(put) - (AddrBits+1)'(get);
      read_q      <= level_q != '0 && !get;
      out_valid_o <= read_q && !get;
    end
  end

endmodule
