// SPDX-License-Identifier: Apache-2.0
/// 32-bit words to 36-bit words and back, four bits a cycle: both are whole numbers of nibbles, so
/// two shift registers do what would be a barrel shifter.
///
/// Source   modfab.
/// Model    modfab.models.mul_sos36.Sos36Timing, load and store.
/// Latency  a load: 9 cycles for each 36-bit word from its first word on, and 1. A store: its first
///          word 11 cycles after out_i rises, one every 8 cycles, if taken at once.
/// Assumes  load_i and out_i are never high together; words_i and out_next_i stay meanwhile.
///          a_data_i is the next word of a slot from 3 cycles after out_i and 9 after take_o.
/// Ensures  in_ready_o and out_valid_o as rtl/mul/README.md says.
module mf_mul_sos36_words #(
  parameter int unsigned CountBits = 6 // bits of a number of 32-bit words less one
) (
  input  logic                      clk_i,
  input  logic                      wipe_i,
  input  logic                      load_i,     // a load's words come in
  input  logic                      out_i,      // a store's words go out
  input  logic                      out_next_i, // they do so next
  input  logic [CountBits-1:0]      words_i,    // their number less one

  input  logic                      in_valid_i,
  output logic                      in_ready_o,
  input  logic [31:0]               in_data_i,
  output logic                      out_valid_o,
  input  logic                      out_ready_i,
  output logic [31:0]               out_data_o,

  input  mf_mul_sos36_pkg::word_t   a_data_i,   // word of a slot
  output logic                      take_o,     // it is taken
  output logic                      word_we_o,  // word_o is the next word of a slot
  output mf_mul_sos36_pkg::word_t   word_o,
  output mf_mul_sos36_pkg::nibble_t nibble_o,
  output logic                      load_end_o, // the last word is written
  output logic                      out_end_o   // the last word is taken
);

  localparam int unsigned WordBits = mf_mul_sos36_pkg::WordBits;

  mf_mul_sos36_pkg::word_t x_q, y_q;    // nibbles leave x at the bottom and enter y at the top
  logic [3:0]              x_left_q;    // nibbles in x
  logic [3:0]              y_left_q;    // nibbles until y is full
  logic                    x_some_q;    // x has a nibble
  logic                    x_end_q;     // x has at most one nibble
  logic                    y_end_q;     // one is left until y is full
  logic                    load_shift_q; // a nibble of a load goes from x to y
  logic                    full_q;      // y is full
  logic                    end_q;       // a load's last word is written
  logic [CountBits-1:0]    count_q;     // words that have not been transferred, less one
  logic                    count_end_q; // that is 0
  logic                    more_q;      // there is another one
  logic                    first_q;

  logic       in_fire, out_fire, shift, y_full, fill, x_two, flush_end;
  logic [3:0] nibble;
  assign in_ready_o  = load_i && more_q && x_end_q;
  assign out_valid_o = out_i && full_q;
  assign in_fire     = in_ready_o && in_valid_i;
  assign out_fire    = out_valid_o && out_ready_i;
  assign shift       = load_shift_q || (out_i && !(full_q && !out_ready_i));
  assign y_full      = shift && y_end_q;
  assign take_o      = out_i && shift && x_end_q;
  assign fill        = in_fire || take_o;
  assign x_two       = x_left_q <= 4'd2;
  // Behind the last word of a load zeros come until y is full.
  assign nibble      = x_some_q ? x_q[3:0] : '0;
  assign flush_end   = y_full && load_i && !more_q && !x_some_q;
  assign word_we_o   = load_i && full_q;
  assign word_o      = y_q;
  assign out_data_o  = y_q[WordBits-1:4];
  assign load_end_o  = end_q;
  assign out_end_o   = out_fire && count_end_q;
  assign nibble_o    = '{valid: load_shift_q, first: first_q, last: !more_q,
                         index: 3'd0 - x_left_q[2:0], value: nibble};

  always_ff @(posedge clk_i) begin
    if (wipe_i)                           x_q <= '0;
    else if (x_end_q && (shift || load_i)) x_q <= out_i ? a_data_i : WordBits'(in_data_i);
    else if (shift)                       x_q <= {4'd0, x_q[WordBits-1:4]};
    if (wipe_i)                           y_q <= '0;
    else if (shift)                       y_q <= {nibble, y_q[WordBits-1:4]};

    // A store reads its first word in the first 3 cycles; what they shift leaves y again.
    if (!load_i && !out_i) begin
      x_left_q     <= out_next_i ? 4'd3 : 4'd0;
      y_left_q     <= out_next_i ? 4'd11 : 4'd9;
      x_some_q     <= out_next_i;
      x_end_q      <= !out_next_i;
      y_end_q      <= 1'b0;
      load_shift_q <= 1'b0;
      full_q       <= 1'b0;
      end_q        <= 1'b0;
      count_q      <= words_i;
      count_end_q  <= words_i == '0;
      more_q       <= 1'b1;
      first_q      <= 1'b1;
    end else begin
      if (fill) begin
        x_left_q <= out_i ? 4'd9 : 4'd8;
        x_some_q <= 1'b1;
        x_end_q  <= 1'b0;
      end else if (shift && x_some_q) begin
        x_left_q <= x_left_q - 4'd1;
        x_some_q <= !x_end_q;
        x_end_q  <= x_two;
      end
      if (shift) begin
        y_left_q <= !y_end_q ? y_left_q - 4'd1 : out_i ? 4'd8 : 4'd9;
        y_end_q  <= y_left_q == 4'd2;
      end
      load_shift_q <= load_i && (in_fire || (x_some_q && !x_end_q) || !more_q) && !flush_end
                      && !end_q;
      full_q       <= y_full || (out_i && full_q && !out_ready_i);
      end_q        <= flush_end;
      if (in_fire || out_fire) count_q <= count_q - CountBits'(1);
      count_end_q  <= count_q == '0; // transfers are 8 cycles apart
      more_q       <= more_q && !((in_fire || out_fire) && count_end_q);
      first_q      <= first_q && !shift;
    end
  end

endmodule
