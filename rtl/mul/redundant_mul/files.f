// SPDX-License-Identifier: Apache-2.0
// Files of mf_mul_redundant_mul below rtl/, in order; complete.
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
mul/redundant_mul/mf_mul_redundant_mul_quotient.sv
mul/redundant_mul/mf_mul_redundant_mul_pipe_array.sv
mul/redundant_mul/mf_mul_redundant_mul_pipe_alu.sv
mul/redundant_mul/mf_mul_redundant_mul_pipe_control.sv
mul/redundant_mul/mf_mul_redundant_mul_pipe.sv
mul/redundant_mul/mf_mul_redundant_mul.sv
