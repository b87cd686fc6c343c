/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The provider beside OpenSSL's own, call by call; tests build it with sanitizers.
 *   provider_like KEY.pem begun          digest and padding of a signature that is begun (again)
 *   provider_like KEY.pem identifiers    DER of what names a signature's algorithm
 *   provider_like KEY.pem long           public operations of a key that is too long for private ones
 *   provider_like KEY.pem edges          what is missing or empty, and what no signature can use
 *   provider_like KEY.pem digests        which digests are taken, with which properties
 *   provider_like KEY.pem generation     what the making of a key tells, and that it can be ended
 */
#include <openssl/param_build.h>
#include <limits.h>
#include <string.h>

#include "provider_pair.h"

enum { MAX_BYTES = 256, MAX_LONG = 1200 };

static const unsigned char message[] = "what is signed";

/* ---- a signature that is begun ---- */
static EVP_MD_CTX *begin(int which, EVP_PKEY_CTX **context, const char *digest) {
  EVP_MD_CTX *begun = EVP_MD_CTX_new();
  CHECK(EVP_DigestSignInit_ex(begun, context, digest, libraries[which], NULL, keys[which], NULL));
  return begun;
}

/* The digest of a begun signature may be set, when it is the same one. */
static void check_same_digest(int which) {
  EVP_PKEY_CTX *context;
  EVP_MD_CTX *begun = begin(which, &context, "SHA256");
  CHECK(EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) > 0);
  CHECK(EVP_PKEY_CTX_set_signature_md(context, EVP_sha384()) <= 0);
  CHECK(set_text(context, OSSL_SIGNATURE_PARAM_DIGEST, (char[]){"SHA2-256"}));
  CHECK(!set_text(context, OSSL_SIGNATURE_PARAM_DIGEST, (char[]){"none-such"}));
  EVP_MD_CTX_free(begun);
}

static size_t finish(EVP_MD_CTX *begun, unsigned char *to) {
  size_t size = MAX_BYTES;
  CHECK(EVP_DigestSignUpdate(begun, message, sizeof message) > 0);
  CHECK(EVP_DigestSignFinal(begun, to, &size) > 0);
  return size;
}

/* A second signature of a context has the first settings of a padding again. */
static void check_again(int which, unsigned char *to) {
  EVP_PKEY_CTX *context;
  int salt = 0, padding = 0;
  EVP_MD_CTX *begun = begin(which, &context, "SHA384");
  CHECK(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) > 0);
  CHECK(EVP_PKEY_CTX_set_rsa_pss_saltlen(context, 20) > 0);
  (void)finish(begun, to);
  CHECK(EVP_DigestSignInit(begun, NULL, NULL, NULL, NULL) > 0);
  CHECK(EVP_PKEY_CTX_get_rsa_padding(context, &padding) > 0 && padding == RSA_PKCS1_PADDING);
  CHECK(finish(begun, to) == (size_t)EVP_PKEY_get_size(keys[which]));
  CHECK(EVP_DigestSignInit(begun, NULL, NULL, NULL, NULL) > 0);
  CHECK(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) > 0);
  CHECK(EVP_PKEY_CTX_get_rsa_pss_saltlen(context, &salt) > 0 && salt == RSA_PSS_SALTLEN_AUTO);
  EVP_MD_CTX_free(begun);
}

static void check_begun(void) {
  unsigned char to[BOTH][MAX_BYTES] = {{0}};
  for (int which = 0; which < BOTH; ++which) {
    check_same_digest(which);
    check_again(which, to[which]);
  }
  CHECK(memcmp(to[OURS], to[STOCK], MAX_BYTES) == 0);
}

/* ---- names of algorithms ---- */
static size_t identifier(int which, const char *digest, int padding, const char *mask, int salt,
                         unsigned char *to) {
  EVP_PKEY_CTX *context;
  OSSL_PARAM params[] = {
      OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, to, MAX_BYTES), OSSL_PARAM_END};
  EVP_MD_CTX *begun = begin(which, &context, digest);
  CHECK(EVP_PKEY_CTX_set_rsa_padding(context, padding) > 0);
  if (mask != NULL) CHECK(EVP_PKEY_CTX_set_rsa_mgf1_md_name(context, mask, NULL) > 0);
  if (salt != 0) CHECK(EVP_PKEY_CTX_set_rsa_pss_saltlen(context, salt) > 0);
  CHECK(EVP_PKEY_CTX_get_params(context, params) > 0);
  EVP_MD_CTX_free(begun);
  return params[0].return_size;
}

