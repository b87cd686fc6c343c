# SPDX-License-Identifier: Apache-2.0
"""The RSA core's RTL with real key sizes: primes of unequal length, exponents, special messages.

RSA-512 by default; RSA-1024 to RSA-4096 with `--full`.
"""

from __future__ import annotations

import random

import pytest

from modfab.gen.rsa import rsa_config
from modfab.models.rsa_status import RsaEntry
from modfab.sim.rsa import RtlRsa
from tests.rsa_core import Key, load, make_key, ok, operate

SIZES = [512, *(pytest.param(bits, marks=pytest.mark.full) for bits in (1024, 2048, 3072, 4096))]
MANY = 1024
"""Bits up to which every message is tried with every key."""


def messages_of(key: Key, rng: random.Random) -> list[int]:
    return [0, 1, key.n - 1, key.p * rng.randrange(key.q), key.q, rng.randrange(key.n)]


@pytest.mark.parametrize("num_bits", SIZES)
def test_powers(num_bits: int, rng: random.Random) -> None:
    half = num_bits // 2
    config = rsa_config("bit_serial", half, {"BitsPerClock": 8}, "window")
    rtl = RtlRsa(config)
    rtl.entropy([rng.getrandbits(32) for _ in range(1 << 14)])
    keys = [
        make_key(rng, half, half),
        make_key(rng, half, half - 1, 3),
        make_key(rng, half - 1, half),
        make_key(rng, half, half, None),
    ]
    for number, key in enumerate(keys):
        e_bits = key.e.bit_length()
        assert ok(load(rtl, key)) == config.cycles().program(RsaEntry.KEY, e_bits)
        messages = messages_of(key, rng)
        for message in messages if num_bits <= MANY or number == 0 else messages[-1:]:
            cycles = ok(operate(rtl, key, message))
            assert cycles == config.cycles().program(RsaEntry.PRIVATE, e_bits)
            assert rtl.get("M") == pow(message, key.d, key.n)
        ok(operate(rtl, key, messages[-1], RsaEntry.PUBLIC))
        assert rtl.get("M") == pow(messages[-1], key.e, key.n)
    ok(load(rtl, keys[0], know_e=False))
    ok(operate(rtl, keys[0], 3, know_e=False))
    assert rtl.get("M") == pow(3, keys[0].d, keys[0].n)
    rtl.close()
