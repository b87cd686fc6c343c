# SPDX-License-Identifier: Apache-2.0
"""Keys and both forms of the RSA core, RTL and golden model, for its tests."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd
from typing import Protocol

from Crypto.Util.number import getPrime

from modfab.build.rsa import RsaCore
from modfab.host.keys import RsaPrivate
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.machine import Entropy, RsaModel, RsaRun
from modfab.sim.registers import Register
from modfab.sim.rsa import RtlRsa


@dataclass(frozen=True, slots=True)
class Key:
    p: int
    q: int
    e: int

    @property
    def n(self) -> int:
        return self.p * self.q

    @property
    def d(self) -> int:
        return pow(self.e, -1, (self.p - 1) * (self.q - 1))

    def parts(self) -> dict[str, int]:
        """What the host writes."""
        dp, dq = self.d % (self.p - 1), self.d % (self.q - 1)
        qi = pow(self.q, -1, self.p)
        return {"P": self.p, "Q": self.q, "DP": dp, "DQ": dq, "QI": qi, "E": self.e}


def make_key(rng: random.Random, p_bits: int, q_bits: int, e: int | None = 65537) -> Key:
    """Random primes of exactly these lengths; e None chooses a random one as long as n."""
    while True:
        p, q = (getPrime(bits, randfunc=rng.randbytes) for bits in (p_bits, q_bits))
        chosen = rng.getrandbits(p_bits + q_bits - 1) | 1 if e is None else e
        if p != q and gcd(chosen, (p - 1) * (q - 1)) == 1 and chosen > 1:
            return Key(p, q, chosen)


def private_key(rng: random.Random, p_bits: int = 64, q_bits: int = 64) -> RsaPrivate:
    """The same as the host layer holds it, with the usual exponent."""
    key = make_key(rng, p_bits, q_bits)
    return RsaPrivate(n=key.n, e=key.e, d=key.d, p=key.p, q=key.q)


class Core(Protocol):
    """What model and RTL have in common."""

    def put(self, name: str, value: int) -> None: ...

    def get(self, name: str) -> int: ...

    def run(self, entry: RsaEntry, e_bits: int) -> RsaRun: ...

    def wipe(self) -> object: ...

    @property
    def result_valid(self) -> bool: ...


def load(core: Core, key: Key) -> RsaRun:
    for name, value in key.parts().items():
        core.put(name, value)
    return core.run(RsaEntry.KEY, key.e.bit_length())


def load_anew(core: Core, key: Key) -> RsaRun:
    """The same in place of the key that is there."""
    core.wipe()
    return load(core, key)


def operate(
    core: Core,
    key: Key,
    message: int,
    entry: RsaEntry = RsaEntry.PRIVATE,
) -> RsaRun:
    core.put("C", message)
    return core.run(entry, key.e.bit_length())


def ok(run: RsaRun) -> int:
    """The cycles of a run that has to succeed."""
    assert run.status is RsaStatus.OK
    return run.cycles


def make_model(config: RsaCore, entropy: Entropy) -> RsaModel:
    core = config.unit
    engines = [core.engine.model(core.params) for _ in range(config.shape.engines)]
    transfers = config.programs().transfers
    return RsaModel(config.image, engines, core.sequencer.commands, entropy, transfers)


def pair(config: RsaCore, rng: random.Random, num_random: int = 4096) -> tuple[RtlRsa, RsaModel]:
    """RTL and model that get the same random words."""
    words = [rng.getrandbits(32) for _ in range(num_random)]
    source: Iterator[int] = iter(words)
    rtl = RtlRsa(config, public=True, seed=rng.getrandbits(32))
    rtl.entropy(words)
    return rtl, make_model(config, lambda: next(source))


def align(rtl: RtlRsa) -> None:
    """Let the phase of a pair, which alternates whatever happens, be 0."""
    for register in rtl.registers():
        if register.name.endswith("u_engine.phase_q") and rtl.value(register):
            rtl.step()


def bits_to_stick(register: Register) -> list[int]:
    """Bits, at most 60, that the core's test of itself has at 0 and at 1.

    It takes no random word, so that nothing of it tells the complement of that state from a 1.
    """
    state = register.name.endswith("u_control.hot_inv_q")
    return [bit for bit in range(min(register.element_bits, 60)) if not (state and bit == 1)]
