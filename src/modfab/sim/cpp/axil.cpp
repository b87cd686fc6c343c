// SPDX-License-Identifier: Apache-2.0
// Drives an AXI4-Lite core (s_axi_*, irq_o) from C: single reads and writes, waiting for the
// interrupt, and a queue of jobs where the core has one (s_axis_job_*, m_axis_ans_*). The same
// functions serve Python (ctypes) and the C driver's test. Built with public signals it can also
// show and flip every register bit. Built with snapshots it can go back to an earlier state.
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "Vtop.h"
#include "clock.h"
#include "registers.h"
#include "verilated.h"
#ifdef MODFAB_TRACE
#include "verilated_vcd_c.h"
#endif
#ifdef MODFAB_SNAPSHOTS
#include "state.h"
#endif

namespace {

constexpr int kMaxBusCycles = 10000;  // an access that is not answered by then counts as a hang

// The entropy port of a core that has one gives the operating system's random words.
template <class Top, class = void>
struct Entropy {
  bool fresh = false;
  int mode = 0;
  bool before(Top*) { return false; }  // whether an input changes
  void after(Top*) {}
};

template <class Top>
struct Entropy<Top, std::void_t<decltype(std::declval<Top>().s_axis_rnd_tvalid)>> {
  std::random_device source;
  bool fresh = false;
  int mode = 0;  // 0: random words, 1: none, 2: always the same word

  bool before(Top* top) {
    const bool changes = !fresh;
    if (changes) top->s_axis_rnd_tdata = mode == 2 ? 0x5AA5C33Cu : source();
    fresh = true;
    return put(top->s_axis_rnd_tvalid, mode != 1) || changes;
  }
  void after(Top* top) {
    if (top->s_axis_rnd_tready && mode != 1) fresh = false;
  }
};

struct Word {
  uint64_t clock;  // when it was taken
  uint32_t data;
  bool last;
};

// The job queue of a core that has one. Either side can pause at random: a pause is drawn against
// a number of 256ths in every cycle.
struct Queue {
  std::deque<Word> jobs;
  std::vector<Word> taken, answers;
  uint32_t random = 1;  // xorshift, so that a model can draw the same pauses
  uint32_t pause_jobs = 0, pause_answers = 0;
  bool offered = false;  // a word that is offered stays

  bool goes(uint32_t pause) {
    if (pause == 0) return true;
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    return random >> 24 >= pause;
  }
};

template <class Top, class = void>
struct QueueOf : Queue {
  bool before(Top*) { return false; }  // whether an input changes
  void after(Top*, uint64_t) {}
};

template <class Top>
struct QueueOf<Top, std::void_t<decltype(std::declval<Top>().s_axis_job_tvalid)>> : Queue {
  bool before(Top* top) {
    offered = !jobs.empty() && (offered || goes(pause_jobs));
    bool changes = put(top->s_axis_job_tvalid, offered);
    changes |= put(top->s_axis_job_tdata, offered ? jobs.front().data : 0);
    changes |= put(top->s_axis_job_tlast, offered && jobs.front().last);
    changes |= put(top->m_axis_ans_tready, goes(pause_answers));
    return changes;
  }
  void after(Top* top, uint64_t clock) {
    if (offered && top->s_axis_job_tready) {
      taken.push_back({clock, jobs.front().data, jobs.front().last});
      jobs.pop_front();
      offered = false;
    }
    if (top->m_axis_ans_tvalid && top->m_axis_ans_tready)
      answers.push_back({clock, top->m_axis_ans_tdata, top->m_axis_ans_tlast != 0});
  }
};

// The alarm output of a core that has one.
template <class Top, class = void>
struct Alarm {
  static int of(const Top*) { return 0; }
};

template <class Top>
struct Alarm<Top, std::void_t<decltype(std::declval<Top>().alarm_o)>> {
  static int of(const Top* top) { return top->alarm_o; }
};

struct Fault {
  uint64_t clock;  // of the simulation
  Bit at;
};

#ifdef MODFAB_SNAPSHOTS
struct Snapshot {
  Bytes state;
  uint64_t clock;
  Queue queue;
  bool fresh;  // and the mode of the entropy port
  int mode;
};
#endif

struct Core : Registers {
  VerilatedContext context;
  std::unique_ptr<Vtop> top;
#ifdef MODFAB_TRACE
  VerilatedVcdC trace;
#endif
  std::vector<Fault> faults;
  Entropy<Vtop> entropy;
  QueueOf<Vtop> queue;
#ifdef MODFAB_SNAPSHOTS
  std::vector<Snapshot> snapshots;
#endif
  uint64_t clock = 0;

