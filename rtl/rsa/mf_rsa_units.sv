// SPDX-License-Identifier: Apache-2.0
/// The engines of the RSA core, one or two, each with a sequencer in front; the word machine's
/// instruction says which of them it is for.
///
/// Source   modfab.
/// Model    modfab.models.rsa (the models of engine and sequencer).
/// Latency  the engine's; of an exponentiation see mf_rsa_unit.sv.
/// Assumes  instr_i, unit_i and e_bits_i stable while a command, its words or an exponentiation are
///          in progress; no command while running_o or busy_o is high.
/// Ensures  OpSetup2 and OpExp2 are for both units, everything else for the one of unit_i.
module mf_rsa_units #(
  localparam int unsigned NumUnits    = mf_rsa_cfg_pkg::CrtEngines,
  localparam int unsigned ExpAddrBits = $clog2(mf_pkg::words_of(mf_cfg_pkg::ExpBits) + 1)
) (
  input  logic               clk_i,
  input  logic               rst_i,
  input  logic               wipe_i,      // pulse: ends what runs, wipes the engines

  input  mf_rsa_pkg::instr_t instr_i,
  input  logic               unit_i,
  input  logic [15:0]        e_bits_i,    // bits of an exponentiation whose instruction names none

  input  logic               cmd_valid_i, // the instruction's command
  output logic               cmd_ready_o,
  input  logic               in_valid_i,  // words of OpLoad
  output logic               in_ready_o,
  input  logic [31:0]        in_data_i,
  output logic               out_valid_o, // words of OpStore
  input  logic               out_ready_i,
  output logic [31:0]        out_data_o,

  input  logic               start_i,     // pulse: the instruction's exponentiation
  output logic               running_o,   // until the last product was accepted
  output logic [NumUnits-1:0][ExpAddrBits-1:0] exp_addr_o,
  input  logic [NumUnits-1:0][31:0]            exp_data_i, // one clock after the address

  output logic               busy_o,
  output logic               refuses_o    // a unit of the instruction has no valid modulus
);

  // ---- the command; idle units take one for both in the same clock ----
  logic         both;
  logic [15:0]  exp_bits;
  mf_pkg::cmd_t own_cmd;
  always_comb begin
    own_cmd      = '0;
    own_cmd.dst0 = mf_pkg::slot_t'(instr_i.dst);
    own_cmd.a0   = mf_pkg::slot_t'(instr_i.a);
    own_cmd.b    = mf_pkg::slot_t'(instr_i.b);
    unique case (instr_i.op)
      mf_rsa_pkg::OpLoad:  own_cmd.op = mf_pkg::OpLoad;
      mf_rsa_pkg::OpStore: own_cmd.op = mf_pkg::OpStore;
      mf_rsa_pkg::OpSetup, mf_rsa_pkg::OpSetup2: own_cmd.op = mf_pkg::OpSetup;
      default:             own_cmd.op = mf_pkg::OpMul;
    endcase
    exp_bits = instr_i.op == mf_rsa_pkg::OpExp2 ? 16'(instr_i.len) : 16'(instr_i.b);
    if (exp_bits == '0) exp_bits = e_bits_i;
    both = instr_i.op inside {mf_rsa_pkg::OpSetup2, mf_rsa_pkg::OpExp2};
  end

  // ---- units and engines ----
  logic [NumUnits-1:0]            selected, ready, running, in_ready, out_valid, busy;
  logic [NumUnits-1:0][31:0]      out_data;
  logic [NumUnits-1:0]            engines_valid, engines_ready;
  mf_pkg::cmd_t [NumUnits-1:0]    engines_cmd;
  mf_pkg::status_e [NumUnits-1:0] status;
  for (genvar unit = 0; unit < NumUnits; unit++) begin : gen_unit
    assign selected[unit] = NumUnits == 1 || unit_i == (unit != 0);

    mf_rsa_unit u_unit (
      .clk_i, .rst_i, .wipe_i,
      .cmd_valid_i (cmd_valid_i && (selected[unit] || both)),
      .cmd_ready_o (ready[unit]), .cmd_i(own_cmd),
      .start_i     (start_i && (selected[unit] || both)),
      .exp_bits_i  (exp_bits), .exp_addr_o(exp_addr_o[unit]), .exp_data_i(exp_data_i[unit]),
      .running_o   (running[unit]),
      .eng_valid_o (engines_valid[unit]), .eng_ready_i(engines_ready[unit]),
      .eng_cmd_o   (engines_cmd[unit])
    );
  end

  mf_cfg_engines u_engines (
    .clk_i, .rst_i, .zeroize_i(wipe_i),
    .cmd_valid_i (engines_valid), .cmd_ready_o(engines_ready), .cmd_i(engines_cmd),
    .in_valid_i  (selected & {NumUnits{in_valid_i}}),
    .in_ready_o  (in_ready), .in_data_i({NumUnits{in_data_i}}),
    .out_valid_o (out_valid), .out_data_o(out_data),
    .out_ready_i (selected & {NumUnits{out_ready_i}}),
    .busy_o      (busy), .status_o(status)
  );

  localparam int unsigned Last = NumUnits - 1;
  assign cmd_ready_o = unit_i ? ready[Last] : ready[0];
  assign in_ready_o  = unit_i ? in_ready[Last] : in_ready[0];
  assign out_valid_o = unit_i ? out_valid[Last] : out_valid[0];
  assign out_data_o  = unit_i ? out_data[Last] : out_data[0];
  assign running_o   = running != '0;
  assign busy_o      = busy != '0;
  always_comb begin
    refuses_o = 1'b0;
    for (int unsigned i = 0; i < NumUnits; i++)
      if ((selected[i] || both) && status[i] != mf_pkg::StatusOk) refuses_o = 1'b1;
  end

  logic unused_fields; // of the instruction
  assign unused_fields = ^instr_i;

endmodule
