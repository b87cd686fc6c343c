// SPDX-License-Identifier: Apache-2.0
/// Full systolic array: one element per digit, two lanes on alternate cycles, wires to neighbours
/// only.
///
/// Source   [ORUP95] quotient pipelining; README.md beside this file.
/// Model    modfab.models.mul_qp_systolic.
/// Latency  Element j works j cycles after element 0. With q of step i at element 0 in cycle t (and
///          x of step i in cycle t - 1), the sum of step i is in s in cycle t + MulStages + 1.
/// Assumes  Tokens as mf_mul_qp_systolic_operand_feed sends them; digits of y below 2^DigitBits.
/// Ensures  s <- floor(s / 2^w) + q * mh + x * y of one lane, exactly: u < 2^(2w), s < 2^(2w+1)
///          (README.md, "Widths").
module mf_mul_qp_systolic_array #(
  parameter int unsigned NumDigits = 59, // elements
  parameter int unsigned ModDigits = 57, // elements with a digit of the modulus multiple mh
  parameter int unsigned DigitBits = 18, // bits of a digit, w
  parameter int unsigned NumSlots  = 8,  // slots of both lanes together
  parameter int unsigned Moduli    = 1,  // 1: both lanes share mh; 2: each has its own
  parameter int unsigned QuotientDelay = 1, // steps from a quotient digit to its product, 1 or 2
  parameter int unsigned MulStages = 3,  // registers of a product, 3 .. 2 * QuotientDelay + 1
  parameter bit          SomeSlots = 0,  // 1: keep says which results go to a slot in here
  parameter int unsigned TableDigits = 0 // 0: q * mh by multipliers; else from tables, of so many
                                         // elements: digits of (2^table_bits(DigitBits) - 1) * mh
) (
  input  logic                           clk_i,
  input  mf_mul_qp_systolic_pkg::token_t token_i, // at element 0; walks one element a cycle
  input  mf_mul_qp_systolic_pkg::entry_t entry_i, // likewise; not used without tables
  output logic [DigitBits-1:0]           digit_o  // results, walking left: digit e of a result is
                                                  // here 2e + 1 cycles after its token's fin
);

  localparam int unsigned SumBits   = 2 * DigitBits + 1;
  localparam int unsigned CarryBits = DigitBits + 2;
  localparam int unsigned AddrBits  = $clog2(NumSlots);
  localparam int unsigned Inside    = MulStages > 3 ? 3 : 2; // registers inside a multiplier
  localparam int unsigned Lag       = 2 * QuotientDelay - 1; // cycles from a quotient digit to its
                                                             // place as the lowest of a result
  localparam int unsigned Slack     = 2 * QuotientDelay + 1 - MulStages; // ... to its product

  localparam int unsigned TableBits = mf_mul_qp_systolic_pkg::table_bits(DigitBits);

  typedef logic [DigitBits-1:0]   digit_t;
  typedef logic [2*DigitBits-1:0] product_t;

  localparam int unsigned Last = NumDigits - 1; // the element that holds the highest digit

  // ---- moving right: *_at[j] is the input of element j in this cycle ----
  logic [Last:0][DigitBits-1:0]  x_at, q_at;
  logic [Last:1][DigitBits-1:0]  x_q, q_q;
  logic [Last:0]                 first_at, other_at, unit_at, fin_at;
  logic [Last:0]                 m_clear_at, m_valid_at;
  logic [Last:1]                 first_q, other_q, unit_q, fin_q, m_clear_q, m_valid_q;
  logic [Last:0]                 gate_at;  // !first_at; its registers are kept, as each has as many
  (* keep *) logic [Last:1]      gate_q;   // loads as an adder has bits
  logic [Last:0][AddrBits-1:0]   y_slot_at, fin_slot_at;
  logic [Last:1][AddrBits-1:0]   y_slot_q, fin_slot_q;
  logic [Last:0]                 keep_at;
  // ---- what an element holds ----
  logic [Last:0][DigitBits-1:0]   slot_rd, slot_q, from_left, resolved;
  logic [Last:0][DigitBits-1:0]   left_q;  // digits on their way to the operand feed
  logic [Last:0][2*DigitBits-1:0] px, pq;  // products behind the multipliers' registers but one
  logic [Last:0][2*DigitBits-1:0] px_q, pq_q, u, u_q;
  logic [Last:0][SumBits-1:0]     s_q;     // the sum but for the carry into bit DigitBits, ...
  logic [Last:0]                  e_q;     // ... which waits here: no chain is longer than it must
  logic [NumDigits:0]             e_at;    // that of the element to the right, one cycle later
  logic [NumDigits:1]             e1_q;
  logic [Last:0][SumBits:0]       sum;     // s with the carry of the element to the right
  logic [NumDigits:0][CarryBits-1:0] carry_at; // into element j
  logic [NumDigits:1][CarryBits-1:0] carry_q;
  logic [Last:0]                  first1_q, full; // full: mh is complete
  logic [Lag:0][DigitBits-1:0]    below;   // element 0's lower digit, delayed by the index: a
  logic [Lag:1][DigitBits-1:0]    below_q; // quotient digit, the lowest of a result at last

  // ---- tables; the carries of their entries while they are filled ----
  logic [Last:0] fill_at, modulus_at;
  logic [Last:0] entry_carry; // out of an element, registered
  logic [Last:0][DigitBits-1:0] entry_q; // written with fill_at, at the lower bits of q_at

  digit_t q_index; // of a table's entry; 0 in steps
  assign x_at        = {x_q, token_i.x[DigitBits-1:0]};
  assign q_at        = {q_q, (token_i.q_zero ? digit_t'(0) : below[Slack]) | q_index};
  assign first_at    = {first_q, token_i.first};
  assign gate_at     = {gate_q, !token_i.first};
  assign other_at    = {other_q, token_i.y_other};
  assign unit_at     = {unit_q, token_i.y_unit};
  assign y_slot_at   = {y_slot_q, token_i.y_slot[AddrBits-1:0]};
  assign m_clear_at  = {m_clear_q, token_i.m_clear};
  assign m_valid_at  = {m_valid_q, token_i.m_valid};
  assign fin_at      = {fin_q, token_i.fin};
  assign fin_slot_at = {fin_slot_q, token_i.fin_slot[AddrBits-1:0]};
  assign carry_at    = {carry_q, CarryBits'(0)};
  assign e_at        = {e1_q, 1'b0};
  assign below       = {below_q, s_q[0][DigitBits-1:0]};
  assign digit_o     = left_q[0];

  always_ff @(posedge clk_i) begin
    x_q        <= x_at[Last-1:0];
    q_q        <= q_at[Last-1:0];
    first_q    <= first_at[Last-1:0];
    gate_q     <= ~first_at[Last-1:0];
    other_q    <= other_at[Last-1:0];
    unit_q     <= unit_at[Last-1:0];
    y_slot_q   <= y_slot_at[Last-1:0];
    m_clear_q  <= m_clear_at[Last-1:0];
    m_valid_q  <= m_valid_at[Last-1:0] & full[Last-1:0];
    fin_q      <= fin_at[Last-1:0];
    fin_slot_q <= fin_slot_at[Last-1:0];
    first1_q   <= first_at;
    below_q    <= below[Lag-1:0];
    px_q       <= px;
    pq_q       <= pq;
    u_q        <= u;
    slot_q     <= slot_rd;
    e1_q       <= e_q;
  end

  if (SomeSlots) begin : gen_some_slots
    logic [Last:1] keep_q;
    assign keep_at = {keep_q, token_i.keep};
    always_ff @(posedge clk_i) keep_q <= keep_at[Last-1:0];
  end else begin : gen_all_slots
    assign keep_at = fin_at;
  end

  if (TableDigits == 0) begin : gen_no_tables
    assign q_index    = '0;
    assign fill_at    = '0;
    assign modulus_at = '0;
  end else begin : gen_tables
    logic [Last:1] fill_q, modulus_q;
    assign q_index    = digit_t'(entry_i.index);
    assign fill_at    = {fill_q, entry_i.write};
    assign modulus_at = {modulus_q, entry_i.modulus};
    always_ff @(posedge clk_i) begin
      fill_q    <= fill_at[Last-1:0];
      modulus_q <= modulus_at[Last-1:0];
    end
  end

  // The digits of a result are QuotientDelay elements to the right of the sums they come from.
  if (QuotientDelay == 1) begin : gen_near
    assign resolved = from_left;
  end else begin : gen_far
    logic [Last:0][DigitBits-1:0] from_left_q;
    always_ff @(posedge clk_i) from_left_q <= from_left;
    assign resolved = {from_left_q[Last-1:0], below[Lag]};
    logic unused_last;
    assign unused_last = ^from_left_q[Last];
  end

  logic unused_ends; // nothing lies to the right of the last element; shorter digits and addresses
  assign unused_ends = ^{token_i, entry_i, carry_at[NumDigits], e_at[NumDigits], full, other_at,
                         unit_at, m_valid_at, m_clear_at, q_at[Last], fill_at, modulus_at,
                         entry_carry, entry_q};

  for (genvar j = 0; j < int'(NumDigits); j++) begin : gen_element
    digit_t above, from_right; // the neighbour's digit of the sum, and of a result
    digit_t unused_slot, other, unit, y; // y: into the multiplier's own register
    digit_t gated, save, majority;
    logic   unused_bit, unused_low, unused_high;
    logic [DigitBits:0] high; // of the new sum
    logic [DigitBits:1] low;
    logic   m_take;            // x is this element's digit of mh
    if (j < int'(Last)) begin : gen_neighbour
      assign above      = s_q[j+1][DigitBits-1:0];
      assign from_right = left_q[j+1];
      assign unit       = '0;
    end else begin : gen_end
      assign above      = '0;
      assign from_right = '0;
      assign unit       = digit_t'(unit_at[j]);
    end
    assign {sum[j], unused_bit} = (SumBits+2)'({s_q[j], e_at[j]})
                                  + (SumBits+2)'({carry_at[j], e_at[j]});
    assign from_left[j] = j == 0 ? below[1] : sum[j == 0 ? 0 : j-1][DigitBits-1:0];
    assign m_take      = m_clear_at[j] || (m_valid_at[j] && !full[j]);

    mf_regfile_1w2r #(.WidthBits(DigitBits), .Depth(NumSlots)) u_slots (
      .clk_i,
      .wr_en_i     (keep_at[j]),
      .wr_addr_i   (fin_slot_at[j]),
      .wr_data_i   (resolved[j]),
      .rd_a_addr_i (y_slot_at[j]),
      .rd_a_data_o (slot_rd[j]),
      .rd_b_addr_i ('0),
      .rd_b_data_o (unused_slot)
    );
    // A result of the other lane is first needed before it is in the slot.
    assign other = Moduli == 1 && other_at[j] ? left_q[j] : '0;
    assign y     = slot_q[j] | other | unit;
    mf_prim_mul #(.WidthA(DigitBits), .WidthB(DigitBits), .Stages(MulStages-1)) u_mul_x (
      .clk_i, .a_i(x_at[j]), .b_i(y), .p_o(px[j])
    );
    if (j >= int'(TableDigits)) begin : gen_no_table
      assign entry_carry[j] = 1'b0;
      assign entry_q[j]     = '0;
    end
    if (j < int'(TableDigits)) begin : gen_table
      // ---- digit j of v * mh for every v; v is the lower bits of q, and then the upper ones ----
      digit_t mh;
      if (j >= int'(ModDigits)) begin : gen_no_mod // v * mh is longer than mh
        logic unused_take;
        assign unused_take = m_take;
        assign mh      = '0;
        assign full[j] = 1'b0;
      end else if (Moduli == 1) begin : gen_mod
        logic full_q;
        assign full[j] = full_q;
        always_ff @(posedge clk_i) begin
          full_q <= !m_clear_at[j] && (full_q || m_valid_at[j]);
          mh     <= m_clear_at[j] ? '0 : m_take ? x_at[j] : mh;
        end
      end else begin : gen_mods
        digit_t mh1_q;
        logic   full0_q, full1_q;
        assign full[j] = full1_q;
        always_ff @(posedge clk_i) begin
          full0_q <= !m_clear_at[j] && (full1_q || m_valid_at[j]);
          full1_q <= full0_q;
          mh      <= m_clear_at[j] ? '0 : m_take ? x_at[j] : mh1_q;
          mh1_q   <= mh;
        end
      end

      // An entry is the one before plus mh, in cycles with fill_at; between them it is mh again.
      // Both lanes have one: with one modulus they write the same.
      digit_t entry, entry1_q;
      logic   carry, carry_in, carry_out_q, unused_lowest;
      assign entry_carry[j] = carry_out_q;
      assign carry_in       = j == 0 ? 1'b0 : entry_carry[j == 0 ? 0 : j-1];
      mf_prim_add_gate #(.WidthBits(DigitBits+2)) u_entry (
        .en_i (fill_at[j]),
        .a_i  ({1'b0, entry_q[j], carry_in}),
        .b_i  ({1'b0, mh, carry_in}),
        .s_o  ({carry, entry, unused_lowest})
      );
      always_ff @(posedge clk_i) begin
        entry1_q    <= entry;
        entry_q[j]    <= entry1_q;
        carry_out_q <= carry;
      end

      localparam int unsigned TableAddrBits = TableBits + Moduli - 1;
      digit_t   lower, upper;
      product_t both; // 2^TableBits + 1 digits at most: less than the product of two
      mf_prim_ram_tdp #(.WidthBits(DigitBits), .Depth(2**TableAddrBits)) u_table (
        .clk_i,
        .wr_en_i  (fill_at[j]),
        .a_addr_i (TableAddrBits'({modulus_at[j], q_at[j][TableBits-1:0]})),
        .a_data_i (entry_q[j]),
        .a_data_o (lower),
        .b_addr_i (TableAddrBits'({modulus_at[j], TableBits'(q_at[j] >> TableBits)})),
        .b_data_o (upper)
      );
      if (DigitBits == TableBits) begin : gen_whole
        logic unused_upper;
        assign unused_upper = ^upper;
        assign both = product_t'(lower);
      end else begin : gen_halves
        assign both = product_t'(lower) + (product_t'(upper) << TableBits);
      end
      if (MulStages == 3) begin : gen_direct
        assign pq[j] = both;
      end else begin : gen_later
        logic [MulStages-4:0][2*DigitBits-1:0] both_q;
        always_ff @(posedge clk_i) both_q <= (2*DigitBits*(MulStages-3))'({both_q, both});
        assign pq[j] = both_q[MulStages-4];
      end
    end else if (j >= int'(ModDigits)) begin : gen_no_mod
      logic unused_take;
      assign unused_take = m_take;
      assign pq[j]   = '0;
      assign full[j] = 1'b0;
    end else if (Moduli == 1) begin : gen_mod
      logic full_q;
      assign full[j] = full_q;
      always_ff @(posedge clk_i) full_q <= !m_clear_at[j] && (full_q || m_valid_at[j]);
      product_t held;
      mf_prim_mul_hold #(.WidthA(DigitBits), .WidthB(DigitBits), .Stages(Inside)) u_mul_q (
        .clk_i, .a_i(q_at[j]), .b_i(x_at[j]), .b_en_i(m_take), .p_o(held)
      );
      if (MulStages == Inside + 1) begin : gen_outside
        assign pq[j] = held;
      end else begin : gen_outside_twice
        always_ff @(posedge clk_i) pq[j] <= held;
      end
    end else begin : gen_mods // pairs that rotate with the lanes
      digit_t mh0_q, mh1_q;
      logic   full0_q, full1_q;
      assign full[j] = full1_q;
      always_ff @(posedge clk_i) begin
        full0_q <= !m_clear_at[j] && (full1_q || m_valid_at[j]);
        full1_q <= full0_q;
        mh0_q   <= m_take ? x_at[j] : mh1_q;
        mh1_q   <= mh0_q;
      end
      mf_prim_mul #(.WidthA(DigitBits), .WidthB(DigitBits), .Stages(MulStages-1)) u_mul_q (
        .clk_i, .a_i(q_at[j]), .b_i(mh0_q), .p_o(pq[j])
      );
    end
    // The lowest bit of these adders is a carry in.
    mf_prim_add_gate #(.WidthBits(2*DigitBits+1)) u_add (
      .en_i (gate_at[j]),
      .a_i  ((2*DigitBits+1)'({s_q[j][SumBits-1:DigitBits], e_q[j]})),
      .b_i  ({px_q[j], e_q[j]}),
      .s_o  ({u[j], unused_low})
    );
    assign gated    = first1_q[j] ? '0 : above;
    assign save     = u_q[j][DigitBits-1:0] ^ pq_q[j][DigitBits-1:0] ^ gated;
    assign majority = (u_q[j][DigitBits-1:0] & pq_q[j][DigitBits-1:0])
                    | (gated & (u_q[j][DigitBits-1:0] | pq_q[j][DigitBits-1:0]));

    assign {high, unused_high} = (DigitBits+2)'({u_q[j][2*DigitBits-1:DigitBits], 1'b1})
                                 + (DigitBits+2)'({pq_q[j][2*DigitBits-1:DigitBits],
                                                   majority[DigitBits-1]});
    assign low = DigitBits'(save[DigitBits-1:1]) + DigitBits'(majority[DigitBits-2:0]);

    always_ff @(posedge clk_i) begin
      carry_q[j+1] <= sum[j][SumBits:DigitBits];
      left_q[j]    <= fin_at[j] ? resolved[j] : from_right;
      e_q[j]       <= low[DigitBits];
      s_q[j]       <= {high, low[DigitBits-1:1], save[0]};
    end
  end

endmodule
