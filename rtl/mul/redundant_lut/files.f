// SPDX-License-Identifier: Apache-2.0
// Files of mf_mul_redundant_lut below rtl/, in order; complete.
mf_pkg.sv
mul/redundant_mul/mf_mul_redundant_mul_pkg.sv
common/mf_modulus_check.sv
common/mf_modulus_words.sv
common/mf_regfile_1w2r.sv
prim/generic/mf_prim_mul.sv
common/mf_fanout_reg.sv
common/mf_redundant_mac.sv
mul/redundant_mul/mf_mul_redundant_mul_correction_select.sv
mul/redundant_mul/mf_mul_redundant_mul_correction_add.sv
mul/redundant_mul/mf_mul_redundant_mul_control.sv
mul/redundant_mul/mf_mul_redundant_mul_core.sv
prim/generic/mf_prim_ram_1r1w.sv
prim/generic/mf_prim_ram_1rw1r.sv
common/mf_redundant_add.sv
mul/redundant_lut/mf_mul_redundant_lut_table.sv
mul/redundant_lut/mf_mul_redundant_lut.sv
