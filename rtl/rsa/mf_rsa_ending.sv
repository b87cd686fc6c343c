// SPDX-License-Identifier: Apache-2.0
/// How an operation of the RSA core ends: status, validity of key and result, cycles.
///
/// Source   modfab.
/// Model    modfab.models.rsa.
/// Latency  outputs change one clock after their cause.
/// Assumes  start_i and host_we_i only while idle_i.
/// Ensures  result_valid_o only after a program released its result, and until the next start_i,
///          host_we_i or wipe. active_o from an accepted start_i until done_o.
module mf_rsa_ending #(
  parameter mf_rsa_pkg::cfg_t Cfg = mf_rsa_pkg::CfgSmallest
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic                zeroize_i,
  input  logic                alarm_i,        // wipes the core
  input  logic                late_i,         // with alarm_i: the watchdog
  input  logic                idle_i,         // state of the core: idle, in the wipe, at its end
  input  logic                wipe_i,
  input  logic                wipe_end_i,

  input  logic                start_i,
  input  mf_rsa_pkg::entry_e  entry_i,
  input  logic [15:0]         e_bits_i,
  input  logic                host_we_i,
  input  mf_rsa_pkg::addr_t   host_addr_i,

  input  logic                refused_i,      // the engine refuses a modulus
  input  logic                need_fails_i,   // an instruction `need` ends the operation, so:
  input  mf_rsa_pkg::status_e need_status_i,
  input  logic                release_i,      // instruction `release`
  input  logic                halt_i,         // instruction `halt`

  output logic                start_ok_o,     // start_i is accepted
  output logic                active_o,
  output logic                done_o,         // pulse
  output mf_rsa_pkg::status_e status_o,
  output logic                key_valid_o,
  output logic                result_valid_o,
  output logic [15:0]         e_bits_o,       // of the operation
  output logic [63:0]         cycles_o
);

  function automatic logic needs_key(input mf_rsa_pkg::entry_e entry);
    needs_key = entry inside {mf_rsa_pkg::EntryPrivate, mf_rsa_pkg::EntryPublic};
  endfunction

  logic                active_q, released_q;
  logic [15:0]         e_bits_q;
  mf_rsa_pkg::entry_e  entry_q;
  mf_rsa_pkg::status_e status_q, ending_q;
  assign status_o   = status_q;
  assign active_o   = active_q;
  assign e_bits_o   = e_bits_q;
  assign start_ok_o = e_bits_i <= Cfg.max_e_bits
                    && (e_bits_i != '0 || entry_i != mf_rsa_pkg::EntryPublic)
                    && (key_valid_o || !needs_key(entry_i));

  always_ff @(posedge clk_i) begin
    done_o <= 1'b0;
    if (rst_i || zeroize_i || alarm_i) begin
      active_q       <= !rst_i && (active_q || (alarm_i && !idle_i && !wipe_i));
      key_valid_o    <= 1'b0;
      result_valid_o <= 1'b0;
      released_q     <= 1'b0;
      status_q       <= rst_i ? mf_rsa_pkg::StatusNoKey
                      : zeroize_i ? mf_rsa_pkg::StatusZeroized
                      : late_i ? mf_rsa_pkg::StatusWatchdog : mf_rsa_pkg::StatusFault;
    end else if (idle_i) begin
      released_q <= 1'b0;
      ending_q   <= mf_rsa_pkg::StatusFault;
      entry_q    <= entry_i;
      e_bits_q   <= e_bits_i;
      active_q   <= start_i && start_ok_o;
      if (start_i || host_we_i) result_valid_o <= 1'b0;
      if (host_we_i && host_addr_i < Cfg.key_end) key_valid_o <= 1'b0;
      if (start_i) status_q <= mf_rsa_pkg::StatusFault; // until the operation ends
      if (start_i && !start_ok_o) begin
        done_o   <= 1'b1;
        status_q <= key_valid_o || !needs_key(entry_i) ? mf_rsa_pkg::StatusKey
                                                       : mf_rsa_pkg::StatusNoKey;
      end
    end else begin
      if (refused_i) ending_q <= mf_rsa_pkg::StatusKey;
      else if (need_fails_i) ending_q <= need_status_i;
      if (refused_i || need_fails_i) released_q <= 1'b0;
      else if (release_i) released_q <= 1'b1;
      if (halt_i) begin
        status_q       <= released_q ? mf_rsa_pkg::StatusOk : ending_q;
        result_valid_o <= released_q && needs_key(entry_q);
        if (entry_q == mf_rsa_pkg::EntryKey) key_valid_o <= released_q;
      end
      if (wipe_i) key_valid_o <= 1'b0;
      if (halt_i || (wipe_end_i && active_q)) begin
        done_o   <= 1'b1;
        active_q <= 1'b0;
      end
    end
    if (rst_i || zeroize_i || alarm_i || (idle_i && start_i)) cycles_o <= '0;
    else if (!idle_i && !wipe_i) cycles_o <= cycles_o + 64'd1;
  end

endmodule
