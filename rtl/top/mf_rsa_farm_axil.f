// SPDX-License-Identifier: Apache-2.0
// Files of mf_rsa_farm_axil on top of rsa/mf_rsa.f and farm/mf_rsa_farm.f, in order. The configuration
// comes on top of them: the files that modfab.gen.farm makes, the engine's and the sequencer's.
regs/generated/mf_rsa_farm_regs_pkg.sv
regs/generated/mf_rsa_farm_regs.sv
regs/mf_regs_axil.sv
top/mf_rsa_farm_axil.sv
