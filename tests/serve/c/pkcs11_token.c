/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Token, sessions, objects and mechanisms of the PKCS#11 module; tests build it with sanitizers. Its
 * token has one key of 1024 bits, `web`.
 *   pkcs11_token MODULE
 *   pkcs11_token MODULE bits    prints the bits of the first key's modulus
 */
#define OPENSSL_SUPPRESS_DEPRECATED /* RSA_padding_add_PKCS1_OAEP_mgf1 */
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include "pkcs11_calls.h"

enum { NUM_MECHANISMS = 6, MAX_SESSIONS = 64, LABEL_BYTES = 1024 };

static CK_BYTE data[KEY_BYTES], to[KEY_BYTES];
static CK_ULONG size;

/* ---- lists that are too long for their room ---- */
static void check_lists(void) {
  CK_SLOT_ID slot = 77;
  CK_MECHANISM_TYPE types[NUM_MECHANISMS];
  CK_TOKEN_INFO info;
  CK_ULONG count = 0;
  GIVES(module->C_GetSlotList(CK_TRUE, NULL, &count), CKR_OK);
  CHECK(count == 1);
  count = 0;
  GIVES(module->C_GetSlotList(CK_TRUE, &slot, &count), CKR_BUFFER_TOO_SMALL);
  CHECK(count == 1 && slot == 77);
  GIVES(module->C_GetMechanismList(0, NULL, &count), CKR_OK);
  CHECK(count == NUM_MECHANISMS);
  count = NUM_MECHANISMS - 1;
  types[0] = 99;
  GIVES(module->C_GetMechanismList(0, types, &count), CKR_BUFFER_TOO_SMALL);
  CHECK(count == NUM_MECHANISMS && types[0] == 99);
  GIVES(module->C_GetMechanismList(0, types, &count), CKR_OK);
  CHECK(types[0] == CKM_RSA_PKCS);
  GIVES(module->C_GetTokenInfo(0, &info), CKR_OK);
  CHECK(memcmp(info.label, "modfab    ", 10) == 0 && info.utcTime[15] == ' ');
}

/* ---- sessions ---- */
static CK_STATE state_of(CK_SESSION_HANDLE which) {
  CK_SESSION_INFO info;
  GIVES(module->C_GetSessionInfo(which, &info), CKR_OK);
  CHECK((info.flags & CKF_SERIAL_SESSION) != 0);
  return info.state;
}

static void check_states(void) {
  CK_SESSION_HANDLE writable;
  GIVES(module->C_OpenSession(0, CKF_RW_SESSION, NULL, NULL, &session),
        CKR_SESSION_PARALLEL_NOT_SUPPORTED);
  open_one();
  const CK_FLAGS flags = CKF_SERIAL_SESSION | CKF_RW_SESSION;
  GIVES(module->C_OpenSession(0, flags, NULL, NULL, &writable), CKR_OK);
  CHECK(state_of(session) == CKS_RO_PUBLIC_SESSION && state_of(writable) == CKS_RW_PUBLIC_SESSION);
  GIVES(module->C_Logout(session), CKR_USER_NOT_LOGGED_IN);
  GIVES(module->C_Login(session, CKU_USER, data, 4), CKR_OK);
  CHECK(state_of(session) == CKS_RO_USER_FUNCTIONS && state_of(writable) == CKS_RW_USER_FUNCTIONS);
  GIVES(module->C_Logout(writable), CKR_OK);
  CHECK(state_of(session) == CKS_RO_PUBLIC_SESSION);
  GIVES(module->C_Login(session, CKU_USER, data, 4), CKR_OK);
  GIVES(module->C_CloseAllSessions(0), CKR_OK);
  GIVES(module->C_CloseSession(session), CKR_SESSION_HANDLE_INVALID);
  GIVES(module->C_CloseSession(writable), CKR_SESSION_HANDLE_INVALID);
  open_one();
  CHECK(state_of(session) == CKS_RO_PUBLIC_SESSION); /* the last session takes the login along */
}

static void check_many(void) {
  CK_SESSION_HANDLE last = 0, one_more;
  for (int i = 1; i < MAX_SESSIONS; ++i)
    GIVES(module->C_OpenSession(0, CKF_SERIAL_SESSION, NULL, NULL, &last), CKR_OK);
  GIVES(module->C_OpenSession(0, CKF_SERIAL_SESSION, NULL, NULL, &one_more), CKR_SESSION_COUNT);
  GIVES(module->C_CloseSession(last), CKR_OK);
  GIVES(module->C_CloseSession(last), CKR_SESSION_HANDLE_INVALID);
  GIVES(module->C_OpenSession(0, CKF_SERIAL_SESSION, NULL, NULL, &one_more), CKR_OK);
}

