/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that count. */
#ifndef CHECKS_H
#define CHECKS_H

#include <stdio.h>

static int failures;

#define CHECK(condition)                                     \
  do {                                                       \
    if (!(condition)) {                                      \
      printf("line %d: %s is false\n", __LINE__, #condition); \
      ++failures;                                            \
    }                                                        \
  } while (0)

#endif
