// SPDX-License-Identifier: Apache-2.0
/// Address at which an instruction of the RSA core ends: where the next word would be written.
///
/// Source   modfab.
/// Model    modfab.models.rsa (the words that an instruction writes).
/// Latency  end_o two cycles after take_i or fail_i; no instruction is shorter.
/// Assumes  instr_i and kind_i are stable from take_i on.
/// Ensures  end_o is dst_i of the cycle of fail_i after that, else the end of instr_i; 0 after
///          clear_i.
module mf_rsa_end #(
  parameter mf_rsa_pkg::cfg_t Cfg = mf_rsa_pkg::CfgSmallest // sizes
) (
  input  logic               clk_i,
  input  logic               clear_i,
  input  logic               take_i,
  input  logic               fail_i,
  input  mf_rsa_pkg::instr_t instr_i,
  input  mf_rsa_pkg::kind_t  kind_i,  // of instr_i
  input  mf_rsa_pkg::addr_t  dst_i,
  output mf_rsa_pkg::addr_t  end_o
);

  typedef mf_rsa_pkg::addr_t addr_t;
  localparam addr_t NumWords = addr_t'(mf_pkg::words_of(32'(Cfg.prime_bits)));

  addr_t from_q, len_q;
  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      {from_q, len_q, end_o} <= '0;
    end else begin
      if (fail_i) begin
        from_q <= dst_i;
        len_q  <= '0;
      end else if (take_i) begin
        from_q <= kind_i.store && kind_i.second ? instr_i.b : instr_i.dst;
        len_q  <= kind_i.writes ? instr_i.len + addr_t'(2) : kind_i.store ? NumWords : '0;
      end
      end_o <= from_q + len_q;
    end
  end

  logic unused_fields;
  assign unused_fields = ^{instr_i, kind_i};

endmodule
