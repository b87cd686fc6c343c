// SPDX-License-Identifier: Apache-2.0
/// Health tests of an entropy source that gives words of 32 bits.
///
/// Source   NIST SP 800-90B, 4.4.1 repetition count test, 4.4.2 adaptive proportion test. Assumed
///          min-entropy: H = 0.5 for each bit, so 16 for each word. A good source has far more,
///          but what gives less than this must be found. False alarms: alpha = 2^-40 for each
///          test and each sample or window.
///            WordRepeats  equal words in a row: 1 + ceil(40 / 16) = 4. The register before the
///                         first word counts as a word of zeros.
///            WordHits     words like the first one of WordWindow = 512:
///                         1 + critbinom(512, 2^-16, 1 - 2^-40) = 5.
///            BitOnes      bits of one value among BitWindow = 512, of each word the 4 bits whose
///                         turn it is: 1 + critbinom(512, 2^-0.5, 1 - 2^-40) = 432; for ones and
///                         for zeros.
///            LaneWindow   words in which a bit of the word never changes: repetition count of each
///                         of the 32 bits, 1 + ceil((40 + log2 32) / 0.5) = 91, in whole windows of
///                         128 words.
/// Model    modfab.models.rsa.entropy.Health (same cycles).
/// Latency  fail_o 3 cycles after valid_i of the word that decides, 4 cycles for the share of ones,
///          with OnesLate 5.
/// Assumes  word_i stays until valid_i of the next word.
/// Ensures  fail_o stays until clear_i. Found: a constant word when it comes the 4th time;
///          a pattern that returns every 127 words or sooner within two windows of 512; a stuck
///          bit within 255 words; 432 or more equal bits of 512.
module mf_rsa_entropy_health #(
  parameter bit OnesLate = 0 // one bits are counted a cycle later: no count in front of a sum
) (
  input  logic        clk_i,
  input  logic        clear_i, // forget everything
  input  logic        valid_i, // pulse: word_i is a new word
  input  logic [31:0] word_i,
  output logic        fail_o
);

  localparam int unsigned WordRepeats = 4;
  localparam int unsigned WordWindow  = 512;
  localparam int unsigned WordHits    = 5;
  localparam int unsigned LaneWindow  = 128;
  localparam int unsigned BitWindow   = 4 * LaneWindow;
  localparam int unsigned BitOnes     = 432;
  localparam int unsigned IndexBits   = $clog2(WordWindow);
  localparam int unsigned OnesBits    = $clog2(BitWindow + 1);

  // ---- stage 1: comparisons ----
  logic [IndexBits-1:0] index_q;    // of the word in its window
  logic [31:0]          prev_q;     // the word before
  logic [31:0]          first_q;    // the window's first word
  logic [31:0]          lanes_q;    // bits that have changed in the window of lanes
  logic                 valid1_q, same_q, hit_q, start_q, lane_start_q, lane_end_q;
  logic [3:0]           nibble_q;   // the bits whose turn it is
  logic                 begins_q, lane_begins_q, lane_end; // index_q is the first, the last one
  assign lane_end   = index_q[$clog2(LaneWindow)-1:0] == '1;

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      index_q  <= '0;
      prev_q   <= '0;
      first_q  <= '0;
      lanes_q  <= '0;
      valid1_q <= 1'b0;
      nibble_q <= '0;
      {begins_q, lane_begins_q} <= '1;
    end else begin
      valid1_q <= valid_i;
      if (valid_i) begin
        index_q  <= index_q + IndexBits'(1);
        prev_q   <= word_i;
        lanes_q  <= lane_begins_q ? '0 : lanes_q | (word_i ^ prev_q);
        nibble_q <= word_i[{index_q[2:0], 2'b00} +: 4];
        if (begins_q) first_q <= word_i;
        {begins_q, lane_begins_q} <= {index_q == '1, lane_end};
      end
    end
    same_q       <= word_i == prev_q;
    hit_q        <= word_i == first_q;
    start_q      <= begins_q;
    lane_start_q <= lane_begins_q;
    lane_end_q   <= lane_end;
  end

  // ---- stage 2: counts ----
  logic                         valid2_q, lane_end2_q;
  logic                         repeat_fail_q, hits_fail_q, lanes_fail_q, ones_fail_q;
  logic [$clog2(WordRepeats):0] run_q;  // equal words at the end
  logic [$clog2(WordHits):0]    hits_q; // words like the first one, it included
  logic [OnesBits-1:0]          ones_q; // <= BitWindow
  // With OnesLate: the word's bits of value 1; the other marks a cycle later.
  logic [2:0]                   num_q;
  logic                         start2_q, valid3_q, lane_end3_q;
  if (OnesLate) begin : gen_ones_late
    always_ff @(posedge clk_i) begin
      num_q    <= clear_i ? '0 : 3'($countones(nibble_q));
      start2_q <= lane_start_q;
      {valid3_q, lane_end3_q} <= {valid2_q && !clear_i, lane_end2_q};
    end
  end else begin : gen_ones
    assign {num_q, start2_q, valid3_q, lane_end3_q} = '0;
  end
  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      valid2_q      <= 1'b0;
      run_q         <= ($bits(run_q))'(1);
      hits_q        <= '0;
      ones_q        <= '0;
      repeat_fail_q <= 1'b0;
      hits_fail_q   <= 1'b0;
      lanes_fail_q  <= 1'b0;
      ones_fail_q   <= 1'b0;
    end else begin
      valid2_q <= valid1_q;
      if (valid1_q) begin
        run_q  <= same_q ? run_q + ($bits(run_q))'(1) : ($bits(run_q))'(1);
        hits_q <= start_q ? ($bits(hits_q))'(1) : hits_q + ($bits(hits_q))'(hit_q);
        if (!OnesLate)
          ones_q <= (lane_start_q ? '0 : ones_q) + OnesBits'($countones(nibble_q));
        if (same_q && run_q == ($bits(run_q))'(WordRepeats - 1)) repeat_fail_q <= 1'b1;
        if (!start_q && hit_q && hits_q == ($bits(hits_q))'(WordHits - 1)) hits_fail_q <= 1'b1;
        if (lane_end_q && lanes_q != '1) lanes_fail_q <= 1'b1;
      end
      if (OnesLate && valid2_q) ones_q <= (start2_q ? '0 : ones_q) + OnesBits'(num_q);
      if ((OnesLate ? valid3_q && lane_end3_q : valid2_q && lane_end2_q)
          && (ones_q >= OnesBits'(BitOnes) || ones_q <= OnesBits'(BitWindow - BitOnes)))
        ones_fail_q <= 1'b1;
    end
    lane_end2_q <= lane_end_q;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) fail_o <= 1'b0;
    else fail_o <= fail_o || repeat_fail_q || hits_fail_q || lanes_fail_q || ones_fail_q;
  end

endmodule
