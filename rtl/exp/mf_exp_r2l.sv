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
///          contract; exp_data_i is exp_addr_o's word one clock later; a product takes at least 3
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
  state_e       state_q;
  logic         valid_q;    // the state offers a command
  mf_pkg::cmd_t cmd_q, mul_cmd, square_cmd;
  logic         last_cmd_q; // it is the last product
  logic [15:0]  index_q;    // the exponent bit that is fetched, one ahead of the commands
  logic         exp_bit_q;  // that bit, from the third clock of index_q on
  logic         last_bit_q; // it is the topmost
  logic         one_q;      // m is still 1, in SlotOne: no bit was one

  logic fire;
  assign exp_addr_o  = AddrBits'(index_q >> 5);
  assign cmd_valid_o = valid_q;
  assign cmd_o       = cmd_q;
  assign fire        = valid_q && cmd_ready_i;
  assign done_o      = fire && last_cmd_q;

  always_comb begin
    square_cmd      = '0;
    square_cmd.op   = mf_pkg::OpMul;
    square_cmd.dst0 = SlotPow;
    square_cmd.a0   = SlotPow;
    square_cmd.b    = SlotPow;
    mul_cmd         = square_cmd;
    if (NumLanes == 2 && !last_bit_q) mul_cmd.op = mf_pkg::OpMul2;
    mul_cmd.dst0    = exp_bit_q ? SlotAcc : SlotSink; // ct-ok: a slot number, not clocks
    mul_cmd.a0      = one_q ? mf_pkg::SlotOne : SlotAcc; // ct-ok: as above
    if (last_bit_q && one_q && !exp_bit_q) begin // ct-ok: as above; m = 1 * R * R^-1
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
    end else begin
      unique case (state_q)
        StIdle: if (start_i) begin
          state_q <= StEnter;
          valid_q <= 1'b1;
        end
        StEnter: if (fire) begin
          state_q <= StWait;
          valid_q <= 1'b0;
        end
        StWait: begin // the bit is there, and becomes a command
          state_q <= StMul;
          valid_q <= 1'b1;
        end
        StMul: if (fire) begin // a square is not needed after the last bit; a pair contains it
          state_q <= last_cmd_q ? StIdle : NumLanes == 2 ? StWait : StSquare;
          valid_q <= !last_cmd_q && NumLanes == 1;
        end
        StSquare: if (fire) begin
          state_q <= StWait;
          valid_q <= 1'b0;
        end
        default: begin
          state_q <= StIdle;
          valid_q <= 1'b0;
        end
      endcase
    end
    exp_bit_q  <= exp_data_i[index_q[4:0]] && exp_bits_i != '0; // ct-ok: a mux in one clock
    last_bit_q <= index_q + 16'd1 == exp_bits_i || exp_bits_i == '0;
    unique case (state_q)
      StIdle: begin
        index_q    <= '0;
        one_q      <= 1'b1;
        last_cmd_q <= 1'b0;
        cmd_q      <= square_cmd; // base into Montgomery form
        cmd_q.a0   <= SlotBase;
        cmd_q.b    <= mf_pkg::SlotR2;
      end
      StWait: begin
        index_q    <= index_q + 16'd1;
        one_q      <= one_q && !exp_bit_q;
        last_cmd_q <= last_bit_q;
        cmd_q      <= mul_cmd;
      end
      StMul: if (fire && NumLanes == 1) cmd_q <= square_cmd;
      default: ;
    endcase
  end

endmodule
