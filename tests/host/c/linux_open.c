/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_open spec SPEC, linux_open uio PATH SYSFS, linux_open memory PATH ADDRESS: opens a device of
 * 256 bytes, prints its first word, writes 7 into the second, waits once; or prints the error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "modfab_linux.h"

enum { BYTES = 256 };

int main(int count, char **words) {
  modfab_linux_t device;
  uint32_t value = 0;
  int failed = 1;
  if (count == 3 && strcmp(words[1], "spec") == 0)
    failed = modfab_linux_open(&device, words[2], BYTES);
  else if (count == 4 && strcmp(words[1], "uio") == 0)
    failed = modfab_linux_open_uio(&device, words[2], words[3], BYTES);
  else if (count == 4 && strcmp(words[1], "memory") == 0)
    failed = modfab_linux_open_memory(&device, words[2], strtoull(words[3], NULL, 0), BYTES);
  else
    return 2;
  if (failed) {
    printf("%s\n", device.error);
    return 1;
  }
  if (device.bus.read(device.bus.context, 0, &value) != 0) return 3;
  device.bus.idle(device.bus.context);
  if (device.bus.write(device.bus.context, 4, 7) != 0) return 3;
  printf("%08lx\n", (unsigned long)value);
  modfab_linux_close(&device);
  modfab_linux_close(&device); /* does nothing */
  return 0;
}
