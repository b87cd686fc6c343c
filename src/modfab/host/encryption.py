# SPDX-License-Identifier: Apache-2.0
"""RSA encryption (RFC 8017) around a modular exponentiation that a core computes.

Padding and the checks that must not leak are pycryptodome's; this file chooses among them, checks
what can be checked before the core starts, and gives every failure one text.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from Crypto.Cipher import PKCS1_OAEP, PKCS1_v1_5

from modfab.errors import NotValidError, OperandError, UsageError
from modfab.host.core_key import CoreKey, ModExp
from modfab.host.digests import Hash, check_bytes, mask_function, new_digest
from modfab.host.keys import RsaPublic

_PKCS1_BYTES = 11  # two leading bytes, eight random bytes or more, one zero

DECRYPTION_FAILED = (
    "decryption failed; the key, --hash, --mgf-hash and --label must be those of the sender "
    "(Java's OAEPWithSHA-256AndMGF1Padding is --hash sha256 --mgf-hash sha1)"
)
"""The one text for every wrong padding: it must not depend on what is wrong."""


class Encryption(str, Enum):
    """Paddings of encryption: OAEP, PKCS#1 v1.5, or none."""

    OAEP = "oaep"
    PKCS1 = "pkcs1"
    RAW = "raw"


@dataclass(frozen=True, slots=True)
class EncryptionOptions:
    """How a message is padded; both sides must choose the same.

    Attributes:
        padding: OAEP, PKCS#1 v1.5 or raw.
        hash_name: Hash of OAEP; None is SHA-1, as in OpenSSL.
        mgf_hash: Hash of OAEP's mask, MGF1; None is `hash_name`. Java's default is SHA-1.
        label: Label of OAEP.

    Raises:
        UsageError: A hash or a label for a padding that has none.

    >>> EncryptionOptions(hash_name=Hash.SHA256).oaep_mgf_hash.value
    'sha256'
    """

    padding: Encryption = Encryption.OAEP
    hash_name: Hash | None = None
    mgf_hash: Hash | None = None
    label: bytes = b""

    def __post_init__(self) -> None:
        check_bytes(self.label, "label")
        given = {"hash": self.hash_name, "mgf-hash": self.mgf_hash, "label": self.label}
        extra = next((name for name, value in given.items() if value), None)
        if extra is not None and self.padding is not Encryption.OAEP:
            raise UsageError(
                f"--{extra} belongs to --padding oaep, but the padding is {self.padding.value}; "
                "leave one of them out."
            )
        if any(name is not None and name.is_shake for name in (self.hash_name, self.mgf_hash)):
            raise UsageError(
                "SHAKE is a hash of pss signatures only, but it was asked for encryption; choose "
                "another --hash or --mgf-hash, for example sha3-256."
            )

    @property
    def oaep_hash(self) -> Hash:
        """Hash of OAEP."""
        return self.hash_name or Hash.SHA1

    @property
    def oaep_mgf_hash(self) -> Hash:
        """Hash of OAEP's mask."""
        return self.mgf_hash or self.oaep_hash


def max_message_bytes(num_bytes: int, options: EncryptionOptions) -> int:
    """Longest message that one encryption takes; negative when the key is too small for any.

    Args:
        num_bytes: Size of the modulus, in bytes.
        options: How the message is padded.

    Source: RFC 8017, sections 7.1.1 and 7.2.1.

    >>> max_message_bytes(256, EncryptionOptions())
    214
    """
    if options.padding is Encryption.RAW:
        return num_bytes
    if options.padding is Encryption.PKCS1:
        return num_bytes - _PKCS1_BYTES
    return num_bytes - 2 * new_digest(options.oaep_hash).digest_size - 2


