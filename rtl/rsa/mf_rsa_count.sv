// SPDX-License-Identifier: Apache-2.0
/// Counts the words of an instruction that are left to come, and those of a load that are left to
/// request from the memory. An instruction for both units has the first unit's words, then the
/// second unit's.
///
/// Source   modfab.
/// Model    modfab.models.rsa.instructions (the cycles of an instruction).
/// Latency  outputs follow an input by one cycle, next_second_o in the same one.
/// Assumes  passes_i and asks_i only while words are left, and not with step_i; NumWords >= 2.
/// Ensures  last_o, second_o, wants_o and ends_o are registers; switch_o is a function of two.
module mf_rsa_count #(
  parameter mf_rsa_pkg::addr_t NumWords = 2 // words of a value
) (
  input  logic               clk_i,
  input  logic               clear_i,
  input  logic               step_i,   // instr_i begins
  input  mf_rsa_pkg::instr_t instr_i,
  input  logic               both_i,   // a load or a store for both units is in progress
  input  logic               whole_i,  // a store waits for its command: NumWords words
  input  logic               passes_i, // a word has come
  input  logic               fed_i,    // the last word of a load for this unit is through
  input  logic               asks_i,   // a word of a load is requested
  output logic               last_o,   // one word is left
  output logic               second_o, // the words are those of the second unit
  output logic               next_second_o, // second_o of the next cycle
  output logic               wants_o,  // words of a load are left to request
  output logic               ends_o,   // the next request is the last one for its unit
  output logic               switch_o  // and that is the first of two
);

  typedef mf_rsa_pkg::addr_t addr_t;
  typedef logic [mf_rsa_pkg::AddrBits:0] count_t; // words less two: 2 - 2 .. -1
  localparam count_t Value = count_t'(NumWords) - count_t'(2);
  logic load;
  assign load = instr_i.op inside {mf_rsa_pkg::OpLoad, mf_rsa_pkg::OpLoad2};

  // Below zero: one word is left, or one to request.
  count_t left_q, issue_q;
  logic   asked_q;  // the second unit's words are being requested
  logic   switch_q; // they will be, after the last one of the first unit
  // What comes of left_q, decided before passes_i.
  count_t passed, waits;
  logic   over;    // the first unit's words are through
  logic   first_q; // words are those of the first of two units
  assign over   = last_o && first_q;
  assign passed = over ? Value : left_q - count_t'(1);
  assign waits  = whole_i ? Value : left_q;
  assign ends_o   = issue_q[$bits(count_t)-1];
  assign last_o   = left_q[$bits(count_t)-1];
  assign switch_o = ends_o && switch_q;
  assign next_second_o = !clear_i && !step_i
                         && (second_o || (passes_i && over) || (fed_i && both_i));

  always_ff @(posedge clk_i) begin
    // Neither changes in the cycle before a switch, or before the last word.
    switch_q <= both_i && !asked_q;
    first_q  <= both_i && !second_o;
    second_o <= next_second_o;
    if (clear_i) begin
      left_q  <= '0;
      issue_q <= '0;
      {wants_o, asked_q} <= '0;
    end else if (step_i) begin
      left_q   <= {instr_i.len[$bits(addr_t)-1], instr_i.len}; // words less two already
      issue_q  <= load ? Value : '0;
      wants_o  <= load;
      asked_q  <= 1'b0;
    end else begin
      left_q <= passes_i ? passed : waits;
      if (asks_i) begin
        issue_q <= switch_o ? Value : issue_q - count_t'(1);
        wants_o <= switch_o || !ends_o;
        asked_q <= asked_q || switch_o;
      end
    end
  end

  logic unused_fields; // of the instruction
  assign unused_fields = ^instr_i;

endmodule
