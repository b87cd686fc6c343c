# SPDX-License-Identifier: Apache-2.0
"""The farm's driver: many powers at once, jobs sent again after faults, errors."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from functools import partial

import pytest

from modfab.errors import DeviceError, OperandError
from modfab.host.farm_device import FarmDevice
from modfab.host.farm_transport import SimFarmTransport
from modfab.host.generated import mf_rsa_farm_regs as regs
from modfab.host.keys import RsaPrivate
from modfab.host.transport import BusError
from modfab.models.generated.status import JobStatus, RsaStatus
from modfab.models.rsa.packets import job_words
from modfab.numbers import to_words, words_of
from tests.support.farm_core import config
from tests.support.rsa_core import private_key

CORES = 2


@pytest.fixture
def transport() -> Iterator[SimFarmTransport]:
    made = SimFarmTransport(config(CORES))
    yield made
    made.close()


@pytest.fixture
def device(transport: SimFarmTransport) -> FarmDevice:
    return FarmDevice(transport)


def note(told: list[int], *counts: int) -> None:
    told.extend(counts)


def test_many_powers(device: FarmDevice, rng: random.Random) -> None:
    for key in (private_key(rng), private_key(rng)):
        assert device.load_key(key) == CORES
        bases = [0, 1, key.n - 1, key.p, *(rng.randrange(key.n) for _ in range(12))]
        told = list[int]()
        powers = device.run(bases, done=partial(note, told))
        assert powers == [pow(base, key.d, key.n) for base in bases]
        assert told[::2] == list(range(1, len(bases) + 1))
        assert told[1::2] == [len(bases)] * len(bases)
        assert device.run(bases, public=True) == [pow(base, key.e, key.n) for base in bases]
        assert device.run([]) == []
    states = [device.core(index) for index in range(CORES)]
    assert sum(state.jobs for state in states) == 64
    for state in states:
        assert state.status is RsaStatus.OK
        assert state.in_service
        assert not state.out_of_service
        assert state.faults == 0
        assert state.last_cycles > 0


def test_jobs_are_sent_again_until_the_tries_are_over(
    device: FarmDevice, transport: SimFarmTransport, rng: random.Random
) -> None:
    key = private_key(rng)
    device.load_key(key)
    device.set_fault_limit(0)
    transport.farm.stick()
    with pytest.raises(DeviceError, match="got no random words"):
        device.run([rng.randrange(key.n) for _ in range(80)])
    assert [device.core(index).in_service for index in range(CORES)] == [True] * CORES
    with pytest.raises(DeviceError, match="got no random words"):
        device.load_key(key)
    transport.farm.starve(False)
    bases = [rng.randrange(key.n) for _ in range(8)]
    assert device.load_key(key) == CORES
    assert device.run(bases) == [pow(base, key.d, key.n) for base in bases]


def test_an_interrupted_run_leaves_nothing_for_the_next(
    device: FarmDevice, rng: random.Random
) -> None:
    """The driver does not check the result of a public exponentiation."""
    key = private_key(rng)
    device.load_key(key)

    def interrupted(answered: int, total: int | None) -> None:
        raise KeyboardInterrupt

    for public in (True, False):
        bases = [[rng.randrange(key.n) for _ in range(5)] for _ in range(2)]
        with pytest.raises(KeyboardInterrupt):
            device.run(bases[0], public, interrupted)
        exponent = key.e if public else key.d
        assert device.run(bases[1], public) == [pow(base, exponent, key.n) for base in bases[1]]


def test_a_program_that_was_killed_leaves_nothing_for_the_next(
    transport: SimFarmTransport, rng: random.Random
) -> None:
    key = private_key(rng)
    killed = FarmDevice(transport)
    killed.load_key(key)
    words = words_of(2 * killed.prime_bits)
    for job_id in range(3):
        transport.send(job_words(job_id, to_words(rng.randrange(key.n), words), True))
    device = FarmDevice(transport)
    device.load_key(key)
    bases = [rng.randrange(key.n) for _ in range(5)]
    assert device.run(bases, public=True) == [pow(base, key.e, key.n) for base in bases]


class Lying(SimFarmTransport):
    """Changes the status of some answers, or a bit of their result."""

    def __init__(self, statuses: list[JobStatus]) -> None:
        super().__init__(config(CORES))
        self.statuses = statuses
        self.codes: list[int] = []
        self.flips = 0

    def receive(self, timeout_s: float) -> list[int] | None:
        packet = super().receive(timeout_s)
        if packet and self.statuses:
            packet[-1] |= self.statuses.pop(0) << 16
        if packet and self.codes:
            packet[-1] |= self.codes.pop(0) << 16
        if packet and self.flips:
            packet[0] ^= 1
            self.flips -= 1
        return packet


@pytest.mark.parametrize(
    "status",
    [JobStatus.FAULT, JobStatus.WATCHDOG, JobStatus.KEY, JobStatus.OPERAND, JobStatus.SERVICE],
)
def test_a_job_that_a_core_did_not_end_is_sent_again(status: JobStatus, rng: random.Random) -> None:
    key = private_key(rng)
    bases = [rng.randrange(key.n) for _ in range(5)]
    with FarmDevice(Lying([status] * 3), tries=4) as device:
        device.load_key(key)
        assert device.run(bases) == [pow(base, key.d, key.n) for base in bases]
    with FarmDevice(Lying([status] * 100), tries=2) as device:
        device.load_key(key)
        with pytest.raises(DeviceError) as raised:
            device.run(bases)
        assert str(raised.value) == status.sentence


def test_a_job_has_so_many_tries_and_no_more(rng: random.Random) -> None:
    key = private_key(rng)
    lying = Lying([JobStatus.FAULT] * 3)
    with FarmDevice(lying, tries=2) as device:
        device.load_key(key)
        with pytest.raises(DeviceError, match=re.escape(JobStatus.FAULT.sentence)):
            device.run([5])
        assert len(lying.statuses) == 1
        assert device.run([6]) == [pow(6, key.d, key.n)], "its second try"


def test_a_refused_packet_is_not_sent_again(rng: random.Random) -> None:
    key = private_key(rng)
    with FarmDevice(Lying([JobStatus.FORMAT])) as device:
        device.load_key(key)
        with pytest.raises(DeviceError, match="The farm refused a job's packet"):
            device.run([1, 2, 3])
        assert device.run([5]) == [pow(5, key.d, key.n)], "answers of the first run are left"


def test_an_answer_to_a_strangers_job(
    device: FarmDevice, transport: SimFarmTransport, rng: random.Random
) -> None:
    device.load_key(private_key(rng))
    transport.send([77, 1, 0, 0, 0])
    with pytest.raises(DeviceError, match="answered job 77, which was not sent"):
        device.run([1])


def test_what_the_host_refuses(device: FarmDevice, rng: random.Random) -> None:
    with pytest.raises(OperandError, match="No key is set up in the farm"):
        device.run([1])
    key = private_key(rng)
    device.load_key(key)
    with pytest.raises(OperandError, match="must be below the modulus"):
        device.run([1, key.n])
    for lengths in ((65, 64), (64, 32)):
        key = private_key(rng, *lengths)
        with pytest.raises(OperandError, match="takes primes of 33 to 64 bits, but the key has"):
            device.load_key(key)
    with pytest.raises(OperandError, match="Expected a limit of 0 to 255 faults, but got 256"):
        device.set_fault_limit(256)
    device.set_fault_limit(1)


def test_a_bad_key_is_refused_by_every_core(device: FarmDevice, rng: random.Random) -> None:
    key = private_key(rng)
    wrong = RsaPrivate(n=key.n, e=key.e + 2, d=key.d, p=key.p, q=key.q)
    with pytest.raises(DeviceError, match="The RSA core refused the key"):
        device.load_key(wrong)
    with pytest.raises(OperandError, match="No key is set up in the farm"):
        device.run([1])


def test_a_queue_that_stands_still(rng: random.Random) -> None:
    device = FarmDevice(Silent(config(CORES)), stall_s=0.3)
    device.load_key(private_key(rng))
    with pytest.raises(DeviceError, match=r"moved no cycle counter for 0\.3"):
        device.run([5])
    device.close()


class Silent(SimFarmTransport):
    """Loses the jobs."""

    def send(self, packet: Sequence[int]) -> None:
        pass


def test_lock(device: FarmDevice, rng: random.Random) -> None:
    key = private_key(rng)
    device.load_key(key)
    device.lock()
    with pytest.raises(DeviceError, match="The farm holds a locked key and takes no other"):
        device.load_key(private_key(rng))
    assert device.run([5]) == [pow(5, key.d, key.n)]
    device.zeroize()
    assert device.load_key(key) == CORES


def test_a_lock_that_the_farm_drops_is_an_error(
    device: FarmDevice,
    transport: SimFarmTransport,
    rng: random.Random,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key, write = private_key(rng), transport.write32

    def drop(address: int, value: int) -> None:
        if address != regs.CTRL:
            write(address, value)

    device.load_key(key)
    with monkeypatch.context() as patch:
        patch.setattr(transport, "write32", drop)
        with pytest.raises(DeviceError, match="has not taken the lock"):
            device.lock()
    assert device.run([5]) == [pow(5, key.d, key.n)]


def test_an_ending_without_a_name(rng: random.Random) -> None:
    key = private_key(rng)
    transport = Lying([])
    with FarmDevice(transport) as device:
        device.load_key(key)
        transport.codes = [11, 15]
        with pytest.raises(DeviceError, match="ended a job with the unknown code 11; use the"):
            device.run([1, 2, 3])
        assert device.run([5]) == [pow(5, key.d, key.n)], "answers of the first run are left"


def test_a_core_state_without_a_name(
    device: FarmDevice, transport: SimFarmTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = transport.read32

    def lie(address: int) -> int:
        return 15 << regs.STATUS_ERROR_SHIFT if address == regs.STATUS else read(address)

    monkeypatch.setattr(transport, "read32", lie)
    with pytest.raises(DeviceError, match="unknown error code 15"):
        device.core(0)


def test_a_wrong_result_is_computed_again_and_never_released(rng: random.Random) -> None:
    key = private_key(rng)
    bases = [rng.randrange(key.n) for _ in range(5)]
    transport = Lying([])
    with FarmDevice(transport, tries=3) as device:
        device.load_key(key)
        transport.flips = 2
        assert device.run(bases) == [pow(base, key.d, key.n) for base in bases]
        transport.flips = 1000
        with pytest.raises(DeviceError, match="returned a wrong result, which the check caught"):
            device.run(bases)
        transport.flips = 0
        assert device.run(bases) == [pow(base, key.d, key.n) for base in bases]


def test_another_key_comes_after_a_wipe(
    device: FarmDevice,
    transport: SimFarmTransport,
    rng: random.Random,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device.load_key(private_key(rng))
    commands: list[int] = []
    write = transport.write32

    def note_command(address: int, value: int) -> None:
        if address == regs.CTRL:
            commands.append(value)
        write(address, value)

    monkeypatch.setattr(transport, "write32", note_command)
    device.load_key(private_key(rng))
    assert commands == [regs.CTRL_ZEROIZE_MASK, regs.CTRL_KEY_MASK]


class Other(SimFarmTransport):
    """Something else at the address."""

    def __init__(self, address: int, value: int) -> None:
        super().__init__(config(CORES))
        self.answer = address, value

    def read32(self, address: int) -> int:
        return self.answer[1] if address == self.answer[0] else super().read32(address)


def test_identity() -> None:
    with pytest.raises(DeviceError, match="There is no modfab farm at this address"):
        FarmDevice(Other(regs.ID, 0))
    with pytest.raises(DeviceError, match="but the core has version 9"):
        FarmDevice(Other(regs.VERSION, 9 << 16))


def test_a_farm_that_stands_still(rng: random.Random) -> None:
    device = FarmDevice(Other(regs.STATUS, regs.STATUS_BUSY_MASK), stall_s=0.0)
    with pytest.raises(DeviceError, match="its cycle counter has not moved for 0 seconds"):
        device.load_key(private_key(rng))


def test_every_ending_has_its_sentence() -> None:
    assert len({status.sentence for status in JobStatus}) == len(JobStatus)


def test_a_key_word_that_the_cores_refuse_is_an_error(
    device: FarmDevice, transport: SimFarmTransport, rng: random.Random
) -> None:
    """Over the bus, while the key is valid but not locked; the driver's own load wipes first."""
    key = private_key(rng)
    device.load_key(key)
    transport.write32(regs.ACCEPT, 0)
    for place in (regs.P_WINDOW, regs.DQ_WINDOW, regs.E_WINDOW, regs.D_WINDOW, regs.E_BITS):
        with pytest.raises(BusError, match=r"refused to be written .* not allowed in its present"):
            transport.write32(place, 1)
    with pytest.raises(BusError):
        transport.write32(regs.CTRL, regs.CTRL_DERIVE_MASK)
    transport.write32(regs.ACCEPT, 1)
    assert device.run([5]) == [pow(5, key.d, key.n)]
    assert device.load_key(private_key(rng)) == CORES
