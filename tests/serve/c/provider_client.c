/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that uses the provider through OpenSSL's interface; tests build it with sanitizers.
 *   provider_client KEY PUBLIC.pem all         every scheme against OpenSSL's own provider
 *   provider_client KEY PUBLIC.pem threads     8 threads, then forks, signing at the same time
 *   provider_client KEY PUBLIC.pem decrypt HEX PKCS#1 v1.5 decryption: prints the message
 *   provider_client KEY PUBLIC.pem cleansed HEX    the same, and before it what the provider cleansed
 *   provider_client KEY PUBLIC.pem tls HEX     with TLS padding for version 0x0303
 *   provider_client KEY PUBLIC.pem fails       a signature has to fail
 * KEY is modfab:NAME or a PEM file. OPENSSL_CONF names the provider's configuration.
 */
#define _GNU_SOURCE
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>
#include <openssl/store.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "cleanse.h"

enum { THREADS = 8, SIGNATURES = 5, MAX_BYTES = 1024 };

static OSSL_LIB_CTX *stock; /* OpenSSL without the provider */
static EVP_PKEY *key, *public_key;
static const unsigned char message[] = "what is signed";

static EVP_PKEY *load_key(const char *uri) {
  EVP_PKEY *found = NULL;
  OSSL_STORE_CTX *store = OSSL_STORE_open(uri, NULL, NULL, NULL, NULL);
  CHECK(store != NULL);
  while (found == NULL && !OSSL_STORE_eof(store)) {
    OSSL_STORE_INFO *info = OSSL_STORE_load(store);
    if (info != NULL && OSSL_STORE_INFO_get_type(info) == OSSL_STORE_INFO_PKEY)
      found = OSSL_STORE_INFO_get1_PKEY(info);
    OSSL_STORE_INFO_free(info);
  }
  OSSL_STORE_close(store);
  CHECK(found != NULL);
  /* OpenSSL keeps a key of a file where its decoder is, and exports it for each operation. */
  if (strncmp(uri, "modfab:", 7) == 0)
    CHECK(strcmp(OSSL_PROVIDER_get0_name(EVP_PKEY_get0_provider(found)), "modfab") == 0);
  return found;
}

static EVP_PKEY *load_public(const char *path) {
  FILE *file = fopen(path, "r");
  CHECK(file != NULL);
  EVP_PKEY *found = PEM_read_PUBKEY_ex(file, NULL, NULL, NULL, stock, NULL);
  CHECK(found != NULL);
  fclose(file);
  return found;
}

static void set_scheme(EVP_PKEY_CTX *context, int padding, int salt, const char *mask) {
  if (padding == 0) return;
  CHECK(EVP_PKEY_CTX_set_rsa_padding(context, padding) > 0);
  if (padding != RSA_PKCS1_PSS_PADDING) return;
  CHECK(EVP_PKEY_CTX_set_rsa_pss_saltlen(context, salt) > 0);
  if (mask != NULL) CHECK(EVP_PKEY_CTX_set_rsa_mgf1_md_name(context, mask, NULL) > 0);
}

static size_t sign_message(unsigned char *to, const char *digest, int padding, int salt,
                           const char *mask) {
  EVP_PKEY_CTX *context;
  size_t size = 0;
  EVP_MD_CTX *begun = EVP_MD_CTX_new(), *copy = EVP_MD_CTX_new();
  CHECK(EVP_DigestSignInit_ex(begun, &context, digest, NULL, NULL, key, NULL) > 0);
  set_scheme(context, padding, salt, mask);
  CHECK(EVP_DigestSignUpdate(begun, message, 5) > 0);
  CHECK(EVP_MD_CTX_copy_ex(copy, begun));
  EVP_MD_CTX_free(begun);
  CHECK(EVP_DigestSignUpdate(copy, message + 5, sizeof message - 5) > 0);
  CHECK(EVP_DigestSignFinal(copy, NULL, &size) > 0);
  CHECK(size == (size_t)EVP_PKEY_get_size(key) && size <= MAX_BYTES);
  CHECK(EVP_DigestSignFinal(copy, to, &size) > 0);
  EVP_MD_CTX_free(copy);
  return size;
}

