/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures: PKCS#1 v1.5, PSS and none. Encoding here, the private operation in the daemon. */
#define OPENSSL_SUPPRESS_DEPRECATED /* RSA_padding_*: OpenSSL's own encoders */
#include <openssl/err.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "modfab_provider.h"
#include "modfab_sign_id.h"

enum { MAX_SALT_NAME = 16, PSS_AUTO_DIGEST = -4 };

typedef struct {
  const mf_provider_t *provider;
  mf_key_t *key; /* a reference */
  int padding, salt;
  EVP_MD *digest, *mask; /* of the message; of PSS's mask, NULL for the same */
  EVP_MD_CTX *hash;      /* of a message that comes in parts */
} signer_t;

static void *new_signer(void *provider, const char *properties) {
  signer_t *signer = calloc(1, sizeof *signer);
  (void)properties; /* digests are OpenSSL's default provider's */
  if (signer == NULL) return NULL;
  signer->provider = provider;
  signer->padding = RSA_PKCS1_PADDING;
  signer->salt = RSA_PSS_SALTLEN_AUTO;
  return signer;
}

static void free_signer(void *context) {
  signer_t *signer = context;
  if (signer == NULL) return;
  mf_key_free(signer->key);
  EVP_MD_free(signer->digest);
  EVP_MD_free(signer->mask);
  EVP_MD_CTX_free(signer->hash);
  free(signer);
}

static void *duplicate(void *context) {
  const signer_t *signer = context;
  signer_t *copy = malloc(sizeof *copy);
  if (copy == NULL) return NULL;
  *copy = *signer;
  (void)mf_key_share(copy->key);
  copy->hash = NULL;
  if (copy->digest != NULL && !EVP_MD_up_ref(copy->digest)) copy->digest = NULL;
  if (copy->mask != NULL && !EVP_MD_up_ref(copy->mask)) copy->mask = NULL;
  if (signer->hash != NULL) {
    copy->hash = EVP_MD_CTX_new();
    if (copy->hash == NULL || !EVP_MD_CTX_copy_ex(copy->hash, signer->hash)) {
      free_signer(copy);
      return NULL;
    }
  }
  return copy;
}

/* ---- parameters ---- */
static const struct {
  int salt;
  const char *name;
} salts[] = {{RSA_PSS_SALTLEN_DIGEST, OSSL_PKEY_RSA_PSS_SALT_LEN_DIGEST},
             {RSA_PSS_SALTLEN_MAX, OSSL_PKEY_RSA_PSS_SALT_LEN_MAX},
             {RSA_PSS_SALTLEN_AUTO, OSSL_PKEY_RSA_PSS_SALT_LEN_AUTO},
             {PSS_AUTO_DIGEST, "auto-digestmax"}};

enum { NUM_SALTS = sizeof salts / sizeof *salts };

static int get_salt_name(const OSSL_PARAM *param, int *salt) {
  char text[MAX_SALT_NAME], *name = text, *end;
  if (!OSSL_PARAM_get_utf8_string(param, &name, sizeof text)) return 0;
  for (size_t i = 0; i < NUM_SALTS; ++i) {
    if (strcmp(name, salts[i].name) != 0) continue;
    *salt = salts[i].salt;
    return 1;
  }
  const long number = strtol(name, &end, 10);
  *salt = (int)number;
  return end != name && *end == '\0' && number >= INT_MIN && number <= INT_MAX;
}

static int get_salt(const mf_provider_t *provider, const OSSL_PARAM *param, int *salt) {
  int chosen = 0;
  if (param == NULL) return 1;
  const int good = param->data_type == OSSL_PARAM_UTF8_STRING ? get_salt_name(param, &chosen)
                                                              : OSSL_PARAM_get_int(param, &chosen);
  if (!good || chosen < PSS_AUTO_DIGEST)
    return mf_raise(provider, MF_R_PARAMETER, "Expected digest, max, auto or a number as salt");
  *salt = chosen;
  return 1;
}

