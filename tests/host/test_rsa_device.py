# SPDX-License-Identifier: Apache-2.0
"""The RSA core behind its bus, RTL and golden model: one contract for both, through the driver."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from modfab.build.rsa import RsaCore, rsa_core
from modfab.errors import DeviceError, OperandError, SelfTestError, UsageError
from modfab.host.generated import mf_rsa_regs as regs
from modfab.host.keys import RsaPrivate
from modfab.host.rsa_device import RsaDevice
from modfab.host.rsa_model import RsaModelTransport
from modfab.host.rsa_open import open_rsa_device
from modfab.host.status import status_sentence
from modfab.host.transport import BusError, Transport
from modfab.host.transport_sim import SimTransport
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.machine import RsaModel, RsaRun
from tests.support.rsa_core import private_key

CONFIG = rsa_core("bit_serial", 64, {"BitsPerClock": 8})
KEY_WINDOWS = [
    *(regs.P_WINDOW, regs.Q_WINDOW, regs.DP_WINDOW, regs.DQ_WINDOW, regs.QI_WINDOW),
    *(regs.E_WINDOW, regs.D_WINDOW),
]


def connect(kind: str, config: RsaCore = CONFIG) -> Transport:
    return SimTransport(config) if kind == "sim" else RsaModelTransport(config)


@pytest.fixture(params=["sim", "model"])
def transport(request: pytest.FixtureRequest) -> Iterator[Transport]:
    bus = connect(request.param)
    yield bus
    bus.close()


@pytest.fixture
def device(transport: Transport) -> RsaDevice:
    return RsaDevice(transport)


def idle(bus: Transport) -> int:
    """Status once the core is idle."""
    while (status := bus.read32(regs.STATUS)) & regs.STATUS_BUSY_MASK:
        bus.wait(0.01)
    return status


def test_powers_and_reuse_of_the_key(device: RsaDevice, rng: random.Random) -> None:
    for key in (private_key(rng), private_key(rng, 63, 64)):
        assert device.load_key(key) > 0
        assert device.load_key(key) == 0
        cycles = set()
        for message in (0, 1, key.n - 1, key.p, rng.randrange(key.n)):
            result = device.private(message)
            assert result.value == pow(message, key.d, key.n)
            assert device.public(message).value == pow(message, key.e, key.n)
            cycles.add(result.total_cycles)
        assert len(cycles) == 1
    assert device.faults == 0


def test_a_key_that_the_core_has_lost_is_written_again(
    transport: Transport, rng: random.Random
) -> None:
    """By an alarm, or by another program."""
    device, key = RsaDevice(transport), private_key(rng)
    cycles = device.load_key(key)
    transport.write32(regs.CTRL, regs.CTRL_ZEROIZE_MASK)
    idle(transport)
    assert device.load_key(key) == cycles
    assert device.private(5).value == pow(5, key.d, key.n)


def test_a_new_key_leaves_nothing_of_the_old_one(rng: random.Random) -> None:
    made: list[RsaModel] = []

    class Watched(RsaModelTransport):
        def _fresh(self) -> RsaModel:
            made.append(super()._fresh())
            return made[-1]

    device = RsaDevice(Watched(CONFIG))
    device.load_key(private_key(rng), derive=True)
    assert made[-1].get("D") > 0
    key = private_key(rng)
    device.load_key(key)
    assert made[-1].get("D") == 0
    assert device.private(5).value == pow(5, key.d, key.n)


def test_both_count_the_same_cycles(rng: random.Random) -> None:
    key = private_key(rng)
    devices = [RsaDevice(connect(kind)) for kind in ("sim", "model")]
    assert len({device.load_key(key) for device in devices}) == 1
    assert len({device.private(7).exp_cycles for device in devices}) == 1
    for device in devices:
        device.close()


def test_a_count_that_is_late_is_whole(rng: random.Random) -> None:
    """A core whose loads add counts a cycle late: what the bus reads is the formula's figure."""
    own = {"QuotientTables": 1, "LoadSum": 1, "FactorSlots": 16}
    config = rsa_core("qp_systolic", 64, own, "window5", engines=2, pair=True)
    device, key = RsaDevice(SimTransport(config)), private_key(rng)
    formulas = config.programs()
    assert device.load_key(key) == formulas.program(RsaEntry.KEY, key.e)
    result = device.private(message := rng.randrange(key.n))
    assert result.value == pow(message, key.d, key.n)
    assert result.exp_cycles == formulas.program(RsaEntry.PRIVATE, key.e)
    device.close()


