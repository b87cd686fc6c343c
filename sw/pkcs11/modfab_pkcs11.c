/* SPDX-License-Identifier: Apache-2.0 */
/* A PKCS#11 module whose one token holds the keys of the daemon `modfab serve`. */
#define _GNU_SOURCE /* secure_getenv */
#include <openssl/crypto.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "modfab_token.h"

#define EXPORT __attribute__((visibility("default")))

enum { SLOT = 0, TIMEOUT_S = 300, PATIENCE_S = 5, MIN_BITS = 128, MAX_BITS = 8192 };

static const CK_MECHANISM_TYPE mechanisms[] = {
    CKM_RSA_PKCS,        CKM_RSA_X_509,           CKM_RSA_PKCS_PSS,
    CKM_SHA256_RSA_PKCS, CKM_SHA256_RSA_PKCS_PSS, CKM_RSA_PKCS_OAEP};

enum { NUM_MECHANISMS = sizeof mechanisms / sizeof *mechanisms };

mf_client_t mf_token_client;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int initialized, logged_in;
/* Of OpenSSL, for this module alone: what the program or its configuration chooses for the default
   context is not for us. Between mf_enter and mf_leave it is the thread's default. */
static OSSL_LIB_CTX *library, *context_before;
mf_token_key_t mf_keys[MF_MAX_KEYS];
size_t mf_num_keys;
static mf_session_t sessions[MF_MAX_SESSIONS];

/* ---- state ---- */
mf_session_t *mf_enter(CK_SESSION_HANDLE handle, CK_RV *reason) {
  (void)pthread_mutex_lock(&lock);
  *reason = CKR_CRYPTOKI_NOT_INITIALIZED;
  if (initialized) {
    *reason = CKR_SESSION_HANDLE_INVALID;
    if (handle >= 1 && handle <= MF_MAX_SESSIONS && sessions[handle - 1].open) {
      context_before = OSSL_LIB_CTX_set0_default(library);
      return &sessions[handle - 1];
    }
  }
  (void)pthread_mutex_unlock(&lock);
  return NULL;
}

/* What the context keeps for the thread is freed here: the thread may end after the context. */
CK_RV mf_leave(CK_RV result) {
  if (context_before != NULL) {
    (void)OSSL_LIB_CTX_set0_default(context_before);
    OPENSSL_thread_stop_ex(library);
  }
  context_before = NULL;
  (void)pthread_mutex_unlock(&lock);
  return result;
}

/* With the lock held when it is CKR_OK. `wanted` is an argument that may not be NULL. */
static CK_RV enter_module(const void *wanted) {
  (void)pthread_mutex_lock(&lock);
  if (!initialized) return mf_leave(CKR_CRYPTOKI_NOT_INITIALIZED);
  return wanted != NULL ? CKR_OK : mf_leave(CKR_ARGUMENTS_BAD);
}

static CK_RV enter_slot(CK_SLOT_ID slot, const void *wanted) {
  const CK_RV result = enter_module(wanted);
  return result == CKR_OK && slot != SLOT ? mf_leave(CKR_SLOT_ID_INVALID) : result;
}

/* In the child of a fork: who held the lock is not there, and PKCS#11 wants C_Initialize anew. What
   sessions and context hold another thread may have been changing, so it is left. */
static void start_child(void) {
  (void)pthread_mutex_init(&lock, NULL);
  library = context_before = NULL;
  memset(sessions, 0, sizeof sessions);
  mf_num_keys = 0;
  initialized = logged_in = 0;
}

int mf_is_object(CK_OBJECT_HANDLE handle) {
  return handle >= 1 && handle <= 2 * mf_num_keys;
}

const mf_token_key_t *mf_private_object(CK_OBJECT_HANDLE handle) {
  return mf_is_object(handle) && handle % 2 == 0 ? &mf_keys[handle / 2 - 1] : NULL;
}

static void close_session(mf_session_t *session) {
  mf_end_operation(&session->sign);
  mf_end_operation(&session->decrypt);
  memset(session, 0, sizeof *session);
}

