// SPDX-License-Identifier: Apache-2.0
/// Product of one digit and a whole factor, from hard multipliers or from rows of adders.
///
/// Source   [LIAO24] section 3.1: the baseline with and without DSP blocks.
/// Model    p = digit * b.
/// Latency  UseDsp 1: Stages cycles; UseDsp 0: combinational.
/// Assumes  nothing.
/// Ensures  p_o is exact, below 2^(NumBits + DigitBits).
module mf_mul_mul_mod_row #(
  parameter int unsigned NumBits   = 256, // bits of b, 16..4096
  parameter int unsigned UseDsp    = 1,   // 1: one mf_prim_mul for every DigitBits bits of b
  parameter int unsigned DigitBits = 16,  // bits of the digit, 1..18
  parameter int unsigned Stages    = 3    // register stages of the multipliers, 1..8
) (
  input  logic                         clk_i,
  input  logic [DigitBits-1:0]         digit_i,
  input  logic [NumBits-1:0]           b_i,
  output logic [NumBits+DigitBits-1:0] p_o
);

  localparam int unsigned ProductBits = NumBits + DigitBits;

  if (UseDsp != 0) begin : gen_dsp
    localparam int unsigned NumCols = (NumBits + DigitBits - 1) / DigitBits;
    localparam int unsigned RowBits = (NumCols + 1) * DigitBits;
    // Products of even columns do not overlap, nor do those of odd columns.
    logic [NumCols*DigitBits-1:0] b;
    logic [RowBits-1:0]           even, odd;
    logic [RowBits-1:0]           sum; // < 2^RowBits: it is the product of the padded factor
    assign b = (NumCols*DigitBits)'(b_i);
    for (genvar j = 0; j < NumCols; j++) begin : gen_col
      logic [2*DigitBits-1:0] p;
      mf_prim_mul #(.WidthA(DigitBits), .WidthB(DigitBits), .Stages(Stages)) u_mul (
        .clk_i,
        .a_i (digit_i),
        .b_i (b[j*DigitBits +: DigitBits]),
        .p_o (p)
      );
      if (j % 2 == 0) begin : gen_even
        assign even[j*DigitBits +: 2*DigitBits] = p;
      end else begin : gen_odd
        assign odd[j*DigitBits +: 2*DigitBits] = p;
      end
    end
    // Digits outside the columns: one at an end of either vector, or at both.
    assign odd[0 +: DigitBits] = '0;
    if (NumCols % 2 == 0) begin : gen_even_end
      assign even[RowBits-DigitBits +: DigitBits] = '0;
    end else begin : gen_odd_end
      assign odd[RowBits-DigitBits +: DigitBits] = '0;
    end
    assign sum = even + odd;
    assign p_o = ProductBits'(sum); // the bits above are zero, as b_i has NumBits bits
    if (RowBits > ProductBits) begin : gen_unused
      logic unused_sum;
      assign unused_sum = ^sum[RowBits-1:ProductBits];
    end
  end else begin : gen_fabric
    logic unused_clk;
    assign unused_clk = clk_i;
    always_comb begin
      p_o = '0;
      for (int unsigned i = 0; i < DigitBits; i++) begin
        p_o = p_o + (digit_i[i] ? ProductBits'(b_i) << i : '0); // ct-ok: a mux
      end
    end
  end

endmodule
