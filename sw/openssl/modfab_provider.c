/* SPDX-License-Identifier: Apache-2.0 */
/* Entry of the OpenSSL provider: what it offers, and its section of openssl.cnf. */
#define _GNU_SOURCE /* secure_getenv */
#include "modfab_provider.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "modfab"
#define RSA_NAMES "RSA:rsaEncryption:1.2.840.113549.1.1.1"
#define PROPERTIES "provider=modfab"

enum { TIMEOUT_S = 300, PATIENCE_S = 5, MAX_SECONDS = 86400 };

const OSSL_ITEM mf_reasons[] = {
    {MF_R_DAEMON, "the daemon gave no result"},
    {MF_R_KEY, "no RSA key that can be used"},
    {MF_R_NO_PRIVATE, "the private key is not here"},
    {MF_R_PADDING, "a padding that is not known"},
    {MF_R_DIGEST, "a digest that is not known"},
    {MF_R_LENGTH, "a wrong length"},
    {MF_R_DECRYPT, "decryption failed"},
    {MF_R_RESULT, "a wrong result was caught"},
    {MF_R_SOFTWARE, "OpenSSL's default provider failed"},
    {MF_R_NAME, "a name that no key can have"},
    {MF_R_PARAMETER, "a wrong parameter"},
    {0, NULL}};

static const OSSL_ALGORITHM keymgmts[] = {
    {RSA_NAMES, PROPERTIES, mf_keymgmt_functions, "RSA keys of modfab"}, {NULL, NULL, NULL, NULL}};
static const OSSL_ALGORITHM signatures[] = {
    {RSA_NAMES, PROPERTIES, mf_signature_functions, "RSA signatures on a modfab core"},
    {NULL, NULL, NULL, NULL}};
static const OSSL_ALGORITHM ciphers[] = {
    {RSA_NAMES, PROPERTIES, mf_cipher_functions, "RSA decryption on a modfab core"},
    {NULL, NULL, NULL, NULL}};
static const OSSL_ALGORITHM stores[] = {
    {NAME, PROPERTIES, mf_store_functions, "Keys of the daemon modfab serve"},
    {NULL, NULL, NULL, NULL}};

int mf_raise(const mf_provider_t *provider, uint32_t reason, const char *format, ...) {
  va_list values;
  if (provider->new_error != NULL && provider->vset_error != NULL) {
    provider->new_error(provider->handle);
    va_start(values, format);
    provider->vset_error(provider->handle, reason, format, values);
    va_end(values);
  }
  return 0;
}

OSSL_LIB_CTX *mf_enter_library(const mf_provider_t *provider) {
  return OSSL_LIB_CTX_set0_default(provider->library);
}

void mf_leave_library(const mf_provider_t *provider, OSSL_LIB_CTX *before) {
  (void)OSSL_LIB_CTX_set0_default(before);
  OPENSSL_thread_stop_ex(provider->library);
}

static const OSSL_ALGORITHM *query(void *context, int operation, int *no_cache) {
  (void)context;
  *no_cache = 0;
  switch (operation) {
    case OSSL_OP_KEYMGMT: return keymgmts;
    case OSSL_OP_SIGNATURE: return signatures;
    case OSSL_OP_ASYM_CIPHER: return ciphers;
    case OSSL_OP_STORE: return stores;
    default: return NULL;
  }
}

static const OSSL_PARAM *gettable_params(void *context) {
  static const OSSL_PARAM known[] = {
      OSSL_PARAM_DEFN(OSSL_PROV_PARAM_NAME, OSSL_PARAM_UTF8_PTR, NULL, 0),
      OSSL_PARAM_DEFN(OSSL_PROV_PARAM_STATUS, OSSL_PARAM_INTEGER, NULL, 0), OSSL_PARAM_END};
  (void)context;
  return known;
}

static int get_params(void *context, OSSL_PARAM params[]) {
  (void)context;
  OSSL_PARAM *name = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_NAME);
  OSSL_PARAM *status = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_STATUS);
  return (name == NULL || OSSL_PARAM_set_utf8_ptr(name, "modfab RSA cores")) &&
         (status == NULL || OSSL_PARAM_set_int(status, 1));
}

static const OSSL_ITEM *get_reasons(void *context) {
  (void)context;
  return mf_reasons;
}

static void teardown(void *context) {
  mf_provider_t *provider = context;
  OSSL_LIB_CTX_free(provider->library);
  free(provider);
}

