// SPDX-License-Identifier: Apache-2.0
// Files for prim/generic/mf_prim_rom.sv on Lattice ECP5. The last one declares
// the vendor's cell for tools without its library; leave it out where the library is present.
prim/ecp5/mf_prim_rom.sv
prim/ecp5/DP16KD.sv
