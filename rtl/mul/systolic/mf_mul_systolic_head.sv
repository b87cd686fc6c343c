// SPDX-License-Identifier: Apache-2.0
/// What only element 0 has: the sources of a and q, the factor mu and its table.
///
/// mu = -M^-1 mod 2^RadixBits is the entry whose multiple of M ends in -1: it is seen while the
/// table of multiples is filled. The table holds h(q) = floor(q * mu / 2^RadixBits): a step with
/// q * M~ - h * 2^RadixBits * M adds (q * mu mod 2^RadixBits) * M, which is what read-out needs.
///
/// Source   modfab; M' of [BLUM01] Algorithm 3.2.
/// Model    modfab.models.mul_systolic_array.
/// Latency  a_o, q_o and late_o are combinational, for registers.
/// Assumes  the ports are as those of mf_mul_systolic_array, before its first register.
/// Ensures  the digit that starts a stream is split when its multiple is not in the table yet:
///          in lane 0 from 2^RadixBits - 2, in lane 1 at 2^RadixBits - 1; late_o tells so.
module mf_mul_systolic_head #(
  parameter int unsigned RadixBits = 4 // bits of a digit, 1..6
) (
  input  logic                 clk_i,
  input  mf_mul_systolic_pkg::source_t source_i,
  input  logic                 inj_i,
  input  logic                 we_m_i,
  input  logic [RadixBits-1:0] a_const_i,
  input  logic [RadixBits-1:0] tab_addr_i,
  input  logic                 wipe_i,
  input  logic [RadixBits-1:0] inject_i,   // digit of the slot that element 0 reads
  input  logic [RadixBits-1:0] pipe_i,     // digit on its way from element 1
  input  logic [RadixBits-1:0] sum_i,      // element 0's sum
  input  logic [RadixBits-1:0] multiple_i, // element 0's multiple
  output logic [RadixBits-1:0] a_o,
  output logic [RadixBits-1:0] q_o,
  output logic                 late_o
);

  typedef logic [RadixBits-1:0] digit_t;

  logic   inj_q, lane_q, stream_q, a_quot_q, quot_q, find_q, a_mu_q, we_q;
  digit_t const_q, addr_q, mu_q;
  always_ff @(posedge clk_i) begin
    inj_q    <= inj_i;
    lane_q   <= source_i.inj_lane;
    stream_q <= source_i.a_stream;
    const_q  <= a_const_i;
    a_quot_q <= source_i.a_quot;
    quot_q   <= source_i.quot;
    find_q   <= source_i.find_mu;
    a_mu_q   <= source_i.a_mu;
    we_q     <= we_m_i;
    addr_q   <= tab_addr_i;
    if (wipe_i)                       mu_q <= '0;
    else if (find_q && &multiple_i)   mu_q <= addr_q;
  end

  assign q_o = quot_q ? sum_i : '0; // ct-ok: a gate

  // ---- h ----
  digit_t h;
  if (RadixBits == 1) begin : gen_no_h
    logic unused_h; // mu = 1: h = 0
    assign unused_h = ^{we_q, mu_q};
    assign h = '0;
  end else begin : gen_h
    localparam int unsigned ProductBits = 2 * RadixBits;
    logic [ProductBits-1:0] product_q, product_d; // entry * mu <= (2^RadixBits - 1)^2
    assign product_d = product_q + ProductBits'(mu_q);
    always_ff @(posedge clk_i) product_q <= we_q ? product_d : '0;
    digit_t unused_second;
    mf_regfile_1w2r #(.WidthBits(RadixBits), .Depth(1 << RadixBits)) u_h (
      .clk_i,
      .wr_en_i     (we_q),
      .wr_addr_i   (addr_q),
      .wr_data_i   (product_d[ProductBits-1:RadixBits]),
      .rd_a_addr_i (sum_i),
      .rd_a_data_o (h),
      .rd_b_addr_i (sum_i),
      .rd_b_data_o (unused_second)
    );
  end

  // ---- a ----
  digit_t start; // of a stream
  if (RadixBits == 1) begin : gen_no_late
    logic unused_late; // the table is complete before a stream starts
    assign unused_late = lane_q;
    assign start  = inject_i;
    assign late_o = 1'b0;
  end else begin : gen_late
    logic late, late_q;
    assign late  = lane_q ? &inject_i : &inject_i[RadixBits-1:1];
    // ct-ok: muxes
    assign start = !late ? inject_i : lane_q ? '0 : digit_t'(inject_i[0]);
    always_ff @(posedge clk_i) late_q <= inj_q && stream_q && late;
    assign late_o = late_q;
  end
  always_comb begin
    if (stream_q)                a_o = inj_q ? start : pipe_i;
    else if (quot_q && a_quot_q) a_o = h;
    else if (a_mu_q)             a_o = mu_q;
    else                         a_o = const_q;
  end

endmodule
