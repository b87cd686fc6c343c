/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lengths and versions at their limits, with the provider; tests build it with sanitizers.
 *   provider_limits KEY.pem salts        salts as long as was asked for
 *   provider_limits KEY.pem lengths      data, room and ciphertexts of wrong lengths
 *   provider_limits KEY.pem tls          versions of a TLS premaster secret
 *   provider_limits KEY.pem rejection    wrong paddings as errors
 *   provider_limits KEY.pem store        a key that nobody takes
 *   provider_limits KEY.pem keys         keys that are not valid, or public only
 */
#include <openssl/param_build.h>
#include <openssl/store.h>
#include <string.h>

#include "provider_pair.h"

enum { MAX_BYTES = 256, PREMASTER = 48 };

static const unsigned char data[MAX_BYTES] = {0, 5, 6, 7};

static EVP_PKEY_CTX *signer(int which, int padding, const char *digest) {
  EVP_PKEY_CTX *made = context_of(which, keys[which]);
  CHECK(EVP_PKEY_sign_init(made) > 0 && EVP_PKEY_CTX_set_rsa_padding(made, padding) > 0);
  if (digest != NULL)
    CHECK(set_text(made, OSSL_SIGNATURE_PARAM_DIGEST, (char *)(size_t)digest));
  return made;
}

/* ---- salts ---- */
static int is_right(int which, const char *digest, size_t data_size, int salt,
                    const unsigned char *signature, size_t size) {
  EVP_PKEY_CTX *check = context_of(which, keys[which]);
  CHECK(EVP_PKEY_verify_init(check) > 0);
  CHECK(EVP_PKEY_CTX_set_rsa_padding(check, RSA_PKCS1_PSS_PADDING) > 0);
  if (digest != NULL)
    CHECK(set_text(check, OSSL_SIGNATURE_PARAM_DIGEST, (char *)(size_t)digest));
  CHECK(EVP_PKEY_CTX_set_rsa_pss_saltlen(check, salt) > 0);
  const int right = EVP_PKEY_verify(check, signature, size, data, data_size) > 0;
  EVP_PKEY_CTX_free(check);
  return right;
}

/* Verified with that length, and with no other one. */
static void check_salt(const char *digest, size_t data_size, char *text, int salt) {
  unsigned char signature[MAX_BYTES];
  size_t size = sizeof signature;
  EVP_PKEY_CTX *context = signer(OURS, RSA_PKCS1_PSS_PADDING, digest);
  CHECK(set_text(context, OSSL_SIGNATURE_PARAM_PSS_SALTLEN, text));
  CHECK(EVP_PKEY_sign(context, signature, &size, data, data_size) > 0);
  EVP_PKEY_CTX_free(context);
  for (int which = 0; which < BOTH; ++which) {
    CHECK(is_right(which, digest, data_size, salt, signature, size));
    CHECK(!is_right(which, digest, data_size, salt - 1, signature, size));
    CHECK(is_right(which, digest, data_size, RSA_PSS_SALTLEN_AUTO, signature, size));
  }
}

static void check_salts(void) {
  const int bytes = (EVP_PKEY_get_bits(keys[OURS]) + 6) / 8; /* of the encoding */
  const int most = bytes - 34, few = bytes - 66; /* of SHA-256 and SHA-512 */
  check_salt("SHA256", 32, (char[]){"digest"}, 32);
  check_salt("SHA256", 32, (char[]){"max"}, most);
  check_salt("SHA256", 32, (char[]){"auto"}, most);
  check_salt("SHA256", 32, (char[]){"auto-digestmax"}, 32);
  check_salt("SHA512", 64, (char[]){"auto-digestmax"}, few < 64 ? few : 64);
  check_salt("SHA256", 32, (char[]){"7"}, 7);
  check_salt(NULL, 20, (char[]){"digest"}, 20); /* SHA-1, as OpenSSL */
}

