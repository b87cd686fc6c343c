// SPDX-License-Identifier: Apache-2.0
/// Carry-propagate addition of two wide rows in three passes over short blocks: every pass adds the
/// blocks side by side; the first keeps the carries out of them, the second finds the blocks that
/// will be overrun by a carry (all ones below it), the third gives the sum.
///
/// Source   modfab; blocks as in carry-select adders, look-ahead by Kogge and Stone (1973).
/// Model    addition.
/// Latency  combinational; the rows are registered around it, once for each pass.
/// Assumes  pass 1: any rows. Pass 2: a_i = sum_o, c_i = first_o of pass 1. Pass 3: a_i = sum_o,
///          c_i = second_o of pass 2.
/// Ensures  sum_o of pass 3 is a_i + c_i of pass 1 modulo 2^WidthBits. Proof:
///          formal/mul_booth16/add.sby.
module mf_mul_booth16_add #(
  parameter int unsigned WidthBits = 257, // bits of a row
  parameter int unsigned BlockBits = 32   // bits added side by side
) (
  input  logic [WidthBits-1:0] a_i,
  input  logic [WidthBits-1:0] c_i,
  output logic [WidthBits-1:0] sum_o,   // within blocks
  output logic [WidthBits-1:0] first_o, // carries out of the blocks, at the next block's low bit
  output logic [WidthBits-1:0] second_o // carries that run through a whole block, same places
);

  localparam int unsigned NumBlocks = (WidthBits + BlockBits - 1) / BlockBits;
  localparam int unsigned Levels    = NumBlocks > 1 ? $clog2(NumBlocks) : 1;

  logic [NumBlocks-1:0] out, full, run; // carry out, all ones, a carry runs through
  logic [NumBlocks-1:0] grow [Levels+1], pass [Levels+1];

  for (genvar b = 0; b < NumBlocks; b++) begin : gen_blocks
    localparam int unsigned Low  = b * BlockBits;
    localparam int unsigned Bits = Low + BlockBits > WidthBits ? WidthBits - Low : BlockBits;
    assign {out[b], sum_o[Low+:Bits]} = (Bits+1)'(c_i[Low+:Bits]) + (Bits+1)'(a_i[Low+:Bits]);
    assign full[b] = &a_i[Low+:Bits];
    assign run[b]  = full[b] && c_i[Low];
    if (b == 0) begin : gen_lowest
      assign first_o[Low+:Bits]  = '0;
      assign second_o[Low+:Bits] = '0;
    end else begin : gen_above
      assign first_o[Low+:Bits]  = Bits'(out[b-1]);
      assign second_o[Low+:Bits] = Bits'(grow[Levels][b-1]);
    end
  end

  // grow[l][b]: a carry leaves block b that started within the 2^l blocks up to b.
  always_comb begin
    grow[0] = run;
    pass[0] = full;
    for (int unsigned l = 0; l < Levels; l++) begin
      grow[l+1] = grow[l] | (pass[l] & (grow[l] << (1 << l)));
      pass[l+1] = pass[l] & (pass[l] << (1 << l));
    end
  end
  logic unused_last; // nothing above the highest block
  assign unused_last = ^{out[NumBlocks-1], grow[Levels][NumBlocks-1], pass[Levels]};

endmodule
