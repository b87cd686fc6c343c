// SPDX-License-Identifier: Apache-2.0
/// Reads a slot word by word, for the digits of a multiplier and for a store: no operand register.
///
/// Source   modfab.
/// Model    part of modfab.models.mul_booth16.
/// Latency  digits: one each cycle from the cycle of first_i; words: one cycle after get_i. A
///          register stands between the two halves of the words' multiplexer.
/// Assumes  slot_i stays during a scan, which starts with first_i while digit_i is 0; then digit_i
///          counts the cycles. get_i and addr_i stay while word_o is taken.
/// Ensures  bits_o are the bits of digit digit_i above the highest bit of the digit before (0 for
///          the first one), of the sign-extended slot.
module mf_mul_booth16_scan #(
  parameter int unsigned SlotBits  = 257, // bits of a slot, two's complement
  parameter int unsigned NumDigits = 65,  // digits of a multiplier
  parameter int unsigned DigitBits = 4,   // bits of a digit: 1, 2 or 4
  parameter int unsigned CountBits = 7,   // bits of digit_i, 0..NumDigits + 1
  localparam int unsigned NumWords = (NumDigits + 1) * DigitBits / 32 + 2,
  localparam int unsigned WordAddrBits = $clog2(NumWords)
) (
  input  logic                    clk_i,
  input  logic                    clear_i,
  input  logic [SlotBits-1:0]     slot_i,
  input  logic                    first_i,
  input  logic [CountBits-1:0]    digit_i,
  output logic [DigitBits:0]      bits_o,
  input  logic                    get_i,  // read a word for a store, not for a scan
  input  logic [WordAddrBits-1:0] addr_i,
  output logic [31:0]             word_o
);

  localparam int unsigned DigitsPerWord = 32 / DigitBits;
  localparam int unsigned PosBits       = $clog2(DigitsPerWord);
  localparam int unsigned Depth         = 2 ** WordAddrBits;
  localparam int unsigned GroupBits     = WordAddrBits > 4 ? 4 : WordAddrBits;
  localparam int unsigned Groups        = Depth >> GroupBits;  // of up to 16 words
  localparam int unsigned GroupSelBits  = Groups > 1 ? $clog2(Groups) : 1;

  logic [Depth-1:0][31:0]  words;
  logic [WordAddrBits-1:0] addr;
  logic [Groups-1:0][2**GroupBits-1:0][31:0] groups;
  logic [Groups-1:0][31:0] group_q; // the word of each group
  logic [GroupSelBits-1:0] group_sel_q;
  logic [31:0]             word;    // the word to store, or, from a word's second digit on, ...
  logic [31:0]             word_q;  // ... the next word of the multiplier
  logic [32:0]             rest_q, now; // bits not yet used, and the last one used below them
  assign words  = {{Depth*32-SlotBits{slot_i[SlotBits-1]}}, slot_i};
  assign groups = words;
  assign word   = group_q[group_sel_q];
  assign addr   = get_i ? addr_i : WordAddrBits'(digit_i >> PosBits) + WordAddrBits'(1);
  assign now    = first_i                     ? {words[0], 1'b0}
                : digit_i[PosBits-1:0] == '0 ? {word_q, rest_q[0]} : rest_q;
  assign bits_o = now[DigitBits:0];
  assign word_o = word;

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      group_q <= '0;
      word_q  <= '0;
      rest_q  <= '0;
    end else begin
      for (int unsigned g = 0; g < Groups; g++) group_q[g] <= groups[g][addr[GroupBits-1:0]];
      word_q <= word;
      rest_q <= now >> DigitBits;
    end
    group_sel_q <= GroupSelBits'(addr >> GroupBits);
  end

endmodule
