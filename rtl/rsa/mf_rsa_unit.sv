// SPDX-License-Identifier: Apache-2.0
/// Command source of one engine of the RSA core: the program's single commands, those of a
/// sequencer for a whole exponentiation, or an exponentiation with the public exponent. All go
/// through one register, so that nothing of the core is in the engine's paths.
///
/// Source   modfab; the public exponent: left to right, D. E. Knuth, The Art of Computer
///          Programming 2, section 4.6.3, in Montgomery form throughout.
/// Model    modfab.models.rsa.machine (the engine's and the sequencer's models).
/// Latency  a command is offered to the engine one cycle after it is taken here; the first product
///          of a sequencer is taken when the sequencer says, that of the public exponent 9 cycles
///          after start_e_i.
/// Assumes  cmd_valid_i, start_i, start_e_i only while running_o is low; a product of 4 cycles or
///          more; exp_data_i two cycles after exp_addr_o; a public exponent of at least 2 bits, its
///          highest bit set.
/// Ensures  running_o from the cycle after a start until the engine has accepted the last product;
///          pending_o while a command waits for the engine.
module mf_rsa_unit (
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  logic                   wipe_i,       // pulse: ends what runs

  input  logic                   cmd_valid_i,  // a command of the program
  output logic                   cmd_ready_o,
  input  mf_pkg::cmd_t           cmd_i,

  input  logic                   start_i,      // pulse: slot 5 <- slot 4 to the power, a sequencer
  input  logic                   start_e_i,    // pulse: the same with the public exponent
  input  logic [15:0]            exp_bits_i,
  output mf_rsa_pkg::addr_t      exp_addr_o,   // 0 while running_o is low
  input  logic [31:0]            exp_data_i,
  output logic                   running_o,
  output logic                   pending_o,

  output logic                   eng_valid_o,  // to the engine
  input  logic                   eng_ready_i,
  output mf_pkg::cmd_t           eng_cmd_o,

  output mf_pkg::seq_req_t       seq_req_o,    // to the sequencer
  input  mf_pkg::seq_rsp_t       seq_rsp_i
);

  localparam mf_pkg::slot_t SlotBase   = mf_pkg::SlotFree;
  localparam mf_pkg::slot_t SlotResult = mf_pkg::SlotFree + 7'd1;
  localparam int unsigned   Fill       = 8; // cycles before the first product, and of it:
  localparam int unsigned   FillTake   = 4; // the first bit is here, the second one asked for
  localparam int unsigned   FillNext   = 3; // from a product to the next, whose bit has to be here

  // ---- the public exponent: a square for each bit below the highest, a product where it is 1 ----
  logic          e_run_q, e_mul_q, e_first_q, e_valid_q, e_fire, e_done, take_bit;
  logic          begun_q;        // the cycle after start_e_i
  logic          valid_q;        // a command waits for the engine
  logic [3:0]    nibble_q;       // with bit next_q of the exponent, a cycle after its word
  logic          bit_q;
  logic [Fill:1] fill_q;         // one bit, which moves down
  logic [15:0]   left_q, next_q; // bits left, and one; the bit after the one in bit_q; 0 at the end
  logic [15:0]   left_less_q, next_less_q; // what comes of them: they stand still for 4 cycles
  logic          last_q;         // one bit is left
  logic          at_zero_q;      // next_q is 0
  mf_pkg::cmd_t  e_cmd;
  assign e_fire   = e_valid_q && !valid_q;
  assign take_bit = (fill_q[FillTake] && e_first_q) || (e_fire && (e_mul_q || !bit_q));
  assign e_done   = e_fire && (e_mul_q || !bit_q) && last_q;
  always_comb begin
    e_cmd      = '0;
    e_cmd.op   = mf_pkg::OpMul;
    e_cmd.dst0 = SlotResult;
    e_cmd.a0   = e_first_q ? SlotBase : SlotResult;
    e_cmd.b    = e_first_q || e_mul_q ? SlotBase : SlotResult;
  end
  always_ff @(posedge clk_i) begin
    nibble_q <= e_run_q ? exp_data_i[{next_q[4:2], 2'b00} +: 4] : '0;
    last_q   <= left_q == 16'd2;
    at_zero_q <= next_q == '0;
    begun_q   <= start_e_i && !rst_i && !wipe_i;
    if (rst_i || wipe_i || e_done) begin
      e_run_q   <= 1'b0;
      e_mul_q   <= 1'b0;
      e_first_q <= 1'b0;
      e_valid_q <= 1'b0;
      bit_q     <= 1'b0;
      fill_q    <= '0;
    end else if (start_e_i) begin
      e_run_q      <= 1'b1;
      e_first_q    <= 1'b1;
      fill_q[Fill] <= 1'b1;
    end else begin
      fill_q    <= fill_q >> 1;
      e_valid_q <= fill_q[1] || (e_valid_q && !e_fire);
      if (take_bit) bit_q <= nibble_q[next_q[1:0]];
      if (e_fire) begin
        fill_q[FillNext] <= 1'b1;
        e_first_q        <= 1'b0;
        e_mul_q          <= !e_mul_q && bit_q;
      end
    end
    left_less_q <= left_q - 16'd1;
    next_less_q <= (e_run_q ? next_q : exp_bits_i) - {14'd0, !e_run_q, e_run_q};
    if (rst_i || wipe_i) left_q <= '0;
    else if (start_e_i) left_q <= exp_bits_i;
    else if (e_fire && (e_mul_q || !bit_q)) left_q <= left_less_q;
    if (rst_i || wipe_i) next_q <= '0;
    else if (begun_q || (take_bit && !at_zero_q)) next_q <= next_less_q;
  end

  // ---- the sequencer ----
  logic run_q;
  always_ff @(posedge clk_i) begin
    if (rst_i || wipe_i)     run_q <= 1'b0;
    else if (start_i)        run_q <= 1'b1;
    else if (seq_rsp_i.done) run_q <= 1'b0;
  end
  always_comb begin
    seq_req_o.rst       = rst_i || wipe_i;
    seq_req_o.start     = start_i;
    seq_req_o.exp_bits  = exp_bits_i;
    seq_req_o.exp_data  = exp_data_i;
    seq_req_o.cmd_ready = run_q && !valid_q;
  end

  // ---- the command that waits for the engine ----
  logic         fire;
  mf_pkg::cmd_t cmd_q;
  assign fire        = !valid_q
                       && (run_q ? seq_rsp_i.cmd_valid : e_run_q ? e_valid_q : cmd_valid_i);
  assign cmd_ready_o = !valid_q;
  assign eng_valid_o = valid_q;
  assign eng_cmd_o   = cmd_q;
  assign pending_o   = valid_q;
  assign running_o   = run_q || e_run_q || valid_q;
  always_ff @(posedge clk_i) begin
    valid_q <= !rst_i && !wipe_i && (fire || (valid_q && !eng_ready_i));
    if (wipe_i) cmd_q <= '0;
    else if (fire) cmd_q <= run_q ? seq_rsp_i.cmd : e_run_q ? e_cmd : cmd_i;
  end

  assign exp_addr_o = e_run_q ? mf_rsa_pkg::addr_t'(next_q[15:5])
                    : run_q ? mf_rsa_pkg::addr_t'(seq_rsp_i.exp_addr) : '0;

  logic unused_bits; // no exponent is as long
  assign unused_bits = &{1'b0, seq_rsp_i.exp_addr};

endmodule
