// SPDX-License-Identifier: Apache-2.0
// Counts the toggles of every register in every cycle of an operation, in chosen windows, and adds
// them up over operations. Part of rsa.cpp, which has Core.
#pragma once

struct Watch {
  std::vector<uint64_t> starts;  // cycles after the start of the operation, ascending
  std::vector<uint64_t> ends;
  std::vector<size_t> offsets;   // where a register's bytes are in `before`
  std::vector<uint8_t> before;
  size_t num_points = 0;
  // Of each group: sums over operations by point and register.
  std::vector<std::vector<uint32_t>> sums;
  std::vector<std::vector<uint64_t>> squares;

  static uint32_t count_ones(uint64_t value) {
    return static_cast<uint32_t>(__builtin_popcountll(value));
  }

  // Bits that differ; `old` becomes what is there now.
  static uint32_t toggles(const uint8_t* data, uint8_t* old, size_t bytes) {
    if (std::memcmp(data, old, bytes) == 0) return 0;
    uint32_t count = 0;
    size_t at = 0;
    for (; at + 8 <= bytes; at += 8) {
      uint64_t now, then;
      std::memcpy(&now, data + at, 8);
      std::memcpy(&then, old + at, 8);
      count += count_ones(now ^ then);
    }
    for (; at < bytes; ++at) count += count_ones(static_cast<uint64_t>(data[at] ^ old[at]));
    std::memcpy(old, data, bytes);
    return count;
  }

  void look(const Core& core) {
    for (size_t i = 0; i < core.registers.size(); ++i) {
      std::memcpy(before.data() + offsets[i], core.registers[i].data, core.registers[i].size());
    }
  }

  // What toggled since the last look; added to a group unless that is negative.
  uint32_t compare(const Core& core, int group, size_t point) {
    const size_t num = core.registers.size();
    uint32_t total = 0;
    for (size_t i = 0; i < num; ++i) {
      const Register& found = core.registers[i];
      const uint32_t count = toggles(found.data, before.data() + offsets[i], found.size());
      if (count == 0) continue;
      total += count;
      if (group < 0) continue;
      sums[group][point * num + i] += count;
      squares[group][point * num + i] += static_cast<uint64_t>(count) * count;
    }
    return total;
  }
};

extern "C" {

// Windows are [start, end) in cycles after the start of an operation, ascending, apart.
Watch* mf_watch_open(Core* core, const uint64_t* starts, const uint64_t* ends, uint32_t num_windows,
                     uint32_t num_groups) {
  auto watch = std::make_unique<Watch>();
  watch->starts.assign(starts, starts + num_windows);
  watch->ends.assign(ends, ends + num_windows);
  for (uint32_t i = 0; i < num_windows; ++i) watch->num_points += ends[i] - starts[i];
  size_t bytes = 0;
  for (const Register& found : core->registers) {
    watch->offsets.push_back(bytes);
    bytes += found.size();
  }
  watch->before.resize(bytes);
  const size_t cells = watch->num_points * core->registers.size();
  watch->sums.assign(num_groups, std::vector<uint32_t>(cells));
  watch->squares.assign(num_groups, std::vector<uint64_t>(cells));
  return watch.release();
}

void mf_watch_close(Watch* watch) { delete watch; }

// Runs what was started until done, at most max_cycles; `totals` gets the toggles of each point.
// Returns as mf_go.
uint64_t mf_watch_go(Core* core, Watch* watch, int group, uint64_t max_cycles, uint32_t* totals) {
  bool done = core->top->done_o;
  uint64_t clock = 0;
  size_t window = 0, point = 0;
  for (; clock < max_cycles && !done; ++clock) {
    const bool inside = window < watch->starts.size() && clock >= watch->starts[window];
    if (inside && clock == watch->starts[window]) watch->look(*core);
    core->step();
    done = core->top->done_o;
    if (!inside) continue;
    totals[point] = watch->compare(*core, group, point);
    ++point;
    if (clock + 1 == watch->ends[window]) ++window;
  }
  return clock | static_cast<uint64_t>(done) << 63;
}

const uint32_t* mf_watch_sums(Watch* watch, uint32_t group) { return watch->sums[group].data(); }
const uint64_t* mf_watch_squares(Watch* watch, uint32_t group) {
  return watch->squares[group].data();
}

// Runs what was started; `out` gets the low 64 bits of each of these registers after every cycle.
uint64_t mf_record(Core* core, const uint32_t* indices, uint32_t num, uint64_t max_cycles,
                   uint64_t* out) {
  bool done = core->top->done_o;
  uint64_t clock = 0;
  for (; clock < max_cycles && !done; ++clock) {
    core->step();
    done = core->top->done_o;
    for (uint32_t i = 0; i < num; ++i) {
      const Register& found = core->registers[indices[i]];
      uint64_t value = 0;
      std::memcpy(&value, found.data, std::min<size_t>(8, found.element_bytes));
      *out++ = value;
    }
  }
  return clock | static_cast<uint64_t>(done) << 63;
}

// Gives an element of a register or memory a value, least significant byte first.
void mf_poke(Core* core, uint32_t index, uint32_t element, const uint8_t* bytes) {
  const Register& found = core->registers[index];
  std::memcpy(found.element(element), bytes, found.element_bytes);
  core->top->eval();
}

}  // extern "C"