static int set_salt(OSSL_PARAM *param, int salt) {
  char text[MAX_SALT_NAME];
  if (param == NULL) return 1;
  if (param->data_type != OSSL_PARAM_UTF8_STRING) return OSSL_PARAM_set_int(param, salt);
  for (size_t i = 0; i < NUM_SALTS; ++i)
    if (salts[i].salt == salt) return OSSL_PARAM_set_utf8_string(param, salts[i].name);
  (void)snprintf(text, sizeof text, "%d", salt);
  return OSSL_PARAM_set_utf8_string(param, text);
}

/* Takes over a digest of message or mask, one that OpenSSL signs and verifies with. */
static int take_digest(const signer_t *signer, EVP_MD *found, EVP_MD **place) {
  const int begun = signer->hash != NULL && place == &signer->digest;
  const char *fault = NULL;
  if (!mf_signs(found))
    fault = "Expected a digest that OpenSSL takes for RSA signatures";
  else if (begun && !EVP_MD_is_a(found, EVP_MD_get0_name(signer->digest)))
    fault = "The digest of a begun signature cannot be changed";
  if (fault != NULL) {
    EVP_MD_free(found);
    return mf_raise(signer->provider, MF_R_DIGEST, "%s", fault);
  }
  EVP_MD_free(*place);
  *place = found;
  return 1;
}

static int get_digest(const signer_t *signer, const OSSL_PARAM params[], const char *key,
                      const char *properties_key, EVP_MD **place) {
  EVP_MD *found = NULL;
  if (!mf_get_digest(signer->provider, params, key, properties_key, &found)) return 0;
  return found == NULL || take_digest(signer, found, place);
}

static int set_params(void *context, const OSSL_PARAM params[]) {
  signer_t *signer = context;
  const mf_provider_t *provider = signer->provider;
  if (params == NULL) return 1;
  const OSSL_PARAM *padding = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_PAD_MODE);
  const OSSL_PARAM *salt = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_PSS_SALTLEN);
  int chosen = signer->padding;
  if (!mf_get_padding(provider, padding, &chosen)) return 0;
  if (chosen != RSA_PKCS1_PADDING && chosen != RSA_PKCS1_PSS_PADDING && chosen != RSA_NO_PADDING)
    return mf_raise(provider, MF_R_PADDING, "Expected pkcs1, pss or none for a signature");
  if (!get_digest(signer, params, OSSL_SIGNATURE_PARAM_DIGEST, OSSL_SIGNATURE_PARAM_PROPERTIES,
                  &signer->digest))
    return 0;
  signer->padding = chosen;
  return get_digest(signer, params, OSSL_SIGNATURE_PARAM_MGF1_DIGEST,
                    OSSL_SIGNATURE_PARAM_MGF1_PROPERTIES, &signer->mask) &&
         get_salt(provider, salt, &signer->salt);
}

static const OSSL_PARAM *settable_params(void *context, void *provider) {
  static const OSSL_PARAM known[] = {
      OSSL_PARAM_DEFN(OSSL_SIGNATURE_PARAM_DIGEST, OSSL_PARAM_UTF8_STRING, NULL, 0),
      OSSL_PARAM_DEFN(OSSL_SIGNATURE_PARAM_PROPERTIES, OSSL_PARAM_UTF8_STRING, NULL, 0),
      OSSL_PARAM_DEFN(OSSL_SIGNATURE_PARAM_PAD_MODE, OSSL_PARAM_UTF8_STRING, NULL, 0),
      OSSL_PARAM_DEFN(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, OSSL_PARAM_UTF8_STRING, NULL, 0),
      OSSL_PARAM_DEFN(OSSL_SIGNATURE_PARAM_MGF1_DIGEST, OSSL_PARAM_UTF8_STRING, NULL, 0),
      OSSL_PARAM_DEFN(OSSL_SIGNATURE_PARAM_MGF1_PROPERTIES, OSSL_PARAM_UTF8_STRING, NULL, 0),
      OSSL_PARAM_END};
  (void)context;
  (void)provider;
  return known;
}

static const EVP_MD *mask_of(const signer_t *signer) {
  return signer->mask != NULL ? signer->mask : signer->digest;
}

