// SPDX-License-Identifier: Apache-2.0
// Drives an AXI4-Lite core (s_axi_*, irq_o) from C: single reads and writes, and waiting for the
// interrupt. The same functions serve Python (ctypes) and the C driver's test.
#include <cstdint>
#include <memory>
#include <random>
#include <type_traits>

#include "Vtop.h"
#include "verilated.h"
#ifdef MODFAB_TRACE
#include "verilated_vcd_c.h"
#endif

namespace {

constexpr int kMaxBusClocks = 10000;  // an access that is not answered by then counts as a hang

// The entropy port of a core that has one gives the operating system's random words.
template <class Top, class = void>
struct Entropy {
  void before(Top*) {}
  void after(Top*) {}
};

template <class Top>
struct Entropy<Top, std::void_t<decltype(std::declval<Top>().s_axis_rnd_tvalid)>> {
  std::random_device source;
  bool fresh = false;

  void before(Top* top) {
    if (!fresh) top->s_axis_rnd_tdata = source();
    fresh = true;
    top->s_axis_rnd_tvalid = 1;
  }
  void after(Top* top) {
    if (top->s_axis_rnd_tready) fresh = false;
  }
};

struct Core {
  VerilatedContext context;
  std::unique_ptr<Vtop> top;
#ifdef MODFAB_TRACE
  VerilatedVcdC trace;
#endif
  Entropy<Vtop> entropy;
  uint64_t clock = 0;

  explicit Core(const char* wave) {
    context.randReset(2);
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
    step();
    step();
    top->rst_i = 0;
    step();
  }

  void dump(uint64_t time) {
#ifdef MODFAB_TRACE
    trace.dump(time);
#else
    (void)time;
#endif
  }

  void step() {  // one clock; in waveforms inputs change while clk is low
    entropy.before(top.get());
    top->eval();
    entropy.after(top.get());
    dump(10 * clock + 3);
    top->clk_i = 1;
    top->eval();
    dump(10 * clock + 5);
    top->clk_i = 0;
    top->eval();
    dump(10 * clock + 10);
    ++clock;
  }
};

}  // namespace

extern "C" {

Core* mf_open(const char* wave) { return new Core(wave); }

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
  top->s_axi_awaddr = address;
  top->s_axi_wdata = data;
  top->s_axi_wstrb = 0xF;
  top->s_axi_awvalid = 1;
  top->s_axi_wvalid = 1;
  top->s_axi_bready = 1;
  for (int i = 0; i < kMaxBusClocks; ++i) {
    top->eval();
    const bool address_taken = top->s_axi_awvalid && top->s_axi_awready;
    const bool data_taken = top->s_axi_wvalid && top->s_axi_wready;
    const bool answered = top->s_axi_bvalid;
    const int response = top->s_axi_bresp;
    core->step();
    if (address_taken) top->s_axi_awvalid = 0;
    if (data_taken) top->s_axi_wvalid = 0;
    if (answered) {
      top->s_axi_bready = 0;
      return response;
    }
  }
  return -1;
}

int mf_read(Core* core, uint32_t address, uint32_t* data) {
  Vtop* top = core->top.get();
  top->s_axi_araddr = address;
  top->s_axi_arvalid = 1;
  top->s_axi_rready = 1;
  for (int i = 0; i < kMaxBusClocks; ++i) {
    top->eval();
    const bool taken = top->s_axi_arvalid && top->s_axi_arready;
    const bool answered = top->s_axi_rvalid;
    const int response = top->s_axi_rresp;
    *data = top->s_axi_rdata;
    core->step();
    if (taken) top->s_axi_arvalid = 0;
    if (answered) {
      top->s_axi_rready = 0;
      return response;
    }
  }
  return -1;
}

// Runs until the interrupt is high, at most max_clocks; returns whether it is.
int mf_wait(Core* core, uint64_t max_clocks) {
  core->top->eval();
  for (uint64_t i = 0; i < max_clocks && !core->top->irq_o; ++i) core->step();
  return core->top->irq_o;
}

uint64_t mf_clock(Core* core) { return core->clock; }

}  // extern "C"
