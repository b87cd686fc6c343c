// SPDX-License-Identifier: Apache-2.0
/// Montgomery engine on redundant radix-2^DigitBits digits: one digit of a factor per cycle,
/// Digits multipliers, multiples of M from a table, no carry along the number. Redundant 0: the
/// same with carries.
///
/// Source   [NAKANO09] Theorem 10 and section 6; deviations D1.. in README.md beside this file.
/// Model    modfab.models.mul_redundant_lut (same digits, same cycles).
/// Latency  product: Digits + 1; all formulas: modfab.catalog.mul_redundant_lut. Parameters only,
///          never data.
/// Assumes  the engine contract (rtl/mul/README.md).
/// Ensures  the engine contract with R = 2^(DigitBits * Digits); slots hold values below 2M.
module mf_mul_redundant_lut #(
  parameter int unsigned NumBits   = 1024, // bits of the modulus, 16..4096
  parameter int unsigned NumSlots  = 8,    // slots, 8..128
  parameter int unsigned DigitBits = 16,   // 5..10: one read of a table; 12, 14, 16, 18: two
  parameter int unsigned Redundant = 1     // 1 redundant digits, 0 carries through the number
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
    $error("mf_mul_redundant_lut: NumBits must be 16..4096");
  end
  if (NumSlots < 8 || NumSlots > 128) begin : gen_check_slots
    $error("mf_mul_redundant_lut: NumSlots must be 8..128");
  end
  if (DigitBits < 5 || DigitBits > 18 || (DigitBits > 10 && DigitBits % 2 == 1))
  begin : gen_check_digit
    $error("mf_mul_redundant_lut: DigitBits must be 5..10, 12, 14, 16 or 18");
  end
  if (Redundant > 1) begin : gen_check_redundant
    $error("mf_mul_redundant_lut: Redundant must be 0 or 1");
  end

  localparam int unsigned Ceil   = (NumBits + DigitBits - 1) / DigitBits;
  localparam int unsigned Digits = Ceil < 2 ? 2 : Ceil;
  localparam bit          Two    = DigitBits > 10; // reads, the second one of what the first gave
  localparam int unsigned Words  = 2 ** (Two ? DigitBits / 2 : DigitBits); // in table
  localparam int unsigned Longer = Words > NumSlots ? Words : NumSlots;

  logic                             wipe, clear, unused_step, make;
  logic [DigitBits-1:0]             low;
  logic [Digits+1:0][DigitBits+1:0] acc;
  logic [Digits-1:0][DigitBits-1:0] m;
  logic [Digits:0][DigitBits+1:0]   c;
  logic [1:0][DigitBits+1:0]        top;
  assign top = {c[Digits-1], c[Digits][1:0], DigitBits'(0)};

  mf_mul_redundant_mul_core #(
    .NumBits     (NumBits),
    .NumSlots    (NumSlots),
    .Digits      (Digits),
    .DigitBits   (DigitBits),
    .Redundant   (1'(Redundant)),
    .TableCycles (Words),
    .WipeCycles  (Longer + (Two ? 2 : 0)), // until both reads have given an entry that is cleared
    .FillTable   (1)
  ) u_core (
    .clk_i, .rst_i, .zeroize_i, .cmd_valid_i, .cmd_ready_o, .cmd_i, .in_valid_i, .in_ready_o,
    .in_data_i, .out_valid_o, .out_ready_i, .out_data_o, .busy_o, .status_o,
    .wipe_o  (wipe),
    .clear_o (clear),
    .step_d_o (unused_step),
    .table_o (make),
    .low_o   (low),
    .acc_o   (acc),
    .m_o     (m),
    .c_i     (c),
    .top_i   (top)
  );

  mf_mul_redundant_lut_table #(
    .Digits    (Digits),
    .DigitBits (DigitBits),
    .Redundant (1'(Redundant))
  ) u_table (
    .clk_i,
    .wipe_i  (wipe),
    .clear_i (clear),
    .table_i (make),
    .low_i   (low),
    .acc_i   (acc),
    .c_o     (c)
  );
  logic unused_m; // the table has it
  assign unused_m = ^m;

endmodule
