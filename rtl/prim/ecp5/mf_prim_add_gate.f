// SPDX-License-Identifier: Apache-2.0
// Files for prim/generic/mf_prim_add_gate.sv on Lattice ECP5. The last one
// declares the vendor's cell for tools without its library; leave it out where that is present.
prim/ecp5/mf_prim_add_gate.sv
prim/ecp5/CCU2C.sv
