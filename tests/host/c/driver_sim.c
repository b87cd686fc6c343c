/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C driver on the simulated core. Reads commands, one in a line, and answers each in a line:
 *   p EXP_BITS BASE EXPONENT MODULUS   one power; MODULUS "-" keeps the last one
 *   s EXP_BITS BASE EXPONENT MODULUS   the same with modfab_start, the interrupt and modfab_result
 *   w NUM_WORDS                        modfab_choose_words
 *   z                                  zeroize
 * Numbers are hexadecimal. Answers: status, result, cycles of set-up, exponentiation, all.
 */
#include "modfab.h"
#include "sim_access.h"

enum { kMaxWords = 128 };

static void answer(modfab_status_t status, const uint32_t *result, size_t num_words,
                   const modfab_cycles_t *cycles) {
  printf("%d ", (int)status);
  print_words(result, num_words);
  printf(" %lu %llu %llu\n", (unsigned long)cycles->setup_cycles,
         (unsigned long long)cycles->exp_cycles, (unsigned long long)cycles->total_cycles);
}

static modfab_status_t with_interrupt(modfab_t *core, Core *simulation, const uint32_t *base,
                                      const uint32_t *exponent, uint32_t exp_bits,
                                      const uint32_t *modulus, uint32_t *result,
                                      modfab_cycles_t *cycles) {
  modfab_status_t status = modfab_irq_enable(core, 1);
  if (status == MODFAB_OK) status = modfab_start(core, base, exponent, exp_bits, modulus);
  if (status != MODFAB_OK) return status;
  /* What is refused meanwhile, and that it changes nothing. */
  if (modfab_busy(core) != MODFAB_BUSY || modfab_result(core, result, NULL) != MODFAB_BUSY ||
      modfab_start(core, base, exponent, exp_bits, modulus) != MODFAB_BUSY)
    return MODFAB_UNKNOWN;
  if (!mf_wait(simulation, 1u << 30)) return MODFAB_TIMEOUT;
  while (modfab_busy(core) == MODFAB_BUSY) continue;
  status = modfab_result(core, result, cycles);
  if (!mf_wait(simulation, 0)) return MODFAB_UNKNOWN; /* high until cleared */
  if (modfab_irq_clear(core) != MODFAB_OK || mf_wait(simulation, 0)) return MODFAB_UNKNOWN;
  return status;
}

int main(void) {
  static char text[3][8 * kMaxWords + 1];
  static uint32_t base[kMaxWords], exponent[kMaxWords], modulus[kMaxWords], result[kMaxWords];
  char command;
  unsigned exp_bits;
  modfab_t core;
  Core *simulation = open_simulation();
  modfab_status_t status = modfab_open(&core, read_register, write_register, run_clock, simulation);
  printf("%d %lu %lu %u %u %u %u\n", (int)status, (unsigned long)core.num_bits,
         (unsigned long)core.exp_bits, core.engine, core.sequencer, core.lanes,
         core.runtime_words);
  while (scanf(" %c", &command) == 1) {
    modfab_cycles_t cycles = {0, 0, 0};
    memset(result, 0, sizeof result);
    if (command == 'z') {
      status = modfab_zeroize(&core);
    } else if (command == 'w') {
      unsigned num_words;
      if (scanf("%u", &num_words) != 1) return 2;
      do status = modfab_choose_words(&core, num_words);
      while (status == MODFAB_BUSY); /* the wipe after reset */
    } else {
      if (scanf("%u %1024s %1024s %1024s", &exp_bits, text[0], text[1], text[2]) != 4) return 2;
      const int keep = strcmp(text[2], "-") == 0;
      if (!parse(text[0], base, modfab_num_words(&core)) ||
          !parse(text[1], exponent, modfab_exp_words(&core)) ||
          (!keep && !parse(text[2], modulus, modfab_num_words(&core))))
        return 2;
      const uint32_t *used = keep ? NULL : modulus;
      if (command == 's')
        status = with_interrupt(&core, simulation, base, exponent, exp_bits, used, result, &cycles);
      else if (exp_bits == core.exp_bits)
        status = modfab_powmod(&core, base, exponent, used, result, &cycles);
      else
        status = modfab_powmod_bits(&core, base, exponent, exp_bits, used, result, &cycles);
    }
    answer(status, result, modfab_num_words(&core), &cycles);
  }
  mf_close(simulation);
  return 0;
}
