/* SPDX-License-Identifier: Apache-2.0 */
/* A line on which something else talks all the time: an access fails, and does not wait for silence. */
#define _GNU_SOURCE /* socketpair */
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"
#include "modfab_serial.h"

enum { kLimitS = 60 };

static modfab_serial_t line;

/* Until the other end is closed. */
static void talk(int file) {
  static const char noise[] = "$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9";
  while (send(file, noise, sizeof noise, MSG_NOSIGNAL) > 0) (void)usleep(1000);
  _exit(0);
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
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  printf("%d failures\n", failures);
  return failures != 0;
}
