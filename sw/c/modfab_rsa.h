/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver of the RSA core mf_rsa_axil: C99, no allocation, no operating system.
 *
 *   modfab_rsa_t core;
 *   if (modfab_rsa_open_mmio(&core, (volatile void *)0x43C10000) == MODFAB_OK)
 *     status = modfab_rsa_load_key(&core, &key, NULL);
 *   if (status == MODFAB_OK)
 *     status = modfab_rsa_private(&core, message, result, NULL);
 *
 * Numbers are arrays of 32-bit words, least significant word first. Parts of a prime's size have
 * modfab_rsa_prime_words() words; n, e, d, messages and results have modfab_rsa_words() words.
 *
 * A core that was built with public_only takes n and e alone: modfab_rsa_load_public, then
 * modfab_rsa_public. There prime_bits are the bits of n.
 */
#ifndef MODFAB_RSA_H
#define MODFAB_RSA_H

#include "modfab_key.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  modfab_bus_t bus;        /* set bus.max_polls, bus.idle, bus.expect after opening when needed */
  uint32_t prime_bits;     /* bits of the longest prime */
  uint32_t min_prime_bits; /* a prime is above 2^min_prime_bits */
  uint8_t engine;          /* numbers of the catalogue */
  uint8_t sequencer;
  uint8_t blinding;        /* bit 0: messages are blinded, bit 1: exponents */
  uint8_t public_only;     /* 1: no private key, see modfab_rsa_load_public */
  uint8_t contexts;        /* keys that the core keeps, see modfab_rsa_choose */
} modfab_rsa_t;

/* Find a core; the core is not changed. */
modfab_status_t modfab_rsa_open_mmio(modfab_rsa_t *core, volatile void *registers);
modfab_status_t modfab_rsa_open(modfab_rsa_t *core, modfab_read_t read, modfab_write_t write,
                                modfab_idle_t idle, void *context);

size_t modfab_rsa_prime_words(const modfab_rsa_t *core);
size_t modfab_rsa_words(const modfab_rsa_t *core);

/*
 * Write a key and let the core check and prepare it; it stays for many operations. The cycles of
 * that, where `cycles` is not NULL. A load that fails wipes the chosen context; where the core does
 * not come to rest it takes zeroize only, which costs the other contexts their keys, too.
 */
modfab_status_t modfab_rsa_load_key(modfab_rsa_t *core, const modfab_rsa_key_t *key,
                                    uint64_t *cycles);

/*
 * Let a core that was built with keygen make a key, whose private part never leaves it; n has
 * modfab_rsa_words() words, e is MODFAB_RSA_GENERATED_E. On such a core modfab_rsa_load_key needs
 * dp, dq and qi: else MODFAB_KIND. MODFAB_RSA_KEY where a core makes no keys or, which is rare, has
 * found no prime; MODFAB_WRONG where a public operation shows that another n was read. Then, and where
 * n cannot be read, the key is wiped: nobody knows its public half.
 */
#define MODFAB_RSA_GENERATED_E 65537u
modfab_status_t modfab_rsa_generate_key(modfab_rsa_t *core, uint32_t *n, uint64_t *cycles);

/* The same with n and e alone, 2 or more bits of e, on a core that was built with public_only. Each
   of the two functions answers MODFAB_KIND where the core is of the other kind. */
modfab_status_t modfab_rsa_load_public(modfab_rsa_t *core, const uint32_t *n, const uint32_t *e,
                                       uint32_t e_bits, uint64_t *cycles);

/*
 * result = message^d or message^e mod n, checked by the core, waiting until it is there. A private
 * result is also checked by the driver (modfab_rsa_check), which wipes a wrong one. One that cannot
 * be read as a whole is wiped, too. MODFAB_RSA_FAULT when the core shows no result.
 *
 * The check needs the message: MODFAB_OVERLAP, and nothing is done, when a private result shares
 * memory with it. The result of modfab_rsa_public may be its message.
 */
modfab_status_t modfab_rsa_private(modfab_rsa_t *core, const uint32_t *message, uint32_t *result,
                                   uint64_t *cycles);
modfab_status_t modfab_rsa_public(modfab_rsa_t *core, const uint32_t *message, uint32_t *result,
                                  uint64_t *cycles);

/*
 * MODFAB_WRONG when result^e mod n, which the core computes from what was read, is not the message:
 * a fault behind the core's own check, or on the bus. A public operation; the result in the core is
 * the message then.
 */
modfab_status_t modfab_rsa_check(modfab_rsa_t *core, const uint32_t *message,
                                 const uint32_t *result);

/* The parts of both operations, for programs that have something else to do meanwhile. */
modfab_status_t modfab_rsa_start(modfab_rsa_t *core, modfab_rsa_operation_t operation,
                                 const uint32_t *message);
modfab_status_t modfab_rsa_busy(modfab_rsa_t *core); /* MODFAB_BUSY, MODFAB_OK, or a bus error */
modfab_status_t modfab_rsa_result(modfab_rsa_t *core, uint32_t *result, uint64_t *cycles);

/* Let the interrupt output rise when an operation ends (enable != 0); clear its cause. A start with
   bus.idle or bus.expect enables it. */
modfab_status_t modfab_rsa_irq_enable(modfab_rsa_t *core, int enable);
modfab_status_t modfab_rsa_irq_clear(modfab_rsa_t *core);

/* Refuse every other key in the chosen context until modfab_rsa_erase, zeroize or reset.
   MODFAB_BUS_ERROR unless STATUS shows the lock. */
modfab_status_t modfab_rsa_lock(modfab_rsa_t *core);

/*
 * Change to a key context, 0 .. contexts - 1: keys are loaded into, used in and locked in the chosen
 * one, 0 after reset and zeroize. One without a key is emptied. The cycles of the change, where
 * `cycles` is not NULL; 0 when it is the chosen one already.
 */
modfab_status_t modfab_rsa_choose(modfab_rsa_t *core, uint32_t context, uint64_t *cycles);

/* Wipe the key of the chosen context, its lock, message and result; the other contexts keep theirs. */
modfab_status_t modfab_rsa_erase(modfab_rsa_t *core);

/* The chosen context, and a bit for each one that has a key. */
modfab_status_t modfab_rsa_contexts(modfab_rsa_t *core, uint32_t *chosen, uint32_t *valid);

/*
 * Let a core without a key compute a known answer and show that its alarm rises; it wipes itself.
 * MODFAB_RSA_TEST when the answer is wrong: the core has shut itself off. MODFAB_BUS_ERROR when it
 * holds a key. Reset starts the same test.
 */
modfab_status_t modfab_rsa_selftest(modfab_rsa_t *core, uint64_t *cycles);

/* Operations that ended with a fault or by the watchdog since reset. */
modfab_status_t modfab_rsa_faults(modfab_rsa_t *core, uint32_t *count);

/* End what runs, wipe all keys, message and result, and wait for the end of the wipe. */
modfab_status_t modfab_rsa_zeroize(modfab_rsa_t *core);

#ifdef __cplusplus
}
#endif

#endif
