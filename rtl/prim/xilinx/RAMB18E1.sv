// SPDX-License-Identifier: Apache-2.0
/// Declaration and simulation model of the Xilinx 7 series block RAM cell of 18 kbit, as far as
/// modfab uses it: 1024 words of 18 bits, port A writes or reads, port B reads, one clock, no
/// resets. Synthesis takes the vendor's own cell.
///
/// Source   Xilinx UG473 (7 series memory resources); the ports have the vendor's names.
/// Latency  one cycle for the memory, one more with DOA_REG (DOB_REG) 1.
/// Assumes  CLKARDCLK = CLKBWRCLK, enables 1, resets 0, WEA 00 or 11, WEBWE = 0.
/// Ensures  DOPADOP, DOADO is the word at ADDRARDADDR[13:4] where WEA is 0; DOPBDOP, DOBDO that at
///          ADDRBWRADDR[13:4].
(* blackbox *)
module RAMB18E1 #(
  parameter int DOA_REG       = 0, // 0 or 1, here and below
  parameter int DOB_REG       = 0,
  // Settings of the vendor's cell without an effect in this model.
  // verilator lint_off UNUSEDPARAM
  parameter int READ_WIDTH_A  = 0,
  parameter int WRITE_WIDTH_A = 0,
  parameter int READ_WIDTH_B  = 0,
  parameter int WRITE_WIDTH_B = 0,
  parameter RAM_MODE          = "TDP",
  parameter SIM_DEVICE        = "7SERIES"
  // verilator lint_on UNUSEDPARAM
) (
  input  logic        CLKARDCLK, ENARDEN, REGCEAREGCE, RSTRAMARSTRAM, RSTREGARSTREG,
  input  logic        CLKBWRCLK, ENBWREN, REGCEB, RSTRAMB, RSTREGB,
  input  logic [13:0] ADDRARDADDR, ADDRBWRADDR,
  input  logic [1:0]  WEA,
  input  logic [3:0]  WEBWE,
  input  logic [15:0] DIADI, DIBDI,
  input  logic [1:0]  DIPADIP, DIPBDIP,
  output logic [15:0] DOADO, DOBDO,
  output logic [1:0]  DOPADOP, DOPBDOP
);

  logic unused_ports;
  assign unused_ports = ^{ENARDEN, REGCEAREGCE, RSTRAMARSTRAM, RSTREGARSTREG, CLKBWRCLK, ENBWREN,
                          REGCEB, RSTRAMB, RSTREGB, ADDRARDADDR, ADDRBWRADDR, WEA, WEBWE, DIBDI,
                          DIPBDIP};

  logic [17:0] mem_q [1024];
  logic [17:0] a_word_q, a_out_q, b_word_q, b_out_q;
  assign {DOPADOP, DOADO} = DOA_REG == 1 ? a_out_q : a_word_q;
  assign {DOPBDOP, DOBDO} = DOB_REG == 1 ? b_out_q : b_word_q;

  always_ff @(posedge CLKARDCLK) begin
    if (WEA[0]) mem_q[ADDRARDADDR[13:4]] <= {DIPADIP, DIADI};
    a_word_q <= mem_q[ADDRARDADDR[13:4]];
    a_out_q  <= a_word_q;
    b_word_q <= mem_q[ADDRBWRADDR[13:4]];
    b_out_q  <= b_word_q;
  end

endmodule
