/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The provider in a library context of its own, beside a default context without any algorithm. The
 * thread that uses it ends after both contexts:
 *   provider_context KEY.pem
 */
#include <openssl/provider.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include "provider_pair.h"

enum { DATA = 32, MAX_BYTES = 256 };

static const unsigned char data[DATA] = {1, 2, 3};

static void check_signatures(int padding) {
  unsigned char signature[MAX_BYTES];
  size_t size = sizeof signature;
  char digest[] = "SHA256";
  EVP_PKEY_CTX *signer = context_of(OURS, keys[OURS]), *check = context_of(OURS, keys[OURS]);
  CHECK(EVP_PKEY_sign_init(signer) > 0 && EVP_PKEY_CTX_set_rsa_padding(signer, padding) > 0);
  CHECK(set_text(signer, OSSL_SIGNATURE_PARAM_DIGEST, digest));
  CHECK(EVP_PKEY_sign(signer, signature, &size, data, DATA) > 0);
  CHECK(EVP_PKEY_verify_init(check) > 0 && EVP_PKEY_CTX_set_rsa_padding(check, padding) > 0);
  CHECK(set_text(check, OSSL_SIGNATURE_PARAM_DIGEST, digest));
  CHECK(EVP_PKEY_verify(check, signature, size, data, DATA) > 0);
  EVP_PKEY_CTX_free(signer);
  EVP_PKEY_CTX_free(check);
}

static void check_decryption(int padding) {
  unsigned char secret[MAX_BYTES], message[MAX_BYTES];
  size_t secret_size = sizeof secret, size = sizeof message;
  EVP_PKEY_CTX *hides = context_of(OURS, keys[OURS]), *opens = context_of(OURS, keys[OURS]);
  CHECK(EVP_PKEY_encrypt_init(hides) > 0 && EVP_PKEY_CTX_set_rsa_padding(hides, padding) > 0);
  CHECK(EVP_PKEY_encrypt(hides, secret, &secret_size, data, DATA) > 0);
  CHECK(EVP_PKEY_decrypt_init(opens) > 0 && EVP_PKEY_CTX_set_rsa_padding(opens, padding) > 0);
  CHECK(EVP_PKEY_decrypt(opens, message, &size, secret, secret_size) > 0);
  CHECK(size == DATA && memcmp(message, data, DATA) == 0);
  EVP_PKEY_CTX_free(hides);
  EVP_PKEY_CTX_free(opens);
}

static void check_keys(void) {
  EVP_PKEY_CTX *check = context_of(OURS, keys[OURS]);
  CHECK(EVP_PKEY_check(check) > 0);
  EVP_PKEY_CTX_free(check);
  EVP_PKEY *made = EVP_PKEY_Q_keygen(libraries[OURS], "provider=modfab", "RSA", (size_t)1024);
  CHECK(made != NULL);
  EVP_PKEY_free(made);
}

static sem_t used, freed;

static void *use(void *argument) {
  check_signatures(RSA_PKCS1_PADDING);
  check_signatures(RSA_PKCS1_PSS_PADDING);
  check_decryption(RSA_PKCS1_PADDING);
  check_decryption(RSA_PKCS1_OAEP_PADDING);
  check_keys();
  OPENSSL_thread_stop_ex(libraries[OURS]); /* OpenSSL asks it of who frees a context */
  CHECK(sem_post(&used) == 0 && sem_wait(&freed) == 0);
  return argument;
}

int main(int argc, char **argv) {
  pthread_t worker;
  CHECK(argc == 2 && OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL));
  OSSL_PROVIDER *none = OSSL_PROVIDER_load(NULL, "null");
  CHECK(none != NULL);
  libraries[OURS] = OSSL_LIB_CTX_new();
  CHECK(libraries[OURS] != NULL);
  CHECK(OSSL_LIB_CTX_load_config(libraries[OURS], getenv("OPENSSL_CONF")));
  keys[OURS] = load_key(argv[1], libraries[OURS]);
  CHECK(sem_init(&used, 0, 0) == 0 && sem_init(&freed, 0, 0) == 0);
  CHECK(pthread_create(&worker, NULL, use, NULL) == 0 && sem_wait(&used) == 0);
  EVP_PKEY_free(keys[OURS]);
  OSSL_LIB_CTX_free(libraries[OURS]);
  CHECK(sem_post(&freed) == 0 && pthread_join(worker, NULL) == 0);
  OSSL_PROVIDER_unload(none);
  return 0;
}
