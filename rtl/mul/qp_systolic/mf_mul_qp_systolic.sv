// SPDX-License-Identifier: Apache-2.0
/// Quotient-pipelined systolic Montgomery engine: two products every 2T + MulStages + 1 cycles, or
/// fewer elements than digits and more cycles.
///
/// Source   modfab, after [ORUP95]; README.md beside this file has the derivation and the bounds.
/// Model    modfab.models.mul_qp_systolic (same values, same cycles).
/// Latency  modfab.catalog.mul_qp_systolic; product and pair as above when not folded.
/// Assumes  the engine contract (rtl/mul/README.md); operands are loaded after set-up.
/// Ensures  the engine contract with R = 2^(w * (T - 2G)), w = DigitBits, T = NumSteps,
///          G = QuotientDelay + 1. A slot holds v * 2^(w G) mod n for the integer v, below
///          2^(w G + 1) * n, in digits of w bits.
module mf_mul_qp_systolic #(
  parameter int unsigned NumBits   = 1024, // bits of the modulus, 64..8192
  parameter int unsigned NumSlots  = 8,    // slots, 8..128
  parameter int unsigned Contexts  = 2,    // lanes; 1: half of the cycles are idle
  parameter int unsigned DigitBits = 18,   // bits of a digit, 8..18
  parameter int unsigned NumElements = 0,  // elements, 1..NumDigits; 0: one a digit
  parameter int unsigned QuotientDelay = 1, // steps from a quotient digit to its product, 1 or 2
  parameter int unsigned MulStages = 3,    // registers of a product, 3 .. 2 * QuotientDelay + 1
  parameter int unsigned MinModBits = 0,   // a modulus is at least 2^MinModBits, 0..NumBits-1
  parameter int unsigned QuotientTables = 0, // 1: q * mh from tables in block RAM; not when folded
  parameter int unsigned Resume    = 0,    // 1: OpSetup b and OpLoad SlotR2, see README.md
  parameter int unsigned LoadSum   = 0,    // 1: OpLoad a0 adds a slot; not when folded
  parameter int unsigned FactorSlots = 0,  // slots legal as operand b: a power of two; 0: all slots
  parameter int unsigned TwoInTurn = 0     // 1: OpMul2 with one context, not when folded
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

  if (NumBits < 64 || NumBits > 8192) begin : gen_check_bits
    $error("mf_mul_qp_systolic: NumBits must be 64..8192");
  end
  if (NumSlots < 8 || NumSlots > 128) begin : gen_check_slots
    $error("mf_mul_qp_systolic: NumSlots must be 8..128");
  end
  if (DigitBits < 8 || DigitBits > 18) begin : gen_check_digit
    $error("mf_mul_qp_systolic: DigitBits must be 8..18");
  end

  if (Contexts < 1 || Contexts > 2) begin : gen_check_contexts
    $error("mf_mul_qp_systolic: Contexts must be 1 or 2");
  end

  if (Resume > 1) begin : gen_check_resume
    $error("mf_mul_qp_systolic: Resume must be 0 or 1");
  end

  localparam int unsigned ModDigits = (NumBits + DigitBits - 1) / DigitBits;
  localparam int unsigned NumDigits =
    (NumBits + (QuotientDelay + 1) * DigitBits + DigitBits) / DigitBits;

  if (NumElements > NumDigits) begin : gen_check_elements
    $error("mf_mul_qp_systolic: NumElements must be 0..%0d", NumDigits);
  end
  if (QuotientDelay < 1 || QuotientDelay > 2) begin : gen_check_delay
    $error("mf_mul_qp_systolic: QuotientDelay must be 1 or 2");
  end
  if (NumElements != 0 && NumElements < NumDigits
      && (NumElements < QuotientDelay || MulStages > QuotientDelay + 2)) begin : gen_check_folded
    $error("mf_mul_qp_systolic: folded, NumElements must be %0d or more and MulStages 3..%0d",
           QuotientDelay, QuotientDelay + 2);
  end
  if (MulStages < 3 || MulStages > 2 * QuotientDelay + 1) begin : gen_check_stages
    $error("mf_mul_qp_systolic: MulStages must be 3..%0d", 2 * QuotientDelay + 1);
  end
  if (MinModBits >= NumBits) begin : gen_check_min
    $error("mf_mul_qp_systolic: MinModBits must be below NumBits");
  end

  localparam int unsigned TableBits   = mf_mul_qp_systolic_pkg::table_bits(DigitBits);
  localparam int unsigned TableDigits = QuotientTables == 0 ? 0
    : (NumBits + TableBits + DigitBits - 1) / DigitBits;

  if (QuotientTables > 1 || (QuotientTables == 1 && NumElements != 0
                             && NumElements < NumDigits)) begin : gen_check_tables
    $error("mf_mul_qp_systolic: QuotientTables must be 0 or 1, and 0 when folded");
  end

  if (LoadSum > 1 || (LoadSum == 1 && NumElements != 0
                      && NumElements < NumDigits)) begin : gen_check_sum
    $error("mf_mul_qp_systolic: LoadSum must be 0 or 1, and 0 when folded");
  end

  if (TwoInTurn > 1 || (TwoInTurn == 1 && (Contexts != 1
      || (NumElements != 0 && NumElements < NumDigits)))) begin : gen_check_turn
    $error("mf_mul_qp_systolic: TwoInTurn must be 0 or 1; 0 with two contexts or when folded");
  end

  localparam bit          SomeSlots  = FactorSlots != 0 && FactorSlots < NumSlots;
  localparam int unsigned ArraySlots = SomeSlots ? FactorSlots : 2 ** $clog2(NumSlots);

  if (FactorSlots != 0 && (FactorSlots != 2 ** $clog2(FactorSlots)
      || (NumElements != 0 && NumElements < NumDigits))) begin : gen_check_factors
    $error("mf_mul_qp_systolic: expected FactorSlots 0 or a power of two; 0 if folded");
  end

  mf_mul_qp_systolic_pkg::token_t token;
  mf_mul_qp_systolic_pkg::entry_t entry;
  logic [DigitBits-1:0]           left;

  mf_mul_qp_systolic_ctrl #(
    .NumBits(NumBits), .NumSlots(NumSlots), .DigitBits(DigitBits), .Contexts(Contexts),
    .NumElements(NumElements), .QuotientDelay(QuotientDelay), .MulStages(MulStages),
    .MinModBits(MinModBits), .QuotientTables(QuotientTables != 0),
    .Resume(Resume != 0), .LoadSum(LoadSum != 0), .FactorSlots(ArraySlots),
    .TwoInTurn(TwoInTurn != 0)
  ) u_ctrl (
    .phase_i (1'b1),
    .token_o (token),
    .entry_o (entry),
    .left_i  (left),
    .*
  );

  if (NumElements == 0 || NumElements == NumDigits) begin : gen_array
    mf_mul_qp_systolic_array #(
      .NumDigits(NumDigits), .ModDigits(ModDigits), .DigitBits(DigitBits),
      .NumSlots(SomeSlots ? FactorSlots : NumSlots), .QuotientDelay(QuotientDelay),
      .MulStages(MulStages), .TableDigits(TableDigits), .SomeSlots(SomeSlots)
    ) u_array (
      .clk_i, .token_i(token), .entry_i(entry), .digit_o(left)
    );
  end else begin : gen_folded
    logic unused_token;
    assign unused_token = ^{token, entry};
    assign left         = '0;
  end

endmodule