static int verify_with(EVP_PKEY *verifier, OSSL_LIB_CTX *library, const unsigned char *signature,
                       size_t size, const char *digest, int padding, int salt, const char *mask) {
  EVP_PKEY_CTX *context;
  EVP_MD_CTX *begun = EVP_MD_CTX_new();
  CHECK(EVP_DigestVerifyInit_ex(begun, &context, digest, library, NULL, verifier, NULL) > 0);
  set_scheme(context, padding, salt, mask);
  const int right = EVP_DigestVerify(begun, signature, size, message, sizeof message) == 1;
  EVP_MD_CTX_free(begun);
  ERR_clear_error();
  return right;
}

static void check_signature(const char *digest, int padding, int salt, const char *mask) {
  unsigned char signature[MAX_BYTES];
  const size_t size = sign_message(signature, digest, padding, salt, mask);
  CHECK(verify_with(public_key, stock, signature, size, digest, padding, salt, mask));
  CHECK(verify_with(key, NULL, signature, size, digest, padding, salt, mask));
  signature[size / 2] ^= 1;
  CHECK(!verify_with(public_key, stock, signature, size, digest, padding, salt, mask));
  CHECK(!verify_with(key, NULL, signature, size, digest, padding, salt, mask));
}

static void check_signatures(void) {
  static const char *const digests[] = {"SHA1", "SHA224", "SHA256", "SHA384", "SHA512", "SHA3-256"};
  for (size_t i = 0; i < sizeof digests / sizeof *digests; ++i) {
    check_signature(digests[i], RSA_PKCS1_PADDING, 0, NULL);
    check_signature(digests[i], RSA_PKCS1_PSS_PADDING, RSA_PSS_SALTLEN_AUTO, NULL);
  }
  check_signature("SHA256", 0, 0, NULL);
  check_signature("SHA256", RSA_PKCS1_PSS_PADDING, RSA_PSS_SALTLEN_DIGEST, NULL);
  check_signature("SHA256", RSA_PKCS1_PSS_PADDING, RSA_PSS_SALTLEN_MAX, NULL);
  check_signature("SHA256", RSA_PKCS1_PSS_PADDING, 0, NULL);
  check_signature("SHA256", RSA_PKCS1_PSS_PADDING, 7, "SHA1");
}

/* A signature without a digest, its recovery, and room that is too small. */
static void check_raw(void) {
  unsigned char to[MAX_BYTES], back[MAX_BYTES];
  size_t size = sizeof to, back_size = sizeof back;
  EVP_PKEY_CTX *begun = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
  CHECK(EVP_PKEY_sign_init(begun) > 0);
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_dup(begun);
  EVP_PKEY_CTX_free(begun);
  CHECK(context != NULL && EVP_PKEY_sign(context, to, &size, message, sizeof message) > 0);
  CHECK(EVP_PKEY_verify_recover_init(context) > 0);
  CHECK(EVP_PKEY_verify_recover(context, back, &back_size, to, size) > 0);
  CHECK(back_size == sizeof message && memcmp(back, message, back_size) == 0);
  CHECK(EVP_PKEY_sign_init(context) > 0);
  size = 3;
  CHECK(EVP_PKEY_sign(context, to, &size, message, sizeof message) <= 0);
  size = sizeof to;
  CHECK(EVP_PKEY_sign(context, to, &size, to, sizeof to) <= 0);
  CHECK(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) <= 0);
  CHECK(EVP_PKEY_CTX_ctrl_str(context, "digest", "none-such") <= 0);
  EVP_PKEY_CTX_free(context);
  ERR_clear_error();
}

static EVP_PKEY_CTX *cipher(EVP_PKEY *of, OSSL_LIB_CTX *library, int (*init)(EVP_PKEY_CTX *),
                            int padding, const char *digest, const char *mask, const char *label) {
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(library, of, NULL);
  CHECK(context != NULL && init(context) > 0);
  CHECK(EVP_PKEY_CTX_set_rsa_padding(context, padding) > 0);
  if (digest != NULL) CHECK(EVP_PKEY_CTX_set_rsa_oaep_md_name(context, digest, NULL) > 0);
  if (mask != NULL) CHECK(EVP_PKEY_CTX_set_rsa_mgf1_md_name(context, mask, NULL) > 0);
  if (label != NULL)
    CHECK(EVP_PKEY_CTX_set0_rsa_oaep_label(context, OPENSSL_strdup(label), (int)strlen(label)) > 0);
  return context;
}

