# SPDX-License-Identifier: Apache-2.0
"""A key from whatever a program has: a path, the bytes of a file, or a key object."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from cryptography.hazmat.primitives.asymmetric import rsa

from modfab.errors import UsageError
from modfab.host.key_check import check_private, check_public
from modfab.host.keys import (
    Passphrase,
    RsaPrivate,
    RsaPublic,
    load_key,
    parse_key,
    private_from,
)

KeySource: TypeAlias = (
    "RsaPublic | RsaPrivate | str | Path | bytes | rsa.RSAPrivateKey | rsa.RSAPublicKey"
)
"""A path is a `str` or `Path`; PEM or DER is `bytes`."""

_BYTES = "the given bytes"


def read_key(source: KeySource, passphrase: str | bytes | None = None) -> RsaPublic:
    """The key of a source: an `RsaPrivate` where the private half is there.

    Args:
        source: See `KeySource`.
        passphrase: Opens an encrypted key; never asked for on a terminal.

    Raises:
        UsageError: It is none of these, the file cannot be read, or a passphrase is missing.
        CryptoError: There is no RSA key in it, or the passphrase is wrong.
        OperandError: The numbers of a key object do not belong together.

    >>> read_key(RsaPublic(n=0xC5, e=3)).num_bits
    8
    """
    if isinstance(source, RsaPrivate):
        check_private(source)
        return source
    if isinstance(source, RsaPublic):
        check_public(source)
        return source
    if isinstance(source, rsa.RSAPrivateKey):
        return private_from(source, "the given object")
    if isinstance(source, rsa.RSAPublicKey):
        numbers = source.public_numbers()
        return RsaPublic(n=numbers.n, e=numbers.e)
    phrase = _passphrase(passphrase)
    if isinstance(source, bytes):
        return parse_key(source, _BYTES, phrase)
    if isinstance(source, str | Path):
        return load_key(Path(source), phrase)
    raise UsageError(
        "Expected a key as a path, as the bytes of a PEM or DER file, as a key of cryptography or "
        f"of modfab.host.keys, but got {type(source).__name__}; give one of these."
    )


def _passphrase(given: str | bytes | None) -> Passphrase:
    def ask() -> bytes:
        if given is None:
            raise UsageError(
                "The key is encrypted, and no passphrase was given; pass it as passphrase=..."
            )
        return given.encode() if isinstance(given, str) else given

    return ask
