/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the provider keeps between calls; tests build it with sanitizers.
 *   provider_state KEY.pem keys           keys that OpenSSL frees while contexts use them
 *   provider_state KEY.pem settings       a salt that is read back, what is refused
 *   provider_state CONFIG secure          loads a configuration and asks for modfab:web
 */
#define OPENSSL_SUPPRESS_DEPRECATED /* RSA_*: keys of programs that are older than providers */
#include <openssl/conf.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/store.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "check.h"

enum { MAX_BYTES = 1024, NUMBERS = 8, MAX_TEXT = 24 };

static const unsigned char message[] = "what is signed";

static EVP_PKEY *load_key(const char *path) {
  FILE *file = fopen(path, "r");
  CHECK(file != NULL);
  EVP_PKEY *found = PEM_read_PrivateKey(file, NULL, NULL, NULL);
  CHECK(found != NULL);
  fclose(file);
  return found;
}

/* The key as an old program makes it. */
static RSA *make_rsa(const EVP_PKEY *key) {
  static const char *const names[NUMBERS] = {
      OSSL_PKEY_PARAM_RSA_N,         OSSL_PKEY_PARAM_RSA_E,         OSSL_PKEY_PARAM_RSA_D,
      OSSL_PKEY_PARAM_RSA_FACTOR1,   OSSL_PKEY_PARAM_RSA_FACTOR2,   OSSL_PKEY_PARAM_RSA_EXPONENT1,
      OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1};
  BIGNUM *numbers[NUMBERS] = {NULL};
  RSA *made = RSA_new();
  CHECK(made != NULL);
  for (size_t i = 0; i < NUMBERS; ++i) CHECK(EVP_PKEY_get_bn_param(key, names[i], &numbers[i]));
  CHECK(RSA_set0_key(made, numbers[0], numbers[1], numbers[2]));
  CHECK(RSA_set0_factors(made, numbers[3], numbers[4]));
  CHECK(RSA_set0_crt_params(made, numbers[5], numbers[6], numbers[7]));
  return made;
}

/* OpenSSL notices a change of the key at its next use, and frees what the provider had of it. */
static void change(RSA *rsa, EVP_PKEY *key) {
  const BIGNUM *dp, *dq, *qi;
  EVP_PKEY_CTX *next = EVP_PKEY_CTX_new(key, NULL);
  RSA_get0_crt_params(rsa, &dp, &dq, &qi);
  CHECK(RSA_set0_crt_params(rsa, BN_dup(dp), BN_dup(dq), BN_dup(qi)));
  CHECK(next != NULL && EVP_PKEY_sign_init(next) > 0);
  EVP_PKEY_CTX_free(next);
}

static void check_signature(RSA *rsa, EVP_PKEY *key) {
  unsigned char to[MAX_BYTES], again[MAX_BYTES];
  size_t size = sizeof to, again_size = sizeof again;
  EVP_MD_CTX *begun = EVP_MD_CTX_new(), *copy = EVP_MD_CTX_new();
  CHECK(EVP_DigestSignInit_ex(begun, NULL, "SHA256", NULL, NULL, key, NULL) > 0);
  CHECK(EVP_DigestSignUpdate(begun, message, sizeof message) > 0);
  CHECK(EVP_MD_CTX_copy_ex(copy, begun));
  change(rsa, key);
  CHECK(EVP_DigestSignFinal(begun, to, &size) > 0);
  EVP_MD_CTX_free(begun);
  CHECK(EVP_DigestSignFinal(copy, again, &again_size) > 0);
  CHECK(size == again_size && memcmp(to, again, size) == 0);
  EVP_MD_CTX_free(copy);
}

static void check_reset(RSA *rsa, EVP_PKEY *key) {
  unsigned char to[MAX_BYTES];
  size_t size = sizeof to;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
  CHECK(context != NULL && EVP_PKEY_sign_init(context) > 0);
  change(rsa, key);
  CHECK(EVP_PKEY_sign_init(context) > 0 && EVP_PKEY_sign_init(context) > 0);
  change(rsa, key);
  CHECK(EVP_PKEY_sign(context, to, &size, message, sizeof message) > 0);
  CHECK(EVP_PKEY_verify_init(context) > 0);
  CHECK(EVP_PKEY_verify(context, to, size, message, sizeof message) > 0);
  EVP_PKEY_CTX_free(context);
}

static void check_decryption(RSA *rsa, EVP_PKEY *key) {
  unsigned char secret[MAX_BYTES], back[MAX_BYTES];
  size_t size = sizeof secret, back_size = sizeof back;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
  CHECK(context != NULL && EVP_PKEY_encrypt_init(context) > 0);
  change(rsa, key);
  CHECK(EVP_PKEY_encrypt(context, secret, &size, message, sizeof message) > 0);
  CHECK(EVP_PKEY_decrypt_init(context) > 0);
  EVP_PKEY_CTX *copy = EVP_PKEY_CTX_dup(context);
  change(rsa, key);
  EVP_PKEY_CTX_free(context);
  CHECK(copy != NULL && EVP_PKEY_decrypt(copy, back, &back_size, secret, size) > 0);
  CHECK(back_size == sizeof message && memcmp(back, message, back_size) == 0);
  EVP_PKEY_CTX_free(copy);
}

