// SPDX-License-Identifier: Apache-2.0
/// Program counter of the RSA core, kept twice, its loop, and the trace of what was executed. While
/// an instruction runs, the counter stands at the next one, whose word is already here.
///
/// Source   modfab.
/// Model    modfab.models.rsa (trace: modfab.models.rsa.instructions.trace).
/// Latency  instr_o is the word at the counter four cycles after step_i or a branch, five after
///          fail_i.
/// Assumes  at most one of fail_i, loop_i and end_loop_i, at least one cycle after step_i.
/// Ensures  alarm_o two cycles after copies differ and after step_i with a word of odd parity or
///          too early, one cycle after the end of a loop that did not begin; trace_o is zero when a
///          program starts and changes by the address of each executed instruction; nothing is kept
///          from the cycle after idle_i on.
module mf_rsa_fetch #(
  parameter mf_rsa_pkg::cfg_t Cfg = mf_rsa_pkg::CfgSmallest
) (
  input  logic               clk_i,
  input  logic               clear_i,    // reset, or a wipe starts: no alarm
  input  logic               idle_i,     // take the first instruction of a program
  input  logic               begins_i,   // in the last cycle of idle_i
  input  mf_rsa_pkg::entry_e entry_i,    // from the cycle before idle_i's last one on
  input  logic               step_i,     // the word is taken; go to the next one
  input  logic               fail_i,     // branch to the program `fail`
  input  logic               loop_i,     // a loop of loop_num_i passes begins
  input  mf_rsa_pkg::addr_t  loop_num_i,
  input  logic               end_loop_i, // the end of the loop
  output logic               again_o,    // with end_loop_i: branch to its begin
  output mf_rsa_pkg::addr_t  pc_o,       // address of the program memory
  input  mf_rsa_pkg::instr_t rom_data_i, // two cycles after the address
  output mf_rsa_pkg::instr_t instr_o,
  output logic [25:0]        trace_o,    // without the instruction that is executed now
  output logic               alarm_o
);

  typedef mf_rsa_pkg::addr_t addr_t;

  function automatic addr_t first_pc(input mf_rsa_pkg::entry_e entry);
    unique case (entry)
      mf_rsa_pkg::EntryKey:     first_pc = Cfg.entry_key;
      mf_rsa_pkg::EntryPrivate: first_pc = Cfg.entry_private;
      mf_rsa_pkg::EntryPublic:  first_pc = Cfg.entry_public;
      mf_rsa_pkg::EntryTest:    first_pc = Cfg.entry_test;
      default:                  first_pc = Cfg.entry_derive;
    endcase
    if (Cfg.num_keys > 1) begin
      if (entry == mf_rsa_pkg::EntryChange) first_pc = Cfg.entry_change;
      if (entry == mf_rsa_pkg::EntryLeave) first_pc = Cfg.entry_leave;
    end
  endfunction

  addr_t              pc_q, pc_inv_q;            // program counter and its complement
  addr_t              loop_pc_q, loop_left_q;    // first instruction of the loop, passes left
  addr_t              loop_pc_inv_q, loop_left_inv_q;
  mf_rsa_pkg::instr_t instr_q;
  logic [25:0]        trace_q, next_trace_q;
  addr_t              next_pc_q, next_pc_inv_q;  // of the cycle before, one more
  logic               parity_q, step_q, early_q, more_q, none_q, alarm_q;
  logic               moved_q, idle_q; // the counter has changed
  logic               load_q, load_inv_q; // the first address comes, for each copy of the counter
  logic [1:0]         here_q;   // cycles since then; the last: its word is here
  logic [2:0]         differ_q; // the counter, the loop's begin, its passes
  logic               fail_q, fail_inv_q; // one for each copy of the counter
  addr_t              first_q, first_inv_q; // of the program
  assign pc_o         = pc_q;
  assign instr_o      = instr_q;
  assign trace_o      = trace_q;
  assign again_o      = end_loop_i && more_q;
  assign alarm_o      = alarm_q;

  always_ff @(posedge clk_i) begin
    alarm_q    <= !clear_i && !idle_i && (differ_q != '0 || (step_q && (parity_q || early_q))
                                          || (end_loop_i && none_q));
    differ_q   <= {pc_inv_q != ~pc_q, loop_pc_inv_q != ~loop_pc_q, loop_left_inv_q != ~loop_left_q};
    step_q     <= !idle_i && step_i;
    idle_q     <= idle_i;
    // Not in the last cycle of idle_q: the word of that cycle's address is the first one executed.
    {load_q, load_inv_q} <= {idle_i && !begins_i, !idle_i || begins_i};
    {fail_q, fail_inv_q} <= {fail_i, !fail_i};
    first_q     <= first_pc(entry_i);
    first_inv_q <= ~first_pc(entry_i);
    moved_q    <= step_i || fail_q || again_o;
    here_q     <= idle_q || moved_q ? '0 : {here_q[0], 1'b1};
    early_q    <= !here_q[1];
    more_q     <= loop_left_q != addr_t'(1);
    none_q     <= loop_left_q == '0;
    next_pc_q     <= pc_q + addr_t'(1);
    next_pc_inv_q <= pc_inv_q - addr_t'(1);
    instr_q  <= idle_q ? '0 : rom_data_i;
    parity_q <= ^instr_q;
    if (fail_q) pc_q <= Cfg.entry_fail;
    else if (load_q) pc_q <= first_q;
    else if (again_o) pc_q <= loop_pc_q;
    else if (step_i) pc_q <= next_pc_q;
    if (!fail_inv_q) pc_inv_q <= ~Cfg.entry_fail;
    else if (!load_inv_q) pc_inv_q <= first_inv_q;
    else if (again_o) pc_inv_q <= loop_pc_inv_q;
    else if (step_i) pc_inv_q <= next_pc_inv_q;
    // The trace of the instruction that is taken counts from the next one on.
    if (idle_q) begin
      trace_q      <= '0;
      next_trace_q <= '0;
    end else if (step_i) begin
      trace_q      <= next_trace_q;
      next_trace_q <= {next_trace_q[24:0], next_trace_q[25]} ^ {13'd0, ~pc_inv_q};
    end
    if (idle_q) begin
      loop_pc_q       <= '0;
      loop_pc_inv_q   <= '1;
      loop_left_q     <= '0;
      loop_left_inv_q <= '1;
    end else if (loop_i) begin
      loop_pc_q       <= pc_q;
      loop_pc_inv_q   <= pc_inv_q;
      loop_left_q     <= loop_num_i;
      loop_left_inv_q <= ~loop_num_i;
    end else if (end_loop_i) begin
      loop_left_q     <= loop_left_q - addr_t'(1);
      loop_left_inv_q <= loop_left_inv_q + addr_t'(1);
    end
  end

endmodule
