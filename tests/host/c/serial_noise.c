/* SPDX-License-Identifier: Apache-2.0 */
/* A line that is never silent and one that takes nothing: an access fails, and does not wait for ever. */
#define _GNU_SOURCE /* socketpair */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"
#include "modfab_line.h"
#include "modfab_serial.h"

enum { kLimitS = 60, kWrites = 1 << 16 };

static modfab_serial_t line;

/* Until the other end is closed. */
static void talk(int file) {
  static const char noise[] = "$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9";
  while (send(file, noise, sizeof noise, MSG_NOSIGNAL) > 0) (void)usleep(1000);
  _exit(0);
}

/* Nobody reads at the other end; a descriptor of modfab_line_open does not block. */
static void check_full(void) {
  int pair[2], failed = 0;
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  CHECK(fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0);
  uint8_t bytes[4096] = {0};
  for (int i = 0; i < kWrites && !failed; ++i)
    failed = modfab_line_send(pair[0], bytes, sizeof bytes, 10) != 0;
  CHECK(failed);
  (void)close(pair[0]);
  (void)close(pair[1]);
}

int main(void) {
  int pair[2], status = 1;
  uint32_t value;
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    (void)close(pair[0]);
    talk(pair[1]);
  }
  (void)close(pair[1]);
  (void)alarm(kLimitS); /* who waits for ever is killed */
  line.file = pair[0];
  line.random = -1;
  line.level = UINT32_MAX; /* no entropy is asked for */
  line.reply_ms = 30;
  line.silence_ms = 10;
  CHECK(modfab_serial_read(&line, 0x1000, &value) != 0);
  CHECK(modfab_serial_write(&line, 0x1000, 5) == 0 && modfab_serial_flush(&line) != 0);
  modfab_serial_close(&line);
  check_full();
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  printf("%d failures\n", failures);
  return failures != 0;
}