static void set_text(CK_UTF8CHAR *to, size_t size, const char *text) {
  const size_t length = strlen(text);
  memset(to, ' ', size);
  memcpy(to, text, length < size ? length : size);
}

/* One more key, but for one that is gone since, or is too long or has too long a name for us. */
static mf_status_t load_key(const mf_field_t *name) {
  mf_token_key_t *key = &mf_keys[mf_num_keys];
  mf_answer_t answer;
  if (name->size == 0 || name->size > MF_NAME_BYTES) return MF_OK;
  const mf_status_t status = mf_client_ask(&mf_token_client, MF_OP_PUBLIC, name, 1, &answer);
  if (status != MF_OK) return status == MF_NO_KEY ? MF_OK : status;
  if (answer.count != 2) return MF_PROTOCOL;
  if (answer.fields[0].size > MF_MAX_NUMBER || answer.fields[1].size > MF_MAX_NUMBER) return MF_OK;
  memset(key, 0, sizeof *key);
  memcpy(key->name, name->data, name->size);
  key->name_size = name->size;
  key->n_size = answer.fields[0].size;
  memcpy(key->n, answer.fields[0].data, key->n_size);
  key->e_size = answer.fields[1].size;
  memcpy(key->e, answer.fields[1].data, key->e_size);
  ++mf_num_keys;
  return MF_OK;
}

/* The first MF_MAX_KEYS keys. A daemon that is away has none; what else keeps it from telling all of
   them is an error: a token with some of its keys would look whole. */
static CK_RV load_keys(void) {
  mf_answer_t answer;
  mf_num_keys = 0;
  mf_status_t status = mf_client_ask(&mf_token_client, MF_OP_KEYS, NULL, 0, &answer);
  if (status == MF_AWAY) return CKR_OK;
  for (size_t i = 0; status == MF_OK && i < answer.count; ++i) status = load_key(&answer.fields[i]);
  if (status == MF_OK) return CKR_OK;
  mf_num_keys = 0;
  return status == MF_DEVICE || status == MF_BUSY ? CKR_DEVICE_ERROR : CKR_FUNCTION_FAILED;
}

static int set_path(void) {
  const char *chosen = secure_getenv("MODFAB_SOCKET"); /* see modfab_provider.c */
  const char *folder = secure_getenv("XDG_RUNTIME_DIR");
  int size;
  if (chosen != NULL && *chosen != '\0')
    size = snprintf(mf_token_client.path, MF_PATH_BYTES, "%s", chosen);
  else
    size = snprintf(mf_token_client.path, MF_PATH_BYTES, "%s/modfab.sock",
                    folder != NULL && *folder != '\0' ? folder : "/run");
  mf_token_client.timeout_s = TIMEOUT_S;
  mf_token_client.patience_s = PATIENCE_S;
  return size > 0 && size < MF_PATH_BYTES;
}

/* The mutexes of a program are not used, but it gives all or none. */
static int is_whole(const CK_C_INITIALIZE_ARGS *given) {
  const int count = (given->CreateMutex != NULL) + (given->DestroyMutex != NULL) +
                    (given->LockMutex != NULL) + (given->UnlockMutex != NULL);
  return given->pReserved == NULL && (count == 0 || count == 4);
}

/* ---- module, slot, token ---- */
static CK_RV initialize(void *arguments) {
  static int watched;
  const CK_C_INITIALIZE_ARGS *given = arguments; /* the operating system's locks, in any case */
  if (given != NULL && !is_whole(given)) return CKR_ARGUMENTS_BAD;
  (void)pthread_mutex_lock(&lock);
  if (initialized) return mf_leave(CKR_CRYPTOKI_ALREADY_INITIALIZED);
  if (!watched && pthread_atfork(NULL, NULL, start_child) != 0) return mf_leave(CKR_HOST_MEMORY);
  watched = 1;
  if (!set_path()) return mf_leave(CKR_GENERAL_ERROR);
  const CK_RV result = load_keys();
  if (result != CKR_OK) return mf_leave(result);
  library = OSSL_LIB_CTX_new();
  initialized = library != NULL;
  return mf_leave(initialized ? CKR_OK : CKR_HOST_MEMORY);
}