def test_key_and_message_cannot_be_read(transport: Transport, rng: random.Random) -> None:
    RsaDevice(transport).load_key(private_key(rng))
    for window in (*KEY_WINDOWS, regs.MESSAGE_WINDOW, regs.RESULT_WINDOW, 0xA000):
        for word in (0, 1, 1023):
            with pytest.raises(BusError):
                transport.read32(window + 4 * word)


def test_windows_end_where_the_words_end(transport: Transport) -> None:
    idle(transport)
    for window in KEY_WINDOWS[:5]:
        transport.write32(window + 4, 1)
        with pytest.raises(BusError):
            transport.write32(window + 8, 1)
    for window in (regs.E_WINDOW, regs.D_WINDOW, regs.MESSAGE_WINDOW):
        transport.write32(window + 12, 1)
        with pytest.raises(BusError):
            transport.write32(window + 16, 1)
    for address in (regs.RESULT_WINDOW, regs.STATUS, 0xF000):
        with pytest.raises(BusError):
            transport.write32(address, 1)


def test_lock_keeps_the_key_until_zeroize(transport: Transport, rng: random.Random) -> None:
    device, key = RsaDevice(transport), private_key(rng)
    device.load_key(key)
    device.lock()
    assert idle(transport) & regs.STATUS_LOCKED_MASK
    for window in KEY_WINDOWS:
        with pytest.raises(BusError):
            transport.write32(window, 3)
    with pytest.raises(BusError):
        transport.write32(regs.E_BITS, 3)
    with pytest.raises(BusError):
        transport.write32(regs.CTRL, regs.CTRL_DERIVE_MASK)
    assert device.private(5).value == pow(5, key.d, key.n)
    device.zeroize()
    status = idle(transport)
    assert not status & (regs.STATUS_LOCKED_MASK | regs.STATUS_KEY_VALID_MASK)
    assert (status & regs.STATUS_ERROR_MASK) >> regs.STATUS_ERROR_SHIFT == RsaStatus.ZEROIZED
    transport.write32(regs.P_WINDOW, 3)


