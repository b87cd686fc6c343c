# SPDX-License-Identifier: Apache-2.0
"""A device that is used after it was closed says so, on every transport and for every core."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from modfab.build.core import modexp_core
from modfab.build.rsa import rsa_core
from modfab.catalog import get_engine
from modfab.errors import ClosedError, DeviceError, NotWipedError, OperandError
from modfab.host.core_device import CoreDevice
from modfab.host.device import Device
from modfab.host.farm_device import FarmDevice
from modfab.host.farm_transport import SimFarmTransport
from modfab.host.rsa_device import RsaDevice
from modfab.host.rsa_model import RsaModelTransport
from modfab.host.transport import Transport
from modfab.host.transport_model import ModelTransport
from modfab.host.transport_serial import SerialLine
from modfab.host.transport_sim import SimTransport
from modfab.host.transport_uio import MmapTransport
from modfab.sim.engine import RtlEngine
from modfab.sim.rsa import RtlRsa
from tests.support.farm_core import config
from tests.support.rsa_core import private_key

MODEXP = modexp_core("bit_serial", 40, exp_bits=36)
RSA = rsa_core("bit_serial", 64, {"BitsPerClock": 8})
KEY = private_key(random.Random(1))


def mapped(tmp_path: Path) -> Transport:
    path = tmp_path / "registers"
    path.write_bytes(bytes(1 << 16))
    return MmapTransport(path, size=1 << 16)


TRANSPORTS: dict[str, Callable[[Path], Transport]] = {
    "modexp sim": lambda _: SimTransport(MODEXP),
    "modexp model": lambda _: ModelTransport(MODEXP),
    "rsa sim": lambda _: SimTransport(RSA),
    "rsa model": lambda _: RsaModelTransport(RSA),
    "farm sim": lambda _: SimFarmTransport(config(2)),
    "mapped": mapped,
}


@pytest.mark.parametrize("name", TRANSPORTS)
def test_transport(name: str, tmp_path: Path) -> None:
    bus = TRANSPORTS[name](tmp_path)
    bus.read32(0)
    bus.close()
    bus.close()
    calls: list[Callable[[], object]] = [
        lambda: bus.read32(0),
        lambda: bus.write32(0x10, 1),
        lambda: bus.wait(0.01),
    ]
    for call in calls:
        with pytest.raises(ClosedError, match=r"The device is closed: its `with` block has ended"):
            call()


def test_a_serial_line(tmp_path: Path) -> None:
    """The system gives the number of a closed file to the next one that is opened."""
    board, terminal = os.openpty()
    line = SerialLine(Path(os.ttyname(terminal)))
    line.close()
    with (tmp_path / "other").open("w+b", buffering=0) as other:
        for call in (lambda: line.send(b"secret"), lambda: line.receive(1, 0), line.settle):
            with pytest.raises(ClosedError):
                call()
        line.close()
        assert other.write(b"of its own") == len(b"of its own")
    assert (tmp_path / "other").read_bytes() == b"of its own"
    os.close(terminal)
    os.close(board)


class Breaking(ModelTransport):
    """A core that identifies itself and then says nothing more."""

    def __init__(self) -> None:
        super().__init__(MODEXP)
        self.closed = False

    def read32(self, address: int) -> int:
        if address not in (0, 4):
            raise DeviceError("The line broke off.")
        return super().read32(address)

    def close(self) -> None:
        super().close()
        self.closed = True


def test_a_device_that_breaks_while_it_is_opened_is_closed() -> None:
    transport = Breaking()
    with pytest.raises(DeviceError, match="The line broke off"):
        Device(transport)
    assert transport.closed


class Gone(RsaModelTransport):
    """A core whose line breaks off after its key was loaded."""

    gone = False

    def read32(self, address: int) -> int:
        if self.gone:
            raise DeviceError("The line broke off.")
        return super().read32(address)

    def write32(self, address: int, value: int) -> None:
        self.read32(0)
        super().write32(address, value)


def use_until_it_breaks(error: BaseException | None) -> None:
    """Load a key; then the line breaks off, and the program ends well or with an error."""
    transport = Gone(RSA)
    with RsaDevice(transport) as device:
        device.load_key(KEY)
        transport.gone = True
        if error is not None:
            raise error


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (None, "The line broke off. The core was not wiped"),
        (OperandError("The file is full."), "The file is full. The core was not wiped"),
        (KeyboardInterrupt(), "The line broke off. The core was not wiped"),
        (SystemExit(143), "The line broke off. The core was not wiped"),
    ],
)
def test_a_core_that_may_still_hold_a_key_is_told(error: BaseException | None, text: str) -> None:
    with pytest.raises(NotWipedError, match=text):
        use_until_it_breaks(error)


def test_an_error_of_the_program_goes_before_one_of_closing() -> None:
    with pytest.raises(ZeroDivisionError):
        use_until_it_breaks(ZeroDivisionError())


def test_a_core_that_nothing_was_written_to_may_break() -> None:
    transport = Gone(RSA)
    with RsaDevice(transport):
        transport.gone = True


def rsa_calls(device: CoreDevice) -> list[Callable[[], object]]:
    assert isinstance(device, RsaDevice)
    return [
        lambda: device.load_key(KEY),
        lambda: device.private(5),
        lambda: device.public(5),
        lambda: device.adopt(KEY),
        device.lock,
        lambda: device.faults,
        device.zeroize,
    ]


@pytest.mark.parametrize("kind", ["sim", "model"])
def test_exponentiator(kind: str) -> None:
    with Device(TRANSPORTS[f"modexp {kind}"](Path())) as device:
        assert device.powmod(2, 3, 101).value == 8
    for call in (
        lambda: device.powmod(2, 3, 101),
        lambda: device.powmod(-1, 3, 10),
        device.zeroize,
    ):
        with pytest.raises(ClosedError):
            call()
    device.close()


@pytest.mark.parametrize("kind", ["sim", "model"])
def test_rsa_core(kind: str) -> None:
    with RsaDevice(TRANSPORTS[f"rsa {kind}"](Path())) as device:
        device.load_key(KEY)
        assert device.private(5).value == pow(5, KEY.d, KEY.n)
    for call in rsa_calls(device):
        with pytest.raises(ClosedError):
            call()
    device.close()


def test_farm() -> None:
    with FarmDevice(SimFarmTransport(config(2))) as device:
        device.load_key(KEY)
        assert device.run([5]) == [pow(5, KEY.d, KEY.n)]
    calls: list[Callable[[], object]] = [
        lambda: device.load_key(KEY),
        lambda: device.run([5]),
        lambda: device.run([]),
        lambda: device.core(0),
        lambda: device.set_fault_limit(1000),
        device.lock,
        device.zeroize,
    ]
    for call in calls:
        with pytest.raises(ClosedError):
            call()
    device.close()


def test_simulations_without_a_bus() -> None:
    engine = get_engine("bit_serial")
    rtl, core = RtlEngine(engine, engine.resolve(32, {})), RtlRsa(RSA)
    rtl.close()
    core.close()
    core.close()
    for call in (lambda: rtl.wipe(True), lambda: core.put("C", 5), core.idle, lambda: core.status):
        with pytest.raises(DeviceError, match="The device is closed"):
            call()


def test_a_program_that_forgets_ends_with_a_traceback_not_a_crash() -> None:
    program = (
        "from modfab.host.open import open_device\n"
        "with open_device('sim', 'bit_serial', 40, 'ladder', exp_bits=36) as core:\n"
        "    pass\n"
        "core.powmod(2, 3, 101)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "modfab.errors.ClosedError: The device is closed" in done.stderr