def check_message(message: bytes, key: RsaPublic, options: EncryptionOptions) -> None:
    """Refuse a message that does not suit key and padding.

    Args:
        message: What is to be encrypted.
        key: Key it is to be encrypted with.
        options: How it is padded.

    Raises:
        UsageError: The message is no bytes.
        OperandError: The message is too long; with raw, not as long as the modulus or not below
            it; or the key is for signatures only.
    """
    _check_use(key)
    check_bytes(message, "message")
    num_bytes = len(message)
    limit = max_message_bytes(key.num_bytes, options)
    padding = options.padding
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
            f"{options.oaep_hash.value}; use a longer key or a shorter hash."
        )
    elif num_bytes > limit:
        raise OperandError(
            f"With {padding.value} a {key.num_bits}-bit key encrypts at most {limit} bytes, but "
            f"the input has {num_bytes}; encrypt a symmetric key and the data with that."
        )


def encrypt(
    message: bytes,
    key: RsaPublic,
    modexp: ModExp,
    options: EncryptionOptions = EncryptionOptions(),
) -> bytes:
    """Encrypt a message for the owner of a key.

    Args:
        message: At most `max_message_bytes`; for raw exactly as many bytes as the modulus.
        key: Public key.
        modexp: x -> x**e mod n.
        options: How it is padded.

    Returns:
        As many bytes as the modulus has.

    Raises:
        OperandError: The message does not suit the key.
    """
    check_message(message, key, options)
    if options.padding is Encryption.RAW:
        return modexp(int.from_bytes(message, "big")).to_bytes(key.num_bytes, "big")
    bound = CoreKey(key, public=modexp, private=None)
    if options.padding is Encryption.PKCS1:
        return PKCS1_v1_5.new(bound).encrypt(message)
    return _oaep(bound, options).encrypt(message)


def decrypt(
    ciphertext: bytes,
    key: RsaPublic,
    modexp: ModExp,
    options: EncryptionOptions = EncryptionOptions(),
) -> bytes:
    """Decrypt a ciphertext.

    A wrong OAEP padding is an error with one text and one path. A wrong PKCS#1 v1.5 padding is
    no error: as in OpenSSL since 3.2, the result is a message derived from key and ciphertext
    (implicit rejection), so that nobody can ask whether a padding was right.

    Args:
        ciphertext: As many bytes as the modulus.
        key: Private key; its public half where the core holds the rest, except for PKCS#1 v1.5,
            whose answer to a wrong padding is derived from the private exponent.
        modexp: x -> x**d mod n.
        options: How the message was padded.

    Returns:
        The message.

    Raises:
        OperandError: The ciphertext cannot belong to this key; this is seen without secrets.
        NotValidError: `DECRYPTION_FAILED`.

    Source: RFC 8017, section 7; draft-irtf-cfrg-rsa-guidance for implicit rejection.
    """
    check_ciphertext(ciphertext, key)
    if options.padding is Encryption.RAW:
        return modexp(int.from_bytes(ciphertext, "big")).to_bytes(key.num_bytes, "big")
    bound = CoreKey(key, public=None, private=modexp)
    if options.padding is Encryption.PKCS1:
        return PKCS1_v1_5.new(bound).decrypt(ciphertext)
    try:
        return _oaep(bound, options).decrypt(ciphertext)
    except ValueError:
        raise NotValidError(DECRYPTION_FAILED) from None


def _oaep(bound: CoreKey, options: EncryptionOptions) -> PKCS1_OAEP.PKCS1OAEP_Cipher:
    mask = mask_function(options.oaep_mgf_hash)
    return PKCS1_OAEP.new(bound, new_digest(options.oaep_hash), mask, options.label)


def check_ciphertext(ciphertext: bytes, key: RsaPublic) -> None:
    """Refuse what no encryption with this key can have made.

    Raises:
        UsageError: It is no bytes.
        OperandError: Wrong length, a number that is not below the modulus, or a key that is for
            signatures only.
    """
    _check_use(key)
    check_bytes(ciphertext, "ciphertext")
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


def _check_use(key: RsaPublic) -> None:
    if key.pss is not None:
        raise OperandError(
            "An RSA-PSS key signs and does nothing else, but it was given for encryption; use a "
            "key that openssl genrsa makes."
        )
