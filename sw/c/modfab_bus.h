/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the drivers of all modfab cores share: how a core is reached, status codes, their sentences.
 * Programs include modfab.h, modfab_rsa.h or modfab_farm.h; the functions modfab_bus_* are for the drivers.
 */
#ifndef MODFAB_BUS_H
#define MODFAB_BUS_H

#include <stddef.h>
#include <stdint.h>

#include "generated/mf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Status codes of the cores, names and values: generated/mf_status.h. */
#define MODFAB_CODE(name, value, sentence) name = value,
typedef enum {
  MF_MODEXP_STATUS(MODFAB_CODE) /* what mf_modexp_axil answers, as in STATUS.error */
  /* What mf_rsa_axil and mf_rsa_farm_axil answer: MODFAB_RSA_BASE + STATUS.error. */
  MODFAB_RSA_BASE = MF_STATUS_RSA_BASE,
  MF_RSA_STATUS(MODFAB_CODE)
  MF_RSA_FARM_STATUS(MODFAB_CODE) /* endings that only a job of the farm has */
  /* What a driver finds. */
  MODFAB_BUS_ERROR = 32, /* the core refused an access, or the callback failed */
  MODFAB_NOT_FOUND = 33, /* identification or width is none that a core has */
  MODFAB_VERSION = 34,   /* the register map is of another major version */
  MODFAB_BUSY = 35,      /* an operation is running */
  MODFAB_TIMEOUT = 36,   /* the core was still busy after max_polls polls */
  MODFAB_UNKNOWN = 37,   /* the core answered with a code that this driver does not know */
  MODFAB_LOCKED = 38,    /* the key is locked until it is erased, or the core zeroized or reset */
  MODFAB_PACKET = 39,    /* a job's id or an answer does not fit the packets of this farm */
  MODFAB_WRONG = 40,     /* a private result to the power e is not the message */
  MODFAB_KIND = 41,      /* a private key for a core of public operations only, or the reverse */
  MODFAB_CONTEXT = 42,   /* the core has no such key context */
  MODFAB_OVERLAP = 43    /* message and result of a private operation share memory */
} modfab_status_t;
#undef MODFAB_CODE

/* Access to one register: 0 when it worked. `offset` is in bytes. */
typedef int (*modfab_read_t)(void *context, uint32_t offset, uint32_t *value);
typedef int (*modfab_write_t)(void *context, uint32_t offset, uint32_t value);
/* Called between two polls while the core is busy: sleep, wait for the interrupt, or do nothing. */
typedef void (*modfab_idle_t)(void *context);

/* Words at rising offsets. */
typedef struct {
  uint32_t offset;
  size_t count;
} modfab_span_t;
/*
 * Told, after the writes that start an operation whose end raises the interrupt, what the driver reads
 * next and in which order: a slow bus then fetches all of it in one go.
 */
typedef void (*modfab_expect_t)(void *context, const modfab_span_t *spans, size_t num_spans);

/* The way to one core. */
typedef struct {
  modfab_read_t read;
  modfab_write_t write;
  modfab_idle_t idle;     /* may be NULL; else every start enables the core's interrupt */
  void *context;          /* passed to the functions of the bus */
  uint32_t max_polls;     /* looks at a busy core before MODFAB_TIMEOUT; 0 waits for ever */
  modfab_expect_t expect; /* NULL for memory; the driver of the RSA core uses it */
} modfab_bus_t;

/* A way through memory at `registers`, which must be a device mapping aligned to 4. */
modfab_bus_t modfab_bus_mmio(volatile void *registers);

/* A sentence in English; never NULL. */
const char *modfab_message(modfab_status_t status);

/* Registers that every core has, by their offsets, and what they hold. */
typedef struct {
  uint32_t id, magic, version, version_mask, major;
  uint32_t status, busy_mask;
} modfab_map_t;

modfab_status_t modfab_bus_get(const modfab_bus_t *bus, uint32_t offset, uint32_t *value);
modfab_status_t modfab_bus_put(const modfab_bus_t *bus, uint32_t offset, uint32_t value);
modfab_status_t modfab_bus_get_words(const modfab_bus_t *bus, uint32_t window, uint32_t *words,
                                     size_t num_words);
modfab_status_t modfab_bus_put_words(const modfab_bus_t *bus, uint32_t window,
                                     const uint32_t *words, size_t num_words);
/* A counter of 64 bits, which may be counting. */
modfab_status_t modfab_bus_get_long(const modfab_bus_t *bus, uint32_t low_offset,
                                    uint32_t high_offset, uint64_t *value);
/* Whether the right core is there. */
modfab_status_t modfab_bus_identify(const modfab_bus_t *bus, const modfab_map_t *map);
/* MODFAB_OK where numbers of so many bits, as a core says of itself, fit into windows of that many
   bytes; MODFAB_NOT_FOUND otherwise: loops over words would leave window and caller's memory. */
modfab_status_t modfab_bus_fits(uint64_t num_bits, size_t window_bytes);
/* MODFAB_BUSY, or MODFAB_OK with STATUS in `value`. */
modfab_status_t modfab_bus_status(const modfab_bus_t *bus, const modfab_map_t *map,
                                  uint32_t *value);
modfab_status_t modfab_bus_wait(const modfab_bus_t *bus, const modfab_map_t *map);
/* The same, with STATUS at the end in `value`. */
modfab_status_t modfab_bus_wait_status(const modfab_bus_t *bus, const modfab_map_t *map,
                                       uint32_t *value);

/* Whether an interrupt at the end of an operation is of use to the bus. */
static inline int modfab_bus_awaits(const modfab_bus_t *bus) {
  return bus->idle != NULL || bus->expect != NULL;
}

/* The field of a register that a mask selects. */
static inline uint32_t modfab_field(uint32_t word, uint32_t mask) {
  return (word & mask) / (mask & (~mask + 1u));
}

#ifdef __cplusplus
}
#endif

#endif
