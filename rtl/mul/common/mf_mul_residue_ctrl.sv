// SPDX-License-Identifier: Apache-2.0
/// Contract front end of the engines without Montgomery form (R = 1): slots of residues below n,
/// word streams, modulus check, wipe. The product itself is done by one or two lanes outside.
///
/// Source   modfab.
/// Model    modfab.models.plain.
/// Latency  T cycles in a lane: OpMul T + 2; OpMul2 T + 3; set-up 4; load and store NumWords + 1;
///          first word of a store 2 cycles after its command. Parameters only, never data.
/// Assumes  the engine contract; a lane that gets start_o computes for T >= 2 cycles, raises last_i
///          (lane 0's) in the last of them and holds its result until its next start.
/// Ensures  the engine contract with R = 1, given lanes that compute a * b mod n.
module mf_mul_residue_ctrl #(
  parameter int unsigned NumBits  = 256, // bits of the modulus, 16..4096
  parameter int unsigned NumSlots = 8,   // slots, 8..128
  parameter int unsigned NumLanes = 1    // products at a time, 1 or 2
) (
  input  logic              clk_i,
  input  logic              rst_i,       // synchronous; clears control, then the wipe clears data
  input  logic              zeroize_i,

  input  logic              cmd_valid_i,
  output logic              cmd_ready_o,
  input  mf_pkg::cmd_t      cmd_i,

  input  logic              in_valid_i,
  output logic              in_ready_o,
  input  logic [31:0]       in_data_i,

  output logic              out_valid_o,
  input  logic              out_ready_i,
  output logic [31:0]       out_data_o,

  output logic              busy_o,
  output mf_pkg::status_e   status_o,

  // ---- lanes ----
  output logic                              wipe_o,   // clear control and data
  output logic [NumLanes-1:0]               start_o,  // this lane takes a_o and b_o
  output logic [NumBits-1:0]                a_o,
  output logic [NumBits-1:0]                b_o,
  output logic [NumBits-1:0]                mod_o,    // steady while a lane runs
  input  logic                              last_i,   // lane 0 is in its last cycle
  input  logic [NumLanes-1:0][NumBits-1:0]  result_i
);

  if (NumBits < 16 || NumBits > 4096) begin : gen_check_bits
    $error("mf_mul_residue_ctrl: NumBits must be 16..4096");
  end
  if (NumSlots < 8 || NumSlots > 128) begin : gen_check_slots
    $error("mf_mul_residue_ctrl: NumSlots must be 8..128");
  end
  if (NumLanes != 1 && NumLanes != 2) begin : gen_check_lanes
    $error("mf_mul_residue_ctrl: NumLanes must be 1 or 2");
  end

  localparam int unsigned NumWords  = mf_pkg::words_of(NumBits);
  localparam int unsigned IoBits    = NumWords * mf_pkg::WordBits;
  localparam int unsigned CountBits = 8; // NumWords and NumSlots are at most 128
  localparam int unsigned AddrBits  = $clog2(NumSlots);

  typedef logic [CountBits-1:0] count_t;
  typedef enum logic [3:0] {
    StWipe, StIdle, StLoad, StLoadEnd, StCheck, StOnes, StFetch, StFetch1, StRun, StWrite,
    StWrite1, StGet, StStore
  } state_e;

  state_e             state_q, state_d;
  count_t             count_q;   // cycles, or words, spent in the state
  mf_pkg::cmd_t       cmd_q;
  mf_pkg::status_e    status_q;
  logic [IoBits-1:0]  io_q;      // shift register of the word streams
  logic [NumBits-1:0] mod_q;
  logic               wide_q;    // the modulus has a bit at or above NumBits

  logic last, cmd_fire, in_fire, out_fire, pair;
  assign in_ready_o  = state_q == StLoad;
  assign out_valid_o = state_q == StStore;
  assign out_data_o  = io_q[31:0];
  assign busy_o      = state_q != StIdle;
  assign status_o    = status_q;
  assign in_fire     = in_valid_i && in_ready_o;
  assign out_fire    = out_valid_o && out_ready_i;
  assign cmd_ready_o = !rst_i && !zeroize_i && (state_q == StIdle || (last && state_d == StIdle));
  assign cmd_fire    = cmd_valid_i && cmd_ready_o;
  assign pair        = NumLanes == 2 && cmd_q.op == mf_pkg::OpMul2;

  mf_pkg::status_e check;
  mf_modulus_check u_check (
    .bad_words_i (cmd_q.num_words != '0 && cmd_q.num_words != 16'(NumWords)),
    .modulus_i   ('{wide: wide_q, zero: mod_q == '0, one: mod_q == NumBits'(1), odd: mod_q[0]}),
    .status_o    (check)
  );

  // ---- control ----
  always_comb begin
    last    = 1'b1;
    state_d = StIdle;
    unique case (state_q)
      StWipe:   last = count_q == count_t'(NumSlots - 1);
      StLoad:   begin last = in_fire && count_q == count_t'(NumWords - 1); state_d = StLoadEnd; end
      StCheck:  state_d = check == mf_pkg::StatusOk ? StOnes : StIdle;
      StOnes:   last = count_q == count_t'(mf_pkg::SlotR2);
      StFetch:  state_d = pair ? StFetch1 : StRun;
      StFetch1: state_d = StRun;
      StRun:    begin last = last_i; state_d = StWrite; end
      StWrite:  state_d = pair ? StWrite1 : StIdle;
      StGet:    state_d = StStore;
      StStore:  last = out_fire && count_q == count_t'(NumWords - 1);
      default:  last = 1'b1;
    endcase
  end

  function automatic state_e first_state(input mf_pkg::op_e op);
    unique case (op)
      mf_pkg::OpLoad:  first_state = StLoad;
      mf_pkg::OpStore: first_state = StGet;
      mf_pkg::OpSetup: first_state = StCheck;
      default:         first_state = StFetch;
    endcase
  endfunction

  always_ff @(posedge clk_i) begin
    if (rst_i || zeroize_i) begin
      state_q <= StWipe;
      count_q <= '0;
    end else if (cmd_fire) begin
      state_q <= first_state(cmd_i.op);
      count_q <= '0;
    end else if (last) begin
      state_q <= state_d;
      count_q <= '0;
    end else if (state_q inside {StWipe, StOnes} || in_fire || out_fire) begin
      count_q <= count_q + count_t'(1);
    end
    if (cmd_fire) cmd_q <= cmd_i;
    else if (state_q == StWipe) cmd_q <= '0; // slot numbers can depend on a secret exponent
    if (state_q == StWipe) status_q <= mf_pkg::StatusNoModulus;
    else if (state_q == StCheck && check != mf_pkg::StatusOk) status_q <= check;
    else if (state_q == StLoadEnd && cmd_q.dst0 == mf_pkg::SlotMod)
      status_q <= mf_pkg::StatusNoModulus;
    else if (state_q == StOnes && last) status_q <= mf_pkg::StatusOk;
  end

  // ---- slots: 1, R and R^2 are all the number 1 ----
  logic                wr_en;
  logic [AddrBits-1:0] wr_addr;
  logic [NumBits-1:0]  wr_data;
  always_comb begin
    wr_en   = 1'b0;
    wr_addr = AddrBits'(cmd_q.dst0);
    wr_data = io_q[NumBits-1:0];
    unique case (state_q)
      StWipe:    begin wr_en = 1'b1; wr_addr = AddrBits'(count_q); wr_data = '0; end
      StLoadEnd: wr_en = 1'b1;
      StOnes:    begin wr_en = 1'b1; wr_addr = AddrBits'(count_q); wr_data = NumBits'(1); end
      StWrite:   begin wr_en = 1'b1; wr_data = result_i[0]; end
      StWrite1: begin
        wr_en   = 1'b1;
        wr_addr = AddrBits'(cmd_q.dst1);
        wr_data = result_i[NumLanes-1];
      end
      default:   wr_en = 1'b0;
    endcase
  end

  mf_regfile_1w2r #(.WidthBits(NumBits), .Depth(NumSlots)) u_slots (
    .clk_i,
    .wr_en_i     (wr_en),
    .wr_addr_i   (wr_addr),
    .wr_data_i   (wr_data),
    .rd_a_addr_i (AddrBits'(state_q == StFetch1 ? cmd_q.a1 : cmd_q.a0)),
    .rd_a_data_o (a_o),
    .rd_b_addr_i (AddrBits'(cmd_q.b)),
    .rd_b_data_o (b_o)
  );

  assign wipe_o     = state_q == StWipe;
  assign mod_o      = mod_q;
  assign start_o[0] = state_q == StFetch;
  if (NumLanes == 2) begin : gen_start1
    assign start_o[1] = state_q == StFetch1;
  end

  // ---- word streams ----
  logic [IoBits-1:0] io_word_in; // one more word shifted in from the top
  if (NumWords == 1) begin : gen_one_word
    assign io_word_in = in_data_i;
  end else begin : gen_words
    assign io_word_in = {in_data_i, io_q[IoBits-1:32]};
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      StWipe: begin
        io_q   <= '0;
        mod_q  <= '0;
        wide_q <= 1'b0;
      end
      StLoad:  if (in_fire) io_q <= io_word_in;
      StLoadEnd: begin
        if (cmd_q.dst0 == mf_pkg::SlotMod) begin
          mod_q  <= io_q[NumBits-1:0];
          wide_q <= |(io_q >> NumBits);
        end
      end
      StGet:   io_q <= IoBits'(a_o);
      StStore: if (out_fire) io_q <= io_q >> mf_pkg::WordBits;
      default: ;
    endcase
  end

endmodule