static void compare(const char *digest, int padding, const char *mask, int salt) {
  unsigned char to[BOTH][MAX_BYTES];
  size_t sizes[BOTH];
  for (int which = 0; which < BOTH; ++which)
    sizes[which] = identifier(which, digest, padding, mask, salt, to[which]);
  CHECK(sizes[OURS] > 0 && sizes[OURS] == sizes[STOCK]);
  CHECK(memcmp(to[OURS], to[STOCK], sizes[OURS]) == 0);
}

static void check_identifiers(void) {
  static const char *const digests[] = {"SHA1",     "SHA224",   "SHA256",     "SHA384",
                                        "SHA512",   "SHA3-224", "SHA512-224", "SHA512-256",
                                        "SHA3-256", "SHA3-384", "SHA3-512"};
  static const char *const masks[] = {"SHA1", "SHA224", "SHA256", "SHA384", "SHA512"};
  for (size_t i = 0; i < sizeof digests / sizeof *digests; ++i)
    compare(digests[i], RSA_PKCS1_PADDING, NULL, 0);
  for (size_t i = 0; i < sizeof masks / sizeof *masks; ++i) {
    compare(masks[i], RSA_PKCS1_PSS_PADDING, NULL, RSA_PSS_SALTLEN_DIGEST);
    compare("SHA256", RSA_PKCS1_PSS_PADDING, masks[i], RSA_PSS_SALTLEN_MAX);
    compare(masks[i], RSA_PKCS1_PSS_PADDING, "SHA384", 20);
  }
}

/* ---- a long key ---- */
/* Its primes are Mersenne's, so that it is made at once: 2^4423 - 1 and 2^4253 - 1. */
static OSSL_PARAM *long_key(void) {
  BIGNUM *p = BN_new(), *q = BN_new(), *n = BN_new(), *e = BN_new(), *order = BN_new();
  BN_CTX *work = BN_CTX_new();
  OSSL_PARAM_BLD *numbers = OSSL_PARAM_BLD_new();
  CHECK(BN_set_bit(p, 4423) && BN_sub_word(p, 1) && BN_set_bit(q, 4253) && BN_sub_word(q, 1));
  CHECK(BN_mul(n, p, q, work) && BN_set_word(e, 65537) && BN_sub_word(p, 1) && BN_sub_word(q, 1));
  CHECK(BN_mul(order, p, q, work));
  BIGNUM *d = BN_mod_inverse(NULL, e, order, work);
  CHECK(d != NULL && OSSL_PARAM_BLD_push_BN(numbers, OSSL_PKEY_PARAM_RSA_N, n));
  CHECK(OSSL_PARAM_BLD_push_BN(numbers, OSSL_PKEY_PARAM_RSA_E, e));
  CHECK(OSSL_PARAM_BLD_push_BN(numbers, OSSL_PKEY_PARAM_RSA_D, d));
  OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(numbers);
  CHECK(params != NULL);
  BIGNUM *all[] = {p, q, n, e, d, order};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) BN_free(all[i]);
  OSSL_PARAM_BLD_free(numbers);
  BN_CTX_free(work);
  return params;
}

