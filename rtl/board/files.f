// SPDX-License-Identifier: Apache-2.0
// Files of a board below rtl/ on top of its core's, in order; the generated top connects them.
prim/generic/mf_prim_ram_pipe.sv
prim/generic/mf_prim_pll.sv
board/mf_uart_rx.sv
board/mf_uart_tx.sv
board/mf_stream_fifo.sv
board/mf_uartbone.sv
board/mf_board_reset.sv
board/mf_board_leds.sv
