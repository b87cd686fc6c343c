# SPDX-License-Identifier: Apache-2.0
"""A simulated RSA core with a key, for tests that attack it."""

from __future__ import annotations

import random

from modfab.build.rsa import RsaCore, rsa_core
from modfab.errors import DeviceError
from modfab.models.rsa.entry import RsaEntry
from modfab.sim.registers import Register
from modfab.sim.rsa import RtlRsa
from tests.support.rsa_core import Key, load, make_key, ok

HALF = 64
ONE = rsa_core("bit_serial", HALF, {"BitsPerClock": 8})
TWO = rsa_core("bit_serial", HALF, {"BitsPerClock": 8}, engines=2)
CONFIGS = {"one engine": ONE, "two engines": TWO}


def loaded(config: RsaCore, rng: random.Random) -> tuple[RtlRsa, Key]:
    rtl = RtlRsa(config, public=True, seed=rng.getrandbits(32))
    fresh(rtl, rng)
    key = make_key(rng, HALF, HALF)
    ok(load(rtl, key))
    return rtl, key


def fresh(rtl: RtlRsa, rng: random.Random) -> None:
    rtl.entropy([rng.getrandbits(32) for _ in range(1 << 12)])


def named(rtl: RtlRsa, end: str) -> Register:
    """Its register whose name ends so."""
    (found,) = (register for register in rtl.registers() if register.name.endswith(end))
    return found


def checked(rtl: RtlRsa, key: Key, rng: random.Random) -> bool:
    """Whether an operation releases its result, which has to be right then."""
    message = rng.randrange(key.n)
    rtl.put("C", message)
    assert rtl.try_run(RsaEntry.PRIVATE, 17), "it does not end"
    if not rtl.result_valid:
        return False
    try:
        result = rtl.get("M")
    except DeviceError:
        assert rtl.alarm, "a result that is valid is given"
        return False
    assert result == pow(message, key.d, key.n), "a wrong result was released"
    return True


def settle(rtl: RtlRsa) -> None:
    """Run until the core is idle; after a flip in its last cycle, until the wipe that follows."""
    rtl.step(4)
    rtl.idle()


def all_zero(rtl: RtlRsa) -> bool:
    return all(rtl.peek(name) == 0 for name in rtl.image.variables)
