/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* B3000000, cfmakeraw and flock */
#include "modfab_line.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static int set_line(int file, uint32_t baud) {
  static const struct { uint32_t baud; speed_t speed; } rates[] = {
      {115200, B115200}, {230400, B230400},
#ifdef B3000000
      {460800, B460800}, {921600, B921600}, {1000000, B1000000}, {2000000, B2000000},
      {3000000, B3000000}, {4000000, B4000000},
#endif
  };
  struct termios settings;
  if (tcgetattr(file, &settings) != 0) return -1;
  cfmakeraw(&settings);
  settings.c_cflag &= ~(tcflag_t)(CSTOPB | CRTSCTS);
  settings.c_cflag |= CLOCAL | CREAD;
  for (size_t i = 0; i < sizeof rates / sizeof rates[0]; ++i)
    if (rates[i].baud == baud)
      return cfsetspeed(&settings, rates[i].speed) != 0 ? -1 : tcsetattr(file, TCSANOW, &settings);
  return -1;
}

int modfab_line_open(const char *path, uint32_t baud) {
  const int file = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  /* One program has the line: transfers of two mix. The lock ends with the descriptor. */
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0 && set_line(file, baud) == 0) return file;
  if (file >= 0) (void)close(file);
  return -1;
}

int64_t modfab_line_now_ms(void) {
  struct timespec now = {0, 0};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Whether the line is ready within so long; signals do not end the wait. */
static int wait_for(int file, short events, int timeout_ms) {
  struct pollfd ready = {file, events, 0};
  const int64_t end = modfab_line_now_ms() + timeout_ms;
  int found = poll(&ready, 1, timeout_ms);
  while (found < 0 && errno == EINTR) {
    const int64_t left = end - modfab_line_now_ms();
    found = poll(&ready, 1, left > 0 ? (int)left : 0);
  }
  return found > 0;
}

static int may_repeat(void) {
  return errno == EINTR || errno == EAGAIN;
}

int modfab_line_send(int file, const uint8_t *data, size_t count, int timeout_ms) {
  while (count != 0) {
    if (!wait_for(file, POLLOUT, timeout_ms)) return -1;
    const ssize_t done = write(file, data, count);
    if (done < 0 && may_repeat()) continue;
    if (done <= 0) return -1;
    data += done;
    count -= (size_t)done;
  }
  return 0;
}

size_t modfab_line_receive(int file, uint8_t *data, size_t count, int timeout_ms) {
  size_t found = 0;
  while (found < count) {
    if (!wait_for(file, POLLIN, timeout_ms)) break;
    const ssize_t done = read(file, data + found, count - found);
    if (done < 0 && may_repeat()) continue;
    if (done <= 0) break;
    found += (size_t)done;
  }
  return found;
}
