// SPDX-License-Identifier: Apache-2.0
/// Word memory of the RSA core: two copies, so that two words can be read at once. What leaves the
/// block RAMs is registered inside them.
///
/// Source   modfab.
/// Model    modfab.models.rsa.
/// Latency  a word is read two cycles after its address, by the host three; it is written one cycle
///          after it is given.
/// Assumes  host_we_i never in consecutive cycles; addr_a_i, addr_b_i are host_addr_i while idle_i;
///          banks_i 0 with one key.
/// Ensures  a message word of the host is written twice, at its address and in the second copy of
///          the message. host_data_o shows valid words of the result only; host_error_o also with a
///          word a bit of which has changed since it was written. The words of a key are those of
///          a bank. A wipe that keeps the other contexts writes none of theirs.
module mf_rsa_memory #(
  parameter mf_rsa_pkg::cfg_t Cfg = mf_rsa_pkg::CfgSmallest
) (
  input  logic              clk_i,
  input  logic              wipe_i,      // write zero at wr_addr_i
  input  logic              verify_i,    // it is checked; in both addresses are the memory's own
  input  mf_rsa_pkg::banks_t banks_i,    // of the words of a key
  output logic [31:0]       back_o,      // verify_i, with data_a_o: bits that are set in a copy
  input  logic              idle_i,      // the host's accesses count
  input  logic              result_valid_i,
  input  logic              host_we_i,
  input  mf_rsa_pkg::addr_t host_wr_addr_i,
  input  logic [31:0]       host_data_i,  // 0 unless there is a word
  input  logic              host_message_i, // host_wr_addr_i is of the message
  input  mf_rsa_pkg::addr_t host_addr_i, // to read
  output logic [31:0]       host_data_o,  // three cycles after the address: of the result, or 0
  output logic              host_error_o, // with host_data_o: do not use it
  input  logic              wr_en_i,     // otherwise this one
  input  mf_rsa_pkg::addr_t wr_addr_i,
  input  logic [31:0]       wr_data_i,   // 0 where nothing is about to be written
  input  mf_rsa_pkg::addr_t addr_a_i,
  input  mf_rsa_pkg::addr_t addr_b_i,
  output logic [31:0]       data_a_o,
  output logic [31:0]       data_b_o
);

  localparam int unsigned RamWords = 32'(Cfg.ram_words);
  localparam int unsigned RamBits  = $clog2(RamWords);

  // ---- key words are those of a bank, and a wipe may leave the other banks ----
  typedef mf_rsa_pkg::addr_t addr_t;
  addr_t rd_a, rd_b, wr_place, host_place; // addresses of the memory
  logic  leaves;                           // a wipe does not write this word
  if (Cfg.num_keys > 1) begin : gen_banks
    localparam int unsigned BankBits = 32'(Cfg.bank_bits);
    function automatic addr_t place(input addr_t address, input mf_rsa_pkg::bank_t bank);
      place = address >> BankBits != '0 ? address
            : address | addr_t'(addr_t'(bank) << BankBits);
    endfunction
    function automatic logic others(input addr_t address, input mf_rsa_pkg::bank_t bank);
      others = address >> BankBits != addr_t'(1) && address >> BankBits != addr_t'(bank);
    endfunction
    logic       raw; // addresses are the memory's own
    logic [1:0] skips_q;
    assign raw        = wipe_i || verify_i;
    assign rd_a       = raw ? addr_a_i : place(addr_a_i, banks_i.rd);
    assign rd_b       = raw ? addr_b_i : place(addr_b_i, banks_i.rd);
    assign wr_place   = place(wr_addr_i, banks_i.wr);
    assign host_place = place(host_wr_addr_i, banks_i.wr);
    assign leaves     = wipe_i && banks_i.keeps && others(wr_addr_i, banks_i.wr);
    assign back_o     = skips_q[1] ? '0 : data_a_o | data_b_o;
    always_ff @(posedge clk_i)
      skips_q <= {skips_q[0], raw && banks_i.keeps && others(addr_a_i, banks_i.wr)};
  end else begin : gen_one_bank
    assign {rd_a, rd_b}           = {addr_a_i, addr_b_i};
    assign {wr_place, host_place} = {wr_addr_i, host_wr_addr_i};
    assign leaves = 1'b0;
    assign back_o = data_a_o | data_b_o;
    logic unused_banks;
    assign unused_banks = ^{verify_i, banks_i};
  end

  logic              copy;
  logic [1:0]        copy_q;  // write once more; both: one that is stuck would write a result over
  logic [1:0]        wr_en_q; // one a copy of the memory: a flip of one makes the copies differ
  mf_rsa_pkg::addr_t wr_addr_q;
  logic [31:0]       wr_data_q;
  assign copy = copy_q == '1;
  // Kept, as two registers that are always equal become one.
  (* keep *) always_ff @(posedge clk_i) begin
    wr_en_q <= {2{(wipe_i || (idle_i ? copy || host_we_i : wr_en_i)) && !leaves}};
    copy_q  <= {2{idle_i && host_we_i && host_message_i}};
  end
  always_ff @(posedge clk_i) begin
    if (wipe_i) begin
      wr_addr_q <= wr_addr_i;
      wr_data_q <= '0;
    end else if (idle_i && copy) begin
      wr_addr_q <= wr_addr_q + (Cfg.var_c2 - Cfg.var_c);
    end else if (idle_i) begin
      wr_addr_q <= host_place;
      wr_data_q <= host_data_i;
    end else begin
      wr_addr_q <= wr_place;
      wr_data_q <= wr_data_i;
    end
  end

  mf_prim_ram_pipe #(.WidthBits(32), .Depth(RamWords)) u_ram_a (
    .clk_i,
    .wr_en_i   (wr_en_q[0]),
    .wr_addr_i (RamBits'(wr_addr_q)),
    .wr_data_i (wr_data_q),
    .rd_addr_i (RamBits'(rd_a)),
    .rd_data_o (data_a_o)
  );
  mf_prim_ram_pipe #(.WidthBits(32), .Depth(RamWords)) u_ram_b (
    .clk_i,
    .wr_en_i   (wr_en_q[1]),
    .wr_addr_i (RamBits'(wr_addr_q)),
    .wr_data_i (wr_data_q),
    .rd_addr_i (RamBits'(rd_b)),
    .rd_data_o (data_b_o)
  );
  // The result gate: asked for at the address, and again with the word; each kept twice.
  logic in_result, asked_q, asked_off_q, allowed_q, allowed_off_q, opens, denied_q;
  logic [3:0] differs_q; // bytes of the two copies
  assign in_result = idle_i && result_valid_i && host_addr_i >= Cfg.var_m
                   && host_addr_i < Cfg.var_m_end;
  assign opens     = asked_q && !asked_off_q && idle_i && result_valid_i;
  assign host_error_o = denied_q || differs_q != '0;
  always_ff @(posedge clk_i) begin
    asked_q        <= in_result;
    asked_off_q    <= !in_result;
    allowed_q      <= opens;
    allowed_off_q  <= !opens;
    host_data_o    <= allowed_q && !allowed_off_q ? data_a_o : '0;
    denied_q       <= !allowed_q || allowed_off_q;
    for (int unsigned i = 0; i < 4; i++)
      differs_q[i] <= data_a_o[8*i +: 8] != data_b_o[8*i +: 8];
  end

  logic unused_bits; // addresses reach further than the memory
  assign unused_bits = &{1'b0, wr_addr_q, rd_a, rd_b};

endmodule
