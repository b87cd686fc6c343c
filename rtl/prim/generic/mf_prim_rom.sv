// SPDX-License-Identifier: Apache-2.0
/// ROM with a register behind it. Becomes block RAM with initial contents.
///
/// Source   modfab; rtl/prim/ecp5 holds the same module on the vendor's cell with its own output
///          register. This generic form becomes a block RAM with one in tools that move it there.
/// Model    a list of integers.
/// Latency  data two cycles after the address.
/// Assumes  nothing.
/// Ensures  data_o is the word at addr_i, 0 from Depth on.
module mf_prim_rom #(
  parameter int unsigned                WidthBits = 32, // bits of one word, 1..64
  parameter int unsigned                Depth     = 64, // words, 2..2048
  parameter logic [Depth*WidthBits-1:0] Words     = '0  // contents, word 0 in the lowest bits
) (
  input  logic                     clk_i,
  input  logic [$clog2(Depth)-1:0] addr_i,
  output logic [WidthBits-1:0]     data_o
);

  if (Depth > 2048) begin : gen_check_depth
    $error("mf_prim_rom: Depth must be 2..2048");
  end

  localparam int unsigned NumWords = 2**$clog2(Depth);
  localparam logic [NumWords*WidthBits-1:0] Whole = (NumWords*WidthBits)'(Words);

  logic [WidthBits-1:0] words [NumWords];
  logic [WidthBits-1:0] word_q, data_q;
  assign data_o = data_q;

  initial begin
    for (int unsigned i = 0; i < NumWords; i++) words[i] = Whole[WidthBits*i+:WidthBits];
  end

  always_ff @(posedge clk_i) begin
    word_q <= words[addr_i];
    data_q <= word_q;
  end

endmodule
