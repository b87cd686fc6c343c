/* SPDX-License-Identifier: Apache-2.0 */
/* Signing and decrypting of the PKCS#11 module: paddings here, private operations in the daemon. */
#define OPENSSL_SUPPRESS_DEPRECATED /* RSA_padding_*: OpenSSL's own encoders and decoders */
#include <limits.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <string.h>

#include "modfab_provider.h" /* mf_unpad_pkcs1 */
#include "modfab_token.h"

static const struct {
  CK_MECHANISM_TYPE hash;
  CK_ULONG mask;
  const EVP_MD *(*digest)(void);
} digests[] = {{CKM_SHA_1, CKG_MGF1_SHA1, EVP_sha1},
               {CKM_SHA256, CKG_MGF1_SHA256, EVP_sha256},
               {CKM_SHA384, CKG_MGF1_SHA384, EVP_sha384},
               {CKM_SHA512, CKG_MGF1_SHA512, EVP_sha512}};

enum { NUM_DIGESTS = sizeof digests / sizeof *digests, SHA256_BYTES = 32, PREFIX_BYTES = 19 };

static int find_digests(CK_MECHANISM_TYPE hash, CK_ULONG mask, mf_operation_state_t *to) {
  to->digest = to->mask = NULL;
  for (size_t i = 0; i < NUM_DIGESTS; ++i) {
    if (digests[i].hash == hash) to->digest = digests[i].digest();
    if (digests[i].mask == mask) to->mask = digests[i].digest();
  }
  return to->digest != NULL && to->mask != NULL;
}

void mf_end_operation(mf_operation_state_t *operation) {
  EVP_MD_CTX_free(operation->hash);
  OPENSSL_cleanse(operation, sizeof *operation);
}

/* Whether to^e mod n is `from`: the key of this name may be another one since C_Initialize. */
static int is_right(const mf_token_key_t *key, const uint8_t *from, const uint8_t *to) {
  uint8_t back[MF_MAX_NUMBER];
  BN_CTX *work = BN_CTX_new();
  BIGNUM *number = BN_bin2bn(to, (int)key->n_size, NULL);
  BIGNUM *e = BN_bin2bn(key->e, (int)key->e_size, NULL);
  BIGNUM *n = BN_bin2bn(key->n, (int)key->n_size, NULL);
  ERR_set_mark();
  const int right = work != NULL && number != NULL && e != NULL && n != NULL &&
                    BN_ucmp(number, n) < 0 && BN_mod_exp(number, number, e, n, work) &&
                    BN_bn2binpad(number, back, (int)key->n_size) >= 0 &&
                    CRYPTO_memcmp(back, from, key->n_size) == 0;
  ERR_pop_to_mark();
  BN_free(n);
  BN_free(e);
  BN_clear_free(number);
  BN_CTX_free(work);
  OPENSSL_cleanse(back, sizeof back); /* of a wrong result it may tell the primes */
  return right;
}

/* to = from^d mod n in the daemon, checked with e. */
static CK_RV private_operation(const mf_token_key_t *key, const uint8_t *from, uint8_t *to) {
  const mf_field_t fields[2] = {{(const uint8_t *)key->name, key->name_size}, {from, key->n_size}};
  mf_answer_t answer;
  if (memcmp(from, key->n, key->n_size) >= 0) return CKR_DATA_INVALID;
  const mf_status_t status =
      mf_client_ask(&mf_token_client, MF_OP_PRIVATE, fields, 2, &answer);
  const int good = status == MF_OK && answer.count == 3 && answer.fields[0].size == key->n_size &&
                   is_right(key, from, answer.fields[0].data);
  if (good) memcpy(to, answer.fields[0].data, key->n_size);
  OPENSSL_cleanse(answer.bytes, sizeof answer.bytes);
  if (good) return CKR_OK;
  return status == MF_REFUSED ? CKR_KEY_SIZE_RANGE : CKR_DEVICE_ERROR; /* no device takes it */
}

