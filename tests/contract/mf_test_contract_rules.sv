// SPDX-License-Identifier: Apache-2.0
/// Commands and words for mf_test_toy_engine under the contract's assertions.
///
/// Source   modfab.
/// Latency  it ends after 400 cycles.
/// Assumes  nothing.
/// Ensures  `+break=N` breaks rule N of mf_rules_pkg, on the engine's or the sender's side; without
///          it nothing is broken.
module mf_test_contract_rules (
  input logic clk_i
);

  localparam int unsigned NumCommands = 6;
  localparam int unsigned WipeCycles  = 5;
  localparam int unsigned NoSlot      = 60; // the engine has 8

  mf_rules_pkg::rule_e broken;
  logic [4:0]  chosen;
  initial if ($value$plusargs("break=%d", chosen) == 0) chosen = '0;
  assign broken = mf_rules_pkg::rule_e'(chosen);

  int unsigned time_q, index_q, gap_q;
  logic        cmd_q;
  initial time_q = 0;
  always_ff @(posedge clk_i) begin
    time_q <= time_q + 1;
    if (rst_i) begin
      index_q <= 0;
      gap_q   <= 0;
      cmd_q   <= 1'b0;
    end else if (cmd_valid_i && cmd_ready_o) begin
      index_q <= (index_q + 1) % NumCommands;
      gap_q   <= index_q % 2 == 0 ? 0 : 7; // the next command waits, or comes late
      cmd_q   <= index_q % 2 == 0;
    end else if (gap_q != 0) begin
      gap_q <= gap_q - 1;
      cmd_q <= gap_q == 1;
    end else begin
      cmd_q <= 1'b1;
    end
    if (time_q == 400) begin
      $display("no rule was broken");
      $finish;
    end
  end

  logic            rst_i, zeroize_i, cmd_valid_i, cmd_ready_o, in_valid_i, in_ready_o;
  logic            out_valid_o, out_ready_i, busy_o;
  logic [31:0]     in_data_i, out_data_o;
  mf_pkg::cmd_t    cmd_i;
  mf_pkg::status_e status_o;
  assign rst_i       = time_q < 2;
  assign zeroize_i   = time_q % 97 == 96;
  assign cmd_valid_i = cmd_q;
  assign in_valid_i  = 1'b1;
  assign in_data_i   = broken == mf_rules_pkg::InputIsHeld ? time_q : 32'd7;
  assign out_ready_i = time_q % 4 == 0;

  always_comb begin
    cmd_i = '{op: mf_pkg::OpMul, dst0: 7'd5, a0: 7'd4, b: 7'd4, dst1: 7'd6, a1: 7'd4, default: '0};
    unique case (index_q)
      0:       begin cmd_i.op = mf_pkg::OpLoad; cmd_i.dst0 = mf_pkg::SlotMod; end
      1:       cmd_i.op = mf_pkg::OpSetup;
      2:       cmd_i.op = mf_pkg::OpLoad;
      3:       cmd_i.op = mf_pkg::OpMul2;
      4:       cmd_i.op = mf_pkg::OpMul;
      default: cmd_i.op = mf_pkg::OpStore;
    endcase
    unique case (broken)
      mf_rules_pkg::CommandIsHeld:         cmd_i.num_words = 16'(time_q);
      mf_rules_pkg::ProductLeavesLowSlots: if (index_q == 3) cmd_i.dst1 = mf_pkg::SlotR2;
      mf_rules_pkg::ProductSlotsExist:     if (index_q == 4) cmd_i.b = 7'(NoSlot);
      mf_rules_pkg::FactorIsOne:           if (index_q == 4) cmd_i.b = 7'd7; // no factor
      mf_rules_pkg::LoadSlotExists:        if (index_q == 2) cmd_i.dst0 = 7'(NoSlot);
      mf_rules_pkg::StoreSlotExists:       if (index_q == 5) cmd_i.a0 = 7'(NoSlot);
      default: ;
    endcase
  end

  mf_test_toy_engine #(.WipeCycles(WipeCycles)) u_engine (.broken_i(broken), .*);
  mf_mul_contract #(.NumSlots(8), .FactorSlots(6), .WipeCycles(WipeCycles)) u_contract (.*);

endmodule
