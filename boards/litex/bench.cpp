// SPDX-License-Identifier: Apache-2.0
// Runs soc.v and prints what its console sends, until an end of transmission (4).
// soc LIMIT SEED: so many cycles at the most, random words of this seed. Exit code 1 at the limit.
#include <cstdio>
#include <cstdlib>
#include <random>

#include "Vsoc.h"

namespace {
constexpr unsigned kBitCycles = 16;  // as soc.py sets the baud rate
constexpr int kEnd = 4;

// Receiver of one start bit, eight data bits, one stop bit.
class Console {
 public:
  // One cycle of the line; the character that has come, or -1.
  int step(bool line) {
    if (place_ == 0) {
      if (!line) place_ = 1;
      return -1;
    }
    const unsigned bit = place_ / kBitCycles;
    if (place_++ % kBitCycles != kBitCycles / 2) return -1;
    if (bit > 0 && bit < 9) shift_ = shift_ >> 1 | (line ? 0x80u : 0u);
    if (bit < 9) return -1;
    place_ = 0;
    return static_cast<int>(shift_);
  }

 private:
  unsigned place_ = 0, shift_ = 0;
};
}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "soc LIMIT SEED\n");
    return 2;
  }
  const unsigned long long limit = std::strtoull(argv[1], nullptr, 10);
  std::mt19937 words(static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)));
  VerilatedContext context;
  context.randReset(2);
  context.randSeed(static_cast<int>(std::strtoul(argv[2], nullptr, 10)) + 1);
  Vsoc soc(&context);
  Console console;
  soc.serial_rx = 1;
  soc.rnd_valid = 1;
  soc.rnd_data = words();
  for (unsigned long long cycle = 0; cycle < limit; cycle++) {
    soc.sys_clk = 0;
    soc.eval();
    const bool taken = soc.rnd_ready;
    soc.sys_clk = 1;
    soc.eval();
    if (taken) soc.rnd_data = words();
    const int character = console.step(soc.serial_tx);
    if (character == kEnd) return 0;
    if (character >= 0) std::putchar(character);
  }
  std::fprintf(stderr, "no end after %llu cycles\n", limit);
  return 1;
}
