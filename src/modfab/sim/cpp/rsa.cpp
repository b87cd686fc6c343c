// SPDX-License-Identifier: Apache-2.0
// Drives the RSA core without a bus (mf_rsa). Built with public signals it can also flip register
// bits at chosen cycles and show every register and memory word. Built with snapshots it can go
// back to an earlier state.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "Vtop.h"
#include "clock.h"
#include "ports.h"
#include "registers.h"
#include "verilated.h"
#ifdef MODFAB_SNAPSHOTS
#include "state.h"
#endif

namespace {

struct Fault {
  uint64_t clock;  // counted from the start of the operation or of the access
  Bit at;
};

struct Stuck {
  Bit at;
  bool value;
  uint64_t cycles;  // how often it is held yet
};

#ifdef MODFAB_SNAPSHOTS
struct Snapshot {
  Bytes state;
  size_t entropy_used;
};
#endif

struct Core : Registers {
  VerilatedContext context;
  std::unique_ptr<Vtop> top;
  std::vector<uint32_t> entropy;
  size_t entropy_used = 0;
  std::vector<Fault> faults;
  std::vector<Fault> access_faults;  // of the host's next access
  std::vector<Stuck> stuck;
#ifdef MODFAB_SNAPSHOTS
  std::vector<Snapshot> snapshots;
  Bytes now;
#endif

  explicit Core(uint32_t seed) {
    context.randReset(2);  // registers and memories start at random
    context.randSeed(static_cast<int>(seed));
    top = std::make_unique<Vtop>(&context);
    top->clk_i = 0;
    top->zeroize_i = 0;
    top->start_i = 0;
    top->host_we_i = 0;
    top->lock_i = 0;
    aim(top.get(), 0, 0);
    top->fault_limit_i = 0;
    top->rst_i = 1;
    settle();
    step();
    step();
    top->rst_i = 0;
    settle();
    find_registers(context, is_register);
  }

  // After a change of an input or a register; a step begins and ends settled.
  void settle() { top->eval(); }

  void step() {
    const bool any = entropy_used < entropy.size();
    if (offer(top.get(), any ? &entropy[entropy_used] : nullptr, 0)) ++entropy_used;
    edge(top.get(), true);
    edge(top.get(), false);
    if (!stuck.empty()) hold_all();
  }

  // A cycle of the host's access, the first one is 1, and the flips behind it.
  void access_step(uint64_t clock) {
    step();
    for (const Fault& fault : access_faults) {
      if (fault.clock == clock) flip_now(fault.at);
    }
  }

  void pulse(CData& input) {
    input = 1;
    settle();
    step();
    input = 0;
    settle();
  }

  void hold_all() {
    for (Stuck& bit : stuck) {
      set(bit.at, bit.value);
      --bit.cycles;
    }
    settle();
    stuck.erase(std::remove_if(stuck.begin(), stuck.end(),
                               [](const Stuck& bit) { return bit.cycles == 0; }),
                stuck.end());
  }

  // Whether a public signal is a register: in a build for faults all are but the module's ports.
  static bool is_register(const std::string& scope, const std::string& name) {
#ifdef MODFAB_SNAPSHOTS
    return scope != "TOP";
#else
    return name.size() >= 2 && name.substr(name.size() - 2) == "_q";
#endif
  }

  void flip_now(const Bit& at) {
    flip(at);
    settle();
  }
};

}  // namespace

