// SPDX-License-Identifier: Apache-2.0
// Files of mf_mul_booth16 below rtl/, in order; complete.
mf_pkg.sv
common/mf_modulus_check.sv
common/mf_modulus_words.sv
common/mf_fanout_reg.sv
mul/booth16/mf_mul_booth16_pkg.sv
common/mf_regfile_1w2r.sv
prim/generic/mf_prim_compressor_6_3.sv
mul/booth16/mf_mul_booth16_digit.sv
mul/booth16/mf_mul_booth16_quotient.sv
mul/booth16/mf_mul_booth16_csa.sv
mul/booth16/mf_mul_booth16_compressor.sv
mul/booth16/mf_mul_booth16_step.sv
mul/booth16/mf_mul_booth16_add.sv
mul/booth16/mf_mul_booth16_scan.sv
mul/booth16/mf_mul_booth16_control.sv
mul/booth16/mf_mul_booth16.sv
