# SPDX-License-Identifier: Apache-2.0
"""The driver against registers that misbehave, and its error texts."""

from __future__ import annotations

import pytest

from modfab.build.core import modexp_core
from modfab.errors import DeviceError, OperandError
from modfab.host.device import Device
from modfab.host.generated import mf_modexp_regs as regs
from modfab.host.transport import BusError
from modfab.host.transport_model import ModelTransport
from modfab.models.generated.status import Status

CONFIG = modexp_core("bit_serial", 40)
GOOD = (1 << 40) - 87


class Patched(ModelTransport):
    """The model with some registers that read as something else, and a log of accesses."""

    def __init__(self, **values: int) -> None:
        super().__init__(CONFIG)
        self.values = {getattr(regs, name): value for name, value in values.items()}
        self.high_words: list[int] = []
        self.written: list[int] = []
        self.closed = False

    def read32(self, address: int) -> int:
        if address == regs.EXP_CYCLES_HI and self.high_words:
            return self.high_words.pop(0)
        return self.values.get(address, super().read32(address))

    def write32(self, address: int, value: int) -> None:
        self.written.append(address)
        super().write32(address, value)

    def close(self) -> None:
        self.closed = True
        super().close()


class LeftOpen(Patched):
    """Can be read after it was closed: what did the driver leave in the core?"""

    def close(self) -> None:
        self.closed = True


def test_another_core_is_refused() -> None:
    transport = Patched(ID=0xDEADBEEF)
    with pytest.raises(DeviceError, match="no modfab core at this address"):
        Device(transport)
    assert transport.closed
    assert transport.written == []


def test_another_major_version_is_refused() -> None:
    transport = Patched(VERSION=9 << regs.VERSION_MAJOR_SHIFT)
    with pytest.raises(DeviceError, match=r"knows version 1 .* the core has version 9"):
        Device(transport)
    assert transport.closed


def test_a_later_minor_version_is_accepted() -> None:
    newer = regs.VERSION_MAJOR_VALUE << regs.VERSION_MAJOR_SHIFT | 77
    assert Device(Patched(VERSION=newer)).powmod(2, 5, GOOD).value == 32


def test_unknown_engine_and_sequencer_have_a_name() -> None:
    device = Device(Patched(CAPABILITY=0x1FEFD))
    assert (device.engine, device.sequencer) == ("unknown (253)", "unknown (254)")
    assert device.num_lanes == 1


@pytest.mark.parametrize("code", [*(s for s in Status if s is not Status.OK), 15])
def test_every_error_code_of_the_core_has_a_sentence(code: int) -> None:
    transport = Patched(STATUS=code << regs.STATUS_ERROR_SHIFT)
    known = code in set(Status)
    expected = Status(code).sentence if known else "unknown error code 15; use the modfab"
    with pytest.raises(DeviceError) as failed:
        Device(transport).powmod(2, 3, GOOD)
    assert expected in str(failed.value)


def test_a_core_that_stands_still_is_an_error() -> None:
    transport = Patched(STATUS=regs.STATUS_BUSY_MASK)
    with pytest.raises(DeviceError, match=r"counter has not moved for 0\.01 seconds"):
        Device(transport, stall_s=0.01).powmod(2, 3, GOOD)


def test_a_counter_is_read_whole_while_it_counts() -> None:
    transport = Patched(EXP_CYCLES_LO=5)
    transport.high_words = [1, 2, 2]  # it carries between the first two reads
    assert Device(transport).powmod(2, 3, GOOD).exp_cycles == 2 << 32 | 5


@pytest.mark.parametrize(
    ("operands", "text"),
    [
        ((-2, 3, GOOD, 8), "must not be negative"),
        ((2, -3, GOOD, 8), "must not be negative"),
        ((2, 3, -GOOD, 8), "must not be negative"),
        ((2, 3, GOOD, -8), "must not be negative"),
        ((2, 0x123, GOOD, 8), "The exponent has 9 bits, but 8 bits were to be processed"),
        ((2, 3, GOOD - 1, 8), "modulus is even"),
        ((0, 3, 0, 8), "modulus is zero"),
        ((0, 3, 1, 8), "modulus is one"),
        ((2, 3, GOOD << 8 | 1, 8), "more bits than the core was built for"),
        ((GOOD + 4, 3, GOOD, 8), "base is not below the modulus"),
        ((2, 3, GOOD, 41), "More exponent bits were asked for"),
    ],
)
def test_bad_operands_do_not_reach_the_core(operands: tuple[int, int, int, int], text: str) -> None:
    transport = Patched()
    device = Device(transport)
    transport.written.clear()
    with pytest.raises(OperandError, match=text) as refused:
        device.powmod(*operands)
    assert transport.written == []
    for number in operands[:3]:
        if abs(number) > 9:
            assert str(number) not in str(refused.value), "an operand is in the error text"
            assert f"{number:x}" not in str(refused.value), "an operand is in the error text"


def test_a_loaded_modulus_that_was_wiped_behind_our_back_is_loaded_again() -> None:
    transport = Patched()
    device = Device(transport)
    device.powmod(2, 3, GOOD)
    transport.write32(regs.CTRL, regs.CTRL_ZEROIZE_MASK)
    assert device.powmod(2, 5, GOOD).value == 32


def test_leaving_wipes_and_closes() -> None:
    transport = LeftOpen()
    with Device(transport) as device:
        device.powmod(2, 3, GOOD)
    assert transport.closed
    assert transport.read32(regs.MODULUS_WINDOW) == 0
    with pytest.raises(BusError):
        transport.read32(regs.RESULT_WINDOW)


def test_an_error_while_leaving_does_not_hide_the_first_one() -> None:
    transport = Patched()
    device = Device(transport, stall_s=0.01)
    transport.values[regs.STATUS] = regs.STATUS_BUSY_MASK
    with pytest.raises(KeyError), device:
        raise KeyError
    assert transport.closed


def test_an_error_while_leaving_is_reported() -> None:
    transport = Patched()
    with pytest.raises(DeviceError, match="has not moved"), Device(transport, stall_s=0.01):
        transport.values[regs.STATUS] = regs.STATUS_BUSY_MASK
    assert transport.closed


def test_the_model_refuses_writes_between_words() -> None:
    with pytest.raises(BusError, match="offset 0x1002"):
        ModelTransport(CONFIG).write32(regs.MODULUS_WINDOW + 2, 1)
