// SPDX-License-Identifier: Apache-2.0
/// Gearbox: words of 32 bits to digits and back. A piece (half a word, or a digit) is shifted to
/// its place in an accumulator; the place is a one-hot ring counter.
///
/// Source   modfab.
/// Model    modfab.models.mul_qp_systolic (cycles).
/// Latency  a piece every cycle or every second one; modfab.catalog.mul_qp_systolic has the sums.
/// Assumes  start_i only while idle. Packing: digit_i belongs to the place of two cycles before.
/// Ensures  Unpacking (pack_i = 0): NumWords words in, their lowest ModDigits digits out in order.
///          Packing: digits of places 0, 1, .. in, NumWords words out. done_o after the last.
module mf_mul_qp_systolic_gearbox #(
  parameter int unsigned NumBits   = 1024, // bits of a value
  parameter int unsigned ModDigits = 57, // digits of a value
  parameter int unsigned DigitBits = 18, // bits of a digit, w
  parameter int unsigned PlaceBits = 6,  // bits of a digit's number
  parameter bit          ReadyRegister = 0, // in_ready_o comes from a register
  localparam int unsigned NumWords = mf_pkg::words_of(NumBits)
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic                 wipe_i,     // high long enough to pass all halves of the queue
  input  logic                 start_i,
  input  logic                 pack_i,     // held while busy
  output logic                 done_o,     // one cycle

  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [31:0]          in_data_i,
  output logic                 digit_valid_o,
  output logic [PlaceBits-1:0] place_o,     // of digit_o; packing: of the digit wanted
  output logic [DigitBits-1:0] digit_o,

  input  logic [DigitBits-1:0] digit_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [31:0]          out_data_o,
  output logic                 wide_o       // the last value in has a bit at or above NumBits
);

  localparam int unsigned Half      = 16;
  localparam int unsigned HotBits   = DigitBits > Half ? DigitBits : Half;
  localparam int unsigned PieceBits = HotBits;
  // Unpacking: cycles from piece to piece, the most digits that one completes.
  localparam int unsigned Gap       = DigitBits >= Half ? 1 : 2;
  localparam int unsigned AccBits   = DigitBits + Half; // what waits, and a piece on top of it
  localparam int unsigned NumDigits = (32 * NumWords + DigitBits - 1) / DigitBits; // of all words
  localparam int unsigned Depth     = 16;               // halves in the queue
  localparam int unsigned WordCount = $clog2(NumWords + 1);
  localparam int unsigned Pieces    = $clog2(NumDigits + 1);

  localparam int unsigned TopBits   = NumBits % 32 == 0 ? 32 : NumBits % 32; // in the last word

  typedef logic [HotBits-1:0] hot_t;
  typedef logic [AccBits-1:0] acc_t;

  // Places from which a piece completes one part (digit or half), and two.
  function automatic hot_t from(input int bit_number);
    from = '0;
    for (int i = 0; i < int'(HotBits); i++) from[i] = i >= bit_number;
  endfunction
  localparam int W = int'(DigitBits);
  localparam hot_t UnpackOne = from(W - 16), UnpackTwo = from(2 * W - 16),
                   PackOne   = from(16 - W), PackTwo   = from(32 - W);

  // The place moves by a piece's bits, in a ring of a part's bits.
  function automatic hot_t rotate(input hot_t hot, input int by, input int ring);
    rotate = '0;
    for (int i = 0; i < ring; i++) rotate[(i + by) % ring] = hot[i];
  endfunction

  // ---- pieces: unpacking 1 and 1 + Gap cycles after a word, and one of zeros behind the last ----
  logic                 active_q, want_q, issue, piece_q, flush_next, flush_q;
  logic [5:1]           since_q;      // since_q[k]: a word was taken k cycles ago
  logic                 last_word_q;  // it was the last
  logic [WordCount-1:0] in_count_q, out_count_q;
  logic [31:0]          word_q;
  logic                 take, beat_q, room_q;
  logic [Pieces-1:0]    piece_count_q; // packing: digits requested ...
  logic                 more_q;        // ... are not all
  logic [3:0]           level_q;       // halves in the queue
  if (ReadyRegister) begin : gen_ready_register
    logic ready_q;
    always_ff @(posedge clk_i) begin
      ready_q <= !rst_i && !take && (Gap == 1 || since_q[2:1] == '0)
                 && ((start_i && !pack_i) || want_q);
    end
    assign in_ready_o = ready_q;
  end else begin : gen_ready
    assign in_ready_o = want_q && since_q[2*Gap-1:1] == '0;
  end
  assign take       = in_ready_o && in_valid_i;
  assign flush_next = since_q[2*Gap] && last_word_q && !take; // not the one before it
  assign issue      = active_q && beat_q && room_q && more_q;
  always_ff @(posedge clk_i) begin
    active_q <= !rst_i && (start_i || (active_q && !done_o));
    want_q   <= !rst_i && ((start_i && !pack_i)
                           || (want_q && !(take && in_count_q == WordCount'(NumWords - 1))));
    since_q  <= rst_i ? '0 : {since_q[4:1], take};
    beat_q   <= active_q && !beat_q;
    room_q   <= level_q < 4'd8;
    more_q   <= 32'(piece_count_q) < NumDigits; // it counts every second cycle
    flush_q    <= !rst_i && flush_next;
    if (start_i) in_count_q <= '0;
    else if (take) in_count_q <= in_count_q + WordCount'(1);
    if (take) begin
      word_q      <= in_data_i;
      last_word_q <= in_count_q == WordCount'(NumWords - 1);
      wide_o      <= TopBits < 32 && (in_data_i >> (TopBits % 32)) != '0;
    end else if (since_q[1]) begin
      word_q <= word_q >> Half;
    end else if (flush_q) begin
      word_q <= '0;
    end
    if (rst_i) word_q <= '0; // also a word that is taken in this very cycle
    if (!active_q) piece_count_q <= '0;
    else if (issue) piece_count_q <= piece_count_q + Pieces'(1);
  end

  // ---- packing: place_o is valid one cycle after issue, digit_i two cycles after that ----
  logic [2:1] asked_q;
  logic       fresh_q;
  always_ff @(posedge clk_i) begin
    asked_q <= rst_i || !pack_i ? '0 : {asked_q[1], issue};
    fresh_q <= !rst_i && (pack_i ? asked_q[2] : take || since_q[Gap] || flush_next);
    piece_q <= fresh_q;
  end

  // ---- place: a piece in cycle 0, moved by less than Fine in cycle 1, by the rest in cycle 2 ----
  localparam int unsigned Fine   = 4;
  localparam int unsigned Coarse = (HotBits + Fine - 1) / Fine; // steps of Fine
  typedef logic [PieceBits+Fine-2:0] shifted_t;
  hot_t                       hot_q, hot_piece_q;
  logic [PieceBits-1:0]       value_q;
  logic [Fine-1:0]            fine_q;   // one-hot; of hot_piece_q
  logic [Coarse-1:0]          coarse_q, coarse1_q;
  shifted_t                   shifted, shifted_q;
  acc_t                       placed, placed_q;
  logic                       flush1_q;
  logic [3:1]                 one_q, two_q;     // parts complete, following the piece
  logic [2:1]                 merge_q;
  always_ff @(posedge clk_i) begin
    if (start_i) hot_q <= hot_t'(1);
    else if (fresh_q) hot_q <= pack_i ? rotate(hot_q, W, Half) : rotate(hot_q, Half, W);
    if (fresh_q) begin
      hot_piece_q <= hot_q;
      fine_q      <= '0;
      coarse_q    <= '0;
      for (int unsigned i = 0; i < HotBits; i++) begin
        if (hot_q[i]) fine_q[i%Fine] <= 1'b1;
        if (hot_q[i]) coarse_q[i/Fine] <= 1'b1;
      end
    end
    flush1_q <= flush_q;
    value_q <= pack_i ? PieceBits'(digit_i) : flush_q ? '0 : PieceBits'(word_q[Half-1:0]);
  end
  always_comb begin
    shifted = '0;
    placed  = '0;
    for (int unsigned i = 0; i < Fine; i++)
      if (fine_q[i]) shifted |= shifted_t'(value_q) << i;
    for (int unsigned i = 0; i < Coarse; i++)
      if (coarse1_q[i]) placed |= acc_t'(shifted_q) << (Fine * i);
  end
  always_ff @(posedge clk_i) begin
    coarse1_q <= coarse_q;
    shifted_q <= shifted;
    placed_q  <= placed;
  end
  always_ff @(posedge clk_i) begin
    merge_q <= rst_i ? '0 : {merge_q[1], piece_q};
    one_q   <= rst_i ? '0 : {one_q[2:1], piece_q && (flush1_q || (hot_piece_q
                              & (pack_i ? PackOne : UnpackOne)) != '0)};
    two_q   <= rst_i ? '0 : {two_q[2:1], piece_q && (hot_piece_q
                              & (pack_i ? PackTwo : UnpackTwo)) != '0};
  end

  // ---- accumulator: a part leaves in the cycle after the merge, a second part one cycle later,
  //      at the earliest with the next merge ----
  acc_t acc_q, rest;
  logic part, two4_q;
  assign part = one_q[3] || two4_q;
  assign rest = !part ? acc_q : pack_i ? acc_q >> Half : acc_q >> DigitBits;
  always_ff @(posedge clk_i) begin
    two4_q <= two_q[3] && !rst_i;
    if (rst_i || !active_q) acc_q <= '0;
    else acc_q <= rest | (merge_q[2] ? placed_q : '0);
  end

  // ---- unpacking: digits out ----
  logic [PlaceBits-1:0] digit_count_q;
  logic                 over_q, last_digit;
  assign last_digit = 32'(digit_count_q) == ModDigits - 1;
  always_ff @(posedge clk_i) begin
    digit_valid_o <= part && !pack_i && !over_q && active_q && !rst_i;
    digit_o       <= acc_q[DigitBits-1:0];
    if (!pack_i) place_o <= digit_count_q;
    else place_o <= PlaceBits'(piece_count_q);
    if (!active_q) digit_count_q <= '0;
    else if (part) digit_count_q <= digit_count_q + PlaceBits'(1);
    over_q <= active_q && (over_q || (part && last_digit));
  end

  // ---- packing: halves through a queue into words ----
  logic [3:0]      wr_q, rd_q;
  logic            push_q, pop, low_q;
  logic [Half-1:0] half, low_half_q, unused_half;
  always_ff @(posedge clk_i) push_q <= wipe_i || ((one_q[2] || two_q[3]) && pack_i && active_q);
  assign pop  = level_q != '0 && !out_valid_o;
  mf_regfile_1w2r #(.WidthBits(Half), .Depth(Depth)) u_queue (
    .clk_i,
    .wr_en_i     (push_q),
    .wr_addr_i   (wr_q),
    .wr_data_i   (acc_q[Half-1:0]),
    .rd_a_addr_i (rd_q),
    .rd_a_data_o (half),
    .rd_b_addr_i ('0),
    .rd_b_data_o (unused_half)
  );
  logic       out_fire, last_out_q, finished_q;
  logic [5:1] flushed_q; // unpacking ends when the piece of zeros has passed
  assign out_fire = out_valid_o && out_ready_i;
  assign done_o   = finished_q;
  always_ff @(posedge clk_i) flushed_q <= rst_i ? '0 : {flushed_q[4:1], flush1_q && piece_q};
  always_ff @(posedge clk_i) begin
    if (!active_q && !wipe_i) {wr_q, rd_q, level_q, low_q} <= '0;
    else begin
      wr_q    <= wr_q + 4'(push_q);
      rd_q    <= rd_q + 4'(pop);
      level_q <= wipe_i ? '0 : level_q + 4'(push_q) - 4'(pop);
      low_q   <= low_q ^ pop;
    end
    if (pop && !low_q) low_half_q <= half;
    if (pop && low_q) out_data_o <= {half, low_half_q};
    else if (wipe_i) {out_data_o, low_half_q} <= '0;
    out_valid_o <= !rst_i && active_q && (out_valid_o ? !out_ready_i : pop && low_q);
    if (start_i) out_count_q <= '0;
    else if (out_fire) out_count_q <= out_count_q + WordCount'(1);
    finished_q <= active_q && !finished_q && !rst_i
                  && (pack_i ? out_fire && last_out_q : flushed_q[5]);
    last_out_q <= out_count_q == WordCount'(NumWords - 1); // words leave every second cycle
  end

endmodule
