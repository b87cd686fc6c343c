/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64 /* addresses above 2 GiB on 32-bit systems */
#include "modfab_linux.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == sizeof(uint64_t), "an address of /dev/mem has 64 bits");

enum { WAIT_MS = 100, POLL_NS = 50000, SIM_CYCLES = 4096, MAX_PATH = 512 };

static int fail(modfab_linux_t *device, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int fail(modfab_linux_t *device, const char *format, ...) {
  va_list values;
  va_start(values, format);
  (void)vsnprintf(device->error, sizeof device->error, format, values);
  va_end(values);
  return -1;
}

static void clear(modfab_linux_t *device) {
  memset(device, 0, sizeof *device);
  device->file = -1;
}

/* ---- registers in memory ---- */
static int map_read(void *context, uint32_t offset, uint32_t *value) {
  *value = ((modfab_linux_t *)context)->registers[offset / 4];
  return 0;
}

static int map_write(void *context, uint32_t offset, uint32_t value) {
  ((modfab_linux_t *)context)->registers[offset / 4] = value;
  return 0;
}

/* Waits for the interrupt, or a moment where there is none. */
static void map_idle(void *context) {
  modfab_linux_t *device = context;
  static const struct timespec moment = {0, POLL_NS};
  struct pollfd waiting = {device->file, POLLIN, 0};
  uint32_t word = 1;
  if (device->has_interrupt) {
    const int unmasked = write(device->file, &word, sizeof word) == (ssize_t)sizeof word;
    if (unmasked || errno == ENOSYS) { /* a driver that needs no unmasking says ENOSYS */
      if (poll(&waiting, 1, WAIT_MS) <= 0) return;
      if (read(device->file, &word, sizeof word) == (ssize_t)sizeof word) return;
    }
    device->has_interrupt = 0;
  }
  (void)nanosleep(&moment, NULL);
}

static int map_registers(modfab_linux_t *device, const char *path, off_t offset, size_t start,
                         size_t map_bytes, size_t bytes) {
  if (start % 4 != 0 || start > map_bytes || map_bytes - start < bytes)
    return fail(device, "%s: the mapping has %zu bytes and the registers begin at %zu, but they need "
                "%zu; give the core's whole address range.", path, map_bytes, start, bytes);
  device->file = open(path, O_RDWR | O_SYNC | O_CLOEXEC);
  if (device->file < 0)
    return fail(device, "%s cannot be opened: %s.", path, strerror(errno));
  device->map = mmap(NULL, map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, device->file, offset);
  if (device->map == MAP_FAILED) {
    device->map = NULL;
    (void)fail(device, "%s cannot be mapped at 0x%llx for %zu bytes: %s.", path,
               (unsigned long long)offset, map_bytes, strerror(errno));
    (void)close(device->file);
    device->file = -1;
    return -1;
  }
  device->map_bytes = map_bytes;
  device->registers = (volatile uint32_t *)(void *)((char *)device->map + start);
  device->bus.read = map_read;
  device->bus.write = map_write;
  device->bus.idle = map_idle;
  device->bus.context = device;
  return 0;
}

int modfab_linux_open_memory(modfab_linux_t *device, const char *path, uint64_t address,
                             size_t bytes) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  const uint64_t start = address % page;
  clear(device);
  return map_registers(device, path, (off_t)(address - start), (size_t)start,
                       (size_t)start + bytes, bytes);
}

/* A number that sysfs holds; `fallback` where the file is missing and that is allowed. */
static int sysfs_number(const char *sysfs, const char *name, const char *what, int may_be_missing,
                        size_t *value) {
  char path[MAX_PATH], text[32];
  char *end;
  const int size = snprintf(path, sizeof path, "%s/%s/maps/map0/%s", sysfs, name, what);
  if (size < 0 || size >= MAX_PATH) return 0;
  FILE *file = fopen(path, "re");
  if (file == NULL) return may_be_missing;
  const int good = fgets(text, sizeof text, file) != NULL;
  (void)fclose(file);
  if (!good) return 0;
  const unsigned long number = strtoul(text, &end, 0);
  if (end == text || (*end != '\0' && *end != '\n')) return 0;
  *value = number;
  return 1;
}

