// SPDX-License-Identifier: Apache-2.0
// Files of mf_mul_bit_serial below rtl/, in order; complete.
mf_pkg.sv
common/mf_modulus_check.sv
common/mf_modulus_words.sv
common/mf_regfile_1w2r.sv
mul/bit_serial/mf_mul_bit_serial_step.sv
mul/bit_serial/mf_mul_bit_serial_reduce.sv
mul/bit_serial/mf_mul_bit_serial.sv
