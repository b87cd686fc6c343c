// SPDX-License-Identifier: Apache-2.0
// Files of mf_modexp_axil below rtl/ on top of modexp/files.f, in order.
bus/generated/mf_modexp_regs_pkg.sv
prim/generic/mf_prim_ram_1r1w.sv
bus/generated/mf_modexp_regs.sv
bus/mf_regs_axil.sv
bus/mf_modexp_axil.sv
