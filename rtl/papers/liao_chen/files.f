// SPDX-License-Identifier: Apache-2.0
// Files of mf_liao_chen_rsa below rtl/, in order; complete.
mf_pkg.sv
common/mf_modulus_check.sv
common/mf_modulus_words.sv
common/mf_regfile_1w2r.sv
mul/bit_serial/mf_mul_bit_serial_step.sv
mul/bit_serial/mf_mul_bit_serial_reduce.sv
mul/bit_serial/mf_mul_bit_serial.sv
mul/common/mf_mul_residue_ctrl.sv
mul/mod_product/mf_mul_mod_product_lane.sv
mul/mod_product/mf_mul_mod_product.sv
common/mf_exp_digits.sv
exp/mf_exp_r2l.sv
modexp/mf_modexp.sv
papers/liao_chen/mf_liao_chen_rem.sv
papers/liao_chen/mf_liao_chen_inverse.sv
papers/liao_chen/mf_liao_chen_modmul.sv
papers/liao_chen/mf_liao_chen_muladd.sv
papers/liao_chen/mf_liao_chen_crt.sv
papers/liao_chen/mf_liao_chen_rsa.sv
