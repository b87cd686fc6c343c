// SPDX-License-Identifier: Apache-2.0
/// Full product of two words: one 32-bit multiplier, or four of them for 64 bits.
///
/// Source   [QURESHI08] section 4.1, and section 5 for 64 bits.
/// Model    p = a * b.
/// Latency  MulStages + 2 * log2(WordBits / 16) cycles.
/// Assumes  nothing.
/// Ensures  p_o is the product of the operands that many cycles before, exactly.
module mf_mul_sos_mult #(
  parameter int unsigned WordBits  = 32, // bits of a factor: 32 or 64
  parameter int unsigned MulStages = 2,  // register stages of one 16 x 16 multiplier, 1..4
  parameter bit          DspAdd    = 0   // 1: sums in DSP blocks, with WordBits 32
) (
  input  logic                  clk_i,
  input  logic [WordBits-1:0]   a_i,
  input  logic [WordBits-1:0]   b_i,
  output logic [2*WordBits-1:0] p_o
);

  if (WordBits == 32) begin : gen_one
    mf_mul_sos_mult32 #(.MulStages(MulStages), .DspAdd(DspAdd)) u_mul (.clk_i, .a_i, .b_i, .p_o);
  end else begin : gen_four
    logic [3:0][63:0] part; // bit 0 of the index: high half of a; bit 1: high half of b
    for (genvar i = 0; i < 4; i++) begin : gen_part
      mf_mul_sos_mult32 #(.MulStages(MulStages)) u_mul (
        .clk_i,
        .a_i (a_i[32*(i%2)+:32]),
        .b_i (b_i[32*(i/2)+:32]),
        .p_o (part[i])
      );
    end
    mf_mul_sos_join #(.WordBits(64)) u_join (
      .clk_i, .low_i(part[0]), .mid0_i(part[1]), .mid1_i(part[2]), .high_i(part[3]), .p_o);
  end

endmodule
