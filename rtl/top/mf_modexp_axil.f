// SPDX-License-Identifier: Apache-2.0
// Files of mf_modexp_axil below rtl/, in order. The configuration comes on top of them: the three
// files of top/generated (mf_cfg_pkg first), the engine's files and the sequencer's file.
mf_pkg.sv
regs/generated/mf_modexp_regs_pkg.sv
prim/generic/mf_prim_ram_1r1w.sv
regs/generated/mf_modexp_regs.sv
regs/mf_regs_axil.sv
top/mf_modexp.sv
top/mf_modexp_axil.sv
