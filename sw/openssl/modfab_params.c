/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that signature and cipher share: padding and digests. */
#include <string.h>

#include "modfab_provider.h"

static const struct {
  int padding;
  const char *name;
} paddings[] = {{RSA_PKCS1_PADDING, OSSL_PKEY_RSA_PAD_MODE_PKCSV15},
                {RSA_NO_PADDING, OSSL_PKEY_RSA_PAD_MODE_NONE},
                {RSA_PKCS1_OAEP_PADDING, OSSL_PKEY_RSA_PAD_MODE_OAEP},
                {RSA_PKCS1_OAEP_PADDING, "oeap"}, /* as OpenSSL 1 wrote it */
                {RSA_PKCS1_PSS_PADDING, OSSL_PKEY_RSA_PAD_MODE_PSS}};

enum { NUM_PADDINGS = sizeof paddings / sizeof *paddings };

int mf_get_padding(const mf_provider_t *provider, const OSSL_PARAM *param, int *padding) {
  if (param == NULL) return 1;
  if (param->data_type != OSSL_PARAM_UTF8_STRING)
    return OSSL_PARAM_get_int(param, padding) ||
           mf_raise(provider, MF_R_PADDING, "Expected the number of a padding");
  for (size_t i = 0; i < NUM_PADDINGS && param->data != NULL; ++i) {
    if (strcmp(param->data, paddings[i].name) == 0) {
      *padding = paddings[i].padding;
      return 1;
    }
  }
  return mf_raise(provider, MF_R_PADDING, "Expected pkcs1, pss, oaep or none as the padding");
}

int mf_set_padding(OSSL_PARAM *param, int padding) {
  if (param == NULL) return 1;
  if (param->data_type != OSSL_PARAM_UTF8_STRING) return OSSL_PARAM_set_int(param, padding);
  for (size_t i = 0; i < NUM_PADDINGS; ++i)
    if (paddings[i].padding == padding) return OSSL_PARAM_set_utf8_string(param, paddings[i].name);
  return 0;
}

int mf_fetch_digest(const mf_provider_t *provider, const char *name, const char *properties,
                    EVP_MD **digest) {
  EVP_MD *found = EVP_MD_fetch(provider->library, name, properties);
  if (found == NULL) return mf_raise(provider, MF_R_DIGEST, "There is no digest %.32s", name);
  EVP_MD_free(*digest);
  *digest = found;
  return 1;
}

int mf_get_digest(const mf_provider_t *provider, const OSSL_PARAM params[], const char *key,
                  const char *properties_key, EVP_MD **digest) {
  const OSSL_PARAM *param = OSSL_PARAM_locate_const(params, key);
  const OSSL_PARAM *beside = OSSL_PARAM_locate_const(params, properties_key);
  const char *name = NULL, *properties = NULL;
  if (param == NULL) return 1;
  if (!OSSL_PARAM_get_utf8_string_ptr(param, &name) ||
      (beside != NULL && !OSSL_PARAM_get_utf8_string_ptr(beside, &properties)))
    return mf_raise(provider, MF_R_DIGEST, "Expected the name of a digest, and its properties");
  return mf_fetch_digest(provider, name, properties, digest);
}

int mf_set_digest(OSSL_PARAM *param, const EVP_MD *digest) {
  return param == NULL ||
         OSSL_PARAM_set_utf8_string(param, digest == NULL ? "" : EVP_MD_get0_name(digest));
}
