// SPDX-License-Identifier: Apache-2.0
/// Two random words of a core of the farm, as many as an instruction of an operation takes, so that
/// they are at hand while the other cores are served.
///
/// Source   modfab.
/// Model    none: each word that came leaves once.
/// Latency  a word is at data_o one cycle after put_i, or when the other one is taken.
/// Assumes  nothing.
/// Ensures  a word is taken in with put_i while free_o, and leaves once, with take_i while valid_o;
///          nothing is kept after clear_i, nor of a word two cycles after it left. One changed bit
///          of what is there hides a word, it makes none.
module mf_rsa_farm_words (
  input  logic        clk_i,
  input  logic        clear_i,
  output logic        free_o,
  input  logic        put_i,
  input  logic [31:0] data_i,
  output logic        valid_o,
  input  logic        take_i,
  output logic [31:0] data_o
);

  // take_i comes late: it reaches these few bits only, and a word goes when they say so.
  logic [1:0]       full_q, gone_q; // a word is in its place, and the complement
  logic [1:0]       full, next, put, take;
  logic [1:0][31:0] word_q;
  assign full    = full_q & ~gone_q;
  assign free_o  = full != '1;
  assign valid_o = full != '0;
  assign data_o  = full[0] ? word_q[0] : word_q[1];
  assign put     = {put_i && full[0] && !full[1], put_i && !full[0]};
  assign take    = {take_i && !full[0], take_i};
  assign next    = (full & ~take) | put;
  always_ff @(posedge clk_i) begin
    full_q <= clear_i ? '0 : next;
    gone_q <= clear_i ? '1 : ~next;
    for (int unsigned i = 0; i < 2; i++) begin
      if (clear_i) word_q[i] <= '0;
      else if (put[i]) word_q[i] <= data_i;
      else if (!full[i]) word_q[i] <= '0;
    end
  end

endmodule
