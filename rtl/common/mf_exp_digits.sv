// SPDX-License-Identifier: Apache-2.0
/// Digits of an exponent, one by one from its top or from its lowest bit, fetched ahead of use.
///
/// Source   modfab.
/// Latency  the first digit 4 cycles after start_i; another one each 3 cycles, or when it is taken.
///          With Stages 1: 5 cycles, each 5 cycles, or one cycle after it was taken.
/// Assumes  exp_data_i is exp_addr_o's word two cycles later, from the cycle after start_i on;
///          next_i only with valid_o, never in consecutive cycles with Stages 1;
///          exp_bits_i <= ExpBits.
/// Ensures  digit_o, valid_o and last_o come from registers; bits at and above exp_bits_i count as
///          zero; no bits are one digit, zero. A digit that was taken is not kept.
module mf_exp_digits #(
  parameter  int unsigned ExpBits   = 256, // capacity of the exponent window in bits
  parameter  int unsigned DigitBits = 1,   // bits of a digit: 1, 2 or 4; 1 from the lowest bit up
  parameter  bit          FromTop   = 1'b1,
  parameter  int unsigned Stages    = 0,    // registers behind next_i and behind a word, 0 or 1
  localparam int unsigned AddrBits  = $clog2(mf_pkg::words_of(ExpBits) + 1)
) (
  input  logic                 clk_i,
  input  logic                 rst_i,      // forgets the digit
  input  logic                 start_i,    // pulse: begins with the first digit
  input  logic [15:0]          exp_bits_i, // with start_i
  output logic [AddrBits-1:0]  exp_addr_o,
  input  logic [31:0]          exp_data_i,
  input  logic                 next_i,     // pulse: digit_o is taken
  output logic                 valid_o,
  output logic [DigitBits-1:0] digit_o,
  output logic                 last_o      // digit_o is the last one
);

  if (!(DigitBits inside {1, 2, 4}) || (!FromTop && DigitBits != 1)) begin : gen_check_digit
    $error("mf_exp_digits: DigitBits must be 1, 2 or 4; 1 from the lowest bit up");
  end

  logic [15:0]          index_q; // lowest bit of the digit that is fetched
  logic [15:0]          left_q;  // bits from the fetched one on, from the lowest bit up only
  logic [DigitBits-1:0] mask_q;  // bits of the fetched digit that are below exp_bits_i
  logic [1:0]           there_q; // [1]: exp_data_i is the word of index_q
  logic                 run_q;   // a digit is being fetched
  logic                 take, last, next, there;
  logic [DigitBits-1:0] bits;    // of the word
  if (Stages == 0) begin : gen_at_once
    assign next  = next_i;
    assign there = there_q[1];
    assign bits  = DigitBits'(exp_data_i >> index_q[4:0]);
    assign last  = FromTop ? index_q == '0 : left_q[15:1] == '0;
  end else begin : gen_later
    logic [3:0] nibble_q;
    logic       next_q, there_late_q;
    logic       last_q; // index_q and left_q stand still for longer before a digit is taken
    always_ff @(posedge clk_i) begin
      last_q       <= FromTop ? index_q == '0 : left_q[15:1] == '0;
      next_q       <= !rst_i && !start_i && next_i;
      there_late_q <= !start_i && !take && there_q[1];
      nibble_q     <= rst_i || !run_q ? '0 : exp_data_i[{index_q[4:2], 2'b00} +: 4];
    end
    assign next  = next_q;
    assign there = there_late_q;
    assign last  = last_q;
    assign bits  = DigitBits'(nibble_q >> index_q[1:0]);
  end
  assign exp_addr_o = AddrBits'(index_q >> 5);
  assign take       = run_q && there && (!valid_o || next);

  // The top digit begins at the highest multiple of DigitBits below exp_bits_i.
  logic                 none;
  logic [15:0]          top;
  logic [DigitBits-1:0] top_mask;
  assign none = exp_bits_i == '0;
  assign top  = exp_bits_i - 16'd1;
  always_comb begin
    for (int unsigned i = 0; i < DigitBits; i++)
      top_mask[i] = !none && (!FromTop || 16'(i) <= (top & 16'(DigitBits - 1)));
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      run_q   <= 1'b0;
      valid_o <= 1'b0;
      digit_o <= '0;
    end else if (start_i) begin
      run_q   <= 1'b1;
      valid_o <= 1'b0;
      digit_o <= '0;
    end else if (take) begin
      run_q   <= !last;
      valid_o <= 1'b1;
      // ct-ok: a mux within one clock
      digit_o <= bits & mask_q;
    end else if (next) begin
      valid_o <= 1'b0;
      digit_o <= '0;
    end
    there_q <= start_i || take ? 2'b00 : {there_q[0], 1'b1};
    if (start_i) begin
      index_q <= FromTop && !none ? top & ~16'(DigitBits - 1) : '0;
      left_q  <= exp_bits_i;
      mask_q  <= top_mask;
    end else if (take) begin
      last_o <= last;
      mask_q <= '1;
      if (!last) begin
        index_q <= FromTop ? index_q - 16'(DigitBits) : index_q + 16'd1;
        left_q  <= left_q - 16'd1;
      end
    end
  end

endmodule
