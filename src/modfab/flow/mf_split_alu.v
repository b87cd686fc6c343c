// SPDX-License-Identifier: Apache-2.0
/// Yosys mapping rule: an adder wider than `LIMIT bits becomes two, the carry between them a net.
///
/// Source   modfab. nextpnr-ecp5 ends with a memory fault on a carry chain longer than a row of the
///          device; modfab.flow.targets knows how many bits fit.
/// Latency  combinational.
/// Assumes  applied to $alu cells of any shape, after alumacc.
/// Ensures  X, Y and CO as those of the cell.
(* techmap_celltype = "$alu" *)
module mf_split_alu (A, B, CI, BI, X, Y, CO);
  parameter A_SIGNED = 0; // as of the cell, here and below
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  parameter _TECHMAP_CELLTYPE_ = "";
  localparam LOW = Y_WIDTH / 2;
  localparam HIGH = Y_WIDTH - LOW;
  (* force_downto *) input [A_WIDTH-1:0] A;
  (* force_downto *) input [B_WIDTH-1:0] B;
  input CI, BI;
  (* force_downto *) output [Y_WIDTH-1:0] X, Y, CO;
  wire _TECHMAP_FAIL_ = Y_WIDTH <= `LIMIT;
  generate if (Y_WIDTH > `LIMIT) begin : split // narrow ones would have halves without bits
    (* force_downto *) wire [Y_WIDTH-1:0] a, b;
    \$pos #(.A_SIGNED(A_SIGNED), .A_WIDTH(A_WIDTH), .Y_WIDTH(Y_WIDTH)) conv_a (.A(A), .Y(a));
    \$pos #(.A_SIGNED(B_SIGNED), .A_WIDTH(B_WIDTH), .Y_WIDTH(Y_WIDTH)) conv_b (.A(B), .Y(b));
    \$alu #(
      .A_SIGNED(0), .B_SIGNED(0), .A_WIDTH(LOW), .B_WIDTH(LOW), .Y_WIDTH(LOW)
    ) low (
      .A(a[LOW-1:0]), .B(b[LOW-1:0]), .CI(CI), .BI(BI),
      .X(X[LOW-1:0]), .Y(Y[LOW-1:0]), .CO(CO[LOW-1:0])
    );
    \$alu #(
      .A_SIGNED(0), .B_SIGNED(0), .A_WIDTH(HIGH), .B_WIDTH(HIGH), .Y_WIDTH(HIGH)
    ) high (
      .A(a[Y_WIDTH-1:LOW]), .B(b[Y_WIDTH-1:LOW]), .CI(CO[LOW-1]), .BI(BI),
      .X(X[Y_WIDTH-1:LOW]), .Y(Y[Y_WIDTH-1:LOW]), .CO(CO[Y_WIDTH-1:LOW])
    );
  end endgenerate
endmodule