  Core(const char* wave, uint32_t seed) {
    context.randReset(2);  // registers and memories start at random
    context.randSeed(static_cast<int>(seed));
    context.traceEverOn(wave != nullptr);
    top = std::make_unique<Vtop>(&context);
#ifdef MODFAB_TRACE
    top->trace(&trace, 99);
    trace.open(wave);
#endif
    top->clk_i = 0;
    top->s_axi_awvalid = 0;
    top->s_axi_wvalid = 0;
    top->s_axi_bready = 0;
    top->s_axi_arvalid = 0;
    top->s_axi_rready = 0;
    top->rst_i = 1;
    settle();
    step();
    step();
    top->rst_i = 0;
    settle();
    step();
    find_registers(context, [](const std::string& scope, const std::string&) {
      return scope != "TOP";  // ports
    });
  }

  // After a change of an input or a register; a step begins and ends settled.
  void settle() { top->eval(); }

  void flip_now(const Bit& at) {
    flip(at);
    settle();
  }

  void dump(uint64_t time) {
#ifdef MODFAB_TRACE
    top->eval();
    trace.dump(time);
#else
    (void)time;
#endif
  }

  // Offers a write, and takes its answer; the first step comes after settle().
  void offer(uint32_t address, uint32_t data) {
    top->s_axi_awaddr = address;
    top->s_axi_wdata = data;
    top->s_axi_wstrb = 0xF;
    top->s_axi_awvalid = 1;
    top->s_axi_wvalid = 1;
    top->s_axi_bready = 1;
  }

  // One cycle; in waveforms inputs change while clk is low.
  void step() {
    bool changes = entropy.before(top.get());
    changes |= queue.before(top.get());
    if (changes) settle();
    entropy.after(top.get());
    if (!top->rst_i) queue.after(top.get(), clock);
    dump(10 * clock + 3);
    edge(top.get(), true);
    dump(10 * clock + 5);
    edge(top.get(), false);
    dump(10 * clock + 10);
    ++clock;
    for (const Fault& fault : faults) {
      if (fault.clock == clock) flip_now(fault.at);
    }
  }
};

}  // namespace