static void check_keys(const EVP_PKEY *own) {
  RSA *rsa = make_rsa(own);
  EVP_PKEY *key = EVP_PKEY_new();
  CHECK(key != NULL && EVP_PKEY_set1_RSA(key, rsa));
  check_signature(rsa, key);
  check_reset(rsa, key);
  check_decryption(rsa, key);
  EVP_PKEY_free(key);
  RSA_free(rsa);
}

/* A salt length as a parameter that is text. */
static int set_text(EVP_PKEY_CTX *context, const char *text) {
  OSSL_PARAM params[] = {
      OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, (char *)(size_t)text, strlen(text)),
      OSSL_PARAM_END};
  return EVP_PKEY_CTX_set_params(context, params) > 0;
}

static void reads(EVP_PKEY_CTX *context, const char *wanted) {
  char text[MAX_TEXT] = "";
  OSSL_PARAM params[] = {
      OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, text, sizeof text), OSSL_PARAM_END};
  CHECK(EVP_PKEY_CTX_get_params(context, params) > 0);
  CHECK(strcmp(text, wanted) == 0);
}

static void check_salt(EVP_PKEY_CTX *context) {
  static const char *const words[] = {"20", "0", "digest", "max", "auto", "auto-digestmax"};
  static const char *const wrong[] = {"-5", "-99", "many", "", "7x", "99999999999", "4294967296"};
  int number = -99, low = -5;
  OSSL_PARAM params[] = {OSSL_PARAM_int(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, &low), OSSL_PARAM_END};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    CHECK(set_text(context, words[i]));
    reads(context, words[i]);
  }
  CHECK(EVP_PKEY_CTX_set_rsa_pss_saltlen(context, 17) > 0);
  reads(context, "17");
  CHECK(EVP_PKEY_CTX_get_rsa_pss_saltlen(context, &number) > 0 && number == 17);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) CHECK(!set_text(context, wrong[i]));
  CHECK(EVP_PKEY_CTX_set_params(context, params) <= 0);
  CHECK(EVP_PKEY_CTX_set_rsa_pss_saltlen(context, -9) <= 0);
  reads(context, "17"); /* what was refused changes nothing */
}

static void check_xof(EVP_PKEY_CTX *context, EVP_PKEY *key) {
  static const char *const names[] = {"SHAKE128", "SHAKE256"};
  char text[MAX_TEXT] = "";
  for (size_t i = 0; i < 2; ++i) {
    EVP_MD_CTX *begun = EVP_MD_CTX_new();
    CHECK(EVP_DigestSignInit_ex(begun, NULL, names[i], NULL, NULL, key, NULL) <= 0);
    EVP_MD_CTX_free(begun);
    begun = EVP_MD_CTX_new();
    CHECK(EVP_DigestVerifyInit_ex(begun, NULL, names[i], NULL, NULL, key, NULL) <= 0);
    EVP_MD_CTX_free(begun);
    CHECK(EVP_PKEY_CTX_ctrl_str(context, "digest", names[i]) <= 0);
  }
  OSSL_PARAM params[] = {
      OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, text, sizeof text), OSSL_PARAM_END};
  CHECK(EVP_PKEY_CTX_get_params(context, params) > 0);
  CHECK(strncmp(text, "SHA2-256", 8) == 0);
}

static void check_settings(EVP_PKEY *key) {
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
  CHECK(context != NULL && EVP_PKEY_sign_init(context) > 0);
  CHECK(EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) > 0);
  CHECK(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) > 0);
  check_salt(context);
  check_xof(context, key);
  EVP_PKEY_CTX_free(context);
  ERR_clear_error();
}

static void check_secure(const char *config) {
  CHECK(CONF_modules_load_file(config, NULL, 0) > 0);
  printf("secure %d\n", getauxval(AT_SECURE) != 0);
  OSSL_STORE_CTX *store = OSSL_STORE_open("modfab:web", NULL, NULL, NULL, NULL);
  CHECK(store == NULL);
  ERR_print_errors_fp(stdout);
}

int main(int count, char **words) {
  CHECK(count == 3);
  if (strcmp(words[2], "secure") == 0) {
    check_secure(words[1]);
    return 0;
  }
  EVP_PKEY *key = load_key(words[1]);
  if (strcmp(words[2], "keys") == 0) check_keys(key);
  else check_settings(key);
  EVP_PKEY_free(key);
  return 0;
}
