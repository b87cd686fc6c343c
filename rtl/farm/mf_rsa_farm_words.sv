// SPDX-License-Identifier: Apache-2.0
/// Two random words of a core of the farm, as many as an instruction of an operation takes, so that
/// they are at hand while the other cores have their turns.
///
/// Source   modfab.
/// Model    none: words in the order in which they came.
/// Latency  a word is at data_o one cycle after put_i, or when those before it are taken.
/// Assumes  nothing.
/// Ensures  a word is taken in with put_i while free_o, and leaves once, with take_i while valid_o;
///          nothing is kept after clear_i.
module mf_rsa_farm_words (
  input  logic        clk_i,
  input  logic        clear_i,
  output logic        free_o,
  input  logic        put_i,
  input  logic [31:0] data_i,
  output logic        valid_o,
  input  logic        take_i,
  output logic [31:0] data_o
);

  logic        second_q, take, put;
  logic [31:0] next_q, rnd_q;
  assign free_o = !(second_q && valid_o); // second_q alone is a changed bit
  assign data_o = rnd_q;
  assign take   = valid_o && take_i;
  assign put    = put_i && free_o;
  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      valid_o  <= 1'b0;
      second_q <= 1'b0;
      rnd_q    <= '0;
      next_q   <= '0;
    end else if (take) begin
      rnd_q    <= second_q ? next_q : put ? data_i : '0;
      valid_o  <= second_q || put;
      second_q <= 1'b0;
      next_q   <= '0;
    end else if (put) begin
      if (valid_o) next_q <= data_i;
      else rnd_q <= data_i;
      valid_o  <= 1'b1;
      second_q <= valid_o;
    end
  end

endmodule