/* ---- what a mechanism says ---- */
static CK_RV set_pss(mf_operation_state_t *operation, const CK_MECHANISM *mechanism) {
  const CK_RSA_PKCS_PSS_PARAMS *params = mechanism->pParameter;
  if (params == NULL || mechanism->ulParameterLen != sizeof *params ||
      params->sLen > MF_MAX_NUMBER || !find_digests(params->hashAlg, params->mgf, operation))
    return CKR_MECHANISM_PARAM_INVALID;
  operation->salt = (int)params->sLen;
  if (mechanism->mechanism == CKM_SHA256_RSA_PKCS_PSS && params->hashAlg != CKM_SHA256)
    return CKR_MECHANISM_PARAM_INVALID;
  return CKR_OK;
}

static CK_RV set_oaep(mf_operation_state_t *operation, const CK_MECHANISM *mechanism) {
  const CK_RSA_PKCS_OAEP_PARAMS *params = mechanism->pParameter;
  if (params == NULL || mechanism->ulParameterLen != sizeof *params ||
      params->ulSourceDataLen > sizeof operation->label ||
      (params->ulSourceDataLen != 0 && params->pSourceData == NULL) ||
      (params->source != CKZ_DATA_SPECIFIED && (params->source != 0 || params->ulSourceDataLen)) ||
      !find_digests(params->hashAlg, params->mgf, operation))
    return CKR_MECHANISM_PARAM_INVALID;
  operation->label_size = params->ulSourceDataLen;
  if (operation->label_size != 0)
    memcpy(operation->label, params->pSourceData, operation->label_size);
  return CKR_OK;
}

static int hashes(CK_MECHANISM_TYPE mechanism) {
  return mechanism == CKM_SHA256_RSA_PKCS || mechanism == CKM_SHA256_RSA_PKCS_PSS;
}

static CK_RV begin(mf_operation_state_t *operation, const CK_MECHANISM *mechanism,
                   CK_OBJECT_HANDLE key) {
  CK_RV result = CKR_OK;
  if (operation->active) return CKR_OPERATION_ACTIVE;
  if (mechanism == NULL) return CKR_ARGUMENTS_BAD;
  operation->key = mf_private_object(key);
  if (operation->key == NULL) /* only private keys sign and decrypt */
    return mf_is_object(key) ? CKR_KEY_FUNCTION_NOT_PERMITTED : CKR_KEY_HANDLE_INVALID;
  operation->mechanism = mechanism->mechanism;
  if (mechanism->mechanism == CKM_RSA_PKCS_PSS || mechanism->mechanism == CKM_SHA256_RSA_PKCS_PSS)
    result = set_pss(operation, mechanism);
  if (mechanism->mechanism == CKM_RSA_PKCS_OAEP) result = set_oaep(operation, mechanism);
  if (result == CKR_OK && hashes(mechanism->mechanism)) {
    operation->hash = EVP_MD_CTX_new();
    if (operation->hash == NULL || !EVP_DigestInit_ex(operation->hash, EVP_sha256(), NULL))
      result = CKR_HOST_MEMORY;
  }
  operation->active = result == CKR_OK;
  if (result != CKR_OK) mf_end_operation(operation);
  return result;
}

/* ---- signing ---- */
CK_RV mf_sign_init(CK_SESSION_HANDLE handle, CK_MECHANISM_PTR mechanism, CK_OBJECT_HANDLE key) {
  CK_RV reason;
  mf_session_t *session = mf_enter(handle, &reason);
  if (session == NULL) return reason;
  switch (mechanism == NULL ? CKM_RSA_PKCS : mechanism->mechanism) {
    case CKM_RSA_PKCS:
    case CKM_RSA_X_509:
    case CKM_RSA_PKCS_PSS:
    case CKM_SHA256_RSA_PKCS:
    case CKM_SHA256_RSA_PKCS_PSS: return mf_leave(begin(&session->sign, mechanism, key));
    default: return mf_leave(CKR_MECHANISM_INVALID);
  }
}

