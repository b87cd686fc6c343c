// SPDX-License-Identifier: Apache-2.0
/// One product the long way: the whole of a * b, digit by digit, then its remainder by restoring
/// division. Both halves share two registers: {hi, lo} shifts right while digits of the product
/// enter, and left while the remainder takes them back.
///
/// Source   [LIAO24] Algorithm 1, the baseline; any text on restoring division.
/// Model    modfab.models.mul_mul_mod.
/// Latency  LoBits / DigitBits + PipeStages + LoBits / DivBitsPerClock cycles after start_i. LoBits
///          is NumBits rounded up to a multiple of DigitBits, or of DigitBits * DivBitsPerClock
///          where DivBitsPerClock does not divide DigitBits; PipeStages is 3 with UseDsp, else 0.
/// Assumes  a, b < n; n steady while the lane runs; start_i only while it does not.
/// Ensures  result_o = a * b mod n from the cycle after last_o until the next start_i. While it
///          multiplies hi <= b: (b + (2^DigitBits - 1) * b) / 2^DigitBits = b. So hi < n when the
///          division starts, and it needs LoBits steps instead of twice as many.
module mf_mul_mul_mod_lane #(
  parameter int unsigned NumBits         = 256, // bits of the modulus, 16..4096
  parameter int unsigned UseDsp          = 1,   // 1 hard multipliers, 0 adders
  parameter int unsigned DigitBits       = 16,  // bits of a per cycle of the multiplication
  parameter int unsigned DivBitsPerClock = 1    // bits per cycle of the division: 1, 2, 4
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

  localparam int unsigned PipeStages = UseDsp != 0 ? 3 : 0;
  localparam int unsigned GroupBits  =
    DigitBits % DivBitsPerClock == 0 ? DigitBits : DigitBits * DivBitsPerClock;
  localparam int unsigned LoBits     = (NumBits + GroupBits - 1) / GroupBits * GroupBits;
  localparam int unsigned MulCycles  = LoBits / DigitBits + PipeStages;
  localparam int unsigned DivCycles  = LoBits / DivBitsPerClock;
  localparam int unsigned CountBits  = $clog2(MulCycles > DivCycles ? MulCycles : DivCycles);
  localparam int unsigned SumBits    = NumBits + DigitBits;

  typedef enum logic [1:0] {StStop, StMul, StDiv} state_e;
  state_e               state_q;
  logic [CountBits-1:0] count_q;
  logic [NumBits-1:0]   hi_q, b_q; // top of the product, then the remainder; the factor b
  logic [LoBits-1:0]    lo_q;      // digits of a still to come below digits of the product
  logic                 mul_last, div_last;

  assign mul_last = state_q == StMul && count_q == CountBits'(MulCycles - 1);
  assign div_last = state_q == StDiv && count_q == CountBits'(DivCycles - 1);
  assign last_o   = div_last;
  assign result_o = hi_q;

  // ---- multiplication: sum <= b * 2^DigitBits < 2^SumBits ----
  logic [SumBits-1:0] row, sum;
  logic               filling; // the multipliers still hold what came before
  mf_mul_mul_mod_row #(
    .NumBits(NumBits), .UseDsp(UseDsp), .DigitBits(DigitBits), .Stages(3)
  ) u_row (
    .clk_i,
    .digit_i (lo_q[DigitBits-1:0]),
    .b_i     (b_q),
    .p_o     (row)
  );
  assign sum = SumBits'(hi_q) + row;
  if (PipeStages == 0) begin : gen_no_fill
    assign filling = 1'b0;
  end else begin : gen_fill
    assign filling = count_q < CountBits'(PipeStages);
  end

  // ---- division: the remainder stays below n, so the shifted one is below 2n ----
  logic [NumBits-1:0] rest;
  always_comb begin
    logic [NumBits+1:0] difference;
    rest = hi_q;
    for (int unsigned i = 0; i < DivBitsPerClock; i++) begin
      difference = {1'b0, rest, lo_q[LoBits-1-i]} - (NumBits+2)'(mod_i);
      rest = difference[NumBits+1] ? {rest[NumBits-2:0], lo_q[LoBits-1-i]} // ct-ok: a mux
                                   : difference[NumBits-1:0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (wipe_i) state_q <= StStop;
    else if (start_i) state_q <= StMul;
    else if (mul_last) state_q <= StDiv;
    else if (div_last) state_q <= StStop;
    count_q <= start_i || wipe_i || mul_last ? '0 : count_q + CountBits'(1);
    if (wipe_i) begin // at least 8 cycles: zeros reach the end of the multipliers' pipeline
      hi_q <= '0;
      lo_q <= '0;
      b_q  <= '0;
    end else if (start_i) begin
      hi_q <= '0;
      lo_q <= LoBits'(a_i);
      b_q  <= b_i;
    end else if (state_q == StMul) begin
      hi_q <= filling ? '0 : sum[SumBits-1:DigitBits];
      lo_q <= LoBits'({sum[DigitBits-1:0], lo_q} >> DigitBits);
    end else if (state_q == StDiv) begin
      hi_q <= rest;
      lo_q <= lo_q << DivBitsPerClock;
    end
  end

endmodule