/* C_Finalize ends sessions, operations and login. */
static void check_end(void) {
  CK_MECHANISM hashed = {CKM_SHA256_RSA_PKCS, NULL, 0};
  GIVES(module->C_Login(session, CKU_USER, data, 4), CKR_OK);
  GIVES(module->C_SignInit(session, &hashed, PRIVATE_KEY), CKR_OK);
  GIVES(module->C_SignUpdate(session, data, 4), CKR_OK);
  GIVES(module->C_Finalize(NULL), CKR_OK);
  GIVES(module->C_Finalize(NULL), CKR_CRYPTOKI_NOT_INITIALIZED);
  GIVES(module->C_Initialize(NULL), CKR_OK);
  GIVES(module->C_Initialize(NULL), CKR_CRYPTOKI_ALREADY_INITIALIZED);
  GIVES(module->C_SignUpdate(session, data, 4), CKR_SESSION_HANDLE_INVALID);
  open_one();
  CHECK(state_of(session) == CKS_RO_PUBLIC_SESSION);
  size = sizeof to;
  GIVES(module->C_SignFinal(session, to, &size), CKR_OPERATION_NOT_INITIALIZED);
}

static void check_random(void) {
  CK_BYTE first[16] = {0}, second[16] = {0};
  GIVES(module->C_GenerateRandom(session, NULL, 16), CKR_ARGUMENTS_BAD);
  GIVES(module->C_GenerateRandom(session, first, sizeof first), CKR_OK);
  GIVES(module->C_GenerateRandom(session, second, sizeof second), CKR_OK);
  CHECK(memcmp(first, second, sizeof first) != 0);
  GIVES(module->C_SeedRandom(session, first, sizeof first), CKR_RANDOM_SEED_NOT_SUPPORTED);
}

/* ---- objects ---- */
static void check_attributes(void) {
  CK_ULONG bits = 0, class = 0;
  CK_BYTE name[3] = "???";
  CK_ATTRIBUTE right[] = {{CKA_CLASS, &class, sizeof class},
                          {CKA_LABEL, name, sizeof name},
                          {CKA_MODULUS_BITS, &bits, sizeof bits},
                          {CKA_MODULUS, NULL, 0}};
  CK_ATTRIBUTE wrong[] = {{CKA_LABEL, name, sizeof name - 1},
                          {CKA_PRIME_1, data, sizeof data},
                          {CKA_KEY_TYPE, &class, sizeof class}};
  GIVES(module->C_GetAttributeValue(session, PUBLIC_KEY, right, 4), CKR_OK);
  CHECK(class == CKO_PUBLIC_KEY && memcmp(name, "web", 3) == 0 && bits == 8 * KEY_BYTES);
  CHECK(right[1].ulValueLen == 3 && right[3].ulValueLen == KEY_BYTES);
  memset(name, '?', sizeof name);
  GIVES(module->C_GetAttributeValue(session, PRIVATE_KEY, wrong, 1), CKR_BUFFER_TOO_SMALL);
  CHECK(wrong[0].ulValueLen == CK_UNAVAILABLE_INFORMATION && name[0] == '?');
  GIVES(module->C_GetAttributeValue(session, PRIVATE_KEY, wrong + 1, 2), CKR_ATTRIBUTE_SENSITIVE);
  CHECK(wrong[1].ulValueLen == CK_UNAVAILABLE_INFORMATION);
  CHECK(wrong[2].ulValueLen == sizeof class && class == CKK_RSA); /* the others are given */
  GIVES(module->C_GetAttributeValue(session, PUBLIC_KEY, wrong + 1, 1), CKR_ATTRIBUTE_TYPE_INVALID);
  GIVES(module->C_GetAttributeValue(session, 0, right, 1), CKR_OBJECT_HANDLE_INVALID);
  GIVES(module->C_GetAttributeValue(session, 3, right, 1), CKR_OBJECT_HANDLE_INVALID);
}

static CK_ULONG count_found(CK_ATTRIBUTE *wanted, CK_ULONG count, CK_ULONG most) {
  CK_OBJECT_HANDLE found[4];
  CK_ULONG num_found = 0, all = 0;
  GIVES(module->C_FindObjectsInit(session, wanted, count), CKR_OK);
  GIVES(module->C_FindObjectsInit(session, wanted, count), CKR_OPERATION_ACTIVE);
  do {
    GIVES(module->C_FindObjects(session, found, most, &num_found), CKR_OK);
    CHECK(num_found <= most);
    all += num_found;
  } while (num_found != 0);
  GIVES(module->C_FindObjectsFinal(session), CKR_OK);
  GIVES(module->C_FindObjectsFinal(session), CKR_OPERATION_NOT_INITIALIZED);
  GIVES(module->C_FindObjects(session, found, most, &num_found), CKR_OPERATION_NOT_INITIALIZED);
  return all;
}

