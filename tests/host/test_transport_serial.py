# SPDX-License-Identifier: Apache-2.0
"""The serial transport: few transfers, lost bytes repeated, errors that help."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from modfab.build.rsa import rsa_core
from modfab.errors import DeviceError, NoDeviceError, UsageError
from modfab.host.generated import mf_rsa_regs as regs
from modfab.host.rsa_device import RsaDevice
from modfab.host.rsa_model import RsaModelTransport
from modfab.host.transport import BusError
from modfab.host.transport_serial import SerialLine, SerialTransport, open_serial
from modfab.models import uartbone
from tests.support.lossy_line import ModelLine, model_transport
from tests.support.rsa_core import private_key

CONFIG = rsa_core("bit_serial", 64, {"BitsPerClock": 8})


@pytest.fixture
def opened() -> Iterator[tuple[RsaDevice, SerialTransport, ModelLine]]:
    transport, line = model_transport(RsaModelTransport(CONFIG))
    with RsaDevice(transport) as device:
        yield device, transport, line


def test_an_operation_takes_three_transfers(
    opened: tuple[RsaDevice, SerialTransport, ModelLine], rng: random.Random
) -> None:
    device, transport, _ = opened
    key = private_key(rng, 64, 63)
    device.load_key(key)
    for message in (0, 1, key.n - 1, rng.randrange(key.n)):
        before = transport.transfers
        assert device.private(message).value == pow(message, key.d, key.n)
        assert transport.transfers - before == 3


def test_a_count_that_carries_while_it_is_read_is_read_again(
    opened: tuple[RsaDevice, SerialTransport, ModelLine],
    rng: random.Random,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device, transport, _ = opened
    key = private_key(rng, 64, 63)
    device.load_key(key)
    cycles, command = device.private(2).exp_cycles, transport.command

    def carries(writes: Sequence[tuple[int, int]], reads: Sequence[int]) -> list[int]:
        status, before, count, after = command(writes, reads)
        return [status, before, count, after + 1]

    monkeypatch.setattr(transport, "command", carries)
    assert device.private(2).exp_cycles == cycles


@pytest.mark.parametrize("kind", ["lose_in", "lose_out", "spoil", "spoil_out"])
def test_a_lost_byte_costs_a_repeat(
    opened: tuple[RsaDevice, SerialTransport, ModelLine],
    rng: random.Random,
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device, transport, line = opened
    key = private_key(rng, 64, 63)
    device.load_key(key)
    written, write32 = list[int](), line.inner.write32

    def write(address: int, value: int) -> None:
        written.append(address)
        write32(address, value)

    monkeypatch.setattr(line.inner, "write32", write)
    device.private(2)
    undisturbed = tuple(written)
    assert regs.CTRL in undisturbed
    for count in range(1, 60):  # every byte of an operation's answers, and the first of its writes
        message, repeats = rng.randrange(key.n), transport.repeats
        written.clear()
        line.arm(kind, count)
        assert device.private(message).value == pow(message, key.d, key.n)
        assert transport.repeats == repeats + 1
        assert tuple(written) == undisturbed, "each write is done once"


def test_a_key_survives_lost_bytes(
    opened: tuple[RsaDevice, SerialTransport, ModelLine], rng: random.Random
) -> None:
    device, transport, line = opened
    for count in range(5, 500, 37):
        key = private_key(rng, 64, 63)
        line.arm("lose_in", count)
        device.load_key(key)
        assert device.private(2).value == pow(2, key.d, key.n)
    assert transport.repeats > 0


def test_entropy_fills_up_and_is_never_sent_twice(
    opened: tuple[RsaDevice, SerialTransport, ModelLine],
) -> None:
    device, transport, line = opened
    for _ in range(6):
        line.arm("lose_in", 300)
        assert device.prime_bits == transport.read32(regs.PRIME_BITS) == 64
    words = line.bridge.entropy
    assert len(words) == uartbone.ENTROPY_WORDS
    assert len(set(words)) == len(words)
    line.sent.clear()
    transport.read32(regs.PRIME_BITS)
    assert len(line.sent) == 2 * 8, "a read and the status, and no word that has no room"


def test_the_buffer_of_entropy_is_nearly_full_before_a_wait(
    opened: tuple[RsaDevice, SerialTransport, ModelLine], rng: random.Random
) -> None:
    """A wait holds the line for longer than the core waits for a word."""
    device, transport, line = opened
    key, levels = private_key(rng, 64, 63), list[int]()
    wait = line.bridge.wait

    def seen() -> None:
        levels.append(len(line.bridge.entropy))
        wait()

    line.bridge.wait = seen
    device.load_key(key)
    line.bridge.entropy.clear()
    transport.read32(regs.ID)
    assert len(line.bridge.entropy) < uartbone.ENTROPY_WORDS // 2
    device.private(2)
    assert len(levels) >= 2
    assert min(levels) >= uartbone.ENTROPY_WORDS * 3 // 4


def test_no_more_reads_than_the_bridge_keeps(
    opened: tuple[RsaDevice, SerialTransport, ModelLine],
) -> None:
    _, transport, _ = opened
    assert len(transport.command([], [regs.ID] * 7)) == 7
    with pytest.raises(ValueError, match="8 reads do not fit"):
        transport.command([], [regs.ID] * 8)


def test_refused_accesses(opened: tuple[RsaDevice, SerialTransport, ModelLine]) -> None:
    _, transport, _ = opened
    with pytest.raises(BusError, match="refused to be read at offset 0x1000"):
        transport.read32(regs.P_WINDOW)
    with pytest.raises(BusError, match="refused to be written at offset 0x0000"):
        transport.write32(regs.ID, 1)
    with pytest.raises(BusError, match="refused to be written at offset 0x20000"):
        transport.write32(0x20000, 1)
    assert transport.read32(regs.ID) == regs.ID_MAGIC_VALUE


def test_many_words_become_several_bursts(
    opened: tuple[RsaDevice, SerialTransport, ModelLine],
) -> None:
    _, transport, line = opened
    line.sent.clear()
    with pytest.raises(BusError):  # the windows of this core have 4 words
        transport.write_words(regs.MESSAGE_WINDOW, list(range(300)))
    assert bytes([uartbone.CHECK_INCR, 255]) in line.sent
    assert bytes([uartbone.CHECK_INCR, 45]) in line.sent
    with pytest.raises(BusError):
        transport.read_words(regs.RESULT_WINDOW, 300)


def test_a_dead_board_is_an_error() -> None:
    line = ModelLine(RsaModelTransport(CONFIG))
    line.dead = True
    with pytest.raises(DeviceError, match="No modfab board answers on the serial line"):
        SerialTransport(line)
    assert line.closed


def test_a_board_that_dies_is_an_error() -> None:
    transport, line = model_transport(RsaModelTransport(CONFIG))
    line.dead = True
    with pytest.raises(DeviceError, match="No modfab board answers on the serial line"):
        transport.read32(regs.ID)


def test_another_board_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    line = ModelLine(RsaModelTransport(CONFIG))
    real = uartbone.UartboneModel._read

    def other(self: uartbone.UartboneModel, address: int) -> int:
        return 0xCAFE if address == uartbone.ID else real(self, address)

    monkeypatch.setattr(uartbone.UartboneModel, "_read", other)
    with pytest.raises(DeviceError, match="no modfab board: its identification is 0x0000CAFE"):
        SerialTransport(line)


class TestOpening:
    def test_no_such_line(self, tmp_path: Path) -> None:
        with pytest.raises(NoDeviceError, match=r"cannot be opened \(No such file"):
            open_serial(str(tmp_path / "ttyUSB0"))

    def test_not_a_line(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(NoDeviceError, match="is no serial line"):
            open_serial(str(tmp_path / "file"))

    def test_a_line_is_of_one_program(self) -> None:
        master, slave = os.openpty()
        path = Path(os.ttyname(slave))
        first = SerialLine(path)
        with pytest.raises(NoDeviceError, match="is in use by another program"):
            SerialLine(path)
        first.close()
        SerialLine(path).close()
        os.close(slave)
        os.close(master)

    @pytest.mark.parametrize("rate", ["fast", "", "-3"])
    def test_the_rate_is_a_number(self, rate: str) -> None:
        with pytest.raises(UsageError, match=r"serial:/dev/ttyUSB0,3000000"):
            open_serial(f"/dev/null,{rate}")

    def test_the_rate_is_one_that_the_system_has(self) -> None:
        with pytest.raises(UsageError, match=r"but got 3000001; .* 115200, .*3000000"):
            open_serial("/dev/null,3000001")

    def test_a_line_that_another_device_keeps_busy(self) -> None:
        master, slave = os.openpty()
        line = SerialLine(Path(os.ttyname(slave)))
        os.close(slave)
        line.reply_s = 0.1
        ended = threading.Event()

        def talk() -> None:
            while not ended.is_set():
                os.write(master, b"AT\r\n" * 16)

        talking = threading.Thread(target=talk, daemon=True)
        talking.start()
        settling = threading.Thread(target=line.settle, daemon=True)
        settling.start()
        settling.join(60)
        assert not settling.is_alive(), "it waits for silence that does not come"
        ended.set()
        while talking.is_alive():
            line.receive(256, 0)
            talking.join(0.01)
        line.close()
        os.close(master)

    def test_a_line_that_takes_nothing(self) -> None:
        master, slave = os.openpty()
        line = SerialLine(Path(os.ttyname(slave)))
        line.reply_s = 0.1
        with pytest.raises(DeviceError, match=r"took no byte for 0\.1 s"):
            line.send(bytes(1 << 20))
        line.close()
        os.close(slave)
        os.close(master)

    def test_a_line_that_is_pulled_out(self) -> None:
        master, slave = os.openpty()
        line = SerialLine(Path(os.ttyname(slave)))
        os.close(slave)
        os.close(master)
        with pytest.raises(DeviceError, match="broke off"):
            line.send(b"\0" * 100)
        line.close()
        line.close()


def test_a_board_that_was_reset_meanwhile(
    opened: tuple[RsaDevice, SerialTransport, ModelLine],
) -> None:
    """Its checksum is none of ours, so which writes it has is not known."""
    _, transport, line = opened
    line.bridge.crc ^= 1
    with pytest.raises(DeviceError, match="nobody else uses or resets the board"):
        transport.write32(regs.IRQ_ENABLE, 1)
    transport.write32(regs.IRQ_ENABLE, 1)
