// SPDX-License-Identifier: Apache-2.0
/// States of the RSA core's instruction sequencing.
///
/// Source   modfab.
/// Model    modfab.models.rsa.instructions (the cycles of each instruction).
/// Latency  at_o changes one cycle after its cause.
/// Assumes  the inputs belong to the state they are named after.
/// Ensures  illegal_o two cycles after the state and its complement are no longer that, or there is
///          none or more than one. Four bits differ between any two states.
module mf_rsa_control #(
  parameter bit LoadsRunOn = 0 // nobody waits for the end of a load
) (
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic             wipe_i,
  input  logic             start_i,       // accepted
  input  mf_rsa_pkg::op_e  next_op_i,     // decode
  input  mf_rsa_pkg::kind_t kind_i,       // everywhere else
  input  logic             last_word_i,
  input  logic             written_i,     // wipe: the last word
  input  logic             read_i,        // verify: the last word
  input  logic             wipe_end_i,
  input  logic             cmd_fire_i,
  input  logic             fed_i,         // feed: the last word has gone to an engine
  input  logic             took_i,        // take, random: one is written
  input  logic             second_i,      // words of the second unit
  input  logic             running_i,     // of the cycle before
  input  logic             engine_done_i,
  input  logic             fails_i,       // engine, random, control: branch to `fail`, because of
  input  logic             refused_i,     // engine
  input  logic             starved_i,     // random
  input  logic             again_i,       // control: branch to the begin of the loop
  input  logic             halts_i,
  input  logic             drops_i,       // with halts_i: wipe
  output mf_rsa_pkg::at_t  at_o,
  output logic             feeds_o,       // at_o.feed, at_o.take, each in a register of its own
  output logic             takes_o,
  output logic             idle_o,        // for outside: idle, and it came from one state only
  output logic             verified_o,    // verify: every word has been read and looked at
  output logic             illegal_o
);

  // Cycles behind the last word before the next instruction is decoded: an ALU result is written,
  // one of a row later; a branch has three cycles until its word is here, one to `fail` four,
  // control and products two, everything else of an engine none. Nobody waits for the end of a
  // product.
  localparam logic [3:0] DrainVector = 4'd4, DrainRow = 4'd8, DrainNext = 4'd2, DrainBranch = 4'd3;
  localparam logic [3:0] VerifyTail  = 4'd5; // from the last word's address until it is looked at

  // The state, one bit set; and its complement, from the same next state, to compare it with.
  typedef struct packed {
    logic            fetch;
    logic            drain;
    logic            running;
    mf_rsa_pkg::at_t at;
  } all_t;
  localparam all_t AtWipe = '{at: '{wipe: 1'b1, default: 1'b0}, default: 1'b0};
  localparam int unsigned Groups = $bits(all_t) / 4;
  if ($bits(all_t) % 4 != 0) begin : gen_check_groups
    $error("mf_rsa_control: states are compared in groups of 4");
  end
  all_t              hot_q, hot_inv_q, next;
  mf_rsa_pkg::at_t   at, to;
  logic [3:0]        count_q; // cycles left in fetch, drain and at the end of verify
  logic [Groups-1:0] differ_q;
  logic              even_q, illegal_q, rests_q, alone_q, verified_q, failed_q;
  assign at         = hot_q.at;
  assign at_o       = at;
  assign illegal_o  = illegal_q;
  assign idle_o     = at.idle && !at.wipe && rests_q && alone_q;
  assign verified_o = verified_q;

  logic vector, row, random, command, start; // kinds of the instruction that is decoded
  assign vector  = next_op_i inside {mf_rsa_pkg::OpAdd, mf_rsa_pkg::OpAdc, mf_rsa_pkg::OpSub,
                                     mf_rsa_pkg::OpSel, mf_rsa_pkg::OpEq, mf_rsa_pkg::OpSet};
  assign row     = next_op_i == mf_rsa_pkg::OpMac;
  assign random  = next_op_i == mf_rsa_pkg::OpRnd;
  assign command = next_op_i inside {mf_rsa_pkg::OpLoad, mf_rsa_pkg::OpStore, mf_rsa_pkg::OpMul,
                                     mf_rsa_pkg::OpSetup, mf_rsa_pkg::OpLoad2,
                                     mf_rsa_pkg::OpStore2, mf_rsa_pkg::OpMul2,
                                     mf_rsa_pkg::OpSetup2};
  assign start   = next_op_i inside {mf_rsa_pkg::OpExp, mf_rsa_pkg::OpExp2, mf_rsa_pkg::OpExpE};

  // Of the states that are not followed by idle there is none, and one of the others.
  all_t moving;
  logic alone;
  always_comb begin
    moving = hot_q;
    moving.at.idle    = at.idle && (at.verify || at.control);
    moving.at.verify  = at.verify && at.control;
    moving.at.control = 1'b0;
  end
  assign alone = moving == '0;

  logic more, loads, stores; // more: the second unit's words follow
  logic taken, drawn;        // the last word
  assign more   = !second_i && kind_i.second;
  assign loads  = kind_i.load;
  assign stores = kind_i.store;
  logic unused_kind; // the others are of no interest here
  assign unused_kind = ^kind_i;
  assign taken  = took_i && last_word_i && !more;
  assign drawn  = starved_i || (took_i && last_word_i);
  always_comb begin
    to.wipe    = (at.wipe && !written_i) || (at.control && halts_i && drops_i);
    to.verify  = (at.wipe && written_i) || (at.verify && !wipe_end_i);
    to.idle    = (at.verify && wipe_end_i) || (at.idle && !start_i)
                 || (at.control && halts_i && !drops_i);
    to.decode  = ((hot_q.fetch || hot_q.drain) && count_q == 4'd1)
                 || (at.engine && engine_done_i && !refused_i)
                 || (hot_q.running && !running_i);
    to.row     = at.decode && row;
    to.words   = (at.decode && vector) || at.row || (at.words && !last_word_i);
    to.random  = (at.decode && random) || (at.random && !drawn);
    to.command = (at.decode && command) || (at.command && !cmd_fire_i)
                 || (at.feed && fed_i && more);
    to.feed    = (at.command && cmd_fire_i && loads) || (at.feed && !fed_i);
    to.take    = (at.command && cmd_fire_i && stores) || (at.take && !taken);
    to.start   = at.decode && start;
    to.engine  = (at.command && cmd_fire_i && kind_i.setup)
                 || (at.feed && fed_i && !more && !LoadsRunOn)
                 || (at.take && taken) || (at.engine && !engine_done_i);
    to.control = (at.decode && !(vector || row || random || command || start))
                 || (at.control && kind_i.halt && !halts_i);
    next.at    = to;
    next.running = at.start || (hot_q.running && running_i);
    next.drain = (at.words && last_word_i) || (hot_q.drain && count_q != 4'd1)
                 || (at.command && cmd_fire_i && !loads && !stores && !kind_i.setup)
                 || (at.feed && fed_i && !more && LoadsRunOn);
    next.fetch = (at.idle && start_i) || (hot_q.fetch && count_q != 4'd1)
                 || (at.engine && engine_done_i && refused_i) || (at.random && drawn)
                 || (at.control && !kind_i.halt);
  end
  // Beside the words that they let pass; synthesis merges them with the state elsewhere.
  (* keep *) always_ff @(posedge clk_i) feeds_o <= !rst_i && !wipe_i && to.feed;
  (* keep *) always_ff @(posedge clk_i) takes_o <= !rst_i && !wipe_i && to.take;
  always_ff @(posedge clk_i) begin
    hot_q     <= rst_i || wipe_i ? AtWipe : next;
    hot_inv_q <= rst_i || wipe_i ? ~AtWipe : ~next;
    for (int unsigned i = 0; i < Groups; i++)
      differ_q[i] <= !rst_i && hot_q[4*i +: 4] != ~hot_inv_q[4*i +: 4];
    even_q    <= !rst_i && !(^hot_q);
    failed_q  <= fails_i;
    rests_q   <= to.idle && !rst_i && !wipe_i;
    alone_q   <= alone;
    // The last word was looked at: count_q is 0 from the next cycle on.
    verified_q <= at.verify && read_i && count_q[3:1] == '0 && !wipe_end_i && !rst_i && !wipe_i;
    illegal_q <= !rst_i && (even_q || differ_q != '0);
    if (at.idle) count_q <= DrainBranch;
    else if (at.words) count_q <= kind_i.mac ? DrainRow : DrainVector;
    else if (at.verify && !read_i) count_q <= VerifyTail;
    else if (failed_q) count_q <= DrainBranch; // a cycle after the branch, in fetch
    else if (at.control || at.random || at.engine || at.command || (at.feed && LoadsRunOn))
      count_q <= again_i ? DrainBranch : DrainNext;
    else count_q <= count_q == '0 ? '0 : count_q - 4'd1;
  end

endmodule