/* Bytes of the salt that a signature gets; negative when the key is too short. */
static int salt_bytes(const signer_t *signer) {
  const int digest = EVP_MD_get_size(signer->digest);
  const int most = (EVP_PKEY_get_bits(signer->key->software) + 6) / 8 - digest - 2;
  switch (signer->salt) {
    case RSA_PSS_SALTLEN_DIGEST: return digest;
    case PSS_AUTO_DIGEST: return most < digest ? most : digest;
    case RSA_PSS_SALTLEN_AUTO:
    case RSA_PSS_SALTLEN_MAX: return most;
    default: return signer->salt;
  }
}

static int set_identifier(const signer_t *signer, OSSL_PARAM *param) {
  unsigned char *der = NULL;
  if (param == NULL) return 1;
  if (signer->digest == NULL || signer->key == NULL) return 0;
  const int size = signer->padding == RSA_PKCS1_PSS_PADDING
                       ? mf_pss_identifier(signer->digest, mask_of(signer), salt_bytes(signer), &der)
                       : mf_pkcs1_identifier(signer->digest, &der);
  const int good = size > 0 && OSSL_PARAM_set_octet_string(param, der, (size_t)size);
  OPENSSL_free(der);
  return good;
}

static int get_params(void *context, OSSL_PARAM params[]) {
  const signer_t *signer = context;
  if (params == NULL) return 1;
  return set_identifier(signer, OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_ALGORITHM_ID)) &&
         mf_set_padding(OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_PAD_MODE),
                        signer->padding) &&
         mf_set_digest(OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_DIGEST), signer->digest) &&
         mf_set_digest(OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_MGF1_DIGEST),
                       mask_of(signer)) &&
         set_salt(OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_PSS_SALTLEN), signer->salt);
}

static const OSSL_PARAM *gettable_params(void *context, void *provider) {
  static const OSSL_PARAM known[] = {
      OSSL_PARAM_DEFN(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, OSSL_PARAM_OCTET_STRING, NULL, 0),
      OSSL_PARAM_DEFN(OSSL_SIGNATURE_PARAM_PAD_MODE, OSSL_PARAM_UTF8_STRING, NULL, 0),
      OSSL_PARAM_DEFN(OSSL_SIGNATURE_PARAM_DIGEST, OSSL_PARAM_UTF8_STRING, NULL, 0),
      OSSL_PARAM_DEFN(OSSL_SIGNATURE_PARAM_MGF1_DIGEST, OSSL_PARAM_UTF8_STRING, NULL, 0),
      OSSL_PARAM_DEFN(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, OSSL_PARAM_UTF8_STRING, NULL, 0),
      OSSL_PARAM_END};
  (void)context;
  (void)provider;
  return known;
}

static int get_md_params(void *context, OSSL_PARAM params[]) {
  const signer_t *signer = context;
  return signer->hash != NULL && EVP_MD_CTX_get_params(signer->hash, params);
}

static const OSSL_PARAM *gettable_md_params(void *context) {
  const signer_t *signer = context;
  return signer->digest == NULL ? NULL : EVP_MD_gettable_ctx_params(signer->digest);
}

/* ---- a digest to a signature and back ---- */
static int init(void *context, void *key, const OSSL_PARAM params[]) {
  signer_t *signer = context;
  EVP_MD_CTX_free(signer->hash);
  signer->hash = NULL;
  signer->padding = RSA_PKCS1_PADDING; /* as OpenSSL; digests stay */
  signer->salt = RSA_PSS_SALTLEN_AUTO;
  if (key != NULL) mf_key_keep(&signer->key, key);
  if (signer->key == NULL || signer->key->software == NULL)
    return mf_raise(signer->provider, MF_R_KEY, "A signature needs an RSA key");
  return set_params(signer, params);
}

