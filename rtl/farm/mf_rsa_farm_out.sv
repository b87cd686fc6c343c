// SPDX-License-Identifier: Apache-2.0
/// Collector of the farm: sends one answer after the other from the cores' outboxes.
///
/// Source   modfab.
/// Model    modfab.models.rsa.farm.Collector (same clocks).
/// Latency  an answer's first word is offered 3 clocks after its outbox was seen full, then one
///          word a clock; 3 clocks between two answers.
/// Assumes  word_i one clock after addr_o; an outbox stays as it is until pop_o.
/// Ensures  answers leave whole, in turns among the cores that have one; result words are zero
///          unless the job ended well, also when that changes in between.
module mf_rsa_farm_out #(
  parameter  int unsigned NumCores = 2,
  parameter  int unsigned NumWords = 4, // words of a result
  localparam int unsigned RamBits  = $clog2(NumWords)
) (
  input  logic                      clk_i,
  input  logic                      rst_i,
  input  logic                      zeroize_i,

  input  logic [NumCores-1:0]       full_i,  // an answer waits
  output logic [RamBits-1:0]        addr_o,
  input  logic [NumCores-1:0][31:0] word_i,
  input  logic [NumCores-1:0][15:0] id_i,
  input  logic [NumCores-1:0][3:0]  status_i,
  output logic [NumCores-1:0]       pop_o,   // pulse: the answer is gone

  output logic                      out_valid_o,
  input  logic                      out_ready_i,
  output logic [31:0]               out_data_o,
  output logic                      out_last_o
);

  typedef enum logic [1:0] {StPick, StWords, StDrain, StStatus} state_e;
  state_e                   state_q;
  logic [NumCores-1:0]      pick, pick_q;
  logic [RamBits-1:0]       next_q, addr_q;
  logic                     starts, advance, valid_q, ok;
  logic [31:0]              word;
  logic [15:0]              id;
  logic [4:0]               core;
  logic [3:0]               status;
  mf_rsa_farm_pkg::answer_t answer;

  // ---- address, memory, output register: all three stand still while the output does ----
  assign advance = out_ready_i || !out_valid_o;
  assign addr_o  = advance ? next_q : addr_q;
  assign starts  = advance && state_q == StPick && full_i != '0;
  assign pop_o   = advance && state_q == StStatus ? pick_q : '0;
  mf_rr_arb #(.Num(NumCores)) u_turns (
    .clk_i, .rst_i, .set_i(full_i), .taken_i(starts), .pick_o(pick)
  );

  // ---- the picked outbox ----
  always_comb begin
    word   = '0;
    id     = '0;
    core   = '0;
    status = '0;
    for (int unsigned i = 0; i < NumCores; i++) begin
      if (pick_q[i]) begin
        word   = word | word_i[i];
        id     = id | id_i[i];
        core   = core | 5'(i);
        status = status | status_i[i];
      end
    end
    answer = '{reserved: '0, core: core, unused: '0,
               status: mf_rsa_farm_pkg::job_status_e'(status), id: id};
  end
  assign ok = status == mf_rsa_farm_pkg::JobOk && !zeroize_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q     <= StPick;
      out_valid_o <= 1'b0;
      valid_q     <= 1'b0;
      out_data_o  <= '0;
    end else if (advance) begin
      unique case (state_q)
        StPick:  if (starts) state_q <= StWords;
        StWords: if (next_q == RamBits'(NumWords - 1)) state_q <= StDrain;
        StDrain: state_q <= StStatus;
        default: state_q <= StPick;
      endcase
      valid_q     <= state_q == StWords;
      out_valid_o <= valid_q || state_q == StStatus;
      out_last_o  <= state_q == StStatus;
      out_data_o  <= state_q == StStatus ? answer : valid_q && ok ? word : '0;
    end else if (zeroize_i && !out_last_o) begin
      out_data_o  <= '0;
    end
    if (starts) pick_q <= pick;
    if (advance) begin
      next_q <= state_q == StWords ? next_q + RamBits'(1) : '0;
      addr_q <= next_q;
    end
  end

endmodule
