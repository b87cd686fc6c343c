// SPDX-License-Identifier: Apache-2.0
// Drives one engine through the ports of its contract (rtl/mul/README.md). A program is a list of
// commands that are offered back to back; the clock of every transfer is recorded.
#include <cstdint>
#include <memory>
#include <random>

#include "Vtop.h"
#include "verilated.h"
#ifdef MODFAB_TRACE
#include "verilated_vcd_c.h"
#endif

namespace {

struct Engine {
  VerilatedContext context;
  std::unique_ptr<Vtop> top;
#ifdef MODFAB_TRACE
  VerilatedVcdC trace;
#endif
  uint64_t clock = 0;

  Engine(const char* wave, uint32_t seed) {
    context.randReset(2);  // registers and memories start at random
    context.randSeed(static_cast<int>(seed));
    context.traceEverOn(wave != nullptr);
    context.fatalOnError(false);  // a broken assertion is printed, and mf_broken says so
    top = std::make_unique<Vtop>(&context);
#ifdef MODFAB_TRACE
    top->trace(&trace, 99);
    trace.open(wave);
#endif
    top->clk_i = 0;
    top->zeroize_i = 0;
    idle();
    reset();
  }

  void idle() {
    top->cmd_valid_i = 0;
    top->in_valid_i = 0;
    top->out_ready_i = 0;
  }

  void dump(uint64_t time) {
#ifdef MODFAB_TRACE
    top->eval();
    trace.dump(time);
#else
    (void)time;
#endif
  }

  // Inputs are set and settled; take the rising edge. In waveforms inputs change while clk is low.
  // The falling edge changes nothing: it is evaluated when the next inputs settle.
  void edge() {
    dump(10 * clock + 3);
    top->clk_i = 1;
    top->eval();
    dump(10 * clock + 5);
    top->clk_i = 0;
    dump(10 * clock + 10);
    ++clock;
  }

  void settle() { top->eval(); }

  // Broken assertions are counted in this context, not in one that was made later or is gone.
  void speak() { Verilated::threadContextp(&context); }

  void reset() {
    top->rst_i = 1;
    settle();
    edge();
    top->rst_i = 0;
    settle();
  }
};

}  // namespace

extern "C" {

// The seed, 1..2^31 - 1, chooses the state before reset.
Engine* mf_open(const char* wave, uint32_t seed) { return new Engine(wave, seed); }

void mf_close(Engine* engine) {
  engine->top->final();
#ifdef MODFAB_TRACE
  engine->trace.close();
#endif
  delete engine;
}

// Runs until every command was accepted, every word moved and the engine is idle, or max_cycles, or
// stop_cycles from the acceptance of command stop_command (-1: none) on, its cycle included.
// accepted[i] is the cycle of command i's transfer, first_word[i] that of the first output word
// after it.
// Returns 0 when all is done, 1 when the cycles ran out, 2 when words came that nobody asked for, 3
// when it was stopped.
int mf_run(Engine* engine, const uint64_t* commands, int num_commands, const uint32_t* in_words,
           int num_in, uint32_t* out_words, int num_out, uint64_t* accepted, uint64_t* first_word,
           uint64_t* end_clock, uint32_t stall_seed, uint64_t max_cycles, int stop_command,
           uint64_t stop_cycles) {
  Vtop* top = engine->top.get();
  engine->speak();
  std::mt19937 random(stall_seed);
  auto open_now = [&]() { return stall_seed == 0 || (random() & 3) == 0; };
  auto stopped = [&](int accepted_now) {
    return stop_command >= 0 && accepted_now > stop_command &&
           engine->clock - accepted[stop_command] >= stop_cycles;
  };
  int command = 0, in = 0, out = 0;
  for (uint64_t spent = 0; spent < max_cycles && !stopped(command); ++spent) {
    // Valid stays until its transfer; ready may come and go.
    top->cmd_valid_i = command < num_commands && (top->cmd_valid_i || open_now());
    top->in_valid_i = in < num_in && (top->in_valid_i || open_now());
    top->out_ready_i = open_now();
    if (command < num_commands) top->cmd_i = commands[command];
    if (in < num_in) top->in_data_i = in_words[in];
    engine->settle();
    if (command == num_commands && in == num_in && out == num_out && !top->busy_o) {
      *end_clock = engine->clock;
      engine->idle();
      engine->settle();
      return 0;
    }
    const bool cmd_fire = top->cmd_valid_i && top->cmd_ready_o;
    const bool in_fire = top->in_valid_i && top->in_ready_o;
    const bool out_fire = top->out_valid_o && top->out_ready_i;
    if (out_fire) {
      if (out == num_out) return 2;  // more words than the program asked for
      if (command > 0 && first_word[command - 1] == 0) first_word[command - 1] = engine->clock;
      out_words[out++] = top->out_data_o;
    }
    if (cmd_fire) accepted[command++] = engine->clock;
    if (in_fire) ++in;
    engine->edge();
    if (cmd_fire) top->cmd_valid_i = 0;
    if (in_fire) top->in_valid_i = 0;
  }
  *end_clock = engine->clock;
  engine->idle();
  engine->settle();
  return stopped(command) ? 3 : 1;
}

// Pulses reset (what = 0) or zeroize (what = 1); returns the cycles until the engine is idle again,
// or max_cycles if it was ready in the pulse: a command taken then is lost.
uint64_t mf_wipe(Engine* engine, int what, uint64_t max_cycles) {
  engine->speak();
  engine->idle();
  engine->top->rst_i = what == 0;
  engine->top->zeroize_i = what == 1;
  engine->settle();
  const bool lost = engine->top->cmd_ready_o;
  engine->edge();
  engine->top->rst_i = 0;
  engine->top->zeroize_i = 0;
  engine->settle();
  uint64_t cycles = 0;
  while (engine->top->busy_o && cycles < max_cycles) {
    engine->settle();
    engine->edge();
    ++cycles;
  }
  return lost ? max_cycles : cycles;
}

int mf_status(Engine* engine) { return engine->top->status_o; }
int mf_busy(Engine* engine) { return engine->top->busy_o; }

// 1 when an assertion was broken; it is forgotten then.
int mf_broken(Engine* engine) {
  const bool broken = engine->context.gotError();
  engine->context.gotError(false);
  engine->context.gotFinish(false);
  return broken;
}

}  // extern "C"
