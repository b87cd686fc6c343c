// SPDX-License-Identifier: Apache-2.0
/// Words from the RSA core's memory to an engine: four places between the memory, which answers two
/// cycles after an address, and a register in front of the engine.
///
/// Source   modfab.
/// Model    modfab.models.rsa.instructions (the cycles of a load).
/// Latency  4 cycles from issue_i to valid_o; a word a cycle.
/// Assumes  issue_i only while free_o; data_i two cycles after issue_i.
/// Ensures  words leave once each, in order; nothing is kept once clear_i has been high.
module mf_rsa_feed (
  input  logic        clk_i,
  input  logic        clear_i,
  output logic        free_o,   // an address may be issued
  input  logic        issue_i,
  input  logic [31:0] data_i,
  output logic        held_o,   // a word comes into the output register when that is free
  output logic        valid_o,
  input  logic        ready_i,
  output logic [31:0] data_o
);

  logic [3:0][31:0] word_q;
  logic [1:0]       put_q, get_q;
  logic [2:0]       held_q, credit_q; // words held; issued and not yet in the output register
  logic             due_q, here_q, move;
  assign free_o = !credit_q[2]; // below 4
  assign held_o = held_q != '0;
  assign move   = held_o && (!valid_o || ready_i);

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      word_q   <= '0;
      put_q    <= '0;
      get_q    <= '0;
      held_q   <= '0;
      credit_q <= '0;
      due_q    <= 1'b0;
      here_q   <= 1'b0;
      valid_o  <= 1'b0;
      data_o   <= '0;
    end else begin
      due_q    <= issue_i;
      here_q   <= due_q;
      for (int unsigned i = 0; i < 4; i++)
        if (here_q && put_q == 2'(i)) word_q[i] <= data_i;
      if (here_q) put_q <= put_q + 2'd1;
      if (move) begin
        data_o <= word_q[get_q];
        get_q  <= get_q + 2'd1;
      end
      valid_o  <= move || (valid_o && !ready_i);
      held_q   <= held_q + 3'(here_q) - 3'(move);
      credit_q <= credit_q + 3'(issue_i) - 3'(move);
    end
  end

endmodule