static int encode_pss(const mf_operation_state_t *operation, uint8_t *to, const uint8_t *digest) {
  RSA *shell = RSA_new(); /* the encoder asks it for the length of the modulus only */
  BIGNUM *n = BN_bin2bn(operation->key->n, (int)operation->key->n_size, NULL);
  BIGNUM *e = BN_bin2bn(operation->key->e, (int)operation->key->e_size, NULL);
  int good = shell != NULL && n != NULL && e != NULL && RSA_set0_key(shell, n, e, NULL);
  if (!good) {
    BN_free(n);
    BN_free(e);
  }
  good = good && RSA_padding_add_PKCS1_PSS_mgf1(shell, to, digest, operation->digest,
                                                operation->mask, operation->salt);
  RSA_free(shell);
  return good;
}

static CK_RV encode(const mf_operation_state_t *operation, uint8_t *to, const uint8_t *data,
                    size_t size) {
  static const uint8_t sha256[PREFIX_BYTES] = {0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60,
                                               0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02,
                                               0x01, 0x05, 0x00, 0x04, 0x20};
  uint8_t info[PREFIX_BYTES + SHA256_BYTES];
  const int bytes = (int)operation->key->n_size;
  int good = 1;
  if (size > operation->key->n_size) return CKR_DATA_LEN_RANGE;
  switch (operation->mechanism) {
    case CKM_RSA_X_509:
      memset(to, 0, operation->key->n_size);
      if (size != 0) memcpy(to + operation->key->n_size - size, data, size);
      break;
    case CKM_RSA_PKCS: good = RSA_padding_add_PKCS1_type_1(to, bytes, data, (int)size); break;
    case CKM_SHA256_RSA_PKCS:
      memcpy(info, sha256, PREFIX_BYTES);
      memcpy(info + PREFIX_BYTES, data, SHA256_BYTES);
      good = RSA_padding_add_PKCS1_type_1(to, bytes, info, sizeof info);
      break;
    default:
      good = size == (size_t)EVP_MD_get_size(operation->digest) && encode_pss(operation, to, data);
  }
  return good ? CKR_OK : CKR_DATA_LEN_RANGE;
}

/* Data, or with a mechanism that hashes the end of them. */
static CK_RV sign(mf_operation_state_t *operation, const uint8_t *data, size_t size,
                  CK_BYTE_PTR signature, CK_ULONG_PTR length) {
  uint8_t digest[EVP_MAX_MD_SIZE], padded[MF_MAX_NUMBER];
  if (hashes(operation->mechanism)) {
    if (!EVP_DigestUpdate(operation->hash, data, size) ||
        !EVP_DigestFinal_ex(operation->hash, digest, NULL))
      return CKR_FUNCTION_FAILED;
    data = digest;
    size = SHA256_BYTES;
  }
  ERR_set_mark();
  CK_RV result = encode(operation, padded, data, size);
  ERR_pop_to_mark(); /* the queue is the program's */
  if (result == CKR_OK) result = private_operation(operation->key, padded, signature);
  if (result == CKR_OK) *length = operation->key->n_size;
  return result;
}

/* CKR_OK to go on. */
static CK_RV check_room(const mf_operation_state_t *operation, const void *to, CK_ULONG_PTR length,
                        int *asked) {
  *asked = 0;
  if (length == NULL) return CKR_ARGUMENTS_BAD;
  *asked = to == NULL;
  const int too_small = to != NULL && *length < operation->key->n_size;
  if (*asked || too_small) *length = operation->key->n_size;
  return too_small ? CKR_BUFFER_TOO_SMALL : CKR_OK;
}

/* Only a question for the length and too little room leave an operation active. */
static CK_RV leave_operation(mf_operation_state_t *operation, CK_RV result, int asked) {
  if (result != CKR_BUFFER_TOO_SMALL && !(result == CKR_OK && asked)) mf_end_operation(operation);
  return mf_leave(result);
}

