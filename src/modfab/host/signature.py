# SPDX-License-Identifier: Apache-2.0
"""RSA signatures (RFC 8017) around a modular exponentiation that a core computes.

Encoding is pycryptodome's. What a signature may look like is OpenSSL's choice: the DigestInfo of
PKCS#1 v1.5 carries its NULL, and an RSA-PSS key is used as its parameters say.
"""

from __future__ import annotations

from Crypto.Signature import pkcs1_15, pss
from Crypto.Util.strxor import strxor

from modfab.errors import NotValidError, OperandError
from modfab.host.core_key import CoreKey, ModExp
from modfab.host.digests import Digest, check_bytes, mask_function, new_digest
from modfab.host.keys import RsaPublic
from modfab.host.signature_options import (
    DEFAULT,
    Salt,
    Signature,
    SignatureOptions,
    SignatureScheme,
    max_salt_bytes,
    pss_bytes,
)


def sign(
    digest: Digest,
    key: RsaPublic,
    modexp: ModExp,
    options: SignatureOptions = DEFAULT,
    salt: bytes | None = None,
) -> bytes:
    """Sign a hashed message.

    Args:
        digest: The message, hashed by `new_digest` with the hash of `options.for_signing(key)`.
        key: Private key, or its public half where the core holds the rest.
        modexp: x -> x**d mod n.
        options: Padding, hashes and length of the salt.
        salt: Salt of PSS, for known answers; None takes a random one.

    Returns:
        As many bytes as the modulus has.

    Raises:
        UsageError: The options do not suit the key, or ask for SHA-1 without allowing it.
        OperandError: The key is too small for the hash.
    """
    scheme = options.for_signing(key)
    salt_bytes = _salt_to_make(scheme, key) if salt is None else len(salt)
    check_signer(digest, key, options, salt_bytes)
    bound = CoreKey(key, public=None, private=modexp)
    if scheme.padding is Signature.PKCS1:
        return pkcs1_15.new(bound).sign(digest)
    rand_func = None if salt is None else lambda _: salt
    mask = mask_function(scheme.mgf_hash)
    encoder = pss.new(bound, mask_func=mask, salt_bytes=salt_bytes, rand_func=rand_func)
    return encoder.sign(digest)


def check_signer(
    digest: Digest,
    key: RsaPublic,
    options: SignatureOptions = DEFAULT,
    salt_bytes: int | None = None,
) -> None:
    """Refuse a key that is too small for a padding with a hash, or may not be used so.

    Args:
        digest: The hash in use.
        key: Key that is to sign.
        options: Padding, hashes and length of the salt.
        salt_bytes: Length of the salt of PSS; None is that of the options.

    Raises:
        UsageError: The options do not suit the key.
        OperandError: The encoded message would not fit, or is of another hash.

    Source: RFC 8017, section 9.1.1, step 3 and section 9.2, step 3.
    """
    scheme = options.for_signing(key)
    if digest.oid != new_digest(scheme.hash_name).oid:
        raise OperandError(
            f"Expected a message hashed with {scheme.hash_name.value}, but it was hashed with "
            "another function; hash it with the one that the options name."
        )
    if scheme.padding is Signature.PKCS1:
        fits = _pkcs1_encoded(digest, key) is not None
    else:
        salt_bytes = _salt_to_make(scheme, key) if salt_bytes is None else salt_bytes
        fits = 0 <= salt_bytes <= max_salt_bytes(key, scheme.hash_name)
    if not fits:
        raise OperandError(
            f"A {key.num_bits}-bit key is too small for {scheme.padding.value} with a hash of "
            f"{8 * digest.digest_size} bits{_with_salt(scheme)}; use a longer key or a shorter "
            "hash."
        )


def verify(
    digest: Digest,
    signature: bytes,
    key: RsaPublic,
    modexp: ModExp,
    options: SignatureOptions = DEFAULT,
) -> None:
    """Check a signature.

    Args:
        digest: The message, hashed by `new_digest` with the hash of `options.for_verifying(key)`.
        signature: What to check.
        key: Public key of the signer.
        modexp: x -> x**e mod n.
        options: Padding, hashes and length of the salt; by default any length is accepted.

    Raises:
        UsageError: The options do not suit the key, or the signature is no bytes.
        NotValidError: The signature is not valid.
    """
    scheme = options.for_verifying(key)
    check_bytes(signature, "signature")
    if len(signature) != key.num_bytes:
        raise NotValidError(
            f"A signature of this {key.num_bits}-bit key has {key.num_bytes} bytes, but this one "
            f"has {len(signature)}; check that it is complete and was made with this key."
        )
    value = int.from_bytes(signature, "big")
    if value >= key.n or digest.oid != new_digest(scheme.hash_name).oid:
        raise _not_valid()
    encoded = modexp(value)
    if scheme.padding is Signature.PKCS1:
        if encoded.to_bytes(key.num_bytes, "big") != _pkcs1_encoded(digest, key):
            raise _not_valid()
        return
    bound = CoreKey(key, public=lambda _: encoded, private=None)
    try:
        salt_bytes = _salt_to_find(scheme, encoded, key, digest)
        mask = mask_function(scheme.mgf_hash)
        pss.new(bound, mask_func=mask, salt_bytes=salt_bytes).verify(digest, signature)
    except (TypeError, ValueError):  # TypeError: the key is too small for this hash
        raise _not_valid() from None


def _not_valid() -> NotValidError:
    return NotValidError(
        "The signature is not valid; file, signature, key, padding and hash must be those "
        "of the signer."
    )


def _pkcs1_encoded(digest: Digest, key: RsaPublic) -> bytes | None:
    """The encoded message: the scheme's signature when the exponentiation changes nothing.

    None when the key is too small. Source: RFC 8017, section 9.2, with the NULL of its note 1.
    """
    bound = CoreKey(key, public=lambda value: value, private=lambda value: value)
    try:
        return pkcs1_15.new(bound).sign(digest)
    except TypeError:
        return None


def _salt_to_make(scheme: SignatureScheme, key: RsaPublic) -> int:
    """Length of the salt of a new signature; negative when nothing fits."""
    if isinstance(scheme.salt, int):
        return scheme.salt
    if scheme.salt is Salt.DIGEST:
        return new_digest(scheme.hash_name).digest_size
    return max_salt_bytes(key, scheme.hash_name)


def _with_salt(scheme: SignatureScheme) -> str:
    asked = isinstance(scheme.salt, int) and scheme.padding is Signature.PSS
    return f" and a salt of {scheme.salt} bytes" if asked else ""


def _salt_to_find(scheme: SignatureScheme, encoded: int, key: RsaPublic, digest: Digest) -> int:
    """Length of the salt that a signature must have.

    With `auto` the one that the encoded message claims: what follows the first 1 byte.
    Source: RFC 8017, section 9.1.2, steps 5 to 10; the scheme itself repeats every check.
    """
    if scheme.salt is not Salt.AUTO:
        wanted = _salt_to_make(scheme, key)
        if wanted < 0:
            raise ValueError("the key is too small")
        return wanted
    size = pss_bytes(key)
    start = size - digest.digest_size - 1
    if start <= 0 or encoded.bit_length() > key.num_bits - 1:
        raise ValueError("not an encoded message")
    encoded_bytes = encoded.to_bytes(size, "big")
    mask = mask_function(scheme.mgf_hash)(encoded_bytes[start:-1], start)
    block = int.from_bytes(strxor(encoded_bytes[:start], mask), "big")
    block &= (1 << (key.num_bits - 1 - 8 * (size - start))) - 1
    return max(0, (block.bit_length() - 1) // 8)
