/* SPDX-License-Identifier: Apache-2.0 */
/* OpenSSL's view of a key. What needs no private operation is done by the default provider. */
#include <stdlib.h>
#include <string.h>

#include "modfab_provider.h"

#define NUMBER(name) OSSL_PARAM_DEFN(name, OSSL_PARAM_UNSIGNED_INTEGER, NULL, 0)
#define PRIVATE_NUMBERS                                                                         \
  NUMBER(OSSL_PKEY_PARAM_RSA_D), NUMBER(OSSL_PKEY_PARAM_RSA_FACTOR1),                           \
      NUMBER(OSSL_PKEY_PARAM_RSA_FACTOR2), NUMBER(OSSL_PKEY_PARAM_RSA_EXPONENT1),               \
      NUMBER(OSSL_PKEY_PARAM_RSA_EXPONENT2), NUMBER(OSSL_PKEY_PARAM_RSA_COEFFICIENT1)
#define PUBLIC_NUMBERS NUMBER(OSSL_PKEY_PARAM_RSA_N), NUMBER(OSSL_PKEY_PARAM_RSA_E)

static void *new_key(void *provider) {
  return mf_key_new(provider);
}

static void free_key(void *key) {
  mf_key_free(key);
}

/* Takes the key that a store loader made: the reference is the address of its pointer. */
static void *load(const void *reference, size_t size) {
  mf_key_t **place;
  mf_key_t *key;
  if (size != sizeof place) return NULL;
  place = (mf_key_t **)(uintptr_t)reference;
  key = *place;
  *place = NULL;
  return key;
}

static int has(const void *context, int selection) {
  const mf_key_t *key = context;
  if (key == NULL) return 0;
  if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0 && !mf_key_has_private(key)) return 0;
  return (selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) == 0 || key->software != NULL;
}

static int match(const void *one, const void *other, int selection) {
  const mf_key_t *a = one, *b = other;
  (void)selection; /* a private key that belongs to the same public one is the same */
  return a->software != NULL && b->software != NULL && EVP_PKEY_eq(a->software, b->software) == 1;
}

/* An operation with the daemon's key: that it answers and belongs to the public half. */
static int try_named(const mf_key_t *key) {
  uint8_t number[MF_MAX_MODULUS] = {0}, result[MF_MAX_MODULUS];
  const size_t size = mf_key_bytes(key);
  if (size == 0) return 0;
  number[size - 1] = 2;
  return mf_key_private(key, number, result);
}

static int validate(const void *context, int selection, int check_type) {
  const mf_key_t *key = context;
  int valid = 1;
  (void)check_type;
  if (key->software == NULL) return 0;
  EVP_PKEY_CTX *check = EVP_PKEY_CTX_new_from_pkey(key->provider->library, key->software, NULL);
  if (check == NULL) return 0;
  const int named = key->name[0] != '\0';
  const int whole = (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0;
  OSSL_LIB_CTX *before = mf_enter_library(key->provider); /* tests of primes are random */
  if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0) valid = EVP_PKEY_public_check(check) > 0;
  if (valid && whole && !named) valid = EVP_PKEY_pairwise_check(check) > 0;
  EVP_PKEY_CTX_free(check);
  mf_leave_library(key->provider, before);
  return valid && (!whole || !named || try_named(key));
}

