/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the OpenSSL provider share. */
#ifndef MODFAB_PROVIDER_H
#define MODFAB_PROVIDER_H

#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rsa.h>
#include <stdatomic.h>

#include "modfab_client.h"

enum {
  MF_MAX_NAME = 64,
  MF_MAX_MODULUS = 1024, /* bytes of the longest modulus */
  MF_SEED = 32           /* bytes of the seed of implicit rejection */
};

/* Reasons of errors, as mf_reasons names them. */
enum {
  MF_R_DAEMON = 1,
  MF_R_KEY,
  MF_R_NO_PRIVATE,
  MF_R_PADDING,
  MF_R_DIGEST,
  MF_R_LENGTH,
  MF_R_DECRYPT,
  MF_R_RESULT,
  MF_R_SOFTWARE,
  MF_R_NAME,
  MF_R_PARAMETER
};

/* One loaded provider; does not change after it was made. */
typedef struct {
  const OSSL_CORE_HANDLE *handle;
  OSSL_FUNC_core_new_error_fn *new_error;
  OSSL_FUNC_core_vset_error_fn *vset_error;
  OSSL_LIB_CTX *library; /* for what is done in software: only OpenSSL's default provider */
  mf_client_t client;
  int is_configured; /* 0 for wrong settings: then every private operation is an error */
  int fallback; /* private operations of keys in memory go to software when the daemon is away */
} mf_provider_t;

/* A key: named ones are in the daemon, others are in this process's memory. */
typedef struct {
  atomic_uint references;
  const mf_provider_t *provider;
  EVP_PKEY *software; /* of a named key the public half */
  char name[MF_MAX_NAME + 1];
} mf_key_t;

extern const OSSL_DISPATCH mf_keymgmt_functions[];
extern const OSSL_DISPATCH mf_signature_functions[];
extern const OSSL_DISPATCH mf_cipher_functions[];
extern const OSSL_DISPATCH mf_store_functions[];
extern const OSSL_ITEM mf_reasons[];

/* An error in OpenSSL's queue; always 0. */
int mf_raise(const mf_provider_t *provider, uint32_t reason, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether the settings were right; an error when not. */
int mf_is_configured(const mf_provider_t *provider);

/* Between the two, `library` is the thread's default context: OpenSSL's functions without an
   argument for one take it. Whatever may draw random bytes from it stands between them: the end
   frees what the context keeps for the thread, which may end after the context. */
OSSL_LIB_CTX *mf_enter_library(const mf_provider_t *provider);
void mf_leave_library(const mf_provider_t *provider, OSSL_LIB_CTX *before);

/* ---- modfab_key.c ---- */
mf_key_t *mf_key_new(const mf_provider_t *provider);
/* Drops a reference; the last one frees the key. */
void mf_key_free(mf_key_t *key);
/* One more reference, for who keeps a key: OpenSSL frees an exported key under its contexts. */
mf_key_t *mf_key_share(mf_key_t *key);
/* Let a place keep another key, which may be NULL. */
void mf_key_keep(mf_key_t **place, mf_key_t *key);
/* The daemon's key of a name; NULL, with an error, when there is none. */
mf_key_t *mf_key_named(const mf_provider_t *provider, const char *name);
int mf_key_has_private(const mf_key_t *key);
/* Bytes of the modulus; 0 when there is none, or a longer one than private operations take. */
size_t mf_key_bytes(const mf_key_t *key);
/* The error for that; always 0. */
int mf_key_too_long(const mf_key_t *key);
/* to = from^d mod n, both of mf_key_bytes() bytes, checked with e. */
int mf_key_private(const mf_key_t *key, const uint8_t *from, uint8_t *to);
/* The seed of implicit rejection for a ciphertext of mf_key_bytes() bytes. */
int mf_key_rejection(const mf_key_t *key, const uint8_t *ciphertext, uint8_t seed[MF_SEED]);
/* An operation in software on the public half, with a padding set; NULL with an error. */
EVP_PKEY_CTX *mf_key_software(const mf_key_t *key, int (*init)(EVP_PKEY_CTX *), int padding);

/* ---- modfab_padding.c: constant in time ---- */
/* Message of PKCS#1 v1.5; a wrong padding gives one derived from the seed, or -1 when `reject` is
   0. Bytes of the message, which `to` of `size` bytes takes. */
int mf_unpad_pkcs1(uint8_t *to, const uint8_t *padded, size_t size, const uint8_t seed[MF_SEED],
                   int reject);
/* The 48 bytes of a TLS premaster secret, random ones when padding or version are wrong. */
int mf_unpad_tls(uint8_t *to, const uint8_t *padded, size_t size, unsigned version,
                 unsigned other_version);

/* ---- modfab_params.c ---- */
/* Padding of a parameter that is a number or a name. */
int mf_get_padding(const mf_provider_t *provider, const OSSL_PARAM *param, int *padding);
int mf_set_padding(OSSL_PARAM *param, int padding);
/* Replace a digest by the one that a parameter, or a name, says with these properties. */
int mf_get_digest(const mf_provider_t *provider, const OSSL_PARAM params[], const char *key,
                  const char *properties_key, EVP_MD **digest);
int mf_fetch_digest(const mf_provider_t *provider, const char *name, const char *properties,
                    EVP_MD **digest);
int mf_set_digest(OSSL_PARAM *param, const EVP_MD *digest);

#endif
