/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that uses the PKCS#11 module; tests build it with sanitizers. Its token has one key of
 * 1024 bits, but for `count`.
 *   pkcs11_client MODULE first     what works before C_Initialize, and logins
 *   pkcs11_client MODULE sign      the order of the calls of a signature, and their errors
 *   pkcs11_client MODULE decrypt   decryptions, and their errors
 *   pkcs11_client MODULE random    random bytes, and whose context the thread has behind them
 *   pkcs11_client MODULE cleansed  decrypts the file `secret`; prints what the module cleansed
 *   pkcs11_client MODULE fork BUSY GO    a fork while a thread waits for the daemon: the daemon makes
 *                                  the file BUSY, then waits for GO
 *   pkcs11_client MODULE count     prints C_Initialize's result and the number of objects
 *   pkcs11_client MODULE path      prints the path of the socket
 *   pkcs11_client MODULE wrong     the daemon's results are wrong
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <openssl/err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cleanse.h"
#include "pkcs11_calls.h"

enum { CHILD_S = 60, MAX_OBJECTS = 300 };

static CK_BYTE text[] = "what is signed", to[KEY_BYTES];
static CK_ULONG size;
static CK_MECHANISM raw = {CKM_RSA_X_509, NULL, 0}, pkcs1 = {CKM_RSA_PKCS, NULL, 0},
                    hashed = {CKM_SHA256_RSA_PKCS, NULL, 0};

static void begin(CK_MECHANISM *mechanism) {
  size = sizeof to;
  GIVES(module->C_SignInit(session, mechanism, PRIVATE_KEY), CKR_OK);
}

/* That no operation is active, without beginning one. */
static void has_ended(void) {
  size = sizeof to;
  GIVES(module->C_Sign(session, text, 5, to, &size), CKR_OPERATION_NOT_INITIALIZED);
}

static CK_RV lock(void *mutex) {
  (void)mutex;
  return CKR_OK;
}

static void check_first(void) {
  CK_INFO info;
  CK_SLOT_ID slot = 77;
  CK_MECHANISM_INFO mechanism;
  CK_SESSION_HANDLE other;
  CK_C_INITIALIZE_ARGS arguments = {0};
  CK_ULONG count = 1;
  GIVES(module->C_GetInfo(&info), CKR_CRYPTOKI_NOT_INITIALIZED);
  GIVES(module->C_GetSlotList(CK_TRUE, &slot, &count), CKR_CRYPTOKI_NOT_INITIALIZED);
  GIVES(module->C_GetMechanismList(0, NULL, &count), CKR_CRYPTOKI_NOT_INITIALIZED);
  GIVES(module->C_GetMechanismInfo(0, CKM_RSA_PKCS, &mechanism), CKR_CRYPTOKI_NOT_INITIALIZED);
  GIVES(module->C_GetSessionInfo(1, NULL), CKR_CRYPTOKI_NOT_INITIALIZED);
  GIVES(module->C_Login(1, CKU_SO, text, 4), CKR_CRYPTOKI_NOT_INITIALIZED);
  GIVES(module->C_Initialize(&(CK_C_INITIALIZE_ARGS){.pReserved = &count}), CKR_ARGUMENTS_BAD);
  GIVES(module->C_Initialize(&(CK_C_INITIALIZE_ARGS){.LockMutex = lock}), CKR_ARGUMENTS_BAD);
  GIVES(module->C_Initialize(&arguments), CKR_OK);
  GIVES(module->C_GetInfo(&info), CKR_OK);
  GIVES(module->C_GetInfo(NULL), CKR_ARGUMENTS_BAD);
  GIVES(module->C_GetSlotList(CK_TRUE, NULL, NULL), CKR_ARGUMENTS_BAD);
  GIVES(module->C_GetSlotList(CK_TRUE, &slot, &count), CKR_OK);
  CHECK(slot == 0 && count == 1);
  GIVES(module->C_GetMechanismList(1, NULL, &count), CKR_SLOT_ID_INVALID);
  GIVES(module->C_GetMechanismInfo(0, CKM_RSA_PKCS, &mechanism), CKR_OK);
  GIVES(module->C_GetSessionInfo(1, NULL), CKR_SESSION_HANDLE_INVALID);
  GIVES(module->C_Login(1, CKU_SO, text, 4), CKR_SESSION_HANDLE_INVALID);
  open_one();
  GIVES(module->C_GetSessionInfo(session, NULL), CKR_ARGUMENTS_BAD);
  GIVES(module->C_Login(session, CKU_SO, text, 4), CKR_USER_TYPE_INVALID);
  GIVES(module->C_Login(session, CKU_USER, text, 4), CKR_OK);
  other = session;
  open_one();
  GIVES(module->C_CloseSession(other), CKR_OK);
  GIVES(module->C_Login(session, CKU_USER, text, 4), CKR_USER_ALREADY_LOGGED_IN);
  GIVES(module->C_CloseSession(session), CKR_OK);
  open_one();
  GIVES(module->C_Login(session, CKU_USER, text, 4), CKR_OK);
}

