// SPDX-License-Identifier: Apache-2.0
/// One cycle of the bit-serial Montgomery loop: m <- (m + x_i * b + q * n) / 2, NumSteps times.
///
/// Source   [LIAO24] Algorithm 3 (plain) and section 3.4 (optimisations 1 and 2).
/// Model    modfab.models.mul_bit_serial.loop_steps.
/// Latency  combinational. Variant 2 with NumSteps 1 chooses the operand of a step in the cycle
///          before, so that a step is an addition of registers.
/// Assumes  b < n, n odd, m < 2n at a step's start; bn = b + n (read by Variant 2 only). The
///          product's first m_i is first_m_o of the cycle with first_i.
/// Ensures  every variant gives the same m after a whole step, below (2n + n + n) / 2 = 2n; within
///          a half step m < 3n. So m and every sum stay below 4n < 2^(NumBits + 2).
module mf_mul_bit_serial_step #(
  parameter int unsigned NumBits   = 256, // bits of the modulus, 16..4096
  parameter int unsigned Variant   = 2,   // 0 two dependent ifs, 1 m + d1 + d2, 2 one of four sums
  parameter int unsigned NumSteps  = 1,   // loop iterations in a cycle, 1..8
  parameter bit          HalfSteps = 0    // 1 (with Variant 0, NumSteps 1): one if per cycle
) (
  input  logic                clk_i,
  input  logic                first_i,   // the cycle before a product's first step:
  input  logic                first_x_i, // the multiplier's bit 0
  input  logic [NumBits-1:0]  first_b_i, // the multiplicand
  input  logic [NumBits+1:0]  m_i,
  input  logic [NumSteps:0]   x_i,    // bits of the multiplier, the first step's in bit 0
  input  logic [NumBits-1:0]  b_i,
  input  logic [NumBits-1:0]  n_i,
  input  logic [NumBits:0]    bn_i,
  input  logic                half_i, // with HalfSteps: 0 add b, 1 add n and halve
  output logic [NumBits+1:0]  m_o,
  output logic [NumBits+1:0]  first_m_o // m at the start
);

  localparam int unsigned SumBits = NumBits + 2;

  logic [SumBits-1:0] b, n, bn;
  logic [SumBits-1:0] m, sum;
  assign b  = SumBits'(b_i);
  assign n  = SumBits'(n_i);
  assign bn = SumBits'(bn_i);
  assign m_o = m;

  if (Variant == 2 && NumSteps == 1) begin : gen_ahead
    // The first step adds b from the operand register and n from m: 0 + b + n needs no sum.
    logic [SumBits-1:0] addend_q;
    logic [1:0]         low; // of the sum
    logic               q;   // quotient digit of the next step
    logic               unused_ahead;
    assign low       = m_i[1:0] + addend_q[1:0];
    assign q         = low[1] ^ (x_i[1] & b_i[0]);
    assign sum       = m_i + addend_q;
    assign m         = sum >> 1;
    assign first_m_o = first_x_i && first_b_i[0] ? n : '0; // ct-ok: a mux
    always_ff @(posedge clk_i) begin
      if (first_i) begin
        addend_q <= first_x_i ? SumBits'(first_b_i) : '0; // ct-ok: a mux
      end else begin
        unique case ({x_i[1], q})                         // ct-ok: a four-way mux
          2'b00:   addend_q <= '0;
          2'b01:   addend_q <= n;
          2'b10:   addend_q <= b;
          default: addend_q <= bn;
        endcase
      end
    end
    assign unused_ahead = ^{x_i[0], half_i, low[0]};
  end else if (HalfSteps) begin : gen_half
    logic unused_half;
    assign first_m_o   = '0;
    assign unused_half = ^{bn, clk_i, first_i, first_x_i, first_b_i, x_i[1]};
    always_comb begin
      sum = m_i + (half_i ? (m_i[0] ? n : '0) : (x_i[0] ? b : '0)); // ct-ok: muxes
      m   = half_i ? sum >> 1 : sum;
    end
  end else begin : gen_whole
    logic [SumBits-1:0] addend;
    logic               q; // quotient digit: makes m + x_i * b + q * n even
    logic               unused_whole;
    assign first_m_o    = '0;
    assign unused_whole = ^{bn, half_i, addend, q, clk_i, first_i, first_x_i, first_b_i,
                            x_i[NumSteps]};
    always_comb begin
      m      = m_i;
      sum    = '0;
      addend = '0;
      q      = 1'b0;
      for (int unsigned i = 0; i < NumSteps; i++) begin
        q = m[0] ^ (x_i[i] & b_i[0]);
        if (Variant == 0) begin
          sum = m + (x_i[i] ? b : '0);        // ct-ok: a mux
          sum = sum + (sum[0] ? n : '0);      // ct-ok: a mux
        end else if (Variant == 1) begin
          sum = m + (x_i[i] ? b : '0) + (q ? n : '0); // ct-ok: muxes
        end else begin
          unique case ({x_i[i], q})           // ct-ok: a four-way mux
            2'b00:   addend = '0;
            2'b01:   addend = n;
            2'b10:   addend = b;
            default: addend = bn;
          endcase
          sum = m + addend;
        end
        m = sum >> 1;
      end
    end
  end

endmodule
