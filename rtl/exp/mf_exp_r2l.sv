// SPDX-License-Identifier: Apache-2.0
/// Right-to-left exponentiation: for every bit, from the lowest, m <- m * t and t <- t * t. Where
/// the bit is zero the first product goes to a slot that nobody reads, so the products and their
/// number are the same for every exponent of exp_bits_i bits.
///
/// Source   [LIAO24] Algorithms 1 and 4; [BLUM01] for the pair in one command.
/// Model    modfab.models.exp_r2l.
/// Latency  with L = exp_bits_i >= 1: 2 * L products; on a two-lane engine 2 products and L - 1
///          pairs; 2 products when L is 0. Back to back; never data dependent.
/// Assumes  start_i only while idle; exp_bits_i steady; SlotFree holds the base; the engine
///          contract; exp_data_i is exp_addr_o's word one clock later; a product takes at least 2
///          clocks.
/// Ensures  SlotFree + 1 holds base^exponent mod M when the engine has finished the last command.
module mf_exp_r2l #(
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

  if (NumLanes != 1 && NumLanes != 2) begin : gen_check_lanes
    $error("mf_exp_r2l: NumLanes must be 1 or 2");
  end

  localparam int unsigned AddrBits = $clog2(mf_pkg::words_of(ExpBits) + 1);
  localparam mf_pkg::slot_t SlotBase = mf_pkg::SlotFree;
  localparam mf_pkg::slot_t SlotAcc  = mf_pkg::SlotFree + 7'd1; // m, never in Montgomery form
  localparam mf_pkg::slot_t SlotPow  = mf_pkg::SlotFree + 7'd2; // t = base^(2^i), Montgomery form
  localparam mf_pkg::slot_t SlotSink = mf_pkg::SlotFree + 7'd3; // products of zero bits

  typedef enum logic [2:0] {StIdle, StEnter, StWait, StMul, StSquare} state_e;
  state_e      state_q;
  logic [15:0] index_q; // exponent bit being processed
  logic        one_q;   // m is still 1, in SlotOne: no bit was one

  logic exp_bit, last_bit, fire;
  assign exp_addr_o  = AddrBits'(index_q >> 5);
  assign exp_bit     = exp_data_i[index_q[4:0]] && exp_bits_i != '0; // ct-ok: a mux in one clock
  assign last_bit    = index_q + 16'd1 == exp_bits_i || exp_bits_i == '0;
  assign cmd_valid_o = state_q inside {StEnter, StMul, StSquare};
  assign fire        = cmd_valid_o && cmd_ready_i;
  assign done_o      = fire && state_q == StMul && last_bit;

  always_comb begin
    cmd_o      = '0;
    cmd_o.op   = mf_pkg::OpMul;
    cmd_o.dst0 = SlotPow;
    cmd_o.a0   = SlotPow;
    cmd_o.b    = SlotPow;
    unique case (state_q)
      StEnter: begin
        cmd_o.a0 = SlotBase;
        cmd_o.b  = mf_pkg::SlotR2;
      end
      StMul: begin
        if (NumLanes == 2 && !last_bit) cmd_o.op = mf_pkg::OpMul2;
        cmd_o.dst0 = exp_bit ? SlotAcc : SlotSink; // ct-ok: a slot number, not clocks
        cmd_o.a0   = one_q ? mf_pkg::SlotOne : SlotAcc; // ct-ok: as above
        if (last_bit && one_q && !exp_bit) begin // ct-ok: as above; m = 1 * R * R^-1
          cmd_o.dst0 = SlotAcc;
          cmd_o.b    = mf_pkg::SlotR;
        end
        cmd_o.dst1 = SlotPow;
        cmd_o.a1   = SlotPow;
      end
      default: ;
    endcase
  end

  // A square is not needed after the last bit; a pair contains it.
  logic next_bit;
  assign next_bit = fire && (state_q == StSquare || (NumLanes == 2 && state_q == StMul));

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StIdle;
    end else begin
      unique case (state_q)
        StIdle:   if (start_i) state_q <= StEnter;
        StEnter:  if (fire) state_q <= StWait;
        StWait:   state_q <= StMul; // the exponent word of the new index arrives
        StMul: begin
          if (fire && last_bit) state_q <= StIdle;
          else if (fire)        state_q <= NumLanes == 2 ? StWait : StSquare;
        end
        StSquare: if (fire) state_q <= StWait;
        default:  state_q <= StIdle;
      endcase
    end
    if (state_q == StIdle) index_q <= '0;
    else if (next_bit)     index_q <= index_q + 16'd1;
    if (state_q == StIdle) one_q <= 1'b1;
    else if (fire && state_q == StMul && exp_bit) one_q <= 1'b0;
  end

endmodule