static int import(void *context, int selection, const OSSL_PARAM params[]) {
  mf_key_t *key = context;
  const int whole = (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0;
  EVP_PKEY *made = NULL;
  if (key == NULL || key->name[0] != '\0') return 0;
  EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(key->provider->library, "RSA", NULL);
  const int good = maker != NULL && EVP_PKEY_fromdata_init(maker) > 0 &&
                   EVP_PKEY_fromdata(maker, &made, whole ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY,
                                     (OSSL_PARAM *)(uintptr_t)params) > 0;
  EVP_PKEY_CTX_free(maker);
  if (!good) return mf_raise(key->provider, MF_R_KEY, "The numbers are no RSA key");
  EVP_PKEY_free(key->software);
  key->software = made;
  return 1;
}

static const OSSL_PARAM *transfer_types(int selection) {
  static const OSSL_PARAM public_types[] = {PUBLIC_NUMBERS, OSSL_PARAM_END};
  static const OSSL_PARAM private_types[] = {PUBLIC_NUMBERS, PRIVATE_NUMBERS, OSSL_PARAM_END};
  return (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0 ? private_types : public_types;
}

static int export(void *context, int selection, OSSL_CALLBACK *callback, void *argument) {
  const mf_key_t *key = context;
  if (key == NULL || key->software == NULL) return 0;
  if (key->name[0] != '\0' && (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0)
    return mf_raise(key->provider, MF_R_NO_PRIVATE, "The daemon gives no private key away");
  return EVP_PKEY_export(key->software, selection, callback, argument) > 0;
}

static void *duplicate(const void *context, int selection) {
  const mf_key_t *key = context;
  mf_key_t *copy;
  const int whole = (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0;
  if (key->software == NULL || !whole) return NULL; /* nobody asks for halves of an RSA key */
  copy = mf_key_new(key->provider);
  if (copy == NULL) return NULL;
  memcpy(copy->name, key->name, sizeof copy->name);
  copy->software = EVP_PKEY_dup(key->software);
  if (copy->software != NULL) return copy;
  mf_key_free(copy);
  return NULL;
}

static int get_params(void *context, OSSL_PARAM params[]) {
  const mf_key_t *key = context;
  return key->software != NULL && EVP_PKEY_get_params(key->software, params) > 0;
}

static const OSSL_PARAM *gettable_params(void *provider) {
  static const OSSL_PARAM known[] = {
      OSSL_PARAM_DEFN(OSSL_PKEY_PARAM_BITS, OSSL_PARAM_INTEGER, NULL, 0),
      OSSL_PARAM_DEFN(OSSL_PKEY_PARAM_SECURITY_BITS, OSSL_PARAM_INTEGER, NULL, 0),
      OSSL_PARAM_DEFN(OSSL_PKEY_PARAM_MAX_SIZE, OSSL_PARAM_INTEGER, NULL, 0),
      OSSL_PARAM_DEFN(OSSL_PKEY_PARAM_DEFAULT_DIGEST, OSSL_PARAM_UTF8_STRING, NULL, 0),
      PUBLIC_NUMBERS, PRIVATE_NUMBERS, OSSL_PARAM_END};
  (void)provider;
  return known;
}

static const char *operation_name(int operation) {
  (void)operation;
  return "RSA";
}

/* ---- generation, by the default provider ---- */
typedef struct {
  const mf_provider_t *provider;
  EVP_PKEY_CTX *maker;
  OSSL_CALLBACK *callback; /* of progress, or NULL */
  void *argument;
} generation_t;

static void generate_cleanup(void *context) {
  generation_t *generation = context;
  if (generation == NULL) return;
  EVP_PKEY_CTX_free(generation->maker);
  free(generation);
}

static int generate_set_params(void *context, const OSSL_PARAM params[]) {
  const generation_t *generation = context;
  return params == NULL ||
         EVP_PKEY_CTX_set_params(generation->maker, (OSSL_PARAM *)(uintptr_t)params) > 0;
}

static void *generate_init(void *provider, int selection, const OSSL_PARAM params[]) {
  generation_t *generation;
  if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0) return NULL;
  generation = calloc(1, sizeof *generation);
  if (generation == NULL) return NULL;
  generation->provider = provider;
  generation->maker =
      EVP_PKEY_CTX_new_from_name(generation->provider->library, "RSA", NULL);
  if (generation->maker != NULL && EVP_PKEY_keygen_init(generation->maker) > 0 &&
      generate_set_params(generation, params))
    return generation;
  generate_cleanup(generation);
  return NULL;
}

static const OSSL_PARAM *generate_settable(void *context, void *provider) {
  static const OSSL_PARAM known[] = {
      OSSL_PARAM_DEFN(OSSL_PKEY_PARAM_RSA_BITS, OSSL_PARAM_UNSIGNED_INTEGER, NULL, 0),
      OSSL_PARAM_DEFN(OSSL_PKEY_PARAM_RSA_PRIMES, OSSL_PARAM_UNSIGNED_INTEGER, NULL, 0),
      NUMBER(OSSL_PKEY_PARAM_RSA_E), OSSL_PARAM_END};
  (void)context;
  (void)provider;
  return known;
}

/* Tells the caller how far it is, who may end it. */
static int tell(EVP_PKEY_CTX *maker) {
  const generation_t *generation = EVP_PKEY_CTX_get_app_data(maker);
  int potential = EVP_PKEY_CTX_get_keygen_info(maker, 0);
  int iteration = EVP_PKEY_CTX_get_keygen_info(maker, 1);
  const OSSL_PARAM params[] = {OSSL_PARAM_int(OSSL_GEN_PARAM_POTENTIAL, &potential),
                               OSSL_PARAM_int(OSSL_GEN_PARAM_ITERATION, &iteration),
                               OSSL_PARAM_END};
  return generation->callback == NULL || generation->callback(params, generation->argument);
}

static void *generate(void *context, OSSL_CALLBACK *callback, void *argument) {
  generation_t *generation = context;
  mf_key_t *key = mf_key_new(generation->provider);
  generation->callback = callback;
  generation->argument = argument;
  EVP_PKEY_CTX_set_app_data(generation->maker, generation);
  EVP_PKEY_CTX_set_cb(generation->maker, tell);
  const int good = key != NULL && EVP_PKEY_generate(generation->maker, &key->software) > 0;
  OPENSSL_thread_stop_ex(generation->provider->library); /* as mf_leave_library */
  if (good) return key;
  mf_key_free(key);
  (void)mf_raise(generation->provider, MF_R_SOFTWARE, "No key could be made");
  return NULL;
}

const OSSL_DISPATCH mf_keymgmt_functions[] = {
    {OSSL_FUNC_KEYMGMT_NEW, (void (*)(void))new_key},
    {OSSL_FUNC_KEYMGMT_FREE, (void (*)(void))free_key},
    {OSSL_FUNC_KEYMGMT_LOAD, (void (*)(void))load},
    {OSSL_FUNC_KEYMGMT_HAS, (void (*)(void))has},
    {OSSL_FUNC_KEYMGMT_MATCH, (void (*)(void))match},
    {OSSL_FUNC_KEYMGMT_VALIDATE, (void (*)(void))validate},
    {OSSL_FUNC_KEYMGMT_IMPORT, (void (*)(void))import},
    {OSSL_FUNC_KEYMGMT_IMPORT_TYPES, (void (*)(void))transfer_types},
    {OSSL_FUNC_KEYMGMT_EXPORT, (void (*)(void))export},
    {OSSL_FUNC_KEYMGMT_EXPORT_TYPES, (void (*)(void))transfer_types},
    {OSSL_FUNC_KEYMGMT_DUP, (void (*)(void))duplicate},
    {OSSL_FUNC_KEYMGMT_GET_PARAMS, (void (*)(void))get_params},
    {OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS, (void (*)(void))gettable_params},
    {OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME, (void (*)(void))operation_name},
    {OSSL_FUNC_KEYMGMT_GEN_INIT, (void (*)(void))generate_init},
    {OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS, (void (*)(void))generate_set_params},
    {OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS, (void (*)(void))generate_settable},
    {OSSL_FUNC_KEYMGMT_GEN, (void (*)(void))generate},
    {OSSL_FUNC_KEYMGMT_GEN_CLEANUP, (void (*)(void))generate_cleanup},
    {0, NULL}};
