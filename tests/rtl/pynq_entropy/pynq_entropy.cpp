// SPDX-License-Identifier: Apache-2.0
// Drives mf_pynq_entropy of boards/pynq-z2 cycle by cycle.
#include <cstdint>
#include <memory>

#include "Vtop.h"
#include "verilated.h"

namespace {

struct Entropy {
  VerilatedContext context;
  std::unique_ptr<Vtop> top;

  explicit Entropy(uint32_t seed) {
    context.randReset(2);
    context.randSeed(static_cast<int>(seed));
    top = std::make_unique<Vtop>(&context);
    top->s_axi_aclk = 0;
    top->eval();
  }
};

}  // namespace

extern "C" {

Entropy* mf_open(uint32_t seed) { return new Entropy(seed); }

void mf_close(Entropy* entropy) {
  entropy->top->final();
  delete entropy;
}

// Inputs of the next cycle; the ready signals that answer them, bit 0 of a write, bit 1 of a read.
int mf_set(Entropy* entropy, int reset_n, int write, uint32_t data, int b_ready, int read,
           int r_ready, int t_ready) {
  Vtop* top = entropy->top.get();
  top->s_axi_aresetn = reset_n;
  top->s_axi_awvalid = top->s_axi_wvalid = write;
  top->s_axi_wdata = data;
  top->s_axi_wstrb = 15;
  top->s_axi_bready = b_ready;
  top->s_axi_arvalid = read;
  top->s_axi_rready = r_ready;
  top->m_axis_tready = t_ready;
  top->eval();
  return (top->s_axi_awready & top->s_axi_wready) | top->s_axi_arready << 1;
}

void mf_clock(Entropy* entropy) {
  entropy->top->s_axi_aclk = 1;
  entropy->top->eval();
  entropy->top->s_axi_aclk = 0;
  entropy->top->eval();
}

int mf_b_valid(Entropy* entropy) { return entropy->top->s_axi_bvalid; }
int mf_r_valid(Entropy* entropy) { return entropy->top->s_axi_rvalid; }
uint32_t mf_r_data(Entropy* entropy) { return entropy->top->s_axi_rdata; }
int mf_t_valid(Entropy* entropy) { return entropy->top->m_axis_tvalid; }
uint32_t mf_t_data(Entropy* entropy) { return entropy->top->m_axis_tdata; }

}  // extern "C"