static void check_search(void) {
  CK_ULONG class = CKO_PRIVATE_KEY;
  CK_ATTRIBUTE wanted[] = {{CKA_LABEL, (CK_BYTE[]){"web"}, 3}, {CKA_CLASS, &class, sizeof class}};
  CHECK(count_found(NULL, 0, 4) == 2 && count_found(NULL, 0, 1) == 2);
  CHECK(count_found(wanted, 1, 4) == 2 && count_found(wanted, 2, 4) == 1);
  wanted[0].ulValueLen = 2; /* part of a name */
  CHECK(count_found(wanted, 2, 4) == 0);
  wanted[0].type = CKA_PRIME_1;
  CHECK(count_found(wanted, 1, 4) == 0);
}

/* ---- parameters of mechanisms ---- */
static CK_RV begin(CK_MECHANISM_TYPE type, void *params, CK_ULONG params_size) {
  CK_MECHANISM mechanism = {type, params, params_size};
  return type == CKM_RSA_PKCS_OAEP ? module->C_DecryptInit(session, &mechanism, PRIVATE_KEY)
                                   : module->C_SignInit(session, &mechanism, PRIVATE_KEY);
}

static void check_pss(void) {
  static const CK_ULONG wrong[] = {LABEL_BYTES + 1, (CK_ULONG)1 << 31, ~(CK_ULONG)0};
  CK_RSA_PKCS_PSS_PARAMS params = {CKM_SHA256, CKG_MGF1_SHA256, 0};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    params.sLen = wrong[i];
    GIVES(begin(CKM_RSA_PKCS_PSS, &params, sizeof params), CKR_MECHANISM_PARAM_INVALID);
  }
  params.sLen = 20;
  GIVES(begin(CKM_RSA_PKCS_PSS, NULL, 0), CKR_MECHANISM_PARAM_INVALID);
  GIVES(begin(CKM_RSA_PKCS_PSS, &params, sizeof params - 1), CKR_MECHANISM_PARAM_INVALID);
  params.mgf = 99;
  GIVES(begin(CKM_RSA_PKCS_PSS, &params, sizeof params), CKR_MECHANISM_PARAM_INVALID);
  params.mgf = CKG_MGF1_SHA1;
  params.hashAlg = CKM_MD5;
  GIVES(begin(CKM_RSA_PKCS_PSS, &params, sizeof params), CKR_MECHANISM_PARAM_INVALID);
  params.hashAlg = CKM_SHA_1;
  GIVES(begin(CKM_SHA256_RSA_PKCS_PSS, &params, sizeof params), CKR_MECHANISM_PARAM_INVALID);
  GIVES(begin(CKM_RSA_PKCS_PSS, &params, sizeof params), CKR_OK);
  size = sizeof to;
  GIVES(module->C_Sign(session, data, 32, to, &size), CKR_DATA_LEN_RANGE);
  GIVES(begin(CKM_RSA_PKCS_PSS, &params, sizeof params), CKR_OK);
  GIVES(module->C_Sign(session, data, 20, to, &size), CKR_OK);
}

static void check_oaep(void) {
  static CK_BYTE label[LABEL_BYTES + 1];
  CK_RSA_PKCS_OAEP_PARAMS params = {CKM_SHA_1, CKG_MGF1_SHA1, CKZ_DATA_SPECIFIED, label,
                                    sizeof label};
  GIVES(begin(CKM_RSA_PKCS_OAEP, &params, sizeof params), CKR_MECHANISM_PARAM_INVALID);
  params.ulSourceDataLen = LABEL_BYTES;
  params.pSourceData = NULL;
  GIVES(begin(CKM_RSA_PKCS_OAEP, &params, sizeof params), CKR_MECHANISM_PARAM_INVALID);
  params.pSourceData = label;
  GIVES(begin(CKM_RSA_PKCS_OAEP, &params, sizeof params), CKR_OK);
  size = sizeof to;
  GIVES(module->C_Decrypt(session, data, KEY_BYTES, to, &size), CKR_ENCRYPTED_DATA_INVALID);
}

/* to^e mod n, with the numbers of the public object. */
static void encrypt(CK_BYTE *padded) {
  CK_BYTE n[KEY_BYTES], e[KEY_BYTES];
  CK_ATTRIBUTE parts[] = {{CKA_MODULUS, n, sizeof n}, {CKA_PUBLIC_EXPONENT, e, sizeof e}};
  GIVES(module->C_GetAttributeValue(session, PUBLIC_KEY, parts, 2), CKR_OK);
  BN_CTX *work = BN_CTX_new();
  BIGNUM *number = BN_bin2bn(padded, KEY_BYTES, NULL), *modulus = BN_bin2bn(n, KEY_BYTES, NULL);
  BIGNUM *exponent = BN_bin2bn(e, (int)parts[1].ulValueLen, NULL);
  CHECK(BN_mod_exp(number, number, exponent, modulus, work));
  CHECK(BN_bn2binpad(number, padded, KEY_BYTES) == KEY_BYTES);
  BN_free(number);
  BN_free(modulus);
  BN_free(exponent);
  BN_CTX_free(work);
}

