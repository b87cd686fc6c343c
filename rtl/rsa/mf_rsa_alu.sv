// SPDX-License-Identifier: Apache-2.0
/// Vector arithmetic of the RSA core: one word of each operand a clock, least significant first.
///
/// Source   modfab; multiplication row by row is the schoolbook method.
/// Model    modfab.models.rsa.
/// Latency  a result word leaves 4 clocks after its operand words came (3 of mf_prim_mul, 1 result
///          register); the flag changes with the last one.
/// Assumes  op_i is stable from clear_i until the last word has left; clear_i before the first
///          word; a row of OpMac is one word longer than its operand, and last_i marks that word.
/// Ensures  flag_o: carry of OpAdd and OpAdc, borrow of OpSub, equality of OpEq; else unchanged. No
///          register keeps a word once wipe_i has been high for 5 clocks.
module mf_rsa_alu (
  input  logic               clk_i,
  input  logic               wipe_i,
  input  logic               clear_i,     // start of an instruction
  input  mf_rsa_pkg::op_e    op_i,
  input  logic [mf_rsa_pkg::AddrBits-1:0] immediate_i, // OpSet: the first word
  input  logic               valid_i,
  input  logic               first_i,
  input  logic               last_i,
  input  logic [31:0]        a_i,
  input  logic [31:0]        b_i,
  output logic               valid_o,     // a word to write
  output logic [31:0]        data_o,
  output logic               flag_o
);

  localparam int unsigned Stages = 3;

  typedef struct packed {
    logic        valid;
    logic        first;
    logic        last;
    logic [31:0] a;
    logic [31:0] b;
  } stage_t;

  stage_t [Stages-1:0] stage_q;
  stage_t              now;
  logic [31:0]         mult_q;  // multiplier of a row, from OpLdm
  logic [31:0]         carry_q; // carry word of OpMac, carry or borrow bit of the others
  logic                equal_q, flag_q;
  logic [63:0]         product;
  assign now    = stage_q[Stages-1];
  assign flag_o = flag_q;

  mf_prim_mul #(.WidthA(32), .WidthB(32), .Stages(Stages)) u_mul (
    .clk_i, .a_i(wipe_i ? '0 : a_i), .b_i(mult_q), .p_o(product)
  );

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 1; i < Stages; i++) stage_q[i] <= wipe_i ? '0 : stage_q[i-1];
    stage_q[0] <= wipe_i ? '0 : '{valid: valid_i, first: first_i, last: last_i, a: a_i, b: b_i};
  end

  // ---- one word ----
  logic        equal;
  logic [32:0] sum, difference;
  logic [63:0] row;
  assign equal      = equal_q && now.a == now.b;
  assign sum        = {1'b0, now.a} + {1'b0, now.b} + 33'(carry_q[0]);
  assign difference = {1'b0, now.a} - {1'b0, now.b} - 33'(carry_q[0]);
  // (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1. The extra word of a row is its carry alone.
  assign row = (now.last ? '0 : product + 64'(now.b)) + 64'(carry_q);

  logic [31:0] result, carry;
  logic        writes;
  always_comb begin
    writes = now.valid;
    carry  = carry_q;
    unique case (op_i)
      mf_rsa_pkg::OpAdd, mf_rsa_pkg::OpAdc: {carry, result} = {31'd0, sum};
      mf_rsa_pkg::OpSub: {carry, result} = {31'd0, difference};
      mf_rsa_pkg::OpMac: {carry, result} = row;
      mf_rsa_pkg::OpSel: result = flag_q ? now.a : now.b; // ct-ok: a multiplexer within one clock
      mf_rsa_pkg::OpSet: result = now.first ? 32'(immediate_i) : '0;
      default: begin
        result = '0;
        writes = 1'b0;
      end
    endcase
  end

  always_ff @(posedge clk_i) begin
    valid_o <= writes && !wipe_i;
    data_o  <= wipe_i ? '0 : result;
    if (wipe_i) begin
      mult_q  <= '0;
      carry_q <= '0;
      equal_q <= 1'b0;
      flag_q  <= 1'b0;
    end else if (clear_i) begin
      carry_q <= {31'd0, op_i == mf_rsa_pkg::OpAdc && flag_q};
      equal_q <= 1'b1;
    end else if (now.valid) begin
      carry_q <= carry;
      equal_q <= equal;
      if (op_i == mf_rsa_pkg::OpLdm) mult_q <= now.a;
      if (now.last) begin
        if (op_i == mf_rsa_pkg::OpEq) flag_q <= equal;
        else if (op_i inside {mf_rsa_pkg::OpAdd, mf_rsa_pkg::OpAdc, mf_rsa_pkg::OpSub})
          flag_q <= carry[0];
      end
    end
  end

endmodule
