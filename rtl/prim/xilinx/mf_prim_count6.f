// SPDX-License-Identifier: Apache-2.0
// Files below rtl/ that take the place of prim/mf_prim_count6.sv on Xilinx devices with LUTs of six
// inputs. The last one declares the vendor's cell for tools without its library.
prim/xilinx/mf_prim_count6.sv
prim/xilinx/LUT6.sv
