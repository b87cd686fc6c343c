// SPDX-License-Identifier: Apache-2.0
/// Declaration and simulation model of the Lattice ECP5 pseudo dual-port block RAM cell, as far as
/// modfab uses it: 512 words of 36 bits, one clock, no resets. Synthesis takes the vendor's own
/// cell.
///
/// Source   Lattice FPGA-TN-02204 (memory usage guide); the ports have the vendor's names.
/// Latency  one cycle for the memory, one more with REGMODE "OUTREG".
/// Assumes  CLKW = CLKR, BE = 1111, CER = OCER = 1, RST = CS = 0, no read of a word being written.
/// Ensures  DO is the word at ADR[13:5].
(* blackbox *)
module PDPW16KD #(
  parameter REGMODE      = "NOREG", // or "OUTREG"
  // Settings of the vendor's cell without an effect in this model.
  // verilator lint_off UNUSEDPARAM
  parameter DATA_WIDTH_W = 36,
  parameter DATA_WIDTH_R = 36,
  parameter GSR          = "ENABLED"
  // verilator lint_on UNUSEDPARAM
) (
  input  logic CLKW, CLKR, CEW, CER, OCER, RST, CSW2, CSW1, CSW0, CSR2, CSR1, CSR0,
  input  logic BE3, BE2, BE1, BE0,
  input  logic ADW8, ADW7, ADW6, ADW5, ADW4, ADW3, ADW2, ADW1, ADW0,
  input  logic ADR13, ADR12, ADR11, ADR10, ADR9, ADR8, ADR7,
  input  logic ADR6, ADR5, ADR4, ADR3, ADR2, ADR1, ADR0,
  input  logic DI35, DI34, DI33, DI32, DI31, DI30, DI29, DI28, DI27, DI26, DI25, DI24, DI23, DI22,
  input  logic DI21, DI20, DI19, DI18, DI17, DI16, DI15,
  input  logic DI14, DI13, DI12, DI11, DI10, DI9, DI8, DI7,
  input  logic DI6, DI5, DI4, DI3, DI2, DI1, DI0,
  output logic DO35, DO34, DO33, DO32, DO31, DO30, DO29, DO28, DO27, DO26, DO25, DO24, DO23, DO22,
  output logic DO21, DO20, DO19, DO18, DO17, DO16, DO15,
  output logic DO14, DO13, DO12, DO11, DO10, DO9, DO8, DO7,
  output logic DO6, DO5, DO4, DO3, DO2, DO1, DO0
);

  logic unused_ports;
  assign unused_ports = ^{CLKR, CER, OCER, RST, CSW2, CSW1, CSW0, CSR2, CSR1, CSR0,
                          BE3, BE2, BE1, BE0, ADR4, ADR3, ADR2, ADR1, ADR0};

  logic [35:0] mem_q [512];
  logic [35:0] di, word_q, out_q;
  logic [8:0]  adw, adr;
  assign adw = {ADW8, ADW7, ADW6, ADW5, ADW4, ADW3, ADW2, ADW1, ADW0};
  assign adr = {ADR13, ADR12, ADR11, ADR10, ADR9, ADR8, ADR7, ADR6, ADR5};
  assign di = {DI35, DI34, DI33, DI32, DI31, DI30, DI29, DI28, DI27, DI26, DI25, DI24, DI23,
               DI22, DI21, DI20, DI19, DI18, DI17, DI16, DI15, DI14, DI13, DI12, DI11, DI10,
               DI9, DI8, DI7, DI6, DI5, DI4, DI3, DI2, DI1, DI0};
  assign {DO35, DO34, DO33, DO32, DO31, DO30, DO29, DO28, DO27, DO26, DO25, DO24, DO23, DO22,
          DO21, DO20, DO19, DO18, DO17, DO16, DO15, DO14, DO13, DO12, DO11, DO10, DO9, DO8,
          DO7, DO6, DO5, DO4, DO3, DO2, DO1, DO0}
    = REGMODE == "OUTREG" ? out_q : word_q;

  always_ff @(posedge CLKW) begin
    if (CEW) mem_q[adw] <= di;
    word_q <= mem_q[adr];
    out_q  <= word_q;
  end

endmodule
