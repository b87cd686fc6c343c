// SPDX-License-Identifier: Apache-2.0
// Files for prim/generic/mf_prim_mul.sv on Xilinx 7 series. The last one
// declares the vendor's cell for tools without its library; leave it out where that is present.
prim/generic/mf_prim_mul_tiles.sv
prim/xilinx/mf_prim_mul.sv
prim/xilinx/mf_prim_mul_cell.sv
prim/xilinx/DSP48E1.sv
