// SPDX-License-Identifier: Apache-2.0
/// Radix-16 Montgomery engine without hard multipliers: Booth-recoded multiplier and quotient
/// digits, a carry-save accumulator, two's-complement operands. The conventional radix-16, Booth
/// radix-4 and radix-2 datapaths are the same engine with another Recoding.
///
/// Source   [NGUYEN20] Algorithm 2 and Fig. 1; deviations D1..D5 in README.md beside this file.
/// Model    modfab.models.mul_booth16 (same values, same cycles).
/// Latency  product: NumDigits + 5 (fetch, NumDigits + 1 iterations, three passes of the carry);
///          all formulas: modfab.catalog.mul_booth16. Parameters only, never data.
/// Assumes  the engine contract (rtl/mul/README.md).
/// Ensures  the engine contract with R = 2^(DigitBits * NumDigits); slots hold values v with
///          -M < v < M in two's complement, a store adds M to a negative one.
module mf_mul_booth16 #(
  parameter int unsigned NumBits  = 256, // bits of the modulus, 16..4096
  parameter int unsigned NumSlots = 8,   // slots, 8..128
  parameter int unsigned Recoding = 0    // 0 booth16, 1 radix16, 2 booth4, 3 radix2
) (
  input  logic              clk_i,
  input  logic              rst_i,       // synchronous; clears control, then the wipe clears data
  input  logic              zeroize_i,

  input  logic              cmd_valid_i,
  output logic              cmd_ready_o,
  input  mf_pkg::cmd_t      cmd_i,

  input  logic              in_valid_i,
  output logic              in_ready_o,
  input  logic [31:0]       in_data_i,

  output logic              out_valid_o,
  input  logic              out_ready_i,
  output logic [31:0]       out_data_o,

  output logic              busy_o,
  output mf_pkg::status_e   status_o
);

  if (NumBits < 16 || NumBits > 4096) begin : gen_check_bits
    $error("mf_mul_booth16: NumBits must be 16..4096");
  end
  if (NumSlots < 8 || NumSlots > 128) begin : gen_check_slots
    $error("mf_mul_booth16: NumSlots must be 8..128");
  end
  if (Recoding > 3) begin : gen_check_recoding
    $error("mf_mul_booth16: Recoding must be 0, 1, 2 or 3");
  end

  localparam bit          Booth     = Recoding == 0 || Recoding == 2;
  localparam int unsigned DigitBits = Recoding < 2 ? 4 : Recoding == 2 ? 2 : 1;
  localparam int unsigned NumRows   = Booth ? DigitBits / 2 : DigitBits;
  localparam int unsigned NumDigits = (NumBits + 1 + DigitBits) / DigitBits; // R >= 4 * 2^NumBits
  localparam int unsigned NumWords  = mf_pkg::words_of(NumBits);
  localparam int unsigned SlotBits  = NumBits + 1;
  localparam int unsigned NumBanks  = mf_pkg::words_of(SlotBits);
  localparam int unsigned YBits     = Recoding == 3 ? SlotBits + 1 : SlotBits;
  localparam int unsigned SumBits   = mf_mul_booth16_pkg::sum_bits(NumBits, DigitBits, Booth);
  localparam int unsigned AddrBits  = $clog2(NumSlots);
  localparam int unsigned CountBits = $clog2(NumDigits + 2);
  // Columns that share a copy of what drives all of them; the highest segment takes the rest.
  localparam int unsigned SegmentBits  = 256;
  localparam int unsigned Segments     = NumBits < SegmentBits ? 1
                                       : (NumBits + SegmentBits / 2) / SegmentBits;
  // The digit loop closes in the lowest columns: where others are many, these have digits of
  // their own, so that the loop need not wait for a net of a whole segment.
  localparam int unsigned LowBits      = Segments == 1 ? 0 : 16;
  localparam int unsigned DigitCopies  = Segments == 1 ? 1 : Segments + 1;
  localparam int unsigned BlockBits    = 32; // of the final addition
  localparam int unsigned NumBlocks    = (SlotBits + BlockBits - 1) / BlockBits;
  localparam int unsigned WordAddrBits = $clog2((NumDigits + 1) * DigitBits / 32 + 2);

  typedef logic [NumRows-1:0][2:0] sel_t;

  // ---- control ----
  mf_mul_booth16_pkg::control_t control;
  logic [NumBanks-1:0]     bank;
  logic [AddrBits-1:0]     dst_next, src_a_next, src_b_next;
  mf_mul_booth16_pkg::columns_t columns_next;
  logic [CountBits-1:0]    digit;
  logic [WordAddrBits-1:0] word;
  logic [SlotBits-1:0]     sum, first_pass, second_pass;
  logic [NumBlocks-1:0]    full, full_q;
  mf_pkg::modulus_t        modulus;
  mf_mul_booth16_control #(
    .NumSlots     (NumSlots),
    .NumWords     (NumWords),
    .NumBanks     (NumBanks),
    .NumDigits    (NumDigits),
    .DigitBits    (DigitBits),
    .Booth        (Booth),
    .WordAddrBits (WordAddrBits)
  ) u_control (
    .clk_i,
    .rst_i,
    .zeroize_i,
    .cmd_valid_i,
    .cmd_ready_o,
    .cmd_i,
    .in_valid_i,
    .in_ready_o,
    .out_valid_o,
    .out_ready_i,
    .busy_o,
    .status_o,
    .modulus_i   (modulus),
    .sign_i      (sum[SlotBits-1]),
    .control_o   (control),
    .bank_o      (bank),
    .columns_o   (columns_next),
    .dst_o       (dst_next),
    .src_a_o     (src_a_next),
    .src_b_o     (src_b_next),
    .digit_o     (digit),
    .word_o      (word)
  );

  // ---- what drives every column: a register for each segment of the columns ----
  typedef struct packed {
    mf_mul_booth16_pkg::columns_t ctl;
    logic [AddrBits-1:0]          dst;
    logic [AddrBits-1:0]          src_a;
    logic [AddrBits-1:0]          src_b;
    logic [31:0]                  data; // the word being loaded, else 0
  } segment_t;
  segment_t segment_next;
  segment_t [Segments-1:0] segment;
  assign segment_next = '{
    ctl:   columns_next,
    dst:   dst_next,
    src_a: src_a_next,
    src_b: src_b_next,
    data:  in_valid_i && in_ready_o && !control.wipe ? in_data_i : 32'(control.constant)
  };
  mf_fanout_reg #(.WidthBits($bits(segment_t)), .Copies(Segments)) u_segments (
    .clk_i, .d_i(segment_next), .q_o(segment)
  );

  // ---- slots, one memory for each word; the sum is 0 while a word is loaded ----
  logic [SlotBits-1:0] slot_a, slot_b;
  for (genvar b = 0; b < NumBanks; b++) begin : gen_banks
    localparam int unsigned Low  = 32 * b;
    localparam int unsigned Part = Low / SegmentBits < Segments ? Low / SegmentBits : Segments - 1;
    localparam logic [31:0] Mask = NumBits >= Low + 32 ? '1  // without the sign bit
                                 : NumBits <= Low ? '0 : 32'((33'(1) << (NumBits - Low)) - 33'(1));
    localparam int unsigned Bits = Low + 32 > SlotBits ? SlotBits - Low : 32;
    mf_regfile_1w2r #(.WidthBits(Bits), .Depth(NumSlots)) u_slots (
      .clk_i,
      .wr_en_i     (bank[b] || segment[Part].ctl.write_all),
      .wr_addr_i   (segment[Part].dst),
      .wr_data_i   (sum[Low+:Bits] | Bits'(segment[Part].data & Mask)),
      .rd_a_addr_i (segment[Part].src_a),
      .rd_a_data_o (slot_a[Low+:Bits]),
      .rd_b_addr_i (segment[Part].src_b),
      .rd_b_data_o (slot_b[Low+:Bits])
    );
  end

  // ---- modulus and its properties for the check ----
  logic [NumBits-1:0] m_q;
  for (genvar b = 0; b < NumWords; b++) begin : gen_modulus
    localparam int unsigned Low  = 32 * b;
    localparam int unsigned Bits = Low + 32 > NumBits ? NumBits - Low : 32;
    localparam int unsigned Part = Low / SegmentBits < Segments ? Low / SegmentBits : Segments - 1;
    always_ff @(posedge clk_i) begin
      if (segment[Part].ctl.wipe) begin
        m_q[Low+:Bits] <= '0;
      end else if (bank[b] && segment[Part].dst == AddrBits'(mf_pkg::SlotMod)) begin
        m_q[Low+:Bits] <= segment[Part].data[Bits-1:0];
      end
    end
  end
  mf_modulus_words #(.NumBits(NumBits)) u_modulus (
    .clk_i,
    .wipe_i    (control.wipe),
    .en_i      (|bank && control.to_mod),
    .first_i   (bank[0]),
    .last_i    (bank[NumWords-1]),
    .word_i    (segment[0].data),
    .odd_i     (m_q[0]),
    .modulus_o (modulus)
  );

  // ---- digits of the multiplier, recoded one cycle before the array needs them ----
  localparam logic [DigitBits:0] HalfPlus  = Booth ? {1'b0, {DigitBits{1'b1}}}
                                                   : {1'b1, {DigitBits{1'b0}}};
  localparam logic [DigitBits:0] HalfMinus = {1'b1, {DigitBits{1'b0}}};
  localparam logic [DigitBits:0] Two = Recoding == 2 ? (DigitBits+1)'(3)  // 2 * 1, with bit below
                                     : Recoding == 3 ? (DigitBits+1)'(2)  // 1, and Y is doubled
                                     :                 (DigitBits+1)'(4); // 2
  logic [DigitBits:0] scan_bits, bits;
  logic [31:0]        scan_word;
  sel_t               y_sel, y_sel_d, m_sel, m_sel_d;
  sel_t [DigitCopies-1:0] y_sel_q, m_sel_q; // a copy for each segment and the low columns
  mf_mul_booth16_scan #(
    .SlotBits  (SlotBits),
    .NumDigits (NumDigits),
    .DigitBits (DigitBits),
    .CountBits (CountBits)
  ) u_scan (
    .clk_i,
    .clear_i (control.wipe),
    .slot_i  (slot_a),
    .first_i (control.first),
    .digit_i (digit),
    .bits_o  (scan_bits),
    .get_i   (control.get),
    .addr_i  (word),
    .word_o  (scan_word)
  );
  assign bits = control.half ? (control.minus ? HalfMinus : HalfPlus)
              : control.two ? Two : scan_bits;
  mf_mul_booth16_digit #(.DigitBits(DigitBits), .Booth(Booth)) u_digit (
    .bits_i (bits),
    .top_i  (control.top_digit),
    .sel_o  (y_sel)
  );

  // ---- the array ----
  logic [SumBits-1:0] ss_q, sc_q, ss_step, sc_step;
  logic [YBits-1:0]   y_q, y_slot;
  logic [2:0]         carry, carry_q;
  if (Recoding == 3) begin : gen_doubled
    assign y_slot = control.two ? {slot_b, 1'b0} : {slot_b[SlotBits-1], slot_b};
  end else begin : gen_plain
    assign y_slot = slot_b;
  end
  mf_mul_booth16_step #(
    .NumBits     (NumBits),
    .YBits       (YBits),
    .SumBits     (SumBits),
    .DigitBits   (DigitBits),
    .Booth       (Booth),
    .Segments    (Segments),
    .SegmentBits (SegmentBits),
    .LowBits     (LowBits)
  ) u_step (
    .ss_i    (ss_q),
    .sc_i    (sc_q),
    .m_i     (m_q),
    .m_sel_i (m_sel_q),
    .carry_i (carry_q),
    .y_i     (y_q),
    .y_sel_i (y_sel_q),
    .ss_o    (ss_step),
    .sc_o    (sc_step)
  );
  mf_mul_booth16_quotient #(.DigitBits(DigitBits), .Booth(Booth)) u_quotient (
    .ss_i    (ss_step[DigitBits-1:0]),
    .sc_i    (sc_step[DigitBits-1:0]),
    .m_i     (m_q[DigitBits-1:0]),
    .top_i   (control.top_quot),
    .sel_o   (m_sel),
    .carry_o (carry)
  );
  mf_mul_booth16_add #(.WidthBits(SlotBits), .BlockBits(BlockBits)) u_add (
    .a_i      (ss_q[SlotBits-1:0]),
    .c_i      (sc_q[SlotBits-1:0]),
    .full_i   (full_q),
    .sum_o    (sum),
    .full_o   (full),
    .first_o  (first_pass),
    .second_o (second_pass)
  );

  logic [SumBits-1:0] sum_wide, pass_wide; // rows of the final addition
  assign sum_wide  = SumBits'(sum);
  assign pass_wide = control.second ? SumBits'(second_pass) : SumBits'(first_pass);
  for (genvar k = 0; k < Segments; k++) begin : gen_columns
    localparam int unsigned Low   = k * SegmentBits;
    localparam int unsigned Bits  = k == Segments - 1 ? SumBits - Low : SegmentBits;
    localparam int unsigned YCols = k == Segments - 1 ? YBits - Low : SegmentBits;
    always_ff @(posedge clk_i) begin
      if (segment[k].ctl.clear) begin
        ss_q[Low+:Bits] <= '0;
        sc_q[Low+:Bits] <= '0;
      end else begin
        ss_q[Low+:Bits] <= segment[k].ctl.run ? ss_step[Low+:Bits] : sum_wide[Low+:Bits];
        sc_q[Low+:Bits] <= segment[k].ctl.run ? sc_step[Low+:Bits] : pass_wide[Low+:Bits];
      end
      if (segment[k].ctl.wipe) y_q[Low+:YCols] <= '0;
      else if (segment[k].ctl.fetch) y_q[Low+:YCols] <= y_slot[Low+:YCols];
    end
  end

  assign y_sel_d = control.wipe || (control.no_digit && !control.two) ? '0 : y_sel;
  assign m_sel_d = control.first || control.wipe ? '0 : m_sel;
  mf_fanout_reg #(.WidthBits($bits(sel_t)), .Copies(DigitCopies)) u_y_sel (
    .clk_i, .d_i(y_sel_d), .q_o(y_sel_q)
  );
  mf_fanout_reg #(.WidthBits($bits(sel_t)), .Copies(DigitCopies)) u_m_sel (
    .clk_i, .d_i(m_sel_d), .q_o(m_sel_q)
  );
  always_ff @(posedge clk_i) begin
    full_q  <= segment[0].ctl.clear ? '0 : full;
    carry_q <= control.first || control.wipe ? '0 : carry;
  end

  // ---- a word to store: M is added to a negative value, word by word ----
  logic [31:0] word_q;
  logic        negative_q, get_slot_q, add_carry_q, add_carry;
  assign {add_carry, out_data_o} = 33'(word_q) + {1'b0, scan_word & {32{negative_q}}}
                                 + 33'(add_carry_q);
  always_ff @(posedge clk_i) begin
    if (control.wipe) begin
      word_q     <= '0;
      negative_q <= 1'b0;
    end else if (control.get_slot) begin
      negative_q <= slot_a[SlotBits-1];
    end
    if (!control.wipe && get_slot_q) word_q <= scan_word;
    get_slot_q <= control.get_slot;
    if (control.start || control.wipe) add_carry_q <= 1'b0;
    else if (out_valid_o && out_ready_i) add_carry_q <= add_carry;
  end

endmodule