static void check_attributes(void) {
  CK_BBOOL sensitive = 9, always = 9, extractable = 9, never = 9, local = 9;
  CK_ATTRIBUTE all[] = {{CKA_SENSITIVE, &sensitive, sizeof sensitive},
                        {CKA_ALWAYS_SENSITIVE, &always, sizeof always},
                        {CKA_EXTRACTABLE, &extractable, sizeof extractable},
                        {CKA_NEVER_EXTRACTABLE, &never, sizeof never},
                        {CKA_LOCAL, &local, sizeof local}};
  GIVES(module->C_GetAttributeValue(session, PRIVATE_KEY, all, 5), CKR_OK);
  CHECK(sensitive == CK_TRUE && extractable == CK_FALSE);
  CHECK(always == CK_FALSE && never == CK_FALSE && local == CK_FALSE);
}

static void check_single_part(CK_MECHANISM *mechanism) {
  begin(mechanism);
  GIVES(module->C_SignFinal(session, to, &size), CKR_FUNCTION_NOT_SUPPORTED);
  has_ended();
  begin(mechanism);
  GIVES(module->C_SignFinal(session, NULL, &size), CKR_FUNCTION_NOT_SUPPORTED);
  has_ended();
  begin(mechanism);
  GIVES(module->C_SignUpdate(session, text, 5), CKR_FUNCTION_NOT_SUPPORTED);
  has_ended();
  begin(mechanism);
  GIVES(module->C_Sign(session, text, sizeof text, to, &size), CKR_OK);
  has_ended();
}

static void check_parts(void) {
  CK_BYTE whole[KEY_BYTES];
  begin(&hashed);
  GIVES(module->C_Sign(session, text, sizeof text, whole, &size), CKR_OK);
  begin(&hashed);
  GIVES(module->C_SignUpdate(session, text, 5), CKR_OK);
  GIVES(module->C_SignUpdate(session, NULL, 0), CKR_OK);
  GIVES(module->C_SignUpdate(session, text + 5, sizeof text - 5), CKR_OK);
  GIVES(module->C_SignFinal(session, NULL, &size), CKR_OK);
  CHECK(size == KEY_BYTES);
  size = 3;
  GIVES(module->C_SignFinal(session, to, &size), CKR_BUFFER_TOO_SMALL);
  CHECK(size == KEY_BYTES);
  GIVES(module->C_SignFinal(session, to, &size), CKR_OK);
  CHECK(memcmp(to, whole, KEY_BYTES) == 0);
  has_ended();
  begin(&hashed);
  GIVES(module->C_SignUpdate(session, text, 5), CKR_OK);
  GIVES(module->C_Sign(session, text, 5, to, &size), CKR_OPERATION_NOT_INITIALIZED);
  has_ended();
}

/* Random salts; what verifies them is in test_signatures. */
static void check_pss(void) {
  CK_RSA_PKCS_PSS_PARAMS params = {CKM_SHA256, CKG_MGF1_SHA256, 32};
  CK_MECHANISM pss = {CKM_SHA256_RSA_PKCS_PSS, &params, sizeof params};
  CK_BYTE again[KEY_BYTES];
  begin(&pss);
  GIVES(module->C_Sign(session, text, sizeof text, to, &size), CKR_OK);
  memcpy(again, to, sizeof again);
  begin(&pss);
  GIVES(module->C_Sign(session, text, sizeof text, to, &size), CKR_OK);
  CHECK(memcmp(to, again, sizeof again) != 0);
}

