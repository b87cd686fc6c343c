// SPDX-License-Identifier: Apache-2.0
/// Proof obligations of mf_mul_mul_mod_lane at a small width, without hard multipliers: invariants
/// of the multiplication and of the division, and that it ends with the product in time.
///
/// Source   modfab.
/// Model    none: properties only.
/// Latency  none.
/// Assumes  a, b < n, n steady; start only while the lane does not run; one cycle of wipe first.
/// Ensures  after k digits {hi, product digits of lo} = (a mod 2^(k * DigitBits)) * b with hi <= b;
///          after k bits of the division hi = (a * b >> (LoBits - k)) mod n.
module mf_mul_mul_mod_lane_fv #(
  parameter int unsigned NumBits         = 5,
  parameter int unsigned DigitBits       = 1,
  parameter int unsigned DivBitsPerClock = 1
) (
  input logic               clk_i,
  input logic               wipe_i,
  input logic               start_i,
  input logic [NumBits-1:0] a_i,
  input logic [NumBits-1:0] b_i,
  input logic [NumBits-1:0] mod_i
);

  localparam int unsigned GroupBits =
    DigitBits % DivBitsPerClock == 0 ? DigitBits : DigitBits * DivBitsPerClock;
  localparam int unsigned LoBits    = (NumBits + GroupBits - 1) / GroupBits * GroupBits;
  localparam int unsigned MulCycles = LoBits / DigitBits;
  localparam int unsigned NumCycles = MulCycles + LoBits / DivBitsPerClock;
  localparam int unsigned WideBits  = 2 * LoBits + 2;
  typedef logic [WideBits-1:0] wide_t;

  logic [NumBits-1:0] result;
  logic               last;
  mf_mul_mul_mod_lane #(
    .NumBits(NumBits), .UseDsp(0), .DigitBits(DigitBits), .DivBitsPerClock(DivBitsPerClock)
  ) dut (
    .clk_i, .wipe_i, .start_i, .a_i, .b_i, .mod_i, .last_o(last), .result_o(result)
  );

  // ---- operands of the lane, cycles since its start ----
  logic [NumBits-1:0] a_q, b_q, n_q;
  logic [7:0]         cycles_q;       // since the start
  logic               live_q, running_q, ended_q;
  initial live_q = 1'b0;
  always_ff @(posedge clk_i) begin
    live_q    <= live_q || wipe_i;
    running_q <= !wipe_i && (start_i || (running_q && cycles_q != 8'(NumCycles - 1)));
    ended_q   <= !wipe_i && !start_i && (ended_q || (running_q && cycles_q == 8'(NumCycles - 1)));
    cycles_q  <= start_i ? '0 : cycles_q + 8'd1;
    if (start_i) begin
      a_q <= a_i;
      b_q <= b_i;
      n_q <= mod_i;
    end
  end

  // ---- the invariants ----
  logic       dividing;
  logic [7:0] mul_bits, div_bits;      // bits of a, and of the product's lower half, that are done
  wide_t      hi, lo, product, partial;
  assign dividing = cycles_q >= 8'(MulCycles);
  assign mul_bits = 8'(cycles_q * DigitBits);
  assign div_bits = 8'((cycles_q - 8'(MulCycles)) * DivBitsPerClock);
  assign hi       = wide_t'(dut.hi_q);
  assign lo       = wide_t'(dut.lo_q);
  assign product  = wide_t'(a_q) * wide_t'(b_q);
  assign partial  = (wide_t'(a_q) & ((wide_t'(1) << mul_bits) - wide_t'(1))) * wide_t'(b_q);

  always_comb begin
    if (!live_q) assume (wipe_i);
    if (start_i) assume (!running_q && a_i < mod_i && b_i < mod_i);
    if (live_q && (running_q || ended_q)) assume (mod_i == n_q);
    if (live_q) begin
      same_run: assert ((dut.state_q != 2'd0) == running_q && dut.state_q != 2'd3);
      if (running_q || ended_q) given: assert (a_q < n_q && b_q < n_q);
      if (running_q) begin
        in_time: assert (cycles_q < 8'(NumCycles));
        ends:    assert (last == (cycles_q == 8'(NumCycles - 1)));
        phase:   assert ((dut.state_q == 2'd2) == dividing);
        counter: assert (8'(dut.count_q) == (dividing ? cycles_q - 8'(MulCycles) : cycles_q));
        factor:  assert (dut.b_q == b_q);
        if (!dividing) begin
          bound:    assert (hi <= wide_t'(b_q));
          digits:   assert ((hi << mul_bits | lo >> (8'(LoBits) - mul_bits)) == partial);
          to_come:  assert ((lo & ((wide_t'(1) << (8'(LoBits) - mul_bits)) - wide_t'(1)))
                            == wide_t'(a_q) >> mul_bits);
        end else begin
          rest:     assert (hi == (product >> (8'(LoBits) - div_bits)) % wide_t'(n_q));
          bits_left: assert (lo == (product << div_bits & ((wide_t'(1) << LoBits) - wide_t'(1))));
        end
      end
      if (ended_q) remainder: assert (wide_t'(result) == product % wide_t'(n_q));
    end
  end

endmodule
