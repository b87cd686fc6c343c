// SPDX-License-Identifier: Apache-2.0
/// Words of a result on their way out of a core, and the box in which they wait.
///
/// Source   modfab.
/// Model    modfab.models.rsa.farm_member.Member, modfab.models.rsa.farm.Collector (same cycles).
/// Latency  the core's word is here four cycles after ask_i, reading_o is one cycle later.
///          data_o two cycles after addr_i.
/// Assumes  host_data_i four cycles after ask_i; open_i from ask_i until the last reading_o;
///          addr_i stands still while go_i is low.
/// Ensures  nothing is kept after clear_i and a wipe of every address. A changed bit of the word
///          shows in the box or in word_inv_o, not in both.
module mf_rsa_farm_outbox #(
  parameter  int unsigned NumWords = 4, // words of a result
  localparam int unsigned RamBits  = $clog2(NumWords)
) (
  input  logic               clk_i,
  input  logic               clear_i,
  input  logic               wipe_i,       // write zero at ask_addr_i

  input  logic               open_i,       // a result is read; the box is empty
  input  logic               ask_i,        // while open_i: the core is asked for a word
  input  logic [RamBits-1:0] ask_addr_i,   // its place
  input  logic [31:0]        host_data_i,  // from the core
  input  logic               host_error_i, // with it: the memory's copies differ
  output logic               reading_o,    // a word is put into the box
  output logic [31:0]        word_inv_o,   // its complement, for the checksum
  output logic               error_o,      // its copies differed

  input  logic [RamBits-1:0] addr_i,
  input  logic               go_i,         // low: data_o stands still
  output logic [31:0]        data_o
);

  // The core's word is compared in the core: so registered here, for the box, and inverted for the
  // checksum, which tells a changed bit.
  logic asked_q, asks_q, comes_q, here_q, reading_q, host_error_q, open_q, reading;
  logic [RamBits-1:0] asked_addr_q, asks_addr_q, comes_addr_q, here_addr_q, read_addr_q;
  logic [31:0] host_word_q, host_inv_q, word, kept_q;
  logic        stands_q, wiped_q;
  assign reading    = reading_q && open_q; // a changed bit does not reach a full box
  assign reading_o  = reading;
  assign word_inv_o = host_inv_q;
  assign error_o    = host_error_q;
  assign data_o     = wiped_q ? '0 : stands_q ? kept_q : word;
  always_ff @(posedge clk_i) begin
    open_q <= open_i;
    {reading_q, here_q, comes_q, asks_q, asked_q}
      <= clear_i ? '0 : {here_q, comes_q, asks_q, asked_q, ask_i};
    {read_addr_q, here_addr_q, comes_addr_q, asks_addr_q, asked_addr_q}
      <= {here_addr_q, comes_addr_q, asks_addr_q, asked_addr_q, ask_addr_i};
    host_word_q  <= here_q && !clear_i ? host_data_i : '0;
    host_inv_q   <= here_q && !clear_i ? ~host_data_i : '0;
    host_error_q <= here_q && host_error_i;
  end

  mf_prim_ram_pipe #(.WidthBits(32), .Depth(NumWords)) u_ram (
    .clk_i,
    .wr_en_i   (wipe_i || reading),
    .wr_addr_i (wipe_i ? ask_addr_i : read_addr_q),
    .wr_data_i (wipe_i ? '0 : host_word_q),
    .rd_addr_i (addr_i),
    .rd_data_o (word)
  );
  // The memory goes on when the address stands still, by one word.
  always_ff @(posedge clk_i) begin
    wiped_q  <= clear_i || wipe_i;
    stands_q <= !go_i;
    kept_q   <= data_o;
  end

endmodule
