// SPDX-License-Identifier: Apache-2.0
// The state of a model that Verilator built with --savable, as bytes.
#ifndef MODFAB_SIM_STATE_H
#define MODFAB_SIM_STATE_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "verilated_save.h"

using Bytes = std::vector<uint8_t>;

// Verilator writes a model's state into it.
class Writer final : public VerilatedSerialize {
 public:
  explicit Writer(Bytes* bytes) : bytes_(bytes) {
    bytes->clear();
    m_isOpen = true;
  }
  void flush() override {
    bytes_->insert(bytes_->end(), m_bufp, m_cp);
    m_cp = m_bufp;
  }

 private:
  Bytes* bytes_;
};

// And reads it back.
class Reader final : public VerilatedDeserialize {
 public:
  explicit Reader(const Bytes* bytes) : bytes_(bytes) {
    m_isOpen = true;
    m_endp = m_bufp;
    fill();
  }
  void fill() override {
    const size_t kept = m_endp - m_cp;
    std::memmove(m_bufp, m_cp, kept);
    const size_t more = std::min(bufferSize() - kept, bytes_->size() - used_);
    std::memcpy(m_bufp + kept, bytes_->data() + used_, more);
    used_ += more;
    m_cp = m_bufp;
    m_endp = m_bufp + kept + more;
  }

 private:
  const Bytes* bytes_;
  size_t used_ = 0;
};

template <class Top>
void save(Top* top, Bytes* state) {
  Writer writer(state);
  writer << *top;
  writer.flush();
}

template <class Top>
void restore(Top* top, const Bytes& state) {
  Reader reader(&state);
  reader >> *top;
}

#endif