CK_RV mf_sign(CK_SESSION_HANDLE handle, CK_BYTE_PTR data, CK_ULONG size, CK_BYTE_PTR signature,
              CK_ULONG_PTR length) {
  CK_RV result;
  int asked = 0;
  mf_session_t *session = mf_enter(handle, &result);
  if (session == NULL) return result;
  mf_operation_state_t *operation = &session->sign;
  if (!operation->active || operation->in_parts) /* that is another type */
    return leave_operation(operation, CKR_OPERATION_NOT_INITIALIZED, 0);
  result = check_room(operation, signature, length, &asked);
  if (result == CKR_OK && !asked)
    result = data == NULL && size != 0 ? CKR_ARGUMENTS_BAD
                                       : sign(operation, data, size, signature, length);
  return leave_operation(operation, result, asked);
}

/* Whether an operation takes its data in parts; the mechanisms that do not hash are single-part.
   Source: PKCS#11 Current Mechanisms 2.40, table 1. */
static CK_RV check_parts(const mf_operation_state_t *operation) {
  if (!operation->active) return CKR_OPERATION_NOT_INITIALIZED;
  return hashes(operation->mechanism) ? CKR_OK : CKR_FUNCTION_NOT_SUPPORTED;
}

CK_RV mf_sign_update(CK_SESSION_HANDLE handle, CK_BYTE_PTR part, CK_ULONG size) {
  CK_RV result;
  mf_session_t *session = mf_enter(handle, &result);
  if (session == NULL) return result;
  mf_operation_state_t *operation = &session->sign;
  result = check_parts(operation);
  if (result == CKR_OK && part == NULL && size != 0) result = CKR_ARGUMENTS_BAD;
  if (result == CKR_OK && !EVP_DigestUpdate(operation->hash, part, size))
    result = CKR_FUNCTION_FAILED;
  operation->in_parts = 1;
  return leave_operation(operation, result, 1);
}

CK_RV mf_sign_final(CK_SESSION_HANDLE handle, CK_BYTE_PTR signature, CK_ULONG_PTR length) {
  CK_RV result;
  int asked = 0;
  mf_session_t *session = mf_enter(handle, &result);
  if (session == NULL) return result;
  mf_operation_state_t *operation = &session->sign;
  result = check_parts(operation);
  if (result == CKR_OK) result = check_room(operation, signature, length, &asked);
  if (result == CKR_OK && !asked) result = sign(operation, NULL, 0, signature, length);
  if (result == CKR_OK || result == CKR_BUFFER_TOO_SMALL) operation->in_parts = 1;
  return leave_operation(operation, result, asked);
}

/* ---- decrypting ---- */
CK_RV mf_decrypt_init(CK_SESSION_HANDLE handle, CK_MECHANISM_PTR mechanism, CK_OBJECT_HANDLE key) {
  CK_RV reason;
  mf_session_t *session = mf_enter(handle, &reason);
  if (session == NULL) return reason;
  switch (mechanism == NULL ? CKM_RSA_PKCS : mechanism->mechanism) {
    case CKM_RSA_PKCS:
    case CKM_RSA_X_509:
    case CKM_RSA_PKCS_OAEP: return mf_leave(begin(&session->decrypt, mechanism, key));
    default: return mf_leave(CKR_MECHANISM_INVALID);
  }
}

static int unpad(const mf_operation_state_t *operation, uint8_t *to, const uint8_t *padded,
                 const uint8_t seed[MF_SEED]) {
  const int size = (int)operation->key->n_size;
  switch (operation->mechanism) {
    case CKM_RSA_PKCS: return mf_unpad_pkcs1(to, padded, operation->key->n_size, seed, 1);
    case CKM_RSA_PKCS_OAEP:
      return RSA_padding_check_PKCS1_OAEP_mgf1(to, size, padded, size, size, operation->label,
                                               (int)operation->label_size, operation->digest,
                                               operation->mask);
    default: memcpy(to, padded, operation->key->n_size); return size;
  }
}