static const OSSL_DISPATCH functions[] = {
    {OSSL_FUNC_PROVIDER_TEARDOWN, (void (*)(void))teardown},
    {OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, (void (*)(void))gettable_params},
    {OSSL_FUNC_PROVIDER_GET_PARAMS, (void (*)(void))get_params},
    {OSSL_FUNC_PROVIDER_GET_REASON_STRINGS, (void (*)(void))get_reasons},
    {OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query},
    {0, NULL}};

/* ---- configuration ---- */

/* `text` as seconds into `seconds`; 1 also when there is no text. */
static int get_seconds(const char *text, unsigned *seconds) {
  char *end;
  if (text == NULL) return 1;
  const unsigned long value = strtoul(text, &end, 10);
  if (end == text || *end != '\0' || value > MAX_SECONDS) return 0;
  *seconds = (unsigned)value;
  return 1;
}

static int get_switch(const char *text, int *on) {
  if (text == NULL) return 1;
  *on = strcmp(text, "yes") == 0;
  return *on || strcmp(text, "no") == 0;
}

/* MODFAB_SOCKET, the section's socket, modfab.sock in XDG_RUNTIME_DIR, /run/modfab.sock. Who starts
   a set-user-ID program does not choose for it. */
static int get_path(const char *configured, char *path) {
  const char *chosen = secure_getenv("MODFAB_SOCKET");
  const char *folder = secure_getenv("XDG_RUNTIME_DIR");
  int size;
  if (chosen == NULL || *chosen == '\0') chosen = configured;
  if (chosen != NULL)
    size = snprintf(path, MF_PATH_BYTES, "%s", chosen);
  else
    size = snprintf(path, MF_PATH_BYTES, "%s/modfab.sock",
                    folder != NULL && *folder != '\0' ? folder : "/run");
  return size > 0 && size < MF_PATH_BYTES;
}

/* OpenSSL ignores a provider that does not load and would use software without a word. So wrong
   settings are told by the operations that need them. */
static int configure(mf_provider_t *provider, OSSL_FUNC_core_get_params_fn *get) {
  char *path = NULL, *fallback = NULL, *timeout = NULL, *patience = NULL;
  OSSL_PARAM params[] = {OSSL_PARAM_utf8_ptr("socket", &path, 0),
                         OSSL_PARAM_utf8_ptr("fallback", &fallback, 0),
                         OSSL_PARAM_utf8_ptr("timeout", &timeout, 0),
                         OSSL_PARAM_utf8_ptr("patience", &patience, 0), OSSL_PARAM_END};
  if (get != NULL && !get(provider->handle, params)) return 0;
  provider->client.timeout_s = TIMEOUT_S;
  provider->client.patience_s = PATIENCE_S;
  provider->is_configured = get_path(path, provider->client.path) &&
                            get_switch(fallback, &provider->fallback) &&
                            get_seconds(timeout, &provider->client.timeout_s) &&
                            get_seconds(patience, &provider->client.patience_s);
  return 1;
}

int mf_is_configured(const mf_provider_t *provider) {
  return provider->is_configured ||
         mf_raise(provider, MF_R_PARAMETER,
                  "Expected socket = a path of up to 107 bytes, fallback = yes or no, timeout and "
                  "patience = seconds; correct the provider's section");
}

__attribute__((visibility("default"))) int OSSL_provider_init(const OSSL_CORE_HANDLE *handle,
                                                              const OSSL_DISPATCH *in,
                                                              const OSSL_DISPATCH **out,
                                                              void **context) {
  OSSL_FUNC_core_get_params_fn *get = NULL;
  mf_provider_t *provider = calloc(1, sizeof *provider);
  if (provider == NULL) return 0;
  provider->handle = handle;
  for (; in->function_id != 0; ++in) {
    switch (in->function_id) {
      case OSSL_FUNC_CORE_GET_PARAMS: get = OSSL_FUNC_core_get_params(in); break;
      case OSSL_FUNC_CORE_NEW_ERROR: provider->new_error = OSSL_FUNC_core_new_error(in); break;
      case OSSL_FUNC_CORE_VSET_ERROR: provider->vset_error = OSSL_FUNC_core_vset_error(in); break;
      default: break;
    }
  }
  provider->library = OSSL_LIB_CTX_new();
  if (provider->library == NULL || !configure(provider, get)) {
    teardown(provider);
    return 0;
  }
  *out = functions;
  *context = provider;
  return 1;
}
