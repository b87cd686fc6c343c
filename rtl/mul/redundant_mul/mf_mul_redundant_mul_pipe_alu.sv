// SPDX-License-Identifier: Apache-2.0
/// The adder of set-up and conversion: x <- v + (0, M, -M or -2M), then a carry or a shift by one
/// place; six cycles an operation.
///
/// Source   modfab; the thresholds of AddAuto are those of mf_mul_redundant_mul_correction_add.
/// Model    modfab.models.redundant_pipe (`_minus`, `PipeNumbers.half`).
/// Latency  start_i high in cycle 0: v is taken in cycle 1, x_o changes after cycle 5.
/// Assumes  source_i, add_i, half_i steady in cycles 0 to 5. AddAuto only with FromDouble. Digit
///          ModDigits of a carried number keeps its own carry and holds the sign.
/// Ensures  x_o = v + n, or half of it with half_i; digits of a carried x_o at most B + 4.
module mf_mul_redundant_mul_pipe_alu #(
  parameter int unsigned Digits      = 7,
  parameter int unsigned ModDigits   = 4,  // of M; below Digits
  parameter int unsigned DigitBits   = 16, // 5..17
  parameter int unsigned GuardBits   = 33, // log2 of the constant that FromGuard gives
  parameter int unsigned GroupDigits = 8   // digits that share a copy of the control
) (
  input  logic                                    clk_i,
  input  logic                                    wipe_i,
  input  logic                                    start_i,
  input  logic [2:0]                              source_i, // 0 nothing, 1 one, 2 guard, 3 slot,
                                                            // 4 x, 5 twice x
  input  logic [2:0]                              add_i,    // 0 nothing, 1 M if v is odd, 2 -M,
                                                            // 3 M if x < 0, 4 -M, -2M by the top
  input  logic                                    half_i,
  input  logic                                    m_load_i,
  input  logic                                    m_left_i,
  input  logic                                    m_right_i,
  input  logic                                    mh_load_i, // M^ <- x
  input  logic [ModDigits-1:0][DigitBits-1:0]     word_m_i,
  input  logic [Digits-1:0][DigitBits:0]          slot_i,
  output logic                                    m_odd_o,
  output logic                                    m_top_o,
  output logic [ModDigits-1:0][DigitBits:0]       mh_o,
  output logic [Digits-1:0][DigitBits+2:0]        x_o
);

  localparam int unsigned W       = DigitBits + 3;
  localparam int unsigned Groups  = (Digits - 1) / GroupDigits + 1;
  localparam int unsigned TopBits = DigitBits + 5; // of twice the two digits of the top
  localparam logic [2:0] FromOne = 3'd1, FromGuard = 3'd2, FromSlot = 3'd3, FromSame = 3'd4,
                         FromDouble = 3'd5;
  localparam logic [2:0] AddOdd = 3'd1, AddMinus = 3'd2, AddNegative = 3'd3, AddAuto = 3'd4;
  typedef logic [W-1:0] digit_t;

  digit_t [Digits-1:0]                 v_q, x_q;
  logic [ModDigits-1:0][DigitBits-1:0] m_q;
  logic [ModDigits-1:0][DigitBits:0]   mh_q;

  // ---- control, a copy for each group of digits ----
  logic [3:0]             phase_q; // cycles 1 to 4 of an operation
  logic [Groups-1:0][10:0] ctl;
  logic [Groups-1:0][2:0] sel;
  logic [2:0]             sel_q;
  always_ff @(posedge clk_i) phase_q <= wipe_i ? '0 : {phase_q[2:0], start_i};
  mf_fanout_reg #(.WidthBits(11), .Copies(Groups)) u_ctl (
    .clk_i,
    .d_i ({half_i, mh_load_i || wipe_i, m_load_i || wipe_i, m_left_i, m_right_i,
           start_i || wipe_i, phase_q[2], phase_q[3] || wipe_i,
           source_i == FromSlot, source_i == FromSame, source_i == FromDouble}),
    .q_o (ctl)
  );
  mf_fanout_reg #(.WidthBits(3), .Copies(Groups)) u_sel (.clk_i, .d_i(sel_q), .q_o(sel));

  // ---- addend: selected in cycle 2 ----
  logic [TopBits-1:0]   top_q;
  logic [DigitBits-1:0] m_top;
  assign m_top = m_q[ModDigits-1];
  always_ff @(posedge clk_i) begin
    // x < 2M' + e: two digits, < 4B
    top_q <= {TopBits'(x_q[ModDigits-1]) + TopBits'({x_q[ModDigits][1:0], DigitBits'(0)})} << 1;
    sel_q <= '0; // M, -M, -2M
    unique case (add_i)
      AddOdd:      sel_q[2] <= v_q[0][0];
      AddMinus:    sel_q[1] <= 1'b1;
      AddNegative: sel_q[2] <= x_q[ModDigits][W-1];
      AddAuto: begin
        sel_q[0] <= top_q > TopBits'({m_top, 1'b1});
        sel_q[1] <= top_q > TopBits'(m_top) && !(top_q > TopBits'({m_top, 1'b1}));
      end
      default: ;
    endcase
    if (wipe_i) sel_q <= '0;
  end

  // ---- v, x ----
  logic                           start_q;
  logic [ModDigits*DigitBits-1:0] m_flat;
  logic [ModDigits*DigitBits:0]   m_twice;
  digit_t [Digits-1:0]            source, n, carried, halved;
  assign m_flat  = m_q;
  assign m_twice = {m_flat, 1'b0};
  always_comb begin
    for (int unsigned j = 0; j < Digits; j++) begin
      source[j] = '0;
      if (ctl[j/GroupDigits][2]) source[j] = source[j] | digit_t'(slot_i[j]);
      if (ctl[j/GroupDigits][1]) source[j] = source[j] | x_q[j];
      if (ctl[j/GroupDigits][0]) source[j] = source[j] | (x_q[j] << 1);
      n[j] = '0;
      if (j < ModDigits) begin
        if (sel[j/GroupDigits][2])
          n[j] = n[j] | digit_t'(m_flat[(j%ModDigits)*DigitBits+:DigitBits]);
        if (sel[j/GroupDigits][1])
          n[j] = n[j] | digit_t'({~m_flat[(j%ModDigits)*DigitBits+:DigitBits]});
        if (sel[j/GroupDigits][0])
          n[j] = n[j] | digit_t'({~m_twice[(j%ModDigits)*DigitBits+:DigitBits]});
      end else if (j == ModDigits) begin
        if (sel[j/GroupDigits][1]) n[j] = '1;
        if (sel[j/GroupDigits][0]) n[j] = ~digit_t'(m_twice[ModDigits*DigitBits]);
      end
    end
    if (start_q && source_i == FromOne) source[0] = source[0] | digit_t'(1);
    if (start_q && source_i == FromGuard) begin
      source[GuardBits/DigitBits] = source[GuardBits/DigitBits]
                                  | (digit_t'(1) << (GuardBits % DigitBits));
    end
    for (int unsigned j = 0; j < Digits; j++) begin
      carried[j] = j < ModDigits ? digit_t'(v_q[j][DigitBits-1:0]) : v_q[j];
      if (j > 0 && j <= ModDigits)
        carried[j] = carried[j] + digit_t'(v_q[(j+Digits-1)%Digits][W-1:DigitBits]);
      halved[j] = (v_q[j] >> 1)
                + (j + 1 < Digits ? digit_t'(v_q[(j+1)%Digits][0]) << (DigitBits - 1) : '0);
    end
  end
  always_ff @(posedge clk_i) begin
    start_q <= start_i;
    for (int unsigned j = 0; j < Digits; j++) begin
      if (ctl[j/GroupDigits][5]) v_q[j] <= source[j];
      else if (ctl[j/GroupDigits][4])
        v_q[j] <= v_q[j] + n[j] + digit_t'(j == 0 && |sel[0][1:0]);
      if (ctl[j/GroupDigits][3]) x_q[j] <= ctl[j/GroupDigits][10] ? halved[j] : carried[j];
    end
  end

  // ---- M and M^ ----
  always_ff @(posedge clk_i) begin
    for (int unsigned j = 0; j < ModDigits; j++) begin
      if (ctl[j/GroupDigits][8]) m_q[j] <= word_m_i[j];
      else if (ctl[j/GroupDigits][7])
        m_q[j] <= {m_q[j][DigitBits-2:0], j > 0 && m_q[(j+ModDigits-1)%ModDigits][DigitBits-1]};
      else if (ctl[j/GroupDigits][6])
        m_q[j] <= {j + 1 < ModDigits && m_q[(j+1)%ModDigits][0], m_q[j][DigitBits-1:1]};
      if (ctl[j/GroupDigits][9]) mh_q[j] <= x_q[j][DigitBits:0];
    end
  end

  assign m_odd_o = m_q[0][0];
  assign m_top_o = m_top[DigitBits-1];
  assign mh_o    = mh_q;
  assign x_o     = x_q;

endmodule
