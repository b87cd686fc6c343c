// SPDX-License-Identifier: Apache-2.0
// Files of mf_rsa_farm_axil below rtl/ on top of rsa/files.f and farm/files.f, in order.
bus/generated/mf_rsa_farm_regs_pkg.sv
bus/generated/mf_rsa_farm_regs.sv
bus/mf_regs_axil.sv
bus/mf_rsa_farm_axil.sv
