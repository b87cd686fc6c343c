// SPDX-License-Identifier: Apache-2.0
/// Montgomery ladder: the same products in the same order for every exponent of exp_bits_i bits.
///
/// Source   P. L. Montgomery, "Speeding the Pollard and elliptic curve methods" (1987); for RSA
///          M. Joye and S.-M. Yen, "The Montgomery powering ladder" (2002).
/// Model    modfab.models.exp_ladder.
/// Latency  2 * exp_bits_i + 2 products (exp_bits_i pairs and 2 products on a two-lane engine),
///          back to back (README.md); never data dependent.
/// Assumes  start_i only while idle; exp_bits_i with start_i; SlotFree holds the base; the engine
///          contract; exp_data_i is exp_addr_o's word two cycles later, from the cycle after
///          start_i on.
/// Ensures  SlotFree + 1 holds base^exponent mod M when the engine has finished the last command.
///          cmd_o comes from registers.
module mf_exp_ladder #(
  parameter int unsigned ExpBits  = 256, // capacity of the exponent window in bits
  parameter int unsigned NumLanes = 1,   // lanes of the engine, 1 or 2
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

  localparam mf_pkg::slot_t SlotBase  = mf_pkg::SlotFree;
  localparam mf_pkg::slot_t SlotLow   = mf_pkg::SlotFree + 7'd1; // R0 of the ladder
  localparam mf_pkg::slot_t SlotHigh  = mf_pkg::SlotFree + 7'd2; // R1 = R0 * base

  typedef enum logic [2:0] {StIdle, StEnter, StPair, StSquare, StLeave} state_e;
  state_e       state_q;     // whose command is formed or offered
  logic         valid_q;     // it is offered
  mf_pkg::cmd_t cmd_q, enter_cmd, pair_cmd, square_cmd, leave_cmd;
  logic         none_q;      // there is no bit
  logic         bit_q;       // the bit of the commands
  logic         last_q;      // it is the lowest
  logic         first_q;     // R0 is still SlotR, the Montgomery form of 1

  logic          fire, form, next, digit, digit_valid, digit_last;
  mf_pkg::slot_t low;
  assign low         = first_q ? mf_pkg::SlotR : SlotLow;
  assign cmd_valid_o = valid_q;
  assign cmd_o       = cmd_q;
  assign fire        = valid_q && cmd_ready_i;
  assign done_o      = fire && state_q == StLeave;
  assign form        = state_q != StIdle && !valid_q && (state_q != StPair || digit_valid);
  assign next        = form && state_q == StPair;

  mf_exp_digits #(
    .ExpBits(ExpBits), .DigitBits(1), .FromTop(1'b1), .Stages(Stages)
  ) u_digits (
    .clk_i, .rst_i, .start_i, .exp_bits_i, .exp_addr_o, .exp_data_i,
    .next_i  (next),
    .valid_o (digit_valid),
    .digit_o (digit),
    .last_o  (digit_last)
  );

  // With bit e: R[1-e] <- R0 * R1, then R[e] <- R[e]^2; the bit chooses slot numbers, not cycles.
  always_comb begin
    enter_cmd       = '0;
    enter_cmd.op    = mf_pkg::OpMul;
    enter_cmd.dst0  = SlotHigh;
    enter_cmd.a0    = SlotBase;
    enter_cmd.b     = mf_pkg::SlotR2;
    pair_cmd        = '0;
    pair_cmd.op     = NumLanes == 2 ? mf_pkg::OpMul2 : mf_pkg::OpMul;
    pair_cmd.dst0   = digit ? SlotLow : SlotHigh;     // ct-ok: slot numbers
    pair_cmd.a0     = digit ? low : SlotHigh;         // ct-ok
    pair_cmd.dst1   = digit ? SlotHigh : SlotLow;     // ct-ok
    pair_cmd.a1     = digit ? SlotHigh : low;         // ct-ok
    pair_cmd.b      = digit ? SlotHigh : low;         // ct-ok
    square_cmd      = '0;
    square_cmd.op   = mf_pkg::OpMul;
    square_cmd.dst0 = bit_q ? SlotHigh : SlotLow;     // ct-ok: slot numbers
    square_cmd.a0   = bit_q ? SlotHigh : low;         // ct-ok
    square_cmd.b    = bit_q ? SlotHigh : low;         // ct-ok
    leave_cmd       = '0;
    leave_cmd.op    = mf_pkg::OpMul;
    leave_cmd.dst0  = SlotLow;
    leave_cmd.a0    = low;
    leave_cmd.b     = mf_pkg::SlotOne;
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
        StEnter:  state_q <= none_q ? StLeave : StPair;
        StPair:   state_q <= NumLanes == 1 ? StSquare : last_q ? StLeave : StPair;
        StSquare: state_q <= last_q ? StLeave : StPair;
        default:  state_q <= StIdle;
      endcase
    end else if (form) begin
      valid_q <= 1'b1;
    end
    if (state_q == StIdle) begin
      none_q  <= exp_bits_i == '0;
      first_q <= 1'b1;
      bit_q   <= 1'b0;
      last_q  <= 1'b0;
      cmd_q   <= enter_cmd;
    end else if (form) begin
      unique case (state_q)
        StPair:   cmd_q <= pair_cmd;
        StSquare: cmd_q <= square_cmd;
        default:  cmd_q <= leave_cmd;
      endcase
      if (next) begin
        bit_q  <= digit;
        last_q <= digit_last;
      end
    end else if (fire && state_q == (NumLanes == 2 ? StPair : StSquare)) begin
      first_q <= 1'b0;
    end
  end

endmodule
