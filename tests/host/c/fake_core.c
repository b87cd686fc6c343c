/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In the place of a library of `modfab simlib`: an RSA core that computes nothing. Its STATUS is
 * FAKE_STATUS of the environment; it prints the commands that it gets.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generated/mf_rsa_regs.h"

static mf_rsa_t map;

void *mf_open(const char *wave, uint32_t seed);
void mf_close(void *core);
int mf_read(void *core, uint32_t offset, uint32_t *value);
int mf_write(void *core, uint32_t offset, uint32_t value);
int mf_wait(void *core, uint64_t max_cycles);

void *mf_open(const char *wave, uint32_t seed) {
  const char *text = getenv("FAKE_STATUS");
  (void)wave;
  (void)seed;
  map.regs.ID = MF_RSA__REGS__ID__MAGIC_reset;
  map.regs.VERSION = MF_RSA__REGS__VERSION__MAJOR_reset << MF_RSA__REGS__VERSION__MAJOR_bp;
  map.regs.PRIME_BITS = 320;
  map.regs.STATUS = text != NULL ? (uint32_t)strtoul(text, NULL, 0) : 0;
  return &map;
}

void mf_close(void *core) { (void)core; }

int mf_read(void *core, uint32_t offset, uint32_t *value) {
  memcpy(value, (const char *)core + offset, sizeof *value);
  return 0;
}

int mf_write(void *core, uint32_t offset, uint32_t value) {
  (void)core;
  if (offset == offsetof(mf_rsa_t, regs.CTRL)) fprintf(stderr, "CTRL %lx\n", (unsigned long)value);
  return 0;
}

int mf_wait(void *core, uint64_t max_cycles) {
  (void)core;
  (void)max_cycles;
  return 0;
}
