// SPDX-License-Identifier: Apache-2.0
/// Jobs that one core of the farm owes an answer, in order: written when the dispatcher begins a
/// job, struck off when the collector has sent its answer.
///
/// Source   modfab.
/// Model    modfab.models.rsa.farm (a core's jobs are numbered; nothing else is seen of it).
/// Latency  outputs change two cycles after push_i and pop_i, newest_o one cycle after push_i.
/// Assumes  push_i only while full_o is low; pop_i two cycles after another at the earliest.
/// Ensures  zeroize does not touch it, so that every job that was begun is answered. One changed
///          bit in a number is corrected; one in a job shows in the parity of job_o.
module mf_rsa_farm_ledger (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic                  push_i,
  input  logic [17:0]           push_job_i, // public_key and id of job_t, their parity above
  input  logic                  pop_i,      // no effect without a job, a cycle before
  output logic                  empty_o,
  output logic                  full_o,     // a core holds at most three jobs
  output logic [1:0]            count_o,
  output logic [1:0]            first_o,    // number of the job that is answered next
  output logic [17:0]           job_o,      // this job, as it was written
  output mf_rsa_farm_pkg::seq_t newest_o    // number of the job that was pushed last
);

  mf_rsa_farm_pkg::seq_t first_q, next_q;
  logic [3:0][17:0]      jobs_q; // parity above the job
  logic [1:0]            next, first, count, count_q, number_q;
  logic [17:0]           job_q;
  logic                  some_q, none_q; // there is a job; one that has changed keeps none
  assign first    = mf_rsa_farm_pkg::seq_number(first_q);
  assign next     = mf_rsa_farm_pkg::seq_number(next_q);
  assign count    = next - first;
  assign newest_o = mf_rsa_farm_pkg::seq_code(next - 2'd1);
  assign count_o  = count_q;
  assign empty_o  = count_q == '0;
  assign full_o   = count_q == '1;
  assign first_o  = number_q;
  assign job_o    = job_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      first_q <= mf_rsa_farm_pkg::seq_code(2'd0);
      next_q  <= mf_rsa_farm_pkg::seq_code(2'd0);
    end else begin
      first_q <= mf_rsa_farm_pkg::seq_code(first + 2'(pop_i && (some_q || !none_q)));
      next_q  <= mf_rsa_farm_pkg::seq_code(next + 2'(push_i));
    end
    if (push_i) jobs_q[next] <= push_job_i;
    count_q  <= rst_i ? '0 : count;
    {some_q, none_q} <= {!rst_i && count != '0, rst_i || count == '0};
    number_q <= first;
    job_q    <= jobs_q[first];
  end

endmodule
