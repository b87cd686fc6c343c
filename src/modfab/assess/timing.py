# SPDX-License-Identifier: Apache-2.0
"""Whether the cycles of a program depend on primes, exponents or message."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from math import lcm
from typing import Any

from modfab.assess.bus import BusObserver, BusRows
from modfab.assess.campaign import Tell, described
from modfab.assess.stage import AssessKey, load_key, random_key, random_words
from modfab.build.rsa import RsaCore
from modfab.errors import DeviceError
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.sim.snapshots import SnapshotRsa

EXPONENTS = ("e = 65537", "d = 1", "d tiny", "d = 2^k + 1", "d = lambda - 1", "unequal primes")
BUS_KEYS = 12
"""Keys that go through the bus as well."""

MESSAGES = ("random", "0", "1", "n - 1", "multiple of p", "multiple of q")


@dataclass(slots=True)
class Row:
    """Cycles of one kind of key or message.

    Attributes:
        runs: Operations.
        cycles: Those of a private operation, by bits of e that decide them.
        deviations: Runs whose cycles are not those that the build and e give.
    """

    runs: int = 0
    cycles: set[int] = field(default_factory=set)
    deviations: int = 0

    def data(self) -> dict[str, Any]:
        """For a report."""
        least, most = min(self.cycles), max(self.cycles)
        return {"runs": self.runs, "least": least, "most": most, "deviations": self.deviations}


def key_of(kind: str, rng: random.Random, half_bits: int) -> AssessKey:
    """A key of random primes, with an extreme private exponent d if `kind` says so.

    >>> key = key_of("d = 1", random.Random(1), 64)
    >>> key.parts()["DP"], key.parts()["DQ"]
    (1, 1)
    """
    shorter = half_bits - 4 if kind == "unequal primes" else half_bits
    primes = random_key(rng, half_bits, shorter)
    if kind in ("e = 65537", "unequal primes"):
        return primes
    group = lcm(primes.p - 1, primes.q - 1)
    if kind == "d = 1":
        return AssessKey(primes.p, primes.q, group + 1)
    wanted = {"d tiny": 3, "d = 2^k + 1": (1 << rng.randrange(3, half_bits)) + 1}
    d = wanted.get(kind, group - 1)
    try:
        return AssessKey(primes.p, primes.q, pow(d, -1, group))
    except ValueError:  # this d is none of these primes
        return key_of(kind, rng, half_bits)


def message_of(kind: str, rng: random.Random, key: AssessKey) -> int:
    """A message below n."""
    extremes = {"0": 0, "1": 1, "n - 1": key.n - 1}
    if kind in extremes:
        return extremes[kind]
    if kind == "multiple of p":
        return key.p * rng.randrange(1, key.q)
    if kind == "multiple of q":
        return key.q * rng.randrange(1, key.p)
    return rng.randrange(key.n)


def _cycles(rtl: SnapshotRsa, entry: RsaEntry, key: AssessKey) -> int:
    run = rtl.run(entry, key.e.bit_length())
    if run.status is not RsaStatus.OK:
        raise DeviceError(
            f"The simulated core ended {entry.name.lower()} with status {run.status.name}, and ok "
            "was expected; this is a bug in it."
        )
    return run.cycles


class _Core:
    """The cycles of a core's programs, key by key."""

    def __init__(self, core: RsaCore, seed: int) -> None:
        self.core, self.rtl, self.programs = core, SnapshotRsa(core, seed), core.programs()
        self.rows = {name: Row() for name in (*EXPONENTS, *(_row_of(name) for name in MESSAGES))}

    def run(self, kind: str, key: AssessKey, rng: random.Random) -> None:
        """A key's set-up, and a private operation with every kind of message."""
        rtl, rows = self.rtl, self.rows
        rtl.entropy(random_words(rng))
        rtl.wipe()
        set_up, expected = load_key(rtl, key), self.programs.program(RsaEntry.PRIVATE, key.e)
        rows[kind].deviations += set_up != self.programs.program(RsaEntry.KEY, key.e)
        for name in MESSAGES:
            rtl.put("C", message_of(name, rng, key))
            rtl.entropy(random_words(rng))
            cycles = _cycles(rtl, RsaEntry.PRIVATE, key)
            for row in (rows[kind], rows[_row_of(name)]):
                row.runs += 1
                row.cycles.add(cycles)
                row.deviations += cycles != expected


def _row_of(message: str) -> str:
    return f"message {message}"


def run_timing(
    core: RsaCore, runs: int, seed: int, tell: Tell | None = None, seconds: float | None = None
) -> dict[str, Any]:
    """Compare the cycles of operations, and what the bus shows, with those that build and e give.

    Args:
        core: The build.
        runs: Keys; each has a private operation with every kind of message. The first ones go
            through the bus as well.
        seed: Of keys, messages and blinding.
        tell: Gets the progress.
        seconds: No key begins after so long; None for no limit.
    """
    started, inside = time.monotonic(), _Core(core, seed)
    bus, shown, keys = BusObserver(core, seed), BusRows(core), 0
    for number in range(runs):
        if seconds is not None and keys and time.monotonic() - started > seconds:
            break
        rng, kind = random.Random(f"{seed} timing {number}"), EXPONENTS[number % len(EXPONENTS)]
        key = key_of(kind, rng, core.shape.half_bits)
        inside.run(kind, key, rng)
        if number < BUS_KEYS:
            bus.load(key)
            for name in MESSAGES:
                seen = bus.operate(key, message_of(name, rng, key))
                shown.add((kind, _row_of(name)), key, seen)
        keys = number + 1
        if tell:
            tell(keys, runs)
    inside.rtl.close()
    bus.close()
    return {
        "core": described(core),
        "seed": seed,
        "asked": runs,
        "keys": keys,
        "seconds": round(time.monotonic() - started, 1),
        "rows": {name: row.data() for name, row in inside.rows.items() if row.runs},
        "bus": shown.data(),
    }
