// SPDX-License-Identifier: Apache-2.0
/// Digits to words, minus one, and a buffer for all words of an operand.
///
/// The array cannot wait, so every word is kept until it is taken. Read-out gives the residue plus
/// one (README.md beside this file); here it is subtracted.
///
/// Source   modfab.
/// Model    modfab.models.mul_systolic (cycles of a store).
/// Latency  out_valid_o three cycles after the digit that completes a word.
/// Assumes  start_i before the digits.
/// Ensures  NumWords words, least significant first; done_o with the transfer of the last one.
module mf_mul_systolic_out #(
  parameter int unsigned NumWords  = 8, // words of an operand, 1..128
  parameter int unsigned RadixBits = 4, // bits of a digit, 1..6
  localparam int unsigned AddrBits = $clog2(NumWords < 2 ? 2 : NumWords)
) (
  input  logic                 clk_i,
  input  logic                 start_i,
  input  logic                 wipe_i,       // also writes zero to word wipe_addr_i
  input  logic [AddrBits-1:0]  wipe_addr_i,
  input  logic                 en_i,         // a digit comes
  input  logic [RadixBits-1:0] digit_i,

  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [31:0]          out_data_o,
  output logic                 done_o
);

  localparam int unsigned BufferBits = 32 + RadixBits - 1;
  localparam int unsigned HeldBits   = $clog2(BufferBits + 1);
  localparam int unsigned Depth      = NumWords < 2 ? 2 : NumWords;
  localparam int unsigned WordsBits  = $clog2(NumWords + 1);
  typedef logic [HeldBits-1:0]  held_t;
  typedef logic [WordsBits-1:0] count_t;

  logic [RadixBits:0]    less;     // digit - borrow
  logic                  borrow_q, en_q;
  logic [RadixBits-1:0]  less_q;   // digit of the residue
  logic [BufferBits-1:0] buffer_q, buffer_d, aligned; // new digits enter at the top
  held_t                 held_q, held_d, over;        // bits in the buffer; bits beyond a word
  logic                  word_valid_q, full;
  logic [31:0]           word_q;
  count_t                written_q, written_d, read_q, read_d; // words
  logic                  valid_q, last_q; // a word waits; it is the last one
  logic                  take;

  assign take     = en_q && written_q != count_t'(NumWords);
  assign less     = {1'b0, digit_i} - (RadixBits+1)'(borrow_q);
  assign held_d   = held_q + held_t'(RadixBits);
  assign full     = held_d >= held_t'(32);
  assign over     = held_d - held_t'(32); // below RadixBits when full
  if (32 % RadixBits == 0) begin : gen_whole
    assign aligned = buffer_d >> (RadixBits - 1); // a digit ends with the word
  end else begin : gen_rest
    assign aligned = buffer_d >> (held_t'(RadixBits - 1) - over);
  end
  assign buffer_d = BufferBits'({less_q, buffer_q} >> RadixBits);
  if (BufferBits > 32) begin : gen_unused
    logic unused_aligned;
    assign unused_aligned = ^aligned[BufferBits-1:32];
  end

  always_ff @(posedge clk_i) begin
    if (start_i || wipe_i) begin
      borrow_q     <= 1'b1;
      less_q       <= '0;
      en_q         <= 1'b0;
      buffer_q     <= '0;
      held_q       <= '0;
      word_q       <= '0;
      word_valid_q <= 1'b0;
      written_q    <= '0;
      read_q       <= '0;
    end else begin
      en_q         <= en_i;
      less_q       <= less[RadixBits-1:0];
      if (en_i) borrow_q <= less[RadixBits];
      word_valid_q <= take && full;
      if (take) begin
        buffer_q <= buffer_d;
        held_q   <= full ? over : held_d;
        word_q   <= aligned[31:0];
      end
      written_q <= written_d;
      read_q    <= read_d;
    end
    valid_q <= !start_i && !wipe_i && read_d != written_d;
    last_q  <= read_d == count_t'(NumWords - 1);
  end

  assign written_d   = written_q + count_t'(word_valid_q);
  assign read_d      = read_q + count_t'(valid_q && out_ready_i);
  assign out_valid_o = valid_q && !wipe_i; // before the wipe it is random
  assign done_o      = out_valid_o && out_ready_i && last_q;

  logic [31:0] unused_port;
  mf_regfile_1w2r #(.WidthBits(32), .Depth(Depth)) u_words (
    .clk_i,
    .wr_en_i     (word_valid_q || wipe_i),
    .wr_addr_i   (wipe_i ? wipe_addr_i : AddrBits'(written_q)),
    .wr_data_i   (wipe_i ? '0 : word_q),
    .rd_a_addr_i (AddrBits'(read_q)),
    .rd_a_data_o (out_data_o),
    .rd_b_addr_i (AddrBits'(read_q)),
    .rd_b_data_o (unused_port)
  );

endmodule
