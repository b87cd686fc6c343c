// SPDX-License-Identifier: Apache-2.0
// Files of mf_rsa_farm below rtl/ on top of rsa/files.f, in order.
farm/mf_rsa_farm_pkg.sv
common/mf_rr_arb.sv
common/mf_fanout_reg.sv
farm/mf_rsa_farm_spread.sv
farm/mf_rsa_farm_vote.sv
farm/mf_rsa_farm_count.sv
farm/mf_rsa_farm_skid.sv
farm/mf_rsa_farm_crc.sv
farm/mf_rsa_farm_ledger.sv
farm/mf_rsa_farm_in.sv
farm/mf_rsa_farm_words.sv
farm/mf_rsa_farm_service.sv
farm/mf_rsa_farm_outbox.sv
farm/mf_rsa_farm_member.sv
farm/mf_rsa_farm_out.sv
farm/mf_rsa_farm.sv
