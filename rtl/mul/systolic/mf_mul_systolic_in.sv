// SPDX-License-Identifier: Apache-2.0
/// Words to digits, least significant first, and what set-up has to know about a modulus.
///
/// Source   modfab.
/// Model    modfab.models.mul_systolic (cycles of a load).
/// Latency  one cycle for each word and one for each digit; it waits for words.
/// Assumes  run_i until done_o, and not in the cycle before; note_i stands still meanwhile.
/// Ensures  NumDigits digits, zero above the last word; the notes on the modulus are those of the
///          last run with note_i.
module mf_mul_systolic_in #(
  parameter int unsigned NumBits   = 256, // bits of the modulus
  parameter int unsigned RadixBits = 4,   // bits of a digit, 1..6
  parameter int unsigned NumDigits = 66,  // digits of an operand
  localparam int unsigned IndexBits = $clog2(NumDigits + 1)
) (
  input  logic                 clk_i,
  input  logic                 wipe_i,
  input  logic                 run_i,
  input  logic                 note_i,      // this operand is a modulus

  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [31:0]          in_data_i,

  output logic                 valid_o,     // a digit leaves in this cycle
  output logic [RadixBits-1:0] digit_o,
  output logic                 done_o,      // it is the last one

  output mf_pkg::modulus_t     modulus_o,
  output logic [IndexBits-1:0] top_index_o, // highest digit that is not zero
  output logic [2:0]           top_bit_o,   // its highest bit
  output logic [1:0]           below_o      // the two bits below that one
);

  localparam int unsigned NumWords   = mf_pkg::words_of(NumBits);
  localparam int unsigned WordsBits  = $clog2(NumWords + 1);
  localparam int unsigned BufferBits = 32 + RadixBits - 1;
  localparam int unsigned HeldBits   = $clog2(BufferBits + 1);
  localparam int unsigned SpareBits  = 32 * NumWords - NumBits; // unused bits of the last word

  typedef logic [HeldBits-1:0] held_t;

  logic [BufferBits-1:0] buffer_q;
  held_t                 held_q;   // bits in the buffer
  logic [WordsBits-1:0]  words_q;  // words to come
  logic [IndexBits-1:0]  index_q;  // digit that leaves next
  logic                  last_q;   // it is the last
  logic                  need_q;   // fewer bits than a digit are held, and words are to come
  logic                  more_q;   // words are to come
  logic                  in_fire;
  held_t                 held_less;
  logic [BufferBits-1:0] joined;

  assign in_ready_o = run_i && need_q;
  assign in_fire    = in_valid_i && in_ready_o;
  assign valid_o    = run_i && !need_q;
  assign digit_o    = buffer_q[RadixBits-1:0];
  assign done_o     = valid_o && last_q;

  assign held_less  = held_q - held_t'(RadixBits); // wraps in the zeros above the last word
  if (32 % RadixBits == 0) begin : gen_whole
    assign joined = BufferBits'(in_data_i); // nothing is held when a word is needed
  end else begin : gen_rest
    assign joined = buffer_q | (BufferBits'(in_data_i) << held_q); // held_q < RadixBits
  end

  always_ff @(posedge clk_i) begin
    if (!run_i) begin
      buffer_q <= '0;
      held_q   <= '0;
      need_q   <= 1'b1;
      words_q  <= WordsBits'(NumWords);
      more_q   <= 1'b1;
      index_q  <= '0;
      last_q   <= 1'b0;
    end else if (in_fire) begin
      buffer_q <= joined;
      held_q   <= held_q + held_t'(32);
      need_q   <= 1'b0;
      words_q  <= words_q - WordsBits'(1);
      more_q   <= words_q != WordsBits'(1);
    end else if (valid_o) begin
      buffer_q <= buffer_q >> RadixBits;
      held_q   <= held_less;
      need_q   <= held_q < held_t'(2 * RadixBits) && more_q;
      index_q  <= index_q + IndexBits'(1);
      last_q   <= index_q == IndexBits'(NumDigits - 2);
    end
  end

  // ---- notes on a modulus ----
  logic odd_q, large_q, wide_q; // large: neither 0 nor 1
  assign modulus_o = '{wide: wide_q, zero: !large_q && !odd_q, one: !large_q, odd: odd_q};
  logic first_word, last_word, beyond;
  assign first_word = words_q == WordsBits'(NumWords);
  assign last_word  = words_q == WordsBits'(1);
  if (SpareBits == 0) begin : gen_full
    assign beyond = 1'b0;
  end else begin : gen_spare
    assign beyond = |in_data_i[31 -: SpareBits];
  end

  logic [1:0]           under_q; // the two bits below the digit
  logic [RadixBits+1:0] window, shifted;
  logic [2:0]           top_bit;
  assign window  = {digit_o, under_q};
  assign shifted = window >> top_bit;
  always_comb begin
    top_bit = '0;
    for (int unsigned i = 0; i < RadixBits; i++) if (digit_o[i]) top_bit = 3'(i);
  end
  logic unused_shifted;
  assign unused_shifted = ^shifted[RadixBits+1:2];

  always_ff @(posedge clk_i) begin
    if (wipe_i) begin
      odd_q       <= 1'b0;
      large_q     <= 1'b0;
      wide_q      <= 1'b0;
      under_q     <= '0;
      top_index_o <= '0;
      top_bit_o   <= '0;
      below_o     <= '0;
    end else if (note_i && in_fire && first_word) begin
      odd_q       <= in_data_i[0];
      large_q     <= |in_data_i[31:1];
      wide_q      <= last_word && beyond;
      under_q     <= '0;
      top_index_o <= '0;
      top_bit_o   <= '0;
      below_o     <= '0;
    end else if (note_i && in_fire) begin
      if (|in_data_i) large_q <= 1'b1;
      wide_q <= last_word && beyond;
    end else if (note_i && valid_o) begin
      under_q <= window[RadixBits+1 -: 2];
      if (digit_o != '0) begin
        top_index_o <= index_q;
        top_bit_o   <= top_bit;
        below_o     <= shifted[1:0];
      end
    end
  end

endmodule
