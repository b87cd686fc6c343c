// SPDX-License-Identifier: Apache-2.0
/// Instructions of the RSA core's word machine and the ways its operations end. What each
/// instruction does is stated once, in rtl/rsa/README.md.
package mf_rsa_pkg;

  localparam int unsigned AddrBits = 13; // bits of a word address, a length and an immediate

  typedef enum logic [4:0] {
    OpHalt = 5'd0, OpAdd  = 5'd1, OpAdc   = 5'd2,  OpSub = 5'd3,  OpSel   = 5'd4,  OpEq   = 5'd5,
    OpMac  = 5'd6, OpSet  = 5'd7, OpLdm   = 5'd8,  OpRnd = 5'd9,  OpLoad  = 5'd10, OpStore = 5'd11,
    OpMul  = 5'd12, OpSetup = 5'd13, OpExp = 5'd14, OpNeed = 5'd15, OpRelease = 5'd16,
    OpLoop = 5'd17, OpEndLoop = 5'd18, OpUnit = 5'd19, OpExp2 = 5'd20, OpSetup2 = 5'd21
  } op_e;

  typedef struct packed {
    op_e                 op;
    logic [AddrBits-1:0] len;
    logic [AddrBits-1:0] dst;
    logic [AddrBits-1:0] a;
    logic [AddrBits-1:0] b;
  } instr_t;

  // Programs, in the order of the entry table.
  typedef enum logic [1:0] {
    EntryKey = 2'd0, EntryPrivate = 2'd1, EntryPublic = 2'd2, EntryDerive = 2'd3
  } entry_e;

  typedef enum logic [3:0] {
    StatusOk       = 4'd0,
    StatusNoKey    = 4'd1, // no key has been set up since reset, zeroize or a write to the key
    StatusKey      = 4'd2, // the key was refused: a prime even or of a wrong length, or parts that
                           // do not fit each other
    StatusOperand  = 4'd3, // message >= n
    StatusFault    = 4'd4, // the result did not pass its check; nothing was released
    StatusWatchdog = 4'd5, // an instruction did not end
    StatusZeroized = 4'd6  // zeroize ended the operation
  } status_e;

endpackage
