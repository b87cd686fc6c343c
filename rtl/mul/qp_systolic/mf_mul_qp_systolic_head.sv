// SPDX-License-Identifier: Apache-2.0
/// Head of the array: the memory of x operands, and the tokens of products and pairs.
/// Lane 0 is context A, lane 1 is context B, one clock behind.
///
/// Source   modfab; README.md beside this file derives every clock number below.
/// Model    modfab.models.mul_qp_systolic.
/// Latency  Period clocks from start_i to last_o; the result's digits reach the memory until
///          DrainClocks after last_o, but an operand of the next product is taken on its way.
/// Assumes  start_i while idle for 3 clocks, or with last_o; other ports as said beside them.
/// Ensures  dst0 <- x0 * y * R^-1, dst1 <- x1 * y * R^-1 modulo n, R = 2^(w * (NumSteps - 2)),
///          each below 2^(2w + 1) * n when x and y are.
module mf_mul_qp_systolic_head #(
  parameter int unsigned NumDigits = 59, // digits of an operand, elements of the array
  parameter int unsigned ModDigits = 57, // digits of the modulus
  parameter int unsigned NumSteps  = 61, // steps of a product
  parameter int unsigned DigitBits = 18, // bits of a digit, w
  parameter int unsigned NumSlots  = 8,  // slots; one more for x operands only, number NumSlots
  localparam int unsigned SlotBits  = $clog2(NumSlots + 1),
  localparam int unsigned IndexBits = $clog2(NumDigits)
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  // ---- products ----
  input  logic                 start_i,
  input  logic                 two_i,       // a pair
  input  logic [SlotBits-1:0]  x0_i,
  input  logic [SlotBits-1:0]  x1_i,
  input  logic [SlotBits-1:0]  y_i,
  input  logic                 y_unit_i,    // y = 2^(w * (NumDigits - 1)) instead of a slot
  input  logic [SlotBits-1:0]  dst0_i,
  input  logic [SlotBits-1:0]  dst1_i,
  output logic                 last_o,      // in the last clock of a product
  // ---- the x memory, while drained ----
  input  logic                 we_i,
  input  logic                 rd_i,
  input  logic [SlotBits-1:0]  slot_i,
  input  logic [IndexBits-1:0] index_i,
  input  logic [DigitBits-1:0] digit_i,     // we_i; m_valid_i
  output logic [DigitBits-1:0] digit_o,     // one clock after rd_i
  // ---- multiple of the modulus, digits in order ----
  input  logic                 m_clear_i,
  input  logic                 m_valid_i,
  // ---- wipe of the elements: hold, then every slot once ----
  input  logic                 wipe_i,
  input  logic                 wipe_slot_i
);

  localparam int unsigned Period   = 2 * NumSteps + 4;
  localparam int unsigned TimeBits = $clog2(Period + 1);
  localparam int unsigned AddrBits = $clog2(NumSlots);
  localparam logic [1:0] XMemory = 2'd0, XOwn = 2'd1, XOther = 2'd2;

  typedef logic [DigitBits-1:0] digit_t;
  typedef logic [SlotBits-1:0]  slot_t;
  typedef logic [AddrBits-1:0]  addr_t;
  typedef logic [TimeBits-1:0]  time_t;

  // ---- the product that is being started: t_q = 1 in the clock after start_i ----
  time_t            t_q;
  logic             two_q;
  addr_t            y_q;
  slot_t [1:0]      x_q, dst_q;
  logic [1:0][1:0]  x_src_q;
  logic [1:0][2:0]  y_src_q;
  logic             chained;
  assign last_o  = t_q == time_t'(Period);
  assign chained = last_o && start_i;

  function automatic logic [1:0] x_source(input slot_t slot, input slot_t own, input slot_t other,
                                          input logic own_is, input logic other_is);
    if (own_is && slot == own) x_source = XOwn;
    else if (other_is && slot == other) x_source = XOther;
    else x_source = XMemory;
  endfunction

  always_ff @(posedge clk_i) begin
    if (rst_i) t_q <= '0;
    else if (start_i) t_q <= time_t'(1);
    else if (last_o) t_q <= '0;
    else if (t_q != '0) t_q <= t_q + time_t'(1);
    if (start_i) begin
      two_q      <= two_i;
      y_q        <= addr_t'(y_i);
      x_q        <= {x1_i, x0_i};
      dst_q      <= {dst1_i, dst0_i};
      x_src_q[0] <= x_source(x0_i, dst_q[0], dst_q[1], chained, chained && two_q);
      x_src_q[1] <= x_source(x1_i, dst_q[1], dst_q[0], chained && two_q, chained);
      // Array: YSlot 0, YOwn 1, YOther 2, YUnit 3. Lane 1 finds lane 0's result in its slot.
      if (y_unit_i) y_src_q <= {3'd3, 3'd3};
      else begin
        y_src_q[0] <= chained && y_i == dst_q[0] ? 3'd1 : chained && two_q && y_i == dst_q[1] ? 3'd2
                    : 3'd0;
        y_src_q[1] <= chained && two_q && y_i == dst_q[1] ? 3'd1 : 3'd0;
      end
    end
  end

  // ---- x memory: digit i of lane 0 is read in clock 1 + 2i, of lane 1 one clock later ----
  localparam int unsigned MemBits = SlotBits + IndexBits;
  digit_t              left, left1_q, left2_q, mem_rd, x_mem_q, x_now;
  logic [TimeBits-1:0] ahead;
  logic                beyond_q, mem_we;
  logic [MemBits-1:0]  rd_addr, wr_addr;
  logic [1:0]          x_src;
  time_t               w_q; // clocks since the product before ended
  logic                w_two_q;
  slot_t [1:0]         w_dst_q;
  assign ahead   = (t_q - time_t'(1)) >> 1;
  assign rd_addr = rd_i ? {slot_i, index_i} : {x_q[!t_q[0]], IndexBits'(ahead)};

  // Digit e of a result leaves the array in clock 2 + 2e of the next period, one later for lane 1.
  logic [IndexBits-1:0] arrived;
  assign arrived = IndexBits'((w_q - time_t'(2)) >> 1);
  assign mem_we  = we_i || (w_q >= time_t'(2) && (!w_q[0] || w_two_q));
  assign wr_addr = we_i ? {slot_i, index_i} : {w_dst_q[w_q[0]], arrived};

  mf_prim_ram_1r1w #(.WidthBits(DigitBits), .Depth(2**MemBits)) u_x (
    .clk_i,
    .wr_en_i   (mem_we),
    .wr_addr_i (wr_addr),
    .wr_data_i (we_i ? digit_i : left),
    .rd_addr_i (rd_addr),
    .rd_data_o (mem_rd)
  );
  assign digit_o = mem_rd;
  assign x_src   = x_src_q[!t_q[0]];
  assign x_now   = x_src == XMemory ? x_mem_q
                 : x_src == XOwn ? left1_q : t_q[0] ? left : left2_q;

  always_ff @(posedge clk_i) begin
    beyond_q <= 32'(ahead) >= NumDigits;
    x_mem_q  <= beyond_q ? '0 : mem_rd;
    {left2_q, left1_q} <= {left1_q, left};
    if (rst_i) w_q <= '0;
    else if (last_o) w_q <= time_t'(1);
    else if (w_q == time_t'(2 * NumDigits + 1)) w_q <= '0;
    else if (w_q != '0) w_q <= w_q + time_t'(1);
    if (last_o) begin
      w_two_q <= two_q;
      w_dst_q <= dst_q;
    end
  end

  // ---- tokens ----
  logic  fin_a_q, fin_b1_q, fin_b_q, fin;
  addr_t fin_slot, wipe_slot_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) {fin_a_q, fin_b1_q, fin_b_q} <= '0;
    else {fin_a_q, fin_b1_q, fin_b_q} <= {last_o, last_o && two_q, fin_b1_q};
    wipe_slot_q <= wipe_slot_i ? wipe_slot_q + addr_t'(1) : '0;
  end
  assign fin      = wipe_i ? wipe_slot_i : fin_a_q || fin_b_q;
  assign fin_slot = wipe_i ? wipe_slot_q : addr_t'(fin_a_q ? w_dst_q[0] : w_dst_q[1]);

  function automatic logic between(input time_t t, input int unsigned low, input int unsigned high);
    between = 32'(t) >= low && 32'(t) <= high;
  endfunction

  mf_mul_qp_systolic_array #(
    .NumDigits(NumDigits), .ModDigits(ModDigits), .DigitBits(DigitBits), .NumSlots(NumSlots)
  ) u_array (
    .clk_i,
    .x_i        (m_valid_i ? digit_i : wipe_i ? '0 : x_now),
    .q_zero_i   (wipe_i || between(t_q, 4, 7)),
    .first_i    (wipe_i || between(t_q, 6, 7)),
    .y_load_i   (wipe_i || between(t_q, 2, 3)),
    .y_src_i    (wipe_i ? 3'd4 : y_src_q[t_q[0]]),
    .y_slot_i   (y_q),
    .fin_i      (fin),
    .fin_slot_i (fin_slot),
    .m_clear_i  (wipe_i || m_clear_i),
    .m_valid_i  (m_valid_i),
    .digit_o    (left)
  );

endmodule
