/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver of the core mf_modexp_axil: C99, no allocation, no operating system.
 *
 *   modfab_t core;
 *   if (modfab_open_mmio(&core, (volatile void *)0x43C00000) == MODFAB_OK)
 *     status = modfab_powmod(&core, base, exponent, modulus, result, NULL);
 *
 * Numbers are arrays of 32-bit words, least significant word first. Base, modulus and result have
 * modfab_num_words() words each, the exponent has modfab_exp_words() words. Cores with an engine of
 * run-time width compute with fewer words, in fewer cycles, after modfab_choose_words().
 *
 * A core that is reached in another way than through memory (a simulation, SPI, USB) is opened
 * with modfab_open() and two functions.
 */
#ifndef MODFAB_H
#define MODFAB_H

#include "modfab_bus.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  modfab_bus_t bus;   /* set bus.max_polls and bus.idle after opening when the defaults do not fit */
  uint32_t num_bits;  /* bits of the widest modulus */
  uint32_t exp_bits;  /* bits of the longest exponent */
  uint32_t num_words; /* words that were chosen, 0 for all: change it with modfab_choose_words */
  uint8_t engine;     /* numbers of the catalogue */
  uint8_t sequencer;
  uint8_t lanes;
  uint8_t runtime_words; /* not 0: fewer words may be chosen */
} modfab_t;

typedef struct {
  uint32_t setup_cycles; /* of the set-up that this modulus had, now or earlier */
  uint64_t exp_cycles;
  uint64_t total_cycles;
} modfab_cycles_t;

/*
 * Find a core that is mapped into memory at `registers`, which must be a device mapping aligned to 4.
 * The core is not changed.
 */
modfab_status_t modfab_open_mmio(modfab_t *core, volatile void *registers);

/* Find a core that is reached by the caller's functions. */
modfab_status_t modfab_open(modfab_t *core, modfab_read_t read, modfab_write_t write,
                            modfab_idle_t idle, void *context);

/*
 * Base, modulus and result have `num_words` words from now on, 0 for as many as were built; the next
 * exponentiation needs its modulus. MODFAB_NUM_WORDS, and nothing changes, when the core cannot do
 * that.
 */
modfab_status_t modfab_choose_words(modfab_t *core, uint32_t num_words);

/* Words of base, modulus and result; words of the exponent. */
size_t modfab_num_words(const modfab_t *core);
size_t modfab_exp_words(const modfab_t *core);

/*
 * result = base^exponent mod modulus, waiting until it is there. `modulus` may be NULL: the one of
 * the exponentiation before stays, and needs no new set-up. Only the low `exp_bits` bits of the
 * exponent count, and they alone decide the number of cycles with a constant sequencer. `cycles` may
 * be NULL.
 * After an error `result` is not to be used.
 */
modfab_status_t modfab_powmod_bits(modfab_t *core, const uint32_t *base, const uint32_t *exponent,
                                   uint32_t exp_bits, const uint32_t *modulus, uint32_t *result,
                                   modfab_cycles_t *cycles);

/* The same over all bits of the exponent window. */
modfab_status_t modfab_powmod(modfab_t *core, const uint32_t *base, const uint32_t *exponent,
                              const uint32_t *modulus, uint32_t *result, modfab_cycles_t *cycles);

/*
 * The parts of modfab_powmod_bits, for programs that have something else to do meanwhile: start,
 * wait for the interrupt or poll modfab_busy, fetch the result.
 */
modfab_status_t modfab_start(modfab_t *core, const uint32_t *base, const uint32_t *exponent,
                             uint32_t exp_bits, const uint32_t *modulus);
modfab_status_t modfab_busy(modfab_t *core); /* MODFAB_BUSY or MODFAB_OK, or an error of the bus */
modfab_status_t modfab_result(modfab_t *core, uint32_t *result, modfab_cycles_t *cycles);

/* Let the interrupt output rise when an operation ends (enable != 0); clear its cause. A start with
   bus.idle or bus.expect enables it. */
modfab_status_t modfab_irq_enable(modfab_t *core, int enable);
modfab_status_t modfab_irq_clear(modfab_t *core);

/* End what runs, wipe engine and windows, and wait for the end of the wipe. */
modfab_status_t modfab_zeroize(modfab_t *core);

#ifdef __cplusplus
}
#endif

#endif