/* ---- lengths ---- */
static int signs(int which, int padding, const char *digest, size_t size) {
  unsigned char signature[MAX_BYTES];
  size_t room = sizeof signature;
  EVP_PKEY_CTX *context = signer(which, padding, digest);
  const int signed_it = EVP_PKEY_sign(context, signature, &room, data, size) > 0;
  EVP_PKEY_CTX_free(context);
  return signed_it;
}

static EVP_PKEY_CTX *cipher(int which, int (*init)(EVP_PKEY_CTX *), int padding) {
  EVP_PKEY_CTX *made = context_of(which, keys[which]);
  CHECK(init(made) > 0 && EVP_PKEY_CTX_set_rsa_padding(made, padding) > 0);
  return made;
}

/* The bytes before a short ciphertext are zeros. */
static void check_short(int which) {
  unsigned char back[MAX_BYTES];
  size_t size = sizeof back;
  EVP_PKEY_CTX *context = cipher(which, EVP_PKEY_decrypt_init, RSA_NO_PADDING);
  CHECK(EVP_PKEY_decrypt(context, back, &size, (const unsigned char[]){1}, 1) > 0);
  CHECK(size == (size_t)EVP_PKEY_get_size(keys[which]) && back[size - 1] == 1);
  for (size_t i = 0; i + 1 < size; ++i) CHECK(back[i] == 0);
  EVP_PKEY_CTX_free(context);
}

static void check_room(void) {
  unsigned char secret[MAX_BYTES], back[MAX_BYTES];
  size_t size = sizeof secret, room = 0;
  EVP_PKEY_CTX *context = cipher(OURS, EVP_PKEY_encrypt_init, RSA_PKCS1_PADDING);
  CHECK(EVP_PKEY_encrypt(context, secret, &size, data, 20) > 0);
  EVP_PKEY_CTX_free(context);
  context = cipher(OURS, EVP_PKEY_decrypt_init, RSA_PKCS1_PADDING);
  CHECK(EVP_PKEY_decrypt(context, NULL, &room, secret, size) > 0 && room == size);
  room = 19;
  memset(back, 9, sizeof back);
  CHECK(EVP_PKEY_decrypt(context, back, &room, secret, size) <= 0);
  for (size_t i = 0; i < sizeof back; ++i) CHECK(back[i] == 9);
  room = sizeof back;
  CHECK(EVP_PKEY_decrypt(context, back, &room, secret, size) > 0 && room == 20);
  room = sizeof back;
  CHECK(EVP_PKEY_decrypt(context, back, &room, secret, 0) <= 0);
  room = sizeof back;
  CHECK(EVP_PKEY_decrypt(context, back, &room, secret, size + 1) <= 0);
  EVP_PKEY_CTX_free(context);
}

static void check_lengths(void) {
  const size_t whole = (size_t)EVP_PKEY_get_size(keys[OURS]);
  for (int which = 0; which < BOTH; ++which) {
    for (size_t size = 30; size < 35; ++size) {
      CHECK(signs(which, RSA_PKCS1_PADDING, "SHA256", size) == (size == 32));
      CHECK(signs(which, RSA_PKCS1_PSS_PADDING, "SHA256", size) == (size == 32));
      CHECK(signs(which, RSA_PKCS1_PADDING, NULL, size));
    }
    CHECK(!signs(which, RSA_NO_PADDING, NULL, whole - 1));
    CHECK(signs(which, RSA_NO_PADDING, NULL, whole));
    CHECK(!signs(which, RSA_NO_PADDING, NULL, whole + 1));
    CHECK(!signs(which, RSA_PKCS1_PADDING, NULL, whole - 10));
    CHECK(signs(which, RSA_PKCS1_PADDING, NULL, whole - 11));
    check_short(which);
  }
  check_room();
}