static void check_cipher(int padding, const char *digest, const char *mask, const char *label) {
  unsigned char secret[MAX_BYTES], back[MAX_BYTES];
  for (int ours = 0; ours < 2; ++ours) {
    size_t size = sizeof secret, back_size = sizeof back;
    EVP_PKEY_CTX *to = cipher(ours ? key : public_key, ours ? NULL : stock, EVP_PKEY_encrypt_init,
                              padding, digest, mask, label);
    CHECK(EVP_PKEY_encrypt(to, secret, &size, message, sizeof message) > 0);
    EVP_PKEY_CTX_free(to);
    to = cipher(key, NULL, EVP_PKEY_decrypt_init, padding, digest, mask, label);
    EVP_PKEY_CTX *from = EVP_PKEY_CTX_dup(to);
    EVP_PKEY_CTX_free(to);
    CHECK(from != NULL && EVP_PKEY_decrypt(from, back, &back_size, secret, size) > 0);
    CHECK(back_size == sizeof message && memcmp(back, message, back_size) == 0);
    EVP_PKEY_CTX_free(from);
  }
}

/* Every wrong OAEP padding leaves one and the same error. */
static void check_wrong_oaep(void) {
  unsigned char secret[MAX_BYTES], back[MAX_BYTES];
  static const char *const labels[] = {"another", NULL};
  size_t size = sizeof secret;
  EVP_PKEY_CTX *to = cipher(public_key, stock, EVP_PKEY_encrypt_init, RSA_PKCS1_OAEP_PADDING,
                            "SHA256", NULL, "label");
  CHECK(EVP_PKEY_encrypt(to, secret, &size, message, sizeof message) > 0);
  EVP_PKEY_CTX_free(to);
  for (size_t i = 0; i < 4; ++i) {
    size_t back_size = sizeof back;
    EVP_PKEY_CTX *from = cipher(key, NULL, EVP_PKEY_decrypt_init, RSA_PKCS1_OAEP_PADDING,
                                i < 2 ? "SHA256" : "SHA1", NULL, labels[i % 2]);
    ERR_clear_error();
    CHECK(EVP_PKEY_decrypt(from, back, &back_size, secret, size) <= 0);
    CHECK(strcmp(ERR_reason_error_string(ERR_get_error()), "decryption failed") == 0);
    CHECK(ERR_get_error() == 0);
    EVP_PKEY_CTX_free(from);
  }
}

static void check_key(void) {
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
  BIGNUM *n = NULL, *other_n = NULL, *d = NULL;
  EVP_PKEY *copy = EVP_PKEY_dup(key), *made;
  CHECK(copy != NULL && EVP_PKEY_eq(copy, key) == 1 && EVP_PKEY_eq(key, public_key) == 1);
  CHECK(EVP_PKEY_check(context) > 0 && EVP_PKEY_public_check(context) > 0);
  CHECK(EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_N, &n));
  CHECK(EVP_PKEY_get_bn_param(public_key, OSSL_PKEY_PARAM_RSA_N, &other_n));
  CHECK(BN_cmp(n, other_n) == 0 && EVP_PKEY_get_bits(key) == BN_num_bits(n));
  made = EVP_RSA_gen(1024);
  CHECK(made != NULL && EVP_PKEY_eq(made, key) == 0);
  CHECK(strcmp(OSSL_PROVIDER_get0_name(EVP_PKEY_get0_provider(made)), "modfab") == 0);
  CHECK(EVP_PKEY_get_bn_param(made, OSSL_PKEY_PARAM_RSA_D, &d));
  EVP_PKEY_free(made);
  EVP_PKEY_free(copy);
  BN_free(n);
  BN_free(other_n);
  BN_clear_free(d);
  EVP_PKEY_CTX_free(context);
  ERR_clear_error();
}

