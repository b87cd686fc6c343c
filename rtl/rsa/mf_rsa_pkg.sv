// SPDX-License-Identifier: Apache-2.0
/// Instructions of the RSA core's word machine and the ways its operations end. What each
/// instruction does is stated once, in rtl/rsa/README.md.
package mf_rsa_pkg;

  localparam int unsigned AddrBits = 13; // bits of a word address, a length and an immediate

  typedef logic [AddrBits-1:0] addr_t;

  typedef enum logic [4:0] {
    OpHalt = 5'd0,   OpAdd   = 5'd1,  OpAdc  = 5'd2,  OpSub    = 5'd3,  OpSel     = 5'd4,
    OpEq   = 5'd5,   OpMac   = 5'd6,  OpSet  = 5'd7,  OpMul2   = 5'd8,  OpRnd     = 5'd9,
    OpLoad = 5'd10,  OpStore = 5'd11, OpMul  = 5'd12, OpSetup  = 5'd13, OpExp     = 5'd14,
    OpNeed = 5'd15,  OpRelease = 5'd16, OpLoop = 5'd17, OpEndLoop = 5'd18, OpUnit = 5'd19,
    OpExp2 = 5'd20,  OpSetup2 = 5'd21, OpLoad2 = 5'd22, OpStore2 = 5'd23, OpExpE = 5'd24
  } op_e;

  // Even parity over all bits. Where an instruction has words of its own, len is their number less
  // two: what the count of them begins with.
  typedef struct packed {
    logic  parity;
    op_e   op;
    addr_t len;
    addr_t dst;
    addr_t a;
    addr_t b;
  } instr_t;

  // What an instruction is, decoded where it is taken.
  typedef struct packed {
    logic load;     // OpLoad, OpLoad2
    logic store;    // OpStore, OpStore2
    logic second;   // OpLoad2, OpStore2: words of the second unit follow
    logic both;     // a command or an exponentiation for both units
    logic setup;
    logic exp_e;
    logic exp_a;    // OpExp, OpExpE: the exponent at a, whichever port reads it
    logic mac;
    logic writes;   // as many words as it says
    logic need;
    logic loop;
    logic end_loop;
    logic trace;    // OpRelease
    logic halt;
    logic unit;
  } kind_t;

  function automatic kind_t kind_of(input op_e op);
    kind_of = '{
      load:     op inside {OpLoad, OpLoad2},
      store:    op inside {OpStore, OpStore2},
      second:   op inside {OpLoad2, OpStore2},
      both:     op inside {OpMul2, OpSetup2, OpExp2, OpExpE},
      setup:    op inside {OpSetup, OpSetup2},
      exp_e:    op == OpExpE,
      exp_a:    op inside {OpExp, OpExpE},
      mac:      op == OpMac,
      writes:   op inside {OpAdd, OpAdc, OpSub, OpSel, OpSet, OpRnd, OpMac},
      need:     op == OpNeed,
      loop:     op == OpLoop,
      end_loop: op == OpEndLoop,
      trace:    op == OpRelease,
      halt:     op == OpHalt,
      unit:     op == OpUnit
    };
  endfunction

  // The state of mf_rsa where it is one of these.
  typedef struct packed {
    logic wipe;
    logic verify;
    logic idle;
    logic decode;
    logic row;
    logic words;
    logic command;
    logic feed;
    logic take;
    logic engine;
    logic start;
    logic random;
    logic control;
  } at_t;

  // Programs, in the order of the entry table. A change to a context without a key, and the wipe of
  // the chosen one, is EntryLeave.
  typedef enum logic [2:0] {
    EntryKey = 3'd0, EntryPrivate = 3'd1, EntryPublic = 3'd2, EntryDerive = 3'd3,
    EntryTest = 3'd4, EntryChange = 3'd5, EntryLeave = 3'd6
  } entry_e;

  localparam int unsigned MaxKeys = 4; // contexts
  typedef logic [$clog2(MaxKeys)-1:0]   context_t;
  typedef logic [MaxKeys-1:0]           each_t; // a bit a context
  typedef logic [$clog2(MaxKeys+1)-1:0] bank_t; // of the word memory

  // For outside: the chosen context, those with a key, those that are locked.
  typedef struct packed {
    each_t    locks;
    each_t    keys;
    context_t chosen;
  } contexts_t;

  // Where the words of a key are read and written; a wipe keeps the other contexts' words.
  typedef struct packed {
    logic  keeps;
    bank_t rd;
    bank_t wr;
  } banks_t;

  typedef enum logic [3:0] {
    StatusOk       = 4'd0,
    StatusNoKey    = 4'd1, // no key has been set up since reset, zeroize or a write to the key
    StatusKey      = 4'd2, // the key was refused: a prime even or of a wrong length, or parts that
                           // do not fit each other
    StatusOperand  = 4'd3, // message >= n
    StatusFault    = 4'd4, // the result did not pass its check; nothing was released
    StatusWatchdog = 4'd5, // an instruction did not end
    StatusZeroized = 4'd6, // zeroize ended the operation
    StatusEntropy  = 4'd7, // no usable random words; the key stays
    StatusTest     = 4'd10 // the core does not give the known answer
  } status_e;

  // One build: sizes, memory map and entries of the programs. `modfab build` makes it together with
  // the program memory.
  typedef struct packed {
    logic [15:0] prime_bits;      // bits of the longer prime, or of n
    logic [15:0] min_prime_bits;  // both primes are above 2^this
    logic [15:0] exp_bits;        // bits of the longest exponent
    logic [15:0] max_e_bits;      // bits of e
    logic [31:0] watchdog_cycles; // no instruction takes as many
    logic [15:0] unit_wipe;       // cycles of an engine's wipe
    logic [15:0] store_gap;       // OpStore2: from the first store's command to the second's
    logic [31:0] entropy_cycles;  // how long OpRnd waits for a word
    logic        blind_exponent;
    logic        blind_message;
    logic        hardened;
    logic        blind_address;
    logic        load_sums;       // OpLoad, OpLoad2 with bit 7 of len: the loaded slot is added
    logic        keygen;          // EntryDerive makes the primes, too; a key's set-up shows n
    logic        public_only;     // n in the place of p, one engine as wide as n, no private key
    logic [2:0]  num_keys;        // contexts
    logic [3:0]  bank_bits;       // two or more: each has two to this power of words
    addr_t       ram_words;
    addr_t       entry_private;
    addr_t       entry_public;
    addr_t       entry_key;
    addr_t       entry_derive;
    addr_t       entry_test;
    addr_t       entry_fail;
    addr_t       entry_change;    // two contexts or more
    addr_t       entry_leave;
    addr_t       var_p;           // addresses of the variables
    addr_t       var_q;
    addr_t       var_dp;
    addr_t       var_dq;
    addr_t       var_qi;
    addr_t       var_e;
    addr_t       var_d;
    addr_t       key_end;         // behind the last word of the key
    addr_t       var_c;           // message and its second copy
    addr_t       var_c2;
    addr_t       var_m;           // result, and what follows it
    addr_t       var_m_end;
  } cfg_t;

  // Sizes that every module elaborates with, for lint; no program fits them.
  // verilator lint_off UNUSEDPARAM
  localparam cfg_t CfgSmallest = '{
    prime_bits: 16'd64, min_prime_bits: 16'd32, exp_bits: 16'd128, max_e_bits: 16'd128,
    watchdog_cycles: 32'd1024, unit_wipe: 16'd1, entropy_cycles: 32'd64, num_keys: 3'd1,
    ram_words: 13'd128, key_end: 13'd32, var_c: 13'd48, var_c2: 13'd56, var_m: 13'd64,
    var_m_end: 13'd72, default: '0
  };
  // verilator lint_on UNUSEDPARAM

endpackage