/* ---- TLS ---- */
/* Whether the secret of that version comes back, and not a random one. */
static int is_taken(unsigned version, unsigned client, unsigned other) {
  unsigned char secret[MAX_BYTES], back[MAX_BYTES], premaster[PREMASTER] = {0};
  size_t size = sizeof secret, back_size = PREMASTER;
  OSSL_PARAM params[] = {
      OSSL_PARAM_uint(OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION, &client),
      OSSL_PARAM_uint(OSSL_ASYM_CIPHER_PARAM_TLS_NEGOTIATED_VERSION, &other), OSSL_PARAM_END};
  premaster[0] = (unsigned char)(version >> 8);
  premaster[1] = (unsigned char)version;
  EVP_PKEY_CTX *context = cipher(OURS, EVP_PKEY_encrypt_init, RSA_PKCS1_PADDING);
  CHECK(EVP_PKEY_encrypt(context, secret, &size, premaster, sizeof premaster) > 0);
  EVP_PKEY_CTX_free(context);
  context = cipher(OURS, EVP_PKEY_decrypt_init, RSA_PKCS1_WITH_TLS_PADDING);
  CHECK(EVP_PKEY_decrypt(context, back, &back_size, secret, size) <= 0); /* of which version? */
  CHECK(EVP_PKEY_CTX_set_params(context, params) > 0);
  CHECK(EVP_PKEY_decrypt(context, NULL, &back_size, secret, size) > 0 && back_size == PREMASTER);
  back_size = PREMASTER - 1;
  CHECK(EVP_PKEY_decrypt(context, back, &back_size, secret, size) <= 0);
  back_size = PREMASTER;
  CHECK(EVP_PKEY_decrypt(context, back, &back_size, secret, size) > 0 && back_size == PREMASTER);
  EVP_PKEY_CTX_free(context);
  return memcmp(back, premaster, PREMASTER) == 0;
}

static void check_tls(void) {
  CHECK(is_taken(0x0303, 0x0303, 0));
  CHECK(!is_taken(0x0302, 0x0303, 0) && !is_taken(0x0203, 0x0303, 0));
  CHECK(is_taken(0x0302, 0x0303, 0x0302) && is_taken(0x0303, 0x0303, 0x0302));
  CHECK(!is_taken(0x0301, 0x0303, 0x0302) && !is_taken(0x0202, 0x0303, 0x0302));
  CHECK(!is_taken(0, 0x0303, 0)); /* no other version is not the version 0 */
}

/* ---- implicit rejection ---- */
static void check_rejection(void) {
  unsigned char secret[MAX_BYTES], back[MAX_BYTES];
  const size_t size = (size_t)EVP_PKEY_get_size(keys[OURS]);
  unsigned on = 0;
  OSSL_PARAM params[] = {OSSL_PARAM_uint("implicit-rejection", &on), OSSL_PARAM_END};
  memset(secret, 3, sizeof secret);
  for (on = 0; on < 2; ++on) {
    size_t back_size = sizeof back;
    EVP_PKEY_CTX *context = cipher(OURS, EVP_PKEY_decrypt_init, RSA_PKCS1_PADDING);
    CHECK(EVP_PKEY_CTX_set_params(context, params) > 0);
    EVP_PKEY_CTX *copy = EVP_PKEY_CTX_dup(context);
    CHECK(copy != NULL);
    CHECK((EVP_PKEY_decrypt(copy, back, &back_size, secret, size) > 0) == (on != 0));
    EVP_PKEY_CTX_free(copy);
    EVP_PKEY_CTX_free(context);
  }
}

/* ---- store ---- */
static void check_store(void) {
  OSSL_STORE_CTX *store = OSSL_STORE_open("modfab:web", NULL, NULL, NULL, NULL);
  CHECK(store != NULL && OSSL_STORE_expect(store, OSSL_STORE_INFO_CERT));
  while (!OSSL_STORE_eof(store)) OSSL_STORE_INFO_free(OSSL_STORE_load(store));
  CHECK(OSSL_STORE_close(store));
  store = OSSL_STORE_open("modfab:web", NULL, NULL, NULL, NULL);
  CHECK(store != NULL && OSSL_STORE_close(store));
}

