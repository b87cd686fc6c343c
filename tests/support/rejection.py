# SPDX-License-Identifier: Apache-2.0
"""Implicit rejection in Python. Source: draft-irtf-cfrg-rsa-guidance, section 7.2."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Sequence

from modfab.host.keys import RsaPrivate
from modfab.serve.keyring import rejection_seed
from tests.support.rsa_keys import python_private

ANSWER = 4
"""Bytes before the first field of a daemon's answer."""


def derived(seed: bytes, label: bytes, length: int) -> bytes:
    """IRPRF: so many bytes from a seed."""
    blocks = [
        hmac.digest(seed, i.to_bytes(2, "big") + label + (8 * length).to_bytes(2, "big"), "sha256")
        for i in range(-(-length // 32))
    ]
    return b"".join(blocks)[:length]


def rejection_message(seed: bytes, num_bytes: int) -> bytes:
    """What a wrong padding decrypts to: steps 4 to 8."""
    lengths, limit = derived(seed, b"length", 256), num_bytes - 10
    mask = (1 << limit.bit_length()) - 1
    length = 0
    for i in range(0, 256, 2):
        candidate = int.from_bytes(lengths[i : i + 2], "big") & mask
        length = candidate if candidate < limit else length
    return derived(seed, b"message", num_bytes)[num_bytes - length :]


def copies_of(key: RsaPrivate, secret: bytes, *, asked: bool) -> Iterable[tuple[int, bytes]]:
    """Where in its buffer a decryption with a wrong padding has what must not be left there.

    Args:
        key, secret: The key and the ciphertext.
        asked: The seed comes from the daemon.
    """
    seed, size = rejection_seed(key, secret), key.num_bytes
    padded = python_private(key)(int.from_bytes(secret, "big")).to_bytes(size, "big")
    lengths, instead = derived(seed, b"length", 256), derived(seed, b"message", size)
    blocks = lengths[-len(seed) :], instead[-len(seed) :]
    mine = (seed, padded, lengths, instead, *blocks, rejection_message(seed, size))
    return [(0, one) for one in mine] + [(ANSWER, padded)] + [(ANSWER, seed)] * asked


def missing(cleansed: Sequence[bytes], copies: Iterable[tuple[int, bytes]]) -> list[bytes]:
    """What is in no buffer that was cleansed."""
    return [one for at, one in copies if not any(part.startswith(one, at) for part in cleansed)]