int modfab_linux_open_uio(modfab_linux_t *device, const char *path, const char *sysfs,
                          size_t bytes) {
  const char *slash = strrchr(path, '/');
  const char *name = slash == NULL ? path : slash + 1;
  size_t map_bytes = 0, start = 0;
  struct stat state;
  clear(device);
  if (!sysfs_number(sysfs, name, "size", 0, &map_bytes) ||
      !sysfs_number(sysfs, name, "offset", 1, &start))
    return fail(device, "%s/%s/maps/map0 does not hold the numbers of a UIO device; check that %s is "
                "bound to a UIO driver.", sysfs, name, path);
  if (map_registers(device, path, 0, start, map_bytes, bytes) != 0) return -1;
  device->has_interrupt = fstat(device->file, &state) == 0 && S_ISCHR(state.st_mode);
  return 0;
}

/* ---- the simulated core ---- */
static int sim_read(void *context, uint32_t offset, uint32_t *value) {
  modfab_linux_t *device = context;
  return device->sim_read(device->simulation, offset, value);
}

static int sim_write(void *context, uint32_t offset, uint32_t value) {
  modfab_linux_t *device = context;
  return device->sim_write(device->simulation, offset, value);
}

static void sim_idle(void *context) {
  modfab_linux_t *device = context;
  (void)device->sim_wait(device->simulation, SIM_CYCLES);
}

/* A function of the library; ISO C has no cast from an object pointer to a function. */
static int find(modfab_linux_t *device, const char *name, void *function, size_t size) {
  void *found = dlsym(device->library, name);
  if (found == NULL || size != sizeof found) return 0;
  memcpy(function, &found, size);
  return 1;
}

int modfab_linux_open_sim(modfab_linux_t *device, const char *path) {
  void *(*open_core)(const char *wave, uint32_t seed);
  uint32_t seed = 0;
  clear(device);
  device->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (device->library == NULL)
    return fail(device, "%s cannot be loaded: %s; make it with `modfab simlib -o %s`.", path,
                dlerror(), path);
  if (find(device, "mf_open", &open_core, sizeof open_core) &&
      find(device, "mf_close", &device->sim_close, sizeof device->sim_close) &&
      find(device, "mf_read", &device->sim_read, sizeof device->sim_read) &&
      find(device, "mf_write", &device->sim_write, sizeof device->sim_write) &&
      find(device, "mf_wait", &device->sim_wait, sizeof device->sim_wait)) {
    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed) seed = 0;
    device->simulation = open_core(NULL, seed % 0x7FFFFFFFu + 1); /* registers start at random */
  }
  if (device->simulation == NULL) {
    modfab_linux_close(device);
    return fail(device, "%s is no simulated core with a bus; make one with `modfab simlib`.", path);
  }
  device->bus.read = sim_read;
  device->bus.write = sim_write;
  device->bus.idle = sim_idle;
  device->bus.context = device;
  return 0;
}

/* ---- all of them ---- */
int modfab_linux_open(modfab_linux_t *device, const char *spec, size_t bytes) {
  char *end;
  clear(device);
  if (strncmp(spec, "sim:", 4) == 0 && spec[4] != '\0')
    return modfab_linux_open_sim(device, spec + 4);
  if (strncmp(spec, "uio:", 4) == 0 && spec[4] != '\0')
    return modfab_linux_open_uio(device, spec + 4, "/sys/class/uio", bytes);
  if (strncmp(spec, "devmem:", 7) == 0) {
    const unsigned long long address = strtoull(spec + 7, &end, 0);
    if (end != spec + 7 && *end == '\0')
      return modfab_linux_open_memory(device, "/dev/mem", address, bytes);
  }
  return fail(device, "Expected sim:LIBRARY, uio:/dev/uioN or devmem:0xADDRESS, but got %.80s.",
              spec);
}

void modfab_linux_close(modfab_linux_t *device) {
  if (device->simulation != NULL) device->sim_close(device->simulation);
  if (device->library != NULL) (void)dlclose(device->library);
  if (device->map != NULL) (void)munmap(device->map, device->map_bytes);
  if (device->file >= 0) (void)close(device->file);
  clear(device);
}
