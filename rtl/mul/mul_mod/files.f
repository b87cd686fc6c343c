// SPDX-License-Identifier: Apache-2.0
// Files of mf_mul_mul_mod below rtl/, in order; complete.
mf_pkg.sv
common/mf_modulus_check.sv
common/mf_regfile_1w2r.sv
mul/common/mf_mul_residue_ctrl.sv
prim/generic/mf_prim_mul.sv
mul/mul_mod/mf_mul_mul_mod_row.sv
mul/mul_mod/mf_mul_mul_mod_lane.sv
mul/mul_mod/mf_mul_mul_mod.sv
