# SPDX-License-Identifier: Apache-2.0
"""Simulated RSA cores that keep several keys."""

from __future__ import annotations

import random

from modfab.build.rsa import RsaCore, rsa_core
from modfab.catalog import Params
from modfab.models.rsa.entry import RsaEntry
from modfab.sim.registers import Register
from modfab.sim.rsa import RtlRsa
from tests.support.rsa_attack import fresh, named
from tests.support.rsa_core import Key, load, make_key, ok

HALF = 64


def dual_port(
    half_bits: int = 128, keys: int = 2, more: Params | None = None, sequencer: str = "window"
) -> RsaCore:
    params = {"MinModBits": half_bits - 32, **(more or {})}
    return rsa_core("qp_systolic", half_bits, params, sequencer, engines=2, pair=True, keys=keys)


ONE = rsa_core("bit_serial", HALF, {"BitsPerClock": 8}, keys=2)
TWO = rsa_core("bit_serial", HALF, {"BitsPerClock": 8}, engines=2, keys=4)
CONFIGS = {"one engine": ONE, "two engines": TWO, "dual-port": dual_port(keys=3)}


def two_keys(config: RsaCore, rng: random.Random) -> tuple[RtlRsa, list[Key]]:
    """A core with a key in each of the first two contexts; the first one is chosen."""
    rtl = RtlRsa(config, public=True, seed=rng.getrandbits(32))
    return rtl, load_two(rtl, rng)


def load_two(rtl: RtlRsa, rng: random.Random) -> list[Key]:
    fresh(rtl, rng)
    half = rtl.config.shape.half_bits
    keys = [make_key(rng, half, half) for _ in range(2)]
    for context in (1, 0):
        change(rtl, context)
        ok(load(rtl, keys[context]))
    return keys


def change(rtl: RtlRsa, context: int) -> None:
    ok(rtl.run(RsaEntry.CHANGE, 0, context))
    rtl.idle()


def memories(rtl: RtlRsa) -> list[Register]:
    return [named(rtl, f"u_memory.u_ram_{copy}.mem_q") for copy in "ab"]


def all_zero(rtl: RtlRsa) -> bool:
    """Every word of every context, in both copies."""
    return all(rtl.is_zero(memory) for memory in memories(rtl))


def key_words(rtl: RtlRsa, context: int) -> list[int]:
    """The words of a context in both copies of the memory."""
    start = rtl.image.place(0, context)
    return [
        rtl.value(memory, start + word)
        for memory in memories(rtl)
        for word in range(rtl.image.bank)
    ]
