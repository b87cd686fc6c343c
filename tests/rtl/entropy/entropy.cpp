// SPDX-License-Identifier: Apache-2.0
// Drives mf_rsa_entropy cycle by cycle, gives it random words for many cycles, and flips registers.
#include <cstdint>
#include <cstring>
#include <memory>

#include "Vtop.h"
#include "verilated.h"
#include "verilated_syms.h"

namespace {

struct Entropy {
  VerilatedContext context;
  std::unique_ptr<Vtop> top;

  explicit Entropy(uint32_t seed) {
    context.randReset(2);
    context.randSeed(static_cast<int>(seed));
    top = std::make_unique<Vtop>(&context);
    top->clk_i = 0;
    top->eval();
  }

  void step(int reset, int wipe, int valid, uint32_t data, int take) {
    top->rst_i = reset;
    top->wipe_i = wipe;
    top->rnd_valid_i = valid;
    top->rnd_data_i = data;
    top->take_i = take;
    top->eval();
    top->clk_i = 1;
    top->eval();
    top->clk_i = 0;
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

// One cycle with these inputs.
void mf_step(Entropy* entropy, int reset, int wipe, int valid, uint32_t data, int take) {
  entropy->step(reset, wipe, valid, data, take);
}

// Cycles with a random word at the port and a word taken in each; those until it failed.
uint64_t mf_random(Entropy* entropy, uint64_t state, uint64_t cycles) {
  for (uint64_t clock = 0; clock < cycles; clock++) {
    if (entropy->top->failed_o) return clock;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    entropy->step(0, 0, 1, static_cast<uint32_t>(state * 0x2545F4914F6CDD1DULL >> 32), 1);
  }
  return cycles;
}

int mf_ready(Entropy* entropy) { return entropy->top->rnd_ready_o; }
int mf_valid(Entropy* entropy) { return entropy->top->valid_o; }
int mf_seeded(Entropy* entropy) { return entropy->top->seeded_o; }
int mf_failed(Entropy* entropy) { return entropy->top->failed_o; }
uint32_t mf_data(Entropy* entropy) { return entropy->top->data_o; }

// Flips one bit of a register, named from the top module on; whether there is one.
int mf_flip(Entropy* entropy, const char* scope_name, const char* name, uint32_t bit) {
  const VerilatedScope* scope = entropy->context.scopeFind(scope_name);
  VerilatedVar* variable = scope ? scope->varFind(name) : nullptr;
  if (!variable) return 0;
  static_cast<uint8_t*>(variable->datap())[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
  entropy->top->eval();
  return 1;
}

}  // extern "C"