static void check_wrong_calls(void) {
  GIVES(module->C_SignInit(session, &pkcs1, PUBLIC_KEY), CKR_KEY_FUNCTION_NOT_PERMITTED);
  GIVES(module->C_DecryptInit(session, &pkcs1, PUBLIC_KEY), CKR_KEY_FUNCTION_NOT_PERMITTED);
  GIVES(module->C_SignInit(session, &pkcs1, 0), CKR_KEY_HANDLE_INVALID);
  GIVES(module->C_SignInit(session, &pkcs1, PRIVATE_KEY + 1), CKR_KEY_HANDLE_INVALID);
  begin(&hashed);
  GIVES(module->C_SignUpdate(session, NULL, 100), CKR_ARGUMENTS_BAD);
  has_ended();
  begin(&hashed);
  GIVES(module->C_SignFinal(session, to, NULL), CKR_ARGUMENTS_BAD);
  has_ended();
  begin(&pkcs1);
  GIVES(module->C_Sign(session, NULL, 5, to, &size), CKR_ARGUMENTS_BAD);
  has_ended();
  begin(&pkcs1);
  GIVES(module->C_Sign(session, text, 5, to, NULL), CKR_ARGUMENTS_BAD);
  has_ended();
  begin(&pkcs1);
  GIVES(module->C_SignInit(session, &pkcs1, PRIVATE_KEY), CKR_OPERATION_ACTIVE);
  size = 3;
  GIVES(module->C_Sign(session, text, 5, to, &size), CKR_BUFFER_TOO_SMALL);
  GIVES(module->C_Sign(session, text, 5, NULL, &size), CKR_OK);
  GIVES(module->C_Sign(session, text, 5, to, &size), CKR_OK);
  begin(&pkcs1); /* too long for the padding: the error stays out of the program's queue */
  memset(to, 1, sizeof to);
  GIVES(module->C_Sign(session, to, KEY_BYTES, to, &size), CKR_DATA_LEN_RANGE);
  CHECK(ERR_peek_error() == 0);
  has_ended();
}

static void fails(CK_MECHANISM *mechanism, const CK_BYTE *secret, CK_ULONG length, CK_RV wanted) {
  CK_BYTE back[KEY_BYTES];
  size = sizeof back;
  GIVES(module->C_DecryptInit(session, mechanism, PRIVATE_KEY), CKR_OK);
  GIVES(module->C_Decrypt(session, (CK_BYTE *)secret, length, back, &size), wanted);
  GIVES(module->C_Decrypt(session, to, KEY_BYTES, back, &size), CKR_OPERATION_NOT_INITIALIZED);
  CHECK(ERR_peek_error() == 0);
}

static void check_decryption(void) {
  CK_RSA_PKCS_OAEP_PARAMS params = {CKM_SHA256, CKG_MGF1_SHA256, CKZ_DATA_SPECIFIED, NULL, 0};
  CK_MECHANISM oaep = {CKM_RSA_PKCS_OAEP, &params, sizeof params};
  CK_MECHANISM *all[] = {&raw, &pkcs1, &oaep};
  CK_BYTE modulus[KEY_BYTES], large[KEY_BYTES];
  CK_ATTRIBUTE n = {CKA_MODULUS, modulus, sizeof modulus};
  GIVES(module->C_GetAttributeValue(session, PRIVATE_KEY, &n, 1), CKR_OK);
  memset(large, 0xff, sizeof large);
  for (size_t i = 0; i < 3; ++i) {
    fails(all[i], large, KEY_BYTES, CKR_ENCRYPTED_DATA_INVALID);
    fails(all[i], modulus, KEY_BYTES, CKR_ENCRYPTED_DATA_INVALID);
    fails(all[i], text, sizeof text, CKR_ENCRYPTED_DATA_LEN_RANGE);
    fails(all[i], NULL, KEY_BYTES, CKR_ARGUMENTS_BAD);
  }
  memset(large, 2, sizeof large);
  fails(&oaep, large, KEY_BYTES, CKR_ENCRYPTED_DATA_INVALID);
  size = sizeof to; /* a wrong padding gives a message in any case */
  GIVES(module->C_DecryptInit(session, &pkcs1, PRIVATE_KEY), CKR_OK);
  GIVES(module->C_Decrypt(session, large, KEY_BYTES, to, &size), CKR_OK);
  GIVES(module->C_DecryptInit(session, &raw, PRIVATE_KEY), CKR_OK);
  GIVES(module->C_Decrypt(session, large, KEY_BYTES, NULL, &size), CKR_OK);
  size = 3;
  GIVES(module->C_Decrypt(session, large, KEY_BYTES, to, &size), CKR_BUFFER_TOO_SMALL);
  GIVES(module->C_Decrypt(session, large, KEY_BYTES, to, &size), CKR_OK);
}

static void check_random(void) {
  OSSL_LIB_CTX *own = OSSL_LIB_CTX_new();
  const CK_BYTE zeros[KEY_BYTES] = {0};
  CHECK(own != NULL && OSSL_LIB_CTX_set0_default(own) != NULL);
  GIVES(module->C_GenerateRandom(session, to, sizeof to), CKR_OK);
  CHECK(memcmp(to, zeros, sizeof to) != 0);
  GIVES(module->C_GenerateRandom(session, NULL, 1), CKR_ARGUMENTS_BAD);
  GIVES(module->C_GenerateRandom(session + 1, to, sizeof to), CKR_SESSION_HANDLE_INVALID);
  CHECK(OSSL_LIB_CTX_set0_default(NULL) == own);
  (void)OSSL_LIB_CTX_set0_default(OSSL_LIB_CTX_get0_global_default());
  OSSL_LIB_CTX_free(own);
}

