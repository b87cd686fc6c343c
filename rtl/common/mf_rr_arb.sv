// SPDX-License-Identifier: Apache-2.0
/// Round-robin arbiter.
///
/// Source   modfab.
/// Model    modfab.models.stream.RoundRobin.
/// Latency  none; taken_i changes the priority one cycle later.
/// Assumes  nothing.
/// Ensures  pick_o has one bit of set_i, or none when set_i is 0; a request that stays set is
///          picked after at most Num - 1 others.
module mf_rr_arb #(
  parameter int unsigned Num = 4 // requests, 1..32
) (
  input  logic           clk_i,
  input  logic           rst_i,
  input  logic [Num-1:0] set_i,
  input  logic           taken_i, // the picked request is served
  output logic [Num-1:0] pick_o
);

  logic [Num-1:0] behind_q, later; // bits above the last one
  assign later = set_i & behind_q;

  function automatic logic [Num-1:0] lowest(input logic [Num-1:0] set);
    lowest = set & (~set + Num'(1));
  endfunction
  assign pick_o = later != '0 ? lowest(later) : lowest(set_i);

  always_ff @(posedge clk_i) begin
    if (rst_i) behind_q <= '0;
    else if (taken_i) behind_q <= ~(pick_o | (pick_o - Num'(1)));
  end

endmodule
