// SPDX-License-Identifier: Apache-2.0
/// Vector arithmetic of the RSA core: one word of each operand a cycle, least significant first.
///
/// Source   modfab; multiplication row by row is the schoolbook method.
/// Model    modfab.models.rsa.
/// Latency  a result word leaves 2 cycles after its operand words came, that of OpMac 6 cycles
///          after (2 of the multipliers, 3 of the sum of their products, one overlaps with the sum
///          of words); carry_o changes with the last one, equal_o a cycle later.
/// Assumes  op_i is stable from clear_i until the last word has left; clear_i at least two cycles
///          before the first word; mult_i before the first word of OpMac; a row of OpMac is one
///          word longer than its operand, and last_i marks that word.
/// Ensures  carry_o: carry of OpAdd and OpAdc, borrow of OpSub; equal_o: equality of OpEq; else
///          unchanged. No register keeps a word once wipe_i has been high for 8 cycles.
module mf_rsa_alu (
  input  logic               clk_i,
  input  logic               wipe_i,
  input  logic               clear_i,     // start of an instruction
  input  mf_rsa_pkg::op_e    op_i,
  input  logic [mf_rsa_pkg::AddrBits-1:0] immediate_i, // OpSet: the first word
  input  logic               mult_i,      // b_i is the multiplier of a row
  input  logic               soon_i,      // valid_i and first_i of the next cycle
  input  logic               soon_first_i,
  input  logic               valid_i,
  input  logic               first_i,
  input  logic               last_i,
  input  logic [31:0]        a_i,
  input  logic [31:0]        b_i,
  output logic               valid_o,     // a word to write
  output logic [31:0]        data_o,
  output logic               carry_o,
  output logic               equal_o
);

  localparam int unsigned Half   = 17; // bits of the low part of a factor; 15 are left
  localparam int unsigned Stages = 3;  // until the sums of the partial products

  typedef struct packed {
    logic valid;
    logic first;
    logic last;
  } mark_t;

  // ---- the rows of OpMac: four partial products, then the sums of those, then words ----
  // (2^32 - 1)^2 + 2^32 - 1 = 2^64 - 2^32, so product and addend fit 64 bits. With the parts of the
  // factors, a = a1 2^17 + a0 and b = b1 2^17 + b0, and the addend c the sum is
  // {a1 b1, a0 b0} + (a1 b0 + a0 b1) 2^17 + c. No adder is longer than a word.
  logic [31:0]               mult_q;
  logic [2*Half-1:0]         low_low;   // a0 b0
  logic [31:0]               low_high, high_low;
  logic [63-2*Half:0]        high_high; // a1 b1
  logic [Stages-2:0][31:0]   addend_q;
  mark_t [Stages:0]          mark_q;
  logic [32:0]               middle_q;  // a1 b0 + a0 b1
  logic [32:0]               first_q;   // the low word of a0 b0, and the addend
  logic [31:0]               upper_q;   // {a1 b1, a0 b0} above it
  logic [32-Half:0]          low_sum_q; // bits 31 .. Half of the low word, and a carry
  logic [Half-1:0]           low_same_q;
  logic [31:0]               high;
  logic                      unused_carry;
  logic [31:0]               high_q, row_low_q, row_high_q;
  logic                      row_q; // a word of a row; otherwise nothing moves here
  logic [31:0]               a_row;
  // What op_i is; registered, since it is here two cycles before the first word.
  logic is_mac_q, is_sel_q, is_set_q, is_sub_q, is_adc_q, is_eq_q, adds_q;
  always_ff @(posedge clk_i) begin
    is_mac_q <= op_i == mf_rsa_pkg::OpMac;
    is_sel_q <= op_i == mf_rsa_pkg::OpSel;
    is_set_q <= op_i == mf_rsa_pkg::OpSet;
    is_sub_q <= op_i == mf_rsa_pkg::OpSub;
    is_adc_q <= op_i == mf_rsa_pkg::OpAdc;
    is_eq_q  <= op_i == mf_rsa_pkg::OpEq;
    adds_q   <= op_i inside {mf_rsa_pkg::OpAdd, mf_rsa_pkg::OpAdc};
  end
  always_ff @(posedge clk_i) row_q <= is_mac_q && soon_i;
  assign a_row  = row_q ? a_i : '0;
  mf_prim_mul #(.WidthA(Half), .WidthB(Half), .Stages(2)) u_low_low (
    .clk_i, .a_i(a_row[Half-1:0]), .b_i(mult_q[Half-1:0]), .p_o(low_low)
  );
  mf_prim_mul #(.WidthA(32-Half), .WidthB(Half), .Stages(2)) u_high_low (
    .clk_i, .a_i(a_row[31:Half]), .b_i(mult_q[Half-1:0]), .p_o(high_low)
  );
  mf_prim_mul #(.WidthA(Half), .WidthB(32-Half), .Stages(2)) u_low_high (
    .clk_i, .a_i(a_row[Half-1:0]), .b_i(mult_q[31:Half]), .p_o(low_high)
  );
  mf_prim_mul #(.WidthA(32-Half), .WidthB(32-Half), .Stages(2)) u_high_high (
    .clk_i, .a_i(a_row[31:Half]), .b_i(mult_q[31:Half]), .p_o(high_high)
  );

  always_ff @(posedge clk_i) begin
    if (wipe_i) mult_q <= '0;
    else if (mult_i) mult_q <= b_i;
    mark_q     <= {mark_q[Stages-1:0], mark_t'{valid: row_q, first: first_i, last: last_i}};
    addend_q   <= {addend_q[Stages-3:0], row_q ? b_i : '0};
    middle_q   <= 33'(high_low) + 33'(low_high);
    first_q    <= 33'(low_low[31:0]) + 33'(addend_q[Stages-2]);
    upper_q    <= {high_high, low_low[2*Half-1:32]};
    low_same_q <= first_q[Half-1:0];
    low_sum_q  <= (33-Half)'(first_q[31:Half]) + (33-Half)'(middle_q[31-Half:0]);
    high_q     <= high;
    row_high_q <= high_q + 32'(low_sum_q[32-Half]);
  end
  // The lowest bit of this adder is a carry in.
  assign {high, unused_carry} = {upper_q, first_q[32]}
                                + {32'(middle_q[32:32-Half]), first_q[32]};
  assign row_low_q = {low_sum_q[31-Half:0], low_same_q};

  // ---- one adder of 32 bits for all: operands, then the sum ----
  // The word of a row is its low word and the high word of the one before; its last, extra word is
  // the high word alone.
  mark_t       in;
  logic [31:0] x_q, y_q;
  logic        now_q, now_last_q; // a word is in the operands; the last one
  logic        carry_q, differ_q, carry_flag_q, equal_flag_q;
  logic        clear_q;    // never with now_q
  logic        eq_last_q;  // the last words of OpEq are in unlike_q
  logic [3:0]  unlike_q;   // bytes of the operands that differ
  logic [32:0] sum;
  logic        unused_low, unused_first;
  assign in        = is_mac_q ? mark_q[Stages]
                            : mark_t'{valid: valid_i, first: first_i, last: last_i};
  assign {sum, unused_low} = {1'b0, x_q, carry_q} + {1'b0, y_q, carry_q};
  assign carry_o   = carry_flag_q;
  assign unused_first = in.first;
  assign equal_o   = equal_flag_q;

  // What the operands of the next cycle come from; idle: nothing, the adder stands still.
  logic plain;
  logic from_a_q, from_b_q, from_row_q, from_immediate_q; // of x_q
  logic plus_b_q, minus_b_q, from_prev_q;                 // of y_q
  assign plain = soon_i && !wipe_i && !is_mac_q && !is_set_q;
  always_ff @(posedge clk_i) begin
    clear_q          <= clear_i && !wipe_i;
    now_q            <= in.valid && !wipe_i;
    now_last_q       <= in.last && !wipe_i;
    from_a_q         <= plain && (!is_sel_q || carry_flag_q); // ct-ok: a mux within one cycle
    from_b_q         <= plain && is_sel_q && !carry_flag_q;
    from_row_q       <= is_mac_q && !wipe_i && !mark_q[Stages-1].last;
    from_immediate_q <= soon_i && soon_first_i && !wipe_i && is_set_q;
    plus_b_q         <= plain && !is_sel_q && !is_sub_q;
    minus_b_q        <= plain && is_sub_q;
    from_prev_q      <= is_mac_q && !wipe_i && !mark_q[Stages-1].first;
    x_q <= (from_a_q ? a_i : '0) | (from_b_q ? b_i : '0) | (from_row_q ? row_low_q : '0)
           | (from_immediate_q ? 32'(immediate_i) : '0);
    y_q <= (plus_b_q ? b_i : '0) | (minus_b_q ? ~b_i : '0) | (from_prev_q ? row_high_q : '0);
  end

  always_ff @(posedge clk_i) begin
    valid_o  <= now_q && !is_eq_q && !wipe_i;
    data_o   <= wipe_i || !now_q ? '0 : sum[31:0];
    if (wipe_i) begin
      carry_q      <= 1'b0;
      carry_flag_q <= 1'b0;
    end else if (now_q) begin
      carry_q <= sum[32];
      if (now_last_q) begin
        if (adds_q) carry_flag_q <= sum[32];
        if (is_sub_q) carry_flag_q <= !sum[32];
      end
    end else if (clear_q) begin
      carry_q <= is_sub_q || (is_adc_q && carry_flag_q);
    end
  end

  // ---- equality: bytes, then words ----
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < 4; i++)
      unlike_q[i] <= now_q && !wipe_i && x_q[8*i +: 8] != y_q[8*i +: 8];
    eq_last_q <= now_q && now_last_q && is_eq_q && !wipe_i;
    differ_q  <= !wipe_i && !clear_q && (differ_q || unlike_q != '0);
    if (wipe_i) equal_flag_q <= 1'b0;
    else if (eq_last_q) equal_flag_q <= !(differ_q || unlike_q != '0);
  end

endmodule
