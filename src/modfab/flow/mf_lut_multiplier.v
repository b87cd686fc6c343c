// SPDX-License-Identifier: Apache-2.0
/// Yosys mapping rule: a MULT18X18D with unsigned operands built from LUTs, carry cells and
/// flip-flops.
///
/// Source   modfab. A carry cell adds two rows of the product at once, each gated by a bit of b:
///          nine chains, whose sums are added in a tree. The cell's output register stands before
///          the last adder, and the one inside after three.
/// Latency  one clock for each REG_*_CLK that is not "NONE"; as for the cell.
/// Assumes  CE0 = 1, RST0 = 0, SOURCEA = SOURCEB = 0, REG_INPUTB_CE = "CE1".
/// Ensures  P as that of the cell; a signed one is left as it is.
(* techmap_celltype = "MULT18X18D" *)
module mf_lut_multiplier (
  input CLK0, CLK1, CLK2, CLK3, CE0, CE1, CE2, CE3, RST0, RST1, RST2, RST3,
  input SIGNEDA, SIGNEDB, SOURCEA, SOURCEB,
  input A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0,
  input B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0,
  output P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18,
  output P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0
);
  parameter REG_INPUTA_CLK = "NONE";
  parameter REG_INPUTB_CLK = "NONE";
  parameter REG_INPUTB_CE = "CE0";
  parameter REG_PIPELINE_CLK = "NONE";
  parameter REG_OUTPUT_CLK = "NONE";
  parameter GSR = "ENABLED";
  parameter RESETMODE = "SYNC";

  parameter _TECHMAP_CONSTMSK_SIGNEDA_ = 0;
  parameter _TECHMAP_CONSTVAL_SIGNEDA_ = 0;
  parameter _TECHMAP_CONSTMSK_SIGNEDB_ = 0;
  parameter _TECHMAP_CONSTVAL_SIGNEDB_ = 0;
  wire _TECHMAP_FAIL_ = !_TECHMAP_CONSTMSK_SIGNEDA_ || _TECHMAP_CONSTVAL_SIGNEDA_
                     || !_TECHMAP_CONSTMSK_SIGNEDB_ || _TECHMAP_CONSTVAL_SIGNEDB_;
  wire [1023:0] _TECHMAP_DO_00_ = "proc; opt_expr";

  wire [17:0] a_in = {A17, A16, A15, A14, A13, A12, A11, A10, A9,
                      A8, A7, A6, A5, A4, A3, A2, A1, A0};
  wire [17:0] b_in = {B17, B16, B15, B14, B13, B12, B11, B10, B9,
                      B8, B7, B6, B5, B4, B3, B2, B1, B0};
  reg [17:0] a, b;
  generate
    if (REG_INPUTA_CLK != "NONE") begin : a_reg
      always @(posedge CLK0) a <= a_in;
    end else begin : no_a_reg
      always @* a = a_in;
    end
    if (REG_INPUTB_CLK != "NONE") begin : b_reg
      always @(posedge CLK0) if (CE1) b <= b_in;
    end else begin : no_b_reg
      always @* b = b_in;
    end
  endgenerate

  // ---- a times two bits of b: (A and B) xor (C and D); the carry of a bit without propagation is
  //      A and B ----
  wire [19:0] low = {2'b0, a}, high = {1'b0, a, 1'b0};
  wire [8:0][19:0] row;
  genvar k, i;
  generate
    for (k = 0; k < 9; k = k + 1) begin : rows
      wire [10:0] carry;
      assign carry[0] = 1'b0;
      for (i = 0; i < 10; i = i + 1) begin : cells
        CCU2C #(
          .INIT0(16'h7888), .INIT1(16'h7888), .INJECT1_0("NO"), .INJECT1_1("NO")
        ) sum (
          .CIN(carry[i]), .COUT(carry[i+1]),
          .A0(low[2*i]), .B0(b[2*k]), .C0(high[2*i]), .D0(b[2*k+1]), .S0(row[k][2*i]),
          .A1(low[2*i+1]), .B1(b[2*k]), .C1(high[2*i+1]), .D1(b[2*k+1]), .S1(row[k][2*i+1])
        );
      end
    end
  endgenerate

  // ---- sums of rows, and the cell's registers among them ----
  wire [3:0][21:0] four;  // a times four bits of b
  wire [7:0][25:0] x, co; // outputs of the adders that nothing reads
  wire [1:0][25:0] eight;
  reg  [1:0][25:0] eight_m;
  reg  [19:0]      last_m, last_o;
  wire [33:0]      sixteen;
  reg  [33:0]      sixteen_o;
  generate
    for (k = 0; k < 4; k = k + 1) begin : fours
      assign four[k][1:0] = row[2*k][1:0];
      \$alu #(.A_WIDTH(18), .B_WIDTH(20), .Y_WIDTH(20), .A_SIGNED(0), .B_SIGNED(0)) sum (
        .A(row[2*k][19:2]), .B(row[2*k+1]), .CI(1'b0), .BI(1'b0),
        .X(x[k][19:0]), .Y(four[k][21:2]), .CO(co[k][19:0])
      );
    end
    for (k = 0; k < 2; k = k + 1) begin : eights
      assign eight[k][3:0] = four[2*k][3:0];
      \$alu #(.A_WIDTH(18), .B_WIDTH(22), .Y_WIDTH(22), .A_SIGNED(0), .B_SIGNED(0)) sum (
        .A(four[2*k][21:4]), .B(four[2*k+1]), .CI(1'b0), .BI(1'b0),
        .X(x[k+4][21:0]), .Y(eight[k][25:4]), .CO(co[k+4][21:0])
      );
    end
    if (REG_PIPELINE_CLK != "NONE") begin : mid_reg
      always @(posedge CLK0) {eight_m, last_m} <= {eight, row[8]};
    end else begin : no_mid_reg
      always @* {eight_m, last_m} = {eight, row[8]};
    end
    if (REG_OUTPUT_CLK != "NONE") begin : out_reg
      always @(posedge CLK0) {sixteen_o, last_o} <= {sixteen, last_m};
    end else begin : no_out_reg
      always @* {sixteen_o, last_o} = {sixteen, last_m};
    end
  endgenerate
  assign sixteen[7:0] = eight_m[0][7:0];
  \$alu #(.A_WIDTH(18), .B_WIDTH(26), .Y_WIDTH(26), .A_SIGNED(0), .B_SIGNED(0)) sum16 (
    .A(eight_m[0][25:8]), .B(eight_m[1]), .CI(1'b0), .BI(1'b0),
    .X(x[6]), .Y(sixteen[33:8]), .CO(co[6])
  );
  assign p[15:0] = sixteen_o[15:0];
  \$alu #(.A_WIDTH(18), .B_WIDTH(20), .Y_WIDTH(20), .A_SIGNED(0), .B_SIGNED(0)) sum18 (
    .A(sixteen_o[33:16]), .B(last_o), .CI(1'b0), .BI(1'b0),
    .X(x[7][19:0]), .Y(p[35:16]), .CO(co[7][19:0])
  );
  wire [35:0] p;
  assign {P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18,
          P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0} = p;
endmodule
