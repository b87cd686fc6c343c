// SPDX-License-Identifier: Apache-2.0
// Files for prim/generic/mf_prim_add_dsp.sv on the Xilinx 7 series. The last one declares
// the vendor's cell for tools without its library; leave it out where that is present.
prim/xilinx/mf_prim_add_dsp.sv
prim/xilinx/DSP48E1.sv
