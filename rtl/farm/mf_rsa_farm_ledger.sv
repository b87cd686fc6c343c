// SPDX-License-Identifier: Apache-2.0
/// Jobs that one core of the farm owes an answer, in order: written when the dispatcher begins a
/// job, struck off when the collector has sent its answer.
///
/// Source   modfab.
/// Model    modfab.models.rsa.farm (a core's jobs are numbered; nothing else is seen of it).
/// Latency  outputs change one cycle after push_i and pop_i.
/// Assumes  push_i only while full_o is low.
/// Ensures  zeroize does not touch it, so that every job that was begun is answered. One changed
///          bit in a number is corrected; one in a job shows in parity_o.
module mf_rsa_farm_ledger (
  input  logic                  clk_i,
  input  logic                  rst_i,
  input  logic                  push_i,
  input  logic [16:0]           push_job_i, // public_key and id of job_t
  input  logic                  pop_i,      // no effect while empty_o
  output logic                  empty_o,
  output logic                  full_o,     // a core holds at most three jobs
  output logic [1:0]            count_o,
  output logic [1:0]            first_o,    // number of the job that is answered next
  output logic [16:0]           job_o,      // this job
  output logic                  parity_o,   // 1: it has changed
  output mf_rsa_farm_pkg::seq_t newest_o    // number of the job that was pushed last
);

  mf_rsa_farm_pkg::seq_t first_q, next_q;
  logic [3:0][17:0]      jobs_q; // parity above the job
  logic [1:0]            next;
  assign first_o  = mf_rsa_farm_pkg::seq_number(first_q);
  assign next     = mf_rsa_farm_pkg::seq_number(next_q);
  assign count_o  = next - first_o;
  assign empty_o  = count_o == '0;
  assign full_o   = count_o == '1;
  assign job_o    = jobs_q[first_o][16:0];
  assign parity_o = ^jobs_q[first_o];
  assign newest_o = mf_rsa_farm_pkg::seq_code(next - 2'd1);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      first_q <= mf_rsa_farm_pkg::seq_code(2'd0);
      next_q  <= mf_rsa_farm_pkg::seq_code(2'd0);
    end else begin
      first_q <= mf_rsa_farm_pkg::seq_code(first_o + 2'(pop_i && !empty_o));
      next_q  <= mf_rsa_farm_pkg::seq_code(next + 2'(push_i));
    end
    if (push_i) jobs_q[next] <= {^push_job_i, push_job_i};
  end

endmodule
