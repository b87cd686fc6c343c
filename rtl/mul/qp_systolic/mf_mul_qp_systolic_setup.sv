// SPDX-License-Identifier: Apache-2.0
/// The set-up as a list of steps on the serial unit and the array. In order:
///   mh = 2^(-w * Guard) mod n by halving 1, into the elements by a product (result unused).
///   R mod n (private form) by doubling 1 or 2^MinModBits, brought into every element by a product
///   with a unit y.
///   2 in Montgomery form in the same way, into the slot of 1.
///   R^2 mod n: that 2 to the power RBits, by products. 1 by a product with R.
/// A short one ends with mh; with tables it goes on until these are full.
///
/// Source   modfab; README.md beside this file.
/// Model    modfab.models.mul_qp_systolic.
/// Latency  fixed by the parameters; formula in modfab.catalog.mul_qp_systolic.
/// Assumes  the modulus is odd, 3 or more, and in the serial unit; start_i only while idle.
/// Ensures  with done_o the array's mh belongs to the modulus; slots 0, 1, 2 too, but for a short
///          one.
module mf_mul_qp_systolic_setup #(
  parameter int unsigned DigitBits = 18,   // w
  parameter int unsigned Guard     = 2,    // digits of the private form's factor
  parameter int unsigned Doublings = 1098, // for R, of 1 ...
  parameter bit          FromBound = 0,    // ... or of the lower bound of the modulus
  parameter int unsigned RBits     = 1026, // log2 R
  parameter int unsigned NumPlaces = 60,   // digits of the serial unit's operations
  parameter int unsigned FillTime  = 0,    // cycles that fill tables while R is doubled
  parameter bit          Resume    = 0     // there are short ones
) (
  input  logic          clk_i,
  input  logic          rst_i,
  input  logic          start_i,
  input  logic          short_i,       // with start_i and Resume: a short one
  output logic          done_o,        // in the last cycle
  output logic          ser_start_o,
  output logic [2:0]    ser_op_o,      // as the serial unit's op_i
  output logic          learn_o,       // Halve: one of the lowest w bits of the choice
  input  logic          ser_done_i,
  output logic          run_o,         // start run_product_o
  output mf_mul_qp_systolic_pkg::product_t run_product_o,
  input  logic          run_last_i
);

  if (FillTime != 0 && (Doublings + 1) * (NumPlaces + 18) < FillTime + 16) begin : gen_check_fill
    $error("mf_mul_qp_systolic: MinModBits is too high; set-up is too short to fill tables");
  end

  typedef enum logic [3:0] {
    PcIdle, PcOneM, PcHalve, PcRunM, PcOneR, PcDouble, PcRunR, PcDouble2, PcRun2, PcPower, PcOne1,
    PcRun1
  } pc_e;
  localparam int unsigned CountBits = $clog2(Doublings + 1);
  localparam int unsigned TopPower  = $clog2(RBits + 1) - 1; // the leading one of RBits
  localparam int unsigned PowerBits = $clog2(TopPower + 1);
  localparam logic [2:0]  PauseSerial = 3'd3; // cycles before a step, until its inputs are stable
  localparam logic [2:0]  PauseRun    = 3'd7;
  // Of a short set-up: the doublings only pass the time until the tables are full.
  localparam int unsigned FillSteps   = (FillTime + 15) / (NumPlaces + 18);
  localparam int unsigned ShortDoublings = FillSteps == 0 ? 1 : FillSteps;
  typedef logic [CountBits-1:0] count_t;

  pc_e                  pc_q, pc_next;
  logic [2:0]           pause_q;
  logic                 going_q;    // the operation of the step runs
  count_t               count_q;    // repetitions of the step
  logic [PowerBits-1:0] power_q;    // bit of RBits
  logic                 mul_q, squared_q;
  logic                 go_q, part_done, step_done, step_done_q, power_one_q;
  logic                 last_halve_q, last_double_q, last_power_q; // of the repetitions
  logic                 is_run, is_run_q, last_q;

  logic is_short, short_last;       // of this set-up; its last step
  if (Resume) begin : gen_short
    logic short_q;
    assign is_short   = short_q;
    assign short_last = short_q && pc_q == (FillTime == 0 ? PcRunM : PcDouble);
    always_ff @(posedge clk_i) if (rst_i || start_i) short_q <= short_i && !rst_i;
  end else begin : gen_whole
    logic unused_short;
    assign unused_short = short_i;
    assign is_short     = 1'b0;
    assign short_last   = 1'b0;
  end

  assign is_run    = pc_q inside {PcRunM, PcRunR, PcRun2, PcPower, PcRun1};
  assign part_done = going_q && (is_run_q ? run_last_i : ser_done_i);
  always_comb begin
    unique case (pc_q)
      PcHalve:  step_done = last_halve_q;
      PcDouble: step_done = last_double_q;
      PcPower:  step_done = last_power_q;
      default:  step_done = 1'b1;
    endcase
    pc_next = pc_q == PcRun1 || short_last ? PcIdle : pc_e'(pc_q + 4'd1);
  end
  assign done_o = (going_q && run_last_i && last_q)
                  || (FillTime != 0 && short_last && part_done && step_done_q);

  always_ff @(posedge clk_i) begin
    if (rst_i) pc_q <= PcIdle;
    else if (start_i) pc_q <= PcOneM;
    else if (part_done && step_done_q) pc_q <= pc_next;
    // Stable before use: no step is shorter than the pause before it.
    last_halve_q  <= 32'(count_q) == Guard * DigitBits - 1;
    last_double_q <= 32'(count_q) == (is_short ? ShortDoublings : Doublings) - 1;
    last_power_q  <= power_q == '0 && (mul_q || !power_one_q);
    step_done_q <= step_done;
    power_one_q <= 1'(RBits >> power_q);
    is_run_q    <= is_run;
    last_q      <= pc_q == PcRun1 || (FillTime == 0 && short_last);
    go_q        <= pc_q != PcIdle && !going_q && !go_q
                   && pause_q == (is_run ? PauseRun : PauseSerial);
    if (rst_i || pc_q == PcIdle || part_done) begin
      pause_q <= '0;
      going_q <= 1'b0;
    end else if (go_q) begin
      going_q <= 1'b1;
    end else if (pause_q != (is_run ? PauseRun : PauseSerial)) begin
      pause_q <= pause_q + 3'd1;
    end
    if (pc_q == PcIdle || (part_done && step_done_q)) count_q <= '0;
    else if (part_done) count_q <= count_q + count_t'(1);
    // l2r over the constant RBits: square, multiply where the bit is one.
    if (pc_q == PcIdle) begin
      power_q   <= PowerBits'(TopPower - 1);
      mul_q     <= 1'b0;
      squared_q <= 1'b0;
    end else if (part_done && pc_q == PcPower) begin
      squared_q <= 1'b1;
      mul_q     <= !mul_q && power_one_q;
      if (mul_q || !power_one_q) power_q <= power_q - PowerBits'(1);
    end
  end

  assign ser_start_o = go_q && !is_run_q;
  assign learn_o     = 32'(count_q) < DigitBits;
  assign run_o       = go_q && is_run_q;
  always_comb begin
    unique case (pc_q)
      PcHalve:             ser_op_o = 3'd1;
      PcDouble, PcDouble2: ser_op_o = 3'd2;
      PcOneR:              ser_op_o = FromBound ? 3'd5 : 3'd0;
      default:             ser_op_o = 3'd0;
    endcase
    run_product_o.outside = pc_q != PcPower;
    run_product_o.shift   = pc_q == PcRun1;
    run_product_o.mh      = pc_q == PcRunM;
    run_product_o.y_unit  = pc_q == PcRunR || pc_q == PcRun2;
    run_product_o.sum     = 1'b0;
    run_product_o.x       = squared_q ? mf_pkg::SlotR2 : mf_pkg::SlotOne;
    run_product_o.y       = pc_q == PcRun1 ? mf_pkg::SlotR
                          : mul_q || !squared_q ? mf_pkg::SlotOne : mf_pkg::SlotR2;
    unique case (pc_q)
      PcRunR:         run_product_o.dst = mf_pkg::SlotR;
      PcRun2, PcRun1: run_product_o.dst = mf_pkg::SlotOne;
      default:        run_product_o.dst = mf_pkg::SlotR2;
    endcase
  end

endmodule
