/* SPDX-License-Identifier: Apache-2.0 */
/* Keys: what they hold, and their private operation in the daemon. */
#include "modfab_provider.h"

#include <ctype.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 5 }; /* n, e, d, p, q */

mf_key_t *mf_key_new(const mf_provider_t *provider) {
  mf_key_t *key = calloc(1, sizeof *key);
  if (key == NULL) return NULL;
  atomic_init(&key->references, 1);
  key->provider = provider;
  return key;
}

mf_key_t *mf_key_share(mf_key_t *key) {
  if (key != NULL) (void)atomic_fetch_add(&key->references, 1);
  return key;
}

void mf_key_keep(mf_key_t **place, mf_key_t *key) {
  mf_key_t *before = *place;
  *place = mf_key_share(key);
  mf_key_free(before);
}

void mf_key_free(mf_key_t *key) {
  if (key == NULL || atomic_fetch_sub(&key->references, 1) != 1) return;
  EVP_PKEY_free(key->software);
  free(key);
}

static int is_name(const char *name) {
  const size_t size = strlen(name);
  for (size_t i = 0; i < size; ++i)
    if (!isalnum((unsigned char)name[i]) && strchr("_-.", name[i]) == NULL) return 0;
  return size > 0 && size <= MF_MAX_NAME;
}

static EVP_PKEY *public_key(const mf_provider_t *provider, const mf_field_t *n,
                            const mf_field_t *e) {
  /* Parameters hold numbers in the machine's order. */
  uint8_t modulus[MF_MAX_MODULUS], exponent[MF_MAX_MODULUS];
  EVP_PKEY *made = NULL;
  if (n->size == 0 || e->size == 0 || n->size > sizeof modulus || e->size > sizeof exponent)
    return NULL;
  BIGNUM *number = BN_new();
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(provider->library, "RSA", NULL);
  if (number != NULL && context != NULL && BN_bin2bn(n->data, (int)n->size, number) != NULL &&
      BN_bn2nativepad(number, modulus, (int)n->size) > 0 &&
      BN_bin2bn(e->data, (int)e->size, number) != NULL &&
      BN_bn2nativepad(number, exponent, (int)e->size) > 0) {
    OSSL_PARAM params[] = {OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_N, modulus, n->size),
                           OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_E, exponent, e->size), OSSL_PARAM_END};
    if (EVP_PKEY_fromdata_init(context) > 0)
      (void)EVP_PKEY_fromdata(context, &made, EVP_PKEY_PUBLIC_KEY, params);
  }
  EVP_PKEY_CTX_free(context);
  BN_free(number);
  return made;
}

mf_key_t *mf_key_named(const mf_provider_t *provider, const char *name) {
  const mf_field_t field = {(const uint8_t *)name, strlen(name)};
  mf_answer_t answer;
  if (!mf_is_configured(provider)) return NULL;
  if (!is_name(name)) {
    (void)mf_raise(provider, MF_R_NAME, "Expected modfab: and a name of 1 to %d letters, digits, "
                   "dots, dashes and underlines", MF_MAX_NAME);
    return NULL;
  }
  const mf_status_t status = mf_client_ask(&provider->client, MF_OP_PUBLIC, &field, 1, &answer);
  if (status != MF_OK || answer.count != 2) {
    (void)mf_raise(provider, MF_R_DAEMON, "%s (%s)",
                   mf_client_message(status == MF_OK ? MF_PROTOCOL : status),
                   provider->client.path);
    return NULL;
  }
  mf_key_t *key = mf_key_new(provider);
  if (key == NULL) return NULL;
  memcpy(key->name, name, field.size);
  key->software = public_key(provider, &answer.fields[0], &answer.fields[1]);
  if (key->software == NULL) {
    (void)mf_raise(provider, MF_R_KEY, "The daemon's key %s is no RSA key", name);
    mf_key_free(key);
    return NULL;
  }
  return key;
}

int mf_key_has_private(const mf_key_t *key) {
  BIGNUM *d = NULL;
  if (key->name[0] != '\0') return 1;
  if (key->software == NULL || !EVP_PKEY_get_bn_param(key->software, OSSL_PKEY_PARAM_RSA_D, &d)) {
    BN_clear_free(d);
    return 0;
  }
  BN_clear_free(d);
  return 1;
}

