# SPDX-License-Identifier: Apache-2.0
"""The C driver over a serial line, on a simulated board; and its errors."""

from __future__ import annotations

import os
import random
import subprocess
import termios
from dataclasses import replace
from pathlib import Path

import pytest

from modfab.build.rsa import ENTROPY_CYCLES, rsa_core
from modfab.host.transport_serial import SerialLine
from modfab.sim.board import SIMULATED, PtyBoard
from tests.host.test_c_driver import DRIVER, ROOT, compile_c
from tests.support.rsa_core import Key, make_key

CONFIG = rsa_core("bit_serial", 64, {"BitsPerClock": 8})
SOURCES = tuple(DRIVER / f"modfab_{part}.c" for part in ("bus", "key", "rsa", "serial", "line"))
TRANSFERS = 3  # of a private operation, which the public one checks
MOST_TRANSFERS = 15  # of one whose driver does not say what it is going to read
BUS_ERROR, LOCKED = 32, 38


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("c") / "rsa_serial"
    return compile_c(target, ROOT / "tests/host/c/rsa_serial.c", *SOURCES)


def numbers(key: Key) -> str:
    parts = key.parts()
    text = " ".join(f"{parts[name]:x}" for name in ("P", "Q", "DP", "DQ", "QI"))
    return f"{text} {key.e.bit_length()} {key.e:x} "


def operate(program: Path, board: PtyBoard, key: Key, messages: list[int], *more: str) -> list[str]:
    """Load the key, do private operations; status, result, transfers, repeats of each as a line."""
    text = numbers(key) + " ".join(f"{m:x}" for m in messages)
    with board:
        words = [str(program), board.path, *more]
        done = subprocess.run(words, input=text, capture_output=True, text=True, check=True)
    opened, loaded, *lines = done.stdout.splitlines()
    assert (opened, loaded) == ("0", "0")
    return lines


@pytest.mark.parametrize("faulty", [False, True], ids=["sound", "lost_and_spoilt_byte"])
def test_private_operations_take_three_transfers(
    program: Path, rng: random.Random, faulty: bool
) -> None:
    """A byte that is lost to the board, or wrong among its answers, costs one transfer more."""
    key = make_key(rng, 64, 63)
    messages = [0, 1, key.n - 1, rng.randrange(key.n)]
    board = PtyBoard(CONFIG)
    if faulty:
        board.board.lose(7500, from_board=False)
        board.board.spoil(900)  # of an operation's answers; only their checksum in REPLY tells it
    repeats = 0
    for message, line in zip(messages, operate(program, board, key, messages), strict=True):
        status, value, transfers, repeated = line.split()
        assert (int(status), int(value, 16)) == (0, pow(message, key.d, key.n))
        assert int(transfers) == TRANSFERS
        repeats = int(repeated)
    assert repeats == 2 * faulty


def test_a_key_is_loaded_where_waits_are_as_long_as_on_a_board(
    program: Path, rng: random.Random
) -> None:
    """A wait for the interrupt holds the line for longer than the core waits for random words."""
    key = make_key(rng, 64, 63)
    link = replace(SIMULATED, wait_cycles=2 * ENTROPY_CYCLES)
    (line,) = operate(program, PtyBoard(CONFIG, link), key, [key.n - 1])
    status, value, *_ = line.split()
    assert (int(status), int(value, 16)) == (0, key.n - 1)


@pytest.mark.parametrize("case", ["long_operation", "no_expectation"])
def test_more_transfers_end_well_too(program: Path, rng: random.Random, case: str) -> None:
    """The waits end before the operation, or the driver asks for one thing after the other."""
    key = make_key(rng, 64, 63)
    message = rng.randrange(key.n)
    long = case == "long_operation"
    link = replace(SIMULATED, wait_cycles=200) if long else SIMULATED
    more = () if long else ("plain",)
    (line,) = operate(program, PtyBoard(CONFIG, link), key, [message], *more)
    status, value, transfers, repeats = line.split()
    assert (int(status), int(value, 16)) == (0, pow(message, key.d, key.n))
    assert int(transfers) > TRANSFERS
    assert long or int(transfers) <= MOST_TRANSFERS
    assert int(repeats) == 0


