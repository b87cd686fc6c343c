// SPDX-License-Identifier: Apache-2.0
/// Inverse of q modulo p by Euclid's extended algorithm, divisions by shift and subtraction.
///
/// A division moves the divisor and its cofactor x0 up until the divisor exceeds the dividend, then
/// down again, subtracting both from the dividend and its cofactor x1 where the divisor fits. So
/// x1 - a * x0 needs no product. Then the pairs are exchanged.
///
/// Source   [LIAO24] Algorithm 6 without its misprint. Not for keys: README.md beside this file.
/// Model    modfab.models.paper_crt.inverse.
/// Latency  start_i to done_o: 2 cycles, for each division 1 where the quotient is 0 and 2 n + 2
///          where it has n bits. Data dependent; modfab.models.paper_crt.inverse_bound bounds it.
/// Assumes  p_i and q_i below 2^NumBits and stable from start_i on.
/// Ensures  while done_o: found_o = (gcd(p, q) = 1), and then 0 <= inverse_o < p for p > 1.
module mf_liao_chen_inverse #(
  parameter int unsigned NumBits = 128 // bits of p and q
) (
  input  logic               clk_i,
  input  logic               rst_i,
  input  logic               start_i,   // pulse; ends what runs
  input  logic [NumBits-1:0] p_i,
  input  logic [NumBits-1:0] q_i,
  output logic               done_o,    // stays high
  output logic               found_o,
  output logic [NumBits-1:0] inverse_o
);

  localparam int unsigned CountBits = $clog2(NumBits + 2);

  // Cofactors are at most p in size, a shifted one below 2 * p: one more bit, and the sign.
  typedef logic signed [NumBits+1:0] cofactor_t;
  typedef enum logic [1:0] {StIdle, StUp, StDown, StSign} state_e;

  state_e               state_q;
  logic [NumBits-1:0]   dividend_q;
  logic [NumBits:0]     divisor_q;  // shifted: below 2 * dividend
  cofactor_t            x0_q, x1_q; // of the divisor, of the dividend
  logic [CountBits-1:0] shift_q;    // places that the divisor is moved up

  // Down, the divisor is compared after its shift.
  logic [NumBits:0] tried;
  cofactor_t        tried_x0;
  logic             fits;
  assign tried    = state_q == StDown ? divisor_q >> 1 : divisor_q;
  assign tried_x0 = x0_q >>> 1;
  assign fits     = {1'b0, dividend_q} >= tried;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StIdle;
    end else if (start_i) begin
      state_q <= StUp;
    end else begin
      unique case (state_q)
        StUp:
          if (divisor_q == '0) state_q <= StSign;
          else if (!fits && shift_q != '0) state_q <= StDown;
        StDown:  if (shift_q == CountBits'(1)) state_q <= StUp;
        default: state_q <= StIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      dividend_q <= q_i;
      divisor_q  <= {1'b0, p_i};
      x0_q       <= '0;
      x1_q       <= cofactor_t'(1);
      shift_q    <= '0;
    end else begin
      unique case (state_q)
        StUp:
          if (divisor_q == '0) begin // the dividend is the greatest common divisor
          end else if (fits) begin
            divisor_q <= divisor_q << 1;
            x0_q      <= x0_q <<< 1;
            shift_q   <= shift_q + CountBits'(1);
          end else if (shift_q == '0) begin
            dividend_q <= NumBits'(divisor_q);
            divisor_q  <= {1'b0, dividend_q};
            x0_q       <= x1_q;
            x1_q       <= x0_q;
          end
        StDown: begin
          if (fits) begin
            dividend_q <= dividend_q - NumBits'(tried);
            x1_q       <= x1_q - tried_x0;
          end
          divisor_q <= tried;
          x0_q      <= tried_x0;
          shift_q   <= shift_q - CountBits'(1);
        end
        StSign:  if (x1_q < 0) x1_q <= x1_q + cofactor_t'({2'b0, p_i});
        default: ;
      endcase
    end
  end

  assign done_o    = state_q == StIdle;
  assign found_o   = dividend_q == NumBits'(1);
  assign inverse_o = NumBits'(unsigned'(x1_q));

endmodule
