// SPDX-License-Identifier: Apache-2.0
/// States of the RSA core's instruction sequencing.
///
/// Source   modfab.
/// Model    modfab.models.rsa.instructions (the cycles of each instruction).
/// Latency  at_o changes one cycle after its cause.
/// Assumes  the inputs belong to the state they are named after.
/// Ensures  illegal_o a cycle after the state and its code differ, or there is none.
module mf_rsa_control (
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
  input  logic             feed_fire_i,
  input  logic             take_fire_i,
  input  logic             random_fire_i,
  input  logic             second_i,      // words of the second unit
  input  logic             running_i,
  input  logic             engine_done_i,
  input  logic             fails_i,       // engine, random, control: branch to `fail`
  input  logic             again_i,       // control: branch to the begin of the loop
  input  logic             halts_i,
  input  logic             drops_i,       // with halts_i: wipe
  output mf_rsa_pkg::at_t  at_o,
  output logic             idle_o,        // for outside: the state and its code agree
  output logic             verified_o,    // verify: every word has been read and looked at
  output logic             illegal_o
);

  // Cycles behind the last word before the next instruction is decoded: an ALU result is written,
  // one of a row later; a branch has two cycles until its word is here, control and products one,
  // everything else of an engine none. Nobody waits for the end of a product.
  localparam logic [3:0] DrainVector = 4'd4, DrainRow = 4'd8, DrainNext = 4'd1, DrainBranch = 4'd2;
  localparam logic [3:0] VerifyTail  = 4'd4; // from the last word's address until it is looked at

  // Four bits differ between any two states.
  typedef enum logic [7:0] {
    StWipe      = 8'h00, StVerify  = 8'h87, StIdle   = 8'h99, StFetch = 8'h1E, StDecode = 8'hAA,
    StRow       = 8'h2D, StVector  = 8'h33, StDrain  = 8'hB4, StCommand = 8'h4B, StFeed = 8'hCC,
    StTake      = 8'hD2, StEngine  = 8'h55, StStart  = 8'hE1, StRunning = 8'h66,
    StRandom    = 8'h78, StControl = 8'hFF
  } state_e;
  (* fsm_encoding = "none" *) state_e state_q;
  logic [3:0] count_q; // cycles left in fetch, drain and at the end of verify

  // The state, one bit set; and its code, made from the same next state, to compare it with.
  typedef struct packed {
    logic            fetch;
    logic            drain;
    mf_rsa_pkg::at_t at;
  } all_t;
  all_t            hot_q, next;
  mf_rsa_pkg::at_t at, to;
  logic            illegal_q;
  assign at         = hot_q.at;
  assign at_o       = at;
  assign illegal_o  = illegal_q;
  assign idle_o     = at.idle && !at.wipe && state_q == StIdle; // the code of StWipe is 0
  assign verified_o = at.verify && read_i && count_q == '0;

  function automatic state_e code_of(input all_t all);
    code_of = state_e'(({8{all.at.verify}}  & StVerify)  | ({8{all.at.idle}}    & StIdle)
                     | ({8{all.fetch}}      & StFetch)   | ({8{all.at.decode}}  & StDecode)
                     | ({8{all.at.row}}     & StRow)     | ({8{all.at.words}}   & StVector)
                     | ({8{all.drain}}      & StDrain)   | ({8{all.at.command}} & StCommand)
                     | ({8{all.at.feed}}    & StFeed)    | ({8{all.at.take}}    & StTake)
                     | ({8{all.at.engine}}  & StEngine)  | ({8{all.at.start}}   & StStart)
                     | ({8{all.at.running}} & StRunning) | ({8{all.at.random}}  & StRandom)
                     | ({8{all.at.control}} & StControl));
  endfunction
  function automatic all_t decoded(input state_e code);
    decoded.fetch      = code == StFetch;
    decoded.drain      = code == StDrain;
    decoded.at.wipe    = code == StWipe;
    decoded.at.verify  = code == StVerify;
    decoded.at.idle    = code == StIdle;
    decoded.at.decode  = code == StDecode;
    decoded.at.row     = code == StRow;
    decoded.at.words   = code == StVector;
    decoded.at.command = code == StCommand;
    decoded.at.feed    = code == StFeed;
    decoded.at.take    = code == StTake;
    decoded.at.engine  = code == StEngine;
    decoded.at.start   = code == StStart;
    decoded.at.running = code == StRunning;
    decoded.at.random  = code == StRandom;
    decoded.at.control = code == StControl;
  endfunction

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

  logic more, loads, stores; // more: the second unit's words follow
  logic fed, taken, drawn;   // the last word
  assign more   = !second_i && kind_i.second;
  assign loads  = kind_i.load;
  assign stores = kind_i.store;
  logic unused_kind; // the others are of no interest here
  assign unused_kind = ^kind_i;
  assign fed    = feed_fire_i && last_word_i;
  assign taken  = take_fire_i && last_word_i && !more;
  assign drawn  = fails_i || (random_fire_i && last_word_i);
  always_comb begin
    to.wipe    = (at.wipe && !written_i) || (at.control && halts_i && drops_i);
    to.verify  = (at.wipe && written_i) || (at.verify && !wipe_end_i);
    to.idle    = (at.verify && wipe_end_i) || (at.idle && !start_i)
                 || (at.control && halts_i && !drops_i);
    to.decode  = ((hot_q.fetch || hot_q.drain) && count_q == 4'd1)
                 || (at.engine && engine_done_i && !fails_i)
                 || (at.running && !running_i);
    to.row     = at.decode && row;
    to.words   = (at.decode && vector) || at.row || (at.words && !last_word_i);
    to.random  = (at.decode && random) || (at.random && !drawn);
    to.command = (at.decode && command) || (at.command && !cmd_fire_i) || (at.feed && fed && more);
    to.feed    = (at.command && cmd_fire_i && loads) || (at.feed && !fed);
    to.take    = (at.command && cmd_fire_i && stores) || (at.take && !taken);
    to.start   = at.decode && start;
    to.running = at.start || (at.running && running_i);
    to.engine  = (at.command && cmd_fire_i && kind_i.setup) || (at.feed && fed && !more)
                 || (at.take && taken) || (at.engine && !engine_done_i);
    to.control = (at.decode && !(vector || row || random || command || start))
                 || (at.control && kind_i.halt && !halts_i);
    next.at    = to;
    next.drain = (at.words && last_word_i) || (hot_q.drain && count_q != 4'd1)
                 || (at.command && cmd_fire_i && !loads && !stores && !kind_i.setup);
    next.fetch = (at.idle && start_i) || (hot_q.fetch && count_q != 4'd1)
                 || (at.engine && engine_done_i && fails_i) || (at.random && drawn)
                 || (at.control && !kind_i.halt);
  end
  always_ff @(posedge clk_i) begin
    hot_q     <= next;
    state_q   <= code_of(next);
    if (rst_i || wipe_i) begin
      hot_q   <= '{at: '{wipe: 1'b1, default: 1'b0}, default: 1'b0};
      state_q <= StWipe;
    end
    illegal_q <= !rst_i && (hot_q != decoded(state_q) || hot_q == '0);
    if (at.idle) count_q <= DrainBranch;
    else if (at.words) count_q <= kind_i.mac ? DrainRow : DrainVector;
    else if (at.verify && !read_i) count_q <= VerifyTail;
    else if (at.control || at.random || at.engine || at.command)
      count_q <= fails_i || again_i ? DrainBranch : DrainNext;
    else count_q <= count_q == '0 ? '0 : count_q - 4'd1;
  end

endmodule
