# SPDX-License-Identifier: Apache-2.0
"""The RSA core's RTL with real key sizes: primes of unequal length, exponents, special messages.

RSA-512 by default; RSA-1024 to RSA-4096 with `--full`.
"""

from __future__ import annotations

import random

import pytest

from modfab.build.rsa import rsa_core
from modfab.models.rsa.entry import RsaEntry
from modfab.sim.rsa import RtlRsa
from tests.support.rsa_core import load, make_key, ok, operate

SIZES = [512, *(pytest.param(bits, marks=pytest.mark.full) for bits in (1024, 2048, 3072, 4096))]
MANY = 1024
"""Bits up to which every message is tried with every key."""

KEYS: dict[str, tuple[int, int, int | None]] = {
    "usual": (0, 0, 65537),
    "q shorter": (0, 1, 3),
    "p shorter": (1, 0, 65537),
    "large e": (0, 0, None),
}
"""Bits that the primes lack, and e; None for one as long as n."""


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("num_bits", SIZES)
def test_powers(num_bits: int, name: str, rng: random.Random) -> None:
    half = num_bits // 2
    config = rsa_core("bit_serial", half, {"BitsPerClock": 8}, "window")
    rtl = RtlRsa(config)
    rtl.entropy([rng.getrandbits(32) for _ in range(1 << 14)])
    p_less, q_less, e = KEYS[name]
    key = make_key(rng, half - p_less, half - q_less, e)
    assert ok(load(rtl, key)) == config.programs().program(RsaEntry.KEY, key.e)
    messages = [0, 1, key.n - 1, key.p * rng.randrange(key.q), key.q, rng.randrange(key.n)]
    for message in messages if num_bits <= MANY or name == "usual" else messages[-1:]:
        cycles = ok(operate(rtl, key, message))
        assert cycles == config.programs().program(RsaEntry.PRIVATE, key.e)
        assert rtl.get("M") == pow(message, key.d, key.n)
    ok(operate(rtl, key, messages[-1], RsaEntry.PUBLIC))
    assert rtl.get("M") == pow(messages[-1], key.e, key.n)
    rtl.close()