static CK_RV finalize(void *reserved) {
  if (reserved != NULL) return CKR_ARGUMENTS_BAD;
  (void)pthread_mutex_lock(&lock);
  if (!initialized) return mf_leave(CKR_CRYPTOKI_NOT_INITIALIZED);
  for (size_t i = 0; i < MF_MAX_SESSIONS; ++i) close_session(&sessions[i]);
  OSSL_LIB_CTX_free(library);
  library = NULL;
  initialized = logged_in = 0;
  return mf_leave(CKR_OK);
}

static CK_RV get_info(CK_INFO *info) {
  const CK_RV result = enter_module(info);
  if (result != CKR_OK) return result;
  memset(info, 0, sizeof *info);
  info->cryptokiVersion.major = 2;
  info->cryptokiVersion.minor = 40;
  set_text(info->manufacturerID, sizeof info->manufacturerID, "modfab");
  set_text(info->libraryDescription, sizeof info->libraryDescription, "RSA keys of modfab serve");
  return mf_leave(CKR_OK);
}

static CK_RV get_slot_list(CK_BBOOL present, CK_SLOT_ID *slots, CK_ULONG *count) {
  (void)present;
  const CK_RV result = enter_module(count);
  if (result != CKR_OK) return result;
  const CK_ULONG room = *count;
  *count = 1;
  if (slots == NULL) return mf_leave(CKR_OK);
  if (room < 1) return mf_leave(CKR_BUFFER_TOO_SMALL);
  slots[0] = SLOT;
  return mf_leave(CKR_OK);
}

static CK_RV get_slot_info(CK_SLOT_ID slot, CK_SLOT_INFO *info) {
  const CK_RV result = enter_slot(slot, info);
  if (result != CKR_OK) return result;
  memset(info, 0, sizeof *info);
  set_text(info->slotDescription, sizeof info->slotDescription, mf_token_client.path);
  set_text(info->manufacturerID, sizeof info->manufacturerID, "modfab");
  info->flags = CKF_TOKEN_PRESENT | CKF_HW_SLOT;
  return mf_leave(CKR_OK);
}

static CK_RV get_token_info(CK_SLOT_ID slot, CK_TOKEN_INFO *info) {
  const CK_RV result = enter_slot(slot, info);
  if (result != CKR_OK) return result;
  memset(info, 0, sizeof *info);
  set_text(info->label, sizeof info->label, "modfab");
  set_text(info->manufacturerID, sizeof info->manufacturerID, "modfab");
  set_text(info->model, sizeof info->model, "RSA cores");
  set_text(info->serialNumber, sizeof info->serialNumber, "1");
  set_text(info->utcTime, sizeof info->utcTime, "");
  info->flags = CKF_TOKEN_INITIALIZED | CKF_RNG | CKF_USER_PIN_INITIALIZED |
                CKF_PROTECTED_AUTHENTICATION_PATH;
  info->ulMaxSessionCount = MF_MAX_SESSIONS;
  info->ulSessionCount = CK_UNAVAILABLE_INFORMATION;
  info->ulMaxRwSessionCount = info->ulRwSessionCount = CK_UNAVAILABLE_INFORMATION;
  info->ulTotalPublicMemory = info->ulFreePublicMemory = CK_UNAVAILABLE_INFORMATION;
  info->ulTotalPrivateMemory = info->ulFreePrivateMemory = CK_UNAVAILABLE_INFORMATION;
  return mf_leave(CKR_OK);
}

static CK_RV get_mechanism_list(CK_SLOT_ID slot, CK_MECHANISM_TYPE *list, CK_ULONG *count) {
  const CK_RV result = enter_slot(slot, count);
  if (result != CKR_OK) return result;
  const CK_ULONG room = *count;
  *count = NUM_MECHANISMS;
  if (list == NULL) return mf_leave(CKR_OK);
  if (room < NUM_MECHANISMS) return mf_leave(CKR_BUFFER_TOO_SMALL);
  memcpy(list, mechanisms, sizeof mechanisms);
  return mf_leave(CKR_OK);
}

