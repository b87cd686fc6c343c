// SPDX-License-Identifier: Apache-2.0
/// k * M from a table: the lowest digit of S, not k, is the address. Up to 10 bits one read of a
/// table of 2^DigitBits words; above, two reads of one of 2^(DigitBits / 2) words.
///
/// The accumulator counts up k * M while table_i is high; the multiple's own low bits, negated, are
/// the address it belongs to, so no inverse is needed. Bits of the multiple that the address tells
/// are not stored: they only ever cancel, and their carry is known from the address.
///
/// Source   [NAKANO09] Lemmas 7 and 8, Figures 2 and 3; function g in distributed RAM is D3 in
///          README.md beside this file.
/// Model    modfab.models.mul_redundant_lut.
/// Latency  the table is read at the clock edge that loads the accumulator; c_o is combinational.
/// Assumes  table_i for 2^IndexBits cycles with acc_i = 0, M, 2M ..; wipe_i for as many cycles
///          before any of it; low_i, the lowest digit of X * y, with that of c_o belongs to acc_i
///          one cycle later.
/// Ensures  c_o = (acc + k * M) / 2^DigitBits, exactly.
module mf_mul_redundant_lut_table #(
  parameter int unsigned Digits    = 4,
  parameter int unsigned DigitBits = 16, // 5..10, 12, 14, 16, 18
  parameter bit          Redundant = 1
) (
  input  logic                             clk_i,
  input  logic                             wipe_i,
  input  logic                             clear_i,
  input  logic                             table_i,
  input  logic [DigitBits-1:0]             low_i,
  input  logic [Digits+1:0][DigitBits+1:0] acc_i,
  output logic [Digits:0][DigitBits+1:0]   c_o
);

  localparam int unsigned W         = DigitBits + 2;
  localparam bit          Two       = DigitBits > 10;
  localparam int unsigned IndexBits = Two ? DigitBits / 2 : DigitBits;
  localparam int unsigned Reads     = Two ? 2 : 1;
  localparam int unsigned Step      = Redundant ? DigitBits + 1 : DigitBits; // bits of a digit
  // The digits, without the low bits of the lowest, with as many of the one above all.
  localparam int unsigned EntryBits = Digits * Step;
  typedef logic [IndexBits-1:0] index_t;

  // ---- filling; a wipe counts through all addresses ----
  logic                 write;
  index_t               wipe_q, write_at;
  logic [EntryBits-1:0] entry_in;
  assign write    = table_i || wipe_i;
  assign write_at = wipe_i ? wipe_q : -acc_i[0][IndexBits-1:0];
  always_ff @(posedge clk_i) wipe_q <= wipe_i ? wipe_q + index_t'(1) : '0;

  logic [IndexBits+EntryBits-1:0] multiple;
  always_comb begin
    for (int unsigned i = 0; i < Digits; i++) multiple[i*Step+:Step] = acc_i[i][Step-1:0];
    multiple[EntryBits+:IndexBits] = acc_i[Digits][IndexBits-1:0];
    entry_in = wipe_i ? '0 : EntryBits'(multiple >> IndexBits);
  end

  // ---- addresses ----
  index_t                            first, second;
  logic [Reads-1:0][EntryBits-1:0]   entry;
  logic [Reads:0][Digits:0][W-1:0]   terms;          // of the sum, digits 1 .. Digits + 1
  logic [1:0]                        carry, carry_q; // out of the lowest digit, known early
  logic [DigitBits-1:0]              next; // lowest digit of the next S
  assign next  = c_o[0][DigitBits-1:0] + low_i;
  assign first = clear_i ? '0 : next[IndexBits-1:0];
  if (Two) begin : gen_two
    // g: the first multiple's part of the upper half of the lowest digit, with carry
    logic [IndexBits:0]   g, g_in;
    logic [IndexBits+1:0] upper;
    logic [IndexBits:0]   unused_g;
    assign g_in = wipe_i ? '0 : (IndexBits+1)'(acc_i[0][IndexBits+:IndexBits])
                              + (IndexBits+1)'(|acc_i[0][IndexBits-1:0]);
    mf_regfile_1w2r #(.WidthBits(IndexBits + 1), .Depth(2**IndexBits)) u_g (
      .clk_i,
      .wr_en_i     (write),
      .wr_addr_i   (write_at),
      .wr_data_i   (g_in),
      .rd_a_addr_i (next[IndexBits-1:0]),
      .rd_a_data_o (g),
      .rd_b_addr_i ('0),
      .rd_b_data_o (unused_g)
    );
    assign upper  = (IndexBits+2)'(next[DigitBits-1:IndexBits]) + (IndexBits+2)'(g);
    assign second = clear_i ? '0 : upper[IndexBits-1:0];
    assign carry  = clear_i ? '0 : 2'(upper[IndexBits+1:IndexBits]) + 2'(|upper[IndexBits-1:0]);
    mf_prim_ram_1rw1r #(.WidthBits(EntryBits), .Depth(2**IndexBits)) u_table (
      .clk_i,
      .wr_en_i  (write),
      .a_addr_i (write ? write_at : first), // nothing is read while the table is filled
      .a_data_i (entry_in),
      .a_data_o (entry[0]),
      .b_addr_i (second),
      .b_data_o (entry[1])
    );
    logic unused_two;
    assign unused_two = ^unused_g;

    // The second multiple counts 2^IndexBits times: the upper half of a digit moves to the next,
    // where the sum is < 2^DigitBits + 2^IndexBits.
    logic [Digits:0][W-1:0] plain, moved;
    assign plain = digits(entry[1]);
    always_comb begin
      moved[0] = W'(entry[1][0+:Step-IndexBits]);
      for (int unsigned i = 1; i <= Digits; i++) moved[i] = plain[i-1] >> IndexBits;
      for (int unsigned i = 0; i <= Digits; i++)
        moved[i] = moved[i] + W'({plain[i][IndexBits-1:0], IndexBits'(0)});
    end
    assign terms[2] = moved;
  end else begin : gen_one
    mf_prim_ram_1r1w #(.WidthBits(EntryBits), .Depth(2**IndexBits)) u_table (
      .clk_i,
      .wr_en_i   (write),
      .wr_addr_i (write_at),
      .wr_data_i (entry_in),
      .rd_addr_i (first),
      .rd_data_o (entry[0])
    );
    assign second = '0;
    assign carry  = clear_i ? '0 : 2'(|next);
    logic unused_one;
    assign unused_one = ^second;
  end
  always_ff @(posedge clk_i) carry_q <= carry;

  // ---- the sum, without the lowest digit ----
  logic [Digits+1:0][W-1:0]        sum;
  logic [2:0]                      carry_in;
  assign terms[0] = acc_i[Digits+1:1];
  assign terms[1] = digits(entry[0]);
  assign carry_in = 3'(acc_i[0][W-1:DigitBits]) + 3'(carry_q);

  function automatic logic [Digits:0][W-1:0] digits(input logic [EntryBits-1:0] e);
    digits = '0;
    for (int unsigned i = 1; i < Digits; i++) digits[i-1] = W'(e[i*Step-IndexBits+:Step]);
    digits[Digits-1] = W'(e[EntryBits-1-:IndexBits]);
  endfunction

  mf_redundant_add #(
    .Digits    (Digits + 1),
    .DigitBits (DigitBits),
    .Operands  (Reads + 1),
    .Redundant (Redundant)
  ) u_sum (
    .x_i     (terms),
    .carry_i (carry_in),
    .z_o     (sum)
  );
  assign c_o = sum[Digits:0];
  logic unused_digits; // c < 4 * 2^(DigitBits * Digits)
  assign unused_digits = ^sum[Digits+1];

endmodule
