// SPDX-License-Identifier: Apache-2.0
/// Digit-serial arithmetic at the head of the array: what is needed once per modulus or per result.
/// Two value memories take turns as source; a third holds the modulus.
///
/// Source   modfab; README.md beside this file.
/// Model    modfab.models.mul_qp_systolic.
/// Latency  every operation NumPlaces + 10 clocks from start_i to done_o, high in the last one.
/// Assumes  start_i only while idle; values below 2^(w * (NumPlaces - 1)); the modulus n is odd.
/// Ensures  Clear: v <- value_i (a digit). Halve: v <- (v + (v odd ? 0 : n)) / 2 rounded down, and
///          the choice enters inverse_q from the top if learn_i: after w of them from v = 0 it is
///          -n^-1 mod 2^w.
///          Double: v <- 2v mod n, for v < n. Subtract: v <- v - n if v >= n. Reduce:
///          v <- (v + q * n) / 2^w with the q that makes it exact. Send: v's digits leave in order.
module mf_mul_qp_systolic_serial #(
  parameter int unsigned NumPlaces = 60, // digits of a value, the highest always zero
  parameter int unsigned DigitBits = 18, // bits of a digit, w
  localparam int unsigned PlaceBits = $clog2(NumPlaces + 1)
) (
  input  logic                 clk_i,
  input  logic                 rst_i,      // ends an operation
  input  logic                 start_i,
  input  logic [2:0]           op_i,       // 0 Clear 1 Halve 2 Double 3 Subtract 4 Reduce 5 Send
  input  logic [DigitBits-1:0] value_i,    // Clear: the lowest digit
  input  logic                 learn_i,    // Halve: the choice enters inverse_q
  input  logic                 wipe_i,     // we_digit_i goes to all memories
  output logic                 done_o,

  input  logic                 mod_we_i,   // modulus and source memory can be written while idle
  input  logic                 val_we_i,
  input  logic [PlaceBits-1:0] we_place_i,
  input  logic [DigitBits-1:0] we_digit_i,

  input  logic                 rd_en_i,    // while idle: read the source memory at rd_place_i
  input  logic [PlaceBits-1:0] rd_place_i,
  output logic                 send_o,     // Send: digit_o is digit send_place_o
  output logic [PlaceBits-1:0] send_place_o,
  output logic [DigitBits-1:0] digit_o     // Send, or one clock after rd_place_i
);

  typedef logic [DigitBits-1:0] digit_t;
  typedef logic [PlaceBits-1:0] place_t;
  localparam logic [2:0] OpClear = 3'd0, OpHalve = 3'd1, OpDouble = 3'd2, OpSubtract = 3'd3,
                         OpReduce = 3'd4;
  localparam int unsigned ProductBits = 2 * DigitBits;
  localparam int unsigned NumClocks   = NumPlaces + 10;
  localparam int unsigned CountBits   = $clog2(NumClocks + 1);
  localparam int unsigned Depth       = 6; // stages between an address and its result

  // ---- sequencing: count_q 1 .. NumClocks while an operation runs ----
  logic [CountBits-1:0] count_q;
  logic [2:0]           op_q;
  logic                 running, source_q, odd_q, add_q, learn_q;
  assign running = count_q != '0;
  assign done_o  = 32'(count_q) == NumClocks;

  // Reduce reads digit 0 first, to find q; place 0 follows 4 clocks later.
  localparam int unsigned Lead = 4;
  logic [Depth:0]                v_q;     // stage i holds a digit
  logic [Depth:0][PlaceBits-1:0] place_q;
  logic                          fetch;
  place_t                        fetch_place;
  assign fetch       = 32'(count_q) > Lead && 32'(count_q) <= Lead + NumPlaces;
  assign fetch_place = fetch ? place_t'(32'(count_q) - Lead - 1) : '0;

  // ---- memories ----
  digit_t [1:0] val_rd;
  digit_t       mod_rd, x1, keep, differ;
  logic         write;
  place_t       write_place;
  for (genvar i = 0; i < 2; i++) begin : gen_value
    logic idle_we;
    assign idle_we = !running && (wipe_i || (val_we_i && source_q == 1'(i)));
    mf_prim_ram_1r1w #(.WidthBits(DigitBits), .Depth(NumPlaces)) u_value (
      .clk_i,
      .wr_en_i   (write || idle_we),
      .wr_addr_i (($clog2(NumPlaces))'(running ? write_place : we_place_i)),
      .wr_data_i (!running ? we_digit_i : source_q == 1'(i) ? keep : differ),
      .rd_addr_i (($clog2(NumPlaces))'(rd_en_i && !running ? rd_place_i : fetch_place)),
      .rd_data_o (val_rd[i])
    );
  end
  mf_prim_ram_1r1w #(.WidthBits(DigitBits), .Depth(NumPlaces)) u_modulus (
    .clk_i,
    .wr_en_i   ((mod_we_i || wipe_i) && !running),
    .wr_addr_i (($clog2(NumPlaces))'(we_place_i)),
    .wr_data_i (we_digit_i),
    .rd_addr_i (($clog2(NumPlaces))'(fetch_place)),
    .rd_data_o (mod_rd)
  );
  assign x1      = val_rd[source_q];
  assign digit_o = x1;
  assign send_o       = v_q[1] && op_q == 3'd5;
  assign send_place_o = place_q[1];

  // ---- stages 2 .. 5: registers, product with the quotient digit, sum without its carry ----
  digit_t                   inverse_q, // -n^-1 mod 2^w
                            x2_q, x3_q, x4_q, m2_q, m3_q, m4_q, m5_q, q_q;
  logic [ProductBits-1:0]   p4;
  logic [ProductBits:0]     t5_q;
  mf_prim_mul #(.WidthA(DigitBits), .WidthB(DigitBits), .Stages(2)) u_mul (
    .clk_i,
    .a_i (v_q[2] ? q_q : x2_q),
    .b_i (v_q[2] ? m2_q : inverse_q),
    .p_o (p4)
  );
  always_ff @(posedge clk_i) begin
    {x4_q, x3_q, x2_q} <= {x3_q, x2_q, x1};
    {m5_q, m4_q, m3_q, m2_q} <= {m4_q, m3_q, m2_q, mod_rd};
    t5_q <= op_q == OpReduce ? (ProductBits+1)'(p4) + (ProductBits+1)'(x4_q)
                             : (ProductBits+1)'(x4_q);
    // Digit 0 is fetched from the first clock on; its product with the inverse is at p4 in clock 5.
    if (32'(count_q) == Lead + 1) q_q <= p4[DigitBits-1:0];
  end

  // ---- stage 6: carries; each loop is one addition of a digit ----
  logic [ProductBits:0] sum_reduce;
  logic [DigitBits:0]   carry_q, sum_halve, minus;
  digit_t               doubled, keep_q, differ_q;
  logic [DigitBits-2:0] prev_q;
  logic                 borrow_q, top_q;
  assign sum_reduce = t5_q + (ProductBits+1)'(carry_q); // < 2^(2w) + 2^(w+1): carry < 2^(w+1)
  assign sum_halve  = (DigitBits+1)'(t5_q[DigitBits-1:0]) + (add_q ? (DigitBits+1)'(m5_q) : '0)
                      + (DigitBits+1)'(carry_q[0]);
  assign doubled    = op_q == OpDouble ? {t5_q[DigitBits-2:0], top_q} : t5_q[DigitBits-1:0];
  assign minus      = (DigitBits+1)'(doubled) - (DigitBits+1)'(m5_q) - (DigitBits+1)'(borrow_q);
  always_ff @(posedge clk_i) begin
    if (!running) begin
      carry_q  <= '0;
      borrow_q <= 1'b0;
      top_q    <= 1'b0;
    end else if (v_q[5]) begin
      top_q    <= t5_q[DigitBits-1];
      borrow_q <= minus[DigitBits];
      differ_q <= minus[DigitBits-1:0];
      unique case (op_q)
        OpHalve: begin
          carry_q <= (DigitBits+1)'(sum_halve[DigitBits]);
          prev_q  <= sum_halve[DigitBits-1:1];
          keep_q  <= {sum_halve[0], prev_q};
        end
        OpReduce: begin
          carry_q <= (DigitBits+1)'(sum_reduce >> DigitBits);
          keep_q  <= sum_reduce[DigitBits-1:0];
        end
        OpClear: keep_q <= place_q[5] == '0 ? value_i : '0;
        default: keep_q <= doubled;
      endcase
    end
  end
  // Halve and Reduce make the digit below the one that they have just read.
  logic shifts;
  assign shifts      = op_q == OpHalve || op_q == OpReduce;
  assign write       = v_q[6] && op_q <= OpReduce && !(shifts && place_q[6] == '0);
  assign write_place = shifts ? place_q[6] - place_t'(1) : place_q[6];
  assign keep        = keep_q;
  assign differ      = differ_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) count_q <= '0;
    else if (start_i) count_q <= CountBits'(1);
    else if (done_o) count_q <= '0;
    else if (running) count_q <= count_q + CountBits'(1);
    if (start_i) begin
      op_q    <= op_i;
      learn_q <= learn_i;
      add_q   <= !odd_q;
    end
    if (rst_i) source_q <= 1'b0;
    else if (done_o && (op_q == OpDouble || op_q == OpSubtract) && !borrow_q)
      source_q <= !source_q; // ct-ok: selects a memory
    v_q     <= {v_q[Depth-1:0], fetch};
    place_q <= {place_q[Depth-1:0], fetch_place};
    v_q[0]     <= 1'b0; // stage 0 is the address itself
    place_q[0] <= '0;
    v_q[1]     <= fetch;
    place_q[1] <= fetch_place;
    if (rst_i) inverse_q <= '0;
    else if (done_o && op_q == OpHalve && learn_q)
      inverse_q <= {add_q, inverse_q[DigitBits-1:1]};
    if (write && write_place == '0) odd_q <= keep_q[0];
  end

endmodule
