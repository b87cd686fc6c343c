// SPDX-License-Identifier: Apache-2.0
// Files of mf_mul_systolic below rtl/, in order; complete.
mf_pkg.sv
common/mf_modulus_check.sv
mul/systolic/mf_mul_systolic_pkg.sv
common/mf_regfile_1w2r.sv
common/mf_regfile_1w2r_banked.sv
mul/systolic/mf_mul_systolic_tables.sv
mul/systolic/mf_mul_systolic_head.sv
mul/systolic/mf_mul_systolic_array.sv
mul/systolic/mf_mul_systolic_in.sv
mul/systolic/mf_mul_systolic_out.sv
mul/systolic/mf_mul_systolic_neg.sv
mul/systolic/mf_mul_systolic_seq.sv
mul/systolic/mf_mul_systolic.sv
