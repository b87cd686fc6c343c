// SPDX-License-Identifier: Apache-2.0
/// Properties of a modulus for mf_modulus_check, collected word by word during its load.
///
/// Source   modfab.
/// Model    modfab.models.engine.EngineModel.
/// Latency  modulus_o is that of the words up to the cycle before.
/// Assumes  the words of a modulus in order, least significant first; bit 0 of the modulus, 0
///          without one, on odd_i.
/// Ensures  modulus_o is that of the modulus; zero or not odd while there is none and after a wipe.
module mf_modulus_words #(
  parameter int unsigned NumBits = 256 // bits of the modulus, 16..4096
) (
  input  logic             clk_i,
  input  logic             wipe_i,
  input  logic             en_i,     // word_i is a word of a modulus
  input  logic             first_i,  // ... the first
  input  logic             last_i,   // ... the last
  input  logic [31:0]      word_i,
  input  logic             odd_i,
  output mf_pkg::modulus_t modulus_o
);

  localparam int unsigned TopBits = NumBits % mf_pkg::WordBits; // of the last word, 0 = all

  logic large_q, wide_q; // a bit other than bit 0, a bit at or above NumBits is set
  always_ff @(posedge clk_i) begin
    if (wipe_i) begin
      large_q <= 1'b0;
      wide_q  <= 1'b0;
    end else if (en_i) begin
      large_q <= first_i ? |word_i[31:1] : large_q || |word_i;
      wide_q  <= TopBits != 0 && last_i && |(word_i >> TopBits);
    end
  end
  assign modulus_o = '{wide: wide_q, zero: !large_q && !odd_i, one: !large_q, odd: odd_i};

endmodule
