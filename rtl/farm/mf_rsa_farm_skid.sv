// SPDX-License-Identifier: Apache-2.0
/// Skid buffer that tolerates a bit flip.
///
/// Source   modfab.
/// Model    modfab.models.stream.Skid.
/// Latency  a word leaves one cycle after it came; one word a cycle.
/// Assumes  a word that is offered stays until it is taken.
/// Ensures  the same of its own output, words in order, none lost or doubled, also after a changed
///          bit of its registers; an empty place holds zero: no word remains after it left.
module mf_rsa_farm_skid #(
  parameter int unsigned WidthBits = 33 // bits of one word, 1..63
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  output logic                 in_room_o,  // in_ready_o of the next cycle
  input  logic [WidthBits-1:0] in_data_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [WidthBits-1:0] out_data_o
);

  logic                 out_valid, spill_valid; // next
  logic [WidthBits-1:0] out_data, spill_data;
  logic                 spilt;                  // now
  logic [WidthBits-1:0] spill;
  assign in_ready_o = !spilt;
  assign in_room_o  = !spill_valid;

  always_comb begin
    {out_valid, out_data}     = {out_valid_o, out_data_o};
    {spill_valid, spill_data} = {spilt, spill};
    if (rst_i) begin
      {out_valid, out_data}     = '0;
      {spill_valid, spill_data} = '0;
    end else if (out_ready_i || !out_valid_o) begin
      {out_valid, out_data}     = spilt ? {1'b1, spill} : in_valid_i ? {1'b1, in_data_i} : '0;
      {spill_valid, spill_data} = '0;
    end else if (in_valid_i && in_ready_o) begin
      {spill_valid, spill_data} = {1'b1, in_data_i};
    end
  end

  mf_rsa_farm_vote #(.WidthBits(WidthBits + 1)) u_out (
    .clk_i, .rst_i, .next_i({out_valid, out_data}), .value_o({out_valid_o, out_data_o})
  );
  mf_rsa_farm_vote #(.WidthBits(WidthBits + 1)) u_spill (
    .clk_i, .rst_i, .next_i({spill_valid, spill_data}), .value_o({spilt, spill})
  );

endmodule
