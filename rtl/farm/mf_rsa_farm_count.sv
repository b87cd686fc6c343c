// SPDX-License-Identifier: Apache-2.0
/// Counter that tolerates a bit flip.
///
/// Source   modfab.
/// Model    none: a number.
/// Latency  count_o changes one cycle after clear_i or step_i.
/// Assumes  nothing.
/// Ensures  one changed bit neither shows in count_o nor stays.
module mf_rsa_farm_count #(
  parameter int unsigned WidthBits = 4 // of the count, 1..16
) (
  input  logic                 clk_i,
  input  logic                 clear_i,
  input  logic                 step_i,
  output logic [WidthBits-1:0] count_o
);

  logic [WidthBits-1:0] more;
  assign more = count_o + WidthBits'(1);
  mf_rsa_farm_vote #(.WidthBits(WidthBits)) u_vote (
    .clk_i,
    .rst_i   (clear_i),
    .next_i  (clear_i ? '0 : step_i ? more : count_o), // step_i comes late
    .value_o (count_o)
  );

endmodule
