# SPDX-License-Identifier: Apache-2.0
"""A key in a simulated core, and snapshots of everything that is done with it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from math import gcd

from Crypto.Util.number import getPrime

from modfab.build.rsa import ENTROPY_CYCLES, watchdog_cycles
from modfab.errors import DeviceError
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.program import USUAL_E
from modfab.sim.registers import Register
from modfab.sim.snapshots import SnapshotRsa

NUM_POINTS = 16
"""Snapshots along a private operation."""

NUM_RANDOM = 1 << 12
"""Words that the entropy port has for one operation."""

SECRETS = ("P", "Q", "DP", "DQ", "QI", "AP", "BP", "VP", "AQ", "BQ", "VQ", "P1", "Q1")
"""Variables of a core that no read may give and no wipe may leave: the key, its blinding."""

_SECRET_BITS = 32
"""A register of fewer bits holds nothing of a key that is worth a mention."""

_COUNTERS = ("watchdog_q", "cycles_o")
"""Registers of that length that count cycles."""


@dataclass(frozen=True, slots=True)
class AssessKey:
    """A key of random primes; p, q, e and what follows from them."""

    p: int
    q: int
    e: int

    @property
    def n(self) -> int:
        """The modulus."""
        return self.p * self.q

    @property
    def d(self) -> int:
        """The private exponent."""
        return pow(self.e, -1, (self.p - 1) * (self.q - 1))

    def parts(self) -> dict[str, int]:
        """What a host writes."""
        d = self.d
        return {
            "P": self.p,
            "Q": self.q,
            "DP": d % (self.p - 1),
            "DQ": d % (self.q - 1),
            "QI": pow(self.q, -1, self.p),
            "E": self.e,
        }


def random_key(rng: random.Random, p_bits: int, q_bits: int) -> AssessKey:
    """A key of primes of exactly these lengths.

    >>> random_key(random.Random(1), 64, 60).n.bit_length() in (123, 124)
    True
    """
    while True:
        p, q = (getPrime(bits, randfunc=rng.randbytes) for bits in (p_bits, q_bits))
        if p != q and gcd(USUAL_E, (p - 1) * (q - 1)) == 1:
            return AssessKey(p, q, USUAL_E)


def random_words(rng: random.Random, count: int = NUM_RANDOM) -> list[int]:
    """Words for the entropy port."""
    return [rng.getrandbits(32) for _ in range(count)]


def load_key(rtl: SnapshotRsa, key: AssessKey) -> int:
    """Write a key and set it up; the cycles. DeviceError when the core refuses it."""
    for name, value in key.parts().items():
        rtl.put(name, value)
    run = rtl.run(RsaEntry.KEY, key.e.bit_length())
    if run.status is not RsaStatus.OK:
        raise DeviceError(
            f"The simulated core refused a valid key with status {run.status.name}; this is a bug "
            "in it."
        )
    return run.cycles


@dataclass(frozen=True, slots=True)
class Point:
    """A snapshot so many cycles after the start of a private operation."""

    clock: int
    snapshot: int


class Stage:
    """One key and message: what happens without a fault, and snapshots to begin from.

    Args:
        rtl: The simulation; its state is overwritten, earlier snapshots are dropped.
        rng: Chooses key, message and blinding.

    Attributes:
        refused, written, loaded, ready, done: Snapshots: words of a key that does not fit itself;
            key words written; key valid; message written; result valid.
        refused_cycles, key_cycles, cycles, wipe_cycles: Of the set-up of both keys until it halts
            or wipes, of private operation and wipe.
        points: Snapshots along the operation.
        cleared: Registers that a wipe leaves zero.
    """

    def __init__(self, rtl: SnapshotRsa, rng: random.Random) -> None:
        self.rtl, half = rtl, rtl.config.shape.half_bits
        self.key = random_key(rng, half, half)
        self.message = rng.randrange(2, self.key.n)
        self.registers = rtl.registers()
        rtl.limit = ENTROPY_CYCLES + 4 * watchdog_cycles(rtl.config) + (1 << 16)
        rtl.forget()
        rtl.release()
        rtl.entropy(random_words(rng))
        rtl.wipe()
        self.refused = self._write(self.key.parts() | {"QI": self.key.parts()["QI"] ^ 2})
        self.refused_cycles = self._refused_cycles()
        rtl.wipe()
        self.written = self._write(self.key.parts())
        self.key_cycles = self._run(RsaEntry.KEY)
        self.loaded = rtl.save()
        rtl.put("C", self.message)
        self.ready = rtl.save()
        self.cycles = self._run(RsaEntry.PRIVATE)
        self.result = rtl.get("M")
        if self.result != pow(self.message, self.key.d, self.key.n):
            raise DeviceError("The core gave a wrong result without a fault; this is a bug in it.")
        self.done = rtl.save()
        self.wipe_cycles = rtl.wipe()
        rtl.step(4)
        self.cleared = [register for register in self.registers if self._holds_secrets(register)]
        self.points = self._save_points()

    @property
    def e_bits(self) -> int:
        """Bits of the public exponent."""
        return self.key.e.bit_length()

    def _write(self, parts: dict[str, int]) -> int:
        for name, value in parts.items():
            self.rtl.put(name, value)
        return self.rtl.save()

    def _refused_cycles(self) -> int:
        """Cycles until the wipe of a refused key begins; of a core that accepts it, until then."""
        self.rtl.begin(RsaEntry.KEY, self.e_bits)
        self.rtl.go(self.rtl.limit)
        return self.rtl.cycles

    def _run(self, entry: RsaEntry) -> int:
        self.rtl.begin(entry, self.e_bits)
        done, cycles = self.rtl.go(self.rtl.limit)
        if not done or self.rtl.status_code != RsaStatus.OK:
            raise DeviceError(
                f"The simulated core ended its program {entry.name.lower()} with status "
                f"{self.rtl.status_code} although nothing was changed; this is a bug in it."
            )
        return cycles

    def _holds_secrets(self, register: Register) -> bool:
        wide = register.elements * register.element_bits >= _SECRET_BITS
        counts = register.name.endswith(_COUNTERS)
        return wide and not counts and self.rtl.is_zero(register)

    def _save_points(self) -> list[Point]:
        rtl = self.rtl
        points: list[Point] = []
        rtl.restore(self.ready)
        rtl.begin(RsaEntry.PRIVATE, self.e_bits)
        for number in range(NUM_POINTS):
            clock = number * self.cycles // NUM_POINTS
            rtl.go(clock - points[-1].clock if points else clock)
            points.append(Point(clock, rtl.save()))
        return points

    def close(self) -> None:
        """Free the simulation."""
        self.rtl.close()
