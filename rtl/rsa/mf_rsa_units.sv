// SPDX-License-Identifier: Apache-2.0
/// One or two engines of the RSA core, connected through ports, each with its sequencer; the word
/// machine's instruction names the one that it is for. Commands and words cross in registers.
///
/// Source   modfab.
/// Model    modfab.models.rsa.machine (the models of engine and sequencer).
/// Latency  the engine's, and a cycle for a command and for a word in either direction; of an
///          exponentiation see mf_rsa_unit.sv.
/// Assumes  instr_i and exp_bits_i stable while a command, its words or an exponentiation
///          are in progress; no command while running_o is high; in_valid_i low in the cycle after
///          the unit of the words has changed.
/// Ensures  OpMul2, OpSetup2, OpExp2 and OpExpE are for both units, everything else for one: what
///          a command is for is a register.
module mf_rsa_units #(
  parameter int unsigned NumUnits = 1, // 1 or 2
  parameter bit          LoadSums = 0  // a load can add the slot that it loads
) (
  input  logic               clk_i,
  input  logic               rst_i,
  input  logic               wipe_i,      // pulse: ends what runs, wipes the engines

  input  mf_rsa_pkg::instr_t instr_i,
  input  mf_rsa_pkg::kind_t  kind_i,      // of instr_i
  input  logic               clear_i,     // the first unit is selected, words are dropped
  input  logic               step_i,      // an instruction is taken: instr_i is another one next
  input  logic               next_both_i, // instr_i of the next cycle is for both units
  input  logic               pick_i,      // pulse: instr_i names the unit of those that follow
  input  logic               second_i,    // words are those of the second unit,
  input  logic               next_second_i, // or will be in the next cycle
  input  logic               stores_i,    // a command from the next cycle on is the second one
  input  logic [15:0]        exp_bits_i,  // bits of the instruction's exponent

  input  logic               cmd_valid_i, // the instruction's command
  output logic               cmd_done_o,  // it has been taken, the cycle before or earlier
  input  logic               in_valid_i,  // words of OpLoad
  output logic               in_ready_o,  // of the unit of a cycle ago
  input  logic [31:0]        in_data_i,
  output logic               out_valid_o, // words of OpStore
  input  logic               out_ready_i,
  output logic [31:0]        out_data_o,

  input  logic               start_i,     // pulse: the instruction's exponentiation
  input  logic               start_e_i,   // pulse: the one with the public exponent
  output logic               running_o,   // until the engines have accepted the last product
  output mf_rsa_pkg::addr_t [NumUnits-1:0]     exp_addr_o,
  input  logic [NumUnits-1:0][31:0]            exp_data_i, // two cycles after the address

  output logic [NumUnits-1:0] busy_o,     // of each engine
  output logic               pending_o,   // a command waits for an engine
  output logic               refuses_o,   // a unit of the instruction has no valid modulus

  output mf_pkg::engine_req_t [NumUnits-1:0] engine_req_o,
  input  mf_pkg::engine_rsp_t [NumUnits-1:0] engine_rsp_i,
  output mf_pkg::seq_req_t    [NumUnits-1:0] seq_req_o,
  input  mf_pkg::seq_rsp_t    [NumUnits-1:0] seq_rsp_i
);

  // ---- the unit of engine instructions, of a command, of words ----
  logic unit_q, cmd_unit_q, word_unit, unit_next, cmd_unit_next;
  logic in_unit_q; // word_unit a cycle ago, for words to an engine
  (* keep *) logic [NumUnits-1:0] out_unit_q; // word_unit, beside each engine's words
  assign word_unit = unit_q || second_i;
  assign unit_next = !rst_i && !clear_i && (pick_i ? NumUnits > 1 && instr_i.len[0] : unit_q);
  assign cmd_unit_next = !rst_i && !clear_i && (unit_q || (!step_i && (second_i || stores_i)));
  always_ff @(posedge clk_i) begin
    unit_q     <= unit_next;
    in_unit_q  <= word_unit;
    out_unit_q <= {NumUnits{unit_next || next_second_i}};
    cmd_unit_q <= cmd_unit_next;
  end

  // ---- the command; idle units take one for both in the same clock ----
  logic         both;
  mf_pkg::cmd_t own_cmd;
  assign both = kind_i.both;
  always_comb begin
    own_cmd      = '0;
    own_cmd.dst0 = mf_pkg::slot_t'(instr_i.dst);
    own_cmd.a0   = mf_pkg::slot_t'(instr_i.a);
    own_cmd.b    = mf_pkg::slot_t'(instr_i.b);
    own_cmd.op   = kind_i.load ? mf_pkg::OpLoad : kind_i.store ? mf_pkg::OpStore
                 : kind_i.setup ? mf_pkg::OpSetup : mf_pkg::OpMul;
    if (kind_i.load) own_cmd.b = mf_pkg::slot_t'(instr_i.len); // factor
    if (LoadSums && kind_i.load) // a sum
      own_cmd.a0 = instr_i.len[$bits(mf_pkg::slot_t)] ? own_cmd.dst0 : '0;
  end

  // ---- a command is done when each unit it is for has taken it ----
  logic [NumUnits-1:0] taken_q, taken, wanted_q, selected, ready;
  // After a reset and in a wipe no command waits.
  assign taken = !cmd_valid_i || cmd_done_o ? '0 : taken_q | (wanted_q & ready);
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < NumUnits; i++)
      wanted_q[i] <= NumUnits == 1 || next_both_i || cmd_unit_next == (i != 0);
    taken_q    <= taken;
    cmd_done_o <= (wanted_q & ~taken) == '0; // wanted_q stays while a command is there
  end

  // ---- units and engines; words of a stream that was ended are dropped ----
  logic drops_q;
  always_ff @(posedge clk_i) drops_q <= rst_i || wipe_i || clear_i;
  logic [NumUnits-1:0]            streams, feeds, running, pending, in_ready, out_valid, busy;
  logic [NumUnits-1:0]            room;      // in_ready of the next cycle
  logic [NumUnits-1:0][31:0]      out_data;
  logic [NumUnits-1:0]            engines_valid, engines_ready;
  mf_pkg::cmd_t [NumUnits-1:0]    engines_cmd;
  mf_pkg::status_e [NumUnits-1:0] status;
  for (genvar unit = 0; unit < NumUnits; unit++) begin : gen_unit
    assign selected[unit] = NumUnits == 1 || cmd_unit_q == (unit != 0);
    assign streams[unit]  = NumUnits == 1 || out_unit_q[unit] == (unit != 0);
    assign feeds[unit]    = NumUnits == 1 || in_unit_q == (unit != 0);

    mf_rsa_unit u_unit (
      .clk_i, .rst_i, .wipe_i,
      .cmd_valid_i (cmd_valid_i && wanted_q[unit] && !taken_q[unit]),
      .cmd_ready_o (ready[unit]), .cmd_i(own_cmd),
      .start_i     (start_i && (selected[unit] || both)),
      .start_e_i   (start_e_i && (selected[unit] || both)),
      .exp_bits_i  (exp_bits_i), .exp_addr_o(exp_addr_o[unit]), .exp_data_i(exp_data_i[unit]),
      .running_o   (running[unit]), .pending_o(pending[unit]),
      .eng_valid_o (engines_valid[unit]), .eng_ready_i(engines_ready[unit]),
      .eng_cmd_o   (engines_cmd[unit]),
      .seq_req_o   (seq_req_o[unit]), .seq_rsp_i(seq_rsp_i[unit])
    );

    logic        to_valid, from_ready;
    logic [31:0] to_data;
    assign room[unit] = engine_rsp_i[unit].in_ready || !to_valid
                        || (in_ready[unit] && !(feeds[unit] && in_valid_i));
    mf_skid_buffer #(.WidthBits(32)) u_to_engine (
      .clk_i, .rst_i(drops_q),
      .in_valid_i  (feeds[unit] && in_valid_i), .in_ready_o(in_ready[unit]),
      .in_data_i   (in_data_i),
      .out_valid_o (to_valid), .out_ready_i(engine_rsp_i[unit].in_ready), .out_data_o(to_data)
    );
    mf_skid_buffer #(.WidthBits(32)) u_from_engine (
      .clk_i, .rst_i(drops_q),
      .in_valid_i  (engine_rsp_i[unit].out_valid), .in_ready_o(from_ready),
      .in_data_i   (engine_rsp_i[unit].out_data),
      .out_valid_o (out_valid[unit]), .out_ready_i(streams[unit] && out_ready_i),
      .out_data_o  (out_data[unit])
    );
    always_comb begin
      engine_req_o[unit].zeroize   = wipe_i;
      engine_req_o[unit].cmd_valid = engines_valid[unit];
      engine_req_o[unit].cmd       = engines_cmd[unit];
      engine_req_o[unit].in_valid  = to_valid;
      engine_req_o[unit].in_data   = to_data;
      engine_req_o[unit].out_ready = from_ready;
    end
    assign engines_ready[unit] = engine_rsp_i[unit].cmd_ready;
    assign busy[unit]          = engine_rsp_i[unit].busy;
    assign status[unit]        = engine_rsp_i[unit].status;
  end

  localparam int unsigned Last = NumUnits - 1;
  always_ff @(posedge clk_i) in_ready_o <= drops_q || (word_unit ? room[Last] : room[0]);
  assign out_valid_o = out_unit_q[0] ? out_valid[Last] : out_valid[0];
  assign out_data_o  = out_unit_q[0] ? out_data[Last] : out_data[0];
  assign running_o   = running != '0;
  assign busy_o      = busy;
  assign pending_o   = pending != '0;
  always_comb begin
    refuses_o = 1'b0;
    for (int unsigned i = 0; i < NumUnits; i++)
      if ((selected[i] || both) && status[i] != mf_pkg::StatusOk) refuses_o = 1'b1;
  end

  logic unused_fields; // of the instruction
  assign unused_fields = ^{instr_i, kind_i};

endmodule
