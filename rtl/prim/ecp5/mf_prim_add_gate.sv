// SPDX-License-Identifier: Apache-2.0
/// Sum of two numbers of which one can be switched off, on carry cells of the Lattice ECP5: the
/// switch is a third input of the cell's lookup tables.
///
/// Source   modfab; generic form in rtl/prim/generic. Cell: Lattice FPGA-TN-02205 and
///          the library's simulation model.
/// Model    s = (en ? a : 0) + b.
/// Latency  combinational.
/// Assumes  the sum is below 2^WidthBits.
/// Ensures  the sum.
module mf_prim_add_gate #(
  parameter int unsigned WidthBits = 36 // bits of operands and sum, 1..128
) (
  input  logic                 en_i,
  input  logic [WidthBits-1:0] a_i,
  input  logic [WidthBits-1:0] b_i,
  output logic [WidthBits-1:0] s_o
);

  localparam int unsigned NumCells = (WidthBits + 1) / 2;
  // D = 1: (A and C) xor B; the carry of a bit without propagation is B.
  localparam logic [15:0] Init = 16'h6C0C;

  logic [2*NumCells-1:0] a, b, s;
  logic [NumCells:0]     carry;
  assign a        = (2*NumCells)'(a_i);
  assign b        = (2*NumCells)'(b_i);
  assign s_o      = s[WidthBits-1:0];
  assign carry[0] = 1'b0;

  logic unused_top;
  assign unused_top = ^{carry[NumCells], s};

  for (genvar i = 0; i < NumCells; i++) begin : gen_cell
    CCU2C #(
      .INIT0(Init), .INIT1(Init), .INJECT1_0("NO"), .INJECT1_1("NO")
    ) u_cell (
      .CIN(carry[i]), .COUT(carry[i+1]),
      .A0(a[2*i]), .B0(b[2*i]), .C0(en_i), .D0(1'b1), .S0(s[2*i]),
      .A1(a[2*i+1]), .B1(b[2*i+1]), .C1(en_i), .D1(1'b1), .S1(s[2*i+1])
    );
  end

endmodule
