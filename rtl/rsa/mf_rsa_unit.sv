// SPDX-License-Identifier: Apache-2.0
/// What stands in front of one engine of the RSA core: commands one at a time, or its sequencer's
/// for a whole exponentiation.
///
/// Source   modfab.
/// Model    modfab.models.rsa (the engine's and the sequencer's models).
/// Latency  the engine's; the first product of an exponentiation is offered 1 clock after start_i.
/// Assumes  cmd_valid_i and start_i only while the engine and running_o are idle.
/// Ensures  running_o from the clock after start_i until the last product was accepted.
module mf_rsa_unit #(
  localparam int unsigned ExpAddrBits = $clog2(mf_pkg::words_of(mf_cfg_pkg::ExpBits) + 1)
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  logic                   wipe_i,       // pulse: ends what runs

  input  logic                   cmd_valid_i,  // a command of the program
  output logic                   cmd_ready_o,
  input  mf_pkg::cmd_t           cmd_i,

  input  logic                   start_i,      // pulse: slot 5 <- slot 4 to the power
  input  logic [15:0]            exp_bits_i,
  output logic [ExpAddrBits-1:0] exp_addr_o,
  input  logic [31:0]            exp_data_i,   // one clock after the address
  output logic                   running_o,    // low in the clock of the last product's acceptance

  output logic                   eng_valid_o,  // to the engine
  input  logic                   eng_ready_i,
  output mf_pkg::cmd_t           eng_cmd_o
);

  logic         run_q, seq_valid, seq_done;
  mf_pkg::cmd_t seq_cmd;
  assign running_o = run_q && !seq_done;

  always_ff @(posedge clk_i) begin
    if (rst_i || wipe_i) run_q <= 1'b0;
    else if (start_i)    run_q <= 1'b1;
    else if (seq_done)   run_q <= 1'b0;
  end

  assign eng_valid_o = run_q ? seq_valid : cmd_valid_i;
  assign eng_cmd_o   = run_q ? seq_cmd : cmd_i;
  assign cmd_ready_o = eng_ready_i;

  mf_cfg_sequencer u_sequencer (
    .clk_i,
    .rst_i       (rst_i || wipe_i),
    .start_i, .exp_bits_i, .exp_addr_o, .exp_data_i,
    .cmd_valid_o (seq_valid),
    .cmd_ready_i (eng_ready_i && run_q),
    .cmd_o       (seq_cmd),
    .done_o      (seq_done)
  );

endmodule
