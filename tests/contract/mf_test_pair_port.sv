// SPDX-License-Identifier: Apache-2.0
/// One port of mf_mul_qp_systolic_pair under the ports of an engine, while the other one does the
/// same with other numbers, some cycles later: whatever it did to its neighbour would show.
///
/// Source   modfab.
/// Latency  that of the port.
/// Assumes  the engine contract, without OpMul2.
/// Ensures  the engine contract, if neither port sees anything of the other.
module mf_test_pair_port #(
  parameter int unsigned NumBits   = 64,
  parameter int unsigned NumSlots  = 8,
  parameter int unsigned DigitBits = 18,
  parameter int unsigned MinModBits = 0,
  parameter int unsigned QuotientTables = 0,
  parameter int unsigned Resume    = 0,
  parameter int unsigned LoadSum   = 0,
  parameter int unsigned FactorSlots = 0,
  parameter int unsigned TwoInTurn = 0,
  parameter int unsigned Port      = 0, // the one that is seen
  parameter int unsigned Lag       = 1  // cycles that the other is behind, 1..64
) (
  input  logic            clk_i,
  input  logic            rst_i,
  input  logic            zeroize_i,
  input  logic            cmd_valid_i,
  output logic            cmd_ready_o,
  input  mf_pkg::cmd_t    cmd_i,
  input  logic            in_valid_i,
  output logic            in_ready_o,
  input  logic [31:0]     in_data_i,
  output logic            out_valid_o,
  input  logic            out_ready_i,
  output logic [31:0]     out_data_o,
  output logic            busy_o,
  output mf_pkg::status_e status_o
);

  localparam logic [31:0] Change = 32'h0000_0A6E; // even: an odd modulus stays odd

  logic [Lag:1]        cmd_q, in_q;
  mf_pkg::cmd_t        cmds_q [Lag+1];
  logic [31:0]         data_q [Lag+1];
  logic [1:0]          cmd_valid, cmd_ready, in_valid, in_ready, out_valid, out_ready, busy;
  mf_pkg::cmd_t [1:0]  cmd;
  logic [1:0][31:0]    in_data, out_data;
  mf_pkg::status_e [1:0] status;

  always_ff @(posedge clk_i) begin
    cmd_q <= rst_i || zeroize_i ? '0 : Lag'({cmd_q, cmd_valid_i && cmd_ready_o});
    in_q  <= rst_i || zeroize_i ? '0 : Lag'({in_q, in_valid_i && in_ready_o});
    cmds_q[0] <= cmd_i;
    data_q[0] <= in_data_i ^ Change;
    for (int i = 1; i <= int'(Lag); i++) begin
      cmds_q[i] <= cmds_q[i-1];
      data_q[i] <= data_q[i-1];
    end
  end

  always_comb begin
    for (int i = 0; i < 2; i++) begin
      cmd_valid[i] = i == int'(Port) ? cmd_valid_i : cmd_q[Lag];
      cmd[i]       = i == int'(Port) ? cmd_i : cmds_q[Lag-1];
      in_valid[i]  = i == int'(Port) ? in_valid_i : in_q[Lag];
      in_data[i]   = i == int'(Port) ? in_data_i : data_q[Lag-1];
      out_ready[i] = i == int'(Port) ? out_ready_i : 1'b1;
    end
  end
  assign cmd_ready_o = cmd_ready[Port];
  assign in_ready_o  = in_ready[Port];
  assign out_valid_o = out_valid[Port];
  assign out_data_o  = out_data[Port];
  assign busy_o      = busy[Port];
  assign status_o    = status[Port];
  logic unused_other;
  assign unused_other = ^{cmd_ready, in_ready, out_valid, out_data, busy, status, cmds_q[Lag],
                          data_q[Lag]};

  mf_mul_qp_systolic_pair #(
    .NumBits(NumBits), .NumSlots(NumSlots), .DigitBits(DigitBits), .MinModBits(MinModBits),
    .QuotientTables(QuotientTables), .Resume(Resume), .LoadSum(LoadSum),
    .FactorSlots(FactorSlots), .TwoInTurn(TwoInTurn)
  ) u_pair (
    .clk_i, .rst_i, .zeroize_i,
    .cmd_valid_i (cmd_valid), .cmd_ready_o (cmd_ready), .cmd_i (cmd),
    .in_valid_i (in_valid), .in_ready_o (in_ready), .in_data_i (in_data),
    .out_valid_o (out_valid), .out_ready_i (out_ready), .out_data_o (out_data),
    .busy_o (busy), .status_o (status)
  );

endmodule
