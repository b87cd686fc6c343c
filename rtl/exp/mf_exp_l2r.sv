// SPDX-License-Identifier: Apache-2.0
/// Left-to-right binary exponentiation: square for every bit below the leading one, multiply when
/// the bit is one. Its cycle count shows the exponent: for public exponents only.
///
/// Source   D. E. Knuth, The Art of Computer Programming, vol. 2, section 4.6.3.
/// Model    modfab.models.exp_l2r.
/// Latency  L + H products back to back for an exponent of bit length L >= 1 with H ones, 2 for
///          exponent 0; the scan for the leading one runs before the first product, 3 clocks a bit.
/// Assumes  start_i only while idle; SlotFree holds the base; the engine contract; exp_data_i is
///          exp_addr_o's word one clock later; a product takes at least 3 clocks.
/// Ensures  SlotFree + 1 holds base^exponent mod M when the engine has finished the last command.
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

  localparam int unsigned AddrBits = $clog2(mf_pkg::words_of(ExpBits) + 1);
  localparam mf_pkg::slot_t SlotBase = mf_pkg::SlotFree;
  localparam mf_pkg::slot_t SlotAcc  = mf_pkg::SlotFree + 7'd1;
  localparam mf_pkg::slot_t SlotMont = mf_pkg::SlotFree + 7'd2; // Montgomery form of the base

  typedef enum logic [3:0] {
    StIdle, StFetch, StLook, StScan, StEnter, StWait, StSquare, StMul, StLeave
  } state_e;
  state_e      state_q;
  logic [15:0] index_q;   // exponent bit being processed
  logic        zero_q;    // the exponent is zero
  logic        first_q;   // the accumulator is still SlotMont

  logic          exp_bit_q; // of index_q, from its third clock on
  logic          fire;
  mf_pkg::slot_t acc;
  assign exp_addr_o = AddrBits'(index_q >> 5);
  assign acc        = first_q ? SlotMont : SlotAcc;

  assign cmd_valid_o = state_q inside {StEnter, StSquare, StMul, StLeave};
  assign fire        = cmd_valid_o && cmd_ready_i;
  assign done_o      = fire && state_q == StLeave;

  always_comb begin
    cmd_o      = '0;
    cmd_o.op   = mf_pkg::OpMul;
    cmd_o.dst0 = SlotAcc;
    cmd_o.a0   = acc;
    unique case (state_q)
      StEnter: begin
        cmd_o.dst0 = SlotMont;
        cmd_o.a0   = zero_q ? mf_pkg::SlotOne : SlotBase;
        cmd_o.b    = mf_pkg::SlotR2;
      end
      StSquare: cmd_o.b = acc;
      StMul:    cmd_o.b = SlotMont;
      default:  cmd_o.b = mf_pkg::SlotOne;
    endcase
  end

  // Where to go when the current bit is finished.
  state_e after_bit;
  assign after_bit = index_q == '0 ? StLeave : StWait;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StIdle;
    end else begin
      unique case (state_q)
        StIdle:   if (start_i) state_q <= exp_bits_i == '0 ? StEnter : StFetch;
        StLook:   state_q <= StFetch; // the word of a new index, then its bit
        StFetch:  state_q <= StScan;
        StScan:   state_q <= exp_bit_q || index_q == '0 ? StEnter : StLook;
        StEnter:  if (fire) state_q <= zero_q ? StLeave : after_bit;
        StWait:   state_q <= StSquare;
        StSquare: if (fire) state_q <= exp_bit_q ? StMul : after_bit;
        StMul:    if (fire) state_q <= after_bit;
        default:  if (fire) state_q <= StIdle;
      endcase
    end
    exp_bit_q <= exp_data_i[index_q[4:0]];
    unique case (state_q)
      StIdle: begin
        index_q <= exp_bits_i == '0 ? '0 : exp_bits_i - 16'd1;
        zero_q  <= exp_bits_i == '0;
        first_q <= 1'b1;
      end
      StScan: begin
        if (!exp_bit_q) begin
          index_q <= index_q - 16'd1;
          zero_q  <= index_q == '0;
        end
      end
      StSquare: if (fire) first_q <= 1'b0;
      default: ;
    endcase
    // The leading one is consumed by StEnter, every other bit by its square and product.
    if (fire && ((state_q == StEnter && !zero_q) || (state_q == StSquare && !exp_bit_q)
                 || state_q == StMul)) begin
      index_q <= index_q - 16'd1;
    end
  end

endmodule
