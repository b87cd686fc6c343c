// SPDX-License-Identifier: Apache-2.0
/// High-radix systolic Montgomery engine: one element for each digit, or in radix 2 for several,
/// two products side by side.
///
/// Source   [BLUM01] Algorithm 3.2 and sections 4.1 to 4.3; deviations D1.. in README.md beside it.
/// Model    modfab.models.mul_systolic, element by element modfab.models.mul_systolic_array.
/// Latency  with m = ceil(NumBits / RadixBits): a product or a pair 2m + 4 + 2^RadixBits, for
///          RadixBits = 1 2m + 8; others in the catalogue. Parameters only, never data.
/// Assumes  the engine contract (rtl/mul/README.md).
/// Ensures  the engine contract with R = 1: slots hold x * 2^(RadixBits * (m + 2)) mod M, any
///          representative up to half that power.
module mf_mul_systolic #(
  parameter int unsigned NumBits   = 256, // bits of the modulus, 16..4096
  parameter int unsigned NumSlots  = 8,   // slots, 8..128
  parameter int unsigned RadixBits = 4,   // bits of a digit, 1..6
  parameter int unsigned ElementBits = 1  // RadixBits 1: bits of an element, 1, 4, 8, 16; else 1
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
    $error("mf_mul_systolic: NumBits must be 16..4096");
  end
  if (NumSlots < 8 || NumSlots > 128) begin : gen_check_slots
    $error("mf_mul_systolic: NumSlots must be 8..128");
  end
  if (RadixBits < 1 || RadixBits > 6) begin : gen_check_radix
    $error("mf_mul_systolic: RadixBits must be 1..6");
  end
  if (!(ElementBits inside {1, 4, 8, 16}) || (ElementBits != 1 && RadixBits != 1))
  begin : gen_check_element
    $error("mf_mul_systolic: ElementBits must be 1, or 4, 8 or 16 with RadixBits 1");
  end

  localparam int unsigned NumWords  = mf_pkg::words_of(NumBits);
  localparam int unsigned NumDigits = (NumBits + RadixBits - 1) / RadixBits + 2;
  localparam int unsigned AddrBits  = $clog2(NumSlots + 1);
  localparam int unsigned IndexBits = $clog2(NumDigits + 1);
  localparam int unsigned WordBits = $clog2(NumWords < 2 ? 2 : NumWords);
  typedef logic [RadixBits-1:0] digit_t;
  typedef logic [AddrBits-1:0]  addr_t;

  mf_mul_systolic_pkg::units_t   units;
  mf_mul_systolic_pkg::element_t element;
  mf_mul_systolic_pkg::source_t  source;
  mf_pkg::modulus_t     modulus;
  logic                 digit_valid, digit_done, out_done, carry;
  addr_t                rd_addr, inj_addr, wr_addr;
  digit_t               digit, neg_digit, tab_addr, a_const, stream;
  logic [1:0]           below;
  logic [2:0]           top_bit;
  logic [IndexBits-1:0] neg_shift, top_index;
  logic [WordBits-1:0]  wipe_word;

  mf_mul_systolic_seq #(
    .NumBits     (NumBits),
    .NumSlots    (NumSlots),
    .RadixBits   (RadixBits),
    .NumDigits   (NumDigits),
    .ElementBits (ElementBits)
  ) u_seq (
    .clk_i, .rst_i, .zeroize_i, .cmd_valid_i, .cmd_ready_o, .cmd_i, .busy_o, .status_o,
    .units_o     (units),
    .wipe_word_o (wipe_word),
    .in_valid_i  (digit_valid),
    .in_digit_i  (digit),
    .in_done_i   (digit_done),
    .modulus_i   (modulus),
    .out_done_i  (out_done),
    .neg_shift_i (neg_shift),
    .neg_digit_i (neg_digit),
    .element_o   (element),
    .source_o    (source),
    .rd_addr_o   (rd_addr),
    .inj_addr_o  (inj_addr),
    .wr_addr_o   (wr_addr),
    .tab_addr_o  (tab_addr),
    .a_const_o   (a_const),
    .carry_o     (carry)
  );

  mf_mul_systolic_array #(
    .RadixBits   (RadixBits),
    .NumDigits   (NumDigits),
    .SlotDepth   (NumSlots + 1),
    .ElementBits (ElementBits)
  ) u_array (
    .clk_i,
    .element_i  (element),
    .rd_addr_i  (rd_addr),
    .inj_addr_i (inj_addr),
    .wr_addr_i  (wr_addr),
    .tab_addr_i (tab_addr),
    .source_i   (source),
    .a_const_i  (a_const),
    .carry_i    (carry),
    .wipe_i     (units.wipe),
    .stream_o   (stream)
  );

  mf_mul_systolic_in #(
    .NumBits   (NumBits),
    .RadixBits (RadixBits),
    .NumDigits (NumDigits)
  ) u_in (
    .clk_i,
    .wipe_i      (units.wipe),
    .run_i       (units.in_run),
    .note_i      (units.in_note),
    .in_valid_i, .in_ready_o, .in_data_i,
    .valid_o     (digit_valid),
    .digit_o     (digit),
    .done_o      (digit_done),
    .modulus_o   (modulus),
    .top_index_o (top_index),
    .top_bit_o   (top_bit),
    .below_o     (below)
  );

  mf_mul_systolic_neg #(
    .RadixBits (RadixBits),
    .NumDigits (NumDigits)
  ) u_neg (
    .clk_i,
    .start_i     (units.neg_start || units.wipe),
    .pass_i      (units.neg_pass),
    .top_index_i (top_index),
    .top_bit_i   (top_bit),
    .below_i     (below),
    .shift_o     (neg_shift),
    .en_i        (units.neg_en),
    .digit_i     (stream),
    .digit_o     (neg_digit)
  );

  mf_mul_systolic_out #(
    .NumWords  (NumWords),
    .RadixBits (RadixBits)
  ) u_out (
    .clk_i,
    .start_i     (units.out_start),
    .wipe_i      (units.wipe),
    .wipe_addr_i (wipe_word),
    .en_i        (units.out_en),
    .digit_i     (stream),
    .out_valid_o, .out_ready_i, .out_data_o,
    .done_o      (out_done)
  );

endmodule
