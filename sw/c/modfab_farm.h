/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver of the farm of RSA cores mf_rsa_farm_axil: C99, no allocation, no operating system.
 *
 *   modfab_farm_t farm;
 *   if (modfab_farm_open_mmio(&farm, (volatile void *)0x43C20000) == MODFAB_OK)
 *     status = modfab_farm_load_key(&farm, &key, NULL);
 *   if (status == MODFAB_OK)
 *     status = modfab_farm_job(&farm, id, MODFAB_RSA_PRIVATE, message, packet);
 *   ... send the packet to s_axis_job, get one from m_axis_ans, in any order and number ...
 *   if (modfab_farm_answer(&farm, packet, num_words, &answer) == MODFAB_OK)
 *     use(answer.id, answer.status, answer.result);
 *
 * The driver makes and reads packets, a DMA engine or a FIFO moves them: TLAST belongs to the last
 * word of each. A packet has modfab_farm_packet_words() words.
 *
 * Numbers are arrays of 32-bit words, least significant word first. Parts of a prime's size have
 * modfab_farm_prime_words() words; e, d, messages and results have modfab_farm_words() words. The
 * driver keeps no copy of them.
 */
#ifndef MODFAB_FARM_H
#define MODFAB_FARM_H

#include "modfab_key.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MODFAB_FARM_POLLS = 1 << 26 /* bus.max_polls after opening */
};

typedef struct {
  modfab_bus_t bus;        /* set bus.max_polls and bus.idle after opening when needed */
  uint32_t prime_bits;     /* bits of the longest prime */
  uint32_t min_prime_bits; /* a prime is above 2^min_prime_bits */
  uint8_t engine;          /* numbers of the catalogue */
  uint8_t sequencer;
  uint8_t cores;
  uint8_t id_bits;         /* bits of a job's id */
} modfab_farm_t;

/* The farm as a whole; the masks have one bit for each core. */
typedef struct {
  int busy;                /* a job, an answer or a program of the key is in it */
  int locked;              /* the key cannot be changed */
  int recovering;          /* a core sets up its key again after a fault */
  int accepting;           /* jobs are taken */
  uint32_t in_service;     /* cores that have a key and run jobs */
  uint32_t out_of_service; /* cores that need the key to be loaded again */
} modfab_farm_state_t;

/* One core. */
typedef struct {
  uint32_t jobs, faults;  /* jobs answered since reset, and those that ended with a fault */
  modfab_status_t status; /* how its last operation ended */
  uint64_t cycles;        /* cycles of that */
} modfab_farm_core_t;

typedef struct {
  uint32_t id;            /* the job's */
  uint32_t core;          /* that ran it */
  modfab_status_t status; /* how it ended */
  const uint32_t *result; /* in the packet; to be used only when status is MODFAB_OK */
} modfab_farm_answer_t;

/* Causes of the interrupt. */
enum {
  MODFAB_FARM_IRQ_DONE = 1, /* the key has been prepared */
  MODFAB_FARM_IRQ_FAULT = 2 /* a job ended with fault, watchdog or key */
};

/* Find a farm; it is not changed. */
modfab_status_t modfab_farm_open_mmio(modfab_farm_t *farm, volatile void *registers);
modfab_status_t modfab_farm_open(modfab_farm_t *farm, modfab_read_t read, modfab_write_t write,
                                 modfab_idle_t idle, void *context);

size_t modfab_farm_prime_words(const modfab_farm_t *farm);
size_t modfab_farm_words(const modfab_farm_t *farm);
size_t modfab_farm_packet_words(const modfab_farm_t *farm); /* of a job and of an answer */

/*
 * Stop taking jobs, wait until those in the farm are answered, write the key to all cores, let them
 * check and prepare it, take jobs. The cycles of that, where `cycles` is not NULL.
 *
 * MODFAB_OK when a core has the key; modfab_farm_state tells which. MODFAB_LOCKED, and nothing
 * changes, when the key is locked; after another error no jobs are taken. MODFAB_TIMEOUT when answers
 * are not received: they stand in the way.
 */
modfab_status_t modfab_farm_load_key(modfab_farm_t *farm, const modfab_rsa_key_t *key,
                                     uint64_t *cycles);

/* The packet of a job. `message` may be `packet + 1`. MODFAB_PACKET when the id is too long. */
modfab_status_t modfab_farm_job(const modfab_farm_t *farm, uint32_t id,
                                modfab_rsa_operation_t operation, const uint32_t *message,
                                uint32_t *packet);

/*
 * What an answer says. MODFAB_PACKET when it is not one of this farm; the caller checks that a job
 * has the id. A private result is not compared with its message, as modfab_rsa_private does: verify
 * the signature, or send the result as a public job and compare.
 */
modfab_status_t modfab_farm_answer(const modfab_farm_t *farm, const uint32_t *packet,
                                   size_t num_words, modfab_farm_answer_t *answer);

modfab_status_t modfab_farm_state(const modfab_farm_t *farm, modfab_farm_state_t *state);
modfab_status_t modfab_farm_core(const modfab_farm_t *farm, uint32_t index,
                                 modfab_farm_core_t *core);

/* Take jobs or let them wait; those in the farm are finished. */
modfab_status_t modfab_farm_accept(const modfab_farm_t *farm, int accept);

/* Faults after which a core stays out of service until the next key; 0 for no limit. A limit below
   the faults that a core has had since its key acts at the next one. */
modfab_status_t modfab_farm_fault_limit(const modfab_farm_t *farm, uint8_t faults);

/* Let the interrupt output rise for these causes only; clear causes; which ones are set. While
   modfab_farm_load_key waits with bus.idle it rises for MODFAB_FARM_IRQ_DONE only. */
modfab_status_t modfab_farm_irq_enable(const modfab_farm_t *farm, uint32_t causes);
modfab_status_t modfab_farm_irq_clear(const modfab_farm_t *farm, uint32_t causes);
modfab_status_t modfab_farm_irq_causes(const modfab_farm_t *farm, uint32_t *causes);

/* Refuse every other key until the farm is zeroized or reset. Waits as modfab_farm_load_key.
   MODFAB_BUS_ERROR unless STATUS shows the lock. */
modfab_status_t modfab_farm_lock(const modfab_farm_t *farm);

/*
 * End what runs, wipe key, messages and results, take no more jobs. Jobs that were begun are answered
 * with MODFAB_RSA_ZEROIZED; MODFAB_TIMEOUT when these answers are not received, the wipe is done then
 * all the same.
 */
modfab_status_t modfab_farm_zeroize(const modfab_farm_t *farm);

#ifdef __cplusplus
}
#endif

#endif
