// SPDX-License-Identifier: Apache-2.0
// A whole board (clk_i, button_ni, uart_rx_i, uart_tx_o, led_o) with its serial line on a file
// descriptor: what comes from there goes to the board bit by bit, and back. Built with public
// signals it can also show every register.
#include <poll.h>
#include <unistd.h>

#include <cstdint>
#include <deque>
#include <memory>

#include "Vtop.h"
#include "clock.h"
#include "registers.h"
#include "verilated.h"

namespace {

struct Board : Registers {
  VerilatedContext context;
  std::unique_ptr<Vtop> top;
  double bit_cycles;        // cycles of one bit
  uint64_t clock = 0;
  std::deque<uint8_t> in;   // bytes for the board
  std::deque<uint8_t> out;  // bytes from the board
  int send_bit = -1;        // 0 start, 1..8 data, 9 stop; -1 idle
  double send_end = 0;      // clock at which the bit ends
  int take_bit = -1;
  double take_at = 0;       // clock at which the bit is looked at
  uint8_t taken = 0;
  uint64_t lose = 0;        // bytes until one is lost on the way to the board; 0 for never
  uint64_t lose_out = 0;    // the same from the board
  uint64_t spoil_out = 0;   // bytes from the board until one has a wrong bit; 0 for never
  uint64_t no_stop = 0;     // bytes until one reaches the board without its stop bit; 0 for never
  uint64_t bad_stops = 0;

  Board(double bits, uint32_t seed) : bit_cycles(bits) {
    context.randReset(2);
    context.randSeed(static_cast<int>(seed));
    top = std::make_unique<Vtop>(&context);
    top->clk_i = 0;
    top->button_ni = 1;
    top->uart_rx_i = 1;
    top->eval();
    find_registers(context, [](const std::string& scope, const std::string&) {
      return scope != "TOP";  // ports
    });
  }

  void send() {
    if (send_bit < 0 && !in.empty()) {
      if (lose && --lose == 0) {
        in.pop_front();
        return;
      }
      send_bit = 0;
      send_end = static_cast<double>(clock) + bit_cycles;
      top->uart_rx_i = 0;
    } else if (send_bit >= 0 && static_cast<double>(clock) >= send_end) {
      send_end += bit_cycles;
      ++send_bit;
      if (send_bit <= 8) {
        top->uart_rx_i = in.front() >> (send_bit - 1) & 1;
      } else if (send_bit == 9) {
        top->uart_rx_i = !(no_stop && --no_stop == 0);
        in.pop_front();
      } else {
        top->uart_rx_i = 1;
        send_bit = -1;
      }
    }
  }

  void take() {
    if (take_bit < 0) {
      if (top->uart_tx_o) return;
      take_bit = 0;
      take_at = static_cast<double>(clock) + bit_cycles * 1.5;
    } else if (static_cast<double>(clock) >= take_at) {
      take_at += bit_cycles;
      if (take_bit < 8) {
        taken = static_cast<uint8_t>(taken >> 1 | top->uart_tx_o << 7);
        ++take_bit;
      } else {
        if (!top->uart_tx_o) ++bad_stops;
        if (spoil_out && --spoil_out == 0) taken ^= 4;
        if (!(lose_out && --lose_out == 0)) out.push_back(taken);
        take_bit = -1;
      }
    }
  }

  void step() {
    const auto before = top->uart_rx_i;
    send();
    if (top->uart_rx_i != before) top->eval();
    edge(top.get(), true);
    edge(top.get(), false);
    ++clock;
    if (clock > 1024) take();  // the line is undefined before the reset
  }
};

}  // namespace

extern "C" {

Board* mf_open(double bit_cycles, uint32_t seed) {
  auto* board = new Board(bit_cycles, seed);
  for (int i = 0; i < 2048; ++i) board->step();  // the board's own reset at power-up
  return board;
}

void mf_close(Board* board) {
  board->top->final();
  delete board;
}

// Bytes of both directions by hand.
void mf_put(Board* board, const uint8_t* data, uint32_t count) {
  board->in.insert(board->in.end(), data, data + count);
}

uint32_t mf_get(Board* board, uint8_t* data, uint32_t room) {
  uint32_t count = 0;
  while (count < room && !board->out.empty()) {
    data[count++] = board->out.front();
    board->out.pop_front();
  }
  return count;
}

void mf_run(Board* board, uint64_t cycles) {
  for (uint64_t i = 0; i < cycles; ++i) board->step();
}

// Runs with the line on a file descriptor; returns 0 when its other end is gone for good.
int mf_serve(Board* board, int file, uint64_t cycles) {
  uint8_t data[4096];
  pollfd ready = {file, POLLIN, 0};
  if (poll(&ready, 1, 0) > 0 && (ready.revents & POLLIN)) {
    const ssize_t count = read(file, data, sizeof data);
    if (count > 0) mf_put(board, data, static_cast<uint32_t>(count));
  }
  mf_run(board, cycles);
  const uint32_t count = mf_get(board, data, sizeof data);
  for (uint32_t at = 0; at < count;) {
    const ssize_t done = write(file, data + at, count - at);
    if (done < 0) return 0;
    at += static_cast<uint32_t>(done);
  }
  return 1;
}

// The byte after `count` - 1 others is lost: on the way to the board, or from it.
void mf_lose(Board* board, uint64_t count, int from_board) {
  (from_board ? board->lose_out : board->lose) = count;
}

// The byte from the board after `count` - 1 others has a wrong bit.
void mf_spoil(Board* board, uint64_t count) { board->spoil_out = count; }

// The byte for the board after `count` - 1 others has no stop bit.
void mf_no_stop(Board* board, uint64_t count) { board->no_stop = count; }

// The idle line to the board is low for some cycles.
void mf_spike(Board* board, uint64_t cycles) {
  board->top->uart_rx_i = 0;
  board->top->eval();
  mf_run(board, cycles);
  board->top->uart_rx_i = 1;
  board->top->eval();
}

void mf_button(Board* board, int pressed) {
  board->top->button_ni = !pressed;
  board->top->eval();
}
int mf_leds(Board* board) { return board->top->led_o; }
uint64_t mf_bad_stops(Board* board) { return board->bad_stops; }

}  // extern "C"
