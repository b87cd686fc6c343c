// SPDX-License-Identifier: Apache-2.0
// Files of the farm without a bus on top of rsa/mf_rsa.f, in order. Beside them: the configuration
// of the RSA core and mf_rsa_farm_cfg_pkg.sv; modfab.gen.farm makes both.
farm/mf_rsa_farm_pkg.sv
common/mf_skid_buffer.sv
common/mf_rr_arb.sv
farm/mf_rsa_farm_in.sv
farm/mf_rsa_farm_member.sv
farm/mf_rsa_farm_out.sv
farm/mf_rsa_farm.sv
