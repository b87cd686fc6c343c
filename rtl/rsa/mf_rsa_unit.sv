// SPDX-License-Identifier: Apache-2.0
/// Command source of one engine of the RSA core: the program's single commands, or those of a
/// sequencer for a whole exponentiation.
///
/// Source   modfab.
/// Model    modfab.models.rsa.machine (the engine's and the sequencer's models).
/// Latency  the engine's; the first product of an exponentiation is offered 1 clock after start_i.
/// Assumes  cmd_valid_i and start_i only while the engine and running_o are idle.
/// Ensures  running_o from the clock after start_i until the last product was accepted.
module mf_rsa_unit (
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  logic                   wipe_i,       // pulse: ends what runs

  input  logic                   cmd_valid_i,  // a command of the program
  output logic                   cmd_ready_o,
  input  mf_pkg::cmd_t           cmd_i,

  input  logic                   start_i,      // pulse: slot 5 <- slot 4 to the power
  input  logic [15:0]            exp_bits_i,
  output mf_rsa_pkg::addr_t      exp_addr_o,
  input  logic [31:0]            exp_data_i,   // one clock after the address
  output logic                   running_o,    // low in the clock of the last product's acceptance

  output logic                   eng_valid_o,  // to the engine
  input  logic                   eng_ready_i,
  output mf_pkg::cmd_t           eng_cmd_o,

  output mf_pkg::seq_req_t       seq_req_o,    // to the sequencer
  input  mf_pkg::seq_rsp_t       seq_rsp_i
);

  logic run_q;
  assign running_o = run_q && !seq_rsp_i.done;

  always_ff @(posedge clk_i) begin
    if (rst_i || wipe_i) run_q <= 1'b0;
    else if (start_i)    run_q <= 1'b1;
    else if (seq_rsp_i.done)   run_q <= 1'b0;
  end

  assign eng_valid_o = run_q ? seq_rsp_i.cmd_valid : cmd_valid_i;
  assign eng_cmd_o   = run_q ? seq_rsp_i.cmd : cmd_i;
  assign cmd_ready_o = eng_ready_i;

  always_comb begin
    seq_req_o.rst       = rst_i || wipe_i;
    seq_req_o.start     = start_i;
    seq_req_o.exp_bits  = exp_bits_i;
    seq_req_o.exp_data  = exp_data_i;
    seq_req_o.cmd_ready = eng_ready_i && run_q;
  end
  assign exp_addr_o = mf_rsa_pkg::addr_t'(seq_rsp_i.exp_addr);

  logic unused_bits; // no exponent is as long
  assign unused_bits = &{1'b0, seq_rsp_i.exp_addr};

endmodule
