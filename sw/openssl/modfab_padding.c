/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Removing paddings without a branch or an index that depends on whether they are right.
 * Masks are all ones for yes and zero for no.
 */
#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <string.h>

#include "modfab_provider.h"

enum { MIN_PADDING = 8, LENGTHS_BYTES = 256, PREMASTER = 48 };

/* Keeps a compiler from finding out that a mask has only two values. */
static uint32_t opaque(uint32_t value) {
  __asm__("" : "+r"(value));
  return value;
}

static uint32_t is_zero(uint32_t value) {
  return opaque((uint32_t)0 - ((~value & (value - 1)) >> 31));
}

static uint32_t is_equal(uint32_t a, uint32_t b) {
  return is_zero(a ^ b);
}

/* a < b, both below 2^31 */
static uint32_t is_less(uint32_t a, uint32_t b) {
  return opaque((uint32_t)0 - ((a - b) >> 31));
}

static uint32_t select(uint32_t mask, uint32_t yes, uint32_t no) {
  return (opaque(mask) & yes) | (opaque(~mask) & no);
}

/* Source: draft-irtf-cfrg-rsa-guidance, section 7.2: IRPRF. */
static int derive(const uint8_t seed[MF_SEED], const char *label, uint8_t *to, size_t size) {
  const size_t label_size = strlen(label);
  const size_t bits = 8 * size;
  uint8_t input[16], block[MF_SEED];
  int good = label_size + 4 <= sizeof input;
  for (size_t at = 0; at < size && good; at += MF_SEED) {
    const size_t index = at / MF_SEED, part = size - at < MF_SEED ? size - at : MF_SEED;
    unsigned block_size = 0;
    input[0] = (uint8_t)(index >> 8);
    input[1] = (uint8_t)index;
    memcpy(input + 2, label, label_size);
    input[2 + label_size] = (uint8_t)(bits >> 8);
    input[3 + label_size] = (uint8_t)bits;
    good = HMAC(EVP_sha256(), seed, MF_SEED, input, label_size + 4, block, &block_size) != NULL;
    memcpy(to + at, block, part);
  }
  OPENSSL_cleanse(block, sizeof block);
  return good;
}

/* The length of the message that stands for a wrong padding: the last candidate in range. */
static uint32_t rejected_length(const uint8_t lengths[LENGTHS_BYTES], size_t size) {
  const uint32_t limit = (uint32_t)size - 2 - MIN_PADDING;
  uint32_t bits = limit, length = 0;
  for (unsigned shift = 1; shift < 32; shift *= 2) bits |= bits >> shift;
  for (size_t i = 0; i < LENGTHS_BYTES; i += 2) {
    const uint32_t candidate = ((uint32_t)lengths[i] << 8 | lengths[i + 1]) & bits;
    length = select(is_less(candidate, limit), candidate, length);
  }
  return length;
}

int mf_unpad_pkcs1(uint8_t *to, const uint8_t *padded, size_t size, const uint8_t seed[MF_SEED],
                   int reject) {
  uint8_t lengths[LENGTHS_BYTES], instead[MF_MAX_MODULUS];
  uint32_t good, found = 0, zero = 0, start;
  int length = -1;
  if (size < 2 + MIN_PADDING + 1 || size > MF_MAX_MODULUS) return -1;
  if (derive(seed, "length", lengths, sizeof lengths) && derive(seed, "message", instead, size)) {
    good = is_zero(padded[0]) & is_equal(padded[1], 2);
    for (uint32_t i = 2; i < size; ++i) {
      const uint32_t first = ~found & is_zero(padded[i]);
      zero = select(first, i, zero);
      found |= first;
    }
    good &= found & ~is_less(zero, 2 + MIN_PADDING);
    start = select(good, zero + 1, (uint32_t)size - rejected_length(lengths, size));
    /* From here on only the length is visible, as it is to the caller. */
    for (uint32_t i = start; i < size; ++i)
      to[i - start] = (uint8_t)select(good, padded[i], instead[i]);
    length = (int)(size - start);
    if (!reject) length = (int)select(good, (uint32_t)length, (uint32_t)-1);
  }
  OPENSSL_cleanse(lengths, sizeof lengths);
  OPENSSL_cleanse(instead, sizeof instead);
  return length;
}

/* Source: RFC 5246, section 7.4.7.1. */
int mf_unpad_tls(uint8_t *to, const uint8_t *padded, size_t size, unsigned version,
                 unsigned other_version) {
  uint8_t random[PREMASTER];
  uint32_t good, wanted, other;
  if (size < 2 + MIN_PADDING + 1 + PREMASTER || RAND_bytes(random, sizeof random) <= 0) return -1;
  const uint8_t *secret = padded + size - PREMASTER;
  good = is_zero(padded[0]) & is_equal(padded[1], 2) & is_zero(secret[-1]);
  for (size_t i = 2; i < size - PREMASTER - 1; ++i) good &= ~is_zero(padded[i]);
  wanted = is_equal(secret[0], version >> 8 & 0xFF) & is_equal(secret[1], version & 0xFF);
  other = is_equal(secret[0], other_version >> 8 & 0xFF) &
          is_equal(secret[1], other_version & 0xFF) & ~is_zero(other_version);
  good &= wanted | other;
  for (size_t i = 0; i < PREMASTER; ++i) to[i] = (uint8_t)select(good, secret[i], random[i]);
  OPENSSL_cleanse(random, sizeof random);
  return PREMASTER;
}
