/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of the PKCS#11 module: a public and a private one for each key, with their attributes. */
#include <string.h>

#include "modfab_token.h"

/* Where an attribute's value is; small ones in `number`. */
typedef struct {
  const void *data;
  size_t size;
  CK_ULONG number;
  CK_BBOOL flag;
} value_t;

static void set_number(value_t *value, CK_ULONG number) {
  value->number = number;
  value->data = &value->number;
  value->size = sizeof value->number;
}

static void set_flag(value_t *value, int flag) {
  value->flag = flag ? CK_TRUE : CK_FALSE;
  value->data = &value->flag;
  value->size = sizeof value->flag;
}

static void set_bytes(value_t *value, const void *data, size_t size) {
  value->data = data;
  value->size = size;
}

static CK_ULONG bits_of(const mf_token_key_t *key) {
  CK_ULONG bits = 8 * key->n_size;
  for (unsigned bit = 0x80; bit != 0 && key->n_size != 0 && (key->n[0] & bit) == 0; bit /= 2) --bits;
  return bits;
}

/* What only one of the two objects has. */
static CK_RV get_own(const mf_token_key_t *key, int is_private, CK_ATTRIBUTE_TYPE type,
                     value_t *value) {
  switch (type) {
    case CKA_SIGN:
    case CKA_DECRYPT:
    case CKA_SENSITIVE:
      if (!is_private) return CKR_ATTRIBUTE_TYPE_INVALID;
      set_flag(value, 1);
      return CKR_OK;
    case CKA_ALWAYS_SENSITIVE: /* the key was in a file */
    case CKA_NEVER_EXTRACTABLE:
    case CKA_EXTRACTABLE:
    case CKA_SIGN_RECOVER:
    case CKA_UNWRAP:
    case CKA_ALWAYS_AUTHENTICATE:
      if (!is_private) return CKR_ATTRIBUTE_TYPE_INVALID;
      set_flag(value, 0);
      return CKR_OK;
    case CKA_VERIFY:
    case CKA_ENCRYPT:
    case CKA_VERIFY_RECOVER:
    case CKA_WRAP:
      if (is_private) return CKR_ATTRIBUTE_TYPE_INVALID;
      set_flag(value, 0);
      return CKR_OK;
    case CKA_MODULUS_BITS:
      if (is_private) return CKR_ATTRIBUTE_TYPE_INVALID;
      set_number(value, bits_of(key));
      return CKR_OK;
    case CKA_PRIVATE_EXPONENT:
    case CKA_PRIME_1:
    case CKA_PRIME_2:
    case CKA_EXPONENT_1:
    case CKA_EXPONENT_2:
    case CKA_COEFFICIENT: return is_private ? CKR_ATTRIBUTE_SENSITIVE : CKR_ATTRIBUTE_TYPE_INVALID;
    default: return CKR_ATTRIBUTE_TYPE_INVALID;
  }
}

static CK_RV get_value(CK_OBJECT_HANDLE object, CK_ATTRIBUTE_TYPE type, value_t *value) {
  const mf_token_key_t *key = &mf_keys[(object - 1) / 2];
  const int is_private = object % 2 == 0;
  switch (type) {
    case CKA_CLASS: set_number(value, is_private ? CKO_PRIVATE_KEY : CKO_PUBLIC_KEY); break;
    case CKA_KEY_TYPE: set_number(value, CKK_RSA); break;
    case CKA_TOKEN: set_flag(value, 1); break;
    case CKA_PRIVATE:
    case CKA_MODIFIABLE:
    case CKA_LOCAL:
    case CKA_DERIVE: set_flag(value, 0); break;
    case CKA_LABEL:
    case CKA_ID: set_bytes(value, key->name, key->name_size); break;
    case CKA_MODULUS: set_bytes(value, key->n, key->n_size); break;
    case CKA_PUBLIC_EXPONENT: set_bytes(value, key->e, key->e_size); break;
    default: return get_own(key, is_private, type, value);
  }
  return CKR_OK;
}

CK_RV mf_get_attributes(CK_SESSION_HANDLE handle, CK_OBJECT_HANDLE object,
                        CK_ATTRIBUTE_PTR attributes, CK_ULONG count) {
  CK_RV result;
  if (mf_enter(handle, &result) == NULL) return result;
  if (!mf_is_object(object)) return mf_leave(CKR_OBJECT_HANDLE_INVALID);
  if (attributes == NULL && count != 0) return mf_leave(CKR_ARGUMENTS_BAD);
  result = CKR_OK;
  for (CK_ULONG i = 0; i < count; ++i) {
    value_t value;
    CK_RV one = get_value(object, attributes[i].type, &value);
    if (one == CKR_OK && attributes[i].pValue != NULL && attributes[i].ulValueLen < value.size)
      one = CKR_BUFFER_TOO_SMALL;
    if (one == CKR_OK && attributes[i].pValue != NULL)
      memcpy(attributes[i].pValue, value.data, value.size);
    attributes[i].ulValueLen = one == CKR_OK ? value.size : CK_UNAVAILABLE_INFORMATION;
    if (one != CKR_OK) result = one;
  }
  return mf_leave(result);
}

static int matches(CK_OBJECT_HANDLE object, const CK_ATTRIBUTE *attributes, CK_ULONG count) {
  for (CK_ULONG i = 0; i < count; ++i) {
    value_t value;
    if (get_value(object, attributes[i].type, &value) != CKR_OK ||
        value.size != attributes[i].ulValueLen || attributes[i].pValue == NULL ||
        memcmp(value.data, attributes[i].pValue, value.size) != 0)
      return 0;
  }
  return 1;
}

CK_RV mf_find_init(CK_SESSION_HANDLE handle, CK_ATTRIBUTE_PTR attributes, CK_ULONG count) {
  CK_RV result;
  mf_session_t *session = mf_enter(handle, &result);
  if (session == NULL) return result;
  if (session->finding) return mf_leave(CKR_OPERATION_ACTIVE);
  if (attributes == NULL && count != 0) return mf_leave(CKR_ARGUMENTS_BAD);
  session->finding = 1;
  session->num_found = session->next_found = 0;
  for (CK_OBJECT_HANDLE object = 1; object <= 2 * mf_num_keys; ++object)
    if (matches(object, attributes, count)) session->found[session->num_found++] = object;
  return mf_leave(CKR_OK);
}

CK_RV mf_find(CK_SESSION_HANDLE handle, CK_OBJECT_HANDLE_PTR objects, CK_ULONG most,
              CK_ULONG_PTR count) {
  CK_RV result;
  mf_session_t *session = mf_enter(handle, &result);
  if (session == NULL) return result;
  if (!session->finding) return mf_leave(CKR_OPERATION_NOT_INITIALIZED);
  if (count == NULL || (objects == NULL && most != 0)) return mf_leave(CKR_ARGUMENTS_BAD);
  for (*count = 0; *count < most && session->next_found < session->num_found; ++*count)
    objects[*count] = session->found[session->next_found++];
  return mf_leave(CKR_OK);
}

CK_RV mf_find_final(CK_SESSION_HANDLE handle) {
  CK_RV result;
  mf_session_t *session = mf_enter(handle, &result);
  if (session == NULL) return result;
  if (!session->finding) return mf_leave(CKR_OPERATION_NOT_INITIALIZED);
  session->finding = 0;
  return mf_leave(CKR_OK);
}
