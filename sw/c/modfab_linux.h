/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens a core in a Linux process, for modfab_open, modfab_rsa_open and modfab_farm_open:
 *   sim:LIBRARY        the RTL as a shared library, which `modfab simlib` makes
 *   uio:/dev/uioN      a UIO device, with its interrupt
 *   devmem:0xADDRESS   a physical address through /dev/mem, polled
 *
 *   modfab_linux_t device;
 *   if (modfab_linux_open(&device, "sim:./libmodfab_sim.so", sizeof(mf_rsa_t)) != 0)
 *     puts(device.error);
 *   status = modfab_rsa_open(&core, device.bus.read, device.bus.write, device.bus.idle,
 *                            device.bus.context);
 *
 * POSIX and dlopen; no allocation. A device is used by one thread at a time and stays where it is:
 * the bus points to it. A bus error of hardware is the signal SIGBUS (or ignored by the system).
 */
#ifndef MODFAB_LINUX_H
#define MODFAB_LINUX_H

#include "modfab_bus.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MODFAB_LINUX_ERROR_BYTES = 256 };

typedef struct {
  modfab_bus_t bus;
  char error[MODFAB_LINUX_ERROR_BYTES]; /* a sentence when it could not be opened */
  /* What follows is the driver's. */
  void *map;
  size_t map_bytes;
  volatile uint32_t *registers;
  int file;
  int has_interrupt;
  void *library, *simulation;
  int (*sim_read)(void *simulation, uint32_t offset, uint32_t *value);
  int (*sim_write)(void *simulation, uint32_t offset, uint32_t value);
  int (*sim_wait)(void *simulation, uint64_t max_cycles);
  void (*sim_close)(void *simulation);
} modfab_linux_t;

/* 0 when it worked, else -1 with a sentence in `error`. `bytes` is the size of the register map. */
int modfab_linux_open(modfab_linux_t *device, const char *spec, size_t bytes);

/* The parts of it. `sysfs` is /sys/class/uio; `path` of the second is /dev/mem. */
int modfab_linux_open_uio(modfab_linux_t *device, const char *path, const char *sysfs, size_t bytes);
int modfab_linux_open_memory(modfab_linux_t *device, const char *path, uint64_t address,
                             size_t bytes);
int modfab_linux_open_sim(modfab_linux_t *device, const char *path);

/* Releases the device; zeroize its core before. */
void modfab_linux_close(modfab_linux_t *device);

#ifdef __cplusplus
}
#endif

#endif
