// SPDX-License-Identifier: Apache-2.0
/// Program counter of the RSA core, kept twice, and its loop.
///
/// Source   modfab.
/// Model    modfab.models.rsa.
/// Latency  pc_o changes one clock after step_i.
/// Assumes  at most one of fail_i, loop_i and end_loop_i, each with step_i.
/// Ensures  differ_o as long as the two copies of the program counter differ.
module mf_rsa_fetch #(
  parameter mf_rsa_pkg::cfg_t Cfg = mf_rsa_pkg::CfgSmallest
) (
  input  logic               clk_i,
  input  logic               idle_i,     // take the first instruction of a program
  input  mf_rsa_pkg::entry_e entry_i,
  input  logic               e_known_i,
  input  logic               step_i,     // go to the next instruction
  input  logic               fail_i,     // with step_i: to the program `fail`
  input  logic               loop_i,     // a loop of loop_num_i passes begins
  input  mf_rsa_pkg::addr_t  loop_num_i,
  input  logic               end_loop_i, // the end of the loop
  output mf_rsa_pkg::addr_t  pc_o,
  output logic               differ_o
);

  function automatic mf_rsa_pkg::addr_t first_pc(input mf_rsa_pkg::entry_e entry,
                                                 input logic e_known);
    unique case (entry)
      mf_rsa_pkg::EntryKey:     first_pc = e_known ? Cfg.entry_key : Cfg.entry_key_again;
      mf_rsa_pkg::EntryPrivate: first_pc = e_known ? Cfg.entry_private : Cfg.entry_private_again;
      mf_rsa_pkg::EntryPublic:  first_pc = Cfg.entry_public;
      default:                  first_pc = Cfg.entry_derive;
    endcase
  endfunction

  mf_rsa_pkg::addr_t pc_q, pc_inv_q;         // program counter and its complement
  mf_rsa_pkg::addr_t loop_pc_q, loop_left_q; // first instruction of the loop, passes left
  logic              again;                  // the loop is not over
  assign pc_o     = pc_q;
  assign differ_o = pc_inv_q != ~pc_q;
  assign again    = end_loop_i && loop_left_q != mf_rsa_pkg::addr_t'(1);

  always_ff @(posedge clk_i) begin
    if (idle_i) begin
      pc_q     <= first_pc(entry_i, e_known_i);
      pc_inv_q <= ~first_pc(entry_i, e_known_i);
    end else if (step_i) begin
      pc_q     <= fail_i ? Cfg.entry_fail : again ? loop_pc_q : pc_q + mf_rsa_pkg::addr_t'(1);
      pc_inv_q <= fail_i ? ~Cfg.entry_fail : again ? ~loop_pc_q
                : pc_inv_q - mf_rsa_pkg::addr_t'(1);
    end
    if (loop_i) begin
      loop_pc_q   <= pc_q + mf_rsa_pkg::addr_t'(1);
      loop_left_q <= loop_num_i;
    end else if (again) begin
      loop_left_q <= loop_left_q - mf_rsa_pkg::addr_t'(1);
    end
  end

endmodule
