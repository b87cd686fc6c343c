// SPDX-License-Identifier: Apache-2.0
/// Packets of the farm's job queue: the word before a message, the word behind a result.
package mf_rsa_farm_pkg;

  // How a job ended: 0..6 as mf_rsa_pkg::status_e, and what only a farm has.
  typedef enum logic [3:0] {
    JobOk       = 4'd0,
    JobNoKey    = 4'd1,
    JobKey      = 4'd2, // the core's copy of the key has changed
    JobOperand  = 4'd3,
    JobFault    = 4'd4,
    JobWatchdog = 4'd5,
    JobZeroized = 4'd6,
    JobFormat   = 4'd8, // a wrong length, a reserved bit, or no public exponent; not run
    JobService  = 4'd9  // its core went out of service before the job's turn came; not run
  } job_status_e;

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

endpackage
