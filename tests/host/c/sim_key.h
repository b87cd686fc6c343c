/* SPDX-License-Identifier: Apache-2.0 */
/* A key from standard input, for the tests of the drivers on simulated cores. */
#ifndef SIM_KEY_H
#define SIM_KEY_H

#include "modfab_key.h"
#include "sim_access.h"

enum { kMaxWords = 64, kMaxParts = 7 };

static char text[8 * kMaxWords + 1];
static uint32_t parts[kMaxParts][kMaxWords]; /* of a key; the last one is free for a message */

static int number(uint32_t *words, size_t num_words) {
  return scanf("%512s", text) == 1 && (strcmp(text, "-") == 0 || parse(text, words, num_words));
}

/* P Q DP DQ QI E_BITS E, or P Q D E_BITS E for a key whose other parts are derived. */
static int read_key(uint32_t prime_bits, int derive, modfab_rsa_key_t *key) {
  const size_t half = modfab_key_prime_words(prime_bits), full = modfab_key_words(prime_bits);
  const int count = derive ? 3 : 5;
  unsigned e_bits;
  for (int i = 0; i < count; ++i)
    if (!number(parts[i], derive && i == 2 ? full : half)) return 0;
  if (scanf("%u", &e_bits) != 1 || !number(parts[5], full)) return 0;
  memset(key, 0, sizeof *key);
  key->p = parts[0];
  key->q = parts[1];
  if (derive) {
    key->d = parts[2];
  } else {
    key->dp = parts[2];
    key->dq = parts[3];
    key->qi = parts[4];
  }
  key->e = e_bits != 0 ? parts[5] : NULL;
  key->e_bits = e_bits;
  return 1;
}

#endif
