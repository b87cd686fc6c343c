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
    SHAKE128,
    SHAKE256,
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
    SHAKE128 = "shake128"
    SHAKE256 = "shake256"

    @property
    def is_shake(self) -> bool:
        """Whether it is SHAKE: for PSS only, where it is its own mask function (RFC 8702)."""
        return self in (Hash.SHAKE128, Hash.SHAKE256)


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


class _Xof(Protocol):
    """A SHAKE object of pycryptodome."""

    def update(self, data: bytes) -> Any: ...

    def copy(self) -> Any: ...

    def read(self, length: int) -> bytes: ...


_XOFS: dict[str, Callable[[bytes | None], _Xof]] = {
    SHAKE128.SHAKE128_XOF.oid: SHAKE128.new,
    SHAKE256.SHAKE256_XOF.oid: SHAKE256.new,
}


class _Shake:
    """SHAKE with an output of fixed length, in the shape of the other digests."""

    def __init__(self, oid: str, digest_size: int, data: bytes | None = None) -> None:
        self.oid = oid
        self.digest_size = digest_size
        self._xof = _XOFS[oid](data)

    def update(self, data: bytes) -> None:
        self._xof.update(data)

    def digest(self) -> bytes:
        output: bytes = self._xof.copy().read(self.digest_size)
        return output

    def new(self, data: bytes | None = None) -> _Shake:
        return _Shake(self.oid, self.digest_size, data)


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
    Hash.SHAKE128: _Shake(SHAKE128.SHAKE128_XOF.oid, 32),
    Hash.SHAKE256: _Shake(SHAKE256.SHAKE256_XOF.oid, 64),
}


def check_bytes(data: object, what: str) -> None:
    """Refuse what is no bytes: None would be hashed as an empty message.

    Raises:
        UsageError: It is another type.
    """
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise UsageError(
            f"Expected the {what} as bytes, but got {type(data).__name__}; encode a text first, "
            "for example with .encode()."
        )


def new_digest(hash_name: Hash, data: bytes = b"") -> Digest:
    """Start hashing a message.

    Raises:
        UsageError: The message is no bytes.

    >>> new_digest(Hash.SHA256, b"abc").digest().hex()[:8]
    'ba7816bf'
    """
    check_bytes(data, "message")
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
        return Hash(str(text).lower())
    except ValueError:
        names = ", ".join(name.value for name in Hash)
        raise UsageError(f"There is no hash {text!r}; choose one of {names}.") from None


def hash_of_oid(oid: str) -> Hash | None:
    """The hash function of an object identifier, or None where it is not one of ours.

    >>> hash_of_oid("1.3.14.3.2.26").value
    'sha1'
    """
    return next((name for name, digest in _EMPTY.items() if digest.oid == oid), None)


def mask_function(hash_name: Hash) -> Mask:
    """MGF1 with a hash (RFC 8017, appendix B.2.1); SHAKE itself where it is the hash (RFC 8702).

    >>> mask_function(Hash.SHA1)(b"foo", 3).hex()
    '1ac907'
    """
    if hash_name.is_shake:
        new_xof = _XOFS[_EMPTY[hash_name].oid]
        return lambda seed, num_bytes: new_xof(seed).read(num_bytes)
    return lambda seed, num_bytes: MGF1(seed, num_bytes, _EMPTY[hash_name])
