// SPDX-License-Identifier: Apache-2.0
// Drives a sequencer clock by clock; outputs are those before the clock edge.
#include <cstdint>
#include <memory>

#include "Vtop.h"
#include "verilated.h"

namespace {

struct Sequencer {
  VerilatedContext context;
  std::unique_ptr<Vtop> top;
  int valid = 0, done = 0, address = 0;
  uint64_t command = 0;

  explicit Sequencer(uint32_t seed) {
    context.randReset(2);
    context.randSeed(static_cast<int>(seed));
    top = std::make_unique<Vtop>(&context);
    top->clk_i = 0;
    top->eval();
  }
};

}  // namespace

extern "C" {

Sequencer* mf_open(uint32_t seed) { return new Sequencer(seed); }

void mf_close(Sequencer* sequencer) {
  sequencer->top->final();
  delete sequencer;
}

// One clock with these inputs.
void mf_step(Sequencer* sequencer, int reset, int start, int exp_bits, uint32_t data, int ready) {
  Vtop* top = sequencer->top.get();
  top->rst_i = reset;
  top->start_i = start;
  top->exp_bits_i = exp_bits;
  top->exp_data_i = data;
  top->cmd_ready_i = ready;
  top->eval();
  sequencer->valid = top->cmd_valid_o;
  sequencer->done = top->done_o;
  sequencer->address = top->exp_addr_o;
  sequencer->command = top->cmd_o;
  top->clk_i = 1;
  top->eval();
  top->clk_i = 0;
  top->eval();
}

int mf_valid(Sequencer* sequencer) { return sequencer->valid; }
int mf_done(Sequencer* sequencer) { return sequencer->done; }
int mf_address(Sequencer* sequencer) { return sequencer->address; }
uint64_t mf_command(Sequencer* sequencer) { return sequencer->command; }

}  // extern "C"