extern "C" {

// The seed, 1..2^31 - 1, chooses the state before reset.
Core* mf_open(const char* wave, uint32_t seed) { return new Core(wave, seed); }

void mf_close(Core* core) {
  core->top->final();
#ifdef MODFAB_TRACE
  core->trace.close();
#endif
  delete core;
}

// Both return the AXI response (0 okay, 2 slave error), or -1 when the core does not answer.
int mf_write(Core* core, uint32_t address, uint32_t data) {
  Vtop* top = core->top.get();
  core->offer(address, data);
  for (int i = 0; i < kMaxBusCycles; ++i) {
    core->settle();
    const bool address_taken = top->s_axi_awvalid && top->s_axi_awready;
    const bool data_taken = top->s_axi_wvalid && top->s_axi_wready;
    const bool answered = top->s_axi_bvalid;
    const int response = top->s_axi_bresp;
    core->step();
    if (address_taken) top->s_axi_awvalid = 0;
    if (data_taken) top->s_axi_wvalid = 0;
    if (answered) {
      top->s_axi_bready = 0;
      core->settle();
      return response;
    }
  }
  core->settle();
  return -1;
}

// Offers a write for so many cycles, then resets the core for one; whether the write was answered.
int mf_write_then_reset(Core* core, uint32_t address, uint32_t data, uint32_t cycles) {
  Vtop* top = core->top.get();
  bool answered = false;
  core->offer(address, data);
  for (uint32_t i = 0; i < cycles; ++i) {
    core->settle();
    const bool address_taken = top->s_axi_awvalid && top->s_axi_awready;
    const bool data_taken = top->s_axi_wvalid && top->s_axi_wready;
    answered |= top->s_axi_bvalid != 0;
    core->step();
    if (address_taken) top->s_axi_awvalid = 0;
    if (data_taken) top->s_axi_wvalid = 0;
  }
  top->s_axi_awvalid = 0;
  top->s_axi_wvalid = 0;
  top->s_axi_bready = 0;
  top->rst_i = 1;
  core->settle();
  core->step();
  top->rst_i = 0;
  core->settle();
  return answered;
}

int mf_read(Core* core, uint32_t address, uint32_t* data) {
  Vtop* top = core->top.get();
  top->s_axi_araddr = address;
  top->s_axi_arvalid = 1;
  top->s_axi_rready = 1;
  for (int i = 0; i < kMaxBusCycles; ++i) {
    core->settle();
    const bool taken = top->s_axi_arvalid && top->s_axi_arready;
    const bool answered = top->s_axi_rvalid;
    const int response = top->s_axi_rresp;
    *data = top->s_axi_rdata;
    core->step();
    if (taken) top->s_axi_arvalid = 0;
    if (answered) {
      top->s_axi_rready = 0;
      core->settle();
      return response;
    }
  }
  core->settle();
  return -1;
}

// Runs until the interrupt is high, at most max_cycles; returns whether it is.
int mf_wait(Core* core, uint64_t max_cycles) {
  for (uint64_t i = 0; i < max_cycles && !core->top->irq_o; ++i) core->step();
  return core->top->irq_o;
}

int mf_alarm(Core* core) { return Alarm<Vtop>::of(core->top.get()); }

uint64_t mf_clock(Core* core) { return core->clock; }

// ---- a core with a queue of jobs ----
void mf_send(Core* core, const uint32_t* words, uint32_t num_words) {
  for (uint32_t i = 0; i < num_words; ++i)
    core->queue.jobs.push_back({0, words[i], i + 1 == num_words});
}

// Pauses of both sides in 256ths of the cycles, drawn from this seed (not 0) on.
void mf_pauses(Core* core, uint32_t jobs, uint32_t answers, uint32_t seed) {
  core->queue.pause_jobs = jobs;
  core->queue.pause_answers = answers;
  core->queue.random = seed;
}

void mf_starve(Core* core, int mode) { core->entropy.mode = mode; }

// Runs until that many words of answers have come, at most max_cycles; returns how many there are.
uint64_t mf_answers(Core* core, uint64_t num_words, uint64_t max_cycles) {
  for (uint64_t i = 0; i < max_cycles && core->queue.answers.size() < num_words; ++i) core->step();
  return core->queue.answers.size();
}

uint64_t mf_taken(Core* core) { return core->queue.taken.size(); }

void mf_word(Core* core, int answer, uint64_t index, uint64_t* clock, uint32_t* data, int* last) {
  const Word& word = (answer ? core->queue.answers : core->queue.taken)[index];
  *clock = word.clock;
  *data = word.data;
  *last = word.last;
}

// ---- a build with public signals ----
void mf_flip(Core* core, uint32_t index, uint32_t element, uint32_t bit) {
  core->flip_now({index, element, bit});
}

// Flips one bit after so many cycles from now on; what was asked for before is forgotten.
void mf_flip_after(Core* core, uint64_t cycles, uint32_t index, uint32_t element, uint32_t bit) {
  core->faults.assign(1, {core->clock + cycles, {index, element, bit}});
}

#ifdef MODFAB_SNAPSHOTS
// Keeps the state; returns the number of the snapshot.
uint32_t mf_save(Core* core) {
  core->snapshots.push_back({{}, core->clock, core->queue, core->entropy.fresh,
                             core->entropy.mode});
  save(core->top.get(), &core->snapshots.back().state);
  return static_cast<uint32_t>(core->snapshots.size() - 1);
}

// Goes back to a snapshot; no fault is to come any more.
void mf_restore(Core* core, uint32_t number) {
  const Snapshot& found = core->snapshots[number];
  restore(core->top.get(), found.state);
  core->clock = found.clock;
  static_cast<Queue&>(core->queue) = found.queue;
  core->entropy.fresh = found.fresh;
  core->entropy.mode = found.mode;
  core->faults.clear();
}
#endif

}  // extern "C"
