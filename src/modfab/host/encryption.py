# SPDX-License-Identifier: Apache-2.0
"""RSA encryption (RFC 8017) around a modular power that a core computes.

Padding and the checks that must not leak are pycryptodome's; this file chooses among them, checks
what can be checked before the core starts, and gives every failure one text.
"""

from __future__ import annotations

from enum import Enum

from Crypto.Cipher import PKCS1_OAEP, PKCS1_v1_5

from modfab.errors import CryptoError, OperandError
from modfab.host.core_key import CoreKey, Power
from modfab.host.digests import Hash, hash_module, new_digest
from modfab.host.keys import RsaPublic

_PKCS1_BYTES = 11  # two leading bytes, eight random bytes or more, one zero


class Encryption(str, Enum):
    """Paddings of encryption: OAEP, PKCS#1 v1.5, or none."""

    OAEP = "oaep"
    PKCS1 = "pkcs1"
    RAW = "raw"


def max_message_bytes(num_bytes: int, padding: Encryption, hash_name: Hash) -> int:
    """Longest message that one encryption takes; negative when the key is too small for any.

    Args:
        num_bytes: Size of the modulus, in bytes.
        padding: How the message is padded.
        hash_name: Hash of OAEP; other paddings have none.

    Source: RFC 8017, sections 7.1.1 and 7.2.1.

    >>> max_message_bytes(256, Encryption.OAEP, Hash.SHA1)
    214
    """
    if padding is Encryption.RAW:
        return num_bytes
    if padding is Encryption.PKCS1:
        return num_bytes - _PKCS1_BYTES
    return num_bytes - 2 * new_digest(hash_name).digest_size - 2


def check_message(message: bytes, key: RsaPublic, padding: Encryption, hash_name: Hash) -> None:
    """Refuse a message that does not suit key and padding.

    Args:
        message: What is to be encrypted.
        key: Key it is to be encrypted with.
        padding: How it is padded.
        hash_name: Hash of OAEP.

    Raises:
        OperandError: The message is too long; with raw, not as long as the modulus or not below
            it.
    """
    num_bytes = len(message)
    limit = max_message_bytes(key.num_bytes, padding, hash_name)
    if padding is Encryption.RAW:
        if num_bytes != limit:
            raise OperandError(
                f"Without padding the input must have exactly the {limit} bytes of the modulus, "
                f"but it has {num_bytes}; put zero bytes before it or use --padding oaep."
            )
        _check_below_modulus(message, key, "input")
    elif limit < 0:
        raise OperandError(
            f"A {key.num_bits}-bit key is too small for {padding.value} with "
            f"{hash_name.value}; use a longer key or a shorter hash."
        )
    elif num_bytes > limit:
        raise OperandError(
            f"With {padding.value} a {key.num_bits}-bit key encrypts at most {limit} bytes, but "
            f"the input has {num_bytes}; encrypt a symmetric key and the data with that."
        )


def encrypt(
    message: bytes, key: RsaPublic, power: Power, padding: Encryption, hash_name: Hash = Hash.SHA1
) -> bytes:
    """Encrypt a message for the owner of a key.

    Args:
        message: At most `max_message_bytes`; for raw exactly as many bytes as the modulus.
        key: Public key.
        power: x -> x**e mod n.
        padding: OAEP, PKCS#1 v1.5 or raw.
        hash_name: Hash of OAEP and of its mask; OpenSSL's default is SHA-1.

    Returns:
        As many bytes as the modulus has.

    Raises:
        OperandError: The message does not suit the key.
    """
    check_message(message, key, padding, hash_name)
    if padding is Encryption.RAW:
        return power(int.from_bytes(message, "big")).to_bytes(key.num_bytes, "big")
    bound = CoreKey(key, public=power, private=None)
    if padding is Encryption.PKCS1:
        return PKCS1_v1_5.new(bound).encrypt(message)
    return PKCS1_OAEP.new(bound, hash_module(hash_name)).encrypt(message)


def decrypt(
    ciphertext: bytes,
    key: RsaPublic,
    power: Power,
    padding: Encryption,
    hash_name: Hash = Hash.SHA1,
) -> bytes:
    """Decrypt a ciphertext.

    A wrong OAEP padding is an error with one text and one path. A wrong PKCS#1 v1.5 padding is
    no error: as in OpenSSL since 3.2, the result is a message derived from key and ciphertext
    (implicit rejection), so that nobody can ask whether a padding was right.

    Args:
        ciphertext: As many bytes as the modulus.
        key: Private key; its public half where the core holds the rest, except for PKCS#1 v1.5,
            whose answer to a wrong padding is derived from the private exponent.
        power: x -> x**d mod n.
        padding: OAEP, PKCS#1 v1.5 or raw.
        hash_name: Hash of OAEP and of its mask.

    Returns:
        The message.

    Raises:
        OperandError: The ciphertext cannot belong to this key; this is seen without secrets.
        CryptoError: "decryption failed".

    Source: RFC 8017, section 7; draft-irtf-cfrg-rsa-guidance for implicit rejection.
    """
    check_ciphertext(ciphertext, key)
    if padding is Encryption.RAW:
        return power(int.from_bytes(ciphertext, "big")).to_bytes(key.num_bytes, "big")
    bound = CoreKey(key, public=None, private=power)
    if padding is Encryption.PKCS1:
        return PKCS1_v1_5.new(bound).decrypt(ciphertext)
    try:
        return PKCS1_OAEP.new(bound, hash_module(hash_name)).decrypt(ciphertext)
    except ValueError:
        raise CryptoError("decryption failed") from None


def check_ciphertext(ciphertext: bytes, key: RsaPublic) -> None:
    """Refuse what no encryption with this key can have made.

    Raises:
        OperandError: Wrong length, or a number that is not below the modulus.
    """
    if len(ciphertext) != key.num_bytes:
        raise OperandError(
            f"A ciphertext of this {key.num_bits}-bit key has {key.num_bytes} bytes, but the "
            f"input has {len(ciphertext)}; check that it is complete, is not in base64 "
            "and was made with this key."
        )
    _check_below_modulus(ciphertext, key, "ciphertext")


def _check_below_modulus(data: bytes, key: RsaPublic, what: str) -> None:
    if int.from_bytes(data, "big") >= key.n:
        raise OperandError(
            f"Expected a number below the modulus of the key, but the {what} is not; it is damaged "
            "or belongs to another key."
        )
