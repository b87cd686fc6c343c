/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the PKCS#11 module share: keys, operations, sessions. */
#ifndef MODFAB_TOKEN_H
#define MODFAB_TOKEN_H

#include <openssl/evp.h>
#include <p11-kit/pkcs11.h>

#include "modfab_client.h"

enum {
  MF_MAX_KEYS = MF_MAX_FIELDS,
  MF_MAX_SESSIONS = 64,
  MF_MAX_NUMBER = 1024, /* bytes of the longest modulus */
  MF_NAME_BYTES = 64
};

/* A key of the daemon; its objects have the handles 2 i + 1 (public) and 2 i + 2 (private). */
typedef struct {
  char name[MF_NAME_BYTES + 1];
  size_t name_size, n_size, e_size;
  uint8_t n[MF_MAX_NUMBER], e[MF_MAX_NUMBER];
} mf_token_key_t;

typedef struct {
  int active, in_parts;
  CK_MECHANISM_TYPE mechanism;
  const mf_token_key_t *key;
  const EVP_MD *digest, *mask; /* of PSS and OAEP */
  int salt;
  uint8_t label[MF_MAX_NUMBER]; /* of OAEP */
  size_t label_size;
  EVP_MD_CTX *hash; /* of mechanisms that hash */
} mf_operation_state_t;

typedef struct {
  int open, writable;
  int finding;
  CK_OBJECT_HANDLE found[2 * MF_MAX_KEYS];
  CK_ULONG num_found, next_found;
  mf_operation_state_t sign, decrypt;
} mf_session_t;

extern mf_client_t mf_token_client;

/* The session of a handle, with the module's lock held until mf_leave; NULL with the reason. */
mf_session_t *mf_enter(CK_SESSION_HANDLE handle, CK_RV *reason);
CK_RV mf_leave(CK_RV result);
/* Whether there is an object of this handle. */
int mf_is_object(CK_OBJECT_HANDLE handle);
/* The private key of a handle; NULL for any other object. */
const mf_token_key_t *mf_private_object(CK_OBJECT_HANDLE handle);
/* Keys of the token, with the lock held. */
extern mf_token_key_t mf_keys[MF_MAX_KEYS];
extern size_t mf_num_keys;
void mf_end_operation(mf_operation_state_t *operation);

CK_RV mf_sign_init(CK_SESSION_HANDLE handle, CK_MECHANISM_PTR mechanism, CK_OBJECT_HANDLE key);
CK_RV mf_sign(CK_SESSION_HANDLE handle, CK_BYTE_PTR data, CK_ULONG size, CK_BYTE_PTR signature,
              CK_ULONG_PTR length);
CK_RV mf_sign_update(CK_SESSION_HANDLE handle, CK_BYTE_PTR part, CK_ULONG size);
CK_RV mf_sign_final(CK_SESSION_HANDLE handle, CK_BYTE_PTR signature, CK_ULONG_PTR length);
CK_RV mf_decrypt_init(CK_SESSION_HANDLE handle, CK_MECHANISM_PTR mechanism, CK_OBJECT_HANDLE key);
CK_RV mf_decrypt(CK_SESSION_HANDLE handle, CK_BYTE_PTR secret, CK_ULONG size, CK_BYTE_PTR data,
                 CK_ULONG_PTR length);
CK_RV mf_seed_random(CK_SESSION_HANDLE handle, CK_BYTE_PTR seed, CK_ULONG size);
CK_RV mf_generate_random(CK_SESSION_HANDLE handle, CK_BYTE_PTR to, CK_ULONG size);

/* ---- modfab_objects.c ---- */
CK_RV mf_get_attributes(CK_SESSION_HANDLE handle, CK_OBJECT_HANDLE object,
                        CK_ATTRIBUTE_PTR attributes, CK_ULONG count);
CK_RV mf_find_init(CK_SESSION_HANDLE handle, CK_ATTRIBUTE_PTR attributes, CK_ULONG count);
CK_RV mf_find(CK_SESSION_HANDLE handle, CK_OBJECT_HANDLE_PTR objects, CK_ULONG most,
              CK_ULONG_PTR count);
CK_RV mf_find_final(CK_SESSION_HANDLE handle);

#endif
