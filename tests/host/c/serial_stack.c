/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the driver of a serial line leaves on its stack: it runs on a stack of its own, which is
 * searched for the words that it sent and for those that it received.
 */
#define _GNU_SOURCE /* ucontext, socketpair */
#include <string.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

#include "checks.h"
#include "modfab_serial.h"

enum { kStack = 1 << 18, kWords = 200, kSent = 0xA7, kReceived = 0x5C, kRun = 8 };

static uint8_t stack[kStack];
static ucontext_t outer, inner;
static modfab_serial_t line;

/* Writes a window, then reads it. The bridge answers with its own bytes, no checksum is right. */
static void use_line(void) {
  uint32_t value;
  for (uint32_t i = 0; i < kWords; ++i)
    (void)modfab_serial_write(&line, 0x1000 + 4 * i, kSent * 0x01010101u);
  CHECK(modfab_serial_read(&line, 0x1000, &value) != 0);
}

static void fill_line(int file) {
  uint8_t bytes[4 * kWords];
  memset(bytes, kReceived, sizeof bytes);
  for (int i = 0; i < 8; ++i) CHECK(write(file, bytes, sizeof bytes) == (ssize_t)sizeof bytes);
}

/* Whether so many equal bytes stand on the stack. */
static int found(uint8_t byte) {
  int run = 0;
  for (size_t i = 0; i < sizeof stack && run < kRun; ++i) run = stack[i] == byte ? run + 1 : 0;
  return run == kRun;
}

int main(void) {
  int pair[2], entropy[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && pipe(entropy) == 0);
  line.file = pair[0];
  line.random = entropy[0];
  line.level = UINT32_MAX; /* no entropy is asked for */
  line.reply_ms = line.silence_ms = 1;
  fill_line(pair[1]);
  CHECK(getcontext(&inner) == 0);
  inner.uc_stack.ss_sp = stack;
  inner.uc_stack.ss_size = sizeof stack;
  inner.uc_link = &outer;
  makecontext(&inner, use_line, 0);
  CHECK(swapcontext(&outer, &inner) == 0);
  uint8_t first[16];
  CHECK(read(pair[1], first, sizeof first) == (ssize_t)sizeof first);
  CHECK(first[15] == kSent); /* the words went over the line */
  CHECK(line.transfers > 0 && line.repeats > 0);
  CHECK(!found(kSent));
  CHECK(!found(kReceived));
  printf("%d failures\n", failures);
  return failures != 0;
}
