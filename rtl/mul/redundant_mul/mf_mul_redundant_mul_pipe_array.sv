// SPDX-License-Identifier: Apache-2.0
/// Two products a * b * R^-1 whose steps alternate, with registers in the loop of the quotient.
///
/// S <- S div B + a * b[i] + q * M^, B = 2^DigitBits, q = S mod B of Delay steps before, M^ =
/// B^-(Delay+1) mod M. After Steps of them {S, the last Delay q} is the product. S stays in
/// redundant digits: no carry runs.
///
/// Source   [ORUP95] quotient determination with a delay; [NAKANO09] Lemma 3 for the sums.
/// Model    modfab.models.redundant_pipe (`_product`).
/// Latency  cycle 0: load_y_i was high in the cycle before, slot_b_i is b. Cycles 1 and 2: slot_a_i
///          is the first and the second a, load_x_i was high in the cycle before. Cycle 6 + 2i +
///          lane: S of step i. So z_o has the results in cycles 6 + 2 * Steps and 7 + 2 * Steps.
/// Assumes  shift_y_i high in cycles 1, 3, 5 ..; clear_i high in the cycles -1 .. 6 and low in
///          7 .. 6 + 2 * Steps; early_i is clear_i one cycle sooner. Digits of slots at most
///          2^DigitBits + 4, of mh_i + 2; mh_i <= M.
/// Ensures  z_o = (a * b + k * M) / R < a * b / R + B^(Delay+1) * M, digits at most B + 4.
module mf_mul_redundant_mul_pipe_array #(
  parameter int unsigned Digits      = 7,  // of a slot: below B^Digits
  parameter int unsigned ModDigits   = 4,
  parameter int unsigned DigitBits   = 16, // 5..17
  parameter int unsigned Stages      = 3,  // registers in the loop of the quotient: 1, 3, 5
  parameter int unsigned GroupDigits = 8   // digits that share a copy of a broadcast signal
) (
  input  logic                                clk_i,
  input  logic                                load_x_i,
  input  logic                                load_y_i,
  input  logic                                shift_y_i,
  input  logic                                clear_i,
  input  logic                                early_i,
  input  logic [Digits-1:0][DigitBits:0]      slot_a_i,
  input  logic [Digits-1:0][DigitBits:0]      slot_b_i,
  input  logic [ModDigits-1:0][DigitBits:0]   mh_i,
  output logic [Digits-1:0][DigitBits:0]      z_o
);

  localparam int unsigned Delay     = (Stages - 1) / 2;
  localparam int unsigned W         = DigitBits + 3; // a digit of S is at most 5B + 14
  localparam int unsigned Groups    = Digits / GroupDigits + 1; // S has one digit more
  localparam int unsigned XGroups   = (Digits - 1) / GroupDigits + 1;
  localparam int unsigned ModGroups = (ModDigits - 1) / GroupDigits + 1;
  typedef logic [DigitBits:0]     factor_t;
  typedef logic [2*DigitBits+1:0] product_t;
  typedef logic [W-1:0]           digit_t;

  localparam digit_t Principal = digit_t'((1 << DigitBits) - 1);
  function automatic digit_t low(input digit_t x);
    low = x & Principal;
  endfunction
  function automatic digit_t high(input digit_t x);
    high = x >> DigitBits;
  endfunction
  function automatic digit_t product_low(input product_t p);
    product_low = digit_t'(p & product_t'(Principal));
  endfunction
  function automatic digit_t product_high(input product_t p);
    product_high = digit_t'(p >> DigitBits);
  endfunction

  // ---- control, a copy for each group of digits ----
  logic [Groups-1:0][3:0] ctl;
  logic [Groups-1:0]      load_x, load_y, shift_y, clear;
  mf_fanout_reg #(.WidthBits(4), .Copies(Groups)) u_ctl (
    .clk_i,
    .d_i ({load_x_i, load_y_i, shift_y_i, clear_i}),
    .q_o (ctl)
  );
  always_comb begin
    for (int unsigned g = 0; g < Groups; g++) {load_x[g], load_y[g], shift_y[g], clear[g]} = ctl[g];
  end

  logic unused_ctl; // the highest group can have the highest digit of S alone
  assign unused_ctl = ^ctl[Groups-1];

  // ---- operands: the two a alternate, the digits of b shift down ----
  logic [Digits-1:0][DigitBits:0]  x_q, turn_q, y_q; // y_q: digits of b after the present one
  factor_t                         y_d, y_hold_q;
  logic [XGroups-1:0][DigitBits:0] y;
  always_ff @(posedge clk_i) begin
    turn_q <= x_q;
    for (int unsigned j = 0; j < Digits; j++) begin
      x_q[j] <= load_x[j/GroupDigits] ? slot_a_i[j] : turn_q[j];
      if (load_y[j/GroupDigits]) y_q[j] <= j + 1 < Digits ? slot_b_i[(j+1)%Digits] : '0;
      else if (shift_y[j/GroupDigits]) y_q[j] <= j + 1 < Digits ? y_q[(j+1)%Digits] : '0;
    end
    y_hold_q <= y_d;
  end
  assign y_d = load_y[0] ? slot_b_i[0] : shift_y[0] ? y_q[0] : y_hold_q;
  mf_fanout_reg #(.WidthBits(DigitBits + 1), .Copies(XGroups)) u_y (
    .clk_i, .d_i (y_hold_q), .q_o (y)
  );

  // ---- a * b[i]: two registers in the multiplier, one behind it, one behind the sum ----
  product_t [Digits-1:0] xy, xy_q;
  digit_t   [Digits:0]   xy_sum_q;
  for (genvar j = 0; j < Digits; j++) begin : gen_xy
    mf_prim_mul #(.WidthA(DigitBits + 1), .WidthB(DigitBits + 1), .Stages(2)) u_mul (
      .clk_i,
      .a_i (x_q[j]),
      .b_i (y[j/GroupDigits]),
      .p_o (xy[j])
    );
  end
  always_ff @(posedge clk_i) begin
    xy_q <= xy;
    for (int unsigned j = 0; j <= Digits; j++) begin // at most 2B + 7
      xy_sum_q[j] <= (j < Digits ? product_low(xy_q[j%Digits]) : '0)
                   + (j > 0 ? product_high(xy_q[(j+Digits-1)%Digits]) : '0);
    end
  end

  // ---- the quotient digit, and q * M^ ----
  digit_t   [Digits:0]                         s_q, s_d;
  logic     [DigitBits-1:0]                    q_d;
  logic     [ModGroups-1:0][DigitBits-1:0]     q;
  product_t [ModDigits-1:0]                    km, km_in;
  logic                                        early_q;
  always_ff @(posedge clk_i) early_q <= early_i;
  assign q_d = early_q ? '0 : s_d[0][DigitBits-1:0];
  if (Stages < 5) begin : gen_near
    mf_fanout_reg #(.WidthBits(DigitBits), .Copies(ModGroups)) u_q (.clk_i, .d_i(q_d), .q_o(q));
    assign km_in = km;
  end else begin : gen_far
    logic [DigitBits-1:0] q_q;
    always_ff @(posedge clk_i) q_q <= q_d;
    mf_fanout_reg #(.WidthBits(DigitBits), .Copies(ModGroups)) u_q (.clk_i, .d_i(q_q), .q_o(q));
    product_t [ModDigits-1:0] km_q;
    always_ff @(posedge clk_i) km_q <= km;
    assign km_in = km_q;
  end
  for (genvar j = 0; j < ModDigits; j++) begin : gen_km
    logic [2*DigitBits:0] km_p;
    mf_prim_mul #(
      .WidthA(DigitBits + 1), .WidthB(DigitBits), .Stages(Stages == 1 ? 1 : 2)
    ) u_mul (
      .clk_i,
      .a_i (mh_i[j]),
      .b_i (q[j/GroupDigits]),
      .p_o (km_p)
    );
    assign km[j] = product_t'(km_p);
  end

  // ---- S ----
  digit_t [Digits:0] moved_q, all_q, km_sum;
  always_comb begin
    for (int unsigned j = 0; j <= Digits; j++) begin // at most 2B + 1
      km_sum[j] = '0;
      if (j < ModDigits) km_sum[j] = product_low(km_in[j%ModDigits]);
      if (j > 0 && j <= ModDigits)
        km_sum[j] = km_sum[j] + product_high(km_in[(j+ModDigits-1)%ModDigits]);
    end
    for (int unsigned j = 0; j <= Digits; j++)
      s_d[j] = moved_q[j] + all_q[j] + (Stages == 1 ? km_sum[j] : '0);
  end
  always_ff @(posedge clk_i) begin
    s_q <= s_d;
    for (int unsigned j = 0; j <= Digits; j++) begin
      moved_q[j] <= clear[j/GroupDigits] ? '0
                  : high(s_q[j]) + (j < Digits ? low(s_q[(j+1)%(Digits+1)]) : '0);
      all_q[j]   <= xy_sum_q[j] + (Stages == 1 ? '0 : km_sum[j]);
    end
  end

  // ---- the result: S above the quotient digits that no step took; carries move one place ----
  logic [Digits-1:0][W-1:0] last;
  if (Delay == 0) begin : gen_at_once
    assign last = s_q[Digits-1:0];
  end else begin : gen_late
    logic [2*Delay-1:0][DigitBits-1:0] late_q; // lowest digits of the cycles before
    always_ff @(posedge clk_i) begin
      late_q[0] <= s_q[0][DigitBits-1:0];
      for (int unsigned i = 1; i < 2 * Delay; i++) late_q[i] <= late_q[i-1];
    end
    always_comb begin
      for (int unsigned j = 0; j < Digits; j++) last[j] = s_q[(j+Digits+1-Delay)%(Digits+1)];
      for (int unsigned j = 0; j < Delay; j++) last[j] = digit_t'(late_q[2*(Delay-j)-1]);
    end
  end
  always_comb begin
    for (int unsigned j = 0; j < Digits; j++)
      z_o[j] = factor_t'(low(last[j]) + (j > 0 ? high(last[(j+Digits-1)%Digits]) : '0));
  end
  logic unused_last; // zero: the result is below B^Digits
  assign unused_last = ^high(last[Digits-1]);

endmodule
