# SPDX-License-Identifier: Apache-2.0
"""What a file holds that `cryptography` does not open: keys of more than two primes, and why not.

Read with pycryptodome's ASN.1. No text repeats a number of a key.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod

from Crypto.IO import PKCS8
from Crypto.Util.asn1 import DerSequence

_RSA = "1.2.840.113549.1.1.1"
_BEGIN = re.compile(rb"-----BEGIN ([A-Z0-9 ]+)-----")
SEQUENCE = 0x30
"""The tag of ASN.1."""
_TRIAL = 2


@dataclass(frozen=True, slots=True, repr=False)
class Numbers:
    """An RSAPrivateKey of RFC 8017, appendix A.1.2: its primes are two or more."""

    n: int
    e: int
    d: int
    primes: tuple[int, ...]

    @property
    def problem(self) -> str:
        """Why they do not belong together; empty when they do."""
        if prod(self.primes) != self.n:
            return "its n is not the product of its primes"
        if self.n % 2 == 0 or self.e < 1:
            return "its n is even, or its e is below 1"
        if self.n < 3 or pow(pow(_TRIAL, self.e, self.n), self.d, self.n) != _TRIAL:
            return "its e and d do not belong together"
        return ""


def numbers_of(data: bytes, passphrase: Callable[[], bytes]) -> Numbers | None:
    """The first RSA private key in a file, whatever its numbers are.

    Args:
        data: PEM or DER.
        passphrase: Asked for where the key is encrypted (PKCS#8).

    >>> numbers_of(b"text", lambda: b"") is None
    True
    """
    for label, der in blocks_of(data):
        try:
            if label == b"RSA PRIVATE KEY":
                return _numbers(der)
            if label == b"ENCRYPTED PRIVATE KEY":
                return _unwrapped(der, passphrase())
            if label in (None, b"PRIVATE KEY"):
                return _unwrapped(der, None) if _is_wrapped(der) else _numbers(der)
        except (ValueError, IndexError, TypeError):  # another form, or damaged
            continue
    return None


def encrypted_numbers(data: bytes, passphrase: bytes) -> Numbers | None:
    """The RSA private key of an encrypted PKCS#8 file, PEM or DER; None if it does not open."""
    for label, der in blocks_of(data):
        if label in (None, b"ENCRYPTED PRIVATE KEY"):
            try:
                return _unwrapped(der, passphrase)
            except (ValueError, IndexError, TypeError):
                continue
    return None


def why_no_key(data: bytes, passphrase: Callable[[], bytes]) -> str:
    """Why a file cannot be read as a key, as the end of `FILE holds no key that can be read`.

    >>> why_no_key(b"-----BEGIN PRIVATE KEY----- MII", lambda: b"")
    ': its PEM block has no END line, so that the file is cut off; copy it again'
    """
    begin = _BEGIN.search(data)
    if begin is not None and b"-----END " + begin[1] + b"-----" not in data:
        return ": its PEM block has no END line, so that the file is cut off; copy it again"
    if begin is not None and begin[1] == b"OPENSSH PRIVATE KEY":
        return ": it is in the format of OpenSSH; convert a copy with ssh-keygen -p -m PEM -f COPY"
    if begin is not None and not list(blocks_of(data)):
        return ": its PEM block is no base64, so that the file is damaged; copy it again"
    missing = _missing_bytes(data) if begin is None else 0
    if missing:
        return f": {missing} bytes are missing at its end; copy it again"
    numbers = numbers_of(data, passphrase)
    if numbers is not None and numbers.problem:
        return f": {numbers.problem}; make the key anew, or find an undamaged copy"
    return "; if it is in another format (OpenSSH, PKCS#12), convert it with ssh-keygen or openssl"


def blocks_of(data: bytes) -> Iterator[tuple[bytes | None, bytes]]:
    """The PEM blocks of a file with their labels, or the file as DER, which has none.

    A damaged block is left out.
    """
    if _BEGIN.search(data) is None:
        yield None, data
        return
    for begin in _BEGIN.finditer(data):
        text = data[begin.end() :].partition(b"-----END ")[0]
        try:
            yield begin[1], b64decode(b"".join(text.split()), validate=True)
        except Base64Error:
            continue


def _missing_bytes(data: bytes) -> int:
    """How many bytes a DER file is shorter than its first length says."""
    if len(data) < 4 or data[0] != SEQUENCE or data[1] not in (0x81, 0x82):
        return 0
    num_bytes = data[1] & 0x7F
    length = int.from_bytes(data[2 : 2 + num_bytes], "big")
    return max(0, 2 + num_bytes + length - len(data))


def _is_wrapped(der: bytes) -> bool:
    """Whether it is PKCS#8: a sequence whose second item is one too."""
    return isinstance(DerSequence().decode(der)[1], bytes)


def _unwrapped(der: bytes, passphrase: bytes | None) -> Numbers | None:
    oid, inner, _ = PKCS8.unwrap(der, passphrase)
    return _numbers(inner) if oid == _RSA else None


def _numbers(der: bytes) -> Numbers:
    """version, n, e, d, p, q, dP, dQ, qInv and, for more primes, (prime, exponent, coefficient)."""
    items = DerSequence().decode(der)
    n, e, d, p, q = (int(item) for item in items[1:6])
    others: list[bytes] = DerSequence().decode(items[9])[:] if len(items) > 9 else []
    more = [int(DerSequence().decode(other)[0]) for other in others]
    return Numbers(n, e, d, (p, q, *more))
