// SPDX-License-Identifier: Apache-2.0
/// Types shared by engines, sequencers and cores. The contract they carry is stated in
/// rtl/mul/README.md; nothing here is said twice there.
package mf_pkg;

  localparam int unsigned WordBits = 32; // bits of a word on every word stream and window
  localparam int unsigned SlotBits = 7;  // bits of a slot number: up to 128 slots

  typedef logic [SlotBits-1:0] slot_t;

  // A design that has an engine but no sequencer, or the reverse, reads only some of these.
  // verilator lint_off UNUSEDPARAM
  // Slots that set-up fills, and the first one that is free for results.
  localparam slot_t SlotOne  = 7'd0; // the integer 1
  localparam slot_t SlotR    = 7'd1; // R mod M, the Montgomery form of 1
  localparam slot_t SlotR2   = 7'd2; // R^2 mod M, the factor that leads into Montgomery form
  localparam slot_t SlotMod  = 7'd3; // the modulus M; written by OpLoad, never read by OpStore
  localparam slot_t SlotFree = 7'd4; // slots 4 .. NumSlots-1 belong to whoever sends commands
  // verilator lint_on UNUSEDPARAM

  typedef enum logic [2:0] {
    OpLoad  = 3'd0, // slot dst0 <- words from the input stream; with `load_factor` and b not 0:
                    // times b * R^-1 mod M
    OpStore = 3'd1, // words of slot a0, canonical, to the output stream
    OpSetup = 3'd2, // compute everything that depends on the modulus only; with `resume_bits` and
                    // b not 0: but for slots 0, 1, 2
    OpMul   = 3'd3, // dst0 <- a0 * b * R^-1 mod M
    OpMul2  = 3'd4  // dst0 <- a0 * b * R^-1, dst1 <- a1 * b * R^-1 mod M; both lanes read before
                    // either writes
  } op_e;

  typedef struct packed {
    op_e         op;
    slot_t       dst0;
    slot_t       a0;
    slot_t       b;
    slot_t       dst1;      // second lane, OpMul2 only
    slot_t       a1;        // second lane, OpMul2 only
    logic [15:0] num_words; // with a modulus (OpLoad, OpSetup): its words, 0 = as built
  } cmd_t;

  // Result of the last set-up, and the error codes of a core.
  typedef enum logic [3:0] {
    StatusOk        = 4'd0,
    StatusModEven   = 4'd1, // Montgomery arithmetic needs an odd modulus
    StatusModZero   = 4'd2,
    StatusModOne    = 4'd3,
    StatusModWide   = 4'd4, // a bit at or above NumBits is set
    StatusNumWords  = 4'd5, // the engine was not built for this number of active words
    StatusNoModulus = 4'd6, // no set-up has succeeded since reset or zeroize
    StatusOperand   = 4'd7, // base >= modulus
    StatusExpBits   = 4'd8, // more exponent bits asked for than the core holds
    StatusZeroized  = 4'd9, // zeroize ended the operation
    StatusModSmall  = 4'd10 // the modulus is below the lower bound that was built
  } status_e;

  // The contract's ports of an engine but clock and reset: what a core drives, what it gets back.
  typedef struct packed {
    logic        zeroize;
    logic        cmd_valid;
    cmd_t        cmd;
    logic        in_valid;
    logic [31:0] in_data;
    logic        out_ready;
  } engine_req_t;

  typedef struct packed {
    logic        cmd_ready;
    logic        in_ready;
    logic        out_valid;
    logic [31:0] out_data;
    logic        busy;
    status_e     status;
  } engine_rsp_t;

  // The ports of a sequencer but its clock.
  typedef struct packed {
    logic        rst;
    logic        start;
    logic [15:0] exp_bits;
    logic [31:0] exp_data;
    logic        cmd_ready;
  } seq_req_t;

  typedef struct packed {
    logic [15:0] exp_addr; // word of the exponent
    logic        cmd_valid;
    cmd_t        cmd;
    logic        done;
  } seq_rsp_t;
  // What a set-up has to know about the loaded modulus; mf_modulus_check makes a status of it.
  typedef struct packed {
    logic wide; // a bit at or above NumBits is set
    logic zero;
    logic one;  // may be set with zero
    logic odd;
  } modulus_t;

  // Words needed for a value of the given number of bits.
  function automatic int unsigned words_of(input int unsigned num_bits);
    words_of = (num_bits + WordBits - 1) / WordBits;
  endfunction

endpackage