static void print_cleansed(void) {
  CK_BYTE secret[KEY_BYTES];
  FILE *file = fopen("secret", "rb");
  CHECK(file != NULL && fread(secret, 1, sizeof secret, file) == sizeof secret);
  CHECK(fclose(file) == 0);
  size = sizeof to;
  GIVES(module->C_DecryptInit(session, &pkcs1, PRIVATE_KEY), CKR_OK);
  watched = "/modfab-pkcs11.so";
  GIVES(module->C_Decrypt(session, secret, sizeof secret, to, &size), CKR_OK);
  watched = NULL;
}

/* A wrong result does not leave the module: with CRT it may tell the primes. */
static void check_wrong_results(void) {
  CK_BYTE untouched[KEY_BYTES];
  memset(untouched, 7, sizeof untouched);
  memset(to, 7, sizeof to);
  begin(&pkcs1);
  GIVES(module->C_Sign(session, text, 5, to, &size), CKR_DEVICE_ERROR);
  CHECK(memcmp(to, untouched, KEY_BYTES) == 0);
  has_ended();
  GIVES(module->C_DecryptInit(session, &raw, PRIVATE_KEY), CKR_OK);
  GIVES(module->C_Decrypt(session, untouched, KEY_BYTES, to, &size), CKR_DEVICE_ERROR);
  CHECK(memcmp(to, untouched, KEY_BYTES) == 0 && ERR_peek_error() == 0);
}

static void *sign_once(void *unused) {
  begin(&hashed);
  GIVES(module->C_Sign(session, text, sizeof text, to, &size), CKR_OK);
  return unused;
}

static void check_child(void) {
  CK_SESSION_INFO info;
  (void)alarm(CHILD_S); /* who hangs is killed */
  GIVES(module->C_GetSessionInfo(session, &info), CKR_CRYPTOKI_NOT_INITIALIZED);
  GIVES(module->C_Finalize(NULL), CKR_CRYPTOKI_NOT_INITIALIZED);
  GIVES(module->C_Initialize(NULL), CKR_OK);
  GIVES(module->C_GetSessionInfo(session, &info), CKR_SESSION_HANDLE_INVALID);
  open_one();
  begin(&hashed);
  check_attributes();
  GIVES(module->C_Finalize(NULL), CKR_OK);
  _exit(0);
}

static void check_fork(const char *busy, const char *go) {
  static const struct timespec pause = {0, 10000000};
  pthread_t thread;
  int status = 1;
  CHECK(pthread_create(&thread, NULL, sign_once, NULL) == 0);
  while (access(busy, F_OK) != 0) (void)nanosleep(&pause, NULL);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) check_child();
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(close(open(go, O_CREAT | O_WRONLY, 0600)) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(status == 0);
  (void)sign_once(NULL); /* the parent goes on */
}

static void count_objects(void) {
  CK_OBJECT_HANDLE objects[MAX_OBJECTS];
  CK_ULONG count = 0;
  const CK_RV result = module->C_Initialize(NULL);
  if (result == CKR_OK) {
    open_one();
    GIVES(module->C_FindObjectsInit(session, NULL, 0), CKR_OK);
    GIVES(module->C_FindObjects(session, objects, MAX_OBJECTS, &count), CKR_OK);
  }
  printf("%lu %lu\n", result, count);
}

static void print_path(void) {
  CK_SLOT_INFO info;
  GIVES(module->C_Initialize(NULL), CKR_OK);
  GIVES(module->C_GetSlotInfo(0, &info), CKR_OK);
  printf("secure %d\n%.64s\n", getauxval(AT_SECURE) != 0, (const char *)info.slotDescription);
}

static void check_with_session(const char *what, char **words) {
  GIVES(module->C_Initialize(NULL), CKR_OK);
  open_one();
  if (strcmp(what, "sign") == 0) {
    check_attributes();
    check_single_part(&raw);
    check_single_part(&pkcs1);
    check_parts();
    check_pss();
    check_wrong_calls();
  } else if (strcmp(what, "decrypt") == 0) {
    check_decryption();
  } else if (strcmp(what, "random") == 0) {
    check_random();
  } else if (strcmp(what, "cleansed") == 0) {
    print_cleansed();
  } else if (strcmp(what, "wrong") == 0) {
    check_wrong_results();
  } else {
    check_fork(words[0], words[1]);
  }
}

int main(int count, char **words) {
  CHECK(count >= 3);
  load_module(words[1]);
  const char *what = words[2];
  if (strcmp(what, "first") == 0) check_first();
  else if (strcmp(what, "count") == 0) count_objects();
  else if (strcmp(what, "path") == 0) print_path();
  else check_with_session(what, words + 3);
  (void)module->C_Finalize(NULL);
  return 0;
}
