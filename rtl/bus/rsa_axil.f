// SPDX-License-Identifier: Apache-2.0
// Files of mf_rsa_axil below rtl/ on top of rsa/files.f, in order.
bus/generated/mf_rsa_regs_pkg.sv
bus/generated/mf_rsa_regs.sv
bus/mf_regs_axil.sv
bus/mf_rsa_axil.sv
