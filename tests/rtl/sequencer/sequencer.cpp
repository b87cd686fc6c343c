// SPDX-License-Identifier: Apache-2.0
// Drives a sequencer cycle by cycle; outputs are those before the clock edge. Built with public
// signals it also shows every register.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "Vtop.h"
#include "verilated.h"
#ifdef MODFAB_PUBLIC
#include "verilated_syms.h"
#endif

namespace {

#ifdef MODFAB_PUBLIC
using NamedVar = std::pair<std::string, VerilatedVar*>;
#endif

struct Sequencer {
  VerilatedContext context;
  std::unique_ptr<Vtop> top;
  int valid = 0, done = 0, address = 0;
  uint64_t command = 0;
#ifdef MODFAB_PUBLIC
  std::vector<NamedVar> registers;  // that are watched
#endif

  explicit Sequencer(uint32_t seed) {
    context.randReset(2);
    context.randSeed(static_cast<int>(seed));
    top = std::make_unique<Vtop>(&context);
    top->clk_i = 0;
    top->eval();
  }
};

#ifdef MODFAB_PUBLIC
// The registers of scopes whose name has `within`, but for those called `hidden`.
std::vector<NamedVar> registers_of(Sequencer* sequencer, const char* within, const char* hidden) {
  std::vector<NamedVar> registers;
  for (const auto& [scope_name, scope] : *sequencer->context.scopeNameMap()) {
    const bool inside = std::string(scope_name).find(within) != std::string::npos;
    if (scope->varsp() == nullptr || !inside) continue;
    for (auto& [name, var] : *scope->varsp()) {
      const std::string text = name;
      if (text.size() < 2 || text.substr(text.size() - 2) != "_q" || text == hidden) continue;
      registers.push_back({std::string(scope_name) + "." + text, &var});
    }
  }
  std::sort(registers.begin(), registers.end());
  return registers;
}
#endif

}  // namespace

extern "C" {

Sequencer* mf_open(uint32_t seed) { return new Sequencer(seed); }

void mf_close(Sequencer* sequencer) {
  sequencer->top->final();
  delete sequencer;
}

// One cycle with these inputs.
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
  top->clk_i = 0;  // the falling edge is evaluated with the next inputs
}

int mf_valid(Sequencer* sequencer) { return sequencer->valid; }
int mf_done(Sequencer* sequencer) { return sequencer->done; }
int mf_address(Sequencer* sequencer) { return sequencer->address; }
uint64_t mf_command(Sequencer* sequencer) { return sequencer->command; }

#ifdef MODFAB_PUBLIC
// One exponentiation over an engine that takes a product every `period` cycles and computes nothing.
// After each cycle `out` gets the bits of every register in a scope whose name has `within`, but of
// those called `hidden`, a byte a bit; both names are those of the first call.
// Returns the bits of a cycle; `cycles` becomes the number of cycles until done, at most the one it
// has.
int mf_watch(Sequencer* sequencer, const uint32_t* memory, int exp_bits, int period,
             const char* within, const char* hidden, uint8_t* out, int* cycles) {
  auto& registers = sequencer->registers;
  if (registers.empty()) registers = registers_of(sequencer, within, hidden);
  uint32_t word = 0, next_word = 0;
  int bits = 0, wait = 0, clock = 0;
  mf_step(sequencer, 1, 0, 0, 0, 0);
  for (bool done = false; clock < *cycles && !done; ++clock) {
    mf_step(sequencer, 0, clock == 0, exp_bits, word, wait == 0);
    if (sequencer->valid && wait == 0) wait = period;
    wait -= wait > 0;
    word = next_word;
    next_word = memory[sequencer->address];
    done = sequencer->done;
    bits = 0;
    for (const auto& [name, var] : registers) {
      const uint8_t* data = static_cast<const uint8_t*>(var->datap());
      for (uint32_t bit = 0; bit < var->entBits(); ++bit, ++bits)
        *out++ = data[bit / 8] >> (bit % 8) & 1;
    }
  }
  *cycles = clock;
  return bits;
}
#endif

}  // extern "C"
