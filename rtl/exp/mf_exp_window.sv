// SPDX-License-Identifier: Apache-2.0
/// Fixed window: the same number of products for every exponent of exp_bits_i bits, fewer than the
/// ladder's. The exponent is cut into windows of WindowBits bits from its low end; a window costs
/// WindowBits squares and one product with a power of the base from a table, also when it is zero.
///
/// Source   A. J. Menezes, P. C. van Oorschot, S. A. Vanstone, Handbook of Applied Cryptography,
///          algorithm 14.82, with the product of a zero window kept.
/// Model    modfab.models.exp_window.
/// Latency  2^WindowBits + 1 + (W - 1) * (WindowBits + 1) products with W windows, at least one,
///          back to back (README.md); never data dependent.
/// Assumes  start_i only while idle; exp_bits_i with start_i; SlotFree holds the base; the engine
///          contract; exp_data_i is exp_addr_o's word two cycles later, from the cycle after
///          start_i on; the engine has SlotFree + 2 + 2^WindowBits slots.
/// Ensures  SlotFree + 1 holds base^exponent mod M when the engine has finished the last command.
///          cmd_o comes from registers.
module mf_exp_window #(
  parameter int unsigned ExpBits    = 256, // capacity of the exponent window in bits
  parameter int unsigned NumLanes   = 1,   // lanes of the engine; one is used
  parameter int unsigned WindowBits = 4,   // bits of a window: 1, 2 or 4
  parameter int unsigned Stages     = 0    // of mf_exp_digits
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

  if (!(WindowBits inside {1, 2, 4})) begin : gen_check_window
    $error("mf_exp_window: WindowBits must be 1, 2 or 4");
  end
  if (NumLanes != 1 && NumLanes != 2) begin : gen_check_lanes
    $error("mf_exp_window: NumLanes must be 1 or 2");
  end

  localparam int unsigned NumPowers = 1 << WindowBits;
  localparam mf_pkg::slot_t SlotBase  = mf_pkg::SlotFree;
  localparam mf_pkg::slot_t SlotSum   = mf_pkg::SlotFree + 7'd1;
  localparam mf_pkg::slot_t SlotTable = mf_pkg::SlotFree + 7'd2; // base^i in slot SlotTable + i

  typedef enum logic [2:0] {StIdle, StEnter, StTable, StFirst, StSquare, StMul, StLeave} state_e;
  state_e       state_q;     // whose command is formed or offered
  logic         valid_q;     // it is offered
  mf_pkg::cmd_t cmd_q, cmd;
  logic [4:0]   count_q;     // power of the table, or squares done
  logic         last_q;      // the commands' window is the lowest

  logic                  fire, form, digit_state, next, digit_valid, digit_last;
  logic [WindowBits-1:0] digit;
  assign cmd_valid_o = valid_q;
  assign cmd_o       = cmd_q;
  assign fire        = valid_q && cmd_ready_i;
  assign done_o      = fire && state_q == StLeave;
  assign digit_state = state_q inside {StFirst, StMul};
  assign form        = state_q != StIdle && !valid_q && (!digit_state || digit_valid);
  assign next        = form && digit_state;

  mf_exp_digits #(
    .ExpBits(ExpBits), .DigitBits(WindowBits), .FromTop(1'b1), .Stages(Stages)
  ) u_digits (
    .clk_i, .rst_i, .start_i, .exp_bits_i, .exp_addr_o, .exp_data_i,
    .next_i  (next),
    .valid_o (digit_valid),
    .digit_o (digit),
    .last_o  (digit_last)
  );

  mf_pkg::slot_t power;
  assign power = digit == '0 ? mf_pkg::SlotR : SlotTable + mf_pkg::slot_t'(digit); // ct-ok: slots

  always_comb begin
    cmd      = '0;
    cmd.op   = mf_pkg::OpMul;
    cmd.dst0 = SlotSum;
    cmd.a0   = SlotSum;
    unique case (state_q)
      StIdle, StEnter: begin
        cmd.dst0 = SlotTable + 7'd1;
        cmd.a0   = SlotBase;
        cmd.b    = mf_pkg::SlotR2;
      end
      StTable: begin
        cmd.dst0 = SlotTable + mf_pkg::slot_t'(count_q);
        cmd.a0   = Stages == 0 ? SlotTable + mf_pkg::slot_t'(count_q) - 7'd1
                               : cmd_q.dst0; // the power before, without an adder
        cmd.b    = SlotTable + 7'd1;
      end
      StFirst: begin
        cmd.a0 = power;
        cmd.b  = mf_pkg::SlotR;
      end
      StSquare: cmd.b = SlotSum;
      StMul:    cmd.b = power;
      default:  cmd.b = mf_pkg::SlotOne;
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
        StEnter:  state_q <= NumPowers == 2 ? StFirst : StTable;
        StTable:  if (count_q == 5'(NumPowers - 1)) state_q <= StFirst;
        StFirst:  state_q <= last_q ? StLeave : StSquare;
        StSquare: if (count_q == 5'(WindowBits - 1)) state_q <= StMul;
        StMul:    state_q <= last_q ? StLeave : StSquare;
        default:  state_q <= StIdle;
      endcase
    end else if (form) begin
      valid_q <= 1'b1;
    end
    if (form || state_q == StIdle) cmd_q <= cmd;
    if (next) last_q <= digit_last;
    if (state_q inside {StIdle, StEnter}) count_q <= 5'd2;
    else if (fire && digit_state) count_q <= '0;
    else if (fire) count_q <= count_q + 5'd1;
  end

endmodule
