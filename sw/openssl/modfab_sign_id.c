/* SPDX-License-Identifier: Apache-2.0 */
#include "modfab_sign_id.h"

#include <openssl/objects.h>
#include <openssl/x509.h>

enum { DEFAULT_SALT = 20 }; /* of RFC 8017, appendix A.2.3, as SHA-1 is the default digest */

int mf_digest_info(const EVP_MD *digest, const unsigned char *data, size_t size,
                   unsigned char **der) {
  X509_ALGOR *algorithm;
  ASN1_OCTET_STRING *octets;
  const int nid = EVP_MD_get_type(digest);
  int length = 0;
  X509_SIG *info = X509_SIG_new();
  if (info == NULL) return 0;
  X509_SIG_getm(info, &algorithm, &octets);
  if (nid != NID_undef && X509_ALGOR_set0(algorithm, OBJ_nid2obj(nid), V_ASN1_NULL, NULL) &&
      ASN1_OCTET_STRING_set(octets, data, (int)size))
    length = i2d_X509_SIG(info, der);
  X509_SIG_free(info);
  return length > 0 ? length : 0;
}

/* NID_undef where there is none. OpenSSL 3.0 does not find the two short forms of SHA-512. */
static int signature_of(int digest) {
  int nid = NID_undef;
  switch (digest) {
    case NID_sha512_224: return NID_sha512_224WithRSAEncryption;
    case NID_sha512_256: return NID_sha512_256WithRSAEncryption;
    default: return OBJ_find_sigid_by_algs(&nid, digest, NID_rsaEncryption) ? nid : NID_undef;
  }
}

int mf_signs(const EVP_MD *digest) {
  static const int known[] = {
      NID_sha1,       NID_sha224,   NID_sha256,   NID_sha384,   NID_sha512, NID_sha512_224,
      NID_sha512_256, NID_sha3_224, NID_sha3_256, NID_sha3_384, NID_sha3_512, NID_md5,
      NID_md5_sha1,   NID_md4,      NID_md2,      NID_mdc2,     NID_ripemd160};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (EVP_MD_get_type(digest) == known[i]) return 1;
  return 0;
}

int mf_pkcs1_identifier(const EVP_MD *digest, unsigned char **der) {
  int length = 0;
  const int nid = signature_of(EVP_MD_get_type(digest));
  X509_ALGOR *algorithm = X509_ALGOR_new();
  if (algorithm != NULL && nid != NID_undef &&
      X509_ALGOR_set0(algorithm, OBJ_nid2obj(nid), V_ASN1_NULL, NULL))
    length = i2d_X509_ALGOR(algorithm, der);
  X509_ALGOR_free(algorithm);
  return length > 0 ? length : 0;
}

/* NULL in `made` for SHA-1, which is the default. Those of RFC 4055, section 2.1, have a parameter
   of type NULL: verifiers compare the bytes of certificates' identifiers. */
static int digest_identifier(const EVP_MD *digest, X509_ALGOR **made) {
  const int nid = EVP_MD_get_type(digest);
  if (EVP_MD_is_a(digest, "SHA1")) return 1;
  *made = X509_ALGOR_new();
  if (*made == NULL) return 0;
  if (nid == NID_sha224 || nid == NID_sha256 || nid == NID_sha384 || nid == NID_sha512)
    return X509_ALGOR_set0(*made, OBJ_nid2obj(nid), V_ASN1_NULL, NULL);
  X509_ALGOR_set_md(*made, digest);
  return 1;
}

static int mask_identifier(const EVP_MD *mask, X509_ALGOR **made) {
  X509_ALGOR *digest = NULL;
  ASN1_STRING *packed = NULL;
  if (EVP_MD_is_a(mask, "SHA1")) return 1;
  if (digest_identifier(mask, &digest) && digest != NULL)
    packed = ASN1_item_pack(digest, ASN1_ITEM_rptr(X509_ALGOR), NULL);
  X509_ALGOR_free(digest);
  *made = packed == NULL ? NULL : X509_ALGOR_new();
  if (*made != NULL && X509_ALGOR_set0(*made, OBJ_nid2obj(NID_mgf1), V_ASN1_SEQUENCE, packed))
    return 1;
  ASN1_STRING_free(packed);
  return 0;
}

static int salt_number(int salt, ASN1_INTEGER **made) {
  if (salt == DEFAULT_SALT) return 1;
  *made = ASN1_INTEGER_new();
  return *made != NULL && ASN1_INTEGER_set(*made, salt);
}

int mf_pss_identifier(const EVP_MD *digest, const EVP_MD *mask, int salt, unsigned char **der) {
  int length = 0;
  ASN1_STRING *packed = NULL;
  X509_ALGOR *algorithm = X509_ALGOR_new();
  RSA_PSS_PARAMS *params = RSA_PSS_PARAMS_new();
  if (algorithm != NULL && params != NULL && salt >= 0 &&
      digest_identifier(digest, &params->hashAlgorithm) &&
      mask_identifier(mask, &params->maskGenAlgorithm) && salt_number(salt, &params->saltLength))
    packed = ASN1_item_pack(params, ASN1_ITEM_rptr(RSA_PSS_PARAMS), NULL);
  if (packed != NULL) {
    if (X509_ALGOR_set0(algorithm, OBJ_nid2obj(NID_rsassaPss), V_ASN1_SEQUENCE, packed))
      length = i2d_X509_ALGOR(algorithm, der);
    else
      ASN1_STRING_free(packed);
  }
  RSA_PSS_PARAMS_free(params);
  X509_ALGOR_free(algorithm);
  return length > 0 ? length : 0;
}
