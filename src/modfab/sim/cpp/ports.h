// SPDX-License-Identifier: Apache-2.0
// Ports that not every RSA core has: for random words, and of a core that keeps several keys.
#ifndef MODFAB_SIM_PORTS_H
#define MODFAB_SIM_PORTS_H

#include <cstdint>

#include "clock.h"

// Offers a word at the entropy port, where the core has one, and settles; whether it takes it.
template <typename Top>
auto offer(Top* top, const uint32_t* word, int) -> decltype(top->rnd_valid_i, bool()) {
  bool changes = put(top->rnd_failed_i, 0);
  changes |= put(top->rnd_valid_i, word != nullptr);
  if (word != nullptr) changes |= put(top->rnd_data_i, *word);
  if (changes) top->eval();
  return word != nullptr && top->rnd_ready_o;
}
template <typename Top>
bool offer(Top*, const uint32_t*, long) {
  return false;
}

// The context to change to.
template <typename Top>
auto aim(Top* top, uint32_t target, int) -> decltype(top->context_i, void()) {
  top->context_i = static_cast<uint8_t>(target);
}
template <typename Top>
void aim(Top*, uint32_t, long) {}

// mf_rsa_pkg::contexts_t: from bit 0 the chosen one, from 2 those with a key, from 6 the locked ones.
template <typename Top>
auto contexts(const Top* top, int) -> decltype(top->contexts_o, uint32_t()) {
  return top->contexts_o;
}
template <typename Top>
uint32_t contexts(const Top*, long) {
  return 0;
}

#endif
