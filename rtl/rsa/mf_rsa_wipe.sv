// SPDX-License-Identifier: Apache-2.0
/// The wipe of the RSA core, beside the words: the engines wipe twice, the second time when the
/// first one is over, so that no single fault leaves what they hold; and each word that was
/// overwritten is looked at.
///
/// Source   modfab.
/// Model    none: tests/rtl/test_rsa_faults.py has the cycles of a wipe.
/// Latency  units_o one cycle after start_i; end_o when the second wipe is over.
/// Assumes  data_i is the word of two cycles before; verified_i stays until end_o or start_i.
/// Ensures  end_o only after all words were 0 and two wipes of the engines, in one go.
module mf_rsa_wipe #(
  parameter mf_rsa_pkg::addr_t LastWord = 1 // of the memory, 1 or more
) (
  input  logic              clk_i,
  input  logic              start_i,    // wipe everything, from the beginning
  input  logic              writes_i,   // words are written, this one:
  input  mf_rsa_pkg::addr_t wr_addr_i,
  input  logic              verifies_i, // words are read, this one, which stays at the last:
  input  mf_rsa_pkg::addr_t rd_addr_i,
  input  logic [31:0]       data_i,     // of both copies
  input  logic              verified_i, // each was read
  input  logic              busy_i,     // engines
  output logic              written_o,  // this is the last word
  output logic              read_o,     // this is the last word
  output logic              units_o,    // zeroize of the engines
  output logic              dirty_o,    // a word was not 0
  output logic              end_o
);

  typedef mf_rsa_pkg::addr_t addr_t;
  logic       written_q, read_q;
  logic       units_q, busy_q, nonzero_q, dirty_q, once;
  logic [2:0] twice_q; // [k]: the second wipe was asked for k + 1 cycles ago, or more
  assign once      = verified_i && !dirty_q && !busy_q;
  assign written_o = written_q;
  assign read_o    = read_q;
  assign units_o   = units_q;
  assign dirty_o   = verified_i && dirty_q;
  assign end_o     = once && twice_q[2]; // busy_q has seen the second one

  always_ff @(posedge clk_i) begin
    units_q   <= start_i || (writes_i && wr_addr_i == '0) // one may be lost
                 || (once && !twice_q[0]);
    written_q <= writes_i && !start_i && wr_addr_i == LastWord - addr_t'(1);
    read_q    <= verifies_i && !start_i && !end_o
                 && (rd_addr_i == LastWord || rd_addr_i == LastWord - addr_t'(1));
    busy_q    <= busy_i;
    nonzero_q <= verifies_i && data_i != '0;
    dirty_q   <= verifies_i && !start_i && (dirty_q || nonzero_q);
    twice_q   <= verifies_i && !start_i && !end_o ? {twice_q[1:0], twice_q[0] || once} : '0;
  end

endmodule
