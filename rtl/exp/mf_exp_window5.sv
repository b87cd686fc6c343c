// SPDX-License-Identifier: Apache-2.0
/// Fixed window of five bits, cut from the top of the exponent; the lowest window may be shorter.
/// The table is read as operand a0 only, so 16 factor slots of an engine are enough.
///
/// Source   A. J. Menezes, P. C. van Oorschot, S. A. Vanstone, Handbook of Applied Cryptography,
///          algorithm 14.82, with the product of a zero window kept.
/// Model    modfab.models.exp_window5.
/// Latency  33 products, with L > 5 exponent bits L - 5 + ceil((L - 5) / 5) more, back to back
///          (README.md); never data dependent.
/// Assumes  start_i only while idle; exp_bits_i with start_i; SlotFree holds the base; the engine
///          contract; exp_data_i is exp_addr_o's word two cycles later, from the cycle after
///          start_i on; the engine has 48 slots, 16 of them factor slots.
/// Ensures  SlotFree + 1 holds base^exponent mod M when the engine has finished the last command;
///          SlotFree the base in Montgomery form. cmd_o comes from registers.
module mf_exp_window5 #(
  parameter int unsigned ExpBits  = 256, // capacity of the exponent window in bits
  parameter int unsigned NumLanes = 1,   // lanes of the engine; one is used
  parameter int unsigned Stages   = 0    // of mf_exp_digits
) (
  input  logic                                       clk_i,
  input  logic                                       rst_i,
  input  logic                                       start_i,
  input  logic [15:0]                                exp_bits_i,  // bits to process, 0..ExpBits
  output logic [$clog2(mf_pkg::words_of(ExpBits)+1)-1:0] exp_addr_o,
  input  logic [31:0]                                exp_data_i,
  output logic                                       cmd_valid_o,
  input  logic                                       cmd_ready_i,
  output mf_pkg::cmd_t                               cmd_o,
  output logic                                       done_o       // with the last command
);

  if (NumLanes != 1 && NumLanes != 2) begin : gen_check_lanes
    $error("mf_exp_window5: NumLanes must be 1 or 2");
  end

  localparam int unsigned WindowBits = 5;
  localparam mf_pkg::slot_t SlotBase = mf_pkg::SlotFree;
  localparam mf_pkg::slot_t SlotSum  = mf_pkg::SlotFree + 7'd1;
  localparam logic [4:0] Highest = '1; // power of the table

  typedef logic [WindowBits-1:0] digit_t;

  // base^i in slot 16 + i, but for 0 and 1
  function automatic mf_pkg::slot_t power_of(input digit_t i);
    if (i == 5'd0) power_of = mf_pkg::SlotR;
    else if (i == 5'd1) power_of = SlotBase;
    else power_of = {1'b0, 1'(i >> 4), !i[4], i[3:0]};
  endfunction

  // ---- windows, of bits that come one by one: the next one is complete while one is used ----
  logic       bit_valid, the_bit, bit_last, take_bit, took_q;
  digit_t     next_q, digit_q;
  logic [2:0] next_size_q, size_q;   // bits of it
  logic       next_last_q, window_last_q;
  logic       next_full_q, there_q;  // it is complete; digit_q is a window
  logic       clear_q;               // a cycle behind reset or a start, the first bit is later
  logic       use_window;
  // The first window is used long after a start: digits begin a cycle late, beside registers.
  logic        start_q;
  logic [15:0] exp_bits_q;
  always_ff @(posedge clk_i) begin
    start_q    <= start_i && !rst_i;
    exp_bits_q <= exp_bits_i;
  end
  mf_exp_digits #(.ExpBits(ExpBits), .DigitBits(1), .FromTop(1'b1), .Stages(Stages)) u_digits (
    .clk_i, .rst_i, .start_i(start_q), .exp_bits_i(exp_bits_q), .exp_addr_o, .exp_data_i,
    .next_i  (take_bit),
    .valid_o (bit_valid),
    .digit_o (the_bit),
    .last_o  (bit_last)
  );
  assign take_bit = bit_valid && !next_full_q && !took_q;
  always_ff @(posedge clk_i) begin
    took_q  <= take_bit;
    clear_q <= rst_i || start_i;
    if (clear_q) begin
      {next_q, next_size_q, next_full_q} <= '0;
      {digit_q, there_q} <= '0;
    end else begin
      if (take_bit) begin
        next_q      <= {next_q[WindowBits-2:0], the_bit};
        next_size_q <= next_size_q + 3'd1;
        next_full_q <= bit_last || next_size_q == 3'(WindowBits - 1);
      end
      if (use_window) {digit_q, there_q} <= '0;
      if (next_full_q && !there_q) begin
        {digit_q, there_q} <= {next_q, 1'b1};
        {next_q, next_size_q, next_full_q} <= '0;
      end
    end
    if (take_bit) next_last_q <= bit_last;
    if (!there_q) {size_q, window_last_q} <= {next_size_q, next_last_q};
  end

  // ---- commands ----
  typedef enum logic [2:0] {StIdle, StEnter, StTable, StFirst, StSquare, StMul, StLeave} state_e;
  state_e        state_q;  // whose command is formed or offered
  logic          valid_q;  // it is offered
  mf_pkg::cmd_t  cmd_q, cmd;
  logic [4:0]    count_q;  // power of the table, or squares done
  logic          last_q;   // the commands' window is the lowest
  logic          fire, form, needs_window;
  mf_pkg::slot_t power;
  assign cmd_valid_o  = valid_q;
  assign cmd_o        = cmd_q;
  assign fire         = valid_q && cmd_ready_i;
  assign done_o       = fire && state_q == StLeave;
  assign needs_window = state_q inside {StFirst, StSquare, StMul};
  assign form         = state_q != StIdle && !valid_q && (!needs_window || there_q);
  assign use_window   = form && state_q inside {StFirst, StMul};
  assign power        = power_of(digit_q); // ct-ok: slots

  always_comb begin
    cmd      = '0;
    cmd.op   = mf_pkg::OpMul;
    cmd.dst0 = SlotSum;
    cmd.a0   = SlotSum;
    cmd.b    = SlotSum;
    unique case (state_q)
      StIdle, StEnter: begin
        cmd.dst0 = SlotBase;
        cmd.a0   = SlotBase;
        cmd.b    = mf_pkg::SlotR2;
      end
      StTable: begin
        cmd.dst0 = power_of(count_q);
        cmd.a0   = cmd_q.dst0; // the power before
        cmd.b    = SlotBase;
      end
      StFirst: begin
        cmd.a0 = power;
        cmd.b  = mf_pkg::SlotR;
      end
      StMul:   cmd.a0 = power;
      StLeave: cmd.b  = mf_pkg::SlotOne;
      default: ; // StSquare
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StIdle;
      valid_q <= 1'b0;
    end else if (state_q == StIdle) begin
      state_q <= start_i ? StEnter : StIdle;
      valid_q <= start_i;
    end else if (fire) begin
      valid_q <= 1'b0;
      unique case (state_q)
        StEnter:  state_q <= StTable;
        StTable:  if (count_q == Highest) state_q <= StFirst;
        StSquare: if (count_q == 5'(size_q) - 5'd1) state_q <= StMul;
        StFirst, StMul: state_q <= last_q ? StLeave : StSquare;
        default:  state_q <= StIdle;
      endcase
    end else if (form) begin
      valid_q <= 1'b1;
    end
    if (form || state_q == StIdle) cmd_q <= cmd;
    if (use_window) last_q <= window_last_q;
    if (state_q inside {StIdle, StEnter}) count_q <= 5'd2;
    else if (fire && state_q inside {StFirst, StMul}) count_q <= '0;
    else if (fire) count_q <= count_q + 5'd1;
  end

endmodule
