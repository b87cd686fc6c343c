// SPDX-License-Identifier: Apache-2.0
/// Dispatcher of the farm: takes jobs off the queue and puts each into the inbox of one core.
///
/// Source   modfab.
/// Model    modfab.models.rsa.farm.Dispatcher (same clocks).
/// Latency  2 clocks before a job's first word is taken, then one word a clock; an inbox sees a
///          word one clock after it was taken.
/// Assumes  free_i of a core falls in the clock of commit_o at the latest.
/// Ensures  a job goes to a core with an empty inbox that is in service: to one that has nothing to
///          do if there is one, in turns. When no core is or will be in service, to any, which
///          answers it with an error. Every job that was begun is committed exactly once, also when
///          it is malformed or when zeroize_i came in between.
module mf_rsa_farm_in #(
  parameter  int unsigned NumCores  = 2,
  parameter  int unsigned JobIdBits = 16,
  parameter  int unsigned NumWords  = 4, // words of a message
  localparam int unsigned WordBits  = $clog2(NumWords + 1)
) (
  input  logic                         clk_i,
  input  logic                         rst_i,
  input  logic                         zeroize_i,
  input  logic                         accept_i,  // low: no further job is begun
  output logic                         busy_o,    // a job is being taken

  input  logic                         in_valid_i,
  output logic                         in_ready_o,
  input  logic [31:0]                  in_data_i,
  input  logic                         in_last_i,

  input  logic [NumCores-1:0]          free_i,    // the inbox is empty
  input  logic [NumCores-1:0]          ready_i,   // it has nothing to do
  input  logic [NumCores-1:0]          service_i, // it runs jobs
  input  logic                         hope_i,    // a core is about to be in service again
  output logic [NumCores-1:0]          we_o,      // to the inboxes
  output logic [WordBits-1:0]          addr_o,
  output logic [31:0]                  data_o,
  output logic [NumCores-1:0]          commit_o,  // pulse: the job is complete
  output mf_rsa_farm_pkg::job_t        job_o,
  output mf_rsa_farm_pkg::job_status_e status_o   // other than JobOk: do not run it
);

  typedef enum logic [1:0] {StIdle, StHead, StWords} state_e;
  state_e state_q;
  logic [NumCores-1:0] able, set, pick, pick_q;
  logic                begins, fire, dead, dead_q, bad_q, known;
  logic [WordBits-1:0] count_q;
  mf_rsa_farm_pkg::job_t head;

  assign able   = free_i & (service_i == '0 && !hope_i ? '1 : service_i);
  assign set    = (able & ready_i) != '0 ? able & ready_i : able;
  assign begins = state_q == StIdle && in_valid_i && accept_i && set != '0 && !zeroize_i;
  mf_rr_arb #(.Num(NumCores)) u_turns (
    .clk_i, .rst_i, .set_i(set), .taken_i(begins), .pick_o(pick)
  );

  assign in_ready_o = state_q != StIdle;
  assign busy_o     = state_q != StIdle || commit_o != '0;
  assign fire       = in_valid_i && in_ready_o;
  assign dead       = dead_q || zeroize_i;
  assign head       = mf_rsa_farm_pkg::job_t'(in_data_i);
  assign known      = head.reserved == '0 && head.id >> JobIdBits == '0;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q  <= StIdle;
      we_o     <= '0;
      commit_o <= '0;
    end else begin
      unique case (state_q)
        StIdle:  if (begins) state_q <= StHead;
        StHead:  state_q <= in_last_i ? StIdle : StWords;
        default: if (fire && in_last_i) state_q <= StIdle;
      endcase
      we_o     <= state_q == StWords && fire && !dead && count_q != WordBits'(NumWords)
                ? pick_q : '0;
      commit_o <= fire && in_last_i ? pick_q : '0;
    end
    if (begins) pick_q <= pick;
    dead_q <= state_q != StIdle && dead;
    if (state_q == StHead) begin
      job_o   <= head;
      bad_q   <= !known;
      count_q <= '0;
    end else if (fire && count_q != WordBits'(NumWords)) begin
      count_q <= count_q + WordBits'(1);
    end else if (fire) begin
      bad_q <= 1'b1; // a word too many
    end
    addr_o   <= count_q;
    data_o   <= fire && !dead ? in_data_i : '0;
    status_o <= dead ? mf_rsa_farm_pkg::JobZeroized
              : state_q == StHead || bad_q || count_q != WordBits'(NumWords - 1)
              ? mf_rsa_farm_pkg::JobFormat : mf_rsa_farm_pkg::JobOk;
  end

endmodule
