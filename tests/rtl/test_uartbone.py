# SPDX-License-Identifier: Apache-2.0
"""The serial bridge's RTL against its model, byte by byte, through every kind of nonsense."""

from __future__ import annotations

import binascii
import random
from collections.abc import Iterator

import pytest

from modfab.build.core import modexp_core
from modfab.host.generated import mf_modexp_regs as regs
from modfab.models import uartbone
from modfab.models.uartbone import UartboneModel
from modfab.sim.board import SIMULATED, RtlBoard
from modfab.sim.core import RtlCore

CONFIG = modexp_core("bit_serial", 40, exp_bits=36)
BYTE_CLOCKS = 10 * SIMULATED.clk_hz // SIMULATED.baud
PLACES = (
    *(regs.ID, regs.VERSION, regs.EXP_BITS, regs.IRQ_ENABLE, 0xFFFC, 0x10000),
    *(regs.MODULUS_WINDOW, regs.BASE_WINDOW, regs.EXPONENT_WINDOW, regs.RESULT_WINDOW, 1 << 28),
    *(uartbone.ID, uartbone.STATUS, uartbone.ENTROPY, uartbone.WAIT + 4, uartbone.OWN + 0x10000),
    *(1 << 32, 1 << 33, uartbone.OWN + (1 << 32)),  # an address counts words: it has two bits more
)


@pytest.fixture
def board(rng: random.Random) -> Iterator[RtlBoard]:
    made = RtlBoard(CONFIG, seed=rng.randrange(1 << 30))
    yield made
    made.close()


@pytest.fixture
def model() -> Iterator[UartboneModel]:
    core = RtlCore(CONFIG)
    core.wait(4096)
    yield UartboneModel(core)
    core.close()


