// SPDX-License-Identifier: Apache-2.0
/// Generator between the entropy port and what uses random words: a slow port does not slow the
/// core, and a port that fails is noticed before its words are used.
///
/// Source   C. De Canniere, B. Preneel: "Trivium", eSTREAM portfolio 2008; ISO/IEC 29192-3. Every
///          tap is at least 66 places behind the new bit, so 32 steps are plain logic of one cycle.
///          Key and IV are 6 words w0 .. w5 of the port, w0 first:
///            s1..s80   = key, bits 0..79 of {w0[15:0], w1, w2}
///            s94..s173 = IV,  bits 0..79 of {w3[15:0], w4, w5}
///          Then 1152 steps without output. Bit 31 of a word is the keystream's first bit.
///          Health tests: mf_rsa_entropy_health.
/// Model    modfab.models.rsa.entropy.Entropy (same words, same cycles).
/// Latency  valid_o StartWords + 49 cycles after reset or wipe when the port always gives a word;
///          then a word each cycle. failed_o 5 cycles after the port's word that decides, 6 for the
///          share of ones, 7 with OnesLate.
/// Assumes  a word on rnd_data_i stays until rnd_ready_o; wipe_i or rst_i once after power-up.
/// Ensures  nothing is delivered before StartWords words have passed the tests; these are not used.
///          After every ReseedWords words the state takes one word of the port in, if it is there,
///          and waits for none. The state stands still unless a word was taken in the cycle before.
///          Each of these sets failed_o until wipe_i or rst_i and clears words and state: a failed
///          test, an illegal state, a count that differs from its copy, 6 delivered words in a row
///          with the low byte of the last but one (2^-48 for a word when the generator works).
///          Residual risk: a reseed brings 32 bits, so who knows the whole state and sees output
///          can follow it by search.
module mf_rsa_entropy #(
  parameter int unsigned StartWords  = 1024, // words tested before the seed, 1024..2^24
  parameter int unsigned ReseedWords = 64,   // words made for each of the port's, 8..1024
  parameter bit          OnesLate    = 0     // of the tests: the share of ones a cycle later
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic        wipe_i,      // forget everything, then test and seed anew

  input  logic        rnd_valid_i, // entropy port, every bit fresh and unbiased
  output logic        rnd_ready_o,
  input  logic [31:0] rnd_data_i,

  output logic        valid_o,     // data_o is a word that was not taken yet
  input  logic        take_i,      // pulse: it is used; without valid_o it has no effect
  output logic [31:0] data_o,
  output logic        seeded_o,    // the seed is there; valid_o follows without the port
  output logic        failed_o     // until wipe_i or rst_i
);

  localparam int unsigned SeedWords  = 6;
  localparam int unsigned WarmCycles = 38; // until advance_q, 1152 / 32, one for the first word
  localparam int unsigned CountBits  = $clog2(StartWords) + 1;
  localparam int unsigned EqualBytes = 6;

  if (StartWords < 1024 || StartWords > (1 << 24)) begin : gen_check_start
    $error("mf_rsa_entropy: StartWords 1024..2^24");
  end
  if (ReseedWords < 8 || ReseedWords > 1024) begin : gen_check_reseed
    $error("mf_rsa_entropy: ReseedWords 8..1024");
  end

  // Any two codes differ in three bits or more. Inside, a state is told by one bit of its own: with
  // a wrong bit failed_o clears everything in the next cycles. The ports see the whole code.
  typedef enum logic [6:0] {
    StStart  = 7'b000_0001, // words are tested and dropped
    StSeed   = 7'b001_0010, // words become key and IV
    StWarm   = 7'b010_0100, // steps without output
    StReady  = 7'b100_1000,
    StFailed = 7'b111_0000
  } state_e;
  (* fsm_encoding = "none" *) state_e state_q;
  logic in_start, in_seed, in_warm, in_ready;
  logic clear, load, take, step, advance_q, absorb, counts, last_q, illegal, failed_q;
  assign {in_ready, in_warm, in_seed, in_start} = state_q[3:0];
  assign illegal  = !(state_q inside {StStart, StSeed, StWarm, StReady});
  assign valid_o  = state_q == StReady && !failed_q;
  assign seeded_o = in_ready || in_warm;
  assign failed_o = illegal || failed_q;
  assign clear    = rst_i || wipe_i || failed_q;

  // ---- words of the port: one register, held until it is used ----
  logic        new_q, held_q, accept;
  logic [31:0] word_q;
  assign rnd_ready_o = !held_q;
  assign accept      = rnd_valid_i && rnd_ready_o;
  assign load        = in_seed && held_q;
  always_ff @(posedge clk_i) begin
    if (clear) begin
      new_q  <= 1'b0;
      held_q <= !(rst_i || wipe_i); // takes nothing any more
      word_q <= '0;
    end else begin
      new_q  <= accept;
      held_q <= accept ? !in_start : held_q && !(in_seed || (absorb && step));
      if (accept) word_q <= rnd_data_i;
    end
  end

  logic unhealthy;
  mf_rsa_entropy_health #(.OnesLate(OnesLate)) u_health (
    .clk_i,
    .clear_i (clear),
    .valid_i (new_q),
    .word_i  (word_q),
    .fail_o  (unhealthy)
  );

  // ---- Trivium: a_q[i] = s(i+1), b_q[i] = s(i+94), c_q[i] = s(i+178) ----
  logic [92:0]  a_q;
  logic [83:0]  b_q;
  logic [110:0] c_q;
  logic [31:0]  even_q, odd_q, made, t1, t2, t3, f1, f2, f3;
  logic         odd_turn_q;
  logic         first_half, load_a_q, load_b_q;
  assign data_o = odd_turn_q ? odd_q : even_q;
  assign made   = t1 ^ t2 ^ t3;
  assign t1 = a_q[65 -: 32] ^ a_q[92 -: 32];
  assign t2 = b_q[68 -: 32] ^ b_q[83 -: 32];
  assign t3 = c_q[65 -: 32] ^ c_q[110 -: 32];
  assign f1 = t1 ^ (a_q[90 -: 32] & a_q[91 -: 32]) ^ b_q[77 -: 32];
  assign f2 = t2 ^ (b_q[81 -: 32] & b_q[82 -: 32]) ^ c_q[86 -: 32];
  assign f3 = t3 ^ (c_q[108 -: 32] & c_q[109 -: 32]) ^ a_q[68 -: 32];

  always_ff @(posedge clk_i) begin
    if (clear) begin
      a_q <= '0;
      b_q <= '0;
      c_q <= '0;
    end else begin
      if (advance_q || load_a_q) begin
        a_q[31:0]  <= (load_a_q ? '0 : f3) ^ (load_a_q || absorb ? word_q : '0);
        a_q[79:32] <= a_q[47:0];
        a_q[92:80] <= load_a_q ? '0 : a_q[60:48]; // the upper half of w0 is not used
      end
      if (advance_q || load_b_q) begin
        b_q[31:0]  <= load_b_q ? word_q : f1;
        b_q[79:32] <= b_q[47:0];
        b_q[83:80] <= load_b_q ? '0 : b_q[51:48];
      end
      if (advance_q || load_b_q) c_q[110:108] <= load_b_q ? '1 : c_q[78:76];
      if (advance_q) c_q[107:0] <= {c_q[75:0], f2};
    end
  end

  // ---- two words in turn: the place of one that was taken is filled in the cycle after ----
  always_ff @(posedge clk_i) begin
    if (clear) begin
      advance_q  <= 1'b0;
      {load_a_q, load_b_q} <= '0;
      odd_turn_q <= 1'b0;
      even_q     <= '0;
      odd_q      <= '0;
    end else begin
      advance_q  <= take || in_warm; // the last one of the warm-up makes the second word
      {load_a_q, load_b_q} <= {load && first_half, load && !first_half};
      odd_turn_q <= odd_turn_q ^ take;
      if (advance_q && (in_warm || odd_turn_q)) even_q <= made;
      if (advance_q && !in_warm && !odd_turn_q) odd_q <= made;
    end
  end

  // ---- the generator stands still: each place gives the same low byte again ----
  logic            still_q, took_q;
  logic [7:0]      took_low_q; // of the word that was taken a cycle ago, if one was
  logic [1:0][7:0] low_q;      // of the last two before it
  logic [2:0]      equal_q;    // how many in a row
  always_ff @(posedge clk_i) begin
    if (clear) begin
      {still_q, took_q} <= '0;
      took_low_q <= '0;
      low_q      <= '0;
      equal_q    <= '0;
    end else begin
      took_q     <= take;
      took_low_q <= data_o[7:0];
      if (took_q) low_q <= {low_q[0], took_low_q};
      if (took_q) equal_q <= took_low_q == low_q[1] ? equal_q + 3'd1 : '0;
      still_q <= equal_q == 3'(EqualBytes);
    end
  end

  // ---- control: one count for all states, kept twice; last_q: it is at its end ----
  logic [CountBits-1:0] count_q, count_inv_q, limit;
  logic                 differ_q, end_q; // the copies differ; last_q is wrong
  always_comb begin
    if (in_start)     limit = CountBits'(StartWords - 1);
    else if (in_seed) limit = CountBits'(SeedWords - 1);
    else if (in_warm) limit = CountBits'(WarmCycles - 1);
    else              limit = CountBits'(ReseedWords - 1);
  end
  assign take    = in_ready && take_i;
  assign step    = in_ready && advance_q;
  assign absorb  = in_ready && last_q && held_q; // if a word is made
  assign counts  = (in_start && new_q) || load || in_warm || (step && (!last_q || held_q));
  assign first_half = count_q[2:0] < 3'(SeedWords / 2); // of 6 words

  always_ff @(posedge clk_i) begin
    if (clear) begin
      count_q     <= '0;
      count_inv_q <= '1;
      last_q      <= 1'b0;
    end else if (counts) begin
      count_q     <= last_q ? '0 : count_q + CountBits'(1);
      count_inv_q <= last_q ? '1 : count_inv_q - CountBits'(1);
      last_q      <= !last_q && count_q == limit - CountBits'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    failed_q <= !(rst_i || wipe_i) && (illegal || failed_q);
    differ_q <= !clear && count_inv_q != ~count_q;
    end_q    <= !clear && last_q != (count_q == limit);
    if (rst_i || wipe_i) begin
      state_q <= StStart;
    end else if (failed_q || unhealthy || still_q || differ_q || end_q) begin
      state_q <= StFailed;
    end else if (counts && last_q) begin
      state_q <= in_start ? StSeed : in_seed ? StWarm : StReady;
    end
  end

endmodule
