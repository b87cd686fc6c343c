/* SPDX-License-Identifier: Apache-2.0 */
/* Digests of signatures, and DER of what names a signature's algorithm: bytes, to be freed by
   OPENSSL_free, or 0. */
#ifndef MODFAB_SIGN_ID_H
#define MODFAB_SIGN_ID_H

#include <openssl/evp.h>

/* Whether OpenSSL's own RSA signatures take a digest. */
int mf_signs(const EVP_MD *digest);

/* DigestInfo of RFC 8017, section 9.2. */
int mf_digest_info(const EVP_MD *digest, const unsigned char *data, size_t size,
                   unsigned char **der);
/* AlgorithmIdentifier of PKCS#1 v1.5 with a digest. */
int mf_pkcs1_identifier(const EVP_MD *digest, unsigned char **der);
/* AlgorithmIdentifier of PSS. */
int mf_pss_identifier(const EVP_MD *digest, const EVP_MD *mask, int salt, unsigned char **der);

#endif
