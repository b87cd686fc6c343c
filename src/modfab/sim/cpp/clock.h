// SPDX-License-Identifier: Apache-2.0
// The clock of a model whose inputs are settled. Each eval() of Verilator computes what inputs and
// public registers decide before it looks for an edge; with public registers that is all there is
// between registers. An edge needs none of it. The two phases are Verilator's own functions: where
// another version names them otherwise, this does not compile. A build with assertions needs
// eval(), which takes the values that they compare with.
#ifndef MODFAB_SIM_CLOCK_H
#define MODFAB_SIM_CLOCK_H

#include "Vtop.h"
#include "Vtop___024root.h"

// Takes an edge of clk_i. What inputs and flipped registers decide was evaluated before.
inline void edge(Vtop* top, bool level) {
  top->clk_i = level;
  do {
    while (Vtop___024root___eval_phase__act(top->rootp)) {
    }
  } while (Vtop___024root___eval_phase__nba(top->rootp));
}

// Gives an input a value; returns whether it had another one.
template <typename Port, typename Value>
bool put(Port& port, Value value) {
  const bool changes = port != static_cast<Port>(value);
  port = static_cast<Port>(value);
  return changes;
}

#endif
