/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signs a digest with a PEM key on a core: sign_pem DEVICE KEY.pem < file
 * Prints the signature (PKCS#1 v1.5, SHA-256) in hexadecimal, and the core's cycles on stderr.
 *
 *   modfab simlib --core rsa --engine sos --bits 2048 -o libmodfab_sim.so
 *   cc -I.. sign_pem.c ../modfab_bus.c ../modfab_key.c ../modfab_rsa.c ../modfab_linux.c -lcrypto -ldl
 *   ./a.out sim:./libmodfab_sim.so key.pem < README.md
 */
#define OPENSSL_SUPPRESS_DEPRECATED /* RSA_padding_add_PKCS1_type_1 */
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <string.h>

#include "generated/mf_rsa_regs.h"
#include "modfab_linux.h"
#include "modfab_rsa.h"

enum { MAX_WORDS = 256, PARTS = 6, PREFIX = 19, HASH = 32 };

/* ---- a key of OpenSSL as modfab_rsa_key_t ---- */
typedef struct {
  uint32_t words[PARTS][MAX_WORDS];
  modfab_rsa_key_t key;
  size_t num_bytes; /* of the modulus */
} pem_key_t;

/* A number of the key as words, least significant first; its bits, 0 when it does not fit. */
static int part(const EVP_PKEY *from, const char *name, uint32_t *to, size_t num_words) {
  uint8_t bytes[4 * MAX_WORDS];
  BIGNUM *number = NULL;
  int bits = 0;
  if (EVP_PKEY_get_bn_param(from, name, &number) &&
      BN_bn2lebinpad(number, bytes, (int)(4 * num_words)) > 0) {
    bits = BN_num_bits(number);
    for (size_t i = 0; i < num_words; ++i)
      to[i] = (uint32_t)bytes[4 * i] | (uint32_t)bytes[4 * i + 1] << 8 |
              (uint32_t)bytes[4 * i + 2] << 16 | (uint32_t)bytes[4 * i + 3] << 24;
  }
  OPENSSL_cleanse(bytes, sizeof bytes);
  BN_clear_free(number);
  return bits;
}

static int from_pem(const modfab_rsa_t *core, const EVP_PKEY *pem, pem_key_t *to) {
  static const char *const names[PARTS] = {
      OSSL_PKEY_PARAM_RSA_FACTOR1,   OSSL_PKEY_PARAM_RSA_FACTOR2,     OSSL_PKEY_PARAM_RSA_EXPONENT1,
      OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1, OSSL_PKEY_PARAM_RSA_E};
  const size_t half = modfab_rsa_prime_words(core), full = modfab_rsa_words(core);
  int bits = 0;
  if (full > MAX_WORDS) return 0;
  for (size_t i = 0; i < PARTS; ++i) { /* e is the last one, and as wide as the modulus */
    bits = part(pem, names[i], to->words[i], i + 1 == PARTS ? full : half);
    if (bits == 0) return 0;
  }
  memset(&to->key, 0, sizeof to->key);
  to->key.p = to->words[0];
  to->key.q = to->words[1];
  to->key.dp = to->words[2];
  to->key.dq = to->words[3];
  to->key.qi = to->words[4];
  to->key.e = to->words[5];
  to->key.e_bits = (uint32_t)bits;
  to->num_bytes = (size_t)EVP_PKEY_get_size(pem);
  return to->num_bytes <= 4 * full;
}

/* ---- what is signed ---- */
static int encode(FILE *file, uint8_t *to, size_t num_bytes) {
  static const uint8_t sha256[PREFIX] = {0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01,
                                         0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20};
  uint8_t info[PREFIX + HASH], block[4096];
  size_t count;
  EVP_MD_CTX *hash = EVP_MD_CTX_new();
  int good = hash != NULL && EVP_DigestInit_ex(hash, EVP_sha256(), NULL);
  while (good && (count = fread(block, 1, sizeof block, file)) != 0)
    good = EVP_DigestUpdate(hash, block, count);
  if (ferror(file)) {
    fprintf(stderr, "What is to be signed cannot be read.\n");
    good = 0;
  }
  memcpy(info, sha256, PREFIX);
  good = good && EVP_DigestFinal_ex(hash, info + PREFIX, NULL);
  EVP_MD_CTX_free(hash);
  return good && RSA_padding_add_PKCS1_type_1(to, (int)num_bytes, info, sizeof info);
}

/* Leaves the core alone unless it takes the key: a load that fails wipes what it has written. */
static modfab_status_t sign(modfab_rsa_t *core, const EVP_PKEY *pem) {
  static pem_key_t key; /* wiped below */
  uint8_t bytes[4 * MAX_WORDS];
  uint32_t message[MAX_WORDS] = {0}, result[MAX_WORDS] = {0};
  uint64_t setup = 0, cycles = 0;
  modfab_status_t status = MODFAB_RSA_KEY;
  if (from_pem(core, pem, &key) && encode(stdin, bytes, key.num_bytes)) {
    for (size_t i = 0; i < key.num_bytes; ++i)
      message[i / 4] |= (uint32_t)bytes[key.num_bytes - 1 - i] << (8 * (i % 4));
    status = modfab_rsa_load_key(core, &key.key, &setup);
  }
  OPENSSL_cleanse(&key.words, sizeof key.words);
  if (status != MODFAB_OK) return status;
  status = modfab_rsa_private(core, message, result, &cycles);
  const modfab_status_t wiped = modfab_rsa_zeroize(core);
  if (status == MODFAB_OK) status = wiped;
  if (status != MODFAB_OK) return status;
  for (size_t i = key.num_bytes; i-- > 0;) printf("%02x", result[i / 4] >> (8 * (i % 4)) & 0xFF);
  fprintf(stderr, "\n%llu cycles, key set-up %llu\n", (unsigned long long)cycles,
          (unsigned long long)setup);
  return MODFAB_OK;
}

int main(int count, char **words) {
  modfab_linux_t device;
  modfab_rsa_t core;
  FILE *file = count == 3 ? fopen(words[2], "r") : NULL;
  EVP_PKEY *pem = file == NULL ? NULL : PEM_read_PrivateKey(file, NULL, NULL, NULL);
  if (file != NULL) (void)fclose(file);
  if (pem == NULL) {
    fprintf(stderr, "sign_pem DEVICE KEY.pem < file: there is no key that can be read.\n");
    return 2;
  }
  if (modfab_linux_open(&device, words[1], sizeof(mf_rsa_t)) != 0) {
    fprintf(stderr, "%s\n", device.error);
    EVP_PKEY_free(pem);
    return 1;
  }
  modfab_status_t status = modfab_rsa_open(&core, device.bus.read, device.bus.write,
                                           device.bus.idle, device.bus.context);
  if (status == MODFAB_OK) status = sign(&core, pem);
  if (status != MODFAB_OK) fprintf(stderr, "%s\n", modfab_message(status));
  modfab_linux_close(&device);
  EVP_PKEY_free(pem);
  return status == MODFAB_OK ? 0 : 1;
}
