// SPDX-License-Identifier: Apache-2.0
/// The set-up as a list of steps on the serial unit and the array. In order:
///   mh = (m' n + 1) / 2^(2w), m' = -n^-1 mod 2^(2w), by halving; sent into the array.
///   R mod n (private form) by doubling 1, brought into every element by a product with a unit y.
///   2 in Montgomery form likewise, into the modulus' slot, which holds nothing else.
///   R^2 mod n: that 2 to the power RBits, by products. 1 by a product with R.
///
/// Source   modfab; README.md beside this file.
/// Model    modfab.models.mul_qp_systolic.
/// Latency  fixed by the parameters; formula in modfab.catalog.mul_qp_systolic.
/// Assumes  the modulus is odd, 3 or more, and in the serial unit; start_i only while idle.
/// Ensures  with done_o slots 0, 1, 2 and the array's mh belong to the modulus.
module mf_mul_qp_systolic_setup #(
  parameter int unsigned DigitBits = 18,   // w
  parameter int unsigned NumDigits = 59,   // digits of an operand
  parameter int unsigned Doublings = 1098, // of 1, for R
  parameter int unsigned RBits     = 1026, // log2 R
  parameter int unsigned Drain     = 122   // clocks until a result has left the array
) (
  input  logic       clk_i,
  input  logic       rst_i,
  input  logic       start_i,
  output logic       done_o,         // in the last clock
  output logic       ser_start_o,
  output logic [2:0] ser_op_o,       // as the serial unit's op_i
  output logic       ser_value_o,    // Clear: to 0 or to 1
  output logic       learn_o,        // Halve: one of the lowest w bits of m'
  input  logic       ser_done_i,
  output logic       to_array_o,     // digits that the serial unit sends are digits of mh - 1
  output logic       to_mem_o,       // ... are for the scratch slot
  output logic       one_o,          // the scratch slot takes the private form of 1
  output logic [$clog2(NumDigits)-1:0] one_index_o,
  output logic       run_o,          // start a product with x from run_x_o
  output mf_pkg::slot_t run_x_o,
  output logic       run_scratch_o,  // x is the scratch slot instead
  output mf_pkg::slot_t run_y_o,
  output logic       run_unit_o,     // y is the unit of the last element instead
  output mf_pkg::slot_t run_dst_o,
  input  logic       run_last_i
);

  typedef enum logic [3:0] {
    PcIdle, PcClear, PcHalve, PcSend, PcOne, PcDouble, PcCopyR, PcRunR, PcDouble2, PcWait2, PcCopy2,
    PcRun2, PcPower, PcWait1, PcCopy1, PcRun1
  } pc_e;
  localparam int unsigned CountBits = $clog2(Doublings + Drain + NumDigits);
  localparam int unsigned TopPower  = $clog2(RBits + 1) - 1; // the leading one of RBits
  localparam int unsigned PowerBits = $clog2(TopPower + 1);
  localparam logic [1:0]  Pause     = 2'd3; // clocks before every start, for the array to settle
  typedef logic [CountBits-1:0] count_t;

  pc_e                  pc_q, pc_next;
  logic [1:0]           pause_q;
  logic                 going_q;    // what the step starts is under way
  count_t               count_q;    // repetitions or clocks of the step
  logic [PowerBits-1:0] power_q;    // bit of RBits
  logic                 mul_q, squared_q;
  logic                 go, is_serial, is_run, part_done, step_done, power_one;

  assign is_serial = pc_q inside {PcClear, PcHalve, PcSend, PcOne, PcDouble, PcCopyR, PcDouble2,
                                  PcCopy2};
  assign is_run    = pc_q inside {PcRunR, PcRun2, PcPower, PcRun1};
  assign go        = pc_q != PcIdle && !going_q && pause_q == Pause;
  assign part_done = pc_q != PcIdle && going_q && (is_serial ? ser_done_i : !is_run || run_last_i);
  assign power_one = 1'(RBits >> power_q);
  always_comb begin
    unique case (pc_q)
      PcHalve:          step_done = 32'(count_q) == 2 * DigitBits - 1;
      PcDouble:         step_done = 32'(count_q) == Doublings - 1;
      PcWait2, PcWait1: step_done = 32'(count_q) == Drain - 1;
      PcCopy1:          step_done = 32'(count_q) == NumDigits - 1;
      PcPower:          step_done = power_q == '0 && (mul_q || !power_one);
      default:          step_done = 1'b1;
    endcase
    pc_next = pc_q == PcRun1 ? PcIdle : pc_e'(pc_q + 4'd1);
  end
  assign done_o = part_done && pc_q == PcRun1;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      pc_q <= PcIdle;
    end else if (start_i) begin
      pc_q <= PcClear;
    end else if (part_done && step_done) begin
      pc_q <= pc_next;
    end
    if (pc_q == PcIdle || part_done) begin
      pause_q <= '0;
      // Waits and the copy of 1 repeat clock by clock.
      going_q <= part_done && !step_done && !is_serial && !is_run;
    end else if (go) begin
      going_q <= 1'b1;
    end else if (pause_q != Pause) begin
      pause_q <= pause_q + 2'd1;
    end
    if (pc_q == PcIdle || (part_done && step_done)) count_q <= '0;
    else if (part_done) count_q <= count_q + count_t'(1);
    // l2r over the constant RBits: square, multiply where the bit is one.
    if (pc_q == PcIdle) begin
      power_q   <= PowerBits'(TopPower - 1);
      mul_q     <= 1'b0;
      squared_q <= 1'b0;
    end else if (part_done && pc_q == PcPower) begin
      squared_q <= 1'b1;
      mul_q     <= !mul_q && power_one;
      if (mul_q || !power_one) power_q <= power_q - PowerBits'(1);
    end
  end

  assign ser_start_o = go && is_serial;
  assign ser_value_o = pc_q == PcOne;
  assign learn_o     = 32'(count_q) < DigitBits;
  assign to_array_o  = pc_q == PcSend;
  assign to_mem_o    = pc_q == PcCopyR || pc_q == PcCopy2;
  assign one_o       = pc_q == PcCopy1 && going_q;
  assign one_index_o = ($clog2(NumDigits))'(count_q);
  assign run_o       = go && is_run;
  always_comb begin
    unique case (pc_q)
      PcClear, PcOne:      ser_op_o = 3'd0;
      PcHalve:             ser_op_o = 3'd1;
      PcDouble, PcDouble2: ser_op_o = 3'd2;
      default:             ser_op_o = 3'd5;
    endcase
    run_scratch_o = pc_q != PcPower;
    run_unit_o    = pc_q == PcRunR || pc_q == PcRun2;
    run_x_o       = squared_q ? mf_pkg::SlotR2 : mf_pkg::SlotMod;
    run_y_o       = pc_q == PcRun1 ? mf_pkg::SlotR
                  : mul_q || !squared_q ? mf_pkg::SlotMod : mf_pkg::SlotR2;
    unique case (pc_q)
      PcRunR:  run_dst_o = mf_pkg::SlotR;
      PcRun2:  run_dst_o = mf_pkg::SlotMod;
      PcRun1:  run_dst_o = mf_pkg::SlotOne;
      default: run_dst_o = mf_pkg::SlotR2;
    endcase
  end

endmodule
