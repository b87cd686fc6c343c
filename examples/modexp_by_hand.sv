// SPDX-License-Identifier: Apache-2.0
/// Example: a 256-bit modular exponentiator, composed by hand from the library. The engine `sos`
/// and the sequencer `ladder` are connected to `mf_modexp` through four structs of mf_pkg.
///
/// Source   modfab. `modfab build --core modexp` writes the same connections for any engine.
/// Latency  that of mf_modexp.
/// Assumes  what mf_modexp assumes; each window answers one cycle after its address.
/// Ensures  what mf_modexp ensures: after done_o with error_o = StatusOk the result window holds
///          base^exponent mod M.
module modexp_by_hand (
  input  logic            clk_i,
  input  logic            rst_i,          // synchronous; the engine wipes its slots afterwards
  input  logic            zeroize_i,      // wipes the engine, ends an operation

  input  logic            start_i,        // pulse while busy_o is low
  input  logic            mod_written_i,  // pulse: the modulus window has changed
  output logic            busy_o,
  output logic            done_o,         // pulse
  output mf_pkg::status_e error_o,

  output logic [3:0]      opnd_addr_o,    // word of the modulus and of the base
  input  logic [31:0]     mod_data_i,
  input  logic [31:0]     base_data_i,
  output logic [3:0]      exp_addr_o,     // word of the exponent
  input  logic [31:0]     exp_data_i,
  output logic            res_we_o,       // writes the result, word by word
  output logic [3:0]      res_addr_o,
  output logic [31:0]     res_data_o,
  output logic [63:0]     total_cycles_o  // of the last operation
);

  localparam int unsigned NumBits = 256;

  // The core drives the requests; engine and sequencer drive the responses.
  mf_pkg::engine_req_t engine_req;
  mf_pkg::engine_rsp_t engine_rsp;
  mf_pkg::seq_req_t    seq_req;
  mf_pkg::seq_rsp_t    seq_rsp;

  logic [31:0] setup_cycles;
  logic [63:0] exp_cycles;

  mf_modexp #(
    .NumBits      (NumBits),
    .ExpBits      (NumBits),
    .RuntimeWords (1'b1)          // `sos` takes shorter moduli at run time
  ) u_core (
    .clk_i, .rst_i, .zeroize_i,
    .start_i, .mod_written_i, .busy_o, .done_o, .error_o,
    .setup_only_i   (1'b0),
    .exp_bits_i     (16'(NumBits)),
    .num_words_i    (16'd0),      // 0: all words of NumBits
    .opnd_addr_o, .mod_data_i, .base_data_i,
    .exp_addr_o, .exp_data_i,
    .res_we_o, .res_addr_o, .res_data_o,
    .setup_cycles_o (setup_cycles),
    .exp_cycles_o   (exp_cycles),
    .total_cycles_o,
    .engine_req_o   (engine_req),
    .engine_rsp_i   (engine_rsp),
    .seq_req_o      (seq_req),
    .seq_rsp_i      (seq_rsp)
  );

  // Any engine of rtl/mul has these ports; only its parameters differ.
  mf_mul_sos #(
    .NumBits (NumBits)
  ) u_engine (
    .clk_i, .rst_i,
    .zeroize_i   (engine_req.zeroize),
    .cmd_valid_i (engine_req.cmd_valid),
    .cmd_ready_o (engine_rsp.cmd_ready),
    .cmd_i       (engine_req.cmd),
    .in_valid_i  (engine_req.in_valid),
    .in_ready_o  (engine_rsp.in_ready),
    .in_data_i   (engine_req.in_data),
    .out_valid_o (engine_rsp.out_valid),
    .out_ready_i (engine_req.out_ready),
    .out_data_o  (engine_rsp.out_data),
    .busy_o      (engine_rsp.busy),
    .status_o    (engine_rsp.status)
  );

  // Any sequencer of rtl/exp. NumLanes is 2 for an engine with two lanes.
  logic [3:0] exp_addr;
  assign seq_rsp.exp_addr = 16'(exp_addr);

  mf_exp_ladder #(
    .ExpBits  (NumBits),
    .NumLanes (1)
  ) u_sequencer (
    .clk_i,
    .rst_i       (seq_req.rst),
    .start_i     (seq_req.start),
    .exp_bits_i  (seq_req.exp_bits),
    .exp_addr_o  (exp_addr),
    .exp_data_i  (seq_req.exp_data),
    .cmd_valid_o (seq_rsp.cmd_valid),
    .cmd_ready_i (seq_req.cmd_ready),
    .cmd_o       (seq_rsp.cmd),
    .done_o      (seq_rsp.done)
  );

  logic unused_counters; // mf_modexp counts set-up and exponentiation as well
  assign unused_counters = &{1'b0, setup_cycles, exp_cycles};

endmodule
