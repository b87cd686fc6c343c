// SPDX-License-Identifier: Apache-2.0
// Files of mf_mul_sos36 below rtl/, in order; complete.
mf_pkg.sv
common/mf_modulus_check.sv
mul/sos36/mf_mul_sos36_pkg.sv
prim/generic/mf_prim_mul.sv
prim/generic/mf_prim_ram_pipe.sv
mul/sos36/mf_mul_sos36_words.sv
mul/sos36/mf_mul_sos36_path.sv
mul/sos36/mf_mul_sos36_next.sv
mul/sos36/mf_mul_sos36_check.sv
mul/sos36/mf_mul_sos36_ctrl.sv
mul/sos36/mf_mul_sos36.sv
