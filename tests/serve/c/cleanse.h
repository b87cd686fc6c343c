/* SPDX-License-Identifier: Apache-2.0 */
/* What a library wipes: these functions stand before OpenSSL's and the C library's for all that a
   program loads, and print what the watched library gives them. */
#ifndef MODFAB_CLEANSE_H
#define MODFAB_CLEANSE_H

#include <dlfcn.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

static const char *watched; /* end of the library's path, while its calls are printed */

static void wipe(void *from, size_t count, const void *caller) {
  volatile unsigned char *bytes = from;
  Dl_info library = {0};
  const int shown = watched != NULL && dladdr(caller, &library) != 0 &&
                    strstr(library.dli_fname, watched) != NULL;
  for (size_t i = 0; i < count; ++i) {
    if (shown) printf("%02x", bytes[i]);
    bytes[i] = 0;
  }
  if (shown) printf("\n");
}

void OPENSSL_cleanse(void *from, size_t count) {
  wipe(from, count, __builtin_return_address(0));
}

void explicit_bzero(void *from, size_t count) {
  wipe(from, count, __builtin_return_address(0));
}

#endif
