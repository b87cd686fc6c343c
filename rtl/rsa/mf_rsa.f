// SPDX-License-Identifier: Apache-2.0
// Files of the RSA core without a bus, in order. Beside them: the configuration (mf_cfg_*.sv with
// mf_cfg_engines.sv, mf_rsa_cfg_pkg.sv, mf_rsa_rom.sv) and the engine's and the sequencer's own files.
mf_pkg.sv
rsa/mf_rsa_pkg.sv
prim/generic/mf_prim_mul.sv
prim/generic/mf_prim_ram_1r1w.sv
rsa/mf_rsa_alu.sv
rsa/mf_rsa_unit.sv
rsa/mf_rsa_units.sv
rsa/mf_rsa.sv
