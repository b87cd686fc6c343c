/* SPDX-License-Identifier: Apache-2.0 */
#include "modfab_key.h"

enum { kWipePolls = 1 << 26 }; /* where bus.max_polls sets no bound */

modfab_status_t modfab_key_code(uint32_t code) {
  if (code > MODFAB_RSA_ENTROPY - MODFAB_RSA_BASE && code != MODFAB_RSA_TEST - MODFAB_RSA_BASE)
    return MODFAB_UNKNOWN;
  return code == 0 ? MODFAB_OK : (modfab_status_t)(MODFAB_RSA_BASE + code);
}

modfab_status_t modfab_key_unlocked(const modfab_bus_t *bus, const modfab_key_map_t *map) {
  uint32_t value = 0;
  const modfab_status_t status = modfab_bus_get(bus, map->core.status, &value);
  if (status != MODFAB_OK) return status;
  return (value & map->locked_mask) != 0 ? MODFAB_LOCKED : MODFAB_OK;
}

modfab_status_t modfab_key_lock(const modfab_bus_t *bus, const modfab_key_map_t *map) {
  modfab_status_t status = modfab_bus_put(bus, map->ctrl, map->lock_mask);
  if (status == MODFAB_OK) status = modfab_key_unlocked(bus, map);
  if (status == MODFAB_LOCKED) return MODFAB_OK;
  return status == MODFAB_OK ? MODFAB_BUS_ERROR : status;
}

modfab_status_t modfab_key_ended(const modfab_bus_t *bus, const modfab_key_map_t *map,
                                 uint32_t value, uint64_t *cycles) {
  const modfab_status_t status = modfab_key_code(modfab_field(value, map->error_mask));
  if (status != MODFAB_OK || cycles == NULL) return status;
  return modfab_bus_get_long(bus, map->cycles_lo, map->cycles_hi, cycles);
}

modfab_status_t modfab_key_ending(const modfab_bus_t *bus, const modfab_key_map_t *map,
                                  uint64_t *cycles) {
  uint32_t value = 0;
  const modfab_status_t status = modfab_bus_status(bus, &map->core, &value);
  return status == MODFAB_OK ? modfab_key_ended(bus, map, value, cycles) : status;
}

modfab_status_t modfab_key_start(const modfab_bus_t *bus, const modfab_key_map_t *map,
                                 uint32_t mask) {
  modfab_status_t status = modfab_bus_put(bus, map->irq_status, map->done_mask);
  if (status == MODFAB_OK && modfab_bus_awaits(bus))
    status = modfab_bus_put(bus, map->irq_enable, map->done_mask);
  return status == MODFAB_OK ? modfab_bus_put(bus, map->ctrl, mask) : status;
}

void modfab_key_expect(const modfab_bus_t *bus, const modfab_key_map_t *map, int counted,
                       uint32_t window, size_t num_words) {
  const modfab_span_t all[5] = {{map->core.status, 1},
                                {map->cycles_hi, 1}, /* as modfab_bus_get_long */
                                {map->cycles_lo, 1},
                                {map->cycles_hi, 1},
                                {window, num_words}};
  const modfab_span_t some[2] = {all[0], all[4]};
  if (bus->expect == NULL) return;
  if (counted != 0)
    bus->expect(bus->context, all, 5);
  else
    bus->expect(bus->context, some, 2);
}

/* Start a command and wait for its end; adds its cycles. */
static modfab_status_t command(const modfab_bus_t *bus, const modfab_key_map_t *map, uint32_t mask,
                               uint64_t *cycles) {
  uint64_t counted = 0;
  uint32_t value = 0;
  modfab_status_t status = modfab_key_start(bus, map, mask);
  if (status == MODFAB_OK) status = modfab_bus_wait_status(bus, &map->core, &value);
  if (status == MODFAB_OK)
    status = map->ending != NULL ? map->ending(bus, &counted)
                                 : modfab_key_ended(bus, map, value, &counted);
  if (status == MODFAB_OK) *cycles += counted;
  return status;
}

/* A part into its window, unless it is missing or something went wrong before. */
static modfab_status_t part(modfab_status_t before, const modfab_bus_t *bus, uint32_t window,
                            const uint32_t *words, size_t num_words) {
  if (before != MODFAB_OK || words == NULL) return before;
  return modfab_bus_put_words(bus, window, words, num_words);
}

