/* SPDX-License-Identifier: Apache-2.0 */
#include "modfab_bus.h"

static int mmio_read(void *context, uint32_t offset, uint32_t *value) {
  *value = ((volatile uint32_t *)context)[offset / 4];
  return 0;
}

static int mmio_write(void *context, uint32_t offset, uint32_t value) {
  ((volatile uint32_t *)context)[offset / 4] = value;
  return 0;
}

modfab_bus_t modfab_bus_mmio(volatile void *registers) {
  /* Only mmio_read and mmio_write use the context, and they make it volatile again. */
  const modfab_bus_t bus = {mmio_read, mmio_write, NULL, (void *)(uintptr_t)registers, 0, NULL};
  return bus;
}

modfab_status_t modfab_bus_get(const modfab_bus_t *bus, uint32_t offset, uint32_t *value) {
  return bus->read(bus->context, offset, value) == 0 ? MODFAB_OK : MODFAB_BUS_ERROR;
}

modfab_status_t modfab_bus_put(const modfab_bus_t *bus, uint32_t offset, uint32_t value) {
  return bus->write(bus->context, offset, value) == 0 ? MODFAB_OK : MODFAB_BUS_ERROR;
}

modfab_status_t modfab_bus_get_words(const modfab_bus_t *bus, uint32_t window, uint32_t *words,
                                     size_t num_words) {
  modfab_status_t status = MODFAB_OK;
  for (size_t i = 0; i < num_words && status == MODFAB_OK; ++i)
    status = modfab_bus_get(bus, window + 4 * (uint32_t)i, &words[i]);
  return status;
}

modfab_status_t modfab_bus_put_words(const modfab_bus_t *bus, uint32_t window,
                                     const uint32_t *words, size_t num_words) {
  modfab_status_t status = MODFAB_OK;
  for (size_t i = 0; i < num_words && status == MODFAB_OK; ++i)
    status = modfab_bus_put(bus, window + 4 * (uint32_t)i, words[i]);
  return status;
}

/* Read until the high half was the same twice. */
modfab_status_t modfab_bus_get_long(const modfab_bus_t *bus, uint32_t low_offset,
                                    uint32_t high_offset, uint64_t *value) {
  uint32_t low = 0, high = 0, again = 0;
  modfab_status_t status = modfab_bus_get(bus, high_offset, &high);
  while (status == MODFAB_OK) {
    status = modfab_bus_get(bus, low_offset, &low);
    if (status == MODFAB_OK) status = modfab_bus_get(bus, high_offset, &again);
    if (again == high) break;
    high = again;
  }
  if (status == MODFAB_OK) *value = (uint64_t)high << 32 | low;
  return status;
}

modfab_status_t modfab_bus_identify(const modfab_bus_t *bus, const modfab_map_t *map) {
  uint32_t id = 0, version = 0;
  modfab_status_t status = modfab_bus_get(bus, map->id, &id);
  if (status != MODFAB_OK) return status;
  if (id != map->magic) return MODFAB_NOT_FOUND;
  status = modfab_bus_get(bus, map->version, &version);
  if (status != MODFAB_OK) return status;
  return modfab_field(version, map->version_mask) == map->major ? MODFAB_OK : MODFAB_VERSION;
}

modfab_status_t modfab_bus_fits(uint64_t num_bits, size_t window_bytes) {
  return num_bits != 0 && num_bits <= 8 * (uint64_t)window_bytes ? MODFAB_OK : MODFAB_NOT_FOUND;
}

modfab_status_t modfab_bus_status(const modfab_bus_t *bus, const modfab_map_t *map,
                                  uint32_t *value) {
  const modfab_status_t status = modfab_bus_get(bus, map->status, value);
  if (status != MODFAB_OK) return status;
  return (*value & map->busy_mask) != 0 ? MODFAB_BUSY : MODFAB_OK;
}

modfab_status_t modfab_bus_wait_status(const modfab_bus_t *bus, const modfab_map_t *map,
                                       uint32_t *value) {
  for (uint32_t polls = 0;; ++polls) {
    const modfab_status_t status = modfab_bus_status(bus, map, value);
    if (status != MODFAB_BUSY) return status;
    if (bus->max_polls != 0 && polls == bus->max_polls) return MODFAB_TIMEOUT;
    if (bus->idle != NULL) bus->idle(bus->context);
  }
}

modfab_status_t modfab_bus_wait(const modfab_bus_t *bus, const modfab_map_t *map) {
  uint32_t value = 0;
  return modfab_bus_wait_status(bus, map, &value);
}

#define MODFAB_CASE(name, value, sentence) case name: return sentence;

const char *modfab_message(modfab_status_t status) {
  switch (status) {
    MF_MODEXP_STATUS(MODFAB_CASE)
    MF_RSA_STATUS(MODFAB_CASE)
    MF_RSA_FARM_STATUS(MODFAB_CASE)
    case MODFAB_BUS_ERROR: return "The core refused an access.";
    case MODFAB_NOT_FOUND: return "There is no modfab core at this address.";
    case MODFAB_VERSION: return "The core's register map is of another major version.";
    case MODFAB_BUSY: return "An operation is running.";
    case MODFAB_TIMEOUT: return "The core is still busy; check its clock and reset.";
    case MODFAB_LOCKED: return "The key is locked; zeroize the core before another one is loaded.";
    case MODFAB_PACKET: return "The id or the packet does not fit the farm's packets.";
    case MODFAB_CONTEXT: return "The core has no such key context; choose a lower one, or build it with more keys.";
    case MODFAB_KIND: return "This core takes public keys only, or only private ones; use the other build.";
    case MODFAB_WRONG: return "The core's result is wrong, which the driver's check found; it is wiped.";
    case MODFAB_OVERLAP: return "Message and result share memory; give the result its own array.";
    case MODFAB_RSA_BASE:
    case MODFAB_UNKNOWN: break;
  }
  return "The core answered with an unknown code.";
}
