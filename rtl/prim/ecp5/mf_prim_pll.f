// SPDX-License-Identifier: Apache-2.0
// Files that replace prim/generic/mf_prim_pll.sv on ECP5, in order.
prim/ecp5/EHXPLLL.sv
prim/ecp5/mf_prim_pll.sv