size_t mf_key_bytes(const mf_key_t *key) {
  const int size = key->software == NULL ? 0 : EVP_PKEY_get_size(key->software);
  return size > 0 && size <= MF_MAX_MODULUS ? (size_t)size : 0;
}

int mf_key_too_long(const mf_key_t *key) {
  return mf_raise(key->provider, MF_R_KEY, "Expected a key of at most %d bits for a private operation",
                  8 * MF_MAX_MODULUS);
}

EVP_PKEY_CTX *mf_key_software(const mf_key_t *key, int (*init)(EVP_PKEY_CTX *), int padding) {
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(key->provider->library, key->software, NULL);
  if (context != NULL && init(context) > 0 && EVP_PKEY_CTX_set_rsa_padding(context, padding) > 0)
    return context;
  EVP_PKEY_CTX_free(context);
  (void)mf_raise(key->provider, MF_R_SOFTWARE, "A public operation could not be prepared");
  return NULL;
}

/* ---- private operations ---- */

/* The numbers of a key in memory; 0 when one is missing. `bytes` takes them one after the other. */
static int get_parts(const mf_key_t *key, mf_field_t fields[PARTS],
                     uint8_t bytes[PARTS * MF_MAX_MODULUS]) {
  static const char *const names[PARTS] = {OSSL_PKEY_PARAM_RSA_N, OSSL_PKEY_PARAM_RSA_E,
                                           OSSL_PKEY_PARAM_RSA_D, OSSL_PKEY_PARAM_RSA_FACTOR1,
                                           OSSL_PKEY_PARAM_RSA_FACTOR2};
  int good = 1;
  for (size_t i = 0; i < PARTS && good; ++i) {
    uint8_t *to = bytes + i * MF_MAX_MODULUS;
    BIGNUM *number = NULL;
    good = EVP_PKEY_get_bn_param(key->software, names[i], &number) &&
           BN_num_bytes(number) <= MF_MAX_MODULUS;
    if (good) {
      fields[i].data = to;
      fields[i].size = (size_t)BN_bn2bin(number, to);
    }
    BN_clear_free(number);
  }
  return good;
}

static mf_status_t ask_private(const mf_key_t *key, const uint8_t *from, size_t size,
                               mf_answer_t *answer) {
  const mf_client_t *client = &key->provider->client;
  mf_field_t fields[PARTS + 1];
  uint8_t bytes[PARTS * MF_MAX_MODULUS];
  if (key->name[0] != '\0') {
    fields[0].data = (const uint8_t *)key->name;
    fields[0].size = strlen(key->name);
    fields[1].data = from;
    fields[1].size = size;
    return mf_client_ask(client, MF_OP_PRIVATE, fields, 2, answer);
  }
  mf_status_t status = MF_REFUSED;
  if (get_parts(key, fields, bytes)) {
    fields[PARTS].data = from;
    fields[PARTS].size = size;
    status = mf_client_ask(client, MF_OP_PRIVATE_WITH, fields, PARTS + 1, answer);
  }
  OPENSSL_cleanse(bytes, sizeof bytes);
  return status;
}

/* Whether to^e mod n is `from`. */
static int is_right(const mf_key_t *key, const uint8_t *from, const uint8_t *to, size_t size) {
  uint8_t back[MF_MAX_MODULUS];
  size_t back_size = sizeof back;
  EVP_PKEY_CTX *context = mf_key_software(key, EVP_PKEY_encrypt_init, RSA_NO_PADDING);
  const int right = context != NULL &&
                    EVP_PKEY_encrypt(context, back, &back_size, to, size) > 0 &&
                    back_size == size && CRYPTO_memcmp(back, from, size) == 0;
  EVP_PKEY_CTX_free(context);
  OPENSSL_cleanse(back, sizeof back); /* of a signature what was signed; else the ciphertext */
  return right;
}

