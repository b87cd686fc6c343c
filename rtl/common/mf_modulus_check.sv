// SPDX-License-Identifier: Apache-2.0
/// Checks a modulus: status of a set-up. The first fault of the list has priority.
///
/// Source   modfab; the contract, rtl/mul/README.md.
/// Model    modfab.models.engine.EngineModel.
/// Latency  combinational.
/// Assumes  modulus_i is that of the modulus loaded last; zero or not odd while there is none.
/// Ensures  StatusOk only for an odd modulus above 1 of at most NumBits bits and of W words.
module mf_modulus_check (
  input  logic             bad_words_i, // num_words is neither 0 (the built number) nor W
  input  mf_pkg::modulus_t modulus_i,
  output mf_pkg::status_e  status_o
);

  always_comb begin
    if (bad_words_i)          status_o = mf_pkg::StatusNumWords;
    else if (modulus_i.wide)  status_o = mf_pkg::StatusModWide;
    else if (modulus_i.zero)  status_o = mf_pkg::StatusModZero;
    else if (modulus_i.one)   status_o = mf_pkg::StatusModOne;
    else if (!modulus_i.odd)  status_o = mf_pkg::StatusModEven;
    else                      status_o = mf_pkg::StatusOk;
  end

endmodule
