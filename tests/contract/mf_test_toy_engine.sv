// SPDX-License-Identifier: Apache-2.0
/// Ports of the engine contract without arithmetic; breaks one rule on purpose.
///
/// Source   modfab.
/// Latency  4 cycles for a product or set-up, 2 words for a load or store, WipeCycles for a wipe.
/// Assumes  the engine contract.
/// Ensures  the engine contract's handshakes, but for the rule broken_i.
module mf_test_toy_engine #(
  parameter int unsigned WipeCycles = 5
) (
  input  mf_rules_pkg::rule_e broken_i,
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic             zeroize_i,
  input  logic             cmd_valid_i,
  output logic             cmd_ready_o,
  input  mf_pkg::cmd_t     cmd_i,
  input  logic             in_valid_i,
  output logic             in_ready_o,
  input  logic [31:0]      in_data_i,
  output logic             out_valid_o,
  input  logic             out_ready_i,
  output logic [31:0]      out_data_o,
  output logic             busy_o,
  output mf_pkg::status_e  status_o
);

  typedef enum logic [2:0] {StWipe, StIdle, StLoad, StRun, StStore} state_e;
  state_e      state_q;
  mf_pkg::op_e op_q;
  logic [7:0]  count_q;  // cycles, or words, in the state
  logic [31:0] clocks_q;
  logic        clear, cmd_fire, run, wipe, word, last, unused_operands;

  assign unused_operands = ^cmd_i;
  assign clear    = rst_i || zeroize_i;
  assign cmd_fire = cmd_valid_i && cmd_ready_o;
  assign run      = state_q == StRun;
  assign wipe     = state_q == StWipe;
  assign word     = (in_valid_i && in_ready_o && state_q == StLoad)
                    || (out_valid_o && out_ready_i && state_q == StStore);
  always_comb begin
    unique case (state_q)
      StWipe:          last = count_q == (broken_i == mf_rules_pkg::WipeHasItsLength
                                          ? 8'(WipeCycles) : 8'(WipeCycles - 1));
      StRun:           last = count_q == 8'd3;
      StLoad, StStore: last = word && count_q == 8'd1;
      default:         last = 1'b0;
    endcase
  end

  always_comb begin
    cmd_ready_o = !clear && (state_q == StIdle || (last && state_q != StWipe));
    unique case (broken_i)
      mf_rules_pkg::IdleBecomesReady:   if (state_q == StIdle) cmd_ready_o = 1'b0;
      mf_rules_pkg::ReadyOnLastCycle:   if (run) cmd_ready_o = 1'b0;
      mf_rules_pkg::IdleAfterLastCycle: if (run && count_q == 8'd2) cmd_ready_o = 1'b1;
      mf_rules_pkg::BusyInCommand:      if (run && count_q == 8'd0) cmd_ready_o = 1'b1;
      mf_rules_pkg::NotReadyInWipe:     if (wipe && count_q == 8'd1) cmd_ready_o = 1'b1;
      default: ;
    endcase
  end
  assign in_ready_o  = state_q == StLoad || (broken_i == mf_rules_pkg::InputInLoad && run);
  assign out_valid_o = state_q == StStore || (broken_i == mf_rules_pkg::OutputInStore && run);
  assign out_data_o  = broken_i == mf_rules_pkg::OutputIsHeld ? clocks_q : in_data_i;
  assign busy_o      = state_q != StIdle
                       && !(broken_i == mf_rules_pkg::BusyInCommand && run && count_q == 8'd0);

  always_ff @(posedge clk_i) begin
    clocks_q <= clocks_q + 32'd1;
    count_q  <= count_q + 8'(word || state_q inside {StWipe, StRun});
    if (clear || last || cmd_fire) count_q <= '0;
    if (last) state_q <= StIdle;
    if (cmd_fire) begin
      op_q <= cmd_i.op;
      unique case (cmd_i.op)
        mf_pkg::OpLoad:  state_q <= StLoad;
        mf_pkg::OpStore: state_q <= StStore;
        default:         state_q <= StRun;
      endcase
    end
    if (clear) state_q <= StWipe;
    if (last && (op_q == mf_pkg::OpSetup
                 || (broken_i == mf_rules_pkg::OkAfterSetupOnly && op_q == mf_pkg::OpLoad)))
      status_o <= mf_pkg::StatusOk;
    if (wipe && broken_i != mf_rules_pkg::WipeClearsStatus) status_o <= mf_pkg::StatusNoModulus;
  end

endmodule
