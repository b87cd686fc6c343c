// SPDX-License-Identifier: Apache-2.0
/// Proof: LEDs of a board show an event one cycle later and hold it for exactly 2^HoldBits cycles.
///
/// Source   modfab.
/// Latency  none.
/// Assumes  reset in the first cycle.
/// Ensures  the assertions, in every cycle after it.
module mf_formal_board_leds #(
  parameter int unsigned HoldBits = 2
) (
  input logic clk_i,
  input logic rst_i,
  input logic busy_i,
  input logic link_i,
  input logic alarm_i
);

  localparam int unsigned Hold = 1 << HoldBits;

  logic [7:0] led;
  mf_board_leds #(.HoldBits(HoldBits)) u_dut (
    .clk_i, .rst_i, .busy_i, .link_i, .alarm_i, .led_o(led)
  );

  // Cycles since the last event, up to Hold: none is to be seen then.
  logic [1:0][HoldBits:0] since_q;
  logic                   running_q, alarm_q;
  logic                   begun_q = 1'b0;

  always_ff @(posedge clk_i) begin
    begun_q   <= 1'b1;
    running_q <= !rst_i;
    alarm_q   <= alarm_i && !rst_i;
    for (int i = 0; i < 2; i++) begin
      if (rst_i) since_q[i] <= (HoldBits+1)'(Hold);
      else if (i == 0 ? busy_i : link_i) since_q[i] <= '0;
      else if (since_q[i] < (HoldBits+1)'(Hold)) since_q[i] <= since_q[i] + 1'b1;
    end
  end

  always_comb begin
    first_is_reset: assume (begun_q || rst_i);
    if (begun_q) begin
      busy_shows:    assert (led[0] == (since_q[0] < (HoldBits+1)'(Hold)));
      link_shows:    assert (led[1] == (since_q[1] < (HoldBits+1)'(Hold)));
      running_shows: assert (led[2] == running_q);
      alarm_shows:   assert (led[7] == alarm_q);
      others_off:    assert (led[6:3] == '0);
    end
  end

endmodule
