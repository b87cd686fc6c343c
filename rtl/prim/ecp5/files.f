// SPDX-License-Identifier: Apache-2.0
// Files for prim/generic/mf_prim_mul.sv on Lattice ECP5. The last one declares
// the vendor's cell for tools without its library; leave it out where the library is present.
prim/generic/mf_prim_mul_tiles.sv
prim/ecp5/mf_prim_mul.sv
prim/ecp5/mf_prim_mul_cell.sv
prim/ecp5/MULT18X18D.sv
