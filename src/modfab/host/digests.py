# SPDX-License-Identifier: Apache-2.0
"""Hash functions by name, for paddings and signatures."""

from __future__ import annotations

from enum import Enum
from types import ModuleType
from typing import Any, Protocol

from Crypto.Hash import SHA1, SHA224, SHA256, SHA384, SHA512


class Hash(str, Enum):
    """Hash functions of OAEP and of signatures."""

    SHA1 = "sha1"
    SHA224 = "sha224"
    SHA256 = "sha256"
    SHA384 = "sha384"
    SHA512 = "sha512"


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


_MODULES: dict[Hash, ModuleType] = {
    Hash.SHA1: SHA1,
    Hash.SHA224: SHA224,
    Hash.SHA256: SHA256,
    Hash.SHA384: SHA384,
    Hash.SHA512: SHA512,
}


def hash_module(hash_name: Hash) -> ModuleType:
    """The pycryptodome module of a hash function."""
    return _MODULES[hash_name]


def new_digest(hash_name: Hash, data: bytes = b"") -> Digest:
    """Start hashing a message.

    >>> new_digest(Hash.SHA256, b"abc").digest().hex()[:8]
    'ba7816bf'
    """
    digest: Digest = _MODULES[hash_name].new(data)
    return digest
