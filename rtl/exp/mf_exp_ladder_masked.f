// SPDX-License-Identifier: Apache-2.0
// Files of mf_exp_ladder_masked below rtl/, in order; complete.
mf_pkg.sv
exp/mf_exp_ladder_masked.sv
