// SPDX-License-Identifier: Apache-2.0
// Files for prim/generic/mf_prim_ram_pipe.sv on Lattice ECP5. The last two declare
// the vendor's cells for tools without its library; leave them out where the library is present.
prim/ecp5/mf_prim_ram_pipe.sv
prim/ecp5/PDPW16KD.sv
prim/ecp5/DP16KD.sv