extern "C" {

// The seed, 1..2^31 - 1, chooses the state before reset.
Core* mf_open(uint32_t seed) { return new Core(seed); }

void mf_close(Core* core) {
  core->top->final();
  delete core;
}

// Runs until the core is idle, at most max_cycles; returns the cycles.
uint64_t mf_idle(Core* core, uint64_t max_cycles) {
  uint64_t cycles = 0;
  while (core->top->busy_o && cycles < max_cycles) {
    core->step();
    ++cycles;
  }
  return cycles;
}

void mf_write(Core* core, uint32_t address, uint32_t data) {
  core->top->host_we_i = 1;
  core->top->host_addr_i = address;
  core->top->host_data_i = data;
  core->settle();
  core->access_step(1);
  core->top->host_we_i = 0;
  core->settle();
  core->access_step(2);
  core->access_faults.clear();
}

// Returns whether the core says that the word is good.
int mf_read(Core* core, uint32_t address, uint32_t* data) {
  core->top->host_addr_i = address;
  core->settle();
  for (uint64_t clock = 1; clock <= 3; ++clock) core->access_step(clock);
  core->access_faults.clear();
  *data = core->top->host_data_o;
  return !core->top->host_error_o;
}

void mf_entropy(Core* core, const uint32_t* words, uint32_t num_words) {
  core->entropy.assign(words, words + num_words);
  core->entropy_used = 0;
}

uint32_t mf_entropy_used(Core* core) { return static_cast<uint32_t>(core->entropy_used); }

void mf_fault(Core* core, uint64_t clock, uint32_t index, uint32_t element, uint32_t bit) {
  core->faults.push_back({clock, {index, element, bit}});
}

// One bit has this value after so many cycles from now on, at most until mf_release.
void mf_stick(Core* core, uint32_t index, uint32_t element, uint32_t bit, int value,
              uint64_t cycles) {
  core->stuck.push_back({{index, element, bit}, value != 0, cycles});
}

void mf_release(Core* core) { core->stuck.clear(); }

void mf_flip(Core* core, uint32_t index, uint32_t element, uint32_t bit) {
  core->flip_now({index, element, bit});
}

void mf_step(Core* core, uint32_t cycles) {
  for (uint32_t i = 0; i < cycles; ++i) core->step();
}

void mf_fault_limit(Core* core, uint32_t faults) {
  core->top->fault_limit_i = static_cast<uint8_t>(faults);
  core->settle();
}

void mf_aim(Core* core, uint32_t target) {
  aim(core->top.get(), target, 0);
  core->settle();
  core->step();
}
uint32_t mf_contexts(Core* core) { return contexts(core->top.get(), 0); }

void mf_lock(Core* core) { core->pulse(core->top->lock_i); }

void mf_pulse(Core* core, int zeroize) {
  core->pulse(zeroize ? core->top->zeroize_i : core->top->rst_i);
}

// Starts a program, a key's e given a cycle before (0: the key); its first cycle passes.
void mf_begin(Core* core, uint32_t entry, uint32_t e_bits) {
  core->top->e_bits_i = e_bits;
  core->settle();
  if (entry == 0) core->step();
  core->top->entry_i = entry;
  core->pulse(core->top->start_i);
}

// Runs what was started until done, at most max_cycles more; returns the cycles, with the top bit
// set when it was done.
uint64_t mf_go(Core* core, uint64_t max_cycles) {
  bool done = core->top->done_o;
  uint64_t clock = 0;
  for (; clock < max_cycles && !done; ++clock) {
    core->step();
    done = core->top->done_o;
  }
  return clock | static_cast<uint64_t>(done) << 63;
}

// Starts a program and runs until done, at most max_cycles; returns whether it was done.
int mf_run(Core* core, uint32_t entry, uint32_t e_bits, uint64_t max_cycles) {
  Vtop* top = core->top.get();
  mf_begin(core, entry, e_bits);
  bool done = top->done_o;
  for (uint64_t clock = 0; clock < max_cycles && !done; ++clock) {
    for (const Fault& fault : core->faults) {
      if (fault.clock == clock) core->flip_now(fault.at);
    }
    core->step();
    done = top->done_o;
  }
  core->faults.clear();
  return done;
}

int mf_status(Core* core) { return core->top->status_o; }
int mf_flags(Core* core) {
  return core->top->key_valid_o | core->top->result_valid_o << 1 | core->top->busy_o << 2 |
         core->top->alarm_o << 3;
}
uint64_t mf_cycles(Core* core) { return core->top->cycles_o; }
// Flip one bit behind that cycle of the next mf_write, 1 or 2, or mf_read, 1 to 3.
void mf_flip_in_access(Core* core, uint64_t clock, uint32_t index, uint32_t element,
                       uint32_t bit) {
  core->access_faults.push_back({clock, {index, element, bit}});
}

#ifdef MODFAB_SNAPSHOTS
// Keeps the state; returns the number of the snapshot.
uint32_t mf_save(Core* core) {
  core->snapshots.push_back({{}, core->entropy_used});
  save(core->top.get(), &core->snapshots.back().state);
  return static_cast<uint32_t>(core->snapshots.size() - 1);
}

// Goes back to a snapshot; nothing is held any more.
void mf_restore(Core* core, uint32_t number) {
  const Snapshot& found = core->snapshots[number];
  restore(core->top.get(), found.state);
  core->entropy_used = found.entropy_used;
  core->stuck.clear();
  core->faults.clear();
}

// Whether the state is that of a snapshot, and nothing is held.
int mf_same(Core* core, uint32_t number) {
  const Snapshot& found = core->snapshots[number];
  if (!core->stuck.empty() || core->entropy_used != found.entropy_used) return 0;
  save(core->top.get(), &core->now);
  return core->now == found.state;
}

void mf_forget(Core* core) { core->snapshots.clear(); }
#endif

}  // extern "C"

#ifdef MODFAB_SNAPSHOTS
#include "toggles.h"
#endif