/* Signed and decrypted by OpenSSL's own provider; ours refuses that. */
static void check_private(EVP_PKEY *made[BOTH], unsigned char *signature, size_t *size,
                          unsigned char *secret, size_t secret_size) {
  unsigned char back[MAX_LONG];
  size_t back_size = sizeof back, none = MAX_LONG;
  EVP_PKEY_CTX *context = context_of(STOCK, made[STOCK]);
  CHECK(EVP_PKEY_sign_init(context) > 0);
  CHECK(EVP_PKEY_sign(context, signature, size, message, sizeof message) > 0);
  CHECK(EVP_PKEY_decrypt_init(context) > 0);
  CHECK(EVP_PKEY_decrypt(context, back, &back_size, secret, secret_size) > 0);
  CHECK(back_size == sizeof message && memcmp(back, message, back_size) == 0);
  EVP_PKEY_CTX_free(context);
  context = context_of(OURS, made[OURS]);
  CHECK(EVP_PKEY_sign_init(context) <= 0 ||
        EVP_PKEY_sign(context, back, &none, message, sizeof message) <= 0);
  CHECK(EVP_PKEY_decrypt_init(context) <= 0 ||
        EVP_PKEY_decrypt(context, back, &none, secret, secret_size) <= 0);
  EVP_PKEY_CTX_free(context);
}

static void check_long(void) {
  unsigned char signature[MAX_LONG], secret[MAX_LONG], back[MAX_LONG];
  size_t size = sizeof signature, secret_size = sizeof secret, back_size = sizeof back;
  EVP_PKEY *made[BOTH] = {NULL};
  OSSL_PARAM *params = long_key();
  for (int which = 0; which < BOTH; ++which) {
    EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(libraries[which], "RSA", NULL);
    CHECK(EVP_PKEY_fromdata_init(maker) > 0);
    CHECK(EVP_PKEY_fromdata(maker, &made[which], EVP_PKEY_KEYPAIR, params) > 0);
    EVP_PKEY_CTX_free(maker);
  }
  EVP_PKEY_CTX *context = context_of(OURS, made[OURS]);
  CHECK(EVP_PKEY_encrypt_init(context) > 0);
  CHECK(EVP_PKEY_encrypt(context, secret, &secret_size, message, sizeof message) > 0);
  check_private(made, signature, &size, secret, secret_size);
  CHECK(EVP_PKEY_verify_init(context) > 0);
  CHECK(EVP_PKEY_verify(context, signature, size, message, sizeof message) > 0);
  CHECK(EVP_PKEY_verify_recover_init(context) > 0);
  CHECK(EVP_PKEY_verify_recover(context, back, &back_size, signature, size) > 0);
  CHECK(back_size == sizeof message && memcmp(back, message, back_size) == 0);
  EVP_PKEY_CTX_free(context);
  for (int which = 0; which < BOTH; ++which) EVP_PKEY_free(made[which]);
  OSSL_PARAM_free(params);
}

/* ---- edges ---- */
static void check_masks(int which) {
  EVP_PKEY_CTX *context;
  EVP_MD_CTX *begun = begin(which, &context, "SHA256");
  CHECK(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) > 0);
  CHECK(!set_text(context, OSSL_PKEY_PARAM_MGF1_DIGEST, (char[]){"SHAKE256"}));
  CHECK(set_text(context, OSSL_PKEY_PARAM_MGF1_DIGEST, (char[]){"SHA384"}));
  EVP_MD_CTX_free(begun);
}

/* A parameter that is text, without one. */
static void check_no_text(int which) {
  EVP_PKEY_CTX *context = context_of(which, keys[which]);
  OSSL_PARAM params[] = {{OSSL_PKEY_PARAM_PAD_MODE, OSSL_PARAM_UTF8_STRING, NULL, 0, 0},
                         OSSL_PARAM_END};
  CHECK(EVP_PKEY_sign_init(context) > 0);
  CHECK(EVP_PKEY_CTX_set_params(context, params) <= 0);
  params[0].key = OSSL_PKEY_PARAM_MGF1_DIGEST;
  CHECK(EVP_PKEY_CTX_set_params(context, params) <= 0);
  EVP_PKEY_CTX_free(context);
}

/* OpenSSL 3.0's own provider frees a label twice after a duplicate. */
static void check_empty_label(void) {
  EVP_PKEY_CTX *context = context_of(OURS, keys[OURS]);
  char none[] = "";
  OSSL_PARAM params[] = {OSSL_PARAM_octet_string(OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL, none, 0),
                         OSSL_PARAM_END};
  CHECK(EVP_PKEY_encrypt_init(context) > 0);
  CHECK(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) > 0);
  CHECK(EVP_PKEY_CTX_set_params(context, params) > 0);
  EVP_PKEY_CTX *copy = EVP_PKEY_CTX_dup(context);
  CHECK(copy != NULL);
  EVP_PKEY_CTX_free(copy);
  EVP_PKEY_CTX_free(context);
}

