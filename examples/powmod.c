/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One modular exponentiation with the C driver, on the simulated core. On a board, modfab_open_mmio
 * takes the place of the four functions of the simulation; the rest stays.
 *
 *   ./modfab python examples/compile_c.py examples/powmod.c powmod && ./powmod
 */
#include <inttypes.h>
#include <stdio.h>

#include "modfab.h"

/* What the library of a simulated core offers: a bus, and time that passes. */
typedef struct Core Core;
Core *mf_open(const char *wave, uint32_t seed);
void mf_close(Core *core);
int mf_write(Core *core, uint32_t address, uint32_t data);
int mf_read(Core *core, uint32_t address, uint32_t *data);
int mf_wait(Core *core, uint64_t max_cycles);

static int read_register(void *context, uint32_t offset, uint32_t *value) {
  return mf_read((Core *)context, offset, value);
}

static int write_register(void *context, uint32_t offset, uint32_t value) {
  return mf_write((Core *)context, offset, value);
}

static void run_cycles(void *context) { (void)mf_wait((Core *)context, 1000); }

int main(void) {
  /* 12^65537 mod 197, as numbers of 64 bits: two words, the low one first. */
  const uint32_t base[2] = {12, 0}, exponent[2] = {65537, 0}, modulus[2] = {197, 0};
  uint32_t result[2] = {0, 0};
  modfab_cycles_t cycles;
  modfab_t core;
  Core *simulation = mf_open(NULL, 1);
  modfab_status_t status =
      modfab_open(&core, read_register, write_register, run_cycles, simulation);
  if (status == MODFAB_OK) status = modfab_powmod(&core, base, exponent, modulus, result, &cycles);
  if (status != MODFAB_OK) {
    fprintf(stderr, "the core says: %s\n", modfab_message(status));
    mf_close(simulation);
    return 1;
  }
  printf("12^65537 mod 197 = %" PRIu32 " in %" PRIu64 " cycles\n", result[0], cycles.exp_cycles);
  (void)modfab_zeroize(&core);
  mf_close(simulation);
  return 0;
}
