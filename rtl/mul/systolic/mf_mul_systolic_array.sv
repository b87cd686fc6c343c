// SPDX-License-Identifier: Apache-2.0
/// The linear array: one element for each digit, or in radix 2 for several, control and quotient
/// digits pumped to the left.
///
/// Element j does in cycle t + j what element 0 does in cycle t, so the *_i ports below are the
/// program of element 0 and a register further for every other element. In one cycle an element
/// has a table phase, T = q * M^ + a * B (its digit, carry to the left), and a sum phase,
/// S = (left neighbour's S of two cycles before) + T, one cycle later for the same step. Results
/// stay where they are made, in the slots; digits of a travel to the right, one element a cycle.
///
/// With ElementBits above 1 an element has so many digits of one bit. What moves to the right by a
/// digit, S and a, shifts inside the element and takes its highest bit from the left neighbour; a
/// lane's own bits are those of two cycles before.
///
/// Source   [BLUM01] Algorithm 3.2, figures 1 and 2; deviations in README.md beside this file.
/// Model    modfab.models.mul_systolic_array.
/// Latency  no cycle is its own; the program decides.
/// Assumes  a program as mf_mul_systolic_seq writes it; table entries 0 hold zero.
/// Ensures  with M~ <= R/4, a <= R/2, B <= R/2, R = 2^(RadixBits * NumDigits) the array's NumDigits
///          + 1 digits never overflow.
module mf_mul_systolic_array #(
  parameter int unsigned RadixBits  = 4,  // bits of a digit, 1..6
  parameter int unsigned NumDigits  = 66, // digits of an operand: of the modulus, and 2
  parameter int unsigned SlotDepth  = 9,  // slots, with the hidden one
  parameter int unsigned ElementBits = 1, // RadixBits 1: bits of an element, 1, 4, 8, 16
  localparam int unsigned AddrBits  = $clog2(SlotDepth)
) (
  input  logic                 clk_i,

  // ---- registered once here ----
  input  mf_mul_systolic_pkg::element_t element_i,
  input  logic [AddrBits-1:0]  rd_addr_i,  // slot to read for fill (and inj, see below)
  input  logic [AddrBits-1:0]  inj_addr_i, // slot to inject from, if RadixBits <= 2
  input  logic [AddrBits-1:0]  wr_addr_i,
  input  logic [RadixBits-1:0] tab_addr_i, // entry that we_b, we_m write
  // ---- element 0 ----
  input  mf_mul_systolic_pkg::source_t  source_i,
  input  logic [RadixBits-1:0] a_const_i,
  input  logic                 carry_i,    // carry into the sum phase
  input  logic                 wipe_i,     // mu <- 0
  output logic [RadixBits-1:0] stream_o    // digits that arrive at the right
);

  localparam int unsigned Width = RadixBits == 1 ? ElementBits : RadixBits; // of an element
  localparam int unsigned PerElement     = Width / RadixBits; // digits
  localparam int unsigned NumElements    = NumDigits / PerElement + 1;
  localparam int unsigned NumSlotElements = (NumDigits + PerElement - 1) / PerElement;
  // M^ times a digit is no longer
  localparam int unsigned NumModElements = (NumDigits + PerElement - 2) / PerElement;
  localparam int unsigned TopDigits      = NumDigits % PerElement; // below R in the last element
  localparam int unsigned CountBits      = PerElement == 1 ? 1 : $clog2(PerElement);
  localparam bit          TwoReads       = RadixBits <= 2;

  typedef logic [RadixBits-1:0] digit_t;
  typedef logic [Width-1:0]     part_t;  // of an element
  typedef logic [Width:0]       sum_t;   // two parts and a carry: < 2^(Width+1)
  typedef logic [CountBits-1:0] count_t;
  typedef logic [AddrBits-1:0]  addr_t;
  typedef struct packed {
    addr_t  rd_addr, inj_addr, wr_addr;
    digit_t tab_addr;
    mf_mul_systolic_pkg::element_t op;
  } token_t;

  // Index: element. One more where a value comes in from the left, or a carry leaves to there.
  token_t tok_q[NumElements],    tok_d[NumElements];
  digit_t a_q[NumElements],      a_d[NumElements];
  digit_t q_q[NumElements],      q_d[NumElements];
  part_t  t_q[NumElements],      t_d[NumElements];
  part_t  s_q[NumElements+1],    s_d[NumElements+1];
  part_t  s_old_q[NumElements];  // of the cycle before, as is pipe_old_q
  part_t  pipe_old_q[NumElements];
  part_t  s_shift[NumElements],  pipe_shift[NumElements]; // a digit to the right
  part_t  acc_q[NumElements],    acc_d[NumElements];
  part_t  b_q[NumElements],      b_d[NumElements];
  part_t  pipe_q[NumElements],   pipe_d[NumElements];
  logic   t_cy_q[NumElements+1], t_cy_d[NumElements+1]; // carry into the element
  logic   s_cy_q[NumElements+1], s_cy_d[NumElements+1];
  logic   f_cy_q[NumElements+1], f_cy_d[NumElements+1];
  logic   armed_q[NumSlotElements], armed_d[NumSlotElements]; // waits for its digits of a load
  count_t got_q[NumSlotElements],   got_d[NumSlotElements];   // digits it has

  addr_t  rd_addr [NumSlotElements];
  addr_t  inj_addr [NumSlotElements];
  addr_t  wr_addr [NumSlotElements];
  digit_t tab_addr [NumElements];
  logic   we_slot [NumSlotElements];
  logic   we_b    [NumElements];
  logic   we_m    [NumModElements];
  part_t  slot    [NumSlotElements]; // what the element reads
  part_t  second  [NumSlotElements]; // its second read
  part_t  inject  [NumSlotElements];
  digit_t m_addr  [NumModElements];
  part_t  m_data  [NumModElements];
  digit_t m_read  [NumModElements];
  part_t  own     [NumElements];   // slot; an element beyond R has none
  part_t  tab_m   [NumModElements];
  part_t  tab_b   [NumElements];
  sum_t   f_sum   [NumElements];
  sum_t   t_sum   [NumElements];
  sum_t   s_sum   [NumElements];
  part_t  s_in    [NumElements];
  part_t  multiple [NumElements];
  logic   take    [NumSlotElements]; // the element loads a digit
  logic   filled  [NumSlotElements]; // it does not wait for digits any more
  part_t  loaded  [NumSlotElements]; // its digits of a load, with this one
  part_t  slot_d  [NumSlotElements];
  digit_t a_head, q_head;
  logic   late_d;

  always_comb begin
    for (int unsigned j = 0; j < NumElements; j++) begin
      we_b[j]     = tok_q[j].op.we_b;
      tab_addr[j] = tok_q[j].tab_addr;
    end
    for (int unsigned j = 0; j < NumModElements; j++) begin
      we_m[j]   = tok_q[j].op.we_m;
      m_addr[j] = tok_q[j].tab_addr;
      m_read[j] = q_q[j];
    end
    for (int unsigned j = 0; j < NumSlotElements; j++) begin
      rd_addr[j]  = tok_q[j].rd_addr;
      inj_addr[j] = tok_q[j].inj_addr;
      wr_addr[j]  = tok_q[j].wr_addr;
    end
  end

  always_comb begin
    own[NumElements-1] = '0;
    for (int unsigned j = 0; j < NumSlotElements; j++) begin
      own[j]    = slot[j];
      inject[j] = TwoReads ? second[j] : slot[j];
    end
  end

  always_comb begin
    for (int unsigned j = 0; j < NumElements; j++) begin
      s_shift[j]    = part_t'({s_q[j+1][RadixBits-1:0], s_old_q[j]} >> RadixBits);
      pipe_shift[j] = part_t'(pipe_old_q[j] >> RadixBits);
    end
    for (int unsigned j = 0; j < NumElements - 1; j++)
      pipe_shift[j] = part_t'({pipe_q[j+1][RadixBits-1:0], pipe_old_q[j]} >> RadixBits);
    for (int unsigned j = 0; j < NumElements; j++) begin
      f_sum[j]    = sum_t'(acc_q[j]) + sum_t'(b_q[j]) + sum_t'(f_cy_q[j]);
      multiple[j] = tok_q[j].op.first ? own[j] : f_sum[j][Width-1:0];
      s_in[j]     = !tok_q[j].op.clear ? s_shift[j]
                  : tok_q[j].op.late ? acc_q[j] : '0; // ct-ok: muxes
      s_sum[j]    = sum_t'(s_in[j]) + sum_t'(t_q[j]) + sum_t'(s_cy_q[j]);
      t_sum[j]    = sum_t'(tab_b[j]) + sum_t'(t_cy_q[j]);
    end
    for (int unsigned j = 0; j < NumModElements; j++) begin
      m_data[j] = multiple[j];
      t_sum[j]  = sum_t'(tab_m[j]) + sum_t'(tab_b[j]) + sum_t'(t_cy_q[j]);
    end
    for (int unsigned j = 0; j < NumSlotElements; j++) begin
      take[j]    = tok_q[j].op.ld && (armed_q[j] || tok_q[j].op.arm);
      we_slot[j] = tok_q[j].op.wr || take[j];
      // The last element may wait for more than there is, until it does something else.
      filled[j]  = take[j] && got_q[j] == count_t'(PerElement - 1);
      if (PerElement != 1) filled[j] = filled[j] || tok_q[j].op.fill || tok_q[j].op.wr;
      loaded[j]  = PerElement == 1 ? part_t'(a_q[j])
                 : (acc_q[j] | part_t'(a_q[j]) << got_q[j]); // ct-ok: counts digits
      slot_d[j]  = tok_q[j].op.wr ? s_sum[j][Width-1:0] : loaded[j];
    end
    // What would be beyond R is a multiple of it in read-out, and zero elsewhere.
    for (int unsigned i = 0; i < PerElement; i++)
      if (TopDigits != 0 && i >= TopDigits) slot_d[NumSlotElements-1][i*RadixBits+:RadixBits] = '0;
  end

  // Next state by loops, then whole arrays into registers: a simulator copies them at once.
  always_comb begin
    tok_d[0] = '{
      rd_addr: rd_addr_i, inj_addr: inj_addr_i, wr_addr: wr_addr_i, tab_addr: tab_addr_i,
      op: element_i
    };
    tok_d[0].op.late = element_i.late || late_d;
    a_d[0]    = a_head;
    q_d[0]    = q_head;
    t_cy_d[0] = 1'b0;
    s_cy_d[0] = carry_i;
    f_cy_d[0] = 1'b0;
    for (int unsigned j = 1; j < NumElements; j++) begin
      tok_d[j]    = tok_q[j-1];
      if (j <= NumSlotElements) tok_d[j].op.ld = tok_q[j-1].op.ld && !take[j-1];
      a_d[j]      = a_q[j-1];
      q_d[j]      = q_q[j-1];
    end
    for (int unsigned j = 0; j < NumElements; j++) begin
      acc_d[j]    = tok_q[j].op.fill ? multiple[j] : '0;
      b_d[j]      = tok_q[j].op.first ? own[j] : tok_q[j].op.fill ? b_q[j] : '0;
      f_cy_d[j+1] = tok_q[j].op.fill && !tok_q[j].op.first && f_sum[j][Width];
      t_d[j]      = t_sum[j][Width-1:0];
      t_cy_d[j+1] = t_sum[j][Width];
      s_d[j]      = s_sum[j][Width-1:0];
      s_cy_d[j+1] = s_sum[j][Width];
    end
    // Read-out is modulo R: what would overflow into the last element is a multiple of R.
    for (int unsigned i = TopDigits; i < PerElement; i++)
      if (tok_q[NumElements-1].op.late && !tok_q[NumElements-1].op.clear)
        s_d[NumElements-1][i*RadixBits+:RadixBits] = '0;
    s_d[NumElements] = '0;
    pipe_d[NumElements-1] = '0;
    for (int unsigned j = 0; j < NumSlotElements; j++) begin
      armed_d[j] = (armed_q[j] || tok_q[j].op.arm) && !filled[j];
      got_d[j]   = PerElement == 1 || tok_q[j].op.arm ? '0 : got_q[j] + count_t'(take[j]);
      pipe_d[j]  = tok_q[j].op.inj ? inject[j] : pipe_shift[j];
      if (PerElement != 1 && armed_q[j] && !tok_q[j].op.arm && !filled[j])
        acc_d[j] = take[j] ? loaded[j] : acc_q[j];
    end
  end

  always_ff @(posedge clk_i) begin
    tok_q   <= tok_d;
    a_q     <= a_d;
    q_q     <= q_d;
    t_q     <= t_d;
    s_q     <= s_d;
    acc_q   <= acc_d;
    b_q     <= b_d;
    pipe_q  <= pipe_d;
    t_cy_q  <= t_cy_d;
    s_cy_q  <= s_cy_d;
    f_cy_q  <= f_cy_d;
    armed_q <= armed_d;
    got_q   <= got_d;
    for (int unsigned j = 0; j < NumElements; j++) begin
      s_old_q[j]    <= s_q[j];
      pipe_old_q[j] <= pipe_q[j];
    end
  end

  mf_mul_systolic_tables #(
    .RadixBits (RadixBits),
    .WidthBits (Width),
    .NumTables (NumElements)
  ) u_b (
    .clk_i,
    .wr_en_i   (we_b),
    .wr_addr_i (tab_addr),
    .wr_data_i (multiple),
    .rd_addr_i (a_q),
    .rd_data_o (tab_b)
  );

  mf_mul_systolic_tables #(
    .RadixBits (RadixBits),
    .WidthBits (Width),
    .NumTables (NumModElements)
  ) u_m (
    .clk_i,
    .wr_en_i   (we_m),
    .wr_addr_i (m_addr),
    .wr_data_i (m_data),
    .rd_addr_i (m_read),
    .rd_data_o (tab_m)
  );

  mf_regfile_1w2r_banked #(
    .NumBanks  (NumSlotElements),
    .WidthBits (Width),
    .Depth     (SlotDepth)
  ) u_slots (
    .clk_i,
    .wr_en_i     (we_slot),
    .wr_addr_i   (wr_addr),
    .wr_data_i   (slot_d),
    .rd_a_addr_i (rd_addr),
    .rd_a_data_o (slot),
    .rd_b_addr_i (inj_addr),
    .rd_b_data_o (second)
  );

  // ---- element 0: where a and q come from ----
  mf_mul_systolic_head #(.RadixBits(RadixBits)) u_head (
    .clk_i,
    .source_i,
    .inj_i      (element_i.inj),
    .we_m_i     (element_i.we_m),
    .a_const_i,
    .tab_addr_i,
    .wipe_i,
    .inject_i   (inject[0][RadixBits-1:0]),
    .pipe_i     (pipe_shift[0][RadixBits-1:0]),
    .sum_i      (s_sum[0][RadixBits-1:0]),
    .multiple_i (multiple[0][RadixBits-1:0]),
    .a_o        (a_head),
    .q_o        (q_head),
    .late_o     (late_d)
  );
  assign stream_o = pipe_q[0][RadixBits-1:0];

endmodule