/* ---- keys ---- */
/* A copy, with so much added to one of its numbers. */
static EVP_PKEY *changed(int which, int selection, size_t number, unsigned more) {
  static const char *const names[] = {OSSL_PKEY_PARAM_RSA_N, OSSL_PKEY_PARAM_RSA_E,
                                      OSSL_PKEY_PARAM_RSA_D, OSSL_PKEY_PARAM_RSA_FACTOR1,
                                      OSSL_PKEY_PARAM_RSA_FACTOR2};
  const size_t count = selection == EVP_PKEY_PUBLIC_KEY ? 2 : 5;
  BIGNUM *numbers[5] = {NULL};
  EVP_PKEY *made = NULL;
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  for (size_t i = 0; i < count; ++i) {
    CHECK(EVP_PKEY_get_bn_param(keys[which], names[i], &numbers[i]));
    if (i == number) CHECK(BN_add_word(numbers[i], more));
    CHECK(OSSL_PARAM_BLD_push_BN(builder, names[i], numbers[i]));
  }
  OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(builder);
  EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(libraries[which], "RSA", NULL);
  CHECK(EVP_PKEY_fromdata_init(maker) > 0);
  CHECK(EVP_PKEY_fromdata(maker, &made, selection, params) > 0);
  EVP_PKEY_CTX_free(maker);
  OSSL_PARAM_free(params);
  OSSL_PARAM_BLD_free(builder);
  for (size_t i = 0; i < count; ++i) BN_clear_free(numbers[i]);
  return made;
}

static int is_valid(int which, EVP_PKEY *made, int (*check)(EVP_PKEY_CTX *)) {
  EVP_PKEY_CTX *context = context_of(which, made);
  const int valid = check(context) > 0;
  EVP_PKEY_CTX_free(context);
  EVP_PKEY_free(made);
  return valid;
}

static void check_keys(void) {
  for (int which = 0; which < BOTH; ++which) {
    CHECK(is_valid(which, changed(which, EVP_PKEY_KEYPAIR, 0, 0), EVP_PKEY_check));
    CHECK(is_valid(which, changed(which, EVP_PKEY_KEYPAIR, 2, 2), EVP_PKEY_public_check));
    CHECK(!is_valid(which, changed(which, EVP_PKEY_KEYPAIR, 2, 2), EVP_PKEY_check));
    CHECK(!is_valid(which, changed(which, EVP_PKEY_KEYPAIR, 3, 2), EVP_PKEY_pairwise_check));
    CHECK(is_valid(which, changed(which, EVP_PKEY_PUBLIC_KEY, 0, 0), EVP_PKEY_public_check));
    CHECK(!is_valid(which, changed(which, EVP_PKEY_PUBLIC_KEY, 0, 1), EVP_PKEY_public_check));
    CHECK(!is_valid(which, changed(which, EVP_PKEY_PUBLIC_KEY, 0, 0), EVP_PKEY_private_check));
    EVP_PKEY *same = changed(which, EVP_PKEY_PUBLIC_KEY, 0, 0);
    EVP_PKEY *other = changed(which, EVP_PKEY_PUBLIC_KEY, 1, 2);
    CHECK(EVP_PKEY_eq(same, keys[which]) == 1 && EVP_PKEY_eq(other, keys[which]) != 1);
    EVP_PKEY_free(same);
    EVP_PKEY_free(other);
  }
}

int main(int count, char **words) {
  CHECK(count == 3);
  load_both(words[1]);
  if (strcmp(words[2], "salts") == 0) check_salts();
  else if (strcmp(words[2], "lengths") == 0) check_lengths();
  else if (strcmp(words[2], "tls") == 0) check_tls();
  else if (strcmp(words[2], "rejection") == 0) check_rejection();
  else if (strcmp(words[2], "keys") == 0) check_keys();
  else check_store();
  free_both();
  return 0;
}
