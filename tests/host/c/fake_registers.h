/* SPDX-License-Identifier: Apache-2.0 */
/* Registers in memory behind a driver's callbacks, which fail at one offset; checks that count. */
#ifndef FAKE_REGISTERS_H
#define FAKE_REGISTERS_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                     \
  do {                                                       \
    if (!(condition)) {                                      \
      printf("line %d: %s is false\n", __LINE__, #condition); \
      ++failures;                                            \
    }                                                        \
  } while (0)

static uint32_t failing_offset; /* the callbacks fail here */

static int read_register(void *context, uint32_t offset, uint32_t *value) {
  memcpy(value, (const char *)context + offset, sizeof *value);
  return offset == failing_offset;
}

static int write_register(void *context, uint32_t offset, uint32_t value) {
  memcpy((char *)context + offset, &value, sizeof value);
  return offset == failing_offset;
}

#endif
