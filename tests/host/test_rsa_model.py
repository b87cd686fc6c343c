# SPDX-License-Identifier: Apache-2.0
"""The golden model behind the register map answers every access as the simulated core does."""

from __future__ import annotations

import random

import pytest

from modfab.build.rsa import RsaCore, public_core
from modfab.host.generated import mf_rsa_regs as regs
from modfab.host.rsa_model import RsaModelTransport
from modfab.host.transport import BusError, Transport
from modfab.host.transport_sim import SimTransport
from modfab.models.generated.status import RsaStatus
from modfab.numbers import to_words
from tests.host.test_rsa_contexts import SEVERAL
from tests.host.test_rsa_device import CONFIG, KEY_WINDOWS, connect, idle
from tests.support.rsa_core import Key, make_key

CORES = {
    "one key": CONFIG,
    "three keys": SEVERAL,
    "public": public_core("bit_serial", 128, {"BitsPerClock": 8}),
}
WINDOWS = dict(zip(("P", "Q", "DP", "DQ", "QI", "E", "D"), KEY_WINDOWS, strict=True))
SHOWN = (
    *(regs.CTRL, regs.STATUS, regs.IRQ_STATUS, regs.IRQ_ENABLE, regs.E_BITS),
    *(regs.FAULTS, regs.FAULT_LIMIT, regs.CONTEXT, regs.KEYS, regs.CYCLES_LO, regs.CYCLES_HI),
)


class Both:
    """A simulated core and the model; each access goes to both, whose answers are compared."""

    def __init__(self, config: RsaCore) -> None:
        self.shape = config.shape
        self.buses: tuple[Transport, Transport] = SimTransport(config), RsaModelTransport(config)
        idle(self.buses[0])
        self.write(regs.CTRL, regs.CTRL_ZEROIZE_MASK)
        self.write(regs.FAULT_LIMIT, 0)

    def _alike(self, address: int, value: int | None) -> None:
        answers = [_access(bus, address, value) for bus in self.buses]
        assert answers[0] == answers[1], f"{address:#x} {value}"

    def write(self, address: int, value: int) -> None:
        self._alike(address, value)
        idle(self.buses[0])

    def fill(self, window: int, value: int) -> None:
        words = self.shape.half_words if regs.P_WINDOW <= window < regs.E_WINDOW else 0
        for place, word in enumerate(to_words(value, words or self.shape.num_words)):
            self._alike(window + 4 * place, word)

    def compare(self) -> None:
        status = self.buses[1].read32(regs.STATUS)
        refused = (status & regs.STATUS_ERROR_MASK) >> regs.STATUS_ERROR_SHIFT == RsaStatus.KEY
        for address in SHOWN:
            if not (refused and address == regs.CYCLES_LO):  # as the engine refuses a modulus
                self._alike(address, None)
        for place in range(self.shape.num_words + 1):
            self._alike(regs.RESULT_WINDOW + 4 * place, None)


def _access(bus: Transport, address: int, value: int | None) -> int | str:
    try:
        if value is None:
            return bus.read32(address)
        bus.write32(address, value)
    except BusError:
        return "refused"
    return "taken"


def _give_key(both: Both, rng: random.Random) -> Key:
    """A key, sometimes with a changed word; with one window, n and e alone."""
    half, public = both.shape.half_bits, both.shape.public_only
    e = rng.choice([3, 17, 65537, None])
    if public:
        key = make_key(rng, half // 2, half // 2, e)
        parts = {"P": key.n, "E": key.e}
    else:
        key = make_key(rng, rng.choice([33, half - 1, half]), rng.choice([33, half]), e)
        parts = key.parts()
    for name, value in parts.items():
        both.fill(WINDOWS[name], value)
    both.write(regs.E_BITS, key.e.bit_length())
    if rng.random() < 0.2:
        both.write(rng.choice(KEY_WINDOWS) + 4 * rng.randrange(2), rng.getrandbits(32))
    return key


def _step(both: Both, key: Key, rng: random.Random) -> Key:
    """Something that a host may do, sense or nonsense; the key that was given last."""
    kind = rng.randrange(10)
    if kind == 0:
        key = _give_key(both, rng)
    if kind < 3:
        both.write(regs.CTRL, regs.CTRL_KEY_MASK)
    elif kind < 6:
        message = rng.choice([0, 1, key.n - 1, key.n, rng.randrange(key.n), rng.randrange(key.n)])
        both.fill(regs.MESSAGE_WINDOW, message)
        commands = [regs.CTRL_START_PRIVATE_MASK, regs.CTRL_START_PUBLIC_MASK]
        both.write(regs.CTRL, rng.choice(commands))
    elif kind == 6:
        both.write(regs.CTRL, rng.getrandbits(9) & ~regs.CTRL_ZEROIZE_MASK)
    elif kind == 7:
        both.write(regs.CTRL, 1 << rng.randrange(9))
    elif kind == 8:
        both.write(regs.CONTEXT, rng.choice([0, 1, 2, 3, rng.getrandbits(32)]))
        both.write(regs.CTRL, rng.choice([regs.CTRL_CHANGE_MASK, regs.CTRL_ERASE_MASK]))
    else:
        places = [*SHOWN[2:], *(window + 4 * rng.randrange(8) for window in KEY_WINDOWS)]
        both.write(rng.choice(places), rng.choice([0, 1, 17, 129, rng.getrandbits(32)]))
    return key


@pytest.mark.parametrize("count", [60, pytest.param(3000, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", CORES)
def test_accesses_at_random_are_answered_alike(name: str, count: int, rng: random.Random) -> None:
    both = Both(CORES[name])
    key = _give_key(both, rng)
    for _ in range(count):
        key = _step(both, key, rng)
        both.write(regs.FAULT_LIMIT, 0)
        both.compare()
    for bus in both.buses:
        bus.close()


@pytest.mark.parametrize("kind", ["sim", "model"])
def test_a_lock_beside_derive_counts_first(kind: str) -> None:
    bus = connect(kind)
    idle(bus)
    bus.write32(regs.CTRL, regs.CTRL_DERIVE_MASK | regs.CTRL_LOCK_MASK)
    status = idle(bus)
    assert status & regs.STATUS_LOCKED_MASK
    assert (status & regs.STATUS_ERROR_MASK) >> regs.STATUS_ERROR_SHIFT == RsaStatus.KEY
    assert bus.read32(regs.CYCLES_LO) == 0, "it did not run"
    bus.close()


@pytest.mark.parametrize("kind", ["sim", "model"])
def test_what_wipes_the_chosen_context_alone_chooses_no_other(kind: str) -> None:
    """A change to the chosen context, which takes no lock, and a test of itself."""
    bus = connect(kind, SEVERAL)
    idle(bus)
    bus.write32(regs.CONTEXT, 2)
    change = regs.CTRL_CHANGE_MASK
    for command in (change, regs.CTRL_LOCK_MASK, change, regs.CTRL_TEST_MASK):
        bus.write32(regs.CTRL, command)
        idle(bus)
    chosen = bus.read32(regs.CONTEXT) & regs.CONTEXT_CHOSEN_MASK
    assert chosen == 2 << regs.CONTEXT_CHOSEN_SHIFT
    assert bus.read32(regs.KEYS) == 4 << regs.KEYS_LOCKED_SHIFT
    bus.close()
