/* SPDX-License-Identifier: Apache-2.0 */
/* One key with the provider and with OpenSSL's own. */
#ifndef MODFAB_PROVIDER_PAIR_H
#define MODFAB_PROVIDER_PAIR_H

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "check.h"

enum { OURS, STOCK, BOTH };

static OSSL_LIB_CTX *libraries[BOTH];
static EVP_PKEY *keys[BOTH];

static EVP_PKEY *load_key(const char *path, OSSL_LIB_CTX *library) {
  FILE *file = fopen(path, "r");
  CHECK(file != NULL);
  EVP_PKEY *found = PEM_read_PrivateKey_ex(file, NULL, NULL, NULL, library, NULL);
  CHECK(found != NULL);
  fclose(file);
  return found;
}

static inline void load_both(const char *path) {
  libraries[STOCK] = OSSL_LIB_CTX_new();
  CHECK(libraries[STOCK] != NULL);
  for (int which = 0; which < BOTH; ++which) keys[which] = load_key(path, libraries[which]);
}

static inline void free_both(void) {
  for (int which = 0; which < BOTH; ++which) EVP_PKEY_free(keys[which]);
  OSSL_LIB_CTX_free(libraries[STOCK]);
}

static EVP_PKEY_CTX *context_of(int which, EVP_PKEY *key) {
  EVP_PKEY_CTX *made = EVP_PKEY_CTX_new_from_pkey(libraries[which], key, NULL);
  CHECK(made != NULL);
  return made;
}

static int set_text(EVP_PKEY_CTX *context, const char *name, char *text) {
  OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(name, text, 0), OSSL_PARAM_END};
  return EVP_PKEY_CTX_set_params(context, params) > 0;
}

#endif