static void check_edges(void) {
  for (int which = 0; which < BOTH; ++which) {
    check_masks(which);
    check_no_text(which);
  }
  check_empty_label();
}

/* ---- digests ---- */
static int signs(int which, const char *digest) {
  EVP_MD_CTX *begun = EVP_MD_CTX_new();
  const int good =
      EVP_DigestSignInit_ex(begun, NULL, digest, libraries[which], NULL, keys[which], NULL) > 0;
  EVP_MD_CTX_free(begun);
  return good;
}

static int takes(int which, const char *properties, int mask) {
  EVP_PKEY_CTX *context = context_of(which, keys[which]);
  CHECK(EVP_PKEY_encrypt_init(context) > 0);
  CHECK(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) > 0);
  const int good = mask ? EVP_PKEY_CTX_set_rsa_mgf1_md_name(context, "SHA256", properties)
                        : EVP_PKEY_CTX_set_rsa_oaep_md_name(context, "SHA256", properties);
  EVP_PKEY_CTX_free(context);
  return good > 0;
}

static int takes_mask(int which, const char *properties) {
  EVP_PKEY_CTX *context = context_of(which, keys[which]);
  CHECK(EVP_PKEY_sign_init(context) > 0);
  CHECK(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) > 0);
  const int good = EVP_PKEY_CTX_set_rsa_mgf1_md_name(context, "SHA256", properties);
  EVP_PKEY_CTX_free(context);
  return good > 0;
}

static void check_digests(void) {
  static const char *const digests[] = {"SHA1",       "SHA256",   "SHA512-256", "SHA3-384",
                                        "MD5",        "MD5-SHA1", "RIPEMD160",  "SHAKE256",
                                        "BLAKE2b512", "BLAKE2s256", "SM3"};
  static const char *const properties[] = {"provider=default", "provider=none-such"};
  CHECK(signs(OURS, "SHA256") && !signs(OURS, "BLAKE2b512"));
  for (size_t i = 0; i < sizeof digests / sizeof *digests; ++i)
    CHECK(signs(OURS, digests[i]) == signs(STOCK, digests[i]));
  for (int good = 0; good < 2; ++good)
    for (int which = 0; which < BOTH; ++which)
      for (int mask = 0; mask < 2; ++mask)
        CHECK(takes(which, properties[1 - good], mask) == good &&
              takes_mask(which, properties[1 - good]) == good);
}

/* ---- the making of a key ---- */
static int told, told_at_most;

static int count_told(EVP_PKEY_CTX *context) {
  CHECK(EVP_PKEY_CTX_get_keygen_info(context, -1) == 2);
  return ++told <= told_at_most;
}

static int generates(int which, int at_most) {
  EVP_PKEY *made = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(libraries[which], "RSA", NULL);
  CHECK(EVP_PKEY_keygen_init(context) > 0 && EVP_PKEY_CTX_set_rsa_keygen_bits(context, 1024) > 0);
  EVP_PKEY_CTX_set_cb(context, count_told);
  told = 0;
  told_at_most = at_most;
  const int good = EVP_PKEY_generate(context, &made);
  EVP_PKEY_free(made);
  EVP_PKEY_CTX_free(context);
  return good > 0;
}

static void check_generation(void) {
  for (int which = 0; which < BOTH; ++which) {
    CHECK(generates(which, INT_MAX) && told > 0);
    CHECK(!generates(which, 0) && told >= 1);
  }
}

int main(int count, char **words) {
  CHECK(count == 3);
  load_both(words[1]);
  if (strcmp(words[2], "begun") == 0) check_begun();
  else if (strcmp(words[2], "identifiers") == 0) check_identifiers();
  else if (strcmp(words[2], "long") == 0) check_long();
  else if (strcmp(words[2], "digests") == 0) check_digests();
  else if (strcmp(words[2], "generation") == 0) check_generation();
  else check_edges();
  free_both();
  return 0;
}
