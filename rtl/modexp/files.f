// SPDX-License-Identifier: Apache-2.0
// Files of mf_modexp below rtl/, in order. Its engine and its sequencer have lists of their own.
mf_pkg.sv
modexp/mf_modexp.sv
