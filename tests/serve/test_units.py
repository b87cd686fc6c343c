# SPDX-License-Identifier: Apache-2.0
"""Devices of the daemon: after keys that they refuse, their set-ups, what others left in them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, cast

import pytest

from modfab.build.farm import FarmCore
from modfab.build.rsa import RsaCore, public_core, rsa_core
from modfab.errors import DeviceError, NoDeviceError, OperandError
from modfab.host.keys import RsaPrivate
from modfab.host.rsa_device import RsaDevice
from modfab.serve.jobs import Job, JobQueue
from modfab.serve.units import CoreUnit, FarmUnit, Unit
from modfab.serve.workers import DeviceCounters, Ending, Worker
from tests.support.daemon import QUICK, daemon
from tests.support.farm_core import config
from tests.support.rsa_core import private_key
from tests.support.rsa_hardware import Hardware

CORES, HALF = 2, 64


def core(prime_bits: int) -> RsaCore:
    return rsa_core("bit_serial", prime_bits)


def two_contexts(prime_bits: int) -> RsaCore:
    return rsa_core("bit_serial", prime_bits, keys=2)


def farm(prime_bits: int) -> FarmCore:
    return config(CORES, half=prime_bits)


@pytest.fixture(params=["core", "farm"])
def unit(request: pytest.FixtureRequest) -> Iterator[Unit]:
    made: Unit = CoreUnit("model", core) if request.param == "core" else FarmUnit(farm, CORES)
    yield made
    made.close()


def even(key: RsaPrivate) -> RsaPrivate:
    """As wide as the key, so that no device is changed for it."""
    return replace(key, n=(key.p + 1) * key.q, p=key.p + 1)


def test_a_refused_key_leaves_the_one_before_it(unit: Unit, rng: random.Random) -> None:
    good = private_key(rng)
    first, more = unit.exponentiate(good, [5, 6])
    assert (first.value, first.setup_cycles > 0) == (pow(5, good.d, good.n), True)
    assert (more.value, more.setup_cycles) == (pow(6, good.d, good.n), 0)
    with pytest.raises(OperandError, match="These numbers are no RSA key"):
        unit.exponentiate(even(good), [5])
    (second,) = unit.exponentiate(good, [5])
    assert (second.value, second.setup_cycles) == (first.value, 0)


def test_a_shorter_key_gets_a_core_of_its_own(rng: random.Random) -> None:
    """Both ways: a core takes primes of as many words only."""
    unit = CoreUnit("model", core)
    for half in (HALF, 96, HALF, 40):
        key = private_key(rng, half, half)
        assert unit.exponentiate(key, [5])[0].value == pow(5, key.d, key.n)
    unit.close()


class FakeFarm:
    """Takes keys of its own width alone."""

    num_cores = CORES
    made: ClassVar[list[FakeFarm]] = []

    def __init__(self, prime_bits: int) -> None:
        self.prime_bits, self.closed = prime_bits, False
        self.key: RsaPrivate | None = None
        self.made.append(self)

    def load_key(self, key: RsaPrivate) -> None:
        assert key.p.bit_length() == self.prime_bits
        self.key = key

    def run(self, bases: Sequence[int]) -> list[int]:
        assert self.key is not None
        return [pow(base, self.key.d, self.key.n) for base in bases]

    def core(self, index: int) -> SimpleNamespace:
        return SimpleNamespace(last_cycles=100 + index)

    def close(self) -> None:
        self.closed = True


def test_a_farm_is_built_anew_for_another_width(
    rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modfab.serve.units.SimFarmTransport", lambda prime_bits: prime_bits)
    monkeypatch.setattr("modfab.serve.units.FarmDevice", FakeFarm)
    monkeypatch.setattr(FakeFarm, "made", [])
    unit = FarmUnit(cast(Any, lambda prime_bits: prime_bits), CORES)
    for half in (HALF, HALF, 96, HALF):
        key = private_key(rng, half, half)
        assert [result.value for result in unit.exponentiate(key, [5])] == [pow(5, key.d, key.n)]
    assert [farm.prime_bits for farm in FakeFarm.made] == [HALF, 96, HALF]
    assert [farm.closed for farm in FakeFarm.made] == [True, True, False]
    unit.close()
    assert FakeFarm.made[-1].closed


def test_set_ups_are_counted_and_changes_are_not(rng: random.Random) -> None:
    """A core with two contexts keeps two keys, and goes from one to the other without a set-up."""
    queue, keys = JobQueue(), [private_key(rng) for _ in range(3)]
    counters = DeviceCounters()
    worker = Worker(lambda: CoreUnit("model", two_contexts), queue, QUICK, counters)
    worker.start()
    for number, loads in ((0, 1), (1, 2), (0, 2), (1, 2), (2, 3), (1, 3), (0, 4)):
        job = Job(1, keys[number], 5)
        queue.put(job)
        assert job.done.wait(60)
        assert job.error is None
        assert counters.key_loads == loads
    assert worker.stop(60) is Ending.WIPED


def test_set_ups_are_counted_across_cores(unit: Unit, rng: random.Random) -> None:
    """A device for another width begins with a set-up; a refused key is none."""
    good, wide = private_key(rng), private_key(rng, 96, 96)
    for key, loads in ((good, 1), (good, 1), (wide, 2), (wide, 2), (good, 3)):
        unit.exponentiate(key, [5])
        assert unit.key_loads == loads
    with pytest.raises(OperandError, match="These numbers are no RSA key"):
        unit.exponentiate(even(good), [5])
    assert unit.key_loads == 3


HARDWARE = "uio:/dev/uio0"


def hardware(monkeypatch: pytest.MonkeyPatch, config: RsaCore) -> Hardware:
    """Behind `HARDWARE`, a core that keeps what it has when it is closed."""
    made = Hardware(config)
    monkeypatch.setattr("modfab.host.rsa_open.open_uio", lambda path, map_bytes: made)
    return made


@pytest.mark.parametrize("config", [core, two_contexts])
def test_a_core_is_wiped_that_a_killed_daemon_has_left(
    rng: random.Random, monkeypatch: pytest.MonkeyPatch, config: Callable[[int], RsaCore]
) -> None:
    """Once, when it is opened: keys of its own stay in it."""
    bus, keys = hardware(monkeypatch, config(HALF)), [private_key(rng) for _ in range(4)]
    killed = CoreUnit(HARDWARE, config)
    for key in keys[:2]:
        assert killed.exponentiate(key, [5])
    unit = CoreUnit(HARDWARE, config)
    assert unit.exponentiate(keys[2], [5])[0].value == pow(5, keys[2].d, keys[2].n)
    assert RsaDevice(bus).valid_keys in ((True,), (True, False))
    for key in keys[3], keys[2], keys[3]:
        assert unit.exponentiate(key, [5])[0].value == pow(5, key.d, key.n)
    assert unit.key_loads == (4 if config is core else 2)
    unit.close()
    assert not any(RsaDevice(bus).valid_keys)


def test_a_daemon_without_keys_wipes_its_core_at_its_start(
    path: Path, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its first key may come hours later, with a client."""
    bus, keys = hardware(monkeypatch, core(HALF)), [private_key(rng) for _ in range(2)]
    assert CoreUnit(HARDWARE, core).exponentiate(keys[0], [5])  # of a daemon that was killed
    with daemon(path, None, lambda: CoreUnit(HARDWARE, core)) as client:
        assert RsaDevice(bus).valid_keys == (False,)
        assert client.private(keys[1], 5).value == pow(5, keys[1].d, keys[1].n)
    assert RsaDevice(bus).valid_keys == (False,)


