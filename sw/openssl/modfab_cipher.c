/* SPDX-License-Identifier: Apache-2.0 */
/* Encryption in software; decryption in the daemon, paddings removed here. */
#define OPENSSL_SUPPRESS_DEPRECATED /* RSA_padding_check_PKCS1_OAEP_mgf1: OpenSSL's own decoder */
#include <openssl/err.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>

#include "modfab_provider.h"

#define IMPLICIT_REJECTION "implicit-rejection" /* OpenSSL 3.2 has a name for it */

enum { PREMASTER = 48 };

typedef struct {
  const mf_provider_t *provider;
  mf_key_t *key; /* a reference */
  int padding;
  unsigned reject; /* a wrong PKCS#1 v1.5 padding gives another message, not an error */
  EVP_MD *digest, *mask; /* of OAEP, NULL for SHA-1; of its mask, NULL for the same */
  unsigned char *label;
  size_t label_size;
  unsigned client_version, other_version; /* of TLS */
} cipher_t;

static void *new_cipher(void *provider) {
  cipher_t *cipher = calloc(1, sizeof *cipher);
  if (cipher == NULL) return NULL;
  cipher->provider = provider;
  cipher->padding = RSA_PKCS1_PADDING;
  cipher->reject = 1;
  return cipher;
}

static void free_cipher(void *context) {
  cipher_t *cipher = context;
  if (cipher == NULL) return;
  mf_key_free(cipher->key);
  EVP_MD_free(cipher->digest);
  EVP_MD_free(cipher->mask);
  OPENSSL_free(cipher->label);
  free(cipher);
}

static void *duplicate(void *context) {
  const cipher_t *cipher = context;
  cipher_t *copy = malloc(sizeof *copy);
  if (copy == NULL) return NULL;
  *copy = *cipher;
  (void)mf_key_share(copy->key);
  if (copy->digest != NULL && !EVP_MD_up_ref(copy->digest)) copy->digest = NULL;
  if (copy->mask != NULL && !EVP_MD_up_ref(copy->mask)) copy->mask = NULL;
  copy->label = NULL;
  if (cipher->label != NULL) {
    copy->label = OPENSSL_memdup(cipher->label, cipher->label_size);
    if (copy->label == NULL) {
      free_cipher(copy);
      return NULL;
    }
  }
  return copy;
}

/* ---- parameters ---- */
static int get_label(cipher_t *cipher, const OSSL_PARAM *param) {
  void *label = NULL;
  size_t size = 0;
  if (param == NULL) return 1;
  if (!OSSL_PARAM_get_octet_string(param, &label, 0, &size)) return 0;
  if (size == 0) { /* OPENSSL_memdup copies no empty label */
    OPENSSL_free(label);
    label = NULL;
  }
  OPENSSL_free(cipher->label);
  cipher->label = label;
  cipher->label_size = size;
  return 1;
}

static int get_number(const OSSL_PARAM params[], const char *name, unsigned *number) {
  const OSSL_PARAM *param = OSSL_PARAM_locate_const(params, name);
  return param == NULL || OSSL_PARAM_get_uint(param, number);
}

static int set_params(void *context, const OSSL_PARAM params[]) {
  cipher_t *cipher = context;
  const mf_provider_t *provider = cipher->provider;
  int chosen = cipher->padding;
  if (params == NULL) return 1;
  if (!mf_get_padding(provider, OSSL_PARAM_locate_const(params, OSSL_ASYM_CIPHER_PARAM_PAD_MODE),
                      &chosen))
    return 0;
  if (chosen != RSA_PKCS1_PADDING && chosen != RSA_PKCS1_OAEP_PADDING &&
      chosen != RSA_NO_PADDING && chosen != RSA_PKCS1_WITH_TLS_PADDING)
    return mf_raise(provider, MF_R_PADDING, "Expected pkcs1, oaep or none for encryption");
  cipher->padding = chosen;
  return mf_get_digest(provider, params, OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST,
                       OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST_PROPS, &cipher->digest) &&
         mf_get_digest(provider, params, OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST,
                       OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST_PROPS, &cipher->mask) &&
         get_label(cipher, OSSL_PARAM_locate_const(params, OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL)) &&
         get_number(params, OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION, &cipher->client_version) &&
         get_number(params, OSSL_ASYM_CIPHER_PARAM_TLS_NEGOTIATED_VERSION,
                    &cipher->other_version) &&
         get_number(params, IMPLICIT_REJECTION, &cipher->reject);
}

