# SPDX-License-Identifier: Apache-2.0
"""RSA signatures (RFC 8017) around a modular power that a core computes."""

from __future__ import annotations

from enum import Enum

from Crypto.Signature import pkcs1_15, pss
from Crypto.Util.strxor import strxor

from modfab.errors import CryptoError, OperandError
from modfab.host.core_key import CoreKey, Power
from modfab.host.digests import Digest
from modfab.host.keys import RsaPublic

_PKCS1_BYTES = 30  # eleven of padding and the 19 of DigestInfo before a SHA-2 hash


class Signature(str, Enum):
    """Paddings of signatures: PSS or PKCS#1 v1.5."""

    PSS = "pss"
    PKCS1 = "pkcs1"


def sign(
    digest: Digest, key: RsaPublic, power: Power, padding: Signature, salt: bytes | None = None
) -> bytes:
    """Sign a hashed message.

    Args:
        digest: The message, hashed by `new_digest`.
        key: Private key; its public half where the core holds the rest, except for PKCS#1 v1.5,
            whose answer to a wrong padding is derived from the private exponent.
        power: x -> x**d mod n.
        padding: PSS or PKCS#1 v1.5.
        salt: Salt of PSS, for known answers; None takes a random one as long as the hash.

    Returns:
        As many bytes as the modulus has.

    Raises:
        OperandError: The key is too small for the hash.
    """
    salt_bytes = digest.digest_size if salt is None else len(salt)
    check_signer(digest, key, padding, salt_bytes)
    bound = CoreKey(key, public=None, private=power)
    if padding is Signature.PKCS1:
        return pkcs1_15.new(bound).sign(digest)
    rand_func = None if salt is None else lambda _: salt
    return pss.new(bound, salt_bytes=salt_bytes, rand_func=rand_func).sign(digest)


def check_signer(
    digest: Digest, key: RsaPublic, padding: Signature, salt_bytes: int | None = None
) -> None:
    """Refuse a key that is too small for a padding with a hash.

    Args:
        digest: The hash in use.
        key: Key that is to sign.
        padding: PSS or PKCS#1 v1.5.
        salt_bytes: Length of the salt of PSS; None is the length of the hash.

    Raises:
        OperandError: The encoded message would not fit.

    Source: RFC 8017, section 9.1.1, step 3 and section 9.2, step 3.
    """
    salt_bytes = digest.digest_size if salt_bytes is None else salt_bytes
    overhead_bytes = _PKCS1_BYTES if padding is Signature.PKCS1 else salt_bytes + 2
    if _encoded_bytes(key, padding) < digest.digest_size + overhead_bytes:
        raise OperandError(
            f"A {key.num_bits}-bit key is too small for {padding.value} with a hash of "
            f"{8 * digest.digest_size} bits; use a longer key or a shorter hash."
        )


def verify(
    digest: Digest, signature: bytes, key: RsaPublic, power: Power, padding: Signature
) -> None:
    """Check a signature; for PSS the salt may have any length, as OpenSSL accepts it.

    Args:
        digest: The message, hashed by `new_digest`.
        signature: What to check.
        key: Public key of the signer.
        power: x -> x**e mod n.
        padding: PSS or PKCS#1 v1.5.

    Raises:
        CryptoError: The signature is not valid.
    """
    if len(signature) != key.num_bytes:
        raise CryptoError(
            f"A signature of this {key.num_bits}-bit key has {key.num_bytes} bytes, but this one "
            f"has {len(signature)}; check that it is complete and was made with this key."
        )
    value = int.from_bytes(signature, "big")
    if value >= key.n:
        raise _not_valid()
    encoded = power(value)
    bound = CoreKey(key, public=lambda _: encoded, private=None)
    try:
        if padding is Signature.PKCS1:
            pkcs1_15.new(bound).verify(digest, signature)
        else:
            salt_bytes = _salt_bytes(encoded, key, digest)
            pss.new(bound, salt_bytes=salt_bytes).verify(digest, signature)
    except (TypeError, ValueError):  # TypeError: the key is too small for this hash
        raise _not_valid() from None


def _not_valid() -> CryptoError:
    return CryptoError(
        "The signature is not valid; file, signature, key, padding and hash must be those "
        "of the signer."
    )


def _encoded_bytes(key: RsaPublic, padding: Signature) -> int:
    """Bytes of the encoded message; PSS uses one bit less than the modulus has."""
    return key.num_bytes if padding is Signature.PKCS1 else -(-(key.num_bits - 1) // 8)


def _salt_bytes(encoded: int, key: RsaPublic, digest: Digest) -> int:
    """Length of the salt that an encoded message claims: what follows the first 1 byte.

    Source: RFC 8017, section 9.1.2, steps 5 to 10; the scheme itself repeats every check.
    """
    size = _encoded_bytes(key, Signature.PSS)
    start = size - digest.digest_size - 1
    if start <= 0 or encoded.bit_length() > key.num_bits - 1:
        raise ValueError("not an encoded message")
    encoded_bytes = encoded.to_bytes(size, "big")
    mask = pss.MGF1(encoded_bytes[start:-1], start, digest)
    block = int.from_bytes(strxor(encoded_bytes[:start], mask), "big")
    block &= (1 << (key.num_bits - 1 - 8 * (size - start))) - 1
    return max(0, (block.bit_length() - 1) // 8)
