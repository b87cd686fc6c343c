// SPDX-License-Identifier: Apache-2.0
/// Montgomery ladder: the same products in the same order for every exponent of exp_bits_i bits.
///
/// Source   P. L. Montgomery, "Speeding the Pollard and elliptic curve methods" (1987); for RSA
///          M. Joye and S.-M. Yen, "The Montgomery powering ladder" (2002).
/// Model    modfab.models.exp_ladder.
/// Latency  2 * exp_bits_i + 2 products (exp_bits_i pairs and 2 products on a two-lane engine),
///          back to back; never data dependent.
/// Assumes  start_i only while idle; SlotFree holds the base; the engine contract; exp_data_i is
///          exp_addr_o's word one clock later; a product takes at least 3 clocks.
/// Ensures  SlotFree + 1 holds base^exponent mod M when the engine has finished the last command.
module mf_exp_ladder #(
  parameter int unsigned ExpBits  = 256, // capacity of the exponent window in bits
  parameter int unsigned NumLanes = 1    // lanes of the engine, 1 or 2
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

  localparam int unsigned AddrBits = $clog2(mf_pkg::words_of(ExpBits) + 1);
  localparam mf_pkg::slot_t SlotBase  = mf_pkg::SlotFree;
  localparam mf_pkg::slot_t SlotLow   = mf_pkg::SlotFree + 7'd1; // R0 of the ladder
  localparam mf_pkg::slot_t SlotHigh  = mf_pkg::SlotFree + 7'd2; // R1 = R0 * base

  typedef enum logic [2:0] {
    StIdle, StEnter, StFetch, StWait, StPair, StSquare, StLeave
  } state_e;
  state_e       state_q;
  logic         valid_q;     // the state offers a command
  mf_pkg::cmd_t cmd_q, enter_cmd, pair_cmd, square_cmd, leave_cmd;
  logic [15:0]  index_q;     // the exponent bit that is fetched, one ahead of the commands
  logic         exp_bit_q;   // that bit, from the third clock of index_q on
  logic         bit_q;       // the bit of the commands
  logic         last_q;      // it is the lowest
  logic         first_q;     // R0 is still SlotR, the Montgomery form of 1

  logic          fire, bit_done;
  mf_pkg::slot_t low;
  assign exp_addr_o  = AddrBits'(index_q >> 5);
  assign low         = first_q ? mf_pkg::SlotR : SlotLow;
  assign cmd_valid_o = valid_q;
  assign cmd_o       = cmd_q;
  assign fire        = valid_q && cmd_ready_i;
  assign done_o      = fire && state_q == StLeave;
  assign bit_done    = fire && state_q == (NumLanes == 2 ? StPair : StSquare);

  // With bit e: R[1-e] <- R0 * R1, then R[e] <- R[e]^2; the bit chooses slot numbers, not clocks.
  always_comb begin
    enter_cmd       = '0;
    enter_cmd.op    = mf_pkg::OpMul;
    enter_cmd.dst0  = SlotHigh;
    enter_cmd.a0    = SlotBase;
    enter_cmd.b     = mf_pkg::SlotR2;
    pair_cmd        = '0;
    pair_cmd.op     = NumLanes == 2 ? mf_pkg::OpMul2 : mf_pkg::OpMul;
    pair_cmd.dst0   = exp_bit_q ? SlotLow : SlotHigh; // ct-ok: slot numbers
    pair_cmd.a0     = exp_bit_q ? low : SlotHigh;     // ct-ok
    pair_cmd.dst1   = exp_bit_q ? SlotHigh : SlotLow; // ct-ok
    pair_cmd.a1     = exp_bit_q ? SlotHigh : low;     // ct-ok
    pair_cmd.b      = exp_bit_q ? SlotHigh : low;     // ct-ok
    square_cmd      = '0;
    square_cmd.op   = mf_pkg::OpMul;
    square_cmd.dst0 = bit_q ? SlotHigh : SlotLow;     // ct-ok
    square_cmd.a0   = bit_q ? SlotHigh : low;         // ct-ok
    square_cmd.b    = bit_q ? SlotHigh : low;         // ct-ok
    leave_cmd       = '0;
    leave_cmd.op    = mf_pkg::OpMul;
    leave_cmd.dst0  = SlotLow;
    leave_cmd.a0    = state_q == StEnter ? mf_pkg::SlotR : SlotLow;
    leave_cmd.b     = mf_pkg::SlotOne;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StIdle;
      valid_q <= 1'b0;
    end else begin
      unique case (state_q)
        StIdle: if (start_i) begin
          state_q <= StEnter;
          valid_q <= 1'b1;
        end
        StEnter: if (fire) begin
          state_q <= exp_bits_i == '0 ? StLeave : StFetch;
          valid_q <= exp_bits_i == '0;
        end
        StFetch: state_q <= StWait;
        StWait: begin // the bit is there, and becomes a command
          state_q <= StPair;
          valid_q <= 1'b1;
        end
        StPair, StSquare: begin
          if (bit_done) begin
            state_q <= last_q ? StLeave : StWait;
            valid_q <= last_q;
          end else if (fire) begin
            state_q <= StSquare;
          end
        end
        StLeave: if (fire) begin
          state_q <= StIdle;
          valid_q <= 1'b0;
        end
        default: begin
          state_q <= StIdle;
          valid_q <= 1'b0;
        end
      endcase
    end
    exp_bit_q <= exp_data_i[index_q[4:0]]; // ct-ok: a 32-way mux within one clock
    if (state_q == StIdle) begin
      index_q <= exp_bits_i == '0 ? '0 : exp_bits_i - 16'd1;
      first_q <= 1'b1;
      bit_q   <= 1'b0;
      last_q  <= 1'b0;
      cmd_q   <= enter_cmd;
    end else if (state_q == StWait) begin
      index_q <= index_q - 16'd1;
      bit_q   <= exp_bit_q;
      last_q  <= index_q == '0;
      cmd_q   <= pair_cmd;
    end else if (fire) begin
      cmd_q   <= state_q == StPair && NumLanes == 1 ? square_cmd : leave_cmd;
    end
    if (bit_done) first_q <= 1'b0;
  end

endmodule
