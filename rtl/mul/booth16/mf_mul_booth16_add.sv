// SPDX-License-Identifier: Apache-2.0
/// Carry-propagate addition of two wide rows in three passes over short blocks: every pass adds the
/// blocks side by side; the first keeps the carries out of them and marks the blocks whose sum is
/// all ones, the second finds the carries that run through these, the third gives the sum.
///
/// Source   modfab; blocks as in carry-select adders. The look-ahead is one addition with a bit for
///          each block: a carry enters block b where its sum differs from the sum without carries.
/// Model    addition.
/// Latency  combinational; the rows and full are registered around it, once for each pass.
/// Assumes  pass 1: any rows. Pass 2: a_i = sum_o, c_i = first_o, full_i = full_o of pass 1.
///          Pass 3: a_i = sum_o, c_i = second_o of pass 2.
/// Ensures  sum_o of pass 3 is a_i + c_i of pass 1 modulo 2^WidthBits. Proof:
///          formal/mul_booth16/add.sby.
module mf_mul_booth16_add #(
  parameter int unsigned WidthBits = 257, // bits of a row
  parameter int unsigned BlockBits = 32,  // bits added side by side
  localparam int unsigned NumBlocks = (WidthBits + BlockBits - 1) / BlockBits
) (
  input  logic [WidthBits-1:0] a_i,
  input  logic [WidthBits-1:0] c_i,
  input  logic [NumBlocks-1:0] full_i,  // blocks of a_i that are all ones
  output logic [WidthBits-1:0] sum_o,   // within blocks
  output logic [NumBlocks-1:0] full_o,  // blocks of sum_o that are all ones
  output logic [WidthBits-1:0] first_o, // carries out of the blocks, at the next block's low bit
  output logic [WidthBits-1:0] second_o // carries that run through a whole block, same places
);

  logic [NumBlocks-1:0] out, first; // a carry out of the block, into it
  logic [NumBlocks-1:0] ahead, enters; // look-ahead, a carry of which enters the block

  for (genvar b = 0; b < NumBlocks; b++) begin : gen_blocks
    localparam int unsigned Low  = b * BlockBits;
    localparam int unsigned Bits = Low + BlockBits > WidthBits ? WidthBits - Low : BlockBits;
    assign {out[b], sum_o[Low+:Bits]} = (Bits+1)'(c_i[Low+:Bits]) + (Bits+1)'(a_i[Low+:Bits]);
    assign full_o[b] = &(a_i[Low+:Bits] ^ c_i[Low+:Bits]); // a + c = -1 when c = -1 - a
    assign first[b]  = c_i[Low];
    if (b == 0) begin : gen_lowest
      assign first_o[Low+:Bits]  = '0;
      assign second_o[Low+:Bits] = '0;
    end else begin : gen_above
      assign first_o[Low+:Bits]  = Bits'(out[b-1]);
      assign second_o[Low+:Bits] = Bits'(enters[b]);
    end
  end

  // A carry that enters a full block leaves it. No carry runs into a block with first = 1: the
  // block below it had a carry out of its own and is not full. So the carries of full + first are
  // those that run through whole blocks.
  assign ahead  = full_i + first;
  assign enters = ahead ^ full_i ^ first;
  logic unused_ends; // nothing above the highest block, no carry into the lowest
  assign unused_ends = ^{out[NumBlocks-1], enters[0]};

endmodule
