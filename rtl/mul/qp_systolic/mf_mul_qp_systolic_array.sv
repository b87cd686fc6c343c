// SPDX-License-Identifier: Apache-2.0
/// The systolic array: an element a digit, two contexts on alternate clocks, wires to neighbours.
///
/// Source   [ORUP95] quotient pipelining with delay 1; README.md beside this file.
/// Model    modfab.models.mul_qp_systolic.
/// Latency  Element j works j clocks after element 0. With q of step i at element 0 in clock t (and
///          x of step i in clock t - 1), the sum of step i is in s in clock t + 4.
/// Assumes  Tokens as the head gives them (see there); digits of y below 2^DigitBits.
/// Ensures  s <- floor(s / 2^w) + q * mh + x * y of one context; s < 2^(2w + 2), because
///          q * mh + x * y < 2^(2w + 1), the neighbour's digit is below 2^w, and the part that
///          stays is below 2^(w + 2).
module mf_mul_qp_systolic_array #(
  parameter int unsigned NumDigits = 59, // elements
  parameter int unsigned ModDigits = 57, // elements with a digit of the modulus multiple mh
  parameter int unsigned DigitBits = 18, // bits of a digit, w
  parameter int unsigned NumSlots  = 8,  // slots
  localparam int unsigned AddrBits = $clog2(NumSlots)
) (
  input  logic                 clk_i,
  // ---- tokens at element 0; each walks one element a clock ----
  input  logic [DigitBits-1:0] x_i,        // digit of x, or of mh while m_valid_i
  input  logic                 q_zero_i,   // the quotient digit of this clock is 0
  input  logic                 first_i,    // first step: the sum starts from 0
  input  logic                 y_load_i,   // take a new y
  input  logic [2:0]           y_src_i,    // from where: YSlot .. YUnit below
  input  logic [AddrBits-1:0]  y_slot_i,
  input  logic                 fin_i,      // the resolved digit is a digit of a result
  input  logic [AddrBits-1:0]  fin_slot_i, // slot that takes it
  input  logic                 m_clear_i,  // forget mh
  input  logic                 m_valid_i,  // x_i is a digit of mh
  // ---- results, walking left ----
  output logic [DigitBits-1:0] digit_o     // digit e of a result 2e + 1 clocks after its fin_i
);

  localparam int unsigned SumBits  = 2 * DigitBits + 2;
  localparam int unsigned HighBits = SumBits - DigitBits;
  localparam logic [2:0] YSlot  = 3'd0; // the slot memory
  localparam logic [2:0] YOwn   = 3'd1; // the result digit that passed one clock before
  localparam logic [2:0] YOther = 3'd2; // the result digit that passes now
  localparam logic [2:0] YUnit  = 3'd3; // 1 in the last element, 0 elsewhere; else 0 everywhere

  typedef logic [DigitBits-1:0] digit_t;
  typedef logic [AddrBits-1:0]  addr_t;

  localparam int unsigned Last = NumDigits - 1; // the element that holds the highest digit

  // ---- what walks right: *_at[j] is what element j sees in this clock ----
  logic [Last:0][DigitBits-1:0]       x_at, q_at;
  logic [Last:1][DigitBits-1:0]       x_q, q_q;
  logic [Last:0]                      first_at, y_load_at, m_clear_at, m_valid_at;
  logic [Last:1]                      first_q, y_load_q, m_clear_q, m_valid_q;
  logic [Last:0][2:0]                 y_src_at;
  logic [Last:1][2:0]                 y_src_q;
  logic [Last:0][AddrBits-1:0]        y_slot_at;
  logic [Last:1][AddrBits-1:0]        y_slot_q;
  logic [NumDigits:0]                 fin_at;
  logic [NumDigits:1]                 fin_q;
  logic [NumDigits:0][AddrBits-1:0]   fin_slot_at;
  logic [NumDigits:1][AddrBits-1:0]   fin_slot_q;
  // ---- what an element holds ----
  logic [Last:0][DigitBits-1:0]       y0_q, y1_q, mh_q, slot_rd, resolved;
  logic [Last:0][DigitBits-1:0]       left_q;  // digits on their way to the head
  logic [Last:0][2*DigitBits-1:0]     px, pq;  // products behind the multipliers' registers
  logic [Last:0][2*DigitBits-1:0]     px_q, pq_q;
  logic [Last:0][SumBits-1:0]         u_q, s_q;
  logic [Last:0][SumBits-1:0]         sum;     // s with the carry of the element to the right
  logic [NumDigits:1][HighBits-1:0]   carry_q; // out of element j - 1
  logic [Last:0]                      first1_q, full_q;
  digit_t                             below_q; // lowest digit of a result: the last quotient

  assign x_at        = {x_q, x_i};
  assign q_at        = {q_q, q_zero_i ? digit_t'(0) : s_q[0][DigitBits-1:0]};
  assign first_at    = {first_q, first_i};
  assign y_load_at   = {y_load_q, y_load_i};
  assign y_src_at    = {y_src_q, y_src_i};
  assign y_slot_at   = {y_slot_q, y_slot_i};
  assign m_clear_at  = {m_clear_q, m_clear_i};
  assign m_valid_at  = {m_valid_q, m_valid_i};
  assign fin_at      = {fin_q, fin_i};
  assign fin_slot_at = {fin_slot_q, fin_slot_i};
  assign digit_o     = left_q[0];

  always_ff @(posedge clk_i) begin
    x_q        <= x_at[Last-1:0];
    q_q        <= q_at[Last-1:0];
    first_q    <= first_at[Last-1:0];
    y_load_q   <= y_load_at[Last-1:0];
    y_src_q    <= y_src_at[Last-1:0];
    y_slot_q   <= y_slot_at[Last-1:0];
    m_clear_q  <= m_clear_at[Last-1:0];
    m_valid_q  <= m_valid_at[Last-1:0] & full_q[Last-1:0];
    fin_q      <= fin_at[Last:0];
    fin_slot_q <= fin_slot_at[Last:0];
    first1_q   <= first_at;
    below_q    <= s_q[0][DigitBits-1:0];
    px_q       <= px;
    pq_q       <= pq;
  end

  logic unused_ends; // nothing lies to the right of the last element
  assign unused_ends = ^{carry_q[NumDigits], full_q[Last]};

  for (genvar j = 0; j < int'(NumDigits); j++) begin : gen_element
    digit_t y_next, unused_slot;
    digit_t above, from_right; // the neighbour's digit of the sum, and of a result
    if (j < int'(Last)) begin : gen_neighbour
      assign above      = s_q[j+1][DigitBits-1:0];
      assign from_right = left_q[j+1];
    end else begin : gen_end
      assign above      = '0;
      assign from_right = '0;
    end
    always_comb begin
      sum[j]      = s_q[j] + (j == 0 ? '0 : SumBits'(carry_q[j == 0 ? 1 : j]));
      resolved[j] = j == 0 ? below_q : sum[j == 0 ? 0 : j-1][DigitBits-1:0];
      unique case (y_src_at[j])
        YSlot:   y_next = slot_rd[j];
        YOwn:    y_next = left_q[j];
        YOther:  y_next = resolved[j];
        YUnit:   y_next = digit_t'(j == int'(Last));
        default: y_next = '0;
      endcase
    end

    mf_prim_slots #(.WidthBits(DigitBits), .Depth(NumSlots)) u_slots (
      .clk_i,
      .wr_en_i     (fin_at[j+1]),
      .wr_addr_i   (fin_slot_at[j+1]),
      .wr_data_i   (left_q[j]),
      .rd_a_addr_i (y_slot_at[j]),
      .rd_a_data_o (slot_rd[j]),
      .rd_b_addr_i ('0),
      .rd_b_data_o (unused_slot)
    );
    mf_prim_mul #(.WidthA(DigitBits), .WidthB(DigitBits), .Stages(2)) u_mul_x (
      .clk_i, .a_i(x_at[j]), .b_i(y0_q[j]), .p_o(px[j])
    );
    if (j < int'(ModDigits)) begin : gen_mod
      mf_prim_mul #(.WidthA(DigitBits), .WidthB(DigitBits), .Stages(2)) u_mul_q (
        .clk_i, .a_i(q_at[j]), .b_i(mh_q[j]), .p_o(pq[j])
      );
    end else begin : gen_no_mod
      logic unused_q;
      assign unused_q = ^{q_at[j], mh_q[j]};
      assign pq[j] = '0;
    end

    always_ff @(posedge clk_i) begin
      y0_q[j]   <= y_load_at[j] ? y_next : y1_q[j];
      y1_q[j]   <= y0_q[j];
      carry_q[j+1] <= sum[j][SumBits-1:DigitBits];
      left_q[j]    <= fin_at[j] ? resolved[j] : from_right;
      u_q[j]    <= (first_at[j] ? '0 : SumBits'(s_q[j][SumBits-1:DigitBits])) + SumBits'(px_q[j]);
      s_q[j]    <= u_q[j] + SumBits'(pq_q[j]) + (first1_q[j] ? '0 : SumBits'(above));
      if (m_clear_at[j]) begin
        full_q[j] <= 1'b0;
        mh_q[j]   <= '0;
      end else if (m_valid_at[j] && !full_q[j]) begin
        full_q[j] <= 1'b1;
        mh_q[j]   <= x_at[j];
      end
    end
  end

endmodule
