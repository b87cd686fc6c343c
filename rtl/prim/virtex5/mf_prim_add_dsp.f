// SPDX-License-Identifier: Apache-2.0
// Files for prim/generic/mf_prim_add_dsp.sv on the Xilinx Virtex-5. The last one declares
// the vendor's cell for tools without its library; leave it out where that is present.
prim/virtex5/mf_prim_add_dsp.sv
prim/virtex5/DSP48E.sv
