// SPDX-License-Identifier: Apache-2.0
/// One product by repeated addition: for every bit of a, m <- m + a_i * t mod n, t <- 2 * t mod n.
///
/// Source   [LIAO24] Algorithm 2; its pragmas UNROLL (BitsPerStep) and PIPELINE (ClocksPerStep).
/// Model    modfab.models.mul_mod_product.loop_steps.
/// Latency  ClocksPerStep * ceil(NumBits / BitsPerStep) cycles after start_i.
/// Assumes  a, b < n; n steady while the lane runs; start_i only while it does not.
/// Ensures  result_o = a * b mod n from the cycle after last_o until the next start_i. m and t stay
///          below n after every step, so every sum is below 2n < 2^(NumBits + 1).
module mf_mul_mod_product_lane #(
  parameter int unsigned NumBits       = 256, // bits of the modulus, 16..4096
  parameter int unsigned BitsPerStep   = 1,   // unrolled loop steps: 1, 2, 4, 8
  parameter int unsigned ClocksPerStep = 1    // 1 or 2; 2 puts the subtraction behind a register
                                              // (BitsPerStep 1), or half of the bits in each cycle
) (
  input  logic               clk_i,
  input  logic               wipe_i,
  input  logic               start_i,
  input  logic [NumBits-1:0] a_i,
  input  logic [NumBits-1:0] b_i,
  input  logic [NumBits-1:0] mod_i,
  output logic               last_o,
  output logic [NumBits-1:0] result_o
);

  localparam int unsigned ScanBits  = (NumBits + BitsPerStep - 1) / BitsPerStep * BitsPerStep;
  localparam int unsigned NumCycles = ClocksPerStep * ScanBits / BitsPerStep;
  localparam bit          HalfSteps = ClocksPerStep == 2 && BitsPerStep == 1;
  localparam int unsigned NumSteps  = HalfSteps ? 1 : BitsPerStep / ClocksPerStep;
  localparam int unsigned SumBits   = NumBits + 1;
  localparam int unsigned CountBits = $clog2(NumCycles);

  typedef logic [SumBits-1:0] sum_t;
  logic                 run_q;
  logic [CountBits-1:0] count_q;
  logic [ScanBits-1:0]  x_q;      // bits of a still to come, the next one in bit 0
  sum_t                 m_q, t_q; // below 2n between the halves of a step, below n after it
  sum_t                 m, t;

  assign last_o   = run_q && count_q == CountBits'(NumCycles - 1);
  assign result_o = m_q[NumBits-1:0];

  function automatic sum_t reduced(input sum_t value, input logic [NumBits-1:0] modulus);
    logic [SumBits:0] difference;
    difference = {1'b0, value} - (SumBits+1)'(modulus);
    reduced = difference[SumBits] ? value : difference[SumBits-1:0]; // ct-ok: a mux
  endfunction

  if (HalfSteps) begin : gen_half
    assign m = count_q[0] ? reduced(m_q, mod_i) : m_q + (x_q[0] ? t_q : '0); // ct-ok: muxes
    assign t = count_q[0] ? reduced(t_q, mod_i) : t_q << 1;
  end else begin : gen_whole
    always_comb begin
      m = m_q;
      t = t_q;
      for (int unsigned i = 0; i < NumSteps; i++) begin
        m = reduced(m + (x_q[i] ? t : '0), mod_i); // ct-ok: a mux
        t = reduced(t << 1, mod_i);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (wipe_i) run_q <= 1'b0;
    else if (start_i) run_q <= 1'b1;
    else if (last_o) run_q <= 1'b0;
    count_q <= start_i || wipe_i ? '0 : count_q + CountBits'(1);
    if (wipe_i) begin
      m_q <= '0;
      t_q <= '0;
      x_q <= '0;
    end else if (start_i) begin
      m_q <= '0;
      t_q <= sum_t'(b_i);
      x_q <= ScanBits'(a_i);
    end else if (run_q) begin
      m_q <= m;
      t_q <= t;
      if (!HalfSteps || count_q[0]) x_q <= x_q >> NumSteps;
    end
  end

endmodule
