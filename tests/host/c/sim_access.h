/* SPDX-License-Identifier: Apache-2.0 */
/* A driver's callbacks on the simulated core (modfab/sim/cpp/axil.cpp), and hexadecimal numbers. */
#ifndef SIM_ACCESS_H
#define SIM_ACCESS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Core Core;
Core *mf_open(const char *wave, uint32_t seed);
void mf_close(Core *core);
int mf_write(Core *core, uint32_t address, uint32_t data);
int mf_read(Core *core, uint32_t address, uint32_t *data);
int mf_wait(Core *core, uint64_t max_cycles);

/* The simulated core, its registers before reset chosen by the test suite's printed seed. */
static Core *open_simulation(void) {
  const char *text = getenv("MODFAB_SEED");
  unsigned long seed = text != NULL ? strtoul(text, NULL, 10) : 0;
  return mf_open(NULL, 1 + (uint32_t)(seed % 0x7FFFFFFFu));
}

static int read_register(void *context, uint32_t offset, uint32_t *value) {
  return mf_read((Core *)context, offset, value);
}

static int write_register(void *context, uint32_t offset, uint32_t value) {
  return mf_write((Core *)context, offset, value);
}

static void run_clock(void *context) { (void)mf_wait((Core *)context, 1000); }

static int parse(const char *text, uint32_t *words, size_t num_words) {
  size_t digits = strlen(text);
  memset(words, 0, 4 * num_words);
  if (digits > 8 * num_words) return 0;
  for (size_t i = 0; i < digits; ++i) {
    unsigned digit;
    if (sscanf((char[]){text[digits - 1 - i], 0}, "%x", &digit) != 1) return 0;
    words[i / 8] |= (uint32_t)digit << (4 * (i % 8));
  }
  return 1;
}

static void print_words(const uint32_t *words, size_t num_words) {
  for (size_t i = num_words; i-- > 0;) printf("%08lx", (unsigned long)words[i]);
}

#endif
