# SPDX-License-Identifier: Apache-2.0
"""Whether a text gives away a part of a key, an operand or a result, however it is written."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator

from modfab.host.keys import RsaPrivate

_PART = 16
_SHORTEST = 8
"""Characters; fewer, such as the decimal form of a small number, say nothing."""
_MAX_BYTES = 1024


def secrets_of(key: RsaPrivate, inputs: Iterable[bytes]) -> list[bytes]:
    """Primes and private exponent, the inputs, and what a private operation makes of each."""
    found = [
        number.to_bytes(key.num_bytes, "big").lstrip(b"\0") for number in (key.p, key.q, key.d)
    ]
    for data in inputs:
        result = pow(int.from_bytes(data[:_MAX_BYTES], "big") % key.n, key.d, key.n)
        found += [data[:_MAX_BYTES], result.to_bytes(key.num_bytes, "big")]
    return found


def leaks(text: str, secrets: Iterable[bytes]) -> list[str]:
    """Forms of a secret of which the text has 16 characters in a row, or all where it has fewer."""
    lowered = text.lower()
    return [
        form
        for secret in secrets
        for form in _forms(secret)
        if any(form[i : i + _PART].lower() in lowered for i in _starts(form))
    ]


def _forms(secret: bytes) -> Iterator[str]:
    """Hexadecimal, decimal, base64, and as Python shows bytes."""
    number = int.from_bytes(secret, "big")
    coded = b64encode(secret).decode(), urlsafe_b64encode(secret).decode()
    for form in (secret.hex(), f"{number:x}", str(number), *coded, repr(secret)[2:-1]):
        if len(form) >= _SHORTEST:
            yield form


def _starts(form: str) -> range:
    return range(max(1, len(form) - _PART + 1))
