// SPDX-License-Identifier: Apache-2.0
/// UART receiver: 8 data bits, no parity, one stop bit, least significant bit first.
///
/// Source   modfab. The bit clock is a phase accumulator, so that any baud rate up to ClkHz / 8 is
///          met within 0.1 % and the sampling within one cycle.
/// Model    src/modfab/sim/cpp/board.cpp (the other end of the line).
/// Latency  byte_valid_o in the middle of the stop bit, 3 cycles later.
/// Assumes  rx_i is high between bytes; any phase to clk_i.
/// Ensures  byte_valid_o is one cycle for each start bit that holds to its middle; byte_bad_o with
///          it when the stop bit is missing.
module mf_uart_rx #(
  parameter int unsigned ClkHz  = 100_000_000, // of clk_i
  parameter int unsigned BaudHz = 3_000_000    // bits a second, at most ClkHz / 8
) (
  input  logic       clk_i,
  input  logic       rst_i,
  input  logic       rx_i,         // the line, asynchronous
  output logic       byte_valid_o,
  output logic       byte_bad_o,   // no stop bit
  output logic [7:0] byte_o
);

  if (BaudHz > ClkHz / 8) begin : gen_check_baud
    $error("mf_uart_rx: BaudHz must be at most ClkHz / 8");
  end

  localparam logic [23:0] Step = 24'((64'(BaudHz) << 24) / 64'(ClkHz));

  logic [2:0]  sync_q;  // two against metastability, one for the edge
  logic        active_q, tick_q;
  logic [23:0] phase_q;
  logic [3:0]  bits_q;  // bits that are still to come, the start bit's middle included
  logic [7:0]  shift_q;
  logic        line;
  assign line = sync_q[1];

  always_ff @(posedge clk_i) begin
    sync_q       <= {sync_q[1:0], rx_i};
    byte_valid_o <= 1'b0;
    if (!active_q) begin
      tick_q   <= 1'b0;
      phase_q  <= 24'h80_0000; // half a bit to the middle of the start bit
      bits_q   <= 4'd9;
      active_q <= sync_q[2] && !line;
    end else begin
      {tick_q, phase_q} <= 25'(phase_q) + 25'(Step);
      if (tick_q) begin
        bits_q <= bits_q - 4'd1;
        if (bits_q == 4'd0) begin
          byte_valid_o <= 1'b1;
          byte_bad_o   <= !line;
          byte_o       <= shift_q;
          active_q     <= 1'b0;
        end else if (bits_q == 4'd9) begin
          active_q <= !line; // a spike is no start bit
        end else begin
          shift_q <= {line, shift_q[7:1]};
        end
      end
    end
    if (rst_i) begin
      sync_q       <= '1;
      active_q     <= 1'b0;
      byte_valid_o <= 1'b0;
    end
  end

endmodule
