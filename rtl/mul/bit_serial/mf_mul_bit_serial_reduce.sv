// SPDX-License-Identifier: Apache-2.0
/// One conditional subtraction: m mod n for m < 2n, or m itself, or 0.
///
/// Source   [LIAO24] Algorithm 3, last step; a carry-select subtractor in two halves.
/// Model    modfab.models.mul_bit_serial (the end of a product, the doublings of a set-up).
/// Latency  combinational.
/// Assumes  m < 2n unless keep_i or wipe_i.
/// Ensures  m_o < n; with keep_i m_o is m_i without its top bit, with wipe_i 0.
module mf_mul_bit_serial_reduce #(
  parameter int unsigned NumBits = 256 // bits of the modulus, 16..4096
) (
  input  logic [NumBits:0]   m_i,
  input  logic [NumBits-1:0] n_i,
  input  logic               keep_i,
  input  logic               wipe_i,
  output logic [NumBits-1:0] m_o
);

  localparam int unsigned LowBits  = NumBits / 2;
  localparam int unsigned HighBits = NumBits - LowBits;

  // Two bits above m: no borrow out of 3 * 2^(NumBits + 1) + m - n makes its top bit 0.
  logic [LowBits:0]    low;                    // with its borrow
  logic [HighBits+2:0] m_high, n_high, above, below; // without and with a borrow from below
  logic                borrow, negative, below_zero;
  assign low      = {1'b0, m_i[LowBits-1:0]} - {1'b0, n_i[LowBits-1:0]};
  assign m_high   = {keep_i, keep_i, m_i[NumBits:LowBits]};
  assign n_high   = (HighBits+3)'(n_i[NumBits-1:LowBits]);
  assign above    = m_high - n_high;
  assign {below, below_zero} = {m_high, 1'b0} - {n_high, 1'b1};
  assign borrow   = low[LowBits];
  assign negative = borrow ? below[HighBits+2] : above[HighBits+2]; // ct-ok: muxes
  always_comb begin
    if (wipe_i)        m_o = '0;
    else if (negative) m_o = m_i[NumBits-1:0]; // ct-ok: muxes
    else               m_o = {borrow ? below[HighBits-1:0] : above[HighBits-1:0],
                              low[LowBits-1:0]};
  end

  logic unused_bits; // between the bits of a value and the sign
  assign unused_bits = &{1'b0, above, below, below_zero};

endmodule
