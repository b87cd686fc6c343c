// SPDX-License-Identifier: Apache-2.0
/// Dual-port engine: two contract ports on one systolic array, each with its own modulus, slots and
/// set-up. The ports use alternate cycles of the array, so each is as fast as a single engine.
///
/// Source   modfab; README.md beside this file.
/// Model    two of modfab.models.mul_qp_systolic with one context.
/// Latency  of each port: as mf_mul_qp_systolic, whatever the other does.
/// Assumes  the engine contract (rtl/mul/README.md) at each port, OpMul2 with TwoInTurn = 1 only.
///          Reset and zeroize are common.
/// Ensures  the engine contract at each port with R = 2^(w * (NumSteps - 4)), w = DigitBits.
module mf_mul_qp_systolic_pair #(
  parameter int unsigned NumBits   = 1024, // bits of a modulus, 64..8192
  parameter int unsigned NumSlots  = 8,    // slots of a port, 8..128
  parameter int unsigned DigitBits = 18,   // bits of a digit, 8..18
  parameter int unsigned MinModBits = 0,   // a modulus is at least 2^MinModBits, 0..NumBits-1
  parameter int unsigned QuotientTables = 0, // 1: q * mh from tables in block RAM
  parameter int unsigned Resume    = 0,    // 1: OpSetup b and OpLoad SlotR2, see README.md
  parameter int unsigned LoadSum   = 0,    // 1: OpLoad a0 adds a slot
  parameter int unsigned FactorSlots = 0,  // slots legal as operand b: a power of two; 0: all slots
  parameter int unsigned TwoInTurn = 0     // 1: OpMul2, two products one behind the other
) (
  input  logic                  clk_i,
  input  logic                  rst_i,       // synchronous; clears control, then data are wiped
  input  logic                  zeroize_i,

  input  logic [1:0]            cmd_valid_i,
  output logic [1:0]            cmd_ready_o,
  input  mf_pkg::cmd_t [1:0]    cmd_i,

  input  logic [1:0]            in_valid_i,
  output logic [1:0]            in_ready_o,
  input  logic [1:0][31:0]      in_data_i,

  output logic [1:0]            out_valid_o,
  input  logic [1:0]            out_ready_i,
  output logic [1:0][31:0]      out_data_o,

  output logic [1:0]            busy_o,
  output mf_pkg::status_e [1:0] status_o
);

  if (NumBits < 64 || NumBits > 8192) begin : gen_check_bits
    $error("mf_mul_qp_systolic_pair: NumBits must be 64..8192");
  end
  if (NumSlots < 8 || NumSlots > 128) begin : gen_check_slots
    $error("mf_mul_qp_systolic_pair: NumSlots must be 8..128");
  end
  if (DigitBits < 8 || DigitBits > 18) begin : gen_check_digit
    $error("mf_mul_qp_systolic_pair: DigitBits must be 8..18");
  end
  if (MinModBits >= NumBits) begin : gen_check_min
    $error("mf_mul_qp_systolic_pair: MinModBits must be below NumBits");
  end

  if (Resume > 1) begin : gen_check_resume
    $error("mf_mul_qp_systolic_pair: Resume must be 0 or 1");
  end
  if (LoadSum > 1) begin : gen_check_sum
    $error("mf_mul_qp_systolic_pair: LoadSum must be 0 or 1");
  end
  if (TwoInTurn > 1) begin : gen_check_turn
    $error("mf_mul_qp_systolic_pair: TwoInTurn must be 0 or 1");
  end

  localparam int unsigned ModDigits = (NumBits + DigitBits - 1) / DigitBits;
  localparam int unsigned NumDigits = (NumBits + 2 * DigitBits + DigitBits) / DigitBits;
  localparam bit          SomeSlots = FactorSlots != 0 && FactorSlots < NumSlots;
  localparam int unsigned PortSlots = SomeSlots ? FactorSlots : 2 ** $clog2(NumSlots);
  localparam int unsigned TableBits   = mf_mul_qp_systolic_pkg::table_bits(DigitBits);
  localparam int unsigned TableDigits = QuotientTables == 0 ? 0
    : (NumBits + TableBits + DigitBits - 1) / DigitBits;

  if (QuotientTables > 1) begin : gen_check_tables
    $error("mf_mul_qp_systolic_pair: QuotientTables must be 0 or 1");
  end

  if (FactorSlots != 0 && FactorSlots != 2 ** $clog2(FactorSlots)) begin : gen_check_factors
    $error("mf_mul_qp_systolic_pair: expected FactorSlots 0 or a power of two");
  end

  logic [DigitBits-1:0]                 left;
  // The next cycle is an odd one of port 0's product. One register for the ports, one for what
  // belongs to odd cycles, one for even ones; synthesis merges equal ones elsewhere.
  logic                                 phase_q, phase_odd_q, phase_even_q;
  mf_mul_qp_systolic_pkg::token_t [1:0] tokens;
  mf_mul_qp_systolic_pkg::token_t       token;
  mf_mul_qp_systolic_pkg::entry_t [1:0] entries;
  mf_mul_qp_systolic_pkg::entry_t       entry;

  (* keep *) always_ff @(posedge clk_i) begin
    {phase_q, phase_odd_q, phase_even_q} <= {3{!rst_i && !phase_q}};
  end

  for (genvar i = 0; i < 2; i++) begin : gen_port
    mf_mul_qp_systolic_ctrl #(
      .NumBits(NumBits), .NumSlots(NumSlots), .DigitBits(DigitBits), .SlotBase(i * PortSlots),
      .FactorSlots(PortSlots),
      .Phased(1), .MinModBits(MinModBits), .QuotientTables(QuotientTables != 0),
      .Resume(Resume != 0), .LoadSum(LoadSum != 0), .TwoInTurn(TwoInTurn != 0)
    ) u_ctrl (
      .clk_i, .rst_i, .zeroize_i,
      .phase_i     (phase_q == 1'(i)),
      .cmd_valid_i (cmd_valid_i[i]),
      .cmd_ready_o (cmd_ready_o[i]),
      .cmd_i       (cmd_i[i]),
      .in_valid_i  (in_valid_i[i]),
      .in_ready_o  (in_ready_o[i]),
      .in_data_i   (in_data_i[i]),
      .out_valid_o (out_valid_o[i]),
      .out_ready_i (out_ready_i[i]),
      .out_data_o  (out_data_o[i]),
      .busy_o      (busy_o[i]),
      .status_o    (status_o[i]),
      .token_o     (tokens[i]),
      .entry_o     (entries[i]),
      .left_i      (left)
    );
  end

  // Port 0 starts in t = 0 with phase_q low: its x and results have the cycles with phase_q high,
  // its quotient digits and slots of y those with phase_q low.
  logic odd, even; // the ports that these cycles belong to
  logic [$clog2(2*PortSlots)-1:0] y_slot_q; // the slots' memories are behind it
  assign odd  = !phase_odd_q;
  assign even = phase_even_q;
  always_ff @(posedge clk_i)
    y_slot_q <= ($clog2(2*PortSlots))'(tokens[0].y_slot | tokens[1].y_slot);
  if (SomeSlots) begin : gen_some_slots
    always_comb begin
      token          = tokens[even];
      token.y_slot   = 8'(y_slot_q);
      token.q_zero   = tokens[0].q_zero || tokens[1].q_zero; // 0 in the other port's cycles
      token.x        = tokens[0].x | tokens[1].x;
      token.y_unit   = tokens[odd].y_unit;
      token.fin      = tokens[odd].fin;
      token.fin_slot = tokens[odd].fin_slot;
      token.keep     = tokens[odd].keep;
      token.m_clear  = tokens[odd].m_clear;
      token.m_valid  = tokens[odd].m_valid;
    end
  end else begin : gen_all_slots
    // As above, without keep: the struct's width is part of the elaborated circuit, by which stored
    // measurements are found.
    mf_mul_qp_systolic_pkg::port_token_t [1:0] ports;
    mf_mul_qp_systolic_pkg::port_token_t       port;
    logic unused_keep;
    assign unused_keep = tokens[0].keep ^ tokens[1].keep;
    for (genvar i = 0; i < 2; i++) begin : gen_port
      assign ports[i] = '{
        x: tokens[i].x, q_zero: tokens[i].q_zero, first: tokens[i].first,
        y_slot: tokens[i].y_slot, y_other: tokens[i].y_other, y_unit: tokens[i].y_unit,
        fin: tokens[i].fin, fin_slot: tokens[i].fin_slot, m_clear: tokens[i].m_clear,
        m_valid: tokens[i].m_valid
      };
    end
    always_comb begin
      port          = ports[even];
      port.y_slot   = 8'(y_slot_q);
      port.q_zero   = ports[0].q_zero || ports[1].q_zero;
      port.x        = ports[0].x | ports[1].x;
      port.y_unit   = ports[odd].y_unit;
      port.fin      = ports[odd].fin;
      port.fin_slot = ports[odd].fin_slot;
      port.m_clear  = ports[odd].m_clear;
      port.m_valid  = ports[odd].m_valid;
    end
    assign token = '{
      x: port.x, q_zero: port.q_zero, first: port.first, y_slot: port.y_slot,
      y_other: port.y_other, y_unit: port.y_unit, fin: port.fin, fin_slot: port.fin_slot,
      keep: 1'b0, m_clear: port.m_clear, m_valid: port.m_valid
    };
  end
  always_comb begin
    entry         = entries[even];
    entry.modulus = QuotientTables == 1 && even;
  end

  mf_mul_qp_systolic_array #(
    .NumDigits(NumDigits), .ModDigits(ModDigits), .DigitBits(DigitBits),
    .NumSlots(2 * PortSlots), .Moduli(2), .TableDigits(TableDigits), .SomeSlots(SomeSlots)
  ) u_array (
    .clk_i, .token_i(token), .entry_i(entry), .digit_o(left)
  );

endmodule
