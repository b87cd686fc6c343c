// SPDX-License-Identifier: Apache-2.0
/// Modular exponentiator without a bus: transport of words between an engine and the operand
/// windows, and the start of a sequencer. Engine and sequencer are connected through ports.
///
/// Source   modfab.
/// Model    modfab.models.modexp.
/// Latency  exp_cycles_o: from the first product's acceptance to the first result word; products
///          times the engine's cycles plus its store latency. All formulas: modfab.catalog.
/// Assumes  start_i and mod_written_i only while busy_o is low; windows do not change while busy;
///          every window answers one clock after its address.
/// Ensures  after done_o with error_o = StatusOk the result window holds base^exponent mod M. On
///          any other status nothing was written to it.
module mf_modexp #(
  parameter  int unsigned NumBits      = 256,  // bits of the modulus, as the engine's NumBits
  parameter  int unsigned ExpBits      = 256,  // bits of the exponent window, as the sequencer's
  parameter  bit          RuntimeWords = 1'b0, // the engine's width is chosen at run time
  parameter  bit          LoadSum      = 1'b0, // the engine's loads add slot a0, but for 0
  localparam int unsigned NumWords     = mf_pkg::words_of(NumBits),
  localparam int unsigned ExpWords     = mf_pkg::words_of(ExpBits),
  localparam int unsigned WordAddrBits = $clog2(NumWords + 1),
  localparam int unsigned ExpAddrBits  = $clog2(ExpWords + 1)
) (
  input  logic                    clk_i,
  input  logic                    rst_i,
  input  logic                    zeroize_i,      // wipes the engine, ends what runs

  input  logic                    start_i,        // pulse
  input  logic                    setup_only_i,   // with start_i: load the modulus, set up, stop
  input  logic [15:0]             exp_bits_i,     // exponent bits to process, 0..ExpBits
  input  logic [15:0]             num_words_i,    // words of the modulus, 0 = as built
  input  logic                    mod_written_i,  // pulse: modulus window or num_words_i changed
  output logic                    busy_o,
  output logic                    done_o,         // pulse
  output mf_pkg::status_e         error_o,        // valid from done_o to the next start_i

  output logic [WordAddrBits-1:0] opnd_addr_o,    // modulus and base windows
  input  logic [31:0]             mod_data_i,
  input  logic [31:0]             base_data_i,
  output logic [ExpAddrBits-1:0]  exp_addr_o,     // exponent window
  input  logic [31:0]             exp_data_i,
  output logic                    res_we_o,       // result window
  output logic [WordAddrBits-1:0] res_addr_o,
  output logic [31:0]             res_data_o,

  output logic [31:0]             setup_cycles_o, // of the last set-up: OpSetup until finished
  output logic [63:0]             exp_cycles_o,   // of the last exponentiation, see Latency
  output logic [63:0]             total_cycles_o, // of the last operation: start_i to done_o

  output mf_pkg::engine_req_t     engine_req_o,
  input  mf_pkg::engine_rsp_t     engine_rsp_i,
  output mf_pkg::seq_req_t        seq_req_o,
  input  mf_pkg::seq_rsp_t        seq_rsp_i
);

  typedef enum logic [3:0] {
    StWipe, StIdle, StModCmd, StModWord, StModSend, StSetup, StSetupWait, StBaseCmd, StBaseWord,
    StBaseSend, StBaseEnd, StRun, StStoreCmd, StStore, StEnd
  } state_e;
  state_e                  state_q;
  logic                    dirty_q;      // the engine has not seen the modulus window's content
  logic                    setup_only_q;
  logic                    below_q;      // the base words seen so far are below the modulus words
  logic [WordAddrBits-1:0] word_q;
  logic [WordAddrBits-1:0] last_q;       // index of the last active word
  logic                    last_word;
  mf_pkg::status_e         error_q;
  logic [WordAddrBits-1:0] opnd_q;       // word that the operand windows answer next
  logic [31:0]             mod_q, base_q, exp_data_q; // what the windows answered
  logic                    word_state, below;

  // ---- engine and sequencer ----
  logic            cmd_fire, word_fire;
  logic            eng_cmd_ready, eng_in_valid, eng_in_ready, eng_out_valid, eng_out_ready;
  logic            eng_busy, seq_start, seq_cmd_valid, seq_done, loader_valid;
  mf_pkg::cmd_t    seq_cmd, loader_cmd;
  mf_pkg::status_e eng_status;
  logic [31:0]     eng_in_data, eng_out_data;

  always_comb begin
    engine_req_o.zeroize   = zeroize_i;
    engine_req_o.cmd_valid = state_q == StRun ? seq_cmd_valid : loader_valid;
    engine_req_o.cmd       = state_q == StRun ? seq_cmd : loader_cmd;
    engine_req_o.in_valid  = eng_in_valid;
    engine_req_o.in_data   = eng_in_data;
    engine_req_o.out_ready = eng_out_ready;
    seq_req_o.rst          = rst_i || zeroize_i || state_q == StEnd; // a refused base, too
    seq_req_o.start        = seq_start;
    seq_req_o.exp_bits     = exp_bits_i;
    seq_req_o.exp_data     = exp_data_q;
    seq_req_o.cmd_ready    = eng_cmd_ready && state_q == StRun;
  end
  assign eng_cmd_ready = engine_rsp_i.cmd_ready;
  assign eng_in_ready  = engine_rsp_i.in_ready;
  assign eng_out_valid = engine_rsp_i.out_valid;
  assign eng_out_data  = engine_rsp_i.out_data;
  assign eng_busy      = engine_rsp_i.busy;
  assign eng_status    = engine_rsp_i.status;
  assign exp_addr_o    = ExpAddrBits'(seq_rsp_i.exp_addr);
  assign seq_cmd_valid = seq_rsp_i.cmd_valid;
  assign seq_cmd       = seq_rsp_i.cmd;
  assign seq_done      = seq_rsp_i.done;

  // The sequencer begins while the base is loaded: its first bits are there when it may multiply.
  assign seq_start     = state_q == StBaseCmd && cmd_fire;
  assign loader_valid  = state_q inside {StModCmd, StSetup, StBaseCmd, StStoreCmd};
  always_comb begin
    loader_cmd      = '0;
    loader_cmd.a0   = mf_pkg::SlotFree + 7'd1; // where every sequencer leaves its result
    loader_cmd.num_words = num_words_i;        // looked at with a modulus only
    unique case (state_q)
      StModCmd:  begin loader_cmd.op = mf_pkg::OpLoad; loader_cmd.dst0 = mf_pkg::SlotMod; end
      StBaseCmd: begin
        loader_cmd.op   = mf_pkg::OpLoad;
        loader_cmd.dst0 = mf_pkg::SlotFree;
        if (LoadSum) loader_cmd.a0 = '0;
      end
      StSetup:   loader_cmd.op = mf_pkg::OpSetup;
      default:   loader_cmd.op = mf_pkg::OpStore;
    endcase
  end

  // ---- words in and out; one word every second clock inwards, one a clock outwards ----
  // What the windows answer is registered, so their address is one word ahead.
  assign word_state    = state_q inside {StModWord, StBaseWord};
  assign opnd_addr_o   = opnd_q;
  assign eng_in_valid  = state_q inside {StModSend, StBaseSend};
  assign eng_in_data   = state_q == StModSend ? mod_q : base_q;
  assign eng_out_ready = state_q == StStore;
  assign res_we_o      = eng_out_valid && eng_out_ready;
  assign res_addr_o    = word_q;
  assign res_data_o    = eng_out_data;
  assign last_word     = word_q == last_q;

  assign busy_o  = state_q != StIdle;
  assign done_o  = state_q == StEnd;
  assign error_o = error_q;

  logic unused_bits; // the exponent window is shorter than its address space
  assign unused_bits = &{1'b0, seq_rsp_i.exp_addr};

  assign cmd_fire  = loader_valid && eng_cmd_ready;
  assign word_fire = (eng_in_valid && eng_in_ready) || res_we_o;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StWipe;
      error_q <= mf_pkg::StatusNoModulus;
    end else if (zeroize_i) begin
      state_q <= state_q inside {StIdle, StEnd, StWipe} ? StWipe : StEnd;
      error_q <= mf_pkg::StatusZeroized;
    end else begin
      unique case (state_q)
        StWipe:  if (!eng_busy) state_q <= StIdle;
        StIdle: begin
          if (start_i && exp_bits_i > 16'(ExpBits)) begin
            state_q <= StEnd;
            error_q <= mf_pkg::StatusExpBits;
          end else if (start_i) begin
            state_q <= dirty_q || setup_only_i ? StModCmd : StBaseCmd;
            error_q <= mf_pkg::StatusOk;
          end
        end
        StModCmd:   if (cmd_fire) state_q <= StModWord;
        StModWord:  state_q <= StModSend;
        StModSend:  if (word_fire) state_q <= last_word ? StSetup : StModWord;
        StSetup:    if (cmd_fire) state_q <= StSetupWait;
        StSetupWait: if (!eng_busy) begin
          error_q <= eng_status;
          state_q <= eng_status != mf_pkg::StatusOk || setup_only_q ? StEnd : StBaseCmd;
        end
        StBaseCmd:  if (cmd_fire) state_q <= StBaseWord;
        StBaseWord: state_q <= StBaseSend;
        StBaseSend: if (word_fire) state_q <= last_word ? StBaseEnd : StBaseWord;
        StBaseEnd:  if (!eng_busy) begin
          if (!below_q) error_q <= mf_pkg::StatusOperand;
          state_q <= below_q ? StRun : StEnd;
        end
        StRun:      if (seq_done) state_q <= StStoreCmd;
        StStoreCmd: if (cmd_fire) state_q <= StStore;
        StStore:    if (word_fire && last_word) state_q <= StEnd;
        default:    state_q <= StWipe; // StEnd: the engine may still be busy, as with a wipe
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i || zeroize_i || mod_written_i) dirty_q <= 1'b1;
    else if (state_q == StSetupWait && !eng_busy && eng_status == mf_pkg::StatusOk) dirty_q <= 1'b0;
    if (state_q == StIdle) setup_only_q <= setup_only_i;
    // As the engine does; a number that was not built is refused by its set-up.
    if (state_q == StIdle)
      last_q <= RuntimeWords && num_words_i != '0 && num_words_i < 16'(NumWords)
              ? WordAddrBits'(num_words_i - 16'd1) : WordAddrBits'(NumWords - 1);
    if (loader_valid) word_q <= '0;
    else if (word_fire) word_q <= word_q + WordAddrBits'(1);
    if (state_q == StBaseCmd) below_q <= 1'b0;
    else if (state_q == StBaseSend) below_q <= below;
  end

  // From the least significant word up: the highest differing word decides. Comparing the same
  // words twice changes nothing.
  assign below = {base_q, 1'b0} < {mod_q, below_q};

  always_ff @(posedge clk_i) begin
    if (rst_i || zeroize_i) begin
      mod_q      <= '0;
      base_q     <= '0;
      exp_data_q <= '0;
    end else begin
      exp_data_q <= exp_data_i;
      if (word_state) begin
        mod_q  <= mod_data_i;
        base_q <= base_data_i;
      end
    end
    if (word_state) opnd_q <= opnd_q + WordAddrBits'(1);
    else if (!eng_in_valid) opnd_q <= '0;
  end

  // ---- counters ----
  logic exp_run_q; // between the first product's acceptance and the first result word
  always_ff @(posedge clk_i) begin
    if (rst_i || zeroize_i) begin
      setup_cycles_o <= '0;
      exp_cycles_o   <= '0;
      total_cycles_o <= '0;
      exp_run_q      <= 1'b0;
    end else begin
      if (state_q == StSetup) setup_cycles_o <= '0;
      else if (state_q == StSetupWait && eng_busy) setup_cycles_o <= setup_cycles_o + 32'd1;
      if (start_i) exp_cycles_o <= '0;
      else if (exp_run_q) exp_cycles_o <= exp_cycles_o + 64'd1;
      if (res_we_o) exp_run_q <= 1'b0;
      else if (state_q == StRun && seq_cmd_valid && eng_cmd_ready) exp_run_q <= 1'b1;
      if (state_q == StIdle && start_i) total_cycles_o <= 64'd1;
      else if (!(state_q inside {StIdle, StWipe})) total_cycles_o <= total_cycles_o + 64'd1;
    end
  end

endmodule