static CK_RV get_mechanism_info(CK_SLOT_ID slot, CK_MECHANISM_TYPE type, CK_MECHANISM_INFO *info) {
  const CK_RV result = enter_slot(slot, info);
  if (result != CKR_OK) return result;
  for (size_t i = 0; i < NUM_MECHANISMS; ++i) {
    if (mechanisms[i] != type) continue;
    info->ulMinKeySize = MIN_BITS;
    info->ulMaxKeySize = MAX_BITS;
    info->flags = type == CKM_RSA_PKCS_OAEP ? CKF_DECRYPT : CKF_SIGN;
    if (type == CKM_RSA_PKCS || type == CKM_RSA_X_509) info->flags |= CKF_DECRYPT;
    info->flags |= CKF_HW;
    return mf_leave(CKR_OK);
  }
  return mf_leave(CKR_MECHANISM_INVALID);
}

/* ---- sessions ---- */
static CK_RV open_session(CK_SLOT_ID slot, CK_FLAGS flags, void *application, CK_NOTIFY notify,
                          CK_SESSION_HANDLE *handle) {
  (void)application;
  (void)notify;
  const CK_RV result = enter_slot(slot, handle);
  if (result != CKR_OK) return result;
  if ((flags & CKF_SERIAL_SESSION) == 0) return mf_leave(CKR_SESSION_PARALLEL_NOT_SUPPORTED);
  for (CK_ULONG i = 0; i < MF_MAX_SESSIONS; ++i) {
    if (sessions[i].open) continue;
    sessions[i].open = 1;
    sessions[i].writable = (flags & CKF_RW_SESSION) != 0;
    *handle = i + 1;
    return mf_leave(CKR_OK);
  }
  return mf_leave(CKR_SESSION_COUNT);
}

static CK_RV end_session(CK_SESSION_HANDLE handle) {
  CK_RV result;
  mf_session_t *session = mf_enter(handle, &result);
  int others = 0;
  if (session == NULL) return result;
  close_session(session);
  for (size_t i = 0; i < MF_MAX_SESSIONS; ++i) others |= sessions[i].open;
  if (!others) logged_in = 0;
  return mf_leave(CKR_OK);
}

static CK_RV end_all_sessions(CK_SLOT_ID slot) {
  const CK_RV result = enter_slot(slot, sessions);
  if (result != CKR_OK) return result;
  for (size_t i = 0; i < MF_MAX_SESSIONS; ++i) close_session(&sessions[i]);
  logged_in = 0;
  return mf_leave(CKR_OK);
}

static CK_RV get_session_info(CK_SESSION_HANDLE handle, CK_SESSION_INFO *info) {
  CK_RV result;
  const mf_session_t *session = mf_enter(handle, &result);
  if (session == NULL) return result;
  if (info == NULL) return mf_leave(CKR_ARGUMENTS_BAD);
  info->slotID = SLOT;
  info->state = logged_in ? CKS_RO_USER_FUNCTIONS : CKS_RO_PUBLIC_SESSION;
  if (session->writable) info->state = logged_in ? CKS_RW_USER_FUNCTIONS : CKS_RW_PUBLIC_SESSION;
  info->flags = CKF_SERIAL_SESSION | (session->writable ? CKF_RW_SESSION : 0);
  info->ulDeviceError = 0;
  return mf_leave(CKR_OK);
}

/* Nobody needs to: the socket's mode and the daemon say who may come. Any PIN will do. */
static CK_RV set_login(CK_SESSION_HANDLE handle, CK_USER_TYPE user, int in) {
  CK_RV result;
  if (mf_enter(handle, &result) == NULL) return result;
  if (user != CKU_USER) return mf_leave(CKR_USER_TYPE_INVALID);
  if (logged_in == in)
    return mf_leave(in ? CKR_USER_ALREADY_LOGGED_IN : CKR_USER_NOT_LOGGED_IN);
  logged_in = in;
  return mf_leave(CKR_OK);
}

