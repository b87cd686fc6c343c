// SPDX-License-Identifier: Apache-2.0
/// States of the RSA core's instruction sequencing.
///
/// Source   modfab.
/// Model    modfab.models.rsa.instructions (the cycles of each instruction).
/// Latency  at_o changes one cycle after its cause.
/// Assumes  the inputs belong to the state they are named after.
/// Ensures  illegal_o and no state where the register holds none of the codes, until wipe_i.
module mf_rsa_control (
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic             wipe_i,
  input  logic             start_i,       // accepted
  input  mf_rsa_pkg::op_e  next_op_i,     // decode
  input  mf_rsa_pkg::op_e  op_i,          // everywhere else
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
  output logic             verified_o,    // verify: every word has been read and looked at
  output logic             illegal_o
);

  // Cycles behind the last word before the next instruction is decoded: an ALU result is written,
  // one of a row later; a branch has two cycles until its word is here, everything else one.
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

  function automatic state_e first_state(input mf_rsa_pkg::op_e op);
    unique case (op)
      mf_rsa_pkg::OpAdd, mf_rsa_pkg::OpAdc, mf_rsa_pkg::OpSub, mf_rsa_pkg::OpSel, mf_rsa_pkg::OpEq,
      mf_rsa_pkg::OpSet: first_state = StVector;
      mf_rsa_pkg::OpMac: first_state = StRow;
      mf_rsa_pkg::OpRnd: first_state = StRandom;
      mf_rsa_pkg::OpLoad, mf_rsa_pkg::OpStore, mf_rsa_pkg::OpMul, mf_rsa_pkg::OpSetup,
      mf_rsa_pkg::OpLoad2, mf_rsa_pkg::OpStore2, mf_rsa_pkg::OpMul2, mf_rsa_pkg::OpSetup2:
        first_state = StCommand;
      mf_rsa_pkg::OpExp, mf_rsa_pkg::OpExp2, mf_rsa_pkg::OpExpE: first_state = StStart;
      default: first_state = StControl;
    endcase
  endfunction

  function automatic state_e second_state(input mf_rsa_pkg::op_e op);
    unique case (op)
      mf_rsa_pkg::OpLoad, mf_rsa_pkg::OpLoad2:   second_state = StFeed;
      mf_rsa_pkg::OpStore, mf_rsa_pkg::OpStore2: second_state = StTake;
      default:                                   second_state = StEngine;
    endcase
  endfunction

  always_comb begin
    at_o.wipe    = state_q == StWipe;
    at_o.verify  = state_q == StVerify;
    at_o.idle    = state_q == StIdle;
    at_o.decode  = state_q == StDecode;
    at_o.row     = state_q == StRow;
    at_o.words   = state_q == StVector;
    at_o.command = state_q == StCommand;
    at_o.feed    = state_q == StFeed;
    at_o.take    = state_q == StTake;
    at_o.engine  = state_q == StEngine;
    at_o.start   = state_q == StStart;
    at_o.running = state_q == StRunning;
    at_o.random  = state_q == StRandom;
    at_o.control = state_q == StControl;
  end
  assign illegal_o  = at_o == '0 && state_q != StFetch && state_q != StDrain;
  assign verified_o = state_q == StVerify && read_i && count_q == '0;

  logic more; // the second unit's words follow
  assign more = !second_i && op_i inside {mf_rsa_pkg::OpLoad2, mf_rsa_pkg::OpStore2};
  always_ff @(posedge clk_i) begin
    if (rst_i || wipe_i) begin
      state_q <= StWipe;
    end else begin
      unique case (state_q)
        StWipe:    if (written_i) state_q <= StVerify;
        StVerify:  if (wipe_end_i) state_q <= StIdle;
        StIdle:    if (start_i) state_q <= StFetch;
        StFetch:   if (count_q == 4'd1) state_q <= StDecode;
        StDecode:  state_q <= first_state(next_op_i);
        StRow:     state_q <= StVector;
        StVector:  if (last_word_i) state_q <= StDrain;
        StDrain:   if (count_q == 4'd1) state_q <= StDecode;
        StCommand: if (cmd_fire_i) state_q <= second_state(op_i);
        StFeed:    if (feed_fire_i && last_word_i) state_q <= more ? StCommand : StEngine;
        StTake:    if (take_fire_i && last_word_i && !more) state_q <= StEngine;
        StStart:   state_q <= StRunning;
        StRunning: if (!running_i) state_q <= StEngine;
        StEngine:  if (engine_done_i) state_q <= StFetch;
        StRandom:  if (fails_i || (random_fire_i && last_word_i)) state_q <= StFetch;
        default:
          if (at_o.control) state_q <= !halts_i ? StFetch : drops_i ? StWipe : StIdle;
      endcase
    end
    unique case (state_q)
      StIdle:   count_q <= DrainBranch;
      StVector: count_q <= op_i == mf_rsa_pkg::OpMac ? DrainRow : DrainVector;
      StVerify: count_q <= !read_i ? VerifyTail : count_q == '0 ? '0 : count_q - 4'd1;
      StControl, StRandom, StEngine: count_q <= fails_i || again_i ? DrainBranch : DrainNext;
      default:  count_q <= count_q == '0 ? '0 : count_q - 4'd1;
    endcase
  end

endmodule
