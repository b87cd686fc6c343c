// SPDX-License-Identifier: Apache-2.0
/// Folded array with its memories: fewer elements than digits. A product is NumPasses passes of all
/// digits through NumElements elements, a step in each. The passes of two lanes alternate.
///
/// Source   modfab; README.md beside this file derives every cycle number below.
/// Model    modfab.models.mul_qp_systolic_fold.
/// Latency  A product that follows starts mf_mul_qp_systolic_pkg::product_cycles after start_i;
///          digit e of the result is in the memory e + 1 cycles after that.
/// Assumes  start_i at least that many cycles after the previous start_i; other ports as described
///          beside them. No result for SlotMod.
/// Ensures  as mf_mul_qp_systolic_operand_feed with its array; NumSteps = NumPasses * NumElements.
module mf_mul_qp_systolic_fold #(
  parameter int unsigned NumDigits   = 59, // digits of an operand, E
  parameter int unsigned ModDigits   = 57, // digits of the modulus, and of a value from outside
  parameter int unsigned NumElements = 8,  // elements of the array, P, below NumDigits
  parameter int unsigned NumPasses   = 8,  // passes of a product, 2 or more
  parameter int unsigned DigitBits   = 18, // bits of a digit, w
  parameter int unsigned NumSlots    = 8,  // slots
  parameter int unsigned QuotientDelay = 1, // steps from a quotient digit to its product
  parameter int unsigned MulStages   = 3,  // registers of a product, 3 .. QuotientDelay + 2
  localparam int unsigned SlotBits   = $clog2(NumSlots),
  localparam int unsigned IndexBits  = $clog2(NumDigits + 1)
) (
  input  logic                           clk_i,
  input  logic                           rst_i,
  input  logic                           start_i,
  input  mf_mul_qp_systolic_pkg::products_t products_i, // held from start_i on
  output logic [IndexBits-1:0]           place_o,   // of the digit wanted from outside ...
  input  logic [DigitBits-1:0]           digit_i,   // ... here two cycles later
  input  mf_mul_qp_systolic_pkg::read_t  read_i,
  output logic [DigitBits-1:0]           digit_o,   // three cycles after read_i
  input  mf_mul_qp_systolic_pkg::wipe_t  wipe_i
);

  localparam int unsigned Guard   = QuotientDelay + 1; // digits of shift_i
  localparam int unsigned Late    = MulStages - 3; // cycles that all sums are later
  localparam int unsigned OnePass = mf_mul_qp_systolic_pkg::pass_cycles(NumDigits, NumElements, 1);
  localparam int unsigned TwoPass = mf_mul_qp_systolic_pkg::pass_cycles(NumDigits, NumElements, 2);
  localparam int unsigned OneLast =
    mf_mul_qp_systolic_pkg::last_cycles(NumDigits, NumElements, MulStages, 1);
  localparam int unsigned TwoLast =
    mf_mul_qp_systolic_pkg::last_cycles(NumDigits, NumElements, MulStages, 2);
  localparam int unsigned Soonest = 2 * NumElements + 9 + Late;
  localparam int unsigned Held    = TwoPass > Soonest ? TwoPass - Soonest : 0;
  localparam int unsigned PlaceBits = $clog2((OneLast > TwoLast ? OneLast : TwoLast) + 1);
  localparam int unsigned PassBits  = $clog2(NumPasses);
  localparam int unsigned StepBits  = $clog2(NumPasses * NumElements);
  localparam int unsigned MemBits   = SlotBits + IndexBits;
  localparam int unsigned SumBits   = 2 * DigitBits + 2;

  typedef logic [DigitBits-1:0] digit_t;
  typedef logic [SlotBits-1:0]  slot_t;
  typedef logic [IndexBits-1:0] index_t;
  typedef logic [PlaceBits-1:0] place_t;
  typedef logic [StepBits-1:0]  step_t;

  mf_mul_qp_systolic_pkg::product_t lane0;
  slot_t x0, x1, y;
  logic  unused_bits; // slot numbers and addresses have fewer bits
  assign lane0       = products_i.lane0;
  assign x0          = slot_t'(lane0.x);
  assign x1          = slot_t'(products_i.x1);
  assign y           = slot_t'(lane0.y);
  assign unused_bits = ^{products_i, lane0.sum, read_i, wipe_i};

  // ---- passes: place_q is the digit of element 0, 7 + Late cycles ahead ----
  logic [1:0]         final_two_q;
  logic               run_q, two_q, outside_q, shift_q, mh_q, y_unit_q, lane_q, first_pass_q,
                      lane_end, next_lane, pass_end;
  slot_t              y_q;
  slot_t [1:0]        x_q, dst_q, final_dst_q;
  place_t             place_q, left_q;   // digit; cycles left of the pass
  logic [PassBits-1:0] passes_q, next_passes; // after this one
  step_t              step_q, base_q;    // step whose digit of x is read; step of element 0
  assign lane_end    = lane_q == two_q;
  assign pass_end    = run_q && left_q == '0;
  assign next_lane   = !lane_end;
  assign next_passes = lane_end ? passes_q - PassBits'(1) : passes_q;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      two_q     <= products_i.two;
      outside_q <= lane0.outside;
      shift_q   <= lane0.shift;
      y_q       <= y;
      y_unit_q  <= lane0.y_unit;
      x_q       <= {x1, x0};
      dst_q     <= {slot_t'(products_i.dst1), slot_t'(lane0.dst)};
    end else if (wipe_i.all) begin // slot numbers can depend on a secret exponent
      {x_q, y_q, dst_q} <= '0;
    end
    if (rst_i) run_q <= 1'b0;
    else if (start_i) run_q <= 1'b1;
    else if (pass_end && passes_q == '0 && lane_end) run_q <= 1'b0;
    if (rst_i) mh_q <= 1'b0;
    else if (start_i) mh_q <= lane0.mh;
    if (start_i || pass_end) begin
      place_q <= '0;
      step_q  <= start_i ? '0 : lane_end ? base_q + step_t'(NumElements) : base_q;
    end else begin
      place_q <= place_q + place_t'(run_q); // idle, the memories are at rest
      step_q  <= step_q + step_t'(run_q);
    end
    if (start_i) begin
      lane_q       <= 1'b0;
      first_pass_q <= 1'b1;
      base_q       <= '0;
      passes_q     <= PassBits'(NumPasses - 1);
      left_q       <= products_i.two ? place_t'(TwoPass - 1) : place_t'(OnePass - 1);
    end else if (pass_end) begin
      lane_q   <= next_lane;
      passes_q <= next_passes;
      if (lane_end) begin
        first_pass_q <= 1'b0;
        base_q       <= base_q + step_t'(NumElements);
      end
      if (next_passes == '0 && next_lane == two_q)
        left_q <= two_q ? place_t'(TwoLast - 1) : place_t'(OneLast - 1);
      else left_q <= two_q ? place_t'(TwoPass - 1) : place_t'(OnePass - 1);
    end else begin
      left_q <= left_q - place_t'(1);
    end
    if (wipe_i.all) final_dst_q <= '0;
    else if (run_q && place_q == '0 && passes_q == '0) begin
      final_dst_q[lane_q] <= dst_q[lane_q];
      final_two_q[lane_q] <= two_q;
    end
  end

  // ---- the same, one to 8 + Late cycles later ----
  logic [8+Late:0]           last_at;       // the highest digit
  logic [8+Late:1]           last_after_q;
  logic [6+Late:0]           first_pass_at;
  logic [6+Late:1]           first_pass_after_q;
  logic [4+Late:0]           lane_at;
  logic [4+Late:1]           lane_after_q;
  logic [3:0]                first_at, final_at;
  logic [3:1]                first_after_q, final_after_q;
  logic [4+Late:0][IndexBits-1:0] index_at;
  logic [4+Late:1][IndexBits-1:0] index_after_q;
  assign last_at       = {last_after_q, run_q && place_q == place_t'(NumDigits - 1)};
  assign first_pass_at = {first_pass_after_q, first_pass_q};
  assign lane_at       = {lane_after_q, lane_q};
  assign first_at      = {first_after_q, run_q && place_q == '0};
  assign final_at      = {final_after_q, passes_q == '0};
  assign index_at      = {index_after_q, index_t'(place_q)};
  always_ff @(posedge clk_i) begin
    last_after_q       <= last_at[7+Late:0];
    first_pass_after_q <= first_pass_at[5+Late:0];
    lane_after_q       <= lane_at[3+Late:0];
    first_after_q      <= first_at[2:0];
    final_after_q      <= final_at[2:0];
    index_after_q      <= index_at[3+Late:0];
  end

  // ---- slots, once for x and once for y ----
  logic [MemBits-1:0] x_addr_q, y_addr_q, wr_addr;
  digit_t             x_rd, y_rd, x_in_q, y_in_q, wr_digit, result_q, held;
  step_t              outer_q; // place of a digit outside; beyond all where there is none
  logic [3:1]         within_q;            // the digit exists in the memory ...
  logic [3:2]         inside_q;            // ... outside
  logic [4:1]         m_we_q;
  logic [3:1]         unit_q;
  logic               wr_en;
  logic [2:0]         out_we_q; // of a result, following the address of the digits held
  slot_t              out_slot_q;
  logic [2:0][IndexBits-1:0] out_index_q;
  assign wr_en    = wipe_i.all || out_we_q[2];
  assign wr_addr  = wipe_i.all ? MemBits'(wipe_i.addr) : {out_slot_q, out_index_q[2]};
  assign wr_digit = wipe_i.all ? '0 : held;
  mf_prim_ram_pipe #(.WidthBits(DigitBits), .Depth(2**MemBits)) u_x (
    .clk_i, .wr_en_i(wr_en), .wr_addr_i(wr_addr), .wr_data_i(wr_digit), .rd_addr_i(x_addr_q),
    .rd_data_o(x_rd)
  );
  mf_prim_ram_pipe #(.WidthBits(DigitBits), .Depth(2**MemBits)) u_y (
    .clk_i, .wr_en_i(wr_en), .wr_addr_i(wr_addr), .wr_data_i(wr_digit), .rd_addr_i(y_addr_q),
    .rd_data_o(y_rd)
  );
  assign digit_o = x_rd;
  assign place_o = index_t'(outer_q);
  always_ff @(posedge clk_i) begin
    x_addr_q <= read_i.valid ? {slot_t'(read_i.slot), index_t'(read_i.index)}
                             : {x_q[lane_q], index_t'(step_q)};
    outer_q  <= step_q - (shift_q ? step_t'(Guard) : '0);
    within_q <= {within_q[2:1], 32'(step_q) < NumDigits};
    inside_q <= {inside_q[2], 32'(outer_q) < ModDigits};
    if (wipe_i.all) x_in_q <= '0;
    else if (outside_q) x_in_q <= inside_q[3] ? digit_i : '0;
    else x_in_q <= within_q[3] ? x_rd : '0;
    y_addr_q <= {y_q, index_t'(place_q)};
    unit_q   <= {unit_q[2:1], y_unit_q};
    y_in_q   <= wipe_i.all ? '0 : unit_q[3] ? digit_t'(last_at[3]) : y_rd;
  end

  // ---- mh: taken from x, which has P digits in every pass ----
  logic [4:1][IndexBits-1:0] m_index_q;
  digit_t                    m_rd, m_in_q;
  mf_prim_ram_pipe #(.WidthBits(DigitBits), .Depth(2**IndexBits)) u_m (
    .clk_i, .wr_en_i(wipe_i.all || m_we_q[4]),
    .wr_addr_i(wipe_i.all ? index_t'(wipe_i.addr) : m_index_q[4]),
    .wr_data_i(wipe_i.all ? '0 : x_in_q), .rd_addr_i(index_at[2]), .rd_data_o(m_rd)
  );
  always_ff @(posedge clk_i) begin
    m_we_q    <= {m_we_q[3:1], run_q && mh_q && 32'(place_q) < NumElements
                               && 32'(step_q) < NumDigits};
    m_index_q <= {m_index_q[3:1], index_t'(step_q)};
    m_in_q    <= wipe_i.all ? '0 : m_rd;
  end

  // ---- sums and quotient digits from the last element back to the first ----
  logic [SumBits-1:0] s_out, s_rd, s_in_q;
  digit_t             q_in_q;
  digit_t [QuotientDelay-1:0]      q_out;
  digit_t [1:0][QuotientDelay-1:0] q_lane_q; // those of a lane's last pass
  logic   [QuotientDelay-1:0]      take_q, take_q_lane;
  logic               out_first, out_lane, out_final;
  logic               sum_we_q, sum_lane_q, sum_final_q, sum_first_q;
  index_t             sum_index_q;
  mf_prim_ram_pipe #(.WidthBits(SumBits), .Depth(2**(IndexBits+1))) u_s (
    .clk_i, .wr_en_i(wipe_i.all || sum_we_q),
    .wr_addr_i(wipe_i.all ? (IndexBits+1)'(wipe_i.addr) : {sum_lane_q, sum_index_q}),
    .wr_data_i(wipe_i.all ? '0 : s_out), .rd_addr_i({lane_at[4+Late], index_at[4+Late]}),
    .rd_data_o(s_rd)
  );
  logic second; // element 1's quotient digit is due two cycles after element 0's
  assign second = QuotientDelay == 2 && index_at[4] >= index_t'(2);
  always_ff @(posedge clk_i) begin
    for (int k = 0; k < int'(QuotientDelay); k++)
      if (take_q[k]) q_lane_q[take_q_lane[k]][k] <= q_out[k];
    q_in_q <= wipe_i.all || first_pass_at[4] ? '0 : q_lane_q[lane_at[4]][second];
    s_in_q <= wipe_i.all || first_pass_at[6+Late] ? '0 : s_rd;
    sum_first_q <= out_first;
    if (rst_i) sum_we_q <= 1'b0;
    else if (out_first) sum_we_q <= 1'b1;
    else if (32'(sum_index_q) == NumDigits - 1) sum_we_q <= 1'b0;
    if (out_first) begin
      sum_index_q <= '0;
      sum_lane_q  <= out_lane;
      sum_final_q <= out_final;
    end else begin
      sum_index_q <= sum_index_q + index_t'(1);
    end
  end

  // ---- results: the last quotient digits; carries of the sums make the others ----
  digit_t                 digit; // in the cycle after sum_first_q and later ones
  logic [2*DigitBits:0]   whole_q;
  logic [2*DigitBits+1:0] sum;
  logic [DigitBits+1:0]   carry_q; // at most 2^(w+1)
  logic                   result_we_q;
  index_t                 result_index_q;
  assign sum = (2*DigitBits+2)'(whole_q) + (2*DigitBits+2)'(carry_q);
  always_ff @(posedge clk_i) begin
    whole_q <= {s_out[SumBits-1:DigitBits+1] + (DigitBits+1)'(s_out[DigitBits]),
                s_out[DigitBits-1:0]};
    carry_q        <= sum_first_q ? '0 : sum[2*DigitBits+1:DigitBits];
    result_q       <= sum_first_q ? q_lane_q[sum_lane_q][0] : digit;
    result_we_q    <= sum_we_q && sum_final_q;
    result_index_q <= sum_index_q;
  end

  if (QuotientDelay == 1) begin : gen_digit
    assign digit = sum[DigitBits-1:0];
  end else begin : gen_second_digit
    digit_t sum_q;
    logic   second_q;
    assign digit = second_q ? q_lane_q[sum_lane_q][1] : sum_q;
    always_ff @(posedge clk_i) begin
      sum_q    <= sum[DigitBits-1:0];
      second_q <= sum_first_q;
    end
  end

  // ---- delayed write: after lane 1 of the pair has read every slot it may overwrite ----
  logic   wait_q;
  place_t wait_left_q;
  slot_t  wait_slot_q, next_slot_q;
  mf_prim_ram_pipe #(.WidthBits(DigitBits), .Depth(2**IndexBits)) u_result (
    .clk_i, .wr_en_i(wipe_i.all || result_we_q),
    .wr_addr_i(wipe_i.all ? index_t'(wipe_i.addr) : result_index_q),
    .wr_data_i(wipe_i.all ? '0 : result_q), .rd_addr_i(out_index_q[0]), .rd_data_o(held)
  );
  always_ff @(posedge clk_i) begin
    if (rst_i) wait_q <= 1'b0;
    else if (sum_first_q && sum_final_q) wait_q <= 1'b1;
    else if (wait_left_q == '0) wait_q <= 1'b0;
    if (sum_first_q) begin
      wait_left_q <= final_two_q[sum_lane_q] ? place_t'(Held) : '0;
      wait_slot_q <= final_dst_q[sum_lane_q];
    end else begin
      wait_left_q <= wait_left_q - place_t'(1);
    end
    out_we_q[2:1]    <= rst_i ? '0 : out_we_q[1:0];
    out_index_q[2:1] <= out_index_q[1:0];
    if (rst_i) out_we_q[0] <= 1'b0;
    else if (wait_q && wait_left_q == '0) out_we_q[0] <= 1'b1;
    else if (32'(out_index_q[0]) == NumDigits - 1) out_we_q[0] <= 1'b0;
    if (wait_q && wait_left_q == '0) out_index_q[0] <= '0;
    else out_index_q[0] <= out_index_q[0] + index_t'(1);
    if (wipe_i.all) next_slot_q <= '0;
    else if (wait_q && wait_left_q == '0) next_slot_q <= wait_slot_q;
    if (out_index_q[1] == '0) out_slot_q <= next_slot_q;
  end

  mf_mul_qp_systolic_fold_array #(
    .NumElements(NumElements), .DigitBits(DigitBits), .QuotientDelay(QuotientDelay),
    .MulStages(MulStages)
  ) u_array (
    .clk_i,
    .x_i           (x_in_q),
    .y_i           (y_in_q),
    .m_i           (m_in_q),
    .q_i           (q_in_q),
    .s_i           (s_in_q),
    .first_i       (wipe_i.all || first_at[3]),
    .lane_i        (lane_at[3] ^ (wipe_i.all && wipe_i.addr[0])), // a wipe clears both lanes
    .final_i       (!wipe_i.all && final_at[3]),
    .last_i        (last_at[8+Late]),
    .q_o           (q_out),
    .s_o           (s_out),
    .take_q_o      (take_q),
    .take_q_lane_o (take_q_lane),
    .first_o       (out_first),
    .lane_o        (out_lane),
    .final_o       (out_final)
  );

endmodule
