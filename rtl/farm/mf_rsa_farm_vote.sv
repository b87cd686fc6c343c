// SPDX-License-Identifier: Apache-2.0
/// Triple-redundant register (true, inverted and masked copy) with a majority vote.
///
/// Source   modfab.
/// Model    none: a register.
/// Latency  value_o is next_i of one cycle before.
/// Assumes  rst_i at some time, so that the mask has a value; value_o does not depend on it.
/// Ensures  one changed bit shows neither in value_o nor, one cycle later, in any of the forms. No
///          two of them are equal, so that synthesis makes no single flip-flop of two.
module mf_rsa_farm_vote #(
  parameter int unsigned WidthBits = 4 // 1..64
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic [WidthBits-1:0] next_i,
  output logic [WidthBits-1:0] value_o
);

  logic                 mask_q;
  logic [WidthBits-1:0] word_q, inverse_q, masked_q, third;
  assign third   = masked_q ^ {WidthBits{mask_q}};
  assign value_o = (word_q & ~inverse_q) | (third & (word_q | ~inverse_q));

  // Each has its own: synthesis would give all of them one, far away from most.
  (* keep *) always_ff @(posedge clk_i) mask_q <= !rst_i && !mask_q;
  always_ff @(posedge clk_i) begin
    word_q    <= next_i;
    inverse_q <= ~next_i;
    masked_q  <= next_i ^ {WidthBits{!rst_i && !mask_q}};
  end

endmodule
