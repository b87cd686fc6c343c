// SPDX-License-Identifier: Apache-2.0
/// Left-to-right binary exponentiation: square for every bit below the leading one, multiply when
/// the bit is one. Its cycle count shows the exponent: for public exponents only.
///
/// Source   D. E. Knuth, The Art of Computer Programming, vol. 2, section 4.6.3.
/// Model    modfab.models.exp_l2r.
/// Latency  L + H products back to back (README.md) for an exponent of bit length L >= 1 with H
///          ones, 2 for exponent 0; the scan for the leading one runs before the first product,
///          3 cycles a bit.
/// Assumes  start_i only while idle; exp_bits_i with start_i; SlotFree holds the base; the engine
///          contract; exp_data_i is exp_addr_o's word two cycles later, from the cycle after
///          start_i on.
/// Ensures  SlotFree + 1 holds base^exponent mod M when the engine has finished the last command.
///          cmd_o comes from registers.
module mf_exp_l2r #(
  parameter int unsigned ExpBits  = 256, // capacity of the exponent window in bits
  parameter int unsigned NumLanes = 1    // lanes of the engine; one is used
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
    $error("mf_exp_l2r: NumLanes must be 1 or 2");
  end

  localparam mf_pkg::slot_t SlotBase = mf_pkg::SlotFree;
  localparam mf_pkg::slot_t SlotAcc  = mf_pkg::SlotFree + 7'd1;
  localparam mf_pkg::slot_t SlotMont = mf_pkg::SlotFree + 7'd2; // Montgomery form of the base

  // StNext: the product that follows a product depends on the next bit.
  typedef enum logic [2:0] {StIdle, StScan, StEnter, StSquare, StMul, StNext, StLeave} state_e;
  state_e       state_q;
  logic         valid_q;  // the state's command is offered
  mf_pkg::cmd_t cmd_q, cmd;
  logic         one_q;    // the exponent is not zero
  logic         last_q;   // the commands' bit is the lowest
  logic         first_q;  // the accumulator is still SlotMont

  logic          fire, form, scan, next, digit, digit_valid, digit_last;
  mf_pkg::slot_t acc;
  assign acc         = first_q ? SlotMont : SlotAcc;
  assign cmd_valid_o = valid_q;
  assign cmd_o       = cmd_q;
  assign fire        = valid_q && cmd_ready_i;
  assign done_o      = fire && state_q == StLeave;
  assign scan        = state_q == StScan && digit_valid;
  assign form        = !valid_q && (state_q inside {StEnter, StSquare, StLeave}
                                    || (state_q == StNext && digit_valid));
  assign next        = scan || (form && state_q == StNext);

  mf_exp_digits #(
    .ExpBits(ExpBits), .DigitBits(1), .FromTop(1'b1)
  ) u_digits (
    .clk_i, .rst_i, .start_i, .exp_bits_i, .exp_addr_o, .exp_data_i,
    .next_i  (next),
    .valid_o (digit_valid),
    .digit_o (digit),
    .last_o  (digit_last)
  );

  // The command that is formed, and the state that offers it.
  state_e offer;
  always_comb begin
    offer = state_q;
    if (state_q == StNext) offer = digit ? StMul : digit_last ? StLeave : StSquare;
    cmd      = '0;
    cmd.op   = mf_pkg::OpMul;
    cmd.dst0 = SlotAcc;
    cmd.a0   = acc;
    unique case (offer)
      StEnter: begin
        cmd.dst0 = SlotMont;
        cmd.a0   = one_q ? SlotBase : mf_pkg::SlotOne;
        cmd.b    = mf_pkg::SlotR2;
      end
      StSquare: cmd.b = acc;
      StMul:    cmd.b = SlotMont;
      default:  cmd.b = mf_pkg::SlotOne;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StIdle;
      valid_q <= 1'b0;
    end else if (fire) begin
      valid_q <= 1'b0;
      unique case (state_q)
        StEnter, StMul: state_q <= last_q ? StLeave : StSquare;
        StSquare:       state_q <= StNext;
        default:        state_q <= StIdle;
      endcase
    end else if (form) begin
      valid_q <= 1'b1;
      state_q <= offer;
    end else if (state_q == StIdle) begin
      if (start_i) state_q <= StScan;
    end else if (scan && (digit || digit_last)) begin
      state_q <= StEnter;
    end
    if (form) cmd_q <= cmd;
    if (scan) one_q <= digit;
    if (next) last_q <= digit_last;
    if (state_q == StIdle) first_q <= 1'b1;
    else if (fire && state_q == StSquare) first_q <= 1'b0;
  end

endmodule