static int get_params(void *context, OSSL_PARAM params[]) {
  cipher_t *cipher = context;
  if (params == NULL) return 1;
  OSSL_PARAM *label = OSSL_PARAM_locate(params, OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL);
  OSSL_PARAM *client = OSSL_PARAM_locate(params, OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION);
  OSSL_PARAM *other = OSSL_PARAM_locate(params, OSSL_ASYM_CIPHER_PARAM_TLS_NEGOTIATED_VERSION);
  const EVP_MD *mask = cipher->mask != NULL ? cipher->mask : cipher->digest;
  return mf_set_padding(OSSL_PARAM_locate(params, OSSL_ASYM_CIPHER_PARAM_PAD_MODE),
                        cipher->padding) &&
         mf_set_digest(OSSL_PARAM_locate(params, OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST),
                       cipher->digest) &&
         mf_set_digest(OSSL_PARAM_locate(params, OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST), mask) &&
         (label == NULL || OSSL_PARAM_set_octet_ptr(label, cipher->label, cipher->label_size)) &&
         (client == NULL || OSSL_PARAM_set_uint(client, cipher->client_version)) &&
         (other == NULL || OSSL_PARAM_set_uint(other, cipher->other_version));
}

#define COMMON_PARAMS                                                                     \
  OSSL_PARAM_DEFN(OSSL_ASYM_CIPHER_PARAM_PAD_MODE, OSSL_PARAM_UTF8_STRING, NULL, 0),      \
      OSSL_PARAM_DEFN(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, OSSL_PARAM_UTF8_STRING, NULL, 0), \
      OSSL_PARAM_DEFN(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST, OSSL_PARAM_UTF8_STRING, NULL, 0), \
      OSSL_PARAM_DEFN(OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION,                          \
                      OSSL_PARAM_UNSIGNED_INTEGER, NULL, 0),                              \
      OSSL_PARAM_DEFN(OSSL_ASYM_CIPHER_PARAM_TLS_NEGOTIATED_VERSION,                      \
                      OSSL_PARAM_UNSIGNED_INTEGER, NULL, 0)

static const OSSL_PARAM *settable_params(void *context, void *provider) {
  static const OSSL_PARAM known[] = {
      COMMON_PARAMS,
      OSSL_PARAM_DEFN(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST_PROPS, OSSL_PARAM_UTF8_STRING, NULL, 0),
      OSSL_PARAM_DEFN(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST_PROPS, OSSL_PARAM_UTF8_STRING, NULL, 0),
      OSSL_PARAM_DEFN(OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL, OSSL_PARAM_OCTET_STRING, NULL, 0),
      OSSL_PARAM_DEFN(IMPLICIT_REJECTION, OSSL_PARAM_UNSIGNED_INTEGER, NULL, 0),
      OSSL_PARAM_END};
  (void)context;
  (void)provider;
  return known;
}

static const OSSL_PARAM *gettable_params(void *context, void *provider) {
  static const OSSL_PARAM known[] = {
      COMMON_PARAMS,
      OSSL_PARAM_DEFN(OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL, OSSL_PARAM_OCTET_PTR, NULL, 0),
      OSSL_PARAM_END};
  (void)context;
  (void)provider;
  return known;
}

/* ---- operations ---- */
static int init(void *context, void *key, const OSSL_PARAM params[]) {
  cipher_t *cipher = context;
  mf_key_keep(&cipher->key, key);
  if (key == NULL || cipher->key->software == NULL)
    return mf_raise(cipher->provider, MF_R_KEY, "Encryption needs an RSA key");
  return set_params(cipher, params);
}

static int set_oaep(const cipher_t *cipher, EVP_PKEY_CTX *work) {
  unsigned char *label = NULL;
  if (cipher->label_size != 0) {
    label = OPENSSL_memdup(cipher->label, cipher->label_size);
    if (label == NULL) return 0;
    if (EVP_PKEY_CTX_set0_rsa_oaep_label(work, label, (int)cipher->label_size) <= 0) {
      OPENSSL_free(label);
      return 0;
    }
  }
  return (cipher->digest == NULL || EVP_PKEY_CTX_set_rsa_oaep_md(work, cipher->digest) > 0) &&
         (cipher->mask == NULL || EVP_PKEY_CTX_set_rsa_mgf1_md(work, cipher->mask) > 0);
}

static int encrypt(void *context, unsigned char *to, size_t *length, size_t room,
                   const unsigned char *from, size_t size) {
  const cipher_t *cipher = context;
  const int padding =
      cipher->padding == RSA_PKCS1_WITH_TLS_PADDING ? RSA_PKCS1_PADDING : cipher->padding;
  EVP_PKEY_CTX *work = mf_key_software(cipher->key, EVP_PKEY_encrypt_init, padding);
  *length = room;
  OSSL_LIB_CTX *before = mf_enter_library(cipher->provider); /* padding is random */
  const int good = work != NULL &&
                   (padding != RSA_PKCS1_OAEP_PADDING || set_oaep(cipher, work)) &&
                   EVP_PKEY_encrypt(work, to, length, from, size) > 0;
  EVP_PKEY_CTX_free(work);
  mf_leave_library(cipher->provider, before);
  return good || mf_raise(cipher->provider, MF_R_SOFTWARE, "The message could not be encrypted");
}

