// SPDX-License-Identifier: Apache-2.0
/// Whether a core of the farm is in service, is to set up its key again, or is out of service.
///
/// Source   modfab.
/// Model    modfab.models.rsa.farm_member.Member (needs_setup, disabled, faults).
/// Latency  outputs change one cycle after their causes.
/// Assumes  set_up_i only while needs_setup_o; no fault_i in the cycle after clear_i, or in the two
///          after a new limit.
/// Ensures  after fault_limit_i faults since clear_i the core is out of service (0: no limit).
module mf_rsa_farm_service (
  input  logic       clk_i,
  input  logic       clear_i,       // reset, zeroize, or the host sets up the key
  input  logic [7:0] fault_limit_i,
  input  logic       fault_i,       // pulse
  input  logic       heals_i,       // with fault_i: setting up the key again may help
  input  logic       set_up_i,      // pulse: the program for that has ended
  input  logic       good_i,        // with set_up_i: well
  output logic       needs_setup_o, // the key is to be set up again
  output logic       disabled_o     // out of service
);

  logic       needs_setup_q, disabled_q, limit_hit;
  logic [7:0] since_q; // faults since clear_i
  logic [1:0][8:0] bound_q; // faults after which the next one is the last; the one after it
  logic [1:0] hits_q;  // the next fault is the last one: after since_q faults; after one more
  logic       more_q;  // that one came in the cycle before
  assign needs_setup_o = needs_setup_q;
  assign disabled_o    = disabled_q;
  assign limit_hit     = more_q ? hits_q[1] : hits_q[0];

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < 2; i++) begin
      bound_q[i] <= fault_limit_i == '0 ? '1
                  : fault_limit_i > 8'(i) ? 9'(fault_limit_i) - 9'(i + 1) : '0;
      hits_q[i]  <= 9'(since_q) >= bound_q[i]; // a limit that was lowered acts, too
    end
    more_q    <= fault_i && !clear_i;
    if (clear_i) begin
      needs_setup_q <= 1'b0;
      disabled_q    <= 1'b0;
      since_q       <= '0;
    end else if (fault_i) begin
      needs_setup_q <= needs_setup_q || (!limit_hit && heals_i);
      disabled_q    <= disabled_q || limit_hit;
      since_q       <= since_q == '1 ? since_q : since_q + 8'd1;
    end else if (set_up_i) begin
      needs_setup_q <= 1'b0;
      disabled_q    <= !good_i;
    end
  end

endmodule