def test_signals_disturb_no_transfer(program: Path, rng: random.Random) -> None:
    """A signal ends no wait: no transfer is repeated for it."""
    key = make_key(rng, 64, 63)
    message = rng.randrange(key.n)
    (line,) = operate(program, PtyBoard(CONFIG), key, [message], "alarm")
    status, value, transfers, repeats = line.split()
    assert (int(status), int(value, 16)) == (0, pow(message, key.d, key.n))
    assert (int(transfers), int(repeats)) == (TRANSFERS, 0)


def test_a_refused_write_fails_and_the_line_goes_on(program: Path, rng: random.Random) -> None:
    key = make_key(rng, 64, 63)
    refused, line = operate(program, PtyBoard(CONFIG), key, [5], "late")
    assert refused == "1"
    status, value, *_ = line.split()
    assert (int(status), int(value, 16)) == (0, pow(5, key.d, key.n))


def test_a_lock_and_a_close_leave_no_write_behind(program: Path, rng: random.Random) -> None:
    """A lock that nothing follows holds; a close sends a write, and tells of a refused one."""
    (line,) = operate(program, PtyBoard(CONFIG), make_key(rng, 64, 63), [], "leave")
    assert line == f"0 {LOCKED} 0 0 1"


def test_writes_without_entropy_fail(program: Path, rng: random.Random) -> None:
    """No write is dropped: the core would go on with what it had."""
    with PtyBoard(CONFIG) as board:
        words = [str(program), board.path, "dry"]
        text = numbers(make_key(rng, 64, 63))
        done = subprocess.run(words, input=text, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", str(BUS_ERROR)]


def test_the_line_is_as_the_bridge_wants_it(program: Path) -> None:
    """Whatever a program before has set: 8 data bits, one stop bit, no flow control."""
    wrong = termios.CRTSCTS | termios.CSTOPB | termios.PARENB
    with PtyBoard(CONFIG) as board:
        file = os.open(board.path, os.O_RDWR | os.O_NOCTTY)
        settings = termios.tcgetattr(file)
        settings[2] |= wrong
        termios.tcsetattr(file, termios.TCSANOW, settings)
        done = subprocess.run(
            [str(program), board.path], input="", capture_output=True, text=True, check=False
        )
        flags = termios.tcgetattr(file)[2]
        os.close(file)
    assert done.stdout == "0\n"
    assert (flags & wrong, flags & termios.CSIZE) == (0, termios.CS8)


def test_no_such_line(program: Path, tmp_path: Path) -> None:
    words = [str(program), str(tmp_path / "ttyUSB0")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, f"{BUS_ERROR}\n")


def test_a_line_is_of_one_program(program: Path) -> None:
    master, slave = os.openpty()
    line = SerialLine(Path(os.ttyname(slave)))
    words = [str(program), os.ttyname(slave)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    line.close()
    os.close(slave)
    os.close(master)
    assert (done.returncode, done.stdout) == (1, f"{BUS_ERROR}\n")


def test_not_a_line(program: Path) -> None:
    done = subprocess.run([str(program), "/dev/null"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, f"{BUS_ERROR}\n")


def test_neither_key_nor_result_stays_on_the_stack(tmp_path: Path) -> None:
    sources = [DRIVER / f"modfab_{part}.c" for part in ("bus", "serial", "line")]
    target = compile_c(tmp_path / "stack", ROOT / "tests/host/c/serial_stack.c", *sources)
    done = subprocess.run([target], capture_output=True, text=True, check=False)
    assert done.stdout == "0 failures\n"


def test_a_line_that_is_never_silent(tmp_path: Path) -> None:
    sources = [DRIVER / f"modfab_{part}.c" for part in ("bus", "serial", "line")]
    target = compile_c(tmp_path / "noise", ROOT / "tests/host/c/serial_noise.c", *sources)
    done = subprocess.run([target], capture_output=True, text=True, check=False)
    assert done.stdout == "0 failures\n"
