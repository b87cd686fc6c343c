// SPDX-License-Identifier: Apache-2.0
/// Fixed window: the same number of products for every exponent of exp_bits_i bits, fewer than the
/// ladder's. The exponent is cut into windows of WindowBits bits from its low end; a window costs
/// WindowBits squares and one product with a power of the base from a table, also when it is zero.
///
/// Source   A. J. Menezes, P. C. van Oorschot, S. A. Vanstone, Handbook of Applied Cryptography,
///          algorithm 14.82, with the product of a zero window kept.
/// Model    modfab.models.exp_window.
/// Latency  2^WindowBits + 1 + (W - 1) * (WindowBits + 1) products with W windows, at least one,
///          back to back; never data dependent.
/// Assumes  start_i only while idle; SlotFree holds the base; the engine contract; exp_data_i is
///          exp_addr_o's word one clock later; a product takes at least 2 clocks; the engine has
///          SlotFree + 2 + 2^WindowBits slots.
/// Ensures  SlotFree + 1 holds base^exponent mod M when the engine has finished the last command.
module mf_exp_window #(
  parameter int unsigned ExpBits    = 256, // capacity of the exponent window in bits
  parameter int unsigned NumLanes   = 1,   // lanes of the engine; one is used
  parameter int unsigned WindowBits = 4    // bits of a window: 1, 2 or 4
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

  localparam int unsigned AddrBits = $clog2(mf_pkg::words_of(ExpBits) + 1);
  localparam int unsigned NumPowers = 1 << WindowBits;
  localparam mf_pkg::slot_t SlotBase  = mf_pkg::SlotFree;
  localparam mf_pkg::slot_t SlotSum   = mf_pkg::SlotFree + 7'd1;
  localparam mf_pkg::slot_t SlotTable = mf_pkg::SlotFree + 7'd2; // base^i in slot SlotTable + i

  typedef enum logic [2:0] {StIdle, StEnter, StTable, StFirst, StSquare, StMul, StLeave} state_e;
  state_e      state_q;
  logic [15:0] low_q;     // lowest bit of the window being processed
  logic [4:0]  count_q;   // power of the table, or squares done

  // ---- the window's value: bits at and above exp_bits_i count as zero ----
  logic [WindowBits-1:0] bits, value;
  mf_pkg::slot_t         power;
  assign exp_addr_o = AddrBits'(low_q >> 5);
  assign bits       = WindowBits'(exp_data_i >> low_q[4:0]); // ct-ok: a mux within one clock
  always_comb begin
    for (int unsigned i = 0; i < WindowBits; i++)
      value[i] = bits[i] && 17'(low_q) + 17'(i) < 17'(exp_bits_i);
  end
  assign power = value == '0 ? mf_pkg::SlotR : SlotTable + mf_pkg::slot_t'(value); // ct-ok: slots

  always_comb begin
    cmd_o      = '0;
    cmd_o.op   = mf_pkg::OpMul;
    cmd_o.dst0 = SlotSum;
    cmd_o.a0   = SlotSum;
    cmd_o.b    = SlotSum;
    unique case (state_q)
      StEnter: begin
        cmd_o.dst0 = SlotTable + 7'd1;
        cmd_o.a0   = SlotBase;
        cmd_o.b    = mf_pkg::SlotR2;
      end
      StTable: begin
        cmd_o.dst0 = SlotTable + mf_pkg::slot_t'(count_q);
        cmd_o.a0   = SlotTable + mf_pkg::slot_t'(count_q) - 7'd1;
        cmd_o.b    = SlotTable + 7'd1;
      end
      StFirst: begin
        cmd_o.a0 = power;
        cmd_o.b  = mf_pkg::SlotR;
      end
      StSquare: cmd_o.b = SlotSum;
      StMul:    cmd_o.b = power;
      default:  cmd_o.b = mf_pkg::SlotOne;
    endcase
  end

  logic fire, last_window;
  assign cmd_valid_o = state_q != StIdle;
  assign fire        = cmd_valid_o && cmd_ready_i;
  assign done_o      = fire && state_q == StLeave;
  assign last_window = low_q == '0;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StIdle;
    end else if (state_q == StIdle) begin
      if (start_i) state_q <= StEnter;
    end else if (fire) begin
      unique case (state_q)
        StEnter:  state_q <= NumPowers == 2 ? StFirst : StTable;
        StTable:  if (count_q == 5'(NumPowers - 1)) state_q <= StFirst;
        StFirst:  state_q <= last_window ? StLeave : StSquare;
        StSquare: if (count_q == 5'(WindowBits - 1)) state_q <= StMul;
        StMul:    state_q <= last_window ? StLeave : StSquare;
        default:  state_q <= StIdle;
      endcase
    end
    if (state_q == StIdle) begin
      // The highest window begins at the highest multiple of WindowBits below exp_bits_i.
      low_q <= exp_bits_i == '0 ? '0 : (exp_bits_i - 16'd1) & ~16'(WindowBits - 1);
    end else if (fire && (state_q == StFirst || state_q == StMul) && !last_window) begin
      low_q <= low_q - 16'(WindowBits);
    end
    if (state_q inside {StIdle, StEnter}) count_q <= 5'd2;
    else if (fire && state_q inside {StFirst, StMul}) count_q <= '0;
    else if (fire) count_q <= count_q + 5'd1;
  end

endmodule
