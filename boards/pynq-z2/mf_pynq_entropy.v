// SPDX-License-Identifier: Apache-2.0
/// Entropy for the RSA core from the processor: a FIFO between AXI4-Lite and AXI-Stream, in plain
/// Verilog for a Vivado block design.
///
/// Source   modfab; attributes as in the Vivado user guide UG994.
/// Model    tests/test_board_pynq_z2.py, FakeEntropy.
/// Latency  a word reaches the stream two cycles after its write.
/// Assumes  an AXI4-Lite manager; words of 32 bits, whole.
/// Ensures  a write at any offset adds a word, one that finds no room is dropped; a read gives the
///          number of words for which there is room; reset drops all words.
module mf_pynq_entropy (
  (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 s_axi_aclk CLK" *)
  (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axi:m_axis, ASSOCIATED_RESET s_axi_aresetn" *)
  input  wire        s_axi_aclk,
  (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 s_axi_aresetn RST" *)
  (* X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)
  input  wire        s_axi_aresetn,

  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi AWADDR" *)
  (* X_INTERFACE_PARAMETER = "XIL_INTERFACENAME s_axi, PROTOCOL AXI4LITE, DATA_WIDTH 32" *)
  input  wire [11:0] s_axi_awaddr,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi AWPROT" *)
  input  wire [2:0]  s_axi_awprot,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi AWVALID" *)
  input  wire        s_axi_awvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi AWREADY" *)
  output wire        s_axi_awready,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi WDATA" *)
  input  wire [31:0] s_axi_wdata,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi WSTRB" *)
  input  wire [3:0]  s_axi_wstrb,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi WVALID" *)
  input  wire        s_axi_wvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi WREADY" *)
  output wire        s_axi_wready,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi BRESP" *)
  output wire [1:0]  s_axi_bresp,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi BVALID" *)
  output reg         s_axi_bvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi BREADY" *)
  input  wire        s_axi_bready,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi ARADDR" *)
  input  wire [11:0] s_axi_araddr,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi ARPROT" *)
  input  wire [2:0]  s_axi_arprot,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi ARVALID" *)
  input  wire        s_axi_arvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi ARREADY" *)
  output wire        s_axi_arready,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi RDATA" *)
  output reg  [31:0] s_axi_rdata,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi RRESP" *)
  output wire [1:0]  s_axi_rresp,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi RVALID" *)
  output reg         s_axi_rvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axi RREADY" *)
  input  wire        s_axi_rready,

  (* X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 m_axis TDATA" *)
  output reg  [31:0] m_axis_tdata,
  (* X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 m_axis TVALID" *)
  output reg         m_axis_tvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 m_axis TREADY" *)
  input  wire        m_axis_tready
);

  wire unused_bits; // the address, the protection level and the strobes make no difference
  assign unused_bits = ^{s_axi_awaddr, s_axi_awprot, s_axi_araddr, s_axi_arprot, s_axi_wstrb};

  reg [31:0] words [0:511];
  reg [9:0]  wr_q, rd_q;
  wire [9:0] level;
  wire       write, read, push, pop;
  assign level = wr_q - rd_q; // at most 512
  assign push  = write && level != 10'd512;
  assign pop   = level != 10'd0 && (!m_axis_tvalid || m_axis_tready);

  assign write         = s_axi_awvalid && s_axi_wvalid && !s_axi_bvalid;
  assign s_axi_awready = write;
  assign s_axi_wready  = write;
  assign s_axi_bresp   = 2'b00;
  assign read          = s_axi_arvalid && !s_axi_rvalid;
  assign s_axi_arready = read;
  assign s_axi_rresp   = 2'b00;

  always @(posedge s_axi_aclk) begin
    if (push) words[wr_q[8:0]] <= s_axi_wdata;
    if (pop) m_axis_tdata <= words[rd_q[8:0]];
    if (push) wr_q <= wr_q + 10'd1;
    if (pop) rd_q <= rd_q + 10'd1;
    if (pop) m_axis_tvalid <= 1'b1;
    else if (m_axis_tready) m_axis_tvalid <= 1'b0;

    if (write) s_axi_bvalid <= 1'b1;
    else if (s_axi_bready) s_axi_bvalid <= 1'b0;
    if (read) s_axi_rdata <= {22'd0, 10'd512 - level};
    if (read) s_axi_rvalid <= 1'b1;
    else if (s_axi_rready) s_axi_rvalid <= 1'b0;

    if (!s_axi_aresetn) begin
      wr_q          <= 10'd0;
      rd_q          <= 10'd0;
      m_axis_tvalid <= 1'b0;
      s_axi_bvalid  <= 1'b0;
      s_axi_rvalid  <= 1'b0;
    end
  end

endmodule
