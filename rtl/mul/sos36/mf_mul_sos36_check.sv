// SPDX-License-Identifier: Apache-2.0
/// The number of active words of mf_mul_sos36, and the status of a set-up: what a load has found in
/// the modulus, nibble by nibble.
///
/// Source   the contract, rtl/mul/README.md.
/// Model    modfab.models.engine.EngineModel.
/// Latency  words_o, check_ok_o: 4 cycles after the command.
/// Assumes  a drain takes 6 cycles or more.
/// Ensures  StatusOk only for an odd modulus above 1 of at most NumBits bits and of W words.
module mf_mul_sos36_check #(
  parameter int unsigned NumBits   = 1024, // bits of the widest modulus
  parameter int unsigned CountBits = 6     // bits of a number of 32-bit words less one
) (
  input  logic                      clk_i,
  input  logic                      wipe_i,
  input  logic                      cmd_fire_i,
  input  logic [15:0]               num_words_i,
  input  logic                      drain_i,     // the row before a load, a store or a set-up
  input  logic                      drain_end_i, // its last cycle
  input  logic                      is_mod_i,    // the command loads a modulus
  input  logic                      is_setup_i,
  input  mf_mul_sos36_pkg::nibble_t nibble_i,
  output logic [CountBits-1:0]      words_o,     // active words less one
  output logic                      check_ok_o,
  output mf_pkg::status_e           status_o
);

  localparam int unsigned WordsMax  = mf_pkg::words_of(NumBits);
  localparam int unsigned TailBits  = NumBits % 32;  // bits of the topmost 32-bit word, 0 = all
  localparam logic [31:0] Above     = TailBits == 0 ? '0 : '1 << TailBits; // bits of it that are 0

  logic [15:0]          num_q, norm_q;     // requested words, as given and with its default
  logic [15:0]          words_up_q;        // active words
  logic [CountBits-1:0] words_q;
  logic                 bad_words_q, built_q;
  logic                 wide_q, zero_q, one_q, odd_q, too_wide;
  mf_pkg::status_e      check, check_q, status_q;

  assign too_wide = nibble_i.last && built_q
                    && (nibble_i.value & Above[{nibble_i.index, 2'b00}+:4]) != '0;

  always_ff @(posedge clk_i) begin
    num_q       <= cmd_fire_i ? num_words_i : wipe_i ? '0 : num_q;
    norm_q      <= num_q == '0 ? 16'(WordsMax) : num_q;
    words_up_q  <= 16'(words_q) + 16'd1;
    bad_words_q <= norm_q != words_up_q;
    built_q     <= words_q == CountBits'(WordsMax - 1);
    if (wipe_i) words_q <= CountBits'(WordsMax - 1);
    else if (drain_i && is_mod_i)
      words_q <= norm_q > 16'(WordsMax) ? CountBits'(WordsMax - 1) : CountBits'(norm_q - 16'd1);

    if (wipe_i) {zero_q, one_q, odd_q, wide_q} <= 4'b1000;
    else if (nibble_i.valid && is_mod_i) begin
      odd_q  <= nibble_i.first ? nibble_i.value[0] : odd_q;
      zero_q <= (nibble_i.first || zero_q) && nibble_i.value == '0;
      one_q  <= nibble_i.first ? nibble_i.value == 4'd1 : one_q && nibble_i.value == '0;
      wide_q <= too_wide || (!nibble_i.first && wide_q);
    end

    check_q    <= check;
    check_ok_o <= check == mf_pkg::StatusOk;
    if (wipe_i || (nibble_i.valid && nibble_i.first && is_mod_i))
      status_q <= mf_pkg::StatusNoModulus;
    else if (drain_end_i && is_setup_i) status_q <= check_q;
  end

  mf_modulus_check u_check (
    .bad_words_i (bad_words_q),
    .modulus_i   ('{wide: wide_q, zero: zero_q, one: one_q, odd: odd_q}),
    .status_o    (check)
  );
  assign words_o  = words_q;
  assign status_o = status_q;

endmodule
