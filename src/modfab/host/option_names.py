# SPDX-License-Identifier: Apache-2.0
"""Paddings, hashes and salts by the names that the command line gives them."""

from __future__ import annotations

from enum import Enum
from typing import TypeVar

from modfab.errors import UsageError
from modfab.host.digests import Hash, hash_named
from modfab.host.encryption import Encryption, EncryptionOptions
from modfab.host.signature_options import Salt, Signature, SignatureOptions

_Name = TypeVar("_Name", bound=Enum)


def signature_options(
    padding: str,
    hash: str | None = None,
    mgf_hash: str | None = None,
    salt: int | str | None = None,
    allow_sha1: bool = False,
) -> SignatureOptions:
    """How to sign or verify, by the names of the command line.

    Raises:
        UsageError: A name is unknown, or an option does not belong to the padding.

    >>> signature_options("pss", "sha384").hash_name.value
    'sha384'
    """
    length = _named(Salt, salt, "salt") if isinstance(salt, str) else salt
    chosen = _named(Signature, padding, "padding of signatures")
    return SignatureOptions(chosen, _hash(hash), _hash(mgf_hash), length, allow_sha1)


def encryption_options(
    padding: str, hash: str | None = None, mgf_hash: str | None = None, label: bytes = b""
) -> EncryptionOptions:
    """How to encrypt or decrypt, by the names of the command line.

    Raises:
        UsageError: A name is unknown, or an option does not belong to the padding.

    >>> encryption_options("oaep", "sha256", label=b"ab").label
    b'ab'
    """
    chosen = _named(Encryption, padding, "padding of encryption")
    return EncryptionOptions(chosen, _hash(hash), _hash(mgf_hash), label)


def _hash(name: str | None) -> Hash | None:
    return None if name is None else hash_named(name)


def _named(kind: type[_Name], text: str, what: str) -> _Name:
    try:
        return kind(text)
    except ValueError:
        names = ", ".join(str(member.value) for member in kind)
        raise UsageError(f"There is no {what} {text!r}; choose one of {names}.") from None
