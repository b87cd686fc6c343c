// SPDX-License-Identifier: Apache-2.0
/// Controls the wipe of the RSA core: ends of the write and read addresses, the check that every
/// word reads as 0, and two wipes of the engines. The second one starts when the first one and the
/// check are over, so a single flip in either leaves nothing of the engines' contents. An engine
/// whose wipe ends too early, for example with a bit of its count held, is told from its length.
///
/// Source   modfab.
/// Model    none: tests/rtl/test_rsa_faults.py has the cycles of a wipe.
/// Latency  units_o one cycle after start_i; end_o when the second wipe is over.
/// Assumes  data_i is the word of two cycles before; verified_i stays until end_o or start_i.
/// Ensures  end_o only after every word was read as 0 and the engines have wiped twice since
///          start_i, each for at least UnitWipe cycles; dirty_o otherwise.
module mf_rsa_wipe #(
  parameter mf_rsa_pkg::addr_t LastWord = 1, // of the memory, 1 or more
  parameter logic [15:0]       UnitWipe = 1, // cycles of an engine's wipe, 1 or more
  parameter int unsigned       NumUnits = 1
) (
  input  logic              clk_i,
  input  logic              start_i,    // the wipe starts, or starts again
  input  logic              writes_i,   // wr_addr_i is written
  input  mf_rsa_pkg::addr_t wr_addr_i,
  input  logic              verifies_i, // rd_addr_i is read; it stays at the last word
  input  mf_rsa_pkg::addr_t rd_addr_i,
  input  logic [31:0]       data_i,     // OR of both copies
  input  logic              verified_i, // every word was read
  input  logic [NumUnits-1:0] busy_i,   // of the engines
  output logic              written_o,  // wr_addr_i is the last word
  output logic              read_o,     // rd_addr_i is the last word
  output logic              units_o,    // zeroize of the engines
  output logic              dirty_o,    // a word was not 0, an engine wiped for too short a time
  output logic              end_o
);

  typedef mf_rsa_pkg::addr_t addr_t;
  logic       written_q, read_q;
  logic       units_q, busy_q, all_q, nonzero_q, dirty_q, short_q, first_done;
  logic [3:0] some_q; // a bit of each byte is set
  logic       waits_q, last_q; // the engines' wipe has to go on; all_q is of its last cycle
  localparam int unsigned CountBits = $clog2(32'(UnitWipe) + 2);
  logic [CountBits-1:0] left_q;
  logic [2:0] second_q; // [k]: the second wipe was requested k + 1 cycles ago, or earlier
  assign first_done = verified_i && !dirty_q && !short_q && !busy_q && !waits_q;
  assign written_o  = written_q;
  assign read_o     = read_q;
  assign units_o    = units_q;
  assign dirty_o    = verified_i && (dirty_q || short_q);
  assign end_o      = first_done && second_q[2]; // busy_q has seen the second one

  always_ff @(posedge clk_i) begin
    units_q   <= start_i || (writes_i && wr_addr_i == '0) // again, in case of a flip
                 || (first_done && !second_q[0]);
    written_q <= writes_i && !start_i && wr_addr_i == LastWord - addr_t'(1);
    read_q    <= verifies_i && !start_i
                 && (rd_addr_i == LastWord || rd_addr_i == LastWord - addr_t'(1));
    busy_q    <= busy_i != '0;
    all_q     <= busy_i == '1;
    left_q    <= units_q ? CountBits'(32'(UnitWipe) + 1)
               : left_q == '0 ? '0 : left_q - CountBits'(1);
    last_q    <= !units_q && left_q == CountBits'(2);
    waits_q   <= units_q || (waits_q && !last_q);
    short_q   <= !units_q && !end_o && (short_q || (last_q && !all_q));
    for (int unsigned i = 0; i < 4; i++) some_q[i] <= data_i[8*i +: 8] != '0;
    nonzero_q <= verifies_i && some_q != '0;
    dirty_q   <= verifies_i && !start_i && (dirty_q || nonzero_q);
    second_q  <= verifies_i && !start_i ? {second_q[1:0], second_q[0] || first_done} : '0;
  end

endmodule
