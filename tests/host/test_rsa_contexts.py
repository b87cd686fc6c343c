# SPDX-License-Identifier: Apache-2.0
"""Several keys in one RSA core behind its bus, RTL and golden model, through the driver."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from modfab.build.rsa import RsaCore, rsa_core
from modfab.errors import DeviceError, OperandError
from modfab.host.generated import mf_rsa_regs as regs
from modfab.host.rsa_device import RsaDevice
from modfab.host.rsa_model import RsaModelTransport
from modfab.host.transport import BusError, Transport
from modfab.models.rsa.entry import RsaEntry
from tests.host.test_rsa_device import CONFIG, connect, idle
from tests.support.rsa_core import private_key
from tests.support.rsa_hardware import Hardware

KEYS = 3
SEVERAL = rsa_core("bit_serial", 64, {"BitsPerClock": 8}, engines=2, keys=KEYS)


@pytest.fixture(params=["sim", "model"])
def transport(request: pytest.FixtureRequest) -> Iterator[Transport]:
    bus = connect(request.param, SEVERAL)
    yield bus
    bus.close()


def test_keys_side_by_side(transport: Transport, rng: random.Random) -> None:
    device = RsaDevice(transport)
    keys = [private_key(rng) for _ in range(KEYS)]
    assert (device.contexts, device.context) == (KEYS, 0)
    for context, key in enumerate(keys):
        device.choose(context)
        assert device.load_key(key) == SEVERAL.programs().program(RsaEntry.KEY, key.e)
    assert device.valid_keys == (True,) * KEYS
    for context in (0, 2, 1, 1, 0):
        before, cycles = device.context, device.choose(context)
        change = SEVERAL.programs().program(RsaEntry.CHANGE, 0)
        assert cycles == (0 if context == before else change)
        assert device.load_key(keys[context]) == 0, "it is there already"
        message = rng.randrange(keys[context].n)
        result = device.private(message).value
        assert result == pow(message, keys[context].d, keys[context].n)
    assert transport.read32(regs.CONTEXT) & regs.CONTEXT_CHOSEN_MASK == 0


def test_a_new_key_takes_one_place(transport: Transport, rng: random.Random) -> None:
    device = RsaDevice(transport)
    first, second, third = (private_key(rng) for _ in range(3))
    device.load_key(first)
    device.choose(1)
    device.load_key(second)
    device.load_key(third)
    assert device.private(5).value == pow(5, third.d, third.n)
    device.erase()
    assert device.valid_keys == (True, False, False)
    with pytest.raises(OperandError):
        device.private(5)
    device.choose(0)
    assert device.private(5).value == pow(5, first.d, first.n)
    device.zeroize()
    assert (device.valid_keys, device.context) == ((False,) * KEYS, 0)


def test_a_lock_is_of_one_context(transport: Transport, rng: random.Random) -> None:
    device, key = RsaDevice(transport), private_key(rng)
    device.load_key(key)
    device.lock()
    with pytest.raises(DeviceError, match="holds a locked key"):
        device.load_key(private_key(rng))
    device.choose(1)
    device.load_key(private_key(rng))
    locked = transport.read32(regs.KEYS) & regs.KEYS_LOCKED_MASK
    assert locked == 1 << regs.KEYS_LOCKED_SHIFT
    with pytest.raises(BusError):
        transport.write32(regs.FAULT_LIMIT, 0)
    device.choose(0)
    device.erase()
    transport.write32(regs.FAULT_LIMIT, 3)
    device.load_key(private_key(rng))


def test_a_lock_stays_with_a_context_without_a_key(
    transport: Transport, rng: random.Random
) -> None:
    device = RsaDevice(transport)
    device.choose(2)
    device.lock()
    device.choose(0)
    device.choose(2)
    with pytest.raises(DeviceError, match="holds a locked key"):
        device.load_key(private_key(rng))


def test_what_the_bus_refuses(transport: Transport, rng: random.Random) -> None:
    device = RsaDevice(transport)
    device.choose(1)
    device.load_key(private_key(rng))
    device.choose(2)
    for value in (KEYS, 4, 1 << 8):
        with pytest.raises(BusError):
            transport.write32(regs.CONTEXT, value)
    with pytest.raises(BusError):
        transport.write32(regs.KEYS, 0)
    with pytest.raises(BusError):
        transport.write32(regs.CTRL, regs.CTRL_TEST_MASK)
    with pytest.raises(DeviceError, match="would wipe it"):
        device.selftest()
    for context in (-1, KEYS):
        with pytest.raises(OperandError, match=f"key contexts 0 to 2, but {context}"):
            device.choose(context)
    transport.write32(regs.P_WINDOW, 3)  # no key is there
    device.erase()
    assert device.valid_keys == (False, True, False)


@pytest.mark.parametrize("kind", ["sim", "model"])
def test_a_core_with_one_key_has_one_context(kind: str, rng: random.Random) -> None:
    bus = connect(kind)
    device, key = RsaDevice(bus), private_key(rng)
    assert (device.contexts, device.valid_keys) == (1, (False,))
    device.load_key(key)
    assert bus.read32(regs.KEYS) == regs.KEYS_VALID_MASK & 1
    for mask in (regs.CTRL_CHANGE_MASK, regs.CTRL_ERASE_MASK):
        with pytest.raises(BusError):
            bus.write32(regs.CTRL, mask)
    with pytest.raises(BusError):
        bus.write32(regs.CONTEXT, 1)
    idle(bus)
    assert device.choose(0) == 0
    assert device.private(5).value == pow(5, key.d, key.n)
    device.erase()
    assert device.valid_keys == (False,)
    bus.close()


def test_a_program_leaves_the_keys_of_others(rng: random.Random) -> None:
    hardware, keys = Hardware(SEVERAL), [private_key(rng) for _ in range(2)]
    with RsaDevice(hardware) as first:
        first.load_key(keys[0])
        first.keep = True
    with RsaDevice(hardware) as second:
        second.choose(1)
        second.load_key(keys[1])
        second.choose(2)
    with RsaDevice(hardware) as third:
        assert third.valid_keys == (True, False, False)
        third.choose(0)
        with pytest.raises(DeviceError, match="holds another key than this one"):
            third.adopt(keys[1].public())
        with pytest.raises(OperandError, match="No key is set up"):
            third.private(2)
        third.adopt(keys[0].public())
        third.keep = True
        assert hardware.read32(regs.RESULT_WINDOW)
    with pytest.raises(BusError):
        hardware.read32(regs.RESULT_WINDOW)
    with RsaDevice(hardware) as looking:
        looking.choose(0)
    assert hardware.read32(regs.KEYS) & regs.KEYS_VALID_MASK == 1
    with RsaDevice(hardware) as using:
        using.choose(0)
        using.adopt(keys[0].public())
    assert hardware.read32(regs.KEYS) & regs.KEYS_VALID_MASK == 0


def test_a_core_that_cannot_be_emptied_is_zeroized(
    rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(context: int) -> int:
        raise DeviceError("The change did not end well.")

    hardware = Hardware(SEVERAL)
    with RsaDevice(hardware) as device:
        device.load_key(private_key(rng))
        monkeypatch.setattr(device, "choose", fails)
    assert hardware.read32(regs.KEYS) & regs.KEYS_VALID_MASK == 0


def test_keys_find_their_contexts(transport: Transport, rng: random.Random) -> None:
    """The key that was used longest ago gives way; changes cost less than set-ups."""
    device, keys = RsaDevice(transport), [private_key(rng) for _ in range(KEYS + 1)]
    key, change, leave = (
        SEVERAL.programs().program(entry, keys[0].e)
        for entry in (RsaEntry.KEY, RsaEntry.CHANGE, RsaEntry.LEAVE)
    )
    assert device.use(keys[0]) == key
    assert device.use(keys[0]) == 0
    assert [device.use(keys[number]) for number in (1, 2)] == [leave + key] * 2
    assert [device.use(keys[number]) for number in (0, 2)] == [change] * 2
    assert device.use(keys[3]) == change + key, "in the place of 1"
    assert device.context == 1
    assert device.private(5).value == pow(5, keys[3].d, keys[3].n)
    for number in (0, 2, 3):
        assert device.use(keys[number]) == change
        assert device.private(6).value == pow(6, keys[number].d, keys[number].n)
    device.choose(0)
    device.lock()
    assert device.locked_keys == (True, False, False)
    device.use(private_key(rng))
    assert device.context == 2, "the next one, where the first is locked"


def test_keys_of_others_do_not_give_way(rng: random.Random) -> None:
    hardware, keys = Hardware(SEVERAL), [private_key(rng) for _ in range(KEYS)]
    with RsaDevice(hardware) as first:
        for key in keys[:2]:
            first.use(key)
        first.keep = True
    with RsaDevice(hardware) as second:
        for key in (private_key(rng), private_key(rng)):
            second.use(key)
            assert second.context == 2
    with RsaDevice(hardware) as third:
        third.choose(2)
        third.lock()
        with pytest.raises(DeviceError, match="Every key context of the RSA core holds"):
            third.use(keys[2])
        third.choose(0)
        third.adopt(keys[0].public())


def test_one_context_takes_one_key_after_the_other(rng: random.Random) -> None:
    with RsaDevice(RsaModelTransport(CONFIG)) as device:
        for key in (private_key(rng), private_key(rng)):
            assert device.use(key) == CONFIG.programs().program(RsaEntry.KEY, key.e)
            assert device.use(key) == 0
            assert device.private(5).value == pow(5, key.d, key.n)


def test_an_older_map_has_one_context() -> None:
    class Older(RsaModelTransport):
        def read32(self, address: int) -> int:
            """As a core of register map 2.2."""
            if address in (regs.CONTEXT, regs.KEYS):
                raise BusError("read", address)
            return super().read32(address) - (address == regs.VERSION)

    with RsaDevice(Older(CONFIG)) as device:
        assert (device.contexts, device.valid_keys) == (1, (False,))
        device.lock()
        assert device.locked_keys == (True,)


def test_the_driver_takes_any_core(rng: random.Random) -> None:
    """Of one engine too, whose change does nothing but choose."""
    config: RsaCore = rsa_core("sos", 64, keys=2)
    with RsaDevice(RsaModelTransport(config)) as device:
        keys = [private_key(rng), private_key(rng)]
        for context in (0, 1):
            device.choose(context)
            device.load_key(keys[context])
        for context in (0, 1):
            device.choose(context)
            assert device.private(9).value == pow(9, keys[context].d, keys[context].n)
