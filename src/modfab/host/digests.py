# SPDX-License-Identifier: Apache-2.0
"""Hash functions by name, for paddings and signatures."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, Protocol

from Crypto.Hash import (
    SHA1,
    SHA3_224,
    SHA3_256,
    SHA3_384,
    SHA3_512,
    SHA224,
    SHA256,
    SHA384,
    SHA512,
)
from Crypto.Signature.pss import MGF1

from modfab.errors import UsageError

Mask = Callable[[bytes, int], bytes]
"""A mask generation function: seed, bytes of the mask -> mask."""


class Hash(str, Enum):
    """Hash functions of OAEP and of signatures, by the names that OpenSSL gives them."""

    SHA1 = "sha1"
    SHA224 = "sha224"
    SHA256 = "sha256"
    SHA384 = "sha384"
    SHA512 = "sha512"
    SHA512_224 = "sha512-224"
    SHA512_256 = "sha512-256"
    SHA3_224 = "sha3-224"
    SHA3_256 = "sha3-256"
    SHA3_384 = "sha3-384"
    SHA3_512 = "sha3-512"


class Digest(Protocol):
    """A message being hashed; `new_digest` makes one."""

    digest_size: int
    oid: str

    def update(self, data: bytes) -> Any:
        """Hash more of the message."""

    def digest(self) -> bytes:
        """Hash of all that was given."""

    def new(self, data: bytes | None = None) -> Any:
        """Start another one of the same kind."""


_EMPTY: dict[Hash, Digest] = {
    Hash.SHA1: SHA1.new(),
    Hash.SHA224: SHA224.new(),
    Hash.SHA256: SHA256.new(),
    Hash.SHA384: SHA384.new(),
    Hash.SHA512: SHA512.new(),
    Hash.SHA512_224: SHA512.new(truncate="224"),
    Hash.SHA512_256: SHA512.new(truncate="256"),
    Hash.SHA3_224: SHA3_224.new(),
    Hash.SHA3_256: SHA3_256.new(),
    Hash.SHA3_384: SHA3_384.new(),
    Hash.SHA3_512: SHA3_512.new(),
}


def new_digest(hash_name: Hash, data: bytes = b"") -> Digest:
    """Start hashing a message.

    >>> new_digest(Hash.SHA256, b"abc").digest().hex()[:8]
    'ba7816bf'
    """
    digest: Digest = _EMPTY[hash_name].new(data)
    return digest


def hash_named(text: str) -> Hash:
    """The hash function of a name.

    Raises:
        UsageError: There is none of this name.

    >>> hash_named("sha512-256").name
    'SHA512_256'
    """
    try:
        return Hash(text.lower())
    except ValueError:
        names = ", ".join(name.value for name in Hash)
        raise UsageError(f"There is no hash {text!r}; choose one of {names}.") from None


def hash_of_oid(oid: str) -> Hash | None:
    """The hash function of an object identifier, or None where it is not one of ours.

    >>> hash_of_oid("1.3.14.3.2.26").value
    'sha1'
    """
    return next((name for name, digest in _EMPTY.items() if digest.oid == oid), None)


def mgf1(hash_name: Hash) -> Mask:
    """MGF1 with a hash (RFC 8017, appendix B.2.1).

    >>> mgf1(Hash.SHA1)(b"foo", 3).hex()
    '1ac907'
    """
    return lambda seed, num_bytes: MGF1(seed, num_bytes, _EMPTY[hash_name])