/* All parts of a key, and what the core makes of them. */
static modfab_status_t fill(const modfab_bus_t *bus, const modfab_key_map_t *map,
                            uint32_t prime_bits, const modfab_rsa_key_t *key, uint64_t *cycles) {
  const size_t half = modfab_key_prime_words(prime_bits), full = modfab_key_words(prime_bits);
  modfab_status_t status = part(MODFAB_OK, bus, map->p, key->p, half);
  status = part(status, bus, map->q, key->q, half);
  status = part(status, bus, map->e, key->e, full);
  if (status == MODFAB_OK) status = modfab_bus_put(bus, map->e_bits, key->e_bits);
  if (key->dp == NULL) {
    status = part(status, bus, map->d, key->d, full);
    if (status == MODFAB_OK) status = command(bus, map, map->derive_mask, cycles);
  } else {
    status = part(status, bus, map->dp, key->dp, half);
    status = part(status, bus, map->dq, key->dq, half);
    status = part(status, bus, map->qi, key->qi, half);
  }
  return status == MODFAB_OK ? command(bus, map, map->key_mask, cycles) : status;
}

/* A key that the core makes. */
static modfab_status_t make(const modfab_bus_t *bus, const modfab_key_map_t *map,
                            uint64_t *cycles) {
  modfab_status_t status = command(bus, map, map->derive_mask, cycles);
  if (status == MODFAB_OK) status = modfab_bus_put(bus, map->e_bits, 17); /* of 65537 */
  return status == MODFAB_OK ? command(bus, map, map->key_mask, cycles) : status;
}

/* Room for a key in a core at rest, with nothing of an older one; after reset it wipes itself. */
static modfab_status_t make_room(const modfab_bus_t *bus, const modfab_key_map_t *map,
                                 uint32_t wipe_mask) {
  const modfab_status_t status = modfab_bus_wait(bus, &map->core);
  return status == MODFAB_OK ? modfab_key_command(bus, map, wipe_mask) : status;
}

modfab_status_t modfab_key_finish(modfab_status_t status, const modfab_bus_t *bus,
                                  const modfab_key_map_t *map, uint32_t wipe_mask) {
  modfab_bus_t bounded = *bus;
  if (status == MODFAB_OK) return status;
  if (bounded.max_polls == 0) bounded.max_polls = kWipePolls;
  if (wipe_mask != map->zeroize_mask && modfab_bus_wait(&bounded, &map->core) != MODFAB_OK)
    wipe_mask = map->zeroize_mask;
  (void)modfab_key_command(&bounded, map, wipe_mask); /* once: it may fail, too */
  return status;
}

modfab_status_t modfab_key_load(const modfab_bus_t *bus, const modfab_key_map_t *map,
                                uint32_t wipe_mask, uint32_t prime_bits,
                                const modfab_rsa_key_t *key, uint64_t *cycles) {
  uint64_t counted = 0;
  modfab_status_t status = make_room(bus, map, wipe_mask);
  if (status != MODFAB_OK) return status;
  status = modfab_key_finish(fill(bus, map, prime_bits, key, &counted), bus, map, wipe_mask);
  if (status == MODFAB_OK && cycles != NULL) *cycles = counted;
  return status;
}

modfab_status_t modfab_key_make(const modfab_bus_t *bus, const modfab_key_map_t *map,
                                uint32_t wipe_mask, uint64_t *cycles) {
  uint64_t counted = 0;
  modfab_status_t status = make_room(bus, map, wipe_mask);
  if (status != MODFAB_OK) return status;
  status = modfab_key_finish(make(bus, map, &counted), bus, map, wipe_mask);
  if (status == MODFAB_OK && cycles != NULL) *cycles = counted;
  return status;
}

modfab_status_t modfab_key_load_public(const modfab_bus_t *bus, const modfab_key_map_t *map,
                                       size_t num_words, const uint32_t *n, const uint32_t *e,
                                       uint32_t e_bits, uint64_t *cycles) {
  uint64_t counted = 0;
  modfab_status_t status = modfab_bus_wait(bus, &map->core);
  if (status == MODFAB_OK) status = modfab_key_zeroize(bus, map);
  status = part(status, bus, map->p, n, num_words);
  status = part(status, bus, map->e, e, num_words);
  if (status == MODFAB_OK) status = modfab_bus_put(bus, map->e_bits, e_bits);
  if (status == MODFAB_OK) status = command(bus, map, map->key_mask, &counted);
  if (status == MODFAB_OK && cycles != NULL) *cycles = counted;
  return status;
}

modfab_status_t modfab_key_command(const modfab_bus_t *bus, const modfab_key_map_t *map,
                                   uint32_t mask) {
  const modfab_status_t status = modfab_bus_put(bus, map->ctrl, mask);
  return status == MODFAB_OK ? modfab_bus_wait(bus, &map->core) : status;
}

modfab_status_t modfab_key_zeroize(const modfab_bus_t *bus, const modfab_key_map_t *map) {
  return modfab_key_command(bus, map, map->zeroize_mask);
}