def test_a_daemon_without_keys_names_a_core_that_is_not_there(path: Path) -> None:
    with (
        pytest.raises(NoDeviceError, match="uio/none/maps"),
        daemon(path, None, lambda: CoreUnit("uio:/dev/none", core)),
    ):
        pytest.fail("it started")
    assert not path.exists()


def test_a_core_for_public_operations_is_refused_at_the_start(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hardware(monkeypatch, public_core("bit_serial", HALF))
    with (
        pytest.raises(NoDeviceError, match="public operations only"),
        daemon(path, None, lambda: CoreUnit(HARDWARE, core)),
    ):
        pytest.fail("it started")


def test_a_key_that_is_too_long_for_a_core_is_no_fault_of_it(
    path: Path, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    hardware(monkeypatch, core(HALF))
    with daemon(path, None, lambda: CoreUnit(HARDWARE, core)) as client:
        with pytest.raises(OperandError, match=r"The core takes primes of .* bits"):
            client.private(private_key(rng, 96, 96), 5)
        devices = cast(list[dict[str, Any]], client.health()["devices"])
        assert devices[0]["faults"] == 0


def test_a_locked_key_stays(rng: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
    """The daemon has the other context, and empties it first."""
    bus = hardware(monkeypatch, two_contexts(HALF))
    locked, lost, key = (private_key(rng) for _ in range(3))
    other = RsaDevice(bus)
    other.load_key(lost)
    other.choose(1)
    other.load_key(locked)
    other.lock()
    unit = CoreUnit(HARDWARE, two_contexts)
    assert unit.exponentiate(key, [5])[0].value == pow(5, key.d, key.n)
    unit.close()
    left = RsaDevice(bus)
    assert (left.valid_keys, left.locked_keys) == ((False, True), (False, True))
    left.choose(1)
    left.adopt(locked.public())


def test_a_core_with_a_locked_key_alone_is_left_as_it_is(
    rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus, locked = hardware(monkeypatch, core(HALF)), private_key(rng)
    other = RsaDevice(bus)
    other.load_key(locked)
    other.lock()
    unit = CoreUnit(HARDWARE, core)
    with pytest.raises(DeviceError, match="holds a locked key and takes no other"):
        unit.exponentiate(private_key(rng), [5])
    unit.close()
    RsaDevice(bus).adopt(locked.public())


@pytest.mark.parametrize("bits", [(33, 33), (HALF, 24), (2065, 2065)])
def test_a_key_that_no_core_takes_is_refused_at_once(unit: Unit, bits: tuple[int, int]) -> None:
    """The refusal is not counted as a fault of the device."""
    p, q = ((1 << length) - 1 for length in bits)
    with pytest.raises(OperandError, match="The RSA core takes two primes of 34 to 2064 bits"):
        unit.exponentiate(RsaPrivate(n=p * q, e=3, d=1, p=p, q=q), [5])