def test_a_lock_that_the_core_drops_is_an_error(
    transport: Transport, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on mapped memory, where the system may ignore what the core refuses."""
    device, key, write = RsaDevice(transport), private_key(rng), transport.write32

    def drop(address: int, value: int) -> None:
        if (address, value) != (regs.CTRL, regs.CTRL_LOCK_MASK):
            write(address, value)

    device.load_key(key)
    monkeypatch.setattr(transport, "write32", drop)
    with pytest.raises(DeviceError, match="has not taken the lock"):
        device.lock()
    assert device.private(5).value == pow(5, key.d, key.n)


def test_a_lock_waits_until_the_core_is_idle(rng: random.Random) -> None:
    transport = SimTransport(CONFIG)
    device = RsaDevice(transport)
    device.load_key(private_key(rng))
    transport.write32(regs.CTRL, regs.CTRL_KEY_MASK)
    assert transport.read32(regs.STATUS) & regs.STATUS_BUSY_MASK
    device.lock()
    device.close()


def test_result_is_readable_after_success_only(transport: Transport, rng: random.Random) -> None:
    device, key = RsaDevice(transport), private_key(rng)
    device.load_key(key)
    device.private(5)
    transport.read32(regs.RESULT_WINDOW)
    transport.write32(regs.MESSAGE_WINDOW, 1)
    with pytest.raises(BusError):
        transport.read32(regs.RESULT_WINDOW)
    for word in range(4):
        transport.write32(regs.MESSAGE_WINDOW + 4 * word, 0xFFFFFFFF)
    transport.write32(regs.CTRL, regs.CTRL_START_PRIVATE_MASK)
    status = idle(transport)
    assert (status & regs.STATUS_ERROR_MASK) >> regs.STATUS_ERROR_SHIFT == RsaStatus.OPERAND
    with pytest.raises(BusError):
        transport.read32(regs.RESULT_WINDOW)


def test_a_valid_key_cannot_be_written(transport: Transport, rng: random.Random) -> None:
    device, key = RsaDevice(transport), private_key(rng)
    device.load_key(key)
    for window in KEY_WINDOWS:
        with pytest.raises(BusError):
            transport.write32(window, 1)
    for register, value in ((regs.E_BITS, 0), (regs.CTRL, regs.CTRL_DERIVE_MASK)):
        with pytest.raises(BusError):
            transport.write32(register, value)
    transport.write32(regs.CTRL, regs.CTRL_KEY_MASK)  # what it has, once more
    idle(transport)
    assert device.private(5).value == pow(5, key.d, key.n)
    device.zeroize()
    transport.write32(regs.DP_WINDOW, 1)


def test_key_from_p_q_d(transport: Transport, rng: random.Random) -> None:
    key = private_key(rng, 63, 64)
    idle(transport)

    def put(window: int, value: int, count: int) -> None:
        for word in range(count):
            transport.write32(window + 4 * word, value >> 32 * word & 0xFFFFFFFF)

    put(regs.P_WINDOW, key.p, 2)
    put(regs.Q_WINDOW, key.q, 2)
    put(regs.D_WINDOW, key.d, 4)
    put(regs.E_WINDOW, key.e, 4)
    for command in (regs.CTRL_DERIVE_MASK, regs.CTRL_KEY_MASK, regs.CTRL_START_PRIVATE_MASK):
        if command == regs.CTRL_START_PRIVATE_MASK:
            put(regs.MESSAGE_WINDOW, 77, 4)
        transport.write32(regs.CTRL, command)
        assert not idle(transport) & regs.STATUS_ERROR_MASK
    words = [transport.read32(regs.RESULT_WINDOW + 4 * word) for word in range(4)]
    assert sum(word << 32 * i for i, word in enumerate(words)) == pow(77, key.d, key.n)


def test_a_fault_is_counted_and_too_many_raise_the_alarm(
    transport: Transport, rng: random.Random
) -> None:
    """E without its highest bit: the check of the key cannot succeed, nor can any of a result."""
    device, key = RsaDevice(transport), private_key(rng)
    device.load_key(key)
    assert transport.read32(regs.FAULT_LIMIT) == 16
    transport.write32(regs.FAULT_LIMIT, 3)
    device.lock()
    with pytest.raises(BusError):
        transport.write32(regs.FAULT_LIMIT, 0)
    assert device.faults == 0
    assert not transport.read32(regs.STATUS) & regs.STATUS_ALARM_MASK


def test_a_bad_key_is_refused(device: RsaDevice, rng: random.Random) -> None:
    key = private_key(rng)
    for bad in (
        RsaPrivate(n=key.n, e=key.e, d=key.d ^ 2, p=key.p, q=key.q),
        RsaPrivate(n=key.n, e=key.e + 2, d=key.d, p=key.p, q=key.q),
    ):
        with pytest.raises(DeviceError, match="The RSA core refused the key"):
            device.load_key(bad)
        with pytest.raises(OperandError, match="No key is set up"):
            device.private(1)
    device.load_key(key)
    for message in (-1, key.n):
        with pytest.raises(OperandError, match="must be below the modulus"):
            device.private(message)


def test_a_key_of_another_size_is_refused(device: RsaDevice, rng: random.Random) -> None:
    for lengths in ((65, 64), (64, 32)):
        with pytest.raises(OperandError, match="The core takes primes of 33 to 64 bits"):
            device.load_key(private_key(rng, *lengths))


@pytest.mark.parametrize(
    ("address", "value", "message"),
    [
        (regs.ID, 1, "There is no modfab RSA core at this address"),
        (regs.VERSION, 1 << 16, "version 2 of the RSA core's register map, but the core has ver"),
    ],
)
def test_another_core_is_refused(
    address: int, value: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus = RsaModelTransport(CONFIG)
    read = bus.read32
    monkeypatch.setattr(bus, "read32", lambda a: value if a == address else read(a))
    with pytest.raises(DeviceError, match=message):
        RsaDevice(bus)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("kind", ["sim", "model"])
def test_what_was_built_can_be_read(kind: str, masked: bool) -> None:
    bus = connect(kind, rsa_core("bit_serial", 64, {"BitsPerClock": 8}, address_blinding=masked))
    capability = bus.read32(regs.CAPABILITY)
    assert bool(capability & regs.CAPABILITY_BLIND_ADDRESS_MASK) == masked
    assert capability & regs.CAPABILITY_HARDENED_MASK
    bus.close()


def test_selftest(transport: Transport, rng: random.Random) -> None:
    device, key = RsaDevice(transport), private_key(rng)
    idle(transport)
    assert not transport.read32(regs.IRQ_STATUS), "the test after reset is no operation"
    cycles = CONFIG.programs().program(RsaEntry.TEST, 0)
    assert device.selftest() == device.selftest() == cycles
    device.load_key(key)
    with pytest.raises(DeviceError, match="holds a key, and its self-test would wipe it; zeroize"):
        device.selftest()
    with pytest.raises(BusError):
        transport.write32(regs.CTRL, regs.CTRL_TEST_MASK)
    assert device.private(5).value == pow(5, key.d, key.n)
    device.zeroize()
    assert device.selftest() == cycles


def test_a_selftest_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = RsaRun(RsaStatus.TEST, 1)
    monkeypatch.setattr(RsaModel, "run", lambda *_: failed)
    with pytest.raises(SelfTestError, match="did not give the known answer of its self-test"):
        RsaDevice(connect("model")).selftest()


def test_a_dead_core_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    bus = RsaModelTransport(CONFIG)
    device = RsaDevice(bus, stall_s=0.0)
    monkeypatch.setattr(bus, "read32", lambda address: 1)
    with pytest.raises(DeviceError, match="cycle counter has not moved for 0 seconds"):
        device.zeroize()


def test_opening() -> None:
    with open_rsa_device("model", CONFIG) as device:
        assert (device.prime_bits, device.min_prime_bits) == (64, 32)
    with pytest.raises(UsageError, match="Expected --device sim, model, uio"):
        open_rsa_device("usb", CONFIG)


def test_hardware_for_shorter_primes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = RsaModelTransport(CONFIG)
    monkeypatch.setattr("modfab.host.rsa_open.open_uio", lambda path, map_bytes: opened)
    with pytest.raises(DeviceError, match="takes primes of 64 bits, but 96 are needed"):
        open_rsa_device("uio:/dev/uio0", rsa_core("bit_serial", 96))


def test_every_ending_has_its_sentence() -> None:
    assert len({code.sentence for code in RsaStatus}) == len(RsaStatus)
    assert "unknown error code 15" in status_sentence(RsaStatus, 15)


class Wrong(RsaModelTransport):
    """Says that all is well, with a changed result or without one."""

    def __init__(self) -> None:
        super().__init__(CONFIG)
        self.flip, self.hide = False, False

    def read32(self, address: int) -> int:
        value = super().read32(address)
        if self.flip and address == regs.RESULT_WINDOW:
            return value ^ 1
        if self.hide and address == regs.STATUS:
            return value & ~regs.STATUS_RESULT_VALID_MASK
        return value


def test_a_wrong_private_result_is_not_released(rng: random.Random) -> None:
    bus = Wrong()
    key = private_key(rng)
    with RsaDevice(bus) as device:
        device.load_key(key)
        bus.flip = True
        with pytest.raises(DeviceError, match="returned a wrong result, which the check caught"):
            device.private(5)
        bus.flip = False
        assert device.private(5).value == pow(5, key.d, key.n)


def test_a_result_that_is_not_valid_is_not_read(rng: random.Random) -> None:
    bus = Wrong()
    with RsaDevice(bus) as device:
        device.load_key(private_key(rng))
        bus.hide = True
        for operation in (device.private, device.public):
            with pytest.raises(DeviceError, match="ended well, but shows no valid result"):
                operation(5)
