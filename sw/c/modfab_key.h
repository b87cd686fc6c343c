/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the drivers of the RSA core and of the farm share: a key, and how it gets into a core.
 * Programs include modfab_rsa.h or modfab_farm.h; the functions modfab_key_* are for the drivers.
 */
#ifndef MODFAB_KEY_H
#define MODFAB_KEY_H

#include "modfab_bus.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A key. With dp NULL the core computes dp, dq and qi itself, from p, q and d. */
typedef struct {
  const uint32_t *p, *q;
  const uint32_t *dp, *dq, *qi; /* d mod (p - 1), d mod (q - 1), 1/q mod p */
  const uint32_t *d;            /* may be NULL where dp is not */
  const uint32_t *e;            /* the public exponent */
  uint32_t e_bits;              /* bits of e, 2 or more */
} modfab_rsa_key_t;

typedef enum { MODFAB_RSA_PRIVATE, MODFAB_RSA_PUBLIC } modfab_rsa_operation_t;

/* How the last command ended, and its cycles. */
typedef modfab_status_t (*modfab_key_ending_t)(const modfab_bus_t *bus, uint64_t *cycles);

/* Registers and windows of a core that holds a key, by their offsets, and their fields. */
typedef struct {
  modfab_map_t core;
  uint32_t p, q, dp, dq, qi, e, d;                             /* windows */
  uint32_t e_bits, ctrl, irq_status, irq_enable, cycles_lo, cycles_hi; /* registers */
  uint32_t derive_mask, key_mask, lock_mask, zeroize_mask;     /* commands of CTRL */
  uint32_t error_mask, locked_mask, done_mask;                 /* of STATUS and IRQ_STATUS */
  modfab_key_ending_t ending; /* NULL: as STATUS says */
} modfab_key_map_t;

/* The initial value of a modfab_key_map_t by the names in a generated header. */
#define MODFAB_KEY_MAP(type, NAME, ending_function)                                             \
  {                                                                                             \
    {offsetof(type, regs.ID), NAME##__REGS__ID__MAGIC_reset,                                    \
     offsetof(type, regs.VERSION), NAME##__REGS__VERSION__MAJOR_bm,                             \
     NAME##__REGS__VERSION__MAJOR_reset, offsetof(type, regs.STATUS),                           \
     NAME##__REGS__STATUS__BUSY_bm},                                                            \
    offsetof(type, P), offsetof(type, Q), offsetof(type, DP), offsetof(type, DQ),               \
    offsetof(type, QI), offsetof(type, E), offsetof(type, D), offsetof(type, regs.E_BITS),      \
    offsetof(type, regs.CTRL), offsetof(type, regs.IRQ_STATUS),                                 \
    offsetof(type, regs.IRQ_ENABLE), offsetof(type, regs.CYCLES_LO),                            \
    offsetof(type, regs.CYCLES_HI), NAME##__REGS__CTRL__DERIVE_bm, NAME##__REGS__CTRL__KEY_bm,  \
    NAME##__REGS__CTRL__LOCK_bm, NAME##__REGS__CTRL__ZEROIZE_bm,                                \
    NAME##__REGS__STATUS__ERROR_bm, NAME##__REGS__STATUS__LOCKED_bm,                            \
    NAME##__REGS__IRQ_STATUS__DONE_bm, ending_function                                          \
  }

/* Words of a number of a prime's size, and of the others. */
static inline size_t modfab_key_prime_words(uint32_t prime_bits) {
  return ((size_t)prime_bits + 31) / 32;
}

static inline size_t modfab_key_words(uint32_t prime_bits) {
  return (2 * (size_t)prime_bits + 31) / 32;
}

/* What a core's code for the ending of an operation means. */
modfab_status_t modfab_key_code(uint32_t code);

/* MODFAB_LOCKED where the key cannot be changed, else MODFAB_OK, busy or not. */
modfab_status_t modfab_key_unlocked(const modfab_bus_t *bus, const modfab_key_map_t *map);

/* Lock the key of a core at rest. MODFAB_BUS_ERROR unless STATUS shows the lock: some buses drop
   what the core refuses, and on a serial line the write waits for the read. */
modfab_status_t modfab_key_lock(const modfab_bus_t *bus, const modfab_key_map_t *map);

/* The ending that STATUS tells, and the cycles where `cycles` is not NULL. */
modfab_status_t modfab_key_ending(const modfab_bus_t *bus, const modfab_key_map_t *map,
                                  uint64_t *cycles);

/* The same for a STATUS that was read; the core is not busy. */
modfab_status_t modfab_key_ended(const modfab_bus_t *bus, const modfab_key_map_t *map,
                                 uint32_t value, uint64_t *cycles);

/* Start a command of CTRL on a core at rest. On a bus with `idle` or `expect` its end raises the
   interrupt, and no other cause does. */
modfab_status_t modfab_key_start(const modfab_bus_t *bus, const modfab_key_map_t *map,
                                 uint32_t mask);

/*
 * Tell a bus with `expect` that modfab_bus_wait_status, modfab_key_ended (with cycles, where `counted`
 * is not 0) and a read of `num_words` from `window` follow. Not for a command that sets a key up: its
 * entropy takes several transfers on a serial line.
 */
void modfab_key_expect(const modfab_bus_t *bus, const modfab_key_map_t *map, int counted,
                       uint32_t window, size_t num_words);

/* Ends what began with a wipe for a key, and returns `status`. After a failure it wipes the key by
   the same command of CTRL, or by zeroize where the core is still busy. */
modfab_status_t modfab_key_finish(modfab_status_t status, const modfab_bus_t *bus,
                                  const modfab_key_map_t *map, uint32_t wipe_mask);

/* Wait until the core is at rest, make room by a command of CTRL that wipes, write a key, let the
   core check and prepare it. Where that fails after the wipe, the same command wipes again; zeroize
   does where the core is still busy after bus.max_polls polls, or 2^26 where these are 0. */
modfab_status_t modfab_key_load(const modfab_bus_t *bus, const modfab_key_map_t *map,
                                uint32_t wipe_mask, uint32_t prime_bits,
                                const modfab_rsa_key_t *key, uint64_t *cycles);

/* Wipe what is there, let the core make a key (p, q, e = 65537 and the rest) and prepare it. */
modfab_status_t modfab_key_make(const modfab_bus_t *bus, const modfab_key_map_t *map,
                                uint32_t wipe_mask, uint64_t *cycles);

/* The same as modfab_key_load with n, in the place of p, and e: both have num_words words. */
modfab_status_t modfab_key_load_public(const modfab_bus_t *bus, const modfab_key_map_t *map,
                                       size_t num_words, const uint32_t *n, const uint32_t *e,
                                       uint32_t e_bits, uint64_t *cycles);

/* A command of CTRL, until it is over; it may be one that is accepted while the core is busy. */
modfab_status_t modfab_key_command(const modfab_bus_t *bus, const modfab_key_map_t *map,
                                   uint32_t mask);

/* End what runs, wipe the core, and wait for the end of the wipe. */
modfab_status_t modfab_key_zeroize(const modfab_bus_t *bus, const modfab_key_map_t *map);

#ifdef __cplusplus
}
#endif

#endif
