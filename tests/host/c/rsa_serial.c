/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C driver over a serial line: opens argv[1], loads a key, does private operations.
 * Reads P Q DP DQ QI E_BITS E, then messages; answers status, result, transfers of each operation.
 * A second argument:
 *   plain   the driver does not say what it is going to read
 *   alarm   a signal comes every two milliseconds
 *   dry     the source of entropy has none
 *   late    a word of the key is written once more, which the core refuses, and 1 is printed
 *   leave   the lock is read back, and a close sends what is kept back: prints the statuses of a
 *           lock and of a key load behind it, of a close, IRQ_ENABLE behind that, and whether a
 *           close tells of a write that the core refuses
 */
#define _DEFAULT_SOURCE /* sigaction, setitimer */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "generated/mf_rsa_regs.h"
#include "modfab_rsa.h"
#include "modfab_serial.h"

enum { kMaxWords = 128 };

static int read_number(uint32_t *words, size_t count) {
  char text[8 * kMaxWords + 2];
  memset(words, 0, count * sizeof words[0]);
  if (scanf(" %1024s", text) != 1) return 0;
  const size_t length = strlen(text);
  for (size_t i = 0; i < length; ++i) {
    const char digit[2] = {text[length - 1 - i], 0};
    words[i / 8] |= (uint32_t)strtoul(digit, NULL, 16) << (4 * (i % 8));
  }
  return 1;
}

static void print_number(const uint32_t *words, size_t count) {
  for (size_t i = count; i != 0; --i) printf("%08lx", (unsigned long)words[i - 1]);
}

static void nothing(int number) { (void)number; }

/* A handler with SA_RESTART, as most programs have: poll returns all the same. */
static int start_alarm(void) {
  static const struct itimerval often = {{0, 2000}, {0, 2000}};
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = nothing;
  action.sa_flags = SA_RESTART;
  return sigaction(SIGALRM, &action, NULL) == 0 && setitimer(ITIMER_REAL, &often, NULL) == 0;
}

static int dry_up(modfab_serial_t *line) {
  (void)close(line->random);
  line->random = open("/dev/null", O_RDONLY);
  return line->random >= 0;
}

static modfab_status_t open_core(modfab_serial_t *line, const char *path, modfab_rsa_t *core) {
  modfab_status_t status = modfab_serial_open(line, path, 3000000);
  line->reply_ms = 5000; /* the line waits for the slowest simulated board; this one is small */
  if (status != MODFAB_OK) return status;
  return modfab_rsa_open(core, modfab_serial_read, modfab_serial_write, modfab_serial_idle, line);
}

/* A lock without a close, then closes behind a write that the core takes and one it refuses. */
static int leave(modfab_serial_t *line, const char *path, modfab_rsa_t *core,
                 const modfab_rsa_key_t *key) {
  static const uint32_t irq_enable = offsetof(mf_rsa_t, regs.IRQ_ENABLE);
  uint32_t enabled = 1;
  const modfab_status_t locked = modfab_rsa_lock(core);
  (void)close(line->file); /* as where the process is killed */
  if (open_core(line, path, core) != MODFAB_OK) return 2;
  const modfab_status_t loaded = modfab_rsa_load_key(core, key, NULL);
  if (modfab_rsa_irq_enable(core, 0) != MODFAB_OK) return 2;
  const int closed = modfab_serial_close(line);
  if (open_core(line, path, core) != MODFAB_OK) return 2;
  if (modfab_serial_read(line, irq_enable, &enabled) != 0) return 2;
  (void)modfab_serial_write(line, (uint32_t)offsetof(mf_rsa_t, P), 1);
  const int refused = modfab_serial_close(line) != 0;
  printf("%d %d %d %lu %d\n", (int)locked, (int)loaded, closed, (unsigned long)enabled, refused);
  return 0;
}

int main(int argc, char **argv) {
  static modfab_serial_t line;
  modfab_rsa_t core;
  static uint32_t parts[6][kMaxWords];
  const char *how = argc == 3 ? argv[2] : "";
  if (argc != 2 && argc != 3) return 2;
  modfab_status_t status = open_core(&line, argv[1], &core);
  printf("%d\n", (int)status);
  if (status != MODFAB_OK) return 1;
  if (strcmp(how, "plain") != 0) core.bus.expect = modfab_serial_expect;
  if (strcmp(how, "alarm") == 0 && !start_alarm()) return 2;
  if (strcmp(how, "dry") == 0 && !dry_up(&line)) return 2;
  const size_t half = modfab_rsa_prime_words(&core), full = modfab_rsa_words(&core);
  unsigned bits = 0;
  for (int i = 0; i < 5; ++i)
    if (!read_number(parts[i], half)) return 2;
  if (scanf("%u", &bits) != 1 || !read_number(parts[5], full)) return 2;
  modfab_rsa_key_t key;
  memset(&key, 0, sizeof key);
  key.p = parts[0];
  key.q = parts[1];
  key.dp = parts[2];
  key.dq = parts[3];
  key.qi = parts[4];
  key.e = parts[5];
  key.e_bits = bits;
  status = modfab_rsa_load_key(&core, &key, NULL);
  printf("%d\n", (int)status);
  if (status == MODFAB_OK && strcmp(how, "late") == 0) {
    const int taken = modfab_serial_write(&line, (uint32_t)offsetof(mf_rsa_t, P), 1);
    printf("%d\n", taken == 0 && modfab_serial_flush(&line) != 0);
  }
  if (status == MODFAB_OK && strcmp(how, "leave") == 0) return leave(&line, argv[1], &core, &key);
  uint32_t message[kMaxWords], result[kMaxWords] = {0};
  while (status == MODFAB_OK && read_number(message, full)) {
    const uint32_t before = line.transfers;
    uint64_t cycles = 0;
    status = modfab_rsa_private(&core, message, result, &cycles);
    if (status == MODFAB_OK && cycles == 0) return 2;
    printf("%d ", (int)status);
    print_number(result, full);
    printf(" %lu %lu\n", (unsigned long)(line.transfers - before), (unsigned long)line.repeats);
  }
  (void)modfab_rsa_zeroize(&core);
  (void)modfab_serial_flush(&line);
  modfab_serial_close(&line);
  return 0;
}
