// SPDX-License-Identifier: Apache-2.0
/// Fanout register: several copies of one register, each for its own part of a wide design.
///
/// Source   modfab.
/// Model    q = d.
/// Latency  1 cycle.
/// Assumes  nothing.
/// Ensures  every copy of q_o is d_i of the cycle before; synthesis does not merge the copies.
module mf_fanout_reg #(
  parameter int unsigned WidthBits = 1, // bits of the value, 1..256
  parameter int unsigned Copies    = 2  // registers, 1..256
) (
  input  logic                             clk_i,
  input  logic [WidthBits-1:0]             d_i,
  output logic [Copies-1:0][WidthBits-1:0] q_o
);

  for (genvar i = 0; i < Copies; i++) begin : gen_copies
    logic [WidthBits-1:0] copy_q;
    (* keep *) always_ff @(posedge clk_i) copy_q <= d_i;
    assign q_o[i] = copy_q;
  end

endmodule
