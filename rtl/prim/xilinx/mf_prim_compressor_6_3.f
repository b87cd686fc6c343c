// SPDX-License-Identifier: Apache-2.0
// Files for prim/generic/mf_prim_compressor_6_3.sv on Xilinx devices with LUTs of six
// inputs. The last one declares the vendor's cell for tools without its library.
prim/xilinx/mf_prim_compressor_6_3.sv
prim/xilinx/LUT6.sv
