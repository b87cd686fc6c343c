// SPDX-License-Identifier: Apache-2.0
// Drives a skid buffer cycle by cycle, shows one of its registers, and changes a bit of one.
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

// One cycle with these inputs.
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

uint64_t mf_word(Skid* skid, const char* scope, const char* name) {
  return *static_cast<QData*>(skid->context.scopeFind(scope)->varFind(name)->datap());
}

void mf_flip(Skid* skid, const char* scope, const char* name, int bit) {
  auto* data = static_cast<uint8_t*>(skid->context.scopeFind(scope)->varFind(name)->datap());
  data[bit / 8] = static_cast<uint8_t>(data[bit / 8] ^ 1u << (bit % 8));
  skid->top->eval();
}

}  // extern "C"
