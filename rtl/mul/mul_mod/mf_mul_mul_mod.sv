// SPDX-License-Identifier: Apache-2.0
/// Multiply, then divide: p = a * b mod n by a full product and its remainder, R = 1: the baseline.
///
/// Source   [LIAO24] Algorithm 1 and Table 1; deviations D1..D3 in README.md beside this file.
/// Model    modfab.models.mul_mul_mod (same values, same cycles).
/// Latency  product: 2 cycles more than its lane, a pair 3; the rest as mf_mul_residue_ctrl.
///          Parameters only, never data.
/// Assumes  the engine contract (rtl/mul/README.md).
/// Ensures  the engine contract with R = 1; slots hold residues below n.
module mf_mul_mul_mod #(
  parameter int unsigned NumBits         = 256, // bits of the modulus, 16..4096
  parameter int unsigned NumSlots        = 8,   // slots, 8..128
  parameter int unsigned UseDsp          = 1,   // 1: mf_prim_mul, 0: rows of adders
  parameter int unsigned DigitBits       = 16,  // bits of a factor per cycle: 1, 2, 4, 8, 16
                                                // without, 16, 17, 18 with hard multipliers
  parameter int unsigned DivBitsPerClock = 1,   // bits of the quotient per cycle: 1, 2, 4
  parameter int unsigned NumLanes        = 1    // products at a time: 1 or 2
) (
  input  logic              clk_i,
  input  logic              rst_i,       // synchronous; clears control, then the wipe clears data
  input  logic              zeroize_i,

  input  logic              cmd_valid_i,
  output logic              cmd_ready_o,
  input  mf_pkg::cmd_t      cmd_i,

  input  logic              in_valid_i,
  output logic              in_ready_o,
  input  logic [31:0]       in_data_i,

  output logic              out_valid_o,
  input  logic              out_ready_i,
  output logic [31:0]       out_data_o,

  output logic              busy_o,
  output mf_pkg::status_e   status_o
);

  if (UseDsp > 1) begin : gen_check_dsp
    $error("mf_mul_mul_mod: UseDsp must be 0 or 1");
  end
  if (UseDsp != 0 ? !(DigitBits inside {16, 17, 18})
                  : !(DigitBits inside {1, 2, 4, 8, 16})) begin : gen_check_digit
    $error("mf_mul_mul_mod: DigitBits must be 16, 17, 18 with UseDsp, 1, 2, 4, 8, 16 without");
  end
  if (!(DivBitsPerClock inside {1, 2, 4})) begin : gen_check_division
    $error("mf_mul_mul_mod: DivBitsPerClock must be 1, 2 or 4");
  end

  logic                             wipe;
  logic [NumLanes-1:0]              start, last;
  logic [NumBits-1:0]               a, b, modulus;
  logic [NumLanes-1:0][NumBits-1:0] result;

  mf_mul_residue_ctrl #(.NumBits(NumBits), .NumSlots(NumSlots), .NumLanes(NumLanes)) u_plain (
    .clk_i, .rst_i, .zeroize_i,
    .cmd_valid_i, .cmd_ready_o, .cmd_i,
    .in_valid_i, .in_ready_o, .in_data_i,
    .out_valid_o, .out_ready_i, .out_data_o,
    .busy_o, .status_o,
    .wipe_o   (wipe),
    .start_o  (start),
    .a_o      (a),
    .b_o      (b),
    .mod_o    (modulus),
    .last_i   (last[0]),
    .result_i (result)
  );

  for (genvar i = 0; i < NumLanes; i++) begin : gen_lane
    mf_mul_mul_mod_lane #(
      .NumBits(NumBits), .UseDsp(UseDsp), .DigitBits(DigitBits),
      .DivBitsPerClock(DivBitsPerClock)
    ) u_lane (
      .clk_i,
      .wipe_i   (wipe),
      .start_i  (start[i]),
      .a_i      (a),
      .b_i      (b),
      .mod_i    (modulus),
      .last_o   (last[i]),
      .result_o (result[i])
    );
  end
  if (NumLanes == 2) begin : gen_unused
    logic unused_last; // lane 1 ends one cycle after lane 0
    assign unused_last = last[1];
  end

endmodule
