// SPDX-License-Identifier: Apache-2.0
// Files of mf_mul_mod_product below rtl/, in order; complete.
mf_pkg.sv
common/mf_modulus_check.sv
common/mf_regfile_1w2r.sv
mul/common/mf_mul_residue_ctrl.sv
mul/mod_product/mf_mul_mod_product_lane.sv
mul/mod_product/mf_mul_mod_product.sv
