// SPDX-License-Identifier: Apache-2.0
/// LEDs of a board: short events are held long enough to be seen.
///
/// Source   modfab.
/// Model    none.
/// Latency  an event shows after one cycle and is held for 2^HoldBits cycles.
/// Assumes  nothing.
/// Ensures  led_o[0] busy, [1] link, [2] running (out of reset), [7] alarm, the others are off.
module mf_board_leds #(
  parameter int unsigned HoldBits = 22 // 42 ms at 100 MHz; 1..30
) (
  input  logic       clk_i,
  input  logic       rst_i,
  input  logic       busy_i,
  input  logic       link_i,
  input  logic       alarm_i, // is not held: the core keeps it
  output logic [7:0] led_o
);

  logic [1:0][HoldBits:0] hold_q;
  logic                   running_q, alarm_q;
  assign led_o = {alarm_q, 4'd0, running_q, hold_q[1][HoldBits], hold_q[0][HoldBits]};

  always_ff @(posedge clk_i) begin
    running_q <= !rst_i;
    alarm_q   <= alarm_i && !rst_i;
    for (int i = 0; i < 2; i++) begin
      if (rst_i) hold_q[i] <= '0;
      else if (i == 0 ? busy_i : link_i) hold_q[i] <= '1;
      else if (hold_q[i][HoldBits]) hold_q[i] <= hold_q[i] - (HoldBits+1)'(1);
    end
  end

endmodule
