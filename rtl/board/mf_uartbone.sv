// SPDX-License-Identifier: Apache-2.0
/// UART to AXI4-Lite: the protocol of LiteX's uartbone, on top of it writes with a checksum, and a
/// few registers of its own with which a driver notices lost bytes, waits for the interrupt and
/// delivers entropy. rtl/board/README.md describes protocol and registers.
///
/// Source   protocol: LiteX, litex/soc/cores/uart.py (Stream2Wishbone); the rest modfab.
/// Model    modfab.models.uartbone.
/// Latency  a read is answered 11 cycles after its last byte, the core's bus included.
/// Assumes  every access of the bus is answered; at most 64 bytes come behind an unanswered read.
/// Ensures  one access at a time; a command that stops for TimeoutCycles is forgotten; behind a
///          byte that begins no command, one without a stop bit, an overflow or a wrong checksum
///          everything is dropped until the line was silent for TimeoutCycles, counted from the
///          last byte that was taken out of the buffer, and then forgotten; a checked write is
///          done as a whole, once and in order, or not at all; after the first one until rst_i
///          there are no others; rst_i empties the entropy. Each word of a checked write is wiped
///          when it goes to the bus; 256 cycles after the silence that ends a command, and after
///          rst_i, none is left of a write that was not done.
module mf_uartbone #(
  parameter int unsigned ClkHz         = 100_000_000, // of clk_i
  parameter int unsigned BaudHz        = 3_000_000,   // bits a second, at most ClkHz / 8
  parameter int unsigned TimeoutCycles = ClkHz / 20,  // silence that ends a command: 50 ms
  parameter int unsigned WaitCycles    = ClkHz / 20,  // longest wait for the interrupt: 50 ms
  parameter int unsigned EntropyWords  = 512          // room for entropy, a power of two, 4..512
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        uart_rx_i,
  output logic        uart_tx_o,

  input  logic        irq_i,          // of the core
  input  logic        alarm_i,        // of the core; low where it has none
  output logic        link_o,         // a command is in progress, for an LED
  output logic        wait_o,         // the driver waits for the interrupt, for an LED

  output logic [15:0] m_axi_awaddr,
  output logic        m_axi_awvalid,
  input  logic        m_axi_awready,
  output logic [31:0] m_axi_wdata,
  output logic [3:0]  m_axi_wstrb,
  output logic        m_axi_wvalid,
  input  logic        m_axi_wready,
  input  logic [1:0]  m_axi_bresp,
  input  logic        m_axi_bvalid,
  output logic        m_axi_bready,
  output logic [15:0] m_axi_araddr,
  output logic        m_axi_arvalid,
  input  logic        m_axi_arready,
  input  logic [31:0] m_axi_rdata,
  input  logic [1:0]  m_axi_rresp,
  input  logic        m_axi_rvalid,
  output logic        m_axi_rready,

  output logic [31:0] m_axis_rnd_tdata,
  output logic        m_axis_rnd_tvalid,
  input  logic        m_axis_rnd_tready
);

  localparam logic [7:0] CmdWriteIncr  = 8'd1;
  localparam logic [7:0] CmdReadIncr   = 8'd2;
  localparam logic [7:0] CmdWriteFixed = 8'd3;
  localparam logic [7:0] CmdReadFixed  = 8'd4;
  localparam logic [7:0] CmdCheckIncr  = 8'h11; // as 1 to 3, two bytes of checksum behind them
  localparam logic [7:0] CmdCheckRead  = 8'h12;
  localparam logic [7:0] CmdCheckFixed = 8'h13;

  // The bridge's own registers: byte addresses from 0x8000_0000 on.
  localparam logic [31:0] Magic = 32'h6D66_7562; // "mfub"
  localparam logic [13:0] RegId = 14'd0, RegEntropy = 14'd2, RegReply = 14'd3,
                          RegWait = 14'd4; // 1: status

  // ---- line ----
  logic       line_valid, line_bad, overflow_q, in_ready, rx_valid, rx_ready, rx_bad;
  logic [7:0] line_byte, rx_byte;
  mf_uart_rx #(.ClkHz(ClkHz), .BaudHz(BaudHz)) u_rx (
    .clk_i, .rst_i,
    .rx_i         (uart_rx_i),
    .byte_valid_o (line_valid),
    .byte_bad_o   (line_bad),
    .byte_o       (line_byte)
  );
  logic [6:0] unused_rx_level;
  mf_stream_fifo #(.WidthBits(9), .Depth(64)) u_rx_fifo (
    .clk_i, .rst_i,
    .in_valid_i  (line_valid),
    .in_ready_o  (in_ready),
    .in_data_i   ({line_bad || overflow_q, line_byte}),
    .out_valid_o (rx_valid),
    .out_ready_i (rx_ready),
    .out_data_o  ({rx_bad, rx_byte}),
    .level_o     (unused_rx_level)
  );

  logic tx_valid, tx_ready;
  logic [31:0] word_q;
  mf_uart_tx #(.ClkHz(ClkHz), .BaudHz(BaudHz)) u_tx (
    .clk_i, .rst_i,
    .byte_valid_i (tx_valid),
    .byte_ready_o (tx_ready),
    .byte_i       (word_q[31:24]),
    .tx_o         (uart_tx_o)
  );

  // ---- commands ----
  typedef enum logic [3:0] {
    StCmd, StLength, StAddress, StData, StCheck, StFetch, StAccess, StBus, StWait, StSend, StSkip,
    StWipe
  } state_e;
  state_e      state_q;
  logic        write_q, fixed_q, check_q, strict_q;
  logic [7:0]  left_q;   // words that are still to come, or to be wiped
  logic [7:0]  length_q; // words of the command
  logic [1:0]  byte_q;   // bytes of the word that have come or gone
  logic [31:0] addr_q;   // in words
  logic [31:0] timer_q;
  logic        silent_q; // timer_q is 0
  logic [15:0] crc_q;    // of all bytes of write commands that were done
  logic [15:0] sum_q;    // the same with those of the one that is coming
  logic        summed_q; // a byte was taken in the last cycle: it comes into sum_q
  logic        first_q;  // it is a command's first one
  logic [7:0]  last_q;   // this byte
  logic [15:0] right_q;  // what crc_q becomes
  logic [15:0] reply_q;  // of all bytes sent since it was read last
  logic [13:0] refused_wr_q;
  logic [15:0] refused_rd_q;
  logic [1:0]  fetched_q; // [k]: the memory took left_q k + 1 cycles ago
  // Where addr_q leads, a cycle behind it; decoded_q: in StAccess, these belong to it.
  logic        decoded_q, local_q, nowhere_q, at_entropy_q, at_reply_q, at_wait_q, refuses_q;
  logic        take, good, last_byte, is_cmd, is_write, is_check, access;
  state_e      more;     // where the next word of a write comes from
  assign rx_ready  = state_q inside {StCmd, StLength, StAddress, StData, StCheck, StSkip}
                   && !summed_q;
  assign take      = rx_valid && rx_ready;
  assign good      = take && !rx_bad;
  assign last_byte = byte_q == 2'd3;
  assign is_check  = rx_byte inside {CmdCheckIncr, CmdCheckRead, CmdCheckFixed};
  assign is_write  = rx_byte inside {CmdCheckIncr, CmdCheckFixed}
                   || (!strict_q && rx_byte inside {CmdWriteIncr, CmdWriteFixed});
  assign is_cmd    = is_write || rx_byte inside {CmdReadIncr, CmdReadFixed, CmdCheckRead};
  assign more      = check_q ? StFetch : StData;
  assign link_o    = !(state_q inside {StCmd, StWipe});
  assign wait_o    = state_q == StWait;

  // CRC-16 of ITU-T V.41: x^16 + x^12 + x^5 + 1, most significant bit first.
  function automatic logic [15:0] crc_of(logic [15:0] crc, logic [7:0] data);
    logic [15:0] sum;
    sum = crc ^ {data, 8'd0};
    for (int i = 0; i < 8; i++) sum = {sum[14:0], 1'b0} ^ (sum[15] ? 16'h1021 : 16'h0000);
    return sum;
  endfunction

  // The words of a checked write wait for its checksum. A word is wiped when it is fetched, the
  // whole memory in StWipe.
  logic [31:0] kept;
  logic        keep, wipe;
  assign keep = good && state_q == StData && check_q && last_byte;
  assign wipe = state_q == StWipe || (state_q == StFetch && fetched_q[1]);
  mf_prim_ram_pipe #(.WidthBits(32), .Depth(256)) u_kept (
    .clk_i,
    .wr_en_i   (keep || wipe),
    .wr_addr_i (left_q),
    .wr_data_i (wipe ? '0 : {word_q[23:0], rx_byte}),
    .rd_addr_i (left_q),
    .rd_data_o (kept)
  );

  // ---- own registers ----
  logic [$clog2(EntropyWords):0] level;
  logic        fill, done_bus, refused, waited;
  logic [31:0] status, local_data;
  assign status = {alarm_i, irq_i, refused_wr_q, crc_q};
  assign waited = irq_i || silent_q;
  always_comb begin
    unique case (addr_q[13:0])
      RegId:      local_data = Magic;
      RegReply:   local_data = 32'(reply_q);
      RegEntropy: local_data = {refused_rd_q, 16'(level)};
      default:    local_data = status;
    endcase
  end
  assign fill = access && local_q && write_q && at_entropy_q;

  logic unused_full; // words for which there is no room are dropped
  mf_stream_fifo #(.WidthBits(32), .Depth(EntropyWords)) u_entropy (
    .clk_i, .rst_i,
    .in_valid_i  (fill),
    .in_ready_o  (unused_full),
    .in_data_i   (word_q),
    .out_valid_o (m_axis_rnd_tvalid),
    .out_ready_i (m_axis_rnd_tready),
    .out_data_o  (m_axis_rnd_tdata),
    .level_o     (level)
  );

  // ---- bus ----
  assign m_axi_awaddr = {addr_q[13:0], 2'b00};
  assign m_axi_araddr = {addr_q[13:0], 2'b00};
  assign m_axi_wdata  = word_q;
  assign m_axi_wstrb  = 4'b1111;
  assign m_axi_bready = 1'b1;
  assign m_axi_rready = 1'b1;
  assign done_bus     = state_q == StBus && (write_q ? m_axi_bvalid : m_axi_rvalid);
  always_comb begin
    refused = access && refuses_q;
    if (done_bus) refused = write_q ? m_axi_bresp != 2'b00 : m_axi_rresp != 2'b00;
  end

  assign tx_valid = state_q == StSend;
  always_ff @(posedge clk_i) begin
    if (m_axi_awready) m_axi_awvalid <= 1'b0;
    if (m_axi_wready)  m_axi_wvalid  <= 1'b0;
    if (m_axi_arready) m_axi_arvalid <= 1'b0;
    if (take) begin
      timer_q  <= TimeoutCycles;
      silent_q <= 1'b0;
    end else if (!silent_q) begin
      timer_q  <= timer_q - 32'd1;
      silent_q <= timer_q == 32'd1;
    end
    // The byte behind a lost one is bad, unless a silence is between them. With bytes in the buffer
    // silent_q tells of the read or wait that holds them up, not of the line.
    if (silent_q && !rx_valid) overflow_q <= 1'b0;
    else if (line_valid) overflow_q <= !in_ready;
    if (refused && write_q)  refused_wr_q <= refused_wr_q + 14'd1;
    if (refused && !write_q) refused_rd_q <= refused_rd_q + 16'd1;
    fetched_q <= state_q == StFetch && !fetched_q[1] ? {fetched_q[0], 1'b1} : '0;
    if (tx_valid && tx_ready) reply_q <= crc_of(reply_q, word_q[31:24]);
    else if (access && local_q && !write_q && at_reply_q) reply_q <= '1;
    summed_q <= take;
    first_q  <= state_q == StCmd;
    last_q   <= rx_byte;
    if (summed_q) sum_q <= crc_of(first_q ? crc_q : sum_q, last_q);

    unique case (state_q)
      StCmd: if (good) begin
        write_q <= is_write;
        check_q <= is_check;
        fixed_q <= rx_byte inside {CmdWriteFixed, CmdReadFixed, CmdCheckFixed};
        state_q <= is_cmd ? StLength : StSkip;
      end
      StLength: if (good) begin
        left_q   <= rx_byte;
        length_q <= rx_byte;
        byte_q   <= '0;
        state_q <= StAddress;
      end
      StAddress: if (good) begin
        addr_q <= {addr_q[23:0], rx_byte};
        byte_q <= byte_q + 2'd1;
        if (last_byte)
          state_q <= left_q == '0 ? StSkip : write_q ? StData : check_q ? StCheck : StAccess;
      end
      StData: if (good) begin
        word_q <= {word_q[23:0], rx_byte};
        byte_q <= byte_q + 2'd1;
        if (last_byte && check_q) begin
          left_q  <= left_q == 8'd1 ? length_q : left_q - 8'd1;
          state_q <= left_q == 8'd1 ? StCheck : StData;
        end else if (last_byte) begin
          if (left_q == 8'd1) crc_q <= crc_of(sum_q, rx_byte);
          state_q <= StAccess;
        end
      end
      StCheck: if (good) begin
        byte_q <= byte_q + 2'd1;
        if (byte_q == 2'd0) begin
          right_q <= sum_q;
        end else if (crc_of(sum_q, rx_byte) == '0) begin // as behind every right checksum
          byte_q <= '0;
          if (write_q) crc_q <= right_q;
          strict_q <= strict_q || write_q;
          state_q  <= write_q ? StFetch : StAccess;
        end else begin
          state_q <= StSkip;
        end
      end
      StFetch: if (fetched_q[1]) begin
        word_q  <= kept;
        state_q <= StAccess;
      end
      StAccess: if (decoded_q) begin
        // Own registers and refused addresses take this cycle only.
        if (nowhere_q || local_q) begin
          word_q <= write_q || refused ? '0 : local_data;
          if (write_q) state_q <= left_q == 8'd1 ? StCmd : more;
          else if (local_q && at_wait_q) begin
            timer_q  <= WaitCycles;
            silent_q <= 1'b0;
            state_q  <= StWait;
          end else state_q <= StSend;
        end else begin
          m_axi_awvalid <= write_q;
          m_axi_wvalid  <= write_q;
          m_axi_arvalid <= !write_q;
          state_q       <= StBus;
        end
      end
      StBus: if (done_bus) begin
        word_q <= write_q || refused ? '0 : m_axi_rdata;
        state_q <= !write_q ? StSend : left_q == 8'd1 ? StCmd : more;
      end
      StWait: if (waited) begin
        word_q  <= status;
        state_q <= StSend;
      end
      StSend: if (tx_ready) begin
        word_q <= {word_q[23:0], 8'd0};
        byte_q <= byte_q + 2'd1;
        if (last_byte) state_q <= left_q == 8'd1 ? StCmd : StAccess;
      end
      StWipe: begin
        word_q <= '0;
        left_q <= left_q - 8'd1;
        if (left_q == '0) state_q <= StCmd;
      end
      default: ; // StSkip
    endcase
    // A word is through: the next one.
    if ((access && write_q && (local_q || nowhere_q)) || (done_bus && write_q)
        || (state_q == StSend && tx_ready && last_byte)) begin
      left_q <= left_q - 8'd1;
      if (!fixed_q) addr_q <= addr_q + 32'd1;
    end
    if (take && rx_bad) state_q <= StSkip;
    if (state_q inside {StLength, StAddress, StData, StCheck, StSkip}
        && !rx_valid && silent_q) begin
      left_q  <= '1;
      state_q <= StWipe;
    end
    if (rst_i) begin
      m_axi_awvalid <= 1'b0;
      m_axi_wvalid  <= 1'b0;
      m_axi_arvalid <= 1'b0;
      crc_q         <= '1;
      reply_q       <= '1;
      strict_q      <= 1'b0;
      refused_wr_q  <= '0;
      refused_rd_q  <= '0;
      timer_q       <= '0;
      silent_q      <= 1'b1;
      overflow_q    <= 1'b0;
      summed_q      <= 1'b0;
      left_q        <= '1;
      state_q       <= StWipe;
    end
  end

  // Where an address leads: to the core's 64 KiB, to the bridge's registers, or nowhere.
  logic is_local, is_there;
  assign is_local = addr_q[29];
  assign is_there = addr_q[31:30] == '0 && addr_q[28:14] == '0;
  assign access   = state_q == StAccess && decoded_q;
  always_ff @(posedge clk_i) begin
    decoded_q    <= state_q == StAccess && !decoded_q && !rst_i;
    local_q      <= is_there && is_local;
    nowhere_q    <= !is_there;
    at_entropy_q <= addr_q[13:0] == RegEntropy;
    at_reply_q   <= addr_q[13:0] == RegReply;
    at_wait_q    <= addr_q[13:0] == RegWait;
    refuses_q    <= !is_there || (is_local && (addr_q[13:0] > RegWait
                                               || (write_q && addr_q[13:0] != RegEntropy)));
  end

endmodule
