// SPDX-License-Identifier: Apache-2.0
// The registers and memories of a model, by name, and their bits; without public signals there are
// none. What drives the model has `Registers` as its first base: the calls at the end get it.
#ifndef MODFAB_SIM_REGISTERS_H
#define MODFAB_SIM_REGISTERS_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "verilated.h"
#ifdef MODFAB_PUBLIC
#include "verilated_syms.h"
#endif

struct Register {
  std::string name;
  uint8_t* data;
  uint32_t elements;
  uint32_t element_bytes;
  uint32_t element_bits;

  size_t size() const { return static_cast<size_t>(elements) * element_bytes; }
  uint8_t* element(uint32_t number) const {
    return data + static_cast<size_t>(number) * element_bytes;
  }
};

struct Bit {
  uint32_t index;  // of the register
  uint32_t element;
  uint32_t bit;
};

class Registers {
 public:
  std::vector<Register> registers;

  // All for which keep(scope, name) is true.
  template <class Keep>
  void find_registers(VerilatedContext& context, Keep keep) {
#ifdef MODFAB_PUBLIC
    for (const auto& [scope_name, scope] : *context.scopeNameMap()) {
      if (scope->varsp() == nullptr) continue;
      for (const auto& [name, var] : *scope->varsp()) {
        const std::string in = scope_name, text = name;
        if (!keep(in, text)) continue;
        const uint32_t bytes = static_cast<uint32_t>(var.entSize());
        registers.push_back({in + "." + text, static_cast<uint8_t*>(var.datap()),
                             static_cast<uint32_t>(var.totalSize()) / bytes, bytes,
                             static_cast<uint32_t>(var.entBits())});
      }
    }
#else
    (void)context;
    (void)keep;
#endif
  }

  void flip(const Bit& at) { byte_of(at) ^= mask_of(at); }

  void set(const Bit& at, bool value) {
    uint8_t& byte = byte_of(at);
    byte = static_cast<uint8_t>(value ? byte | mask_of(at) : byte & ~mask_of(at));
  }

 private:
  uint8_t& byte_of(const Bit& at) {
    return registers[at.index].element(at.element)[at.bit / 8];
  }
  static uint8_t mask_of(const Bit& at) { return static_cast<uint8_t>(1u << (at.bit % 8)); }
};

extern "C" {

uint32_t mf_num_registers(Registers* core) { return static_cast<uint32_t>(core->registers.size()); }

void mf_register(Registers* core, uint32_t index, const char** name, uint32_t* elements,
                 uint32_t* element_bits) {
  const Register& found = core->registers[index];
  *name = found.name.c_str();
  *elements = found.elements;
  *element_bits = found.element_bits;
}

// One element, least significant byte first; out has room for it.
void mf_element(Registers* core, uint32_t index, uint32_t element, uint8_t* out) {
  const Register& found = core->registers[index];
  std::memcpy(out, found.element(element), found.element_bytes);
}

// Whether every bit of a register or memory is zero.
int mf_is_zero(Registers* core, uint32_t index) {
  const Register& found = core->registers[index];
  return std::all_of(found.data, found.data + found.size(),
                     [](uint8_t byte) { return byte == 0; });
}

}  // extern "C"

#endif
