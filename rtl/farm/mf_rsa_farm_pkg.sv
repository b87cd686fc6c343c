// SPDX-License-Identifier: Apache-2.0
/// Packets of the farm's job queue: the word before a message, the word behind a result. Checksum
/// and codes by which a changed bit of the farm's own registers is noticed or corrected.
package mf_rsa_farm_pkg;

  // How a job ended: as mf_rsa_pkg::status_e, and what only a farm has.
  typedef enum logic [3:0] {
    JobOk       = 4'd0,
    JobNoKey    = 4'd1,
    JobKey      = 4'd2, // the core's copy of the key has changed
    JobOperand  = 4'd3,
    JobFault    = 4'd4,
    JobWatchdog = 4'd5,
    JobZeroized = 4'd6,
    JobEntropy  = 4'd7, // no random words
    JobFormat   = 4'd8, // a wrong length, a reserved bit, or no public exponent; not run
    JobService  = 4'd9, // its core went out of service before the job's turn came; not run
    JobTest     = 4'd10 // its core does not give the known answer of its own test
  } job_status_e;

  typedef logic reset_t; // of a core; a type of its own, as a build connects it inside

  // Reset or zeroize for what the farm has beside its cores, for each part from its own registers.
  typedef struct packed {
    logic rest;    // bus, ledgers
    logic random;  // generator, and what hands out its words
    logic answers; // collector and what its words go through
    logic jobs;    // dispatcher, likewise
  } parts_t;

  // Exactly one of a member's states.
  function automatic logic one_hot(input logic [6:0] states);
    logic some, more;
    {some, more} = '0;
    for (int unsigned i = 0; i < 7; i++) begin
      more |= some && states[i];
      some |= states[i];
    end
    one_hot = some && !more;
  endfunction

  // First word of a job.
  typedef struct packed {
    logic [14:0] reserved;   // 0
    logic        public_key; // message^e instead of message^d
    logic [15:0] id;         // chosen by the sender; bits at or above JobIdBits are 0
  } job_t;

  // Last word of an answer.
  typedef struct packed {
    logic [2:0]  reserved; // 0
    logic [4:0]  core;     // which core ran it
    logic [3:0]  unused;   // 0
    job_status_e status;
    logic [15:0] id;       // the job's
  } answer_t;

  // At most one bit differs. Without an adder, which `$countones` would bring.
  function automatic logic near(input logic [4:0] word, input logic [4:0] code);
    logic one;
    one  = 1'b0;
    near = 1'b1;
    for (int unsigned i = 0; i < 5; i++) begin
      if (word[i] != code[i] && one) near = 1'b0;
      if (word[i] != code[i]) one = 1'b1;
    end
  endfunction

  // Numbers of the jobs of one core, modulo 4, in a code of the same kind.
  typedef logic [4:0] seq_t;

  function automatic seq_t seq_code(input logic [1:0] number);
    unique case (number)
      2'd0:    seq_code = 5'b00000;
      2'd1:    seq_code = 5'b00111;
      2'd2:    seq_code = 5'b11001;
      default: seq_code = 5'b11110;
    endcase
  endfunction

  function automatic logic [1:0] seq_number(input seq_t word);
    seq_number = '0;
    for (int unsigned i = 1; i < 4; i++)
      if (near(word, seq_code(2'(i)))) seq_number = 2'(i);
  endfunction

  // What an outbox says of its job: the ending twice, number, public_key and id, checksum.
  typedef struct packed {
    job_status_e status;
    logic [3:0]  status_inv;
    seq_t        seq;
    logic [16:0] job;
    logic [31:0] crc;
  } held_t;

  // What a core's ledger says: how many jobs are owed an answer, the first one's number, parity,
  // public_key and id.
  typedef struct packed {
    logic [1:0]  count;
    logic [1:0]  number;
    logic        parity;
    logic [16:0] job;
  } owed_t;

  // CRC-32 (IEEE 802.3; reflected polynomial EDB88320), low byte of a word first. A register that
  // begins with ones has at the end the complement of zlib's crc32 of the words' bytes. The farm
  // compares registers, so it needs no complement. Row i has a 1 for each bit of register ^ word
  // that goes into bit i of the next register.
  function automatic logic [31:0][31:0] crc_rows();
    logic [31:0] column;
    for (int unsigned bit_in = 0; bit_in < 32; bit_in++) begin
      column = 32'd1 << bit_in;
      for (int unsigned i = 0; i < 32; i++)
        column = {1'b0, column[31:1]} ^ (column[0] ? 32'hEDB88320 : '0);
      for (int unsigned bit_out = 0; bit_out < 32; bit_out++)
        crc_rows[bit_out][bit_in] = column[bit_out];
    end
  endfunction
  localparam logic [31:0][31:0] CrcRows = crc_rows();

  function automatic logic [31:0] crc_word(input logic [31:0] crc, input logic [31:0] word);
    for (int unsigned i = 0; i < 32; i++) crc_word[i] = ^(CrcRows[i] & (crc ^ word));
  endfunction

endpackage
