// SPDX-License-Identifier: Apache-2.0
/// Words from an engine or the entropy port to the RSA core's memory, through one register: each is
/// written and counted in the cycle after it came.
///
/// Source   modfab.
/// Model    modfab.models.rsa.instructions, modfab.models.rsa.timeline (cycles of OpRnd, a store).
/// Latency  a cycle from a word to valid_o, from its lack to waits_o, and to starved_o.
/// Assumes  at most one of take_i and random_i, until the instruction's last word was counted; an
///          engine gives no word behind that; last_i: one word is left to count.
/// Ensures  no random word is accepted behind the last one; data_o is 0 a cycle after the
///          instruction at the latest. starved_o and valid_o never come together.
module mf_rsa_take #(
  parameter logic [31:0] EntropyCycles = 32'd64 // how long a random word may take
) (
  input  logic        clk_i,
  input  logic        clear_i,      // reset, or a wipe starts
  input  logic        take_i,       // words of an engine
  input  logic        random_i,     // random words
  input  logic        last_i,
  input  logic        out_valid_i,  // from the engine
  output logic        out_ready_o,
  input  logic [31:0] out_data_i,
  input  logic        rnd_valid_i,  // from the entropy port
  input  logic        rnd_failed_i, // there will be none
  output logic        rnd_ready_o,
  input  logic [31:0] rnd_data_i,
  output logic        waits_o,      // a random word did not come, a cycle ago
  output logic        starved_o,    // none came, or none will
  output logic        valid_o,      // a word to write
  output logic [31:0] data_o
);

  logic        over;                // valid_o is the last word
  logic        starved_q, dry_q;
  logic [31:0] entropy_q;           // cycles without a random word
  logic        taken, drawn, random; // random: a word is there, accepted or not
  assign over        = valid_o && last_i;
  assign out_ready_o = take_i;
  assign rnd_ready_o = random_i && !starved_q && !over;
  assign taken       = out_ready_o && out_valid_i;
  assign drawn       = rnd_ready_o && rnd_valid_i;
  assign random      = random_i && rnd_valid_i;
  assign starved_o   = random_i && starved_q;

  always_ff @(posedge clk_i) begin
    valid_o   <= !clear_i && (taken || drawn);
    data_o    <= clear_i ? '0 : taken ? out_data_i : random ? rnd_data_i : '0;
    waits_o   <= !clear_i && rnd_ready_o && !rnd_valid_i;
    entropy_q <= random_i && !rnd_valid_i ? entropy_q + 32'd1 : '0;
    starved_q <= !clear_i && random_i && !starved_q && !rnd_valid_i && (rnd_failed_i || dry_q);
    dry_q     <= random_i && !rnd_valid_i && entropy_q == EntropyCycles - 32'd1;
  end

endmodule
