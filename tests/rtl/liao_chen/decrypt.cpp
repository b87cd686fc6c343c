// SPDX-License-Identifier: Apache-2.0
// Runs one decryption of mf_liao_chen_rsa at a time and counts its cycles.
#include <cstdint>
#include <memory>

#include "Vtop.h"
#include "verilated.h"

namespace {

struct Core {
  VerilatedContext context;
  std::unique_ptr<Vtop> top;

  explicit Core(uint32_t seed) {
    context.randReset(2);
    context.randSeed(static_cast<int>(seed));
    top = std::make_unique<Vtop>(&context);
    top->clk_i = 0;
    top->start_i = 0;
    top->rst_i = 1;
    clock();
    clock();
    top->rst_i = 0;
  }

  void clock() {
    top->eval();
    top->clk_i = 1;
    top->eval();
    top->clk_i = 0;
    top->eval();
  }
};

// Ports up to 64 bits are integers, wider ones arrays of 32-bit words.
template <typename Port>
void put(Port& port, const uint32_t* words) {
  if constexpr (sizeof(Port) <= 8) {
    uint64_t value = words[0];
    if (sizeof(Port) == 8) value |= uint64_t{words[1]} << 32;
    port = static_cast<Port>(value);
  } else {
    for (size_t word = 0; word < sizeof(Port) / 4; word++) port[word] = words[word];
  }
}

template <typename Port>
void get(const Port& port, uint32_t* words) {
  if constexpr (sizeof(Port) <= 8) {
    words[0] = static_cast<uint32_t>(port);
    if (sizeof(Port) == 8) words[1] = static_cast<uint32_t>(uint64_t{port} >> 32);
  } else {
    for (size_t word = 0; word < sizeof(Port) / 4; word++) words[word] = port[word];
  }
}

}  // namespace

extern "C" {

Core* mf_open(uint32_t seed) { return new Core(seed); }

void mf_close(Core* core) {
  core->top->final();
  delete core;
}

// Cycles from the edge that takes start_i to the one that sees done_o; -1 after `limit` of them.
// Operands are on the wires with start_i alone, and their complements before and after.
int64_t mf_decrypt(Core* core, const uint32_t* p, const uint32_t* q, const uint32_t* d,
                   const uint32_t* y, const uint32_t* noise, int64_t limit, uint32_t* x,
                   uint32_t* error) {
  Vtop* top = core->top.get();
  for (int64_t waited = 0; top->busy_o; waited++) {
    if (waited == limit) return -1;
    core->clock();
  }
  put(top->p_i, p);
  put(top->q_i, q);
  put(top->d_i, d);
  put(top->y_i, y);
  top->start_i = 1;
  core->clock();
  top->start_i = 0;
  put(top->p_i, noise);
  put(top->q_i, noise);
  put(top->d_i, noise);
  put(top->y_i, noise);
  int64_t cycles = 1;
  for (; !top->done_o; cycles++) {
    if (cycles == limit) return -1;
    core->clock();
  }
  get(top->x_o, x);
  *error = top->error_o;
  return cycles;
}

}  // extern "C"
