// SPDX-License-Identifier: Apache-2.0
/// Right-to-left exponentiation: for every bit, from the lowest, m <- m * t and t <- t * t. Where
/// the bit is zero the first product goes to a slot that nobody reads, so the products and their
/// number are the same for every exponent of exp_bits_i bits.
///
/// Source   [LIAO24] Algorithms 1 and 4; [BLUM01] for the pair in one command.
/// Model    modfab.models.exp_r2l.
/// Latency  with L = exp_bits_i >= 1: 2 * L products; on a two-lane engine 2 products and L - 1
///          pairs; 2 products when L is 0. Back to back (README.md); never data dependent.
/// Assumes  start_i only while idle; exp_bits_i with start_i; SlotFree holds the base; the engine
///          contract; exp_data_i is exp_addr_o's word two cycles later, from the cycle after
///          start_i on.
/// Ensures  SlotFree + 1 holds base^exponent mod M when the engine has finished the last command.
///          cmd_o comes from registers.
module mf_exp_r2l #(
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

  if (NumLanes != 1 && NumLanes != 2) begin : gen_check_lanes
    $error("mf_exp_r2l: NumLanes must be 1 or 2");
  end

  localparam mf_pkg::slot_t SlotBase = mf_pkg::SlotFree;
  localparam mf_pkg::slot_t SlotAcc  = mf_pkg::SlotFree + 7'd1; // m, never in Montgomery form
  localparam mf_pkg::slot_t SlotPow  = mf_pkg::SlotFree + 7'd2; // t = base^(2^i), Montgomery form
  localparam mf_pkg::slot_t SlotSink = mf_pkg::SlotFree + 7'd3; // products of zero bits

  typedef enum logic [1:0] {StIdle, StEnter, StMul, StSquare} state_e;
  state_e       state_q;    // whose command is formed or offered
  logic         valid_q;    // it is offered
  mf_pkg::cmd_t cmd_q, mul_cmd, square_cmd;
  logic         last_q;     // the command is that of the topmost bit's product
  logic         one_q;      // m is still 1, in SlotOne: no bit was one

  logic fire, form, next, digit, digit_valid, digit_last;
  assign cmd_valid_o = valid_q;
  assign cmd_o       = cmd_q;
  assign fire        = valid_q && cmd_ready_i;
  assign done_o      = fire && last_q;
  assign form        = state_q != StIdle && !valid_q && (state_q != StMul || digit_valid);
  assign next        = form && state_q == StMul;

  mf_exp_digits #(
    .ExpBits(ExpBits), .DigitBits(1), .FromTop(1'b0), .Stages(Stages)
  ) u_digits (
    .clk_i, .rst_i, .start_i, .exp_bits_i, .exp_addr_o, .exp_data_i,
    .next_i  (next),
    .valid_o (digit_valid),
    .digit_o (digit),
    .last_o  (digit_last)
  );

  always_comb begin
    square_cmd      = '0;
    square_cmd.op   = mf_pkg::OpMul;
    square_cmd.dst0 = SlotPow;
    square_cmd.a0   = SlotPow;
    square_cmd.b    = SlotPow;
    mul_cmd         = square_cmd;
    if (NumLanes == 2 && !digit_last) mul_cmd.op = mf_pkg::OpMul2;
    mul_cmd.dst0    = digit ? SlotAcc : SlotSink; // ct-ok: a slot number, not cycles
    mul_cmd.a0      = one_q ? mf_pkg::SlotOne : SlotAcc; // ct-ok: as above
    if (digit_last && one_q && !digit) begin // ct-ok: as above; m = 1 * R * R^-1
      mul_cmd.dst0 = SlotAcc;
      mul_cmd.b    = mf_pkg::SlotR;
    end
    mul_cmd.dst1    = SlotPow;
    mul_cmd.a1      = SlotPow;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StIdle;
      valid_q <= 1'b0;
    end else if (state_q == StIdle) begin
      state_q <= start_i ? StEnter : StIdle;
      valid_q <= start_i;
    end else if (fire) begin // a square is not needed after the last bit; a pair contains it
      valid_q <= 1'b0;
      state_q <= last_q ? StIdle : state_q == StMul && NumLanes == 1 ? StSquare : StMul;
    end else if (form) begin
      valid_q <= 1'b1;
    end
    if (state_q == StIdle) begin
      one_q    <= 1'b1;
      last_q   <= 1'b0;
      cmd_q    <= square_cmd; // base into Montgomery form
      cmd_q.a0 <= SlotBase;
      cmd_q.b  <= mf_pkg::SlotR2;
    end else if (form) begin
      cmd_q <= state_q == StMul ? mul_cmd : square_cmd;
      if (next) begin
        one_q  <= one_q && !digit;
        last_q <= digit_last;
      end
    end
  end

endmodule
