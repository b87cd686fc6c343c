// SPDX-License-Identifier: Apache-2.0
/// Key contexts of an RSA core that keeps several keys: which one is chosen, what is known of the
/// others' keys, and which bank of the word memory has the key words.
///
/// Source   modfab.
/// Model    modfab.models.rsa.machine.
/// Latency  outputs change one cycle after their cause; wanted_o and wanted_ok_o follow context_i
///          by one cycle.
/// Assumes  context_i stable from the cycle before look_i; moves_i with a target that was taken.
/// Ensures  what is kept of a context is given back unchanged when it is the target; a context that
///          was not chosen since clear_i has no key. The chosen one, the target and the banks are
///          kept twice, once inverted: differ_o two cycles after one of them, or a flag, changes by
///          itself. While changing_i key words are read of the target, written to the chosen one.
module mf_rsa_contexts #(
  parameter mf_rsa_pkg::cfg_t Cfg = mf_rsa_pkg::CfgSmallest // two keys or more
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic                 clear_i,     // no context has a key
  input  logic                 first_i,     // with clear_i: none is locked, the first one is chosen
  input  mf_rsa_pkg::context_t context_i,   // of the host
  input  logic                 look_i,      // take it as the target, with own_i the chosen one
  input  logic                 own_i,
  input  logic                 changing_i,
  input  logic                 moves_i,     // the target becomes the chosen one
  input  logic [1:0]           valid_i,     // of the chosen one; a flag and its complement
  input  logic [1:0]           locked_i,
  input  logic [15:0]          e_bits_i,
  output logic                 wanted_o,    // context_i has a key
  output logic                 wanted_ok_o, // there is such a context
  output logic                 own_o,       // the target is the chosen one
  output logic [1:0]           valid_o,     // of the target, if it is not the chosen one
  output logic [1:0]           locked_o,
  output logic [15:0]          e_bits_o,
  output mf_rsa_pkg::context_t chosen_o,
  output mf_rsa_pkg::each_t    valids_o,    // of all but the chosen one
  output mf_rsa_pkg::each_t    locks_o,
  output mf_rsa_pkg::bank_t    rd_bank_o,
  output mf_rsa_pkg::bank_t    wr_bank_o,
  output logic                 differ_o
);

  typedef mf_rsa_pkg::context_t context_t;
  typedef mf_rsa_pkg::bank_t    bank_t;
  localparam int unsigned NumKeys = 32'(Cfg.num_keys);
  localparam logic [1:0]  On = 2'b10, Off = 2'b01;

  // The first context has the lowest bank, the operation's words the next one.
  function automatic bank_t bank_of(input context_t of);
    bank_of = of == '0 ? '0 : bank_t'(of) + bank_t'(1);
  endfunction

  context_t                         chosen_q, chosen_inv_q, target_q, target_inv_q;
  bank_t                            rd_bank_q, rd_bank_inv_q, wr_bank_q, wr_bank_inv_q;
  logic [NumKeys-1:0][1:0]          valid_q, locked_q; // cleared where the chosen one's would be
  logic [NumKeys-1:0][15:0]         e_bits_q;
  logic [NumKeys-1:0]               broken;
  assign own_o     = target_q == chosen_q;
  assign chosen_o  = chosen_q;
  assign rd_bank_o = rd_bank_q;
  assign wr_bank_o = wr_bank_q;

  always_comb begin
    valid_o  = Off;
    locked_o = Off;
    e_bits_o = '0;
    valids_o = '0;
    locks_o  = '0;
    for (int unsigned i = 0; i < NumKeys; i++) begin
      if (target_q == context_t'(i)) begin
        valid_o  = valid_q[i];
        locked_o = locked_q[i];
        e_bits_o = e_bits_q[i];
      end
      valids_o[i] = valid_q[i] != Off;
      locks_o[i]  = locked_q[i] != Off;
      broken[i]   = !(^valid_q[i]) || !(^locked_q[i]);
    end
  end

  always_ff @(posedge clk_i) begin
    wanted_ok_o <= 32'(context_i) < NumKeys;
    wanted_o    <= context_i == chosen_q && valid_i == On;
    for (int unsigned i = 0; i < NumKeys; i++)
      if (context_i == context_t'(i) && valid_q[i] == On) wanted_o <= 1'b1;

    differ_o <= !rst_i && (chosen_inv_q != ~chosen_q || target_inv_q != ~target_q
                           || rd_bank_inv_q != ~rd_bank_q || wr_bank_inv_q != ~wr_bank_q
                           || broken != '0);
    if (first_i) begin
      {target_q, target_inv_q} <= {context_t'(0), ~context_t'(0)};
      {chosen_q, chosen_inv_q} <= {context_t'(0), ~context_t'(0)};
    end else if (clear_i) begin
      {target_inv_q, chosen_inv_q} <= {~target_q, ~chosen_q}; // whichever: nothing is there
    end else begin
      if (look_i) begin
        target_q     <= own_i ? chosen_q : context_i;
        target_inv_q <= own_i ? chosen_inv_q : ~context_i;
      end
      if (moves_i) {chosen_q, chosen_inv_q} <= {target_q, target_inv_q};
    end
    rd_bank_q     <= bank_of(changing_i || moves_i ? target_q : chosen_q);
    rd_bank_inv_q <= ~bank_of(changing_i || moves_i ? ~target_inv_q : ~chosen_inv_q);
    wr_bank_q     <= bank_of(moves_i ? target_q : chosen_q); // at once: a wipe may begin
    wr_bank_inv_q <= ~bank_of(moves_i ? ~target_inv_q : ~chosen_inv_q);
    // Of what was before a reset nothing may show, so that one cycle of it is enough.
    if (rst_i) begin
      {rd_bank_q, rd_bank_inv_q} <= {bank_of('0), ~bank_of('0)};
      {wr_bank_q, wr_bank_inv_q} <= {bank_of('0), ~bank_of('0)};
    end

    for (int unsigned i = 0; i < NumKeys; i++) begin
      if (clear_i) begin
        valid_q[i]  <= Off;
        e_bits_q[i] <= '0;
      end else if (moves_i && target_q == context_t'(i)) begin
        valid_q[i]  <= Off;
        e_bits_q[i] <= '0;
      end else if (moves_i && chosen_q == context_t'(i)) begin
        valid_q[i]  <= valid_i;
        e_bits_q[i] <= e_bits_i;
      end
      if (first_i) locked_q[i] <= Off;
      else if (clear_i) locked_q[i] <= locked_q[i] == Off ? Off : On; // in doubt: locked
      else if (moves_i && target_q == context_t'(i)) locked_q[i] <= Off;
      else if (moves_i && chosen_q == context_t'(i)) locked_q[i] <= locked_i;
    end
  end

endmodule
