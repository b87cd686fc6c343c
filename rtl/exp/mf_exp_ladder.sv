// SPDX-License-Identifier: Apache-2.0
/// Montgomery ladder: the same products in the same order for every exponent of exp_bits_i bits.
///
/// Source   P. L. Montgomery, "Speeding the Pollard and elliptic curve methods" (1987); for RSA
///          M. Joye and S.-M. Yen, "The Montgomery powering ladder" (2002).
/// Model    modfab.models.exp_ladder.
/// Latency  2 * exp_bits_i + 2 products (exp_bits_i pairs and 2 products on a two-lane engine),
///          back to back; never data dependent.
/// Assumes  start_i only while idle; SlotFree holds the base; the engine contract; exp_data_i is
///          exp_addr_o's word one clock later; a product takes at least 2 clocks.
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

  typedef enum logic [2:0] {StIdle, StEnter, StWait, StPair, StSquare, StLeave} state_e;
  state_e      state_q;
  logic [15:0] index_q;  // exponent bit being processed
  logic        first_q;  // R0 is still SlotR, the Montgomery form of 1

  logic          exp_bit;
  mf_pkg::slot_t low, same_src, other_src, same_dst, other_dst;
  assign exp_addr_o = AddrBits'(index_q >> 5);
  assign exp_bit    = exp_data_i[index_q[4:0]]; // ct-ok: a 32-way mux within one clock
  assign low        = first_q ? mf_pkg::SlotR : SlotLow;
  // With bit e: R[1-e] <- R0 * R1, then R[e] <- R[e]^2.
  assign same_src  = exp_bit ? SlotHigh : low;   // ct-ok: slot numbers, not clocks
  assign other_src = exp_bit ? low : SlotHigh;   // ct-ok
  assign same_dst  = exp_bit ? SlotHigh : SlotLow; // ct-ok
  assign other_dst = exp_bit ? SlotLow : SlotHigh; // ct-ok

  always_comb begin
    cmd_o      = '0;
    cmd_o.op   = mf_pkg::OpMul;
    cmd_o.dst1 = same_dst;
    cmd_o.a1   = same_src;
    unique case (state_q)
      StEnter: begin
        cmd_o.dst0 = SlotHigh;
        cmd_o.a0   = SlotBase;
        cmd_o.b    = mf_pkg::SlotR2;
      end
      StPair: begin
        if (NumLanes == 2) cmd_o.op = mf_pkg::OpMul2;
        cmd_o.dst0 = other_dst;
        cmd_o.a0   = other_src;
        cmd_o.b    = same_src;
      end
      StSquare: begin
        cmd_o.dst0 = same_dst;
        cmd_o.a0   = same_src;
        cmd_o.b    = same_src;
      end
      default: begin
        cmd_o.dst0 = SlotLow;
        cmd_o.a0   = low;
        cmd_o.b    = mf_pkg::SlotOne;
      end
    endcase
  end

  logic fire, pair_done;
  assign cmd_valid_o = state_q inside {StEnter, StPair, StSquare, StLeave};
  assign fire        = cmd_valid_o && cmd_ready_i;
  assign done_o      = fire && state_q == StLeave;
  assign pair_done   = fire && state_q == (NumLanes == 2 ? StPair : StSquare);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StIdle;
    end else begin
      unique case (state_q)
        StIdle:   if (start_i) state_q <= StEnter;
        StEnter:  if (fire) state_q <= exp_bits_i == '0 ? StLeave : StWait;
        StWait:   state_q <= StPair; // the exponent word of the new index arrives
        StPair: begin
          if (pair_done) state_q <= index_q == '0 ? StLeave : StWait;
          else if (fire) state_q <= StSquare;
        end
        StSquare: if (fire) state_q <= index_q == '0 ? StLeave : StWait;
        StLeave:  if (fire) state_q <= StIdle;
        default:  state_q <= StIdle;
      endcase
    end
    if (state_q == StIdle) begin
      index_q <= exp_bits_i == '0 ? '0 : exp_bits_i - 16'd1;
      first_q <= 1'b1;
    end else if (pair_done) begin
      index_q <= index_q - 16'd1;
      first_q <= 1'b0;
    end
  end

endmodule
