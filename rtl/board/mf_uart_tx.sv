// SPDX-License-Identifier: Apache-2.0
/// UART transmitter: 8 data bits, no parity, one stop bit, least significant bit first.
///
/// Source   modfab. The bit clock is a phase accumulator, as in mf_uart_rx.
/// Model    src/modfab/sim/cpp/board.cpp (the other end of the line).
/// Latency  the start bit begins one cycle after the byte was taken; ten bits a byte.
/// Assumes  a byte that is offered stays until it is taken.
/// Ensures  tx_o is a register, high between bytes.
module mf_uart_tx #(
  parameter int unsigned ClkHz  = 100_000_000, // of clk_i
  parameter int unsigned BaudHz = 3_000_000    // bits a second, at most ClkHz / 8
) (
  input  logic       clk_i,
  input  logic       rst_i,
  input  logic       byte_valid_i,
  output logic       byte_ready_o,
  input  logic [7:0] byte_i,
  output logic       tx_o
);

  localparam logic [23:0] Step = 24'((64'(BaudHz) << 24) / 64'(ClkHz));

  logic        active_q, tick_q;
  logic [23:0] phase_q;
  logic [3:0]  bits_q;
  logic [8:0]  shift_q; // ends in stop bits
  assign byte_ready_o = !active_q;

  always_ff @(posedge clk_i) begin
    if (!active_q) begin
      tick_q   <= 1'b0;
      phase_q  <= '0;
      bits_q   <= 4'd9;
      shift_q  <= {1'b1, byte_i};
      tx_o     <= !byte_valid_i;
      active_q <= byte_valid_i;
    end else begin
      {tick_q, phase_q} <= 25'(phase_q) + 25'(Step);
      if (tick_q) begin
        tx_o    <= shift_q[0];
        shift_q <= {1'b1, shift_q[8:1]};
        bits_q  <= bits_q - 4'd1;
        if (bits_q == 4'd0) active_q <= 1'b0; // the stop bit's end
      end
    end
    if (rst_i) begin
      tx_o     <= 1'b1;
      active_q <= 1'b0;
    end
  end

endmodule
