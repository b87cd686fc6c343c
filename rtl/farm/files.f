// SPDX-License-Identifier: Apache-2.0
// Files of mf_rsa_farm below rtl/ on top of rsa/files.f, in order.
farm/mf_rsa_farm_pkg.sv
prim/mf_prim_skid.sv
prim/mf_prim_turns.sv
farm/mf_rsa_farm_in.sv
farm/mf_rsa_farm_member.sv
farm/mf_rsa_farm_out.sv
farm/mf_rsa_farm.sv
