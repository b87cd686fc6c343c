// SPDX-License-Identifier: Apache-2.0
/// Montgomery ladder whose slot numbers are masked: three slots in turn, and a fresh random bit in
/// each step says which one the square leaves. The products are those of mf_exp_ladder.
///
/// Source   [ITOH03] K. Itoh, T. Izu, M. Takenaka, "A practical countermeasure against address-bit
///          differential power analysis" (2003); three slots in place of copies: README.md.
/// Model    modfab.models.exp_ladder_masked.
/// Latency  the first product is offered 6 cycles after start_i; 2 * exp_bits_i + 3 products
///          (exp_bits_i pairs and 3 products on a two-lane engine), back to back where a step takes
///          8 cycles or more; never data dependent.
/// Assumes  start_i only while idle; exp_bits_i with start_i; SlotFree holds the base; the engine
///          contract; exp_data_i is exp_addr_o's word two cycles later, from the cycle after
///          start_i on. Behind the words of ExpBits bits there are as many words of masks and one
///          more, every bit fresh.
/// Ensures  SlotFree + 1 holds base^exponent mod M when the engine has finished the last command.
///          cmd_o comes from registers. No register holds a bit of the exponent; every one but
///          mask_q is independent of the exponent, and so is the difference of its value from the
///          one before.
module mf_exp_ladder_masked #(
  parameter int unsigned ExpBits  = 256, // capacity of the exponent window in bits
  parameter int unsigned NumLanes = 1    // lanes of the engine, 1 or 2
) (
  input  logic                                       clk_i,
  input  logic                                       rst_i,
  input  logic                                       start_i,
  input  logic [15:0]                                exp_bits_i,  // bits to process, 0..ExpBits
  output logic [$clog2(2*mf_pkg::words_of(ExpBits)+1)-1:0] exp_addr_o,
  input  logic [31:0]                                exp_data_i,
  output logic                                       cmd_valid_o,
  input  logic                                       cmd_ready_i,
  output mf_pkg::cmd_t                               cmd_o,
  output logic                                       done_o       // with the last command
);

  localparam int unsigned ExpWords = mf_pkg::words_of(ExpBits);
  localparam int unsigned AddrBits = $clog2(2 * ExpWords + 1);
  localparam int unsigned IndexBits = ExpBits < 32 ? 5 : $clog2(ExpBits + 1);
  typedef logic [AddrBits-1:0] addr_t;
  typedef logic [IndexBits-1:0] index_t; // of a bit of the exponent
  typedef logic [1:0]          place_t; // 0..2: one of the three slots

  localparam mf_pkg::slot_t SlotBase   = mf_pkg::SlotFree;
  localparam mf_pkg::slot_t SlotResult = mf_pkg::SlotFree + 7'd1; // also place 0

  function automatic place_t next(input place_t place, input logic twice);
    unique case (place)
      2'd0:    next = twice ? 2'd2 : 2'd1;
      2'd1:    next = twice ? 2'd0 : 2'd2;
      default: next = twice ? 2'd1 : 2'd0;
    endcase
  endfunction
  function automatic mf_pkg::slot_t slot(input place_t place);
    slot = SlotResult + mf_pkg::slot_t'(place);
  endfunction
  // A random byte modulo 3: 0 has 86 of its 256 values, the others 85. 4^i = 1 modulo 3, so that
  // its pairs of bits are added; a function of four bits, then another one.
  function automatic place_t sum_of(input logic [1:0] left, input logic [1:0] right);
    sum_of = place_t'((3'(left) + 3'(right)) % 3'd3);
  endfunction
  function automatic place_t place_of(input logic [7:0] random);
    place_of = sum_of(sum_of(random[1:0], random[3:2]), sum_of(random[5:4], random[7:6]));
  endfunction

  // ---- words: that of the start; once R0 is on its way, for each bit the mask's and the
  // exponent's, one cycle apart; four bits of each, those of the exponent masked, in registers ----
  // With place f free, R[i] is in the place i ^ m + 1 behind it, m the mask. A step with bit e and
  // next mask n: R0 * R1 to f, the square of the place s = e ^ m to the place c = ~(e ^ n).
  typedef enum logic [3:0] {
    FtNone, FtStart, FtStart2, FtStart3, FtStart4, FtPlace, FtMask, FtExp, FtMask2, FtExp2, FtPick,
    FtMove
  } fetch_e;
  fetch_e      fetch_q;
  index_t      index_q;     // the bit that is fetched
  index_t      index_less_q; // one less
  addr_t       exp_word_q, mask_word_q; // where its words are
  logic        square_q;    // s
  logic        goal_q;      // c
  logic        digit_q;     // square_q and goal_q belong to a step that was not taken
  logic        last_q;      // it is the last one
  logic        mask_q;      // m of the next step
  logic        none_q;      // there is no bit
  logic [8:0]  random_q;    // of the start
  logic [3:0]  nibble;      // of the word that comes: the bits about the one that is fetched
  logic [3:0]  masks_q;     // of the mask,
  logic [3:0]  masked_q;    // of the exponent, xor masks_q
  logic        taken, fetches, bit_mask, bit_masked;
  assign nibble     = exp_data_i[{index_q[4:2], 2'b00} +: 4];
  assign bit_mask   = masks_q[index_q[1:0]];
  assign bit_masked = masked_q[index_q[1:0]];
  always_comb begin
    exp_addr_o = mask_word_q;
    if (fetch_q == FtStart) exp_addr_o = addr_t'(2 * ExpWords);
    if (fetch_q == FtExp) exp_addr_o = exp_word_q;
  end

  // ---- commands ----
  typedef enum logic [2:0] {StIdle, StBegin, StEnter, StOne, StPair, StSquare, StLeave} state_e;
  state_e       state_q;    // whose command is formed or offered
  logic         valid_q;    // it is offered
  logic         final_q;    // the step of the command is the last one
  place_t       free_q;     // f
  place_t       moved_q;    // f behind the step that square_q and goal_q belong to
  place_t       one, two;   // the two behind it
  mf_pkg::cmd_t cmd_q, cmd;
  logic         fire, form;
  assign cmd_valid_o = valid_q;
  assign cmd_o       = cmd_q;
  assign fire        = valid_q && cmd_ready_i;
  assign done_o      = fire && state_q == StLeave;
  assign one         = next(free_q, 1'b0);
  assign two         = next(free_q, 1'b1);
  // A pair of a two-lane engine is the product and the square; both need the digit.
  assign form    = !valid_q && !(state_q inside {StIdle, StBegin})
                 && (digit_q || !(state_q == StSquare || (NumLanes == 2 && state_q == StPair)));
  assign fetches = (taken && !last_q) || (form && state_q == StOne && !none_q);
  assign taken   = form && state_q == (NumLanes == 2 ? StPair : StSquare);

  always_comb begin
    cmd    = '0;
    cmd.op = mf_pkg::OpMul;
    unique case (state_q)
      StEnter: begin // R1
        cmd.dst0 = slot(mask_q ? one : two);
        cmd.a0   = SlotBase;
        cmd.b    = mf_pkg::SlotR2;
      end
      StOne: begin   // R0
        cmd.dst0 = slot(mask_q ? two : one);
        cmd.a0   = mf_pkg::SlotR;
        cmd.b    = mf_pkg::SlotR;
      end
      StPair: begin
        cmd.dst0 = slot(free_q);
        cmd.a0   = slot(one);
        cmd.b    = slot(two);
        if (NumLanes == 2) begin
          cmd.op   = mf_pkg::OpMul2;
          cmd.a0   = slot(square_q ? one : two);  // ct-ok: masked
          cmd.b    = slot(square_q ? two : one);  // ct-ok: masked
          cmd.dst1 = slot(goal_q ? two : one);    // ct-ok: masked
          cmd.a1   = slot(square_q ? two : one);  // ct-ok: masked
        end
      end
      StSquare: begin
        cmd.dst0 = slot(goal_q ? two : one);      // ct-ok: masked
        cmd.a0   = slot(square_q ? two : one);    // ct-ok: masked
        cmd.b    = slot(square_q ? two : one);    // ct-ok: masked
      end
      default: begin
        cmd.dst0 = SlotResult;
        cmd.a0   = slot(mask_q ? two : one);
        cmd.b    = mf_pkg::SlotOne;
      end
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (rst_i || done_o) begin
      fetch_q  <= FtNone;
      digit_q  <= 1'b0;
      square_q <= 1'b0;
      goal_q   <= 1'b0;
      mask_q   <= 1'b0;
      random_q <= '0;
      masks_q  <= '0;
      masked_q <= '0;
      free_q   <= '0;
      cmd_q    <= '0;
      state_q  <= StIdle;
      valid_q  <= 1'b0;
    end else if (start_i) begin
      fetch_q <= FtStart;
      state_q <= StBegin;
    end else begin
      unique case (fetch_q)
        FtNone:   if (fetches) fetch_q <= FtPlace;
        FtStart:  fetch_q <= FtStart2;
        FtStart2: fetch_q <= FtStart3;
        FtStart3: fetch_q <= FtStart4;
        FtPlace:  fetch_q <= FtMask;
        FtMask:   fetch_q <= FtExp;
        FtExp:    fetch_q <= FtMask2;
        FtMask2:  fetch_q <= FtExp2;
        FtExp2:   fetch_q <= FtPick;
        FtPick:   fetch_q <= FtMove;
        default:  fetch_q <= FtNone;
      endcase
      if (fetch_q == FtStart3) random_q <= exp_data_i[8:0];
      if (fetch_q == FtStart4) begin
        {mask_q, free_q} <= {random_q[8], place_of(random_q[7:0])};
        state_q <= StEnter;
      end
      if (fetch_q == FtMask2) masks_q <= nibble;
      if (fetch_q == FtExp2) masked_q <= nibble ^ masks_q;
      if (fetch_q == FtPick) begin
        square_q <= bit_masked ^ bit_mask ^ mask_q;
        goal_q   <= ~bit_masked;
        mask_q   <= bit_mask;
      end
      digit_q <= fetch_q == FtMove || (digit_q && !taken);

      if (form) begin
        cmd_q   <= cmd;
        valid_q <= 1'b1;
      end
      if (taken) free_q <= moved_q;
      if (fire) begin
        valid_q <= 1'b0;
        unique case (state_q)
          StEnter:  state_q <= StOne;
          StOne:    state_q <= none_q ? StLeave : StPair;
          StPair:   state_q <= NumLanes == 1 ? StSquare : final_q ? StLeave : StPair;
          StSquare: state_q <= final_q ? StLeave : StPair;
          default:  state_q <= state_q;
        endcase
      end
    end
    if (start_i) begin
      none_q  <= exp_bits_i == '0;
      index_q <= index_t'(exp_bits_i - 16'd1);
    end else if (taken) begin
      index_q <= index_less_q;
    end
    index_less_q <= index_q - index_t'(1);
    exp_word_q   <= addr_t'(index_q >> 5);
    mask_word_q  <= addr_t'(ExpWords) + addr_t'(index_q >> 5);
    moved_q      <= goal_q ? one : two;
    if (fetch_q == FtPick) last_q <= index_q == '0;
    if (taken) final_q <= last_q;
  end

endmodule
