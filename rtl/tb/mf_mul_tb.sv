// SPDX-License-Identifier: Apache-2.0
/// Self-checking bench of one engine, 64 bits wide: products of random numbers against `%`.
///
/// Source   modfab; MF_ENGINE names the engine's module.
/// Latency  it ends by itself, with "PASS: 20 products of <engine>" or an error.
/// Assumes  the engine contract.
/// Ensures  a * b mod M for every product, whatever R and number representation the engine has:
///          (a * R^2 * R^-1) * b * R^-1 = a * b.
`ifndef MF_ENGINE
  `define MF_ENGINE mf_mul_sos
`endif
module mf_mul_tb;

  localparam int unsigned NumBits     = 64;
  localparam int unsigned NumModuli   = 4;
  localparam int unsigned NumProducts = 5; // of a modulus
  localparam int unsigned MaxCycles   = 1_000_000;
  localparam mf_pkg::slot_t SlotA = mf_pkg::SlotFree;
  localparam mf_pkg::slot_t SlotB = mf_pkg::SlotFree + 7'd1;

  typedef logic [NumBits-1:0] number_t;

  logic            clk_i, rst_i, zeroize_i;
  logic            cmd_valid_i, cmd_ready_o;
  mf_pkg::cmd_t    cmd_i;
  logic            in_valid_i, in_ready_o;
  logic [31:0]     in_data_i;
  logic            out_valid_o, out_ready_i;
  logic [31:0]     out_data_o;
  logic            busy_o;
  mf_pkg::status_e status_o;

  initial begin
    clk_i = 1'b0;
    forever #5 clk_i = !clk_i;
  end

  `MF_ENGINE #(.NumBits(NumBits)) u_dut (.*);
  mf_mul_contract u_contract (.*);

  // Inputs change on the falling edge; a transfer is seen on the rising one.
  task automatic send(input mf_pkg::op_e op, input mf_pkg::slot_t dst0, a0, b);
    logic done;
    cmd_valid_i = 1'b1;
    cmd_i       = '{op: op, dst0: dst0, a0: a0, b: b, default: '0};
    do begin
      @(posedge clk_i) done = cmd_ready_o;
      @(negedge clk_i);
    end while (!done);
    cmd_valid_i = 1'b0;
  endtask

  task automatic load(input mf_pkg::slot_t slot, input number_t value);
    logic done;
    send(mf_pkg::OpLoad, slot, '0, '0);
    in_valid_i = 1'b1;
    for (int unsigned i = 0; i < NumBits / 32; i++) begin
      in_data_i = value[32*i+:32];
      do begin
        @(posedge clk_i) done = in_ready_o;
        @(negedge clk_i);
      end while (!done);
    end
    in_valid_i = 1'b0;
  endtask

  task automatic store(input mf_pkg::slot_t slot, output number_t value);
    logic done;
    send(mf_pkg::OpStore, '0, slot, '0);
    out_ready_i = 1'b1;
    for (int unsigned i = 0; i < NumBits / 32; i++) begin
      do @(posedge clk_i) done = out_valid_o; while (!done);
      value[32*i+:32] = out_data_o;
    end
    @(negedge clk_i) out_ready_i = 1'b0;
  endtask

  task automatic check_product(input number_t modulus);
    number_t a, b, result, expected;
    a = {$urandom, $urandom} % modulus;
    b = {$urandom, $urandom} % modulus;
    load(SlotA, a);
    load(SlotB, b);
    send(mf_pkg::OpMul, SlotA, SlotA, mf_pkg::SlotR2);
    send(mf_pkg::OpMul, SlotA, SlotA, SlotB);
    store(SlotA, result);
    expected = number_t'((2*NumBits)'(a) * (2*NumBits)'(b) % (2*NumBits)'(modulus));
    if (result != expected)
      $fatal(1, "%h * %h mod %h is %h, not %h", a, b, modulus, expected, result);
  endtask

  initial begin
    number_t modulus;
    {rst_i, zeroize_i, cmd_valid_i, in_valid_i, out_ready_i} = 5'b10000;
    cmd_i     = '0;
    in_data_i = '0;
    repeat (2) @(negedge clk_i);
    rst_i = 1'b0;
    for (int unsigned i = 0; i < NumModuli; i++) begin
      modulus = {$urandom, $urandom} | {1'b1, {NumBits-2{1'b0}}, 1'b1};
      load(mf_pkg::SlotMod, modulus);
      send(mf_pkg::OpSetup, '0, '0, '0);
      repeat (NumProducts) check_product(modulus);
      if (status_o != mf_pkg::StatusOk) $fatal(1, "the status is %0d", status_o);
    end
    $display("PASS: %0d products of %s", NumModuli * NumProducts, `"`MF_ENGINE`");
    $finish;
  end

  initial begin
    repeat (MaxCycles) @(posedge clk_i);
    $fatal(1, "no end after %0d cycles", MaxCycles);
  end

endmodule
