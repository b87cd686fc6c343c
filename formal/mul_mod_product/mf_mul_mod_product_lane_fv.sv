// SPDX-License-Identifier: Apache-2.0
/// Proof obligations of mf_mul_mod_product_lane at a small width: its loop invariant, its bounds,
/// and that it ends with the product after exactly the cycles that its header promises.
///
/// Source   modfab.
/// Model    none: properties only.
/// Latency  none.
/// Assumes  a, b < n, n steady; start only while the lane does not run; one cycle of wipe first.
/// Ensures  after k bits m = (a mod 2^k) * b mod n and t = 2^k * b mod n.
module mf_mul_mod_product_lane_fv #(
  parameter int unsigned NumBits       = 5,
  parameter int unsigned BitsPerStep   = 1,
  parameter int unsigned ClocksPerStep = 1
) (
  input logic               clk_i,
  input logic               wipe_i,
  input logic               start_i,
  input logic [NumBits-1:0] a_i,
  input logic [NumBits-1:0] b_i,
  input logic [NumBits-1:0] mod_i
);

  localparam int unsigned ScanBits  = (NumBits + BitsPerStep - 1) / BitsPerStep * BitsPerStep;
  localparam int unsigned NumCycles = ClocksPerStep * ScanBits / BitsPerStep;
  localparam bit          HalfSteps = ClocksPerStep == 2 && BitsPerStep == 1;
  localparam int unsigned PerClock  = HalfSteps ? 1 : BitsPerStep / ClocksPerStep;
  localparam int unsigned WideBits  = 2 * ScanBits + 1;
  typedef logic [WideBits-1:0] wide_t;

  logic [NumBits-1:0] result;
  logic               last;
  mf_mul_mod_product_lane #(
    .NumBits(NumBits), .BitsPerStep(BitsPerStep), .ClocksPerStep(ClocksPerStep)
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

  // ---- the invariant ----
  logic [7:0] bits;                    // bits of a that are done
  wide_t      n, m_value, t_value, m_sum;
  logic       half;                    // between addition and subtraction
  assign half    = HalfSteps && cycles_q[0];
  assign bits    = HalfSteps ? cycles_q >> 1 : 8'(cycles_q * PerClock);
  assign n       = wide_t'(n_q);
  assign m_value = (wide_t'(a_q) & ((wide_t'(1) << bits) - wide_t'(1))) * wide_t'(b_q) % n;
  assign t_value = (wide_t'(b_q) << bits) % n;
  assign m_sum   = m_value + (wide_t'(a_q) >> bits & wide_t'(1)) * t_value;

  always_comb begin
    if (!live_q) assume (wipe_i);
    if (start_i) assume (!running_q && a_i < mod_i && b_i < mod_i);
    if (live_q && (running_q || ended_q)) assume (mod_i == n_q);
    if (live_q) begin
      same_run: assert (dut.run_q == running_q);
      if (running_q || ended_q) given: assert (a_q < n_q && b_q < n_q);
      if (running_q) begin
        in_time: assert (cycles_q < 8'(NumCycles) && 8'(dut.count_q) == cycles_q);
        ends:    assert (last == (cycles_q == 8'(NumCycles - 1)));
        scan:    assert (wide_t'(dut.x_q) == wide_t'(a_q) >> bits);
        sum:     assert (wide_t'(dut.m_q) == (half ? m_sum : m_value));
        shifted: assert (wide_t'(dut.t_q) == (half ? t_value << 1 : t_value));
      end
      if (ended_q) product: assert (wide_t'(result) == wide_t'(a_q) * wide_t'(b_q) % n);
    end
  end

endmodule
