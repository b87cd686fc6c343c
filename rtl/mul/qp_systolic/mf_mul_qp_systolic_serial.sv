// SPDX-License-Identifier: Apache-2.0
/// Digit-serial unit beside the array, for operations once per modulus or once per result.
/// One memory holds two values, source and destination alternately; another one the modulus n.
///
/// Source   modfab; README.md beside this file.
/// Model    modfab.models.mul_qp_systolic.
/// Latency  every operation NumPlaces + 13 cycles from start_i to done_o, high in the last one.
/// Assumes  start_i only while idle, 2 cycles or more after done_o; values below
///          2^(w * (NumPlaces - 1)); n is odd; rd_en_i is low from 4 cycles before a Reduce on.
/// Ensures  One: v <- 1. Bound: v <- 2^MinModBits, below n: n is odd and not below it. Halve:
///          v <- v / 2 mod n, v < n; the choice enters inverse_q from the top if learn_i: after w
///          of them from v = 1 it is -n^-1 mod 2^w. Double: v <- 2v, Subtract: v <- v, Reduce:
///          v <- (v + q * n) / 2^w with the q that makes it exact; these three then subtract n
///          once if the result is not below n.
module mf_mul_qp_systolic_serial #(
  parameter int unsigned NumPlaces = 60, // digits of a value, the highest always zero
  parameter int unsigned DigitBits = 18, // bits of a digit, w
  parameter int unsigned MinModBits = 0, // what Bound makes; 0: there is no Bound
  localparam int unsigned PlaceBits = $clog2(NumPlaces + 1),
  localparam int unsigned AddrBits  = $clog2(NumPlaces)
) (
  input  logic                 clk_i,
  input  logic                 rst_i,      // ends an operation
  input  logic                 start_i,
  input  logic [2:0]           op_i,       // 0 One 1 Halve 2 Double 3 Subtract 4 Reduce 5 Bound
  input  logic                 learn_i,    // Halve: the choice enters inverse_q
  output logic                 done_o,

  input  logic                 wipe_i,     // we_digit_i goes to all memories
  input  logic                 mod_we_i,   // modulus and source memory can be written while idle
  input  logic                 val_we_i,
  input  logic [AddrBits-1:0]  we_place_i,
  input  logic [DigitBits-1:0] we_digit_i,

  input  logic                 rd_en_i,    // while idle: read the value at rd_place_i
  input  logic [PlaceBits-1:0] rd_place_i,
  output logic [DigitBits-1:0] digit_o     // two cycles after rd_place_i
);

  typedef logic [DigitBits-1:0] digit_t;
  typedef logic [PlaceBits-1:0] place_t;
  localparam logic [2:0] OpOne = 3'd0, OpHalve = 3'd1, OpDouble = 3'd2, OpReduce = 3'd4,
                         OpBound = 3'd5;
  localparam int unsigned ProductBits = 2 * DigitBits;
  localparam int unsigned NumCycles   = NumPlaces + 13;
  localparam int unsigned CountBits   = $clog2(NumCycles + 1);
  localparam int unsigned Depth       = 10; // stages between an address and the memories' write
  localparam int unsigned BoundPlace  = MinModBits / DigitBits; // of the bit of 2^MinModBits ...
  localparam int unsigned BoundBit    = MinModBits % DigitBits; // ... in its digit

  // ---- sequencing: count_q 1 .. NumCycles while an operation runs ----
  logic [CountBits-1:0] count_q;
  logic                 running_q, source_q, odd_q, add_q, learn_q;
  logic                 one_q, halve_q, double_q, reduce_q, shifts_q; // of the operation
  logic                 bound_q, at_bound_q; // one_q for Bound; stage 3 has its place

  // Stage i holds a digit of a place. Digit 0 is read before that too, to find q.
  logic [Depth:0]                v_q;
  logic [Depth:0][PlaceBits-1:0] place_q;
  logic [Depth:0]                zero_q; // place_q is 0
  logic                          top_q; // the highest place, whose digit is not in the memories
  place_t                        address, address_q;
  logic                          fetch;
  assign fetch   = count_q != '0 && 32'(count_q) <= NumPlaces;
  assign address = running_q ? place_q[0] : rd_en_i ? rd_place_i : '0;

  // ---- memories ----
  digit_t [1:0] val_rd;
  digit_t       mod_rd, x2, keep10_q, differ10_q, wr_keep, wr_differ;
  logic         write_q;
  logic [AddrBits-1:0] write_place_q;
  logic         value_we;
  logic         mod_we;
  // One register for all write ports and all writers.
  always_ff @(posedge clk_i) begin
    if (running_q) begin
      write_place_q <= AddrBits'(shifts_q ? place_q[Depth] - place_t'(1) : place_q[Depth]);
      wr_keep       <= keep10_q;
      wr_differ     <= differ10_q;
    end else begin
      write_place_q <= we_place_i;
      wr_keep       <= we_digit_i;
      wr_differ     <= we_digit_i;
    end
    write_q  <= running_q && v_q[Depth] && !(shifts_q && zero_q[Depth]);
    value_we <= running_q ? v_q[Depth] && !(shifts_q && zero_q[Depth]) : wipe_i || val_we_i;
    mod_we   <= !running_q && (wipe_i || mod_we_i);
  end
  mf_prim_ram_pipe #(.WidthBits(2*DigitBits), .Depth(NumPlaces)) u_values (
    .clk_i,
    .wr_en_i   (value_we),
    .wr_addr_i (write_place_q),
    .wr_data_i (source_q ? {wr_keep, wr_differ} : {wr_differ, wr_keep}),
    .rd_addr_i (AddrBits'(address)),
    .rd_data_o (val_rd)
  );
  mf_prim_ram_pipe #(.WidthBits(DigitBits), .Depth(NumPlaces)) u_modulus (
    .clk_i,
    .wr_en_i   (mod_we),
    .wr_addr_i (write_place_q),
    .wr_data_i (wr_keep),
    .rd_addr_i (AddrBits'(address)),
    .rd_data_o (mod_rd)
  );
  assign x2      = top_q ? '0 : val_rd[source_q];
  assign digit_o = x2;

  // ---- stages 3 .. 8: registers, product with the quotient digit, sum without its carry ----
  digit_t                 inverse_q; // -n^-1 mod 2^w
  digit_t                 q_q, a4_q, b4_q, x3_q, x4_q, x5_q, x6_q, x7_q;
  digit_t [9:3]           m_q;
  logic [ProductBits-1:0] p6, addend_q;
  logic [ProductBits:0]   t8_q;
  logic                   take_x_q, take_m_q, by_q_q, by_one_q; // operands of stage 4
  mf_prim_mul #(.WidthA(DigitBits), .WidthB(DigitBits), .Stages(2)) u_mul (
    .clk_i, .a_i(a4_q), .b_i(b4_q), .p_o(p6)
  );
  always_ff @(posedge clk_i) begin
    {x6_q, x5_q, x4_q, x3_q} <= {x5_q, x4_q, x3_q, x2};
    x7_q <= one_q ? '0 : x6_q;
    addend_q <= p6;
    m_q  <= {m_q[8:3], mod_rd};
    // Every addend passes the multiplier; before the first digit, q does.
    take_x_q <= !v_q[2] || double_q;
    take_m_q <= v_q[2] && (reduce_q || halve_q);
    by_q_q   <= v_q[2] && reduce_q;
    by_one_q <= v_q[2] && (one_q || double_q || (halve_q && add_q));
    at_bound_q <= bound_q && 32'(place_q[2]) == BoundPlace;
    a4_q <= (take_x_q ? x3_q : '0) | (take_m_q ? m_q[3] : '0)
            | digit_t'(one_q && !bound_q && zero_q[3]) | (digit_t'(at_bound_q) << BoundBit);
    b4_q <= by_one_q ? digit_t'(1) : by_q_q ? q_q : take_x_q ? inverse_q : '0;
    t8_q <= (ProductBits+1)'(addend_q) + (ProductBits+1)'(x7_q);
    // Digit 0 is at stage 3 from the first cycle on, its product with the inverse in cycle 4.
    if (wipe_i) q_q <= '0;
    else if (count_q == CountBits'(4)) q_q <= p6[DigitBits-1:0];
  end

  // ---- stage 9: carries; stage 10: the result less n; each loop is one addition of a digit ----
  logic [ProductBits:0] sum;
  logic [DigitBits:0]   carry_q, minus;
  digit_t               keep9_q, subtrahend_q;
  logic [DigitBits-2:0] prev_q;
  logic                 borrow_q, lends_q; // lends_q: the digit is one of the result
  assign sum        = t8_q + (ProductBits+1)'(carry_q); // < 2^(2w) + 2^(w+1): carry < 2^(w+1)
  assign minus      = (DigitBits+1)'(keep9_q) - (DigitBits+1)'(subtrahend_q)
                      - (DigitBits+1)'(borrow_q);
  always_ff @(posedge clk_i) begin
    if (v_q[8]) carry_q <= (DigitBits+1)'(sum >> DigitBits);
    else carry_q <= '0;
    prev_q    <= sum[DigitBits-1:1];
    keep9_q   <= halve_q ? {sum[0], prev_q} : sum[DigitBits-1:0];
    keep10_q   <= keep9_q;
    differ10_q <= minus[DigitBits-1:0];
    if (!running_q) borrow_q <= 1'b0;
    else if (lends_q) borrow_q <= minus[DigitBits];
    subtrahend_q <= shifts_q ? m_q[9] : m_q[8]; // of the place that the result's digit has
    lends_q      <= v_q[8] && !(shifts_q && zero_q[8]);
  end

  always_ff @(posedge clk_i) begin
    done_o    <= !rst_i && count_q == CountBits'(NumCycles - 1);
    running_q <= !rst_i && (start_i || (running_q && !done_o));
    if (rst_i || done_o) count_q <= '0;
    else if (start_i || running_q) count_q <= count_q + CountBits'(1);
    if (start_i) begin
      {halve_q, double_q, reduce_q} <= {op_i == OpHalve, op_i == OpDouble, op_i == OpReduce};
      one_q    <= op_i == OpOne || (MinModBits != 0 && op_i == OpBound);
      bound_q  <= MinModBits != 0 && op_i == OpBound;
      shifts_q <= op_i == OpHalve || op_i == OpReduce;
      learn_q  <= learn_i;
      add_q    <= odd_q;
    end
    if (rst_i) source_q <= 1'b0;
    else if (done_o && !one_q && !halve_q && !borrow_q)
      source_q <= !source_q; // ct-ok: selects a memory
    v_q        <= {v_q[Depth-1:0], fetch};
    place_q    <= {place_q[Depth-1:0], fetch ? place_t'(count_q - CountBits'(1)) : '0};
    zero_q     <= {zero_q[Depth-1:0], !fetch || count_q == CountBits'(1)};
    address_q  <= address;
    top_q      <= 32'(address_q) == NumPlaces - 1;
    if (rst_i) inverse_q <= '0;
    else if (done_o && halve_q && learn_q) inverse_q <= {add_q, inverse_q[DigitBits-1:1]};
    if (write_q && write_place_q == '0) odd_q <= wr_keep[0];
    if (wipe_i) {add_q, odd_q} <= '0;
  end

endmodule
