# SPDX-License-Identifier: Apache-2.0
"""One contract for every transport: the driver behaves the same over all of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from modfab.build.core import modexp_core
from modfab.errors import DeviceError, OperandError
from modfab.host.device import Device
from modfab.host.generated import mf_modexp_regs as regs
from modfab.host.transport import BusError, Transport
from modfab.host.transport_model import ModelTransport
from modfab.host.transport_sim import SimTransport
from modfab.models.generated.status import Status
from modfab.numbers import to_words
from tests.support.fake_uio import FakeCore, FakeUio
from tests.support.lossy_line import model_transport

CONFIG = modexp_core("bit_serial", 40, exp_bits=36)
GOOD = (1 << 40) - 87

# Transports that pass the bus' error responses on; mapped memory cannot.
BUS_ERRORS = ("model", "sim", "serial")
ALL = (*BUS_ERRORS, "uio", "uio_interrupt")


def estimate(exponent: int, exp_bits: int) -> int:
    return CONFIG.sequencer.exp_cycles(CONFIG.engine, CONFIG.params, exponent, exp_bits)


@pytest.fixture(params=ALL)
def transport(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Transport]:
    if request.param == "model":
        yield ModelTransport(CONFIG)
    elif request.param == "sim":
        yield SimTransport(CONFIG)
    elif request.param == "serial":
        yield model_transport(ModelTransport(CONFIG))[0]
    else:
        core = FakeCore(tmp_path / "uio0", CONFIG)
        fake = FakeUio(tmp_path / "uio0")
        if request.param == "uio_interrupt":
            fake.interrupt = core.interrupt.fileno()
        yield fake
        fake.close()
        core.close()


bus_errors = pytest.mark.parametrize("transport", BUS_ERRORS, indirect=True)


@pytest.fixture
def device(transport: Transport) -> Iterator[Device]:
    with Device(transport, estimate) as opened:
        yield opened


def odd(rng: random.Random) -> int:
    return rng.getrandbits(40) | 1 << 39 | 1


class TestPowers:
    def test_what_was_built(self, device: Device) -> None:
        assert (device.engine, device.sequencer) == ("bit_serial", "ladder")
        assert (device.num_bits, device.exp_bits, device.num_lanes) == (40, 36, 1)

    def test_values_and_cycles(self, device: Device, rng: random.Random) -> None:
        for exp_bits in (None, 36, 20):
            modulus = odd(rng)
            base, exponent = rng.randrange(modulus), rng.getrandbits(exp_bits or 36)
            result = device.powmod(base, exponent, modulus, exp_bits)
            assert result.value == pow(base, exponent, modulus)
            assert result.exp_cycles == estimate(exponent, exp_bits or 36)
            assert result.setup_cycles == CONFIG.engine.cycles.setup(CONFIG.params)
            assert result.total_cycles >= result.exp_cycles + result.setup_cycles

    @pytest.mark.parametrize("modulus", [3, (1 << 32) + 1, (1 << 39) + 1, (1 << 40) - 1])
    def test_edges(self, device: Device, modulus: int) -> None:
        for base in (0, 1, modulus - 1):
            for exponent, exp_bits in ((0, 36), (1, 36), (0, 0), (1, 1), (2, 2), (37, 6)):
                value = device.powmod(base, exponent, modulus, exp_bits).value
                assert value == pow(base, exponent, modulus)

    def test_a_modulus_is_set_up_once(self, device: Device, rng: random.Random) -> None:
        first, second = odd(rng), odd(rng)
        setups = [bool(device.powmod(2, 3, m, 2).setup_cycles) for m in (first, first, second)]
        assert setups == [True, False, True]
        device.zeroize()
        assert device.powmod(5, 3, second, 2).setup_cycles
        assert device.powmod(5, 3, second, 2).value == 125

    def test_progress(self, device: Device) -> None:
        seen: list[tuple[int, int | None]] = []
        result = device.powmod(3, 5, GOOD, progress=lambda done, total: seen.append((done, total)))
        assert {total for _, total in seen} == {estimate(5, 36)}
        done = [cycles for cycles, _ in seen]
        assert done == sorted(done)
        assert done[-1] == result.exp_cycles


class TestErrors:
    @pytest.mark.parametrize(
        ("base", "exponent", "modulus", "exp_bits", "text"),
        [
            (2, 3, GOOD - 1, 36, Status.MOD_EVEN.sentence),
            (2, 3, 0, 36, Status.MOD_ZERO.sentence),
            (0, 3, 1, 36, Status.MOD_ONE.sentence),
            (2, 3, GOOD | 1 << 40, 36, Status.MOD_WIDE.sentence),
            (GOOD, 3, GOOD, 36, Status.OPERAND.sentence),
            (2, 3, GOOD, 37, Status.EXP_BITS.sentence),
        ],
    )
    def test_refused_by_driver_and_by_core(
        self,
        device: Device,
        monkeypatch: pytest.MonkeyPatch,
        base: int,
        exponent: int,
        modulus: int,
        exp_bits: int,
        text: str,
    ) -> None:
        with pytest.raises(OperandError) as refused:
            device.powmod(base, exponent, modulus, exp_bits)
        assert str(refused.value) == text
        with monkeypatch.context() as patch:
            patch.setattr(device, "_check_operands", lambda *operands: None)
            with pytest.raises(DeviceError) as failed:
                device.powmod(base, exponent, modulus, exp_bits)
        assert str(failed.value) == text
        assert device.powmod(2, 10, GOOD).value == 1024

    def test_zeroize_ends_an_operation(self, device: Device, transport: Transport) -> None:
        device.powmod(3, 5, GOOD, 3)
        transport.write32(regs.EXP_BITS, 36)
        transport.write32(regs.CTRL, regs.CTRL_START_MASK)
        device.zeroize()
        status = transport.read32(regs.STATUS)
        assert status & regs.STATUS_ERROR_MASK == Status.ZEROIZED << regs.STATUS_ERROR_SHIFT
        assert not status & regs.STATUS_RESULT_VALID_MASK
        assert device.powmod(3, 5, GOOD, 3).setup_cycles


@bus_errors
class TestBus:
    HOLES = (0x14, 0x1C, 0x4C, 0x80, 0xFFC, 0x5000, 0xFFFC)
    BEYOND = tuple(w + i for w in (0x1000, 0x2000, 0x3000, 0x4000) for i in (8, 0xFFC))
    READ_ONLY = (regs.ID, regs.VERSION, regs.STATUS, regs.NUM_BITS, regs.TOTAL_CYCLES_HI, 0x4000)

    def test_refused_when_idle(self, transport: Transport, device: Device) -> None:
        device.zeroize()
        for address in (*self.HOLES, *self.BEYOND, 0x2000, 0x3004, 0x4000):
            with pytest.raises(BusError, match=f"refused to be read at offset 0x{address:04X}"):
                transport.read32(address)
        for address in (*self.HOLES, *self.BEYOND, *self.READ_ONLY):
            with pytest.raises(BusError, match=f"refused to be written at offset 0x{address:04X}"):
                transport.write32(address, 0xFFFFFFFF)
        assert device.powmod(2, 10, GOOD).value == 1024

    def test_refused_while_busy(self, transport: Transport, device: Device) -> None:
        device.powmod(3, 5, GOOD)
        transport.write32(regs.CTRL, regs.CTRL_START_MASK)
        for address in (0x1000, 0x2004, 0x3000, regs.EXP_BITS, regs.NUM_WORDS, regs.CTRL):
            with pytest.raises(BusError):
                transport.write32(address, 1)
        for address in (0x1000, 0x4004):
            with pytest.raises(BusError):
                transport.read32(address)
        assert transport.read32(regs.STATUS) & regs.STATUS_BUSY_MASK
        transport.wait(60)
        assert device.powmod(3, 5, GOOD).value == 243

    def test_registers_around_an_operation(self, transport: Transport, device: Device) -> None:
        done, valid, result = (
            regs.STATUS_DONE_MASK,
            regs.STATUS_MODULUS_VALID_MASK,
            regs.STATUS_RESULT_VALID_MASK,
        )
        device.powmod(3, 5, GOOD)
        assert transport.read32(regs.STATUS) == done | valid | result
        assert transport.read32(regs.IRQ_STATUS) == 1
        transport.write32(regs.IRQ_STATUS, 1)
        assert transport.read32(regs.IRQ_STATUS) == 0
        assert transport.read32(regs.IRQ_ENABLE) == 1
        words = [transport.read32(regs.MODULUS_WINDOW + 4 * i) for i in range(2)]
        assert words == to_words(GOOD, 2)
        transport.write32(regs.MODULUS_WINDOW, words[0])
        assert transport.read32(regs.STATUS) == done | result
        transport.write32(regs.CTRL, regs.CTRL_SETUP_ONLY_MASK)
        transport.wait(60)
        assert transport.read32(regs.STATUS) == done | valid
        device.zeroize()
        assert [transport.read32(regs.MODULUS_WINDOW + 4 * i) for i in range(2)] == [0, 0]
        assert transport.read32(regs.TOTAL_CYCLES_LO) == 0
