/* SPDX-License-Identifier: Apache-2.0 */
/* A check of a program that uses OpenSSL: what does not hold ends it, with OpenSSL's errors. */
#ifndef MODFAB_CHECK_H
#define MODFAB_CHECK_H

#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      ERR_print_errors_fp(stderr);                                    \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

#endif