static CK_RV get_seed(const mf_token_key_t *key, const uint8_t *secret, uint8_t seed[MF_SEED]) {
  const mf_field_t fields[2] = {{(const uint8_t *)key->name, key->name_size},
                                {secret, key->n_size}};
  mf_answer_t answer;
  const mf_status_t status = mf_client_ask(&mf_token_client, MF_OP_REJECTION, fields, 2, &answer);
  const int good = status == MF_OK && answer.count == 1 && answer.fields[0].size == MF_SEED;
  if (good) memcpy(seed, answer.fields[0].data, MF_SEED);
  OPENSSL_cleanse(answer.bytes, sizeof answer.bytes);
  return good ? CKR_OK : CKR_DEVICE_ERROR;
}

/* Also whether there is room for the message is known after the operation only. */
static CK_RV decrypt(const mf_operation_state_t *operation, const uint8_t *secret, CK_BYTE_PTR data,
                     CK_ULONG_PTR length) {
  uint8_t padded[MF_MAX_NUMBER], message[MF_MAX_NUMBER], seed[MF_SEED] = {0};
  CK_RV result = CKR_OK;
  int found = -1;
  if (operation->mechanism == CKM_RSA_PKCS) result = get_seed(operation->key, secret, seed);
  if (result == CKR_OK) result = private_operation(operation->key, secret, padded);
  if (result == CKR_OK) {
    ERR_set_mark();
    found = unpad(operation, message, padded, seed);
    ERR_pop_to_mark(); /* else it would tell one wrong padding from another */
    if (found < 0) result = CKR_ENCRYPTED_DATA_INVALID;
    else if (*length < (CK_ULONG)found) result = CKR_BUFFER_TOO_SMALL;
    else memcpy(data, message, (size_t)found);
  }
  if (found >= 0) *length = (CK_ULONG)found;
  OPENSSL_cleanse(padded, sizeof padded);
  OPENSSL_cleanse(message, sizeof message);
  OPENSSL_cleanse(seed, sizeof seed);
  /* a number that is not below n */
  return result == CKR_DATA_INVALID ? CKR_ENCRYPTED_DATA_INVALID : result;
}

CK_RV mf_decrypt(CK_SESSION_HANDLE handle, CK_BYTE_PTR secret, CK_ULONG size, CK_BYTE_PTR data,
                 CK_ULONG_PTR length) {
  CK_RV result;
  mf_session_t *session = mf_enter(handle, &result);
  if (session == NULL) return result;
  mf_operation_state_t *operation = &session->decrypt;
  if (!operation->active) return mf_leave(CKR_OPERATION_NOT_INITIALIZED);
  const mf_token_key_t *key = operation->key;
  const int asked = data == NULL;
  result = CKR_OK;
  if (length == NULL || secret == NULL) result = CKR_ARGUMENTS_BAD;
  else if (asked) *length = key->n_size;
  else if (size != key->n_size) result = CKR_ENCRYPTED_DATA_LEN_RANGE;
  else result = decrypt(operation, secret, data, length);
  return leave_operation(operation, result, asked);
}

/* ---- random bytes, from OpenSSL ---- */
CK_RV mf_seed_random(CK_SESSION_HANDLE handle, CK_BYTE_PTR seed, CK_ULONG size) {
  CK_RV result;
  (void)seed;
  (void)size;
  return mf_enter(handle, &result) == NULL ? result : mf_leave(CKR_RANDOM_SEED_NOT_SUPPORTED);
}

CK_RV mf_generate_random(CK_SESSION_HANDLE handle, CK_BYTE_PTR to, CK_ULONG size) {
  CK_RV result;
  if (mf_enter(handle, &result) == NULL) return result;
  if (to == NULL || size > INT_MAX) return mf_leave(CKR_ARGUMENTS_BAD);
  return mf_leave(RAND_bytes(to, (int)size) > 0 ? CKR_OK : CKR_FUNCTION_FAILED);
}
