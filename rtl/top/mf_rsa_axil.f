// SPDX-License-Identifier: Apache-2.0
// Files of mf_rsa_axil below rtl/, in order. The configuration comes on top of them: the files that
// modfab.gen.rsa makes (packages first), the engine's files and the sequencer's file.
mf_pkg.sv
rsa/mf_rsa_pkg.sv
regs/generated/mf_rsa_regs_pkg.sv
prim/generic/mf_prim_mul.sv
prim/generic/mf_prim_ram_1r1w.sv
regs/generated/mf_rsa_regs.sv
regs/mf_regs_axil.sv
rsa/mf_rsa_alu.sv
rsa/mf_rsa_unit.sv
rsa/mf_rsa_units.sv
rsa/mf_rsa.sv
top/mf_rsa_axil.sv
