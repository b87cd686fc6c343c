// SPDX-License-Identifier: Apache-2.0
/// Bit-serial Montgomery engine: p = a * b * R^-1 mod n, one to eight bits of a per cycle.
///
/// Source   [LIAO24] Algorithms 3 and 4, section 3.4; deviations D1..D3 in README.md beside it.
/// Model    modfab.models.mul_bit_serial (same values, same cycles).
/// Latency  product: StepClocks + 2; set-up: 2 * RBits + 2; load and store: NumWords + 1; first
///          word of a store 2 cycles after its command. Parameters only, never data.
/// Assumes  the engine contract (rtl/mul/README.md).
/// Ensures  the engine contract with R = 2^RBits; slots hold canonical values below n.
module mf_mul_bit_serial #(
  parameter int unsigned NumBits      = 256, // bits of the modulus, 16..4096
  parameter int unsigned NumSlots     = 8,   // slots, 8..128
  parameter int unsigned Variant      = 2,   // 0 plain, 1 optimisation 1, 2 optimisation 2
  parameter int unsigned BitsPerClock = 1    // unrolled loop steps: 1, 2, 4, 8; Variant 0 takes two
                                             // cycles for as many bits, one for each of its two ifs
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
  output mf_pkg::status_e   status_o
);

  if (NumBits < 16 || NumBits > 4096) begin : gen_check_bits
    $error("mf_mul_bit_serial: NumBits must be 16..4096");
  end
  if (NumSlots < 8 || NumSlots > 128) begin : gen_check_slots
    $error("mf_mul_bit_serial: NumSlots must be 8..128");
  end
  if (Variant > 2) begin : gen_check_variant
    $error("mf_mul_bit_serial: Variant must be 0, 1 or 2");
  end
  if (!(BitsPerClock inside {1, 2, 4, 8})) begin : gen_check_unroll
    $error("mf_mul_bit_serial: BitsPerClock must be 1, 2, 4 or 8");
  end

  localparam int unsigned NumWords   = mf_pkg::words_of(NumBits);
  localparam int unsigned IoBits     = NumWords * mf_pkg::WordBits;
  localparam int unsigned AccBits    = IoBits > NumBits + 2 ? IoBits : NumBits + 2;
  localparam int unsigned RBits      = (NumBits + BitsPerClock - 1) / BitsPerClock * BitsPerClock;
  localparam int unsigned OutBits    = IoBits > RBits ? IoBits : RBits;
  localparam bit          HalfSteps  = Variant == 0 && BitsPerClock == 1;
  localparam int unsigned NumSteps   = Variant == 0 && !HalfSteps ? BitsPerClock / 2 : BitsPerClock;
  localparam int unsigned StepClocks = (Variant == 0 ? 2 : 1) * RBits / BitsPerClock;
  localparam int unsigned CountBits  = $clog2(2 * RBits + 2 > NumSlots ? 2 * RBits + 2 : NumSlots);
  localparam int unsigned AddrBits   = $clog2(NumSlots);

  typedef logic [CountBits-1:0] count_t;
  typedef enum logic [3:0] {
    StWipe, StIdle, StLoad, StLoadEnd, StFetch, StStep, StFinal, StCheck, StDouble, StGet, StStore
  } state_e;

  state_e             state_q, state_d;
  count_t             count_q;          // cycles spent in the state
  logic               end_q;            // count_q is the last of the state
  mf_pkg::cmd_t       cmd_q;
  mf_pkg::status_e    status_q;
  logic [AccBits-1:0] m_q;              // accumulator; shift register of the words in
  logic [OutBits-1:0] x_q;              // multiplier, shifted out to the right; that of words out
  logic [NumBits-1:0] b_q, n_q;         // multiplicand, modulus
  logic [NumBits:0]   bn;               // b + n

  logic last, ready, cmd_fire, in_fire, out_fire;
  assign in_ready_o  = state_q == StLoad;
  assign out_valid_o = state_q == StStore;
  assign out_data_o  = x_q[31:0];
  assign busy_o      = state_q != StIdle;
  assign status_o    = status_q;
  assign in_fire     = in_valid_i && in_ready_o;
  assign out_fire    = out_valid_o && out_ready_i;
  assign cmd_ready_o = !rst_i && !zeroize_i && ready;
  assign cmd_fire    = cmd_valid_i && cmd_ready_o;

  logic unused_cmd; // this engine has one lane
  assign unused_cmd = ^{cmd_q.op, cmd_q.dst1, cmd_q.a1, cmd_q.num_words};

  // The modulus check, over what was seen while the words came.
  mf_pkg::status_e  check;
  mf_pkg::modulus_t modulus;
  logic             bad_words_q;
  always_ff @(posedge clk_i)
    bad_words_q <= cmd_i.num_words != '0 && cmd_i.num_words != 16'(NumWords);
  mf_modulus_words #(.NumBits(NumBits)) u_words (
    .clk_i,
    .wipe_i    (state_q == StWipe),
    .en_i      (in_fire && cmd_q.dst0 == mf_pkg::SlotMod),
    .first_i   (count_q == '0),
    .last_i    (count_q == count_t'(NumWords - 1)),
    .word_i    (in_data_i),
    .odd_i     (n_q[0]),
    .modulus_o (modulus)
  );
  mf_modulus_check u_check (
    .bad_words_i (bad_words_q),
    .modulus_i   (modulus),
    .status_o    (check)
  );

  // ---- control ----
  // A refused set-up alone goes through StIdle: ready does not wait for the check.
  count_t before_end; // count_q in the cycle before the state's last
  always_comb begin
    last       = 1'b1;
    ready      = 1'b0;
    state_d    = StIdle;
    before_end = count_t'(NumWords - 2);
    unique case (state_q)
      StWipe:   begin last = end_q; ready = last; before_end = count_t'(NumSlots - 2); end
      StLoad:   begin last = in_fire && end_q; state_d = StLoadEnd; end
      StFetch:  state_d = StStep;
      StStep:   begin last = end_q; state_d = StFinal; before_end = count_t'(StepClocks - 2); end
      StCheck:  state_d = check == mf_pkg::StatusOk ? StDouble : StIdle;
      StDouble: begin last = end_q; ready = last; before_end = count_t'(2 * RBits - 1); end
      StGet:    state_d = StStore;
      StStore:  begin last = out_fire && end_q; ready = last; end
      default:  ready = 1'b1; // StIdle, StLoadEnd, StFinal
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
      end_q   <= 1'b0;
    end else if (cmd_fire || last) begin
      state_q <= cmd_fire ? first_state(cmd_i.op) : state_d;
      count_q <= '0;
      end_q   <= NumWords == 1 && (cmd_fire || state_q == StGet); // StLoad, StStore
    end else if (!(state_q inside {StLoad, StStore}) || in_fire || out_fire) begin
      count_q <= count_q + count_t'(1);
      end_q   <= count_q == before_end;
    end
    if (cmd_fire) cmd_q <= cmd_i;
    else if (state_q == StWipe) cmd_q <= '0; // slot numbers can depend on a secret exponent
    if (state_q == StWipe) status_q <= mf_pkg::StatusNoModulus;
    else if (state_q == StCheck && check != mf_pkg::StatusOk) status_q <= check;
    else if (state_q == StLoadEnd && cmd_q.dst0 == mf_pkg::SlotMod)
      status_q <= mf_pkg::StatusNoModulus;
    else if (state_q == StDouble && last) status_q <= mf_pkg::StatusOk;
  end

  // ---- slots ----
  logic                wr_en;
  logic [AddrBits-1:0] wr_addr;
  logic [NumBits-1:0]  reduced, slot_a, slot_b;
  mf_regfile_1w2r #(.WidthBits(NumBits), .Depth(NumSlots)) u_slots (
    .clk_i,
    .wr_en_i     (wr_en),
    .wr_addr_i   (wr_addr),
    .wr_data_i   (reduced),
    .rd_a_addr_i (AddrBits'(cmd_q.a0)),
    .rd_a_data_o (slot_a),
    .rd_b_addr_i (AddrBits'(cmd_q.b)),
    .rd_b_data_o (slot_b)
  );

  // Set-up writes 2^0, 2^RBits and 2^(2 RBits) mod n: SlotOne, SlotR and SlotR2.
  logic       power_en_q; // in StDouble: m is one of these
  logic [1:0] power_q;    // its slot
  always_ff @(posedge clk_i) begin
    power_en_q <= state_q == StCheck || count_q == count_t'(RBits - 1)
                                     || count_q == count_t'(2 * RBits - 1);
    if (state_q != StDouble) power_q <= 2'(mf_pkg::SlotOne);
    else if (power_en_q)     power_q <= power_q + 2'd1;
  end

  // ---- the end of a product (m < 2n), and during set-up a doubled m (m < 2n) ----
  mf_mul_bit_serial_reduce #(.NumBits(NumBits)) u_reduce (
    .m_i    (m_q[NumBits:0]),
    .n_i    (n_q),
    .keep_i (state_q == StLoadEnd), // an operand that was loaded
    .wipe_i (state_q == StWipe),
    .m_o    (reduced)
  );

  always_comb begin
    wr_en   = 1'b0;
    wr_addr = AddrBits'(cmd_q.dst0);
    unique case (state_q)
      StWipe:    begin wr_en = 1'b1; wr_addr = AddrBits'(count_q); end
      StLoadEnd: wr_en = cmd_q.dst0 != mf_pkg::SlotMod;
      StFinal:   wr_en = 1'b1;
      StDouble:  begin wr_en = power_en_q; wr_addr = AddrBits'(power_q); end
      default: wr_en = 1'b0;
    endcase
  end

  // ---- data path ----
  logic [NumBits+1:0] m_step, m_first;
  mf_mul_bit_serial_step #(
    .NumBits   (NumBits),
    .Variant   (Variant),
    .NumSteps  (NumSteps),
    .HalfSteps (HalfSteps)
  ) u_step (
    .clk_i,
    .first_i   (state_q == StFetch),
    .first_x_i (slot_a[0]),
    .first_b_i (slot_b),
    .m_i       (m_q[NumBits+1:0]),
    .x_i       (x_q[NumSteps:0]),
    .b_i       (b_q),
    .n_i       (n_q),
    .bn_i      (bn),
    .half_i    (count_q[0]),
    .m_o       (m_step),
    .first_m_o (m_first)
  );

  // With one step a cycle b + n is first used a cycle after b has left the slots: both stand still.
  if (Variant == 2 && NumSteps == 1) begin : gen_sum
    assign bn = {1'b0, b_q} + {1'b0, n_q};
  end else begin : gen_kept
    logic [NumBits:0] bn_q;
    assign bn = bn_q;
    always_ff @(posedge clk_i) begin
      if (state_q == StWipe) bn_q <= '0;
      else if (state_q == StFetch) bn_q <= {1'b0, slot_b} + {1'b0, n_q};
    end
  end

  logic unused_top; // the first words pass through bits that no value has
  assign unused_top = ^m_q;

  logic [IoBits-1:0] m_word_in; // the accumulator with one more word shifted in from the top
  if (NumWords == 1) begin : gen_one_word
    assign m_word_in = in_data_i;
  end else begin : gen_words
    assign m_word_in = {in_data_i, m_q[IoBits-1:32]};
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      StWipe: begin
        m_q <= '0;
        x_q <= '0;
        b_q <= '0;
        n_q <= '0;
      end
      StLoad:    if (in_fire) m_q <= AccBits'(m_word_in);
      StLoadEnd: if (cmd_q.dst0 == mf_pkg::SlotMod) n_q <= m_q[NumBits-1:0];
      StFetch: begin
        m_q <= AccBits'(m_first);
        x_q <= OutBits'(slot_a);
        b_q <= slot_b;
      end
      StStep: begin
        m_q <= AccBits'(m_step);
        if (!HalfSteps || count_q[0]) x_q <= x_q >> NumSteps;
      end
      StCheck:  m_q <= AccBits'(1);
      StDouble: m_q <= AccBits'({reduced, 1'b0}); // doubled, it is below 2n again
      StGet:    x_q <= OutBits'(slot_a);
      StStore:  if (out_fire) x_q <= x_q >> mf_pkg::WordBits;
      default: ;
    endcase
  end

endmodule
