// SPDX-License-Identifier: Apache-2.0
// Files of mf_rsa below rtl/, in order. Its engine and its sequencer have lists of their own;
// `modfab build` makes the program memory, over mf_prim_rom.
mf_pkg.sv
rsa/mf_rsa_pkg.sv
common/mf_skid_buffer.sv
prim/generic/mf_prim_mul.sv
prim/generic/mf_prim_ram_pipe.sv
prim/generic/mf_prim_rom.sv
rsa/mf_rsa_alu.sv
rsa/mf_rsa_control.sv
rsa/mf_rsa_contexts.sv
rsa/mf_rsa_count.sv
rsa/mf_rsa_end.sv
rsa/mf_rsa_ending.sv
rsa/mf_rsa_entropy_health.sv
rsa/mf_rsa_entropy.sv
rsa/mf_rsa_feed.sv
rsa/mf_rsa_fetch.sv
rsa/mf_rsa_memory.sv
rsa/mf_rsa_take.sv
rsa/mf_rsa_unit.sv
rsa/mf_rsa_units.sv
rsa/mf_rsa_wipe.sv
rsa/mf_rsa.sv
