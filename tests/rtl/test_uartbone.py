# SPDX-License-Identifier: Apache-2.0
"""The serial bridge's RTL against its model, byte by byte, through every kind of nonsense."""

from __future__ import annotations

import binascii
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from modfab.build.core import modexp_core
from modfab.host.generated import mf_modexp_regs as regs
from modfab.models import uartbone
from modfab.models.uartbone import UartboneModel
from modfab.sim.board import SIMULATED, RtlBoard, board_design
from modfab.sim.core import RtlCore

CONFIG = modexp_core("bit_serial", 40, exp_bits=36)
BYTE_CYCLES = 10 * SIMULATED.clk_hz // SIMULATED.baud
ROOM = 64
"""Bytes that the bridge keeps behind an unanswered read."""
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
def open_board(rng: random.Random) -> Iterator[RtlBoard]:
    """A board whose registers and memories are in reach."""
    design = replace(board_design(CONFIG), public=True)
    made = RtlBoard(CONFIG, seed=rng.randrange(1 << 30), design=design)
    yield made
    made.close()


@pytest.fixture
def model() -> Iterator[UartboneModel]:
    core = RtlCore(CONFIG)
    core.wait(4096)
    yield UartboneModel(core)
    core.close()


def head(kind: int, words: int, address: int) -> bytes:
    return bytes([kind, words]) + (address // 4).to_bytes(4, "big")


def summed(body: bytes, crc: int) -> bytes:
    return body + binascii.crc_hqx(body, crc).to_bytes(2, "big")


def command(rng: random.Random, kinds: tuple[int, ...] = (1, 2, 2, 3, 4)) -> bytes:
    kind, words = rng.choice(kinds), rng.choice((1, 1, 2, 3, 7))
    return head(kind, words, rng.choice(PLACES)) + (rng.randbytes(4 * words) if kind & 1 else b"")


def both(board: RtlBoard, model: UartboneModel, data: bytes) -> bytes:
    """Bytes that both answer; they must be the same."""
    wanted = model.feed(data)
    board.put(data)
    board.run((len(data) + len(wanted) + 4) * BYTE_CYCLES + 200)
    found = board.get()
    for _ in range(200):
        if len(found) >= len(wanted):
            break
        board.run(1000)
        found += board.get()
    assert found.hex() == wanted.hex()
    return wanted


def status(board: RtlBoard, model: UartboneModel) -> None:
    both(board, model, head(uartbone.READ_INCR, 4, uartbone.OWN))


def silence(board: RtlBoard, model: UartboneModel) -> None:
    """Both forget an unfinished command."""
    board.run(SIMULATED.timeout_cycles + 10)
    model.silence()


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
        read = head(uartbone.READ_INCR, 4, regs.ID)
        first = command(rng)
        while first[2] == uartbone.OWN >> 26:  # a wait would be longer than the bridge's room
            first = command(rng)
        both(board, model, first + read * rng.randrange(1, 9))
        status(board, model)


def test_checked_writes(board: RtlBoard, model: UartboneModel, rng: random.Random) -> None:
    done = 0
    both(board, model, summed(head(uartbone.CHECK_READ, 1, regs.ID), model.crc))
    both(board, model, command(rng, (uartbone.WRITE_INCR,)))  # a plain write is still taken
    status(board, model)
    for _ in range(60):
        body = command(rng, (uartbone.CHECK_INCR, uartbone.CHECK_READ, uartbone.CHECK_FIXED))
        crc = binascii.crc_hqx(body, model.crc)
        wrong = rng.choice((0, 0, 0, 1 << rng.randrange(16)))
        both(board, model, body + (crc ^ wrong).to_bytes(2, "big"))
        if wrong:
            silence(board, model)
        done += not wrong
        status(board, model)
        both(board, model, head(uartbone.READ_INCR, 2, regs.MODULUS_WINDOW))
    assert done > 10
    both(board, model, command(rng, (uartbone.WRITE_INCR,)))  # a plain one is taken no more
    silence(board, model)
    status(board, model)


def test_longest_burst(board: RtlBoard, model: UartboneModel, rng: random.Random) -> None:
    for place in (uartbone.ENTROPY, regs.MODULUS_WINDOW):
        body = head(uartbone.CHECK_FIXED, 255, place) + rng.randbytes(4 * 255)
        both(board, model, summed(body, model.crc))
        status(board, model)
        both(board, model, head(uartbone.READ_INCR, 2, place))


def test_an_unfinished_command_is_forgotten(
    board: RtlBoard, model: UartboneModel, rng: random.Random
) -> None:
    for _ in range(12):
        data = command(rng)
        while len(data) < 7:
            data = command(rng)
        both(board, model, data[: rng.randrange(1, len(data))])
        silence(board, model)
        status(board, model)
    both(board, model, head(uartbone.CHECK_READ, 1, regs.ID) + b"\0")  # half a checksum
    silence(board, model)
    status(board, model)


def test_what_is_no_command_is_skipped(
    board: RtlBoard, model: UartboneModel, rng: random.Random
) -> None:
    for _ in range(4):
        both(board, model, rng.choice((b"\0", b"\5", b"\2\0abcd")) + command(rng) * 2)
        silence(board, model)
        status(board, model)


def test_a_byte_without_a_stop_bit_ends_its_command(
    board: RtlBoard, model: UartboneModel, rng: random.Random
) -> None:
    for at_end in (False, True) * 10:
        body = command(rng, (uartbone.CHECK_INCR, uartbone.WRITE_INCR, uartbone.READ_INCR))
        data = summed(body, model.crc) if body[0] == uartbone.CHECK_INCR else body
        at = len(data) - 1 if at_end else rng.randrange(len(data))
        board.drop_stop(at + 1)
        board.put(data)
        board.run((len(data) + 1) * BYTE_CYCLES)
        assert board.get() == b"" == model.feed(data[:at])
        silence(board, model)
        status(board, model)


def full(board: RtlBoard) -> bytes:
    """A wait with as many bytes behind it as there is room for, the last four unfinished."""
    reads = head(uartbone.READ_INCR, 1, uartbone.ID) * (ROOM // 6 + 1)
    data = head(uartbone.READ_INCR, 1, uartbone.WAIT) + reads[:ROOM]
    board.put(data)
    return data


@pytest.mark.parametrize("lost", [1, 2, 7])
def test_an_overflow_at_the_end_is_forgotten(
    board: RtlBoard, model: UartboneModel, rng: random.Random, lost: int
) -> None:
    """All that there was room for is answered, and after a silence the next command is, too."""
    wanted = model.feed(full(board))
    board.put(rng.randbytes(lost))
    board.run(SIMULATED.wait_cycles + (ROOM + len(wanted)) * BYTE_CYCLES)
    assert board.get().hex() == wanted.hex()
    silence(board, model)
    status(board, model)


def test_an_overflow_without_a_silence_is_not_forgotten(
    board: RtlBoard, model: UartboneModel
) -> None:
    """Nothing behind a lost byte is done, even if the wait before it was as long as a silence."""
    wanted = model.feed(full(board))
    board.run(SIMULATED.wait_cycles + 7 * BYTE_CYCLES)  # the wait is over, its answer is sent
    board.put(head(uartbone.READ_INCR, 1, uartbone.ID) * 8)
    board.run((2 * ROOM + len(wanted)) * BYTE_CYCLES)
    assert board.get().hex() == wanted.hex()
    silence(board, model)
    status(board, model)


def test_a_spike_is_no_byte(board: RtlBoard, model: UartboneModel, rng: random.Random) -> None:
    for _ in range(20):
        board.spike(rng.randrange(1, BYTE_CYCLES // 20))
        board.run(BYTE_CYCLES)
        both(board, model, command(rng, (uartbone.READ_INCR,)))


def test_entropy_stops_at_its_room(board: RtlBoard, model: UartboneModel) -> None:
    for _ in range(3):
        both(board, model, head(uartbone.WRITE_FIXED, 255, uartbone.ENTROPY) + bytes(4 * 255))
        status(board, model)
    assert len(model.entropy) == uartbone.ENTROPY_WORDS


def test_a_wait_ends_by_itself(board: RtlBoard, model: UartboneModel) -> None:
    wait = head(uartbone.READ_INCR, 1, uartbone.WAIT)
    assert board.leds & 3 == 0
    board.put(wait)
    board.run(4 * BYTE_CYCLES)
    assert board.leds & 3 == 2, "LED 1 alone shows a command on the line"
    board.run(SIMULATED.wait_cycles // 2)
    assert board.get() == b""
    assert board.leds & 1, "busy does not show"
    board.run(SIMULATED.wait_cycles)
    assert board.get() == model.feed(wait)


def test_an_interrupt_ends_a_wait(board: RtlBoard, model: UartboneModel) -> None:
    started = ((regs.IRQ_ENABLE, 1), (regs.EXP_BITS, 0xFFFF), (regs.CTRL, regs.CTRL_START_MASK))
    for address, word in started:  # more bits than were built: it ends with an error at once
        both(board, model, head(uartbone.WRITE_INCR, 1, address) + word.to_bytes(4, "big"))
    model.irq = lambda: True
    status(board, model)
    wait = head(uartbone.READ_INCR, 1, uartbone.WAIT)
    board.put(wait)
    board.run(12 * BYTE_CYCLES)
    assert board.get() == model.feed(wait)


def test_the_button_resets(board: RtlBoard, model: UartboneModel) -> None:
    both(board, model, bytes.fromhex("01 01 0000 000b 00000001"))  # IRQ_ENABLE
    board.press(pressed=True)
    board.run(5000)
    assert board.leds == 0
    board.press(pressed=False)
    board.run(5000)
    assert board.leds & 4, "running does not show"
    board.put(head(uartbone.READ_INCR, 1, uartbone.STATUS))
    board.put(head(uartbone.READ_INCR, 1, regs.IRQ_ENABLE))
    board.run(20 * BYTE_CYCLES)
    assert board.get() == uartbone.CRC_START.to_bytes(4, "big") + bytes(4)


def keeps(board: RtlBoard) -> bool:
    """Whether anything is in the memory of checked writes, or in the register of the data."""
    found = {register.name: register for register in board.registers()}
    kept, word = (
        next(at for name, at in found.items() if name.endswith(f".u_link.{end}"))
        for end in ("u_kept.mem_q", "word_q")
    )
    assert (kept.elements, kept.element_bits) == (256, 32)
    return not (board.is_zero(kept) and board.is_zero(word))


def half_sent(board: RtlBoard, model: UartboneModel, rng: random.Random, words: int) -> bytes:
    """The rest of a checked write of which two words have come, which the bridge keeps."""
    body = head(uartbone.CHECK_INCR, words, regs.MODULUS_WINDOW) + rng.randbytes(4 * words)
    both(board, model, body[:14])
    assert keeps(board)
    return summed(body, model.crc)[14:]


def ended(board: RtlBoard, model: UartboneModel, data: bytes) -> None:
    """The end of a long command, and the time until all its words are written."""
    both(board, model, data)
    board.run(10 * BYTE_CYCLES + 20 * uartbone.MAX_BURST)


@pytest.mark.parametrize("words", [2, 5, 255])
def test_a_write_that_was_done_leaves_nothing(
    open_board: RtlBoard, model: UartboneModel, rng: random.Random, words: int
) -> None:
    board = open_board
    assert not keeps(board), "after power-up and reset"
    ended(board, model, half_sent(board, model, rng, words))
    assert not keeps(board)
    for place in (regs.EXPONENT_WINDOW, uartbone.ENTROPY, 0x10000):
        body = head(uartbone.CHECK_FIXED, words, place) + rng.randbytes(4 * words)
        ended(board, model, summed(body, model.crc))
        assert not keeps(board), hex(place)
    status(board, model)


def test_a_plain_write_leaves_nothing(
    open_board: RtlBoard, model: UartboneModel, rng: random.Random
) -> None:
    body = head(uartbone.WRITE_INCR, 3, regs.MODULUS_WINDOW) + rng.randbytes(12)
    both(open_board, model, body)
    assert not keeps(open_board)
    status(open_board, model)


@pytest.mark.parametrize("end", ["stops", "checksum", "stop_bit"])
def test_a_write_that_was_not_done_leaves_nothing_behind_a_silence(
    open_board: RtlBoard, model: UartboneModel, rng: random.Random, end: str
) -> None:
    board = open_board
    for words in (3, 255):
        rest = half_sent(board, model, rng, words)
        if end == "checksum":
            ended(board, model, rest[:-1] + bytes([rest[-1] ^ 1]))
        elif end == "stop_bit":
            board.drop_stop(len(rest))
            board.put(rest)
            board.run(2 * len(rest) * BYTE_CYCLES)
            model.bad_byte()
        silence(board, model)
        board.run(256)
        assert not keeps(board)
        status(board, model)


def test_reset_leaves_nothing_of_a_write(
    open_board: RtlBoard, model: UartboneModel, rng: random.Random
) -> None:
    half_sent(open_board, model, rng, 4)
    open_board.press(pressed=True)
    open_board.run(5000)
    open_board.press(pressed=False)
    open_board.run(5000)
    assert not keeps(open_board)
