// SPDX-License-Identifier: Apache-2.0
/// Yosys mapping rule: an adder wider than `LIMIT bits becomes pieces of `PIECE bits, the carries
/// between them nets.
///
/// Source   modfab. nextpnr-ecp5 cannot place a carry chain longer than a row of the device, and
///          does not find the routes around one that is nearly as long; pieces lie one above the
///          other, near what they add.
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
  (* force_downto *) input [A_WIDTH-1:0] A;
  (* force_downto *) input [B_WIDTH-1:0] B;
  input CI, BI;
  (* force_downto *) output [Y_WIDTH-1:0] X, Y, CO;
  wire _TECHMAP_FAIL_ = Y_WIDTH <= `LIMIT;
  generate if (Y_WIDTH > `LIMIT) begin : split
    (* force_downto *) wire [Y_WIDTH-1:0] a, b, carry;
    \$pos #(.A_SIGNED(A_SIGNED), .A_WIDTH(A_WIDTH), .Y_WIDTH(Y_WIDTH)) conv_a (.A(A), .Y(a));
    \$pos #(.A_SIGNED(B_SIGNED), .A_WIDTH(B_WIDTH), .Y_WIDTH(Y_WIDTH)) conv_b (.A(B), .Y(b));
    assign carry = {CO[Y_WIDTH-2:0], CI};
    genvar low;
    for (low = 0; low < Y_WIDTH; low = low + `PIECE) begin : piece
      localparam W = Y_WIDTH - low < `PIECE ? Y_WIDTH - low : `PIECE;
      \$alu #(
        .A_SIGNED(0), .B_SIGNED(0), .A_WIDTH(W), .B_WIDTH(W), .Y_WIDTH(W)
      ) sum (
        .A(a[low+:W]), .B(b[low+:W]), .CI(carry[low]), .BI(BI),
        .X(X[low+:W]), .Y(Y[low+:W]), .CO(CO[low+:W])
      );
    end
  end endgenerate
endmodule