/* A label is compared whole, and so are the digests. */
static void check_label(void) {
  static CK_BYTE label[] = "a label";
  CK_BYTE secret[KEY_BYTES], back[KEY_BYTES];
  CK_RSA_PKCS_OAEP_PARAMS params = {CKM_SHA256, CKG_MGF1_SHA1, CKZ_DATA_SPECIFIED, label, 7};
  CHECK(RSA_padding_add_PKCS1_OAEP_mgf1(secret, KEY_BYTES, data, 20, label, 7, EVP_sha256(),
                                        EVP_sha1()));
  encrypt(secret);
  GIVES(begin(CKM_RSA_PKCS_OAEP, &params, sizeof params), CKR_OK);
  size = sizeof back;
  GIVES(module->C_Decrypt(session, secret, KEY_BYTES, back, &size), CKR_OK);
  CHECK(size == 20 && memcmp(back, data, size) == 0);
  for (int i = 0; i < 3; ++i) {
    params.ulSourceDataLen = i == 0 ? 6 : 7;
    params.mgf = i == 1 ? CKG_MGF1_SHA256 : CKG_MGF1_SHA1;
    params.hashAlg = i == 2 ? CKM_SHA_1 : CKM_SHA256;
    GIVES(begin(CKM_RSA_PKCS_OAEP, &params, sizeof params), CKR_OK);
    size = sizeof back;
    GIVES(module->C_Decrypt(session, secret, KEY_BYTES, back, &size), CKR_ENCRYPTED_DATA_INVALID);
  }
}

/* Numbers that are not below the modulus, and data that are longer. */
static void check_range(void) {
  CK_BYTE large[KEY_BYTES + 1];
  CK_MECHANISM raw = {CKM_RSA_X_509, NULL, 0};
  memset(large, 0xff, sizeof large);
  size = sizeof to;
  GIVES(begin(CKM_RSA_X_509, NULL, 0), CKR_OK);
  GIVES(module->C_Sign(session, large, KEY_BYTES, to, &size), CKR_DATA_INVALID);
  GIVES(begin(CKM_RSA_X_509, NULL, 0), CKR_OK);
  GIVES(module->C_Sign(session, large, sizeof large, to, &size), CKR_DATA_LEN_RANGE);
  GIVES(module->C_DecryptInit(session, &raw, PRIVATE_KEY), CKR_OK);
  size = KEY_BYTES - 1;
  GIVES(module->C_Decrypt(session, data, KEY_BYTES, to, &size), CKR_BUFFER_TOO_SMALL);
  CHECK(size == KEY_BYTES);
  GIVES(module->C_Decrypt(session, data, KEY_BYTES, to, &size), CKR_OK);
  GIVES(begin(CKM_RSA_PKCS_OAEP + 1000, NULL, 0), CKR_MECHANISM_INVALID);
}

/* ---- a thread that ends after the module ---- */
static sem_t drawn, finalized;

static void *draw(void *argument) {
  GIVES(module->C_GenerateRandom(session, to, sizeof to), CKR_OK);
  CHECK(sem_post(&drawn) == 0 && sem_wait(&finalized) == 0);
  return argument;
}

static void check_last_thread(void) {
  pthread_t worker;
  CHECK(sem_init(&drawn, 0, 0) == 0 && sem_init(&finalized, 0, 0) == 0);
  CHECK(pthread_create(&worker, NULL, draw, NULL) == 0 && sem_wait(&drawn) == 0);
  GIVES(module->C_Finalize(NULL), CKR_OK);
  CHECK(sem_post(&finalized) == 0 && pthread_join(worker, NULL) == 0);
}

static void print_bits(void) {
  CK_ULONG bits = 0;
  CK_ATTRIBUTE wanted = {CKA_MODULUS_BITS, &bits, sizeof bits};
  open_one();
  GIVES(module->C_GetAttributeValue(session, PUBLIC_KEY, &wanted, 1), CKR_OK);
  printf("%lu\n", bits);
}

int main(int count, char **words) {
  CHECK(count == 2 || count == 3);
  data[KEY_BYTES - 1] = 2;
  load_module(words[1]);
  GIVES(module->C_Initialize(NULL), CKR_OK);
  if (count == 3) {
    print_bits();
    GIVES(module->C_Finalize(NULL), CKR_OK);
    return 0;
  }
  check_lists();
  check_states();
  check_many();
  check_end();
  check_random();
  check_attributes();
  check_search();
  check_pss();
  check_oaep();
  check_label();
  check_range();
  check_last_thread();
  return 0;
}
