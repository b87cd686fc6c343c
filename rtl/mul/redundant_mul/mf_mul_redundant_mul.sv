// SPDX-License-Identifier: Apache-2.0
/// Montgomery engine on redundant radix-2^DigitBits digits: one digit of a factor per cycle,
/// 2 * Digits + 1 multipliers, no carry along the number. Redundant 0: the same with carries.
///
/// Source   [NAKANO09] Theorem 9 and section 6; deviations D1.. in README.md beside this file.
/// Model    modfab.models.mul_redundant_mul (same digits, same cycles).
/// Latency  product: Digits + 1, with PipelineStages 2 * ceil((NumBits + 2) / DigitBits) +
///          2 * PipelineStages + 10 for one or two; all formulas: modfab.catalog.mul_redundant_mul.
///          Parameters only, never data.
/// Assumes  the engine contract (rtl/mul/README.md).
/// Ensures  the engine contract with R = 2^(DigitBits * Digits); slots hold values below 2M.
module mf_mul_redundant_mul #(
  parameter int unsigned NumBits   = 1024, // bits of the modulus, 16..4096
  parameter int unsigned NumSlots  = 8,    // slots, 8..128
  parameter int unsigned DigitBits = 16,   // 5..18; with PipelineStages 5..17
  parameter int unsigned Redundant = 1,    // 1 redundant digits, 0 carries through the number
  parameter int unsigned PipelineStages = 0 // 0 the paper's; 1, 3, 5 registers in the loop of the
                                            // quotient, two products at a time
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

  if (NumBits < 16 || NumBits > 4096) begin : gen_check_bits
    $error("mf_mul_redundant_mul: NumBits must be 16..4096");
  end
  if (NumSlots < 8 || NumSlots > 128) begin : gen_check_slots
    $error("mf_mul_redundant_mul: NumSlots must be 8..128");
  end
  if (DigitBits < 5 || DigitBits > 18) begin : gen_check_digit
    $error("mf_mul_redundant_mul: DigitBits must be 5..18");
  end
  if (Redundant > 1) begin : gen_check_redundant
    $error("mf_mul_redundant_mul: Redundant must be 0 or 1");
  end

  if (PipelineStages > 5 || (PipelineStages > 0 && PipelineStages % 2 == 0))
  begin : gen_check_stages
    $error("mf_mul_redundant_mul: PipelineStages must be 0, 1, 3 or 5");
  end
  if (PipelineStages > 0 && (DigitBits > 17 || Redundant == 0)) begin : gen_check_pipe
    $error("mf_mul_redundant_mul: PipelineStages needs DigitBits 5..17 and Redundant 1");
  end

  if (PipelineStages == 0) begin : gen_single
    localparam int unsigned Ceil   = (NumBits + DigitBits - 1) / DigitBits;
    localparam int unsigned Digits = Ceil < 2 ? 2 : Ceil;

    logic                             wipe, unused_clear, step_d, make;
    logic [DigitBits-1:0]             low;
    logic [Digits+1:0][DigitBits+1:0] acc;
    logic [Digits-1:0][DigitBits-1:0] m;
    logic [Digits:0][DigitBits+1:0]   c;
    logic [1:0][DigitBits+1:0]        top;

    mf_mul_redundant_mul_core #(
      .NumBits     (NumBits),
      .NumSlots    (NumSlots),
      .Digits      (Digits),
      .DigitBits   (DigitBits),
      .Redundant   (1'(Redundant)),
      .TableCycles (DigitBits),
      .WipeCycles  (NumSlots),
      .FillTable   (0)
    ) u_core (
      .clk_i, .rst_i, .zeroize_i, .cmd_valid_i, .cmd_ready_o, .cmd_i, .in_valid_i, .in_ready_o,
      .in_data_i, .out_valid_o, .out_ready_i, .out_data_o, .busy_o, .status_o,
      .wipe_o  (wipe),
      .clear_o (unused_clear),
      .step_d_o (step_d),
      .table_o (make),
      .low_o   (low),
      .acc_o   (acc),
      .m_o     (m),
      .c_i     (c),
      .top_i   (top)
    );

    mf_mul_redundant_mul_quotient #(
      .Digits    (Digits),
      .DigitBits (DigitBits),
      .Redundant (1'(Redundant))
    ) u_quotient (
      .clk_i,
      .wipe_i  (wipe),
      .step_d_i (step_d),
      .table_i (make),
      .low_i   (low),
      .acc_i   (acc),
      .m_i     (m),
      .c_o     (c),
      .top_o   (top)
    );
  end else begin : gen_pipe
    mf_mul_redundant_mul_pipe #(
      .NumBits   (NumBits),
      .NumSlots  (NumSlots),
      .DigitBits (DigitBits),
      .Stages    (PipelineStages)
    ) u_pipe (.*);
  end

endmodule
