// SPDX-License-Identifier: Apache-2.0
/// Yosys mapping rule: an adder wider than `LIMIT bits becomes pieces of `PIECE bits, the carries
/// between them nets.
///
/// Source   modfab. nextpnr-ecp5 cannot place a carry chain longer than a row of the device, and
///          does not find the routes around one that is nearly as long; pieces lie one above the
///          other, near what they add. It joins chains whose carries meet, so a piece takes its
///          carry as a sum of its own lowest bit and gives it as its highest sum bit.
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
      (* force_downto *) wire [W+1:0] x, y, co;
      wire [W:0] carries = {y[W+1], co[W-1:0]};
      assign X[low+:W] = x[W:1];
      assign Y[low+:W] = y[W:1];
      assign CO[low+:W] = carries[W:1];
      \$alu #(
        .A_SIGNED(0), .B_SIGNED(0), .A_WIDTH(W + 2), .B_WIDTH(W + 2), .Y_WIDTH(W + 2)
      ) sum (
        .A({1'b0, a[low+:W], 1'b1}), .B({BI, b[low+:W], carry[low] ^ BI}), .CI(1'b0), .BI(BI),
        .X(x), .Y(y), .CO(co)
      );
    end
  end endgenerate
endmodule
