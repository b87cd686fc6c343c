// SPDX-License-Identifier: Apache-2.0
// Files of mf_exp_window5 below rtl/, in order; complete.
mf_pkg.sv
common/mf_exp_digits.sv
exp/mf_exp_window5.sv
