// SPDX-License-Identifier: Apache-2.0
/// Reset of a board: from power-up until the clock is stable and the button was let go.
///
/// Source   modfab.
/// Model    none; tests/sim/test_board.py starts from random states.
/// Latency  rst_o falls 3 + 2^HoldBits + 1 cycles after ready_i rises, and rises 5 cycles after it
///          falls.
/// Assumes  ready_i may change at any time; clk_i may stand still while it is low.
/// Ensures  rst_o is a register of clk_i. The registers have initial values, which a bitstream
///          sets, for a reset at power-up even if ready_i is high from the first cycle on.
module mf_board_reset #(
  parameter int unsigned HoldBits = 8 // rst_o stays high for 2^HoldBits cycles, 1..24
) (
  input  logic clk_i,
  input  logic ready_i, // asynchronous
  output logic rst_o
);

  logic [2:0]        ready_q;
  logic [HoldBits:0] count_q;
  initial begin
    ready_q = '0;
    count_q = '0;
    rst_o   = 1'b1;
  end
  always_ff @(posedge clk_i) begin
    ready_q <= {ready_q[1:0], ready_i};
    if (!ready_q[2]) count_q <= '0;
    else if (!count_q[HoldBits]) count_q <= count_q + (HoldBits+1)'(1);
    rst_o <= !count_q[HoldBits];
  end

endmodule
