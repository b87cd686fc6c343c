/* SPDX-License-Identifier: Apache-2.0 */
/* Registers in memory behind a driver's callbacks, which fail at one offset. */
#ifndef FAKE_REGISTERS_H
#define FAKE_REGISTERS_H

#include <stdint.h>
#include <string.h>

#include "checks.h"

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