static int in_software(const mf_key_t *key, const uint8_t *from, uint8_t *to, size_t size) {
  EVP_PKEY_CTX *context = mf_key_software(key, EVP_PKEY_decrypt_init, RSA_NO_PADDING);
  size_t done = size;
  OSSL_LIB_CTX *before = mf_enter_library(key->provider); /* it is blinded */
  const int good =
      context != NULL && EVP_PKEY_decrypt(context, to, &done, from, size) > 0 && done == size;
  EVP_PKEY_CTX_free(context);
  mf_leave_library(key->provider, before);
  return good || mf_raise(key->provider, MF_R_SOFTWARE, "The private operation failed");
}

int mf_key_private(const mf_key_t *key, const uint8_t *from, uint8_t *to) {
  const mf_provider_t *provider = key->provider;
  const size_t size = mf_key_bytes(key);
  mf_answer_t answer;
  if (!mf_is_configured(provider)) return 0;
  if (size == 0 || !mf_key_has_private(key))
    return mf_raise(provider, MF_R_NO_PRIVATE, "A private operation needs a private key");
  mf_status_t status = ask_private(key, from, size, &answer);
  if (status == MF_OK && (answer.count != 3 || answer.fields[0].size != size)) status = MF_PROTOCOL;
  if (status == MF_OK) memcpy(to, answer.fields[0].data, size);
  OPENSSL_cleanse(answer.bytes, sizeof answer.bytes);
  if (status != MF_OK) {
    if (provider->fallback && key->name[0] == '\0') return in_software(key, from, to, size);
    return mf_raise(provider, MF_R_DAEMON, "%s (%s)", mf_client_message(status),
                    provider->client.path);
  }
  if (is_right(key, from, to, size)) return 1;
  OPENSSL_cleanse(to, size);
  return mf_raise(provider, MF_R_RESULT, "The daemon's result is wrong; check the device");
}

/* Source: draft-irtf-cfrg-rsa-guidance, section 7.2, steps 1 to 3. */
static int own_rejection(const mf_key_t *key, const uint8_t *ciphertext, size_t size,
                         uint8_t seed[MF_SEED]) {
  uint8_t exponent[MF_MAX_MODULUS], digest[MF_SEED];
  unsigned length = 0;
  size_t hmac_size = 0;
  BIGNUM *d = NULL;
  EVP_MD *sha256 = EVP_MD_fetch(key->provider->library, "SHA256", NULL);
  const int good =
      sha256 != NULL && EVP_PKEY_get_bn_param(key->software, OSSL_PKEY_PARAM_RSA_D, &d) &&
      BN_bn2binpad(d, exponent, (int)size) > 0 &&
      EVP_Digest(exponent, size, digest, &length, sha256, NULL) > 0 &&
      EVP_Q_mac(key->provider->library, "HMAC", NULL, "SHA256", NULL, digest, sizeof digest,
                ciphertext, size, seed, MF_SEED, &hmac_size) != NULL;
  EVP_MD_free(sha256);
  BN_clear_free(d);
  OPENSSL_cleanse(exponent, sizeof exponent);
  OPENSSL_cleanse(digest, sizeof digest);
  return good || mf_raise(key->provider, MF_R_SOFTWARE, "The answer to a wrong padding is missing");
}

int mf_key_rejection(const mf_key_t *key, const uint8_t *ciphertext, uint8_t seed[MF_SEED]) {
  const size_t size = mf_key_bytes(key);
  const mf_field_t fields[2] = {{(const uint8_t *)key->name, strlen(key->name)},
                                {ciphertext, size}};
  mf_answer_t answer;
  if (key->name[0] == '\0') return own_rejection(key, ciphertext, size, seed);
  mf_status_t status =
      mf_client_ask(&key->provider->client, MF_OP_REJECTION, fields, 2, &answer);
  if (status == MF_OK && (answer.count != 1 || answer.fields[0].size != MF_SEED))
    status = MF_PROTOCOL;
  if (status == MF_OK) memcpy(seed, answer.fields[0].data, MF_SEED);
  OPENSSL_cleanse(answer.bytes, sizeof answer.bytes);
  return status == MF_OK || mf_raise(key->provider, MF_R_DAEMON, "%s (%s)",
                                     mf_client_message(status), key->provider->client.path);
}
