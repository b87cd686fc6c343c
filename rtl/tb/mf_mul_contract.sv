// SPDX-License-Identifier: Apache-2.0
/// The rules of the engine contract as assertions on an engine's ports; simulation only.
///
/// Source   rtl/mul/README.md.
/// Latency  none: outputs are only observed.
/// Assumes  nothing; the rules for the sender of commands and words are checked as well.
/// Ensures  a message with the rule's name in every cycle that breaks it, from the first reset on.
`include "mf_assert.svh"
module mf_mul_contract #(
  parameter int unsigned NumSlots   = 8, // slots of the engine, 8..128
  parameter int unsigned FactorSlots = NumSlots, // slots legal as operand b
  parameter int unsigned WipeCycles = 0  // cycles of a wipe after reset or zeroize, 0: any number
) (
  input logic            clk_i,
  input logic            rst_i,
  input logic            zeroize_i,
  input logic            cmd_valid_i,
  input logic            cmd_ready_o,
  input mf_pkg::cmd_t    cmd_i,
  input logic            in_valid_i,
  input logic            in_ready_o,
  input logic [31:0]     in_data_i,
  input logic            out_valid_o,
  input logic            out_ready_i,
  input logic [31:0]     out_data_o,
  input logic            busy_o,
  input mf_pkg::status_e status_o
);

  localparam logic [2:0] MaxDrain = 3'd4;

  logic        live_q;        // a reset was seen
  logic        wiping_q;      // from reset or zeroize until the engine was idle or took a command
  logic [31:0] wipe_q;        // cycles since then
  logic [2:0]  drain_q;       // cycles that the engine has been idle, but not ready
  mf_pkg::op_e op_q;          // the last command

  logic clear, off, cmd_fire, is_product, is_pair, refused;
  assign clear      = rst_i || zeroize_i;
  assign off        = clear || !live_q;
  assign cmd_fire   = cmd_valid_i && cmd_ready_o && !clear;
  assign is_pair    = cmd_i.op == mf_pkg::OpMul2;
  assign refused    = op_q == mf_pkg::OpSetup && status_o != mf_pkg::StatusOk;
  assign is_product = cmd_i.op == mf_pkg::OpMul || is_pair;

  initial live_q = 1'b0;

  always_ff @(posedge clk_i) begin
    if (rst_i) live_q <= 1'b1;
    if (clear) wiping_q <= 1'b1;
    else if (!busy_o || cmd_fire) wiping_q <= 1'b0;
    wipe_q <= clear ? 32'd1 : wipe_q + 32'd1;
    if (clear || busy_o || cmd_ready_o) drain_q <= '0;
    else if (drain_q <= MaxDrain) drain_q <= drain_q + 3'd1;
    if (cmd_fire) op_q <= cmd_i.op;
  end

  function automatic logic exists(input mf_pkg::slot_t slot);
    exists = 32'(slot) < NumSlots;
  endfunction

  // ---- streams: valid and data stay until the transfer ----
  `MF_ASSERT(CommandIsHeld, clk_i, off,
    cmd_valid_i && !cmd_ready_o && !clear |=> cmd_valid_i && $stable(cmd_i))
  `MF_ASSERT(InputIsHeld, clk_i, off,
    in_valid_i && !in_ready_o && !clear |=> in_valid_i && $stable(in_data_i))
  `MF_ASSERT(OutputIsHeld, clk_i, off,
    out_valid_o && !out_ready_i && !clear |=> out_valid_o && $stable(out_data_o))
  `MF_ASSERT(InputInLoad, clk_i, off,
    in_ready_o |-> busy_o && !wiping_q && op_q == mf_pkg::OpLoad)
  `MF_ASSERT(OutputInStore, clk_i, off,
    out_valid_o |-> busy_o && !wiping_q && op_q == mf_pkg::OpStore)

  // ---- commands ----
  `MF_ASSERT(ProductLeavesLowSlots, clk_i, off,
    cmd_fire && is_product |->
    cmd_i.dst0 >= mf_pkg::SlotFree && (!is_pair || cmd_i.dst1 >= mf_pkg::SlotFree))
  `MF_ASSERT(ProductSlotsExist, clk_i, off,
    cmd_fire && is_product |-> exists(cmd_i.dst0) && exists(cmd_i.a0) && exists(cmd_i.b) &&
    (!is_pair || (exists(cmd_i.dst1) && exists(cmd_i.a1))))
  `MF_ASSERT(FactorIsOne, clk_i, off,
    cmd_fire && cmd_i.op != mf_pkg::OpStore && exists(cmd_i.b) |->
    32'(cmd_i.b) < FactorSlots
    && (cmd_i.op != mf_pkg::OpLoad || 32'(cmd_i.a0) < FactorSlots))
  `MF_ASSERT(LoadSlotExists, clk_i, off,
    cmd_fire && cmd_i.op == mf_pkg::OpLoad |-> exists(cmd_i.dst0) && exists(cmd_i.b))
  `MF_ASSERT(StoreSlotExists, clk_i, off,
    cmd_fire && cmd_i.op == mf_pkg::OpStore |-> exists(cmd_i.a0))

  // ---- busy covers commands and wipes; ready is high on a command's last cycle ----
  `MF_ASSERT(BusyInCommand, clk_i, off, cmd_fire |=> busy_o)
  `MF_ASSERT(IdleBecomesReady, clk_i, off, drain_q <= MaxDrain)
  `MF_ASSERT(ReadyOnLastCycle, clk_i, off,
    busy_o && !cmd_ready_o && !clear && !wiping_q |=> busy_o || refused)
  `MF_ASSERT(IdleAfterLastCycle, clk_i, off,
    busy_o && cmd_ready_o && !cmd_valid_i && !clear |=> !busy_o)

  // ---- wipe ----
  `MF_ASSERT(NotReadyInWipe, clk_i, off,
    wiping_q && (wipe_q == 32'd1 || wipe_q < WipeCycles) |-> !cmd_ready_o)
  `MF_ASSERT(WipeHasItsLength, clk_i, off || WipeCycles == 0,
    wiping_q |-> busy_o == (wipe_q <= WipeCycles))
  `MF_ASSERT(WipeClearsStatus, clk_i, off,
    wiping_q && !busy_o |-> status_o == mf_pkg::StatusNoModulus)
  `MF_ASSERT(OkAfterSetupOnly, clk_i, off,
    status_o == mf_pkg::StatusOk && !$stable(status_o) && !wiping_q |->
    $past(op_q) == mf_pkg::OpSetup)

endmodule
