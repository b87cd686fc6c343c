// SPDX-License-Identifier: Apache-2.0
/// A level for all of a farm, in registers of its own for each core and for what lies between them:
/// the cores lie far apart.
///
/// Source   modfab.
/// Model    none: a register.
/// Latency  1 cycle.
/// Assumes  nothing.
/// Ensures  all outputs are level_i of the cycle before, whatever one of the registers holds.
module mf_rsa_farm_spread #(
  parameter int unsigned NumCores = 2, // 1..32
  parameter int unsigned NumParts = 1  // beside the cores, 1..8
) (
  input  logic                clk_i,
  input  logic                level_i,
  output logic [NumCores-1:0] core_o,
  output logic [NumParts-1:0] shared_o
);

  for (genvar i = 0; i < NumCores + NumParts; i++) begin : gen_part
    logic [2:0] copies;
    logic       most;
    mf_fanout_reg #(.Copies(3)) u_copies (.clk_i, .d_i(level_i), .q_o(copies));
    assign most = (copies[0] && copies[1]) || (copies[2] && (copies[0] || copies[1]));
    if (i < NumCores) begin : gen_core
      assign core_o[i] = most;
    end else begin : gen_shared
      assign shared_o[i-NumCores] = most;
    end
  end

endmodule
