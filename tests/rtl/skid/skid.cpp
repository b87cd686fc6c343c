// SPDX-License-Identifier: Apache-2.0
// Drives mf_skid_buffer clock by clock, and shows its second place.
#include <cstdint>
#include <memory>

#include "Vtop.h"
#include "verilated.h"
#include "verilated_syms.h"

namespace {

struct Skid {
  VerilatedContext context;
  std::unique_ptr<Vtop> top;

  explicit Skid(uint32_t seed) {
    context.randReset(2);
    context.randSeed(static_cast<int>(seed));
    top = std::make_unique<Vtop>(&context);
    top->clk_i = 0;
    top->eval();
  }
};

}  // namespace

extern "C" {

Skid* mf_open(uint32_t seed) { return new Skid(seed); }

void mf_close(Skid* skid) {
  skid->top->final();
  delete skid;
}

// One clock with these inputs.
void mf_step(Skid* skid, int reset, int in_valid, uint64_t in_data, int out_ready) {
  Vtop* top = skid->top.get();
  top->rst_i = reset;
  top->in_valid_i = in_valid;
  top->in_data_i = in_data;
  top->out_ready_i = out_ready;
  top->eval();
  top->clk_i = 1;
  top->eval();
  top->clk_i = 0;
  top->eval();
}

int mf_in_ready(Skid* skid) { return skid->top->in_ready_o; }
int mf_out_valid(Skid* skid) { return skid->top->out_valid_o; }
uint64_t mf_out_data(Skid* skid) { return skid->top->out_data_o; }

uint64_t mf_spill(Skid* skid) {
  const VerilatedScope* scope = skid->context.scopeFind("TOP.mf_skid_buffer");
  return *static_cast<QData*>(scope->varFind("spill_q")->datap());
}

}  // extern "C"