static int unpad_oaep(cipher_t *cipher, uint8_t *to, const uint8_t *padded, size_t size) {
  if (cipher->digest == NULL && !mf_fetch_digest(cipher->provider, "SHA1", NULL, &cipher->digest))
    return -1;
  return RSA_padding_check_PKCS1_OAEP_mgf1(
      to, (int)size, padded, (int)size, (int)size, cipher->label, (int)cipher->label_size,
      cipher->digest, cipher->mask != NULL ? cipher->mask : cipher->digest);
}

/* Bytes of the message in `to`, which has room for `size`; -1 when the padding is wrong. */
static int unpad(cipher_t *cipher, uint8_t *to, const uint8_t *padded, size_t size,
                 const uint8_t seed[MF_SEED]) {
  switch (cipher->padding) {
    case RSA_PKCS1_OAEP_PADDING: return unpad_oaep(cipher, to, padded, size);
    case RSA_PKCS1_WITH_TLS_PADDING:
      return mf_unpad_tls(to, padded, size, cipher->client_version, cipher->other_version);
    case RSA_PKCS1_PADDING: return mf_unpad_pkcs1(to, padded, size, seed, cipher->reject != 0);
    default: memcpy(to, padded, size); return (int)size;
  }
}

/* Numbers before `from`, when it is shorter than the modulus, are zero. */
static int private_operation(const cipher_t *cipher, const uint8_t *from, size_t from_size,
                             uint8_t *padded, size_t size, uint8_t seed[MF_SEED]) {
  uint8_t whole[MF_MAX_MODULUS] = {0};
  if (from_size > size || from_size == 0)
    return mf_raise(cipher->provider, MF_R_LENGTH, "Expected a ciphertext of %zu bytes", size);
  memcpy(whole + size - from_size, from, from_size);
  return (cipher->padding != RSA_PKCS1_PADDING || mf_key_rejection(cipher->key, whole, seed)) &&
         mf_key_private(cipher->key, whole, padded);
}

static int decrypt(void *context, unsigned char *to, size_t *length, size_t room,
                   const unsigned char *from, size_t from_size) {
  cipher_t *cipher = context;
  uint8_t padded[MF_MAX_MODULUS], message[MF_MAX_MODULUS], seed[MF_SEED] = {0};
  const size_t size = mf_key_bytes(cipher->key);
  const int tls = cipher->padding == RSA_PKCS1_WITH_TLS_PADDING;
  int found = -1;
  if (size == 0) return mf_key_too_long(cipher->key);
  if (to == NULL) {
    *length = tls ? (size_t)PREMASTER : size;
    return 1;
  }
  if (tls && (cipher->client_version == 0 || room < PREMASTER))
    return mf_raise(cipher->provider, MF_R_PARAMETER, "TLS needs the client's version and room");
  int good = private_operation(cipher, from, from_size, padded, size, seed);
  if (good) {
    ERR_set_mark();
    OSSL_LIB_CTX *before = mf_enter_library(cipher->provider);
    found = unpad(cipher, message, padded, size, seed);
    mf_leave_library(cipher->provider, before);
    ERR_pop_to_mark(); /* one error for every wrong padding */
    good = found >= 0 && (size_t)found <= room;
    if (good) memcpy(to, message, (size_t)found);
    if (good) *length = (size_t)found;
    if (!good) (void)mf_raise(cipher->provider, MF_R_DECRYPT, "Decryption failed");
  }
  OPENSSL_cleanse(padded, sizeof padded);
  OPENSSL_cleanse(message, sizeof message);
  OPENSSL_cleanse(seed, sizeof seed);
  return good;
}

const OSSL_DISPATCH mf_cipher_functions[] = {
    {OSSL_FUNC_ASYM_CIPHER_NEWCTX, (void (*)(void))new_cipher},
    {OSSL_FUNC_ASYM_CIPHER_FREECTX, (void (*)(void))free_cipher},
    {OSSL_FUNC_ASYM_CIPHER_DUPCTX, (void (*)(void))duplicate},
    {OSSL_FUNC_ASYM_CIPHER_ENCRYPT_INIT, (void (*)(void))init},
    {OSSL_FUNC_ASYM_CIPHER_ENCRYPT, (void (*)(void))encrypt},
    {OSSL_FUNC_ASYM_CIPHER_DECRYPT_INIT, (void (*)(void))init},
    {OSSL_FUNC_ASYM_CIPHER_DECRYPT, (void (*)(void))decrypt},
    {OSSL_FUNC_ASYM_CIPHER_GET_CTX_PARAMS, (void (*)(void))get_params},
    {OSSL_FUNC_ASYM_CIPHER_GETTABLE_CTX_PARAMS, (void (*)(void))gettable_params},
    {OSSL_FUNC_ASYM_CIPHER_SET_CTX_PARAMS, (void (*)(void))set_params},
    {OSSL_FUNC_ASYM_CIPHER_SETTABLE_CTX_PARAMS, (void (*)(void))settable_params},
    {0, NULL}};