static int encode_pss(const signer_t *signer, uint8_t *to, const uint8_t *digest) {
  BIGNUM *n = NULL, *e = NULL;
  RSA *shell = RSA_new(); /* the encoder asks it for the length of the modulus only */
  int good = shell != NULL &&
             EVP_PKEY_get_bn_param(signer->key->software, OSSL_PKEY_PARAM_RSA_N, &n) &&
             EVP_PKEY_get_bn_param(signer->key->software, OSSL_PKEY_PARAM_RSA_E, &e) &&
             RSA_set0_key(shell, n, e, NULL);
  OSSL_LIB_CTX *before = mf_enter_library(signer->provider); /* the salt is random */
  if (good)
    good = RSA_padding_add_PKCS1_PSS_mgf1(shell, to, digest, signer->digest, mask_of(signer),
                                          salt_bytes(signer));
  else {
    BN_free(n);
    BN_free(e);
  }
  mf_leave_library(signer->provider, before);
  RSA_free(shell);
  return good;
}

static int encode_pkcs1(const signer_t *signer, uint8_t *to, size_t size, const uint8_t *data,
                        size_t data_size) {
  unsigned char *info = NULL;
  int info_size = (int)data_size, good;
  if (signer->digest == NULL || EVP_MD_is_a(signer->digest, "MD5-SHA1"))
    return RSA_padding_add_PKCS1_type_1(to, (int)size, data, info_size);
  info_size = mf_digest_info(signer->digest, data, data_size, &info);
  good = info_size > 0 && RSA_padding_add_PKCS1_type_1(to, (int)size, info, info_size);
  OPENSSL_free(info);
  return good;
}

static int encode(signer_t *signer, uint8_t *to, size_t size, const uint8_t *data,
                  size_t data_size) {
  if (signer->padding == RSA_PKCS1_PSS_PADDING && signer->digest == NULL &&
      !mf_fetch_digest(signer->provider, "SHA1", NULL, &signer->digest)) /* as OpenSSL */
    return 0;
  const size_t wanted = signer->padding == RSA_NO_PADDING ? size
                        : signer->digest != NULL ? (size_t)EVP_MD_get_size(signer->digest)
                                                 : data_size;
  if (data_size != wanted || data_size > size)
    return mf_raise(signer->provider, MF_R_LENGTH, "Expected %zu bytes to sign, but got %zu", wanted,
                    data_size);
  if (signer->padding == RSA_NO_PADDING) {
    memcpy(to, data, size);
    return 1;
  }
  const int good = signer->padding == RSA_PKCS1_PSS_PADDING
                       ? encode_pss(signer, to, data)
                       : encode_pkcs1(signer, to, size, data, data_size);
  return good || mf_raise(signer->provider, MF_R_LENGTH, "The key is too short for the padding");
}

static int sign(void *context, unsigned char *signature, size_t *length, size_t room,
                const unsigned char *data, size_t data_size) {
  signer_t *signer = context;
  uint8_t padded[MF_MAX_MODULUS];
  const size_t size = mf_key_bytes(signer->key);
  if (size == 0) return mf_key_too_long(signer->key);
  *length = size;
  if (signature == NULL) return 1;
  if (room < size) return mf_raise(signer->provider, MF_R_LENGTH, "Expected room for %zu bytes", size);
  return encode(signer, padded, size, data, data_size) &&
         mf_key_private(signer->key, padded, signature);
}

static EVP_PKEY_CTX *verifier(const signer_t *signer, int (*start)(EVP_PKEY_CTX *)) {
  EVP_PKEY_CTX *check = mf_key_software(signer->key, start, signer->padding);
  int good = check != NULL;
  if (good && signer->digest != NULL)
    good = EVP_PKEY_CTX_set_signature_md(check, signer->digest) > 0;
  if (good && signer->padding == RSA_PKCS1_PSS_PADDING)
    good = EVP_PKEY_CTX_set_rsa_pss_saltlen(check, signer->salt) > 0 &&
           (signer->mask == NULL || EVP_PKEY_CTX_set_rsa_mgf1_md(check, signer->mask) > 0);
  if (good) return check;
  EVP_PKEY_CTX_free(check);
  (void)mf_raise(signer->provider, MF_R_SOFTWARE, "The signature's parameters do not fit together");
  return NULL;
}