static CK_RV login(CK_SESSION_HANDLE handle, CK_USER_TYPE user, CK_UTF8CHAR *pin, CK_ULONG size) {
  (void)pin;
  (void)size;
  return set_login(handle, user, 1);
}

static CK_RV logout(CK_SESSION_HANDLE handle) {
  return set_login(handle, CKU_USER, 0);
}

/* ---- the list of functions ---- */
static CK_RV unsupported(void) {
  return CKR_FUNCTION_NOT_SUPPORTED;
}

static CK_RV no_parallel(CK_SESSION_HANDLE handle) {
  (void)handle;
  return CKR_FUNCTION_NOT_PARALLEL;
}

EXPORT CK_RV C_GetFunctionList(CK_FUNCTION_LIST **list);

#define NOT(name) .name = (CK_##name)(void (*)(void))unsupported

static CK_FUNCTION_LIST functions = {
    .version = {2, 40},
    .C_Initialize = initialize,
    .C_Finalize = finalize,
    .C_GetInfo = get_info,
    .C_GetFunctionList = C_GetFunctionList,
    .C_GetSlotList = get_slot_list,
    .C_GetSlotInfo = get_slot_info,
    .C_GetTokenInfo = get_token_info,
    .C_GetMechanismList = get_mechanism_list,
    .C_GetMechanismInfo = get_mechanism_info,
    .C_OpenSession = open_session,
    .C_CloseSession = end_session,
    .C_CloseAllSessions = end_all_sessions,
    .C_GetSessionInfo = get_session_info,
    .C_Login = login,
    .C_Logout = logout,
    .C_GetAttributeValue = mf_get_attributes,
    .C_FindObjectsInit = mf_find_init,
    .C_FindObjects = mf_find,
    .C_FindObjectsFinal = mf_find_final,
    .C_SignInit = mf_sign_init,
    .C_Sign = mf_sign,
    .C_SignUpdate = mf_sign_update,
    .C_SignFinal = mf_sign_final,
    .C_DecryptInit = mf_decrypt_init,
    .C_Decrypt = mf_decrypt,
    .C_SeedRandom = mf_seed_random,
    .C_GenerateRandom = mf_generate_random,
    .C_GetFunctionStatus = no_parallel,
    .C_CancelFunction = no_parallel,
    NOT(C_InitToken), NOT(C_InitPIN), NOT(C_SetPIN), NOT(C_GetOperationState),
    NOT(C_SetOperationState), NOT(C_CreateObject), NOT(C_CopyObject), NOT(C_DestroyObject),
    NOT(C_GetObjectSize), NOT(C_SetAttributeValue), NOT(C_EncryptInit), NOT(C_Encrypt),
    NOT(C_EncryptUpdate), NOT(C_EncryptFinal), NOT(C_DecryptUpdate), NOT(C_DecryptFinal),
    NOT(C_DigestInit), NOT(C_Digest), NOT(C_DigestUpdate), NOT(C_DigestKey), NOT(C_DigestFinal),
    NOT(C_SignRecoverInit), NOT(C_SignRecover), NOT(C_VerifyInit), NOT(C_Verify),
    NOT(C_VerifyUpdate), NOT(C_VerifyFinal), NOT(C_VerifyRecoverInit), NOT(C_VerifyRecover),
    NOT(C_DigestEncryptUpdate), NOT(C_DecryptDigestUpdate), NOT(C_SignEncryptUpdate),
    NOT(C_DecryptVerifyUpdate), NOT(C_GenerateKey), NOT(C_GenerateKeyPair), NOT(C_WrapKey),
    NOT(C_UnwrapKey), NOT(C_DeriveKey),
    NOT(C_WaitForSlotEvent)};

EXPORT CK_RV C_GetFunctionList(CK_FUNCTION_LIST **list) {
  if (list == NULL) return CKR_ARGUMENTS_BAD;
  *list = &functions;
  return CKR_OK;
}