static void *sign_often(void *unused) {
  (void)unused;
  for (int i = 0; i < SIGNATURES; ++i)
    check_signature("SHA256", RSA_PKCS1_PSS_PADDING, RSA_PSS_SALTLEN_DIGEST, NULL);
  return NULL;
}

static void check_threads(void) {
  pthread_t threads[THREADS];
  pid_t children[THREADS / 2];
  int status;
  for (int i = 0; i < THREADS; ++i) CHECK(pthread_create(&threads[i], NULL, sign_often, NULL) == 0);
  for (int i = 0; i < THREADS; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  for (int i = 0; i < THREADS / 2; ++i) {
    children[i] = fork();
    CHECK(children[i] >= 0);
    if (children[i] == 0) {
      (void)sign_often(NULL);
      _exit(0);
    }
  }
  (void)sign_often(NULL);
  for (int i = 0; i < THREADS / 2; ++i)
    CHECK(waitpid(children[i], &status, 0) == children[i] && status == 0);
}

static void decrypt_hex(const char *hex, const char *what) {
  const int tls = strcmp(what, "tls") == 0;
  unsigned char to[MAX_BYTES];
  unsigned version = 0x0303;
  OSSL_PARAM params[] = {
      OSSL_PARAM_uint(OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION, &version), OSSL_PARAM_END};
  long size = 0;
  size_t to_size = sizeof to;
  unsigned char *secret = OPENSSL_hexstr2buf(hex, &size);
  EVP_PKEY_CTX *from = cipher(key, NULL, EVP_PKEY_decrypt_init,
                              tls ? RSA_PKCS1_WITH_TLS_PADDING : RSA_PKCS1_PADDING, NULL, NULL, NULL);
  if (tls) CHECK(EVP_PKEY_CTX_set_params(from, params) > 0);
  if (strcmp(what, "cleansed") == 0) watched = "/modfab-openssl.so";
  CHECK(secret != NULL && EVP_PKEY_decrypt(from, to, &to_size, secret, (size_t)size) > 0);
  watched = NULL;
  for (size_t i = 0; i < to_size; ++i) printf("%02x", to[i]);
  printf("\n");
  OPENSSL_free(secret);
  EVP_PKEY_CTX_free(from);
}

/* Nothing of a wrong result gets out, and a key of the daemon is not valid. */
static void check_failure(int is_named) {
  unsigned char to[MAX_BYTES];
  size_t size = sizeof to;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
  memset(to, 7, sizeof to);
  if (is_named) CHECK(EVP_PKEY_check(context) <= 0);
  ERR_clear_error();
  CHECK(EVP_PKEY_sign_init(context) > 0);
  CHECK(EVP_PKEY_sign(context, to, &size, message, sizeof message) <= 0);
  CHECK(ERR_peek_error() != 0);
  printf("%s\n", ERR_reason_error_string(ERR_get_error()));
  for (size_t i = 0; i < sizeof to; ++i) CHECK(to[i] == 7 || to[i] == 0);
  EVP_PKEY_CTX_free(context);
}

int main(int count, char **words) {
  CHECK(count >= 4);
  const char *what = words[3];
  stock = OSSL_LIB_CTX_new();
  CHECK(stock != NULL);
  key = load_key(words[1]);
  public_key = load_public(words[2]);
  if (strcmp(what, "all") == 0) {
    check_key();
    check_signatures();
    check_raw();
    check_cipher(RSA_PKCS1_PADDING, NULL, NULL, NULL);
    check_cipher(RSA_PKCS1_OAEP_PADDING, NULL, NULL, NULL);
    check_cipher(RSA_PKCS1_OAEP_PADDING, "SHA256", NULL, "label");
    check_cipher(RSA_PKCS1_OAEP_PADDING, "SHA256", "SHA1", NULL);
    check_wrong_oaep();
  } else if (strcmp(what, "threads") == 0) {
    check_threads();
  } else if (count > 4) {
    for (int i = 4; i < count; ++i) decrypt_hex(words[i], what);
  } else {
    check_failure(strncmp(words[1], "modfab:", 7) == 0);
  }
  EVP_PKEY_free(key);
  EVP_PKEY_free(public_key);
  OSSL_LIB_CTX_free(stock);
  return 0;
}
