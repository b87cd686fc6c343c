// SPDX-License-Identifier: Apache-2.0
/// Words from the RSA core's memory to an engine: four places between the memory, which answers two
/// cycles after an address, and a buffer of two words.
///
/// Source   modfab.
/// Model    modfab.models.rsa.instructions (the cycles of a load).
/// Latency  4 cycles from issue_i to valid_o; a word a cycle; fed_o a cycle after the
///          last one left.
/// Assumes  issue_i only while free_o; data_i two cycles after issue_i; feed_i low for a cycle
///          after fed_o.
/// Ensures  words leave once each, in order, while feed_i; none behind a last one until feed_i was
///          low. Nothing is kept once clear_i has been high.
module mf_rsa_feed (
  input  logic        clk_i,
  input  logic        clear_i,
  output logic        free_o,   // an address may be issued
  input  logic        issue_i,
  input  logic        last_i,   // with issue_i: the last word for an engine
  input  logic [31:0] data_i,
  output logic        here_o,   // a word is in the output buffer, or will be in the next cycle
  input  logic        feed_i,
  output logic        valid_o,  // to the engine
  input  logic        ready_i,
  output logic [31:0] data_o,
  output logic        fed_o     // the last word has left
);

  typedef struct packed {
    logic        last;
    logic [31:0] data;
  } word_t;
  word_t [3:0]      word_q;
  word_t            out_word;
  logic [1:0]       put_q, get_q;
  logic [2:0]       held_q, credit_q; // words held; issued and not yet in the output buffer
  logic             some_q;           // held_q is not 0
  logic             due_q, here_q, due_last_q, here_last_q, room, move, out, leaves;
  assign free_o  = !credit_q[2]; // below 4
  assign move    = some_q && room;
  assign here_o  = out || some_q;
  assign valid_o = out && feed_i && !fed_o;
  assign data_o  = out_word.data;
  assign leaves  = valid_o && ready_i;
  // So that no engine's ready is in the paths of what is counted here.
  mf_skid_buffer #(.WidthBits($bits(word_t))) u_out (
    .clk_i, .rst_i(clear_i),
    .in_valid_i  (some_q), .in_ready_o(room), .in_data_i(word_q[get_q]),
    .out_valid_o (out), .out_ready_i(leaves), .out_data_o(out_word)
  );

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      word_q   <= '0;
      put_q    <= '0;
      get_q    <= '0;
      held_q   <= '0;
      some_q   <= 1'b0;
      credit_q <= '0;
      due_q    <= 1'b0;
      here_q   <= 1'b0;
      {due_last_q, here_last_q} <= '0;
      fed_o    <= 1'b0;
    end else begin
      due_q       <= issue_i;
      due_last_q  <= last_i;
      here_q      <= due_q;
      here_last_q <= due_last_q;
      for (int unsigned i = 0; i < 4; i++)
        if (here_q && put_q == 2'(i)) word_q[i] <= '{last: here_last_q, data: data_i};
      if (here_q) put_q <= put_q + 2'd1;
      if (move) get_q <= get_q + 2'd1;
      fed_o    <= leaves && out_word.last;
      held_q   <= held_q + 3'(here_q) - 3'(move);
      some_q   <= here_q || held_q[2:1] != '0 || (held_q[0] && !move);
      credit_q <= credit_q + 3'(issue_i) - 3'(move);
    end
  end

endmodule
