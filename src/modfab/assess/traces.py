# SPDX-License-Identifier: Apache-2.0
"""Operations whose toggles are counted: one key, chosen messages and exponents, fresh blinding."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import gcd

import numpy as np
import numpy.typing as npt
from Crypto.Util.number import getPrime

from modfab.assess.phases import EXPONENTIATION, Phase, find_phases, windows_of
from modfab.assess.stage import AssessKey, load_key, random_words
from modfab.build.rsa import ENTROPY_CYCLES, RsaCore, watchdog_cycles
from modfab.errors import DeviceError
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.program import USUAL_E
from modfab.sim.toggles import Counts, ToggleRsa

CELLS = 1 << 23
"""Cycles times registers whose sums a simulation keeps."""

FIXED, RANDOM = 0, 1
"""The two classes."""


def leakage_key(rng: random.Random, half_bits: int) -> AssessKey:
    """A key whose primes are 3 modulo 4.

    Then the lowest bit of an exponent is 1 with and without blinding: a multiple of p - 1 leaves it
    as it is, and with other primes it leaves more bits, which e tells anyway.

    >>> key = leakage_key(random.Random(1), 40)
    >>> key.p % 4, key.q % 4
    (3, 3)
    """
    while True:
        p, q = (getPrime(half_bits, randfunc=rng.randbytes) for _ in range(2))
        if p % 4 == q % 4 == 3 and p != q and gcd(USUAL_E, (p - 1) * (q - 1)) == 1:
            return AssessKey(p, q, USUAL_E)


@dataclass(frozen=True, slots=True)
class Plan:
    """What all simulations of a test share.

    Attributes:
        core: The build.
        key: The key of every trace.
        cycles: Of a private operation.
        windows: The cycles that are looked at, with the phase of each.
        exponentiation: The whole of the first one.
        num_registers: Registers and memories of the simulated core.
    """

    core: RsaCore
    key: AssessKey
    cycles: int
    windows: tuple[Phase, ...]
    exponentiation: Phase
    num_registers: int

    @property
    def num_points(self) -> int:
        """Cycles that are looked at."""
        return sum(window.end - window.start for window in self.windows)

    def only(self, names: Sequence[str]) -> Plan:
        """Without the other phases."""
        return replace(self, windows=tuple(w for w in self.windows if w.name in names))


def cycles_of(plan: Plan) -> npt.NDArray[np.int64]:
    """The clock of each point."""
    return np.concatenate([np.arange(window.start, window.end) for window in plan.windows])


def set_up(rtl: ToggleRsa, key: AssessKey, rng: random.Random) -> None:
    """Wipe the core and load a key; its blinders come from `rng`."""
    rtl.limit = ENTROPY_CYCLES + 4 * watchdog_cycles(rtl.config) + (1 << 16)
    rtl.forget()
    rtl.release()
    rtl.entropy(random_words(rng))
    rtl.wipe()
    load_key(rtl, key)


def start(rtl: ToggleRsa, key: AssessKey, message: int, rng: random.Random) -> None:
    """Write a message and begin its private operation, with fresh random words."""
    rtl.put("C", message)
    rtl.entropy(random_words(rng))
    rtl.begin(RsaEntry.PRIVATE, key.e.bit_length())


def make_plan(rtl: ToggleRsa, core: RsaCore, seed: int, limit: int | None = None) -> Plan:
    """Run one operation, and choose the cycles to look at.

    Args:
        rtl: A simulation of `core`.
        core: The build.
        seed: Of the key.
        limit: At most about so many cycles; None for what `CELLS` allows.
    """
    rng, num = random.Random(f"{seed} leakage key"), len(rtl.names)
    key = leakage_key(rng, core.shape.half_bits)
    set_up(rtl, key, rng)
    begun = _begun(rtl, key, rng)
    done, cycles = rtl.go(rtl.limit)
    if not done or rtl.status_code != RsaStatus.OK:
        raise DeviceError("The simulated core did not compute a private operation; this is a bug.")
    rtl.restore(begun)
    phases = find_phases(rtl, cycles)
    windows = windows_of(phases, limit or CELLS // num)
    whole = next(phase for phase in phases if phase.name == EXPONENTIATION)
    return Plan(core, key, cycles, tuple(windows), whole, num)


def _begun(rtl: ToggleRsa, key: AssessKey, rng: random.Random) -> int:
    start(rtl, key, rng.randrange(key.n), rng)
    return rtl.save()


def run_traced(rtl: ToggleRsa, plan: Plan, group: int | None) -> Counts:
    """Run what was started to its end; the toggles of each watched clock."""
    done, cycles, totals = rtl.go_watched(group, rtl.limit)
    if not done or cycles != plan.cycles or rtl.status_code != RsaStatus.OK:
        raise DeviceError(
            f"A private operation took {cycles} cycles and ended with status {rtl.status_code}, "
            f"but {plan.cycles} cycles and status 0 were expected; this is a bug in the core."
        )
    return totals


class MessageTest:
    """One message in half of the traces, random ones in the others; one key.

    Operations follow one another as in use, so that the blinders evolve; each block sets the key up
    again, with other ones.
    """

    name = "message"

    def __init__(self, plan: Plan, seed: int) -> None:
        self.plan = plan
        self.fixed = random.Random(f"{seed} fixed message").randrange(2, plan.key.n)

    def prepare(self, rtl: ToggleRsa, rng: random.Random) -> None:
        """Once for each block."""
        set_up(rtl, self.plan.key, rng)

    def trace(self, rtl: ToggleRsa, rng: random.Random, which: int, group: int) -> Counts:
        """One operation of the class `which`."""
        message = self.fixed if which == FIXED else rng.randrange(self.plan.key.n)
        start(rtl, self.plan.key, message, rng)
        return run_traced(rtl, self.plan, group)


class ExponentTest:
    """The key's dP and dQ in half of the traces, random odd ones in the others; one p, q.

    Other exponents are put into the memory after the key was accepted, and an operation ends with
    its last exponentiation, as its result would be refused.
    """

    name = "exponent"

    def __init__(self, plan: Plan, _: int) -> None:
        kept = plan.only(("input", EXPONENTIATION, "between"))
        self.plan, self.ready = kept, 0
        self.end = max(window.end for window in kept.windows)

    def prepare(self, rtl: ToggleRsa, rng: random.Random) -> None:
        """Once for each block."""
        set_up(rtl, self.plan.key, rng)
        self.ready = rtl.save()

    def trace(self, rtl: ToggleRsa, rng: random.Random, which: int, group: int) -> Counts:
        """One operation of the class `which`."""
        key, fixed = self.plan.key, self.plan.key.parts()
        rtl.restore(self.ready)
        for name, prime in (("DP", key.p), ("DQ", key.q)):
            drawn = rng.randrange(prime - 1) | 1
            rtl.poke(name, fixed[name] if which == FIXED else drawn)
        start(rtl, key, rng.randrange(key.n), rng)
        done, cycles, totals = rtl.go_watched(group, self.end)
        if done or cycles != self.end:
            raise DeviceError("A private operation ended before its exponentiation did.")
        return totals


Test = MessageTest | ExponentTest
TESTS = (MessageTest, ExponentTest)
