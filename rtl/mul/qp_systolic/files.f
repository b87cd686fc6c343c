// SPDX-License-Identifier: Apache-2.0
// Files of mf_mul_qp_systolic below rtl/, in order; complete.
mf_pkg.sv
common/mf_modulus_check.sv
prim/generic/mf_prim_add_gate.sv
prim/generic/mf_prim_mul.sv
prim/generic/mf_prim_mul_hold.sv
prim/generic/mf_prim_ram_pipe.sv
prim/generic/mf_prim_ram_tdp.sv
common/mf_regfile_1w2r.sv
mul/qp_systolic/mf_mul_qp_systolic_pkg.sv
mul/qp_systolic/mf_mul_qp_systolic_array.sv
mul/qp_systolic/mf_mul_qp_systolic_operand_feed.sv
mul/qp_systolic/mf_mul_qp_systolic_fold_step.sv
mul/qp_systolic/mf_mul_qp_systolic_fold_array.sv
mul/qp_systolic/mf_mul_qp_systolic_fold.sv
mul/qp_systolic/mf_mul_qp_systolic_gearbox.sv
mul/qp_systolic/mf_mul_qp_systolic_serial.sv
mul/qp_systolic/mf_mul_qp_systolic_setup.sv
mul/qp_systolic/mf_mul_qp_systolic_bound.sv
mul/qp_systolic/mf_mul_qp_systolic_check.sv
mul/qp_systolic/mf_mul_qp_systolic_ctrl.sv
mul/qp_systolic/mf_mul_qp_systolic.sv
