/* SPDX-License-Identifier: Apache-2.0 */
/* The store loader of `modfab:NAME`: keys that stay in the daemon. */
#include <openssl/core_object.h>
#include <stdlib.h>
#include <string.h>

#include "modfab_provider.h"

#define SCHEME "modfab:"

typedef struct {
  mf_key_t *key; /* NULL when it was taken */
} loader_t;

static void *open_store(void *provider, const char *uri) {
  loader_t *loader;
  if (strncmp(uri, SCHEME, sizeof SCHEME - 1) != 0) return NULL;
  loader = calloc(1, sizeof *loader);
  if (loader == NULL) return NULL;
  loader->key = mf_key_named(provider, uri + sizeof SCHEME - 1);
  if (loader->key != NULL) return loader;
  free(loader);
  return NULL;
}

static const OSSL_PARAM *settable_params(void *provider) {
  static const OSSL_PARAM known[] = {
      OSSL_PARAM_DEFN(OSSL_STORE_PARAM_EXPECT, OSSL_PARAM_INTEGER, NULL, 0),
      OSSL_PARAM_DEFN(OSSL_STORE_PARAM_PROPERTIES, OSSL_PARAM_UTF8_STRING, NULL, 0),
      OSSL_PARAM_END};
  (void)provider;
  return known;
}

static int set_params(void *context, const OSSL_PARAM params[]) {
  (void)context; /* what is expected is a hint: there is one object, a key */
  (void)params;
  return 1;
}

static int load(void *context, OSSL_CALLBACK *callback, void *argument,
                OSSL_PASSPHRASE_CALLBACK *passphrase, void *passphrase_argument) {
  loader_t *loader = context;
  int type = OSSL_OBJECT_PKEY;
  char rsa[] = "RSA";
  OSSL_PARAM params[] = {
      OSSL_PARAM_int(OSSL_OBJECT_PARAM_TYPE, &type),
      OSSL_PARAM_utf8_string(OSSL_OBJECT_PARAM_DATA_TYPE, rsa, sizeof rsa - 1),
      OSSL_PARAM_octet_string(OSSL_OBJECT_PARAM_REFERENCE, &loader->key, sizeof loader->key),
      OSSL_PARAM_END};
  (void)passphrase;
  (void)passphrase_argument;
  if (loader->key == NULL) return 0;
  const int taken = callback(params, argument);
  mf_key_free(loader->key); /* unless mf_keymgmt_functions took it */
  loader->key = NULL;
  return taken;
}

static int at_end(void *context) {
  const loader_t *loader = context;
  return loader->key == NULL;
}

static int close_store(void *context) {
  loader_t *loader = context;
  mf_key_free(loader->key);
  free(loader);
  return 1;
}

const OSSL_DISPATCH mf_store_functions[] = {
    {OSSL_FUNC_STORE_OPEN, (void (*)(void))open_store},
    {OSSL_FUNC_STORE_SETTABLE_CTX_PARAMS, (void (*)(void))settable_params},
    {OSSL_FUNC_STORE_SET_CTX_PARAMS, (void (*)(void))set_params},
    {OSSL_FUNC_STORE_LOAD, (void (*)(void))load},
    {OSSL_FUNC_STORE_EOF, (void (*)(void))at_end},
    {OSSL_FUNC_STORE_CLOSE, (void (*)(void))close_store},
    {0, NULL}};