static int verify(void *context, const unsigned char *signature, size_t length,
                  const unsigned char *data, size_t data_size) {
  EVP_PKEY_CTX *check = verifier(context, EVP_PKEY_verify_init);
  const int right = check != NULL && EVP_PKEY_verify(check, signature, length, data, data_size) > 0;
  EVP_PKEY_CTX_free(check);
  return right;
}

static int recover(void *context, unsigned char *to, size_t *length, size_t room,
                   const unsigned char *signature, size_t signature_size) {
  EVP_PKEY_CTX *check = verifier(context, EVP_PKEY_verify_recover_init);
  *length = room;
  const int right = check != NULL &&
                    EVP_PKEY_verify_recover(check, to, length, signature, signature_size) > 0;
  EVP_PKEY_CTX_free(check);
  return right;
}

/* ---- a message in parts ---- */
static int digest_init(void *context, const char *name, void *key, const OSSL_PARAM params[]) {
  signer_t *signer = context;
  EVP_MD *found = NULL;
  if (!init(signer, key, params)) return 0;
  if (name == NULL || *name == '\0') name = signer->digest == NULL ? "SHA256" : NULL;
  if (name != NULL && (!mf_fetch_digest(signer->provider, name, NULL, &found) ||
                       !take_digest(signer, found, &signer->digest)))
    return 0;
  signer->hash = EVP_MD_CTX_new();
  return signer->hash != NULL && EVP_DigestInit_ex2(signer->hash, signer->digest, NULL);
}

static int digest_update(void *context, const unsigned char *data, size_t size) {
  signer_t *signer = context;
  return signer->hash != NULL && EVP_DigestUpdate(signer->hash, data, size);
}

static int digest_sign_final(void *context, unsigned char *signature, size_t *length, size_t room) {
  signer_t *signer = context;
  uint8_t digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  if (signer->hash == NULL) return 0;
  if (signature == NULL) return sign(signer, NULL, length, 0, NULL, 0);
  return EVP_DigestFinal_ex(signer->hash, digest, &size) &&
         sign(signer, signature, length, room, digest, size);
}

static int digest_verify_final(void *context, const unsigned char *signature, size_t length) {
  signer_t *signer = context;
  uint8_t digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  return signer->hash != NULL && EVP_DigestFinal_ex(signer->hash, digest, &size) &&
         verify(signer, signature, length, digest, size);
}

const OSSL_DISPATCH mf_signature_functions[] = {
    {OSSL_FUNC_SIGNATURE_NEWCTX, (void (*)(void))new_signer},
    {OSSL_FUNC_SIGNATURE_FREECTX, (void (*)(void))free_signer},
    {OSSL_FUNC_SIGNATURE_DUPCTX, (void (*)(void))duplicate},
    {OSSL_FUNC_SIGNATURE_SIGN_INIT, (void (*)(void))init},
    {OSSL_FUNC_SIGNATURE_SIGN, (void (*)(void))sign},
    {OSSL_FUNC_SIGNATURE_VERIFY_INIT, (void (*)(void))init},
    {OSSL_FUNC_SIGNATURE_VERIFY, (void (*)(void))verify},
    {OSSL_FUNC_SIGNATURE_VERIFY_RECOVER_INIT, (void (*)(void))init},
    {OSSL_FUNC_SIGNATURE_VERIFY_RECOVER, (void (*)(void))recover},
    {OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT, (void (*)(void))digest_init},
    {OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE, (void (*)(void))digest_update},
    {OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL, (void (*)(void))digest_sign_final},
    {OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT, (void (*)(void))digest_init},
    {OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE, (void (*)(void))digest_update},
    {OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_FINAL, (void (*)(void))digest_verify_final},
    {OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS, (void (*)(void))set_params},
    {OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS, (void (*)(void))settable_params},
    {OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS, (void (*)(void))get_params},
    {OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS, (void (*)(void))gettable_params},
    {OSSL_FUNC_SIGNATURE_GET_CTX_MD_PARAMS, (void (*)(void))get_md_params},
    {OSSL_FUNC_SIGNATURE_GETTABLE_CTX_MD_PARAMS, (void (*)(void))gettable_md_params},
    {0, NULL}};
