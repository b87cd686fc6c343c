// SPDX-License-Identifier: Apache-2.0
/// Operand feed of the full array: memory of x operands, tokens of products and pairs. Lane 1
/// follows lane 0 one cycle later; with TwoInTurn a pair's second product follows its first one.
/// Below, t counts the cycles of a product: start_i is given in t = 0.
///
/// Source   modfab; README.md beside this file.
/// Model    modfab.models.mul_qp_systolic.
/// Latency  x of step i of lane 0 enters the array in t = 5 + 2i. A product that follows at once
///          starts in t = Period; digit e of the result is in the memory after t = Period + 4 + 2e.
///          The sum of step i of lane 0 is in element 0 in t = 7 + MulStages + 2i. With TwoInTurn
///          the second product of a pair has its t = 0 in t = 2 * NumSteps of the first.
/// Assumes  start_i in t = Period of the product before, or 4 cycles or more after that.
///          No result for SlotMod. With Phased: single products, and start_i with phase_i.
/// Ensures  dst0 <- x0 * y * R^-1, dst1 <- x1 * y * R^-1 modulo n, R = 2^(w * (NumSteps - G)),
///          G = QuotientDelay + 1, each below 2^(w * G + 1) * n when x and y are. With LoadSum and
///          sum: dst0 <- (x * y + slot x) * R^-1, x from outside.
module mf_mul_qp_systolic_operand_feed #(
  parameter int unsigned NumDigits = 59, // digits of an operand, elements of the array
  parameter int unsigned ModDigits = 57, // digits of the modulus, and of a value from outside
  parameter int unsigned NumSteps  = 61, // steps of a product
  parameter int unsigned DigitBits = 18, // bits of a digit, w
  parameter int unsigned NumSlots  = 8,  // slots
  parameter int unsigned SlotBase  = 0,  // slot 0 in the array's memories; a power of two
  parameter int unsigned FactorSlots = 2 ** $clog2(NumSlots), // slots that elements store: 2^n
  parameter int unsigned QuotientDelay = 1, // as the array's
  parameter int unsigned MulStages = 3,     // as the array's
  parameter bit          QuotientTables = 0, // the array has tables for q * mh
  parameter bit          Phased    = 0,     // x, y_slot and q_zero are 0 in another port's cycles;
                                            // y_slot goes through a register outside
  parameter bit          LoadSum   = 0,     // a product of what comes from outside adds a slot
  parameter bit          TwoInTurn = 0,     // lane 1 is not used: pairs are products in turn
  localparam int unsigned SlotBits  = $clog2(NumSlots),
  localparam int unsigned IndexBits = $clog2(NumDigits + 1)
) (
  input  logic                           clk_i,
  input  logic                           rst_i,
  input  logic                           start_i,
  input  logic                           phase_i,   // t is even, while a product runs
  input  mf_mul_qp_systolic_pkg::products_t products_i, // held from start_i on
  output logic [IndexBits-1:0]           place_o,   // of the digit wanted from outside ...
  input  logic [DigitBits-1:0]           digit_i,   // ... here two cycles later
  input  mf_mul_qp_systolic_pkg::read_t  read_i,
  output logic [DigitBits-1:0]           digit_o,   // three cycles after read_i
  input  mf_mul_qp_systolic_pkg::wipe_t  wipe_i,
  // ---- array ----
  output mf_mul_qp_systolic_pkg::token_t token_o,
  output mf_mul_qp_systolic_pkg::entry_t entry_o, // 0 without tables
  input  logic [DigitBits-1:0]           left_i
);

  localparam int unsigned Period   = 2 * NumSteps + MulStages + 1;
  localparam int unsigned TimeBits = $clog2(Period + 1);
  localparam int unsigned MemBits  = SlotBits + IndexBits;
  localparam int unsigned Guard    = QuotientDelay + 1; // digits of shift_i
  localparam int unsigned NextTime = 2 * NumSteps;  // a product after which another one can begin
  // The cycles in which the quotient digits of the first Guard steps, which are 0, are due.
  localparam int unsigned QFirst   = 5, QLast = QFirst + 2 * Guard - 1;
  localparam int unsigned First    = MulStages + 4; // and the first sum of lane 0
  localparam int unsigned AddrBits = 8; // of slots in a token
  localparam logic [1:0] XMemory = 2'd0, XOwn = 2'd1, XOther = 2'd2, XOutside = 2'd3;

  typedef logic [DigitBits-1:0] digit_t;
  typedef logic [SlotBits-1:0]  slot_t;
  typedef logic [IndexBits-1:0] index_t;
  typedef logic [TimeBits-1:0]  time_t;
  localparam slot_t SlotMod = slot_t'(mf_pkg::SlotMod);

  mf_mul_qp_systolic_pkg::product_t lane0;
  slot_t x0, x1, y, dst0, dst1;
  logic  unused_bits; // slot numbers and addresses have fewer bits
  assign lane0       = products_i.lane0;
  assign y           = slot_t'(lane0.y);
  assign unused_bits = ^{products_i, read_i, wipe_i};
  logic  two;    // both lanes at once
  slot_t x_then; // x of lane 1 or of the second product; x0 where there is none
  if (TwoInTurn) begin : gen_ordered // where the second product still reads y, the other order
    logic swap;
    assign two          = 1'b0;
    assign x_then       = x1;
    assign swap         = products_i.two && slot_t'(lane0.dst) == y;
    assign {x0, dst0}   = swap ? {slot_t'(products_i.x1), slot_t'(products_i.dst1)}
                               : {slot_t'(lane0.x), slot_t'(lane0.dst)};
    assign {x1, dst1}   = swap ? {slot_t'(lane0.x), slot_t'(lane0.dst)}
                               : {slot_t'(products_i.x1), slot_t'(products_i.dst1)};
  end else begin : gen_lanes
    assign two          = products_i.two;
    assign x_then       = two ? x1 : x0; // one product: the address rests for a cycle
    assign x0           = slot_t'(lane0.x);
    assign x1           = slot_t'(products_i.x1);
    assign dst0         = slot_t'(lane0.dst);
    assign dst1         = slot_t'(products_i.dst1);
  end

  // ---- running product ----
  time_t           t_q;         // t, 0 while idle
  logic            run_q;       // t is not 0
  logic            last_q;      // t = Period
  logic [QLast:1]  since_q;     // since_q[k]: t = k
  logic            two_q, unit_q, mh_q;
  slot_t           y_q;
  slot_t [1:0]     x_q, dst_q;
  logic [1:0][1:0] src_q;
  logic            y_other_q;
  logic            chained;
  logic            next, begins; // the second product of two in turn begins; any does
  logic            ended;        // t = Period of any product
  assign chained = last_q && start_i;
  if (TwoInTurn) begin : gen_turn
    logic waits_q, next_q, second_q, ended_q; // ended_q: of the first one
    assign next   = next_q;
    assign begins = start_i || next_q;
    assign ended  = last_q || ended_q;
    always_ff @(posedge clk_i) begin
      waits_q  <= !rst_i && (start_i ? products_i.two : waits_q && !next_q);
      next_q   <= !rst_i && waits_q && t_q == time_t'(NextTime - 1);
      second_q <= !rst_i && (next_q || (second_q && !start_i));
      ended_q  <= !rst_i && second_q && since_q[Period-NextTime-1];
    end
  end else begin : gen_one
    assign next   = 1'b0;
    assign begins = start_i;
    assign ended  = last_q;
  end

  function automatic logic [1:0] x_source(input slot_t slot, input slot_t own, input slot_t other,
                                          input logic own_is, input logic other_is);
    if (own_is && slot == own) x_source = XOwn;
    else if (other_is && slot == other) x_source = XOther;
    else x_source = XMemory;
  endfunction

  always_ff @(posedge clk_i) begin
    if (rst_i) mh_q <= 1'b0;
    else if (start_i) mh_q <= lane0.mh;
    if (rst_i) {t_q, run_q, last_q, since_q} <= '0;
    else begin
      t_q     <= begins ? time_t'(1) : t_q == '0 || last_q ? '0 : t_q + time_t'(1);
      run_q   <= start_i || (run_q && !last_q);
      last_q  <= t_q == time_t'(Period - 1);
      since_q <= {since_q[QLast-1:1], begins};
    end
    if (start_i) begin
      two_q  <= two;
      unit_q <= lane0.y_unit;
      y_q    <= y;
      x_q    <= {x_then, x0};
      dst_q  <= {dst1, dst0};
      src_q[0] <= lane0.outside ? XOutside
                : x_source(x0, dst_q[0], dst_q[1], chained, chained && two_q);
      src_q[1] <= x_source(x1, dst_q[1], dst_q[0], chained && two_q && two,
                           chained && two);
      // Any other result is in its slot when it is needed.
      y_other_q <= chained && two_q && y == dst_q[1] && !lane0.y_unit;
    end else if (wipe_i.all) begin // slot numbers can depend on a secret exponent
      {x_q, y_q, dst_q, src_q, y_other_q} <= '0;
    end
    if (TwoInTurn) begin
      if (next) begin
        x_q[0]   <= x_q[1];
        src_q[0] <= XMemory; // its digits are read before the first result replaces them
      end
      if (ended && !start_i) dst_q[0] <= dst_q[1];
    end
  end

  // ---- a sum: the lowest digits of what comes from outside are 0; in step 0 x is 1, y slot x ----
  logic sum_y, sum_x; // the slot of y, in two cycles x, are those of step 0
  if (LoadSum) begin : gen_sum
    logic sum_q;
    always_ff @(posedge clk_i) begin
      if (rst_i) sum_q <= 1'b0;
      else if (start_i) sum_q <= lane0.sum;
    end
    assign sum_y = sum_q && since_q[Phased ? 2 : 3];
    assign sum_x = sum_q && since_q[4];
  end else begin : gen_no_sum
    logic unused_sum;
    assign unused_sum = lane0.sum;
    assign {sum_y, sum_x} = '0;
  end

  // ---- results: digit e of lane 0 is in left_i in t = 4 + 2e after the product, of lane 1 in the
  //      cycle after it, and written at once ----
  digit_t          left1_q;
  logic [3:1]      after_q;   // after_q[k]: t = k, counted from the end of a product
  logic            w_two_q, w_run_q, we_q;
  slot_t [1:0]     w_dst_q;
  logic [IndexBits:0]  w_count_q; // digit and lane
  logic [MemBits-1:0]  wr_addr_q;
  always_ff @(posedge clk_i) begin
    left1_q <= two_q ? left_i : '0;
    after_q <= rst_i ? '0 : {after_q[2:1], ended};
    if (ended) begin
      w_two_q <= two_q;
      w_dst_q <= dst_q;
    end else if (wipe_i.all) begin
      w_dst_q <= '0;
    end
    if (rst_i) w_run_q <= 1'b0;
    else if (after_q[2]) w_run_q <= 1'b1;
    else if (w_count_q == (IndexBits+1)'(2 * NumDigits - 1)) w_run_q <= 1'b0;
    w_count_q <= w_run_q ? w_count_q + (IndexBits+1)'(1) : '0;
    we_q      <= wipe_i.all || (w_run_q && (!w_count_q[0] || w_two_q) && !rst_i);
    wr_addr_q <= wipe_i.all ? MemBits'(wipe_i.addr)
                            : {w_dst_q[w_count_q[0]], index_t'(w_count_q >> 1)};
  end

  // ---- x: index in t = 1 + 2i, address one cycle later, the memory's register in t = 4 + 2i ----
  logic [MemBits-1:0] rd_addr_q;
  digit_t             mem_rd, pre_q;
  logic               direct1_q, direct_q; // lane 0 takes what lane 1 has just finished
  time_t              x_count_q; // index and lane: t - 1
  logic [2:1]         within_q;  // the digit exists in the memory ...
  logic [3:2]         inside_q;  // ... outside
  logic [TimeBits-2:0] index, place_q; // place of a digit outside; beyond all where there is none
  logic                shift_q;
  logic                x_lane;
  assign index  = x_count_q[TimeBits-1:1];
  if (TwoInTurn) begin : gen_lane0
    assign x_lane = 1'b0;
  end else begin : gen_both_lanes
    assign x_lane = x_count_q[0];
  end
  assign place_o = index_t'(place_q);

  mf_prim_ram_pipe #(.WidthBits(DigitBits), .Depth(2**MemBits)) u_x (
    .clk_i,
    .wr_en_i   (we_q),
    .wr_addr_i (wr_addr_q),
    .wr_data_i (wipe_i.all ? '0 : left_i),
    .rd_addr_i (rd_addr_q),
    .rd_data_o (mem_rd)
  );
  assign digit_o = mem_rd;

  logic       lane;  // in t = 4 + 2i: 0
  logic [1:0] src;   // of the next cycle's lane
  logic       from_memory_q, from_outside_q, from_own_q, from_first_q; // what pre_q takes
  logic       own;   // x in two cycles, a quotient digit in the next one are this port's
  assign own  = !Phased || !phase_i;
  assign lane = !x_count_q[0];
  assign src  = src_q[!lane];
  always_ff @(posedge clk_i) begin
    if (start_i) shift_q <= lane0.shift;
    x_count_q <= begins ? '0 : x_count_q + time_t'(run_q);
    rd_addr_q <= read_i.valid ? {slot_t'(read_i.slot), index_t'(read_i.index)}
                              : {x_q[x_lane], index_t'(index)};
    place_q   <= index - (shift_q ? (TimeBits-1)'(Guard) : '0);
    // In the cycles of a lane that has no product x is 0.
    within_q  <= {within_q[1] && (two_q || x_count_q[0]), 32'(index) < NumDigits};
    inside_q  <= {inside_q[2], 32'(place_q) < ModDigits};
    from_memory_q  <= src == XMemory && within_q[2] && own && !wipe_i.all;
    from_outside_q <= src == XOutside && inside_q[2] && own && !wipe_i.all;
    from_own_q     <= src == XOwn && own && !wipe_i.all;
    from_first_q   <= !Phased && src == XOther && !lane && !wipe_i.all; // lane 1, from lane 0
    direct1_q      <= !Phased && src == XOther && lane && !wipe_i.all;
    direct_q       <= direct1_q;
    pre_q <= (from_memory_q ? mem_rd : '0) | (from_outside_q ? digit_i : '0)
             | (from_own_q ? left_i : '0) | (from_first_q ? left1_q : '0) | digit_t'(sum_x);
  end

  // ---- tables: entry 0 between the clearing of mh and its first digit, the others after the
  //      product of mh; two cycles each, since the array's other port may have one of them ----
  localparam int unsigned TableBits = mf_mul_qp_systolic_pkg::table_bits(DigitBits);
  logic filling; // entries 1 and up; all of them in a wipe
  if (QuotientTables) begin : gen_fill
    logic               run_fill_q;
    logic [TableBits:0] fill_q; // two counts for an entry
    mf_mul_qp_systolic_pkg::entry_t entry_q;
    assign filling = run_fill_q || wipe_i.fill;
    assign entry_o = entry_q;
    always_ff @(posedge clk_i) begin
      run_fill_q <= !rst_i && ((last_q && mh_q) || (run_fill_q && fill_q != '1));
      fill_q     <= filling ? fill_q + (TableBits+1)'(1) : (TableBits+1)'(2);
      entry_q    <= '{
        index:   filling ? 9'(fill_q[TableBits:1]) : '0,
        write:   filling || (since_q[QFirst] && mh_q),
        modulus: 1'b0
      };
    end
  end else begin : gen_no_fill
    assign filling = 1'b0;
    assign entry_o = '0;
  end

  // ---- tokens ----
  mf_mul_qp_systolic_pkg::token_t token_q;
  // Without a product y and the quotient digits are 0: the sums run empty, and the array rests.
  logic [QFirst-1:1]   ran_q; // ran_q[k]: run_q k cycles before
  logic                wipe_half_q;
  logic [SlotBits-1:0] wipe_slot_q;
  logic [AddrBits-1:0] base;
  logic [1:0]          w_keep_q; // the elements keep the results of w_dst_q
  assign base = AddrBits'(SlotBase);
  function automatic logic [AddrBits-1:0] factor(input slot_t slot);
    factor = AddrBits'(slot) & AddrBits'(FactorSlots - 1);
  endfunction
  always_comb begin
    token_o   = token_q;
    token_o.x = direct_q ? 18'(left_i) : 18'(pre_q);
  end
  always_ff @(posedge clk_i) begin
    {wipe_slot_q, wipe_half_q} <= wipe_i.slot ? {wipe_slot_q, wipe_half_q} + (SlotBits+1)'(1)
                                               : '0;
    token_q          <= '0;
    ran_q            <= {ran_q[QFirst-2:1], run_q};
    token_q.q_zero   <= own && (wipe_i.all || since_q[QLast:QFirst] != '0 || !ran_q[QFirst-1]
                                || filling);
    token_q.first    <= wipe_i.all || since_q[First+1:First] != '0;
    token_q.y_slot   <= Phased && !phase_i ? '0
                      : base | (wipe_i.all || unit_q || !run_q || (since_q[3] && y_other_q)
                                ? AddrBits'(SlotMod) : factor(sum_y ? x_q[0] : y_q));
    token_q.y_other  <= since_q[4] && y_other_q;
    token_q.y_unit   <= unit_q && !wipe_i.all;
    token_q.fin      <= wipe_i.slot || after_q[2] || (after_q[3] && w_two_q);
    token_q.fin_slot <= base | factor(wipe_i.slot ? wipe_slot_q : w_dst_q[!after_q[2]]);
    w_keep_q         <= {32'(w_dst_q[1]) < FactorSlots, 32'(w_dst_q[0]) < FactorSlots};
    token_q.keep     <= wipe_i.slot || (after_q[2] && w_keep_q[0])
                        || (after_q[3] && w_two_q && w_keep_q[1]);
    token_q.m_clear  <= wipe_i.all || (since_q[2] && mh_q);
    token_q.m_valid  <= mh_q && !lane && inside_q[3];
  end

endmodule
