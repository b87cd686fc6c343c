// SPDX-License-Identifier: Apache-2.0
/// What a port sees of the array: the head of an array outside, or a folded array in here.
///
/// Source   modfab.
/// Model    modfab.models.mul_qp_systolic, modfab.models.mul_qp_systolic_fold.
/// Latency  that of mf_mul_qp_systolic_head or of mf_mul_qp_systolic_fold.
/// Assumes  likewise.
/// Ensures  likewise.
module mf_mul_qp_systolic_front #(
  parameter int unsigned NumDigits   = 59, // digits of an operand
  parameter int unsigned ModDigits   = 57, // digits of the modulus, and of a value from outside
  parameter int unsigned NumSteps    = 61, // steps of a product
  parameter int unsigned NumElements = 0,  // elements of a folded array; 0: not folded
  parameter int unsigned DigitBits   = 18, // bits of a digit, w
  parameter int unsigned NumSlots    = 8,  // slots
  parameter int unsigned SlotBase    = 0,  // slot 0 in the memories of the array outside
  parameter int unsigned QuotientDelay = 1, // as the array's
  parameter int unsigned MulStages   = 3,  // likewise
  localparam int unsigned SlotBits   = $clog2(NumSlots),
  localparam int unsigned IndexBits  = $clog2(NumDigits + 1)
) (
  input  logic                           clk_i,
  input  logic                           rst_i,
  input  logic                           start_i,
  input  logic                           two_i,
  input  logic [SlotBits-1:0]            x0_i,
  input  logic [SlotBits-1:0]            x1_i,
  input  logic                           outside_i,
  input  logic                           shift_i,
  input  logic                           mh_i,
  input  logic [SlotBits-1:0]            y_i,
  input  logic                           y_unit_i,
  input  logic [SlotBits-1:0]            dst0_i,
  input  logic [SlotBits-1:0]            dst1_i,
  output logic [IndexBits-1:0]           place_o,
  input  logic [DigitBits-1:0]           digit_i,
  input  logic                           rd_i,
  input  logic [SlotBits-1:0]            slot_i,
  input  logic [IndexBits-1:0]           index_i,
  output logic [DigitBits-1:0]           digit_o,
  input  logic                           wipe_i,
  input  logic                           wipe_slot_i,
  input  logic [SlotBits+IndexBits-1:0]  wipe_addr_i,
  output mf_mul_qp_systolic_pkg::token_t token_o,
  input  logic [DigitBits-1:0]           left_i
);

  if (NumElements == 0) begin : gen_full
    mf_mul_qp_systolic_head #(
      .NumDigits(NumDigits), .ModDigits(ModDigits), .NumSteps(NumSteps), .DigitBits(DigitBits),
      .NumSlots(NumSlots), .SlotBase(SlotBase), .QuotientDelay(QuotientDelay),
      .MulStages(MulStages)
    ) u_head (.*);
  end else begin : gen_folded
    mf_mul_qp_systolic_fold #(
      .NumDigits(NumDigits), .ModDigits(ModDigits), .NumElements(NumElements),
      .NumPasses(NumSteps / NumElements), .DigitBits(DigitBits), .NumSlots(NumSlots),
      .QuotientDelay(QuotientDelay), .MulStages(MulStages)
    ) u_fold (.*);
    logic unused_array; // the one outside
    assign token_o      = '0;
    assign unused_array = ^{left_i, wipe_slot_i};
  end

endmodule