def command(rng: random.Random, kinds: tuple[int, ...] = (1, 2, 2, 3, 4)) -> bytes:
    kind, words = rng.choice(kinds), rng.choice((1, 1, 2, 3, 7))
    head = bytes([kind, words]) + (rng.choice(PLACES) // 4).to_bytes(4, "big")
    return head + (rng.randbytes(4 * words) if kind & 1 else b"")


def both(board: RtlBoard, model: UartboneModel, data: bytes) -> bytes:
    """Bytes that both answer; they must be the same."""
    wanted = model.feed(data)
    board.put(data)
    board.run((len(data) + len(wanted) + 4) * BYTE_CLOCKS + 200)
    found = board.get()
    for _ in range(200):
        if len(found) >= len(wanted):
            break
        board.run(1000)
        found += board.get()
    assert found.hex() == wanted.hex()
    return wanted


def status(board: RtlBoard, model: UartboneModel) -> None:
    both(board, model, bytes([uartbone.READ_INCR, 4]) + (uartbone.OWN // 4).to_bytes(4, "big"))


def test_commands(board: RtlBoard, model: UartboneModel, rng: random.Random) -> None:
    for _ in range(150):
        both(board, model, command(rng))
        status(board, model)
        model.silence()
    assert model.refused_writes > 0
    assert model.refused_reads > 0
    assert board.bad_stops == 0


def test_commands_back_to_back(board: RtlBoard, model: UartboneModel, rng: random.Random) -> None:
    for _ in range(20):
        head = bytes([uartbone.READ_INCR, 4]) + (regs.ID // 4).to_bytes(4, "big")
        first = command(rng)
        while first[2] == uartbone.OWN >> 26:  # a wait would be longer than the bridge's room
            first = command(rng)
        both(board, model, first + head * rng.randrange(1, 9))
        status(board, model)


def test_checked_writes(board: RtlBoard, model: UartboneModel, rng: random.Random) -> None:
    done = 0
    read = bytes([uartbone.CHECK_READ, 1]) + (regs.ID // 4).to_bytes(4, "big")
    both(board, model, read + binascii.crc_hqx(read, model.crc).to_bytes(2, "big"))
    both(board, model, command(rng, (uartbone.WRITE_INCR,)))  # plain ones still are
    status(board, model)
    for _ in range(60):
        body = command(rng, (uartbone.CHECK_INCR, uartbone.CHECK_READ, uartbone.CHECK_FIXED))
        crc = binascii.crc_hqx(body, model.crc)
        wrong = rng.choice((0, 0, 0, 1 << rng.randrange(16)))
        both(board, model, body + (crc ^ wrong).to_bytes(2, "big"))
        if wrong:
            board.run(SIMULATED.timeout_cycles + 10)
            model.silence()
        done += not wrong
        status(board, model)
        words = bytes([uartbone.READ_INCR, 2]) + (regs.MODULUS_WINDOW // 4).to_bytes(4, "big")
        both(board, model, words)
    assert done > 10
    both(board, model, command(rng, (uartbone.WRITE_INCR,)))  # a plain one is taken no more
    board.run(SIMULATED.timeout_cycles + 10)
    model.silence()
    status(board, model)


def test_longest_burst(board: RtlBoard, model: UartboneModel, rng: random.Random) -> None:
    for place in (uartbone.ENTROPY, regs.MODULUS_WINDOW):
        body = bytes([uartbone.CHECK_FIXED, 255]) + (place // 4).to_bytes(4, "big")
        body += rng.randbytes(4 * 255)
        both(board, model, body + binascii.crc_hqx(body, model.crc).to_bytes(2, "big"))
        status(board, model)
        both(board, model, bytes([uartbone.READ_INCR, 2]) + (place // 4).to_bytes(4, "big"))


def test_an_unfinished_command_is_forgotten(
    board: RtlBoard, model: UartboneModel, rng: random.Random
) -> None:
    for _ in range(12):
        data = command(rng)
        while len(data) < 7:
            data = command(rng)
        both(board, model, data[: rng.randrange(1, len(data))])
        board.run(SIMULATED.timeout_cycles + 10)
        model.silence()
        status(board, model)
    read = bytes([uartbone.CHECK_READ, 1]) + (regs.ID // 4).to_bytes(4, "big")
    both(board, model, read + b"\0")  # half a checksum
    board.run(SIMULATED.timeout_cycles + 10)
    model.silence()
    status(board, model)


def test_what_is_no_command_is_skipped(
    board: RtlBoard, model: UartboneModel, rng: random.Random
) -> None:
    for _ in range(4):
        both(board, model, rng.choice((b"\0", b"\5", b"\2\0abcd")) + command(rng) * 2)
        board.run(SIMULATED.timeout_cycles + 10)
        model.silence()
        status(board, model)


def test_a_byte_without_a_stop_bit_ends_its_command(
    board: RtlBoard, model: UartboneModel, rng: random.Random
) -> None:
    for at_end in (False, True) * 10:
        body = command(rng, (uartbone.CHECK_INCR, uartbone.WRITE_INCR, uartbone.READ_INCR))
        checked = body[0] == uartbone.CHECK_INCR
        data = body + binascii.crc_hqx(body, model.crc).to_bytes(2, "big") * checked
        at = len(data) - 1 if at_end else rng.randrange(len(data))
        board.drop_stop(at + 1)
        board.put(data)
        board.run((len(data) + 1) * BYTE_CLOCKS + SIMULATED.timeout_cycles + 10)
        assert board.get() == b"" == model.feed(data[:at])
        model.silence()
        status(board, model)


def test_a_spike_is_no_byte(board: RtlBoard, model: UartboneModel, rng: random.Random) -> None:
    for _ in range(20):
        board.spike(rng.randrange(1, BYTE_CLOCKS // 20))
        board.run(BYTE_CLOCKS)
        both(board, model, command(rng, (uartbone.READ_INCR,)))


def test_entropy_stops_at_its_room(board: RtlBoard, model: UartboneModel) -> None:
    head = bytes([uartbone.WRITE_FIXED, 255]) + (uartbone.ENTROPY // 4).to_bytes(4, "big")
    for _ in range(3):
        both(board, model, head + bytes(4 * 255))
        status(board, model)
    assert len(model.entropy) == uartbone.ENTROPY_WORDS


def test_a_wait_ends_by_itself(board: RtlBoard, model: UartboneModel) -> None:
    head = bytes([uartbone.READ_INCR, 1]) + (uartbone.WAIT // 4).to_bytes(4, "big")
    assert board.leds & 3 == 0
    board.put(head)
    board.run(4 * BYTE_CLOCKS)
    assert board.leds & 3 == 2, "a command on the line does not show, or as busy"
    board.run(SIMULATED.wait_cycles // 2)
    assert board.get() == b""
    assert board.leds & 1, "busy does not show"
    board.run(SIMULATED.wait_cycles)
    assert board.get() == model.feed(head)


def test_an_interrupt_ends_a_wait(board: RtlBoard, model: UartboneModel) -> None:
    started = ((regs.IRQ_ENABLE, 1), (regs.EXP_BITS, 0xFFFF), (regs.CTRL, regs.CTRL_START_MASK))
    for address, word in started:  # more bits than were built: it ends with an error at once
        head = bytes([uartbone.WRITE_INCR, 1]) + (address // 4).to_bytes(4, "big")
        both(board, model, head + word.to_bytes(4, "big"))
    model.irq = lambda: True
    status(board, model)
    head = bytes([uartbone.READ_INCR, 1]) + (uartbone.WAIT // 4).to_bytes(4, "big")
    board.put(head)
    board.run(12 * BYTE_CLOCKS)
    assert board.get() == model.feed(head)


def test_the_button_resets(board: RtlBoard, model: UartboneModel) -> None:
    both(board, model, bytes.fromhex("01 01 0000 000b 00000001"))  # IRQ_ENABLE
    board.press(pressed=True)
    board.run(5000)
    assert board.leds == 0
    board.press(pressed=False)
    board.run(5000)
    assert board.leds & 4, "running does not show"
    head = bytes([uartbone.READ_INCR, 1])
    board.put(head + (uartbone.STATUS // 4).to_bytes(4, "big"))
    board.put(head + (regs.IRQ_ENABLE // 4).to_bytes(4, "big"))
    board.run(20 * BYTE_CLOCKS)
    assert board.get() == uartbone.CRC_START.to_bytes(4, "big") + bytes(4)
