// SPDX-License-Identifier: Apache-2.0
// Files of modexp_by_hand, in order, read from rtl/: those of mul/sos/files.f, exp/mf_exp_ladder.f
// and modexp/files.f, each once.
mf_pkg.sv
common/mf_modulus_check.sv
mul/sos/mf_mul_sos_pkg.sv
prim/generic/mf_prim_mul.sv
prim/generic/mf_prim_add_dsp.sv
prim/generic/mf_prim_ram_pipe.sv
mul/sos/mf_mul_sos_join.sv
mul/sos/mf_mul_sos_mult32.sv
mul/sos/mf_mul_sos_mult.sv
mul/sos/mf_mul_sos_low32.sv
mul/sos/mf_mul_sos_low.sv
mul/sos/mf_mul_sos_path.sv
mul/sos/mf_mul_sos_ctrl.sv
mul/sos/mf_mul_sos.sv
common/mf_exp_digits.sv
exp/mf_exp_ladder.sv
modexp/mf_modexp.sv
../examples/modexp_by_hand.sv
