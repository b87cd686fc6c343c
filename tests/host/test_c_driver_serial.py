# SPDX-License-Identifier: Apache-2.0
"""The C driver over a serial line, on a simulated board; and its errors."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from modfab.build.rsa import rsa_core
from modfab.sim.board import PtyBoard
from tests.host.test_c_driver import DRIVER, ROOT, compile_c
from tests.support.rsa_core import make_key

CONFIG = rsa_core("bit_serial", 64, {"BitsPerClock": 8})
SOURCES = tuple(DRIVER / f"modfab_{part}.c" for part in ("bus", "key", "rsa", "serial"))
MOST_TRANSFERS = 15  # of a private operation, which the public one checks
OPEN_FAILED = 32


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("c") / "rsa_serial"
    return compile_c(target, ROOT / "tests/host/c/rsa_serial.c", *SOURCES)


@pytest.mark.parametrize("lost", [0, 700], ids=["sound", "lost_byte"])
def test_private_operations(program: Path, rng: random.Random, lost: int) -> None:
    key = make_key(rng, 64, 63)
    parts = key.parts()
    numbers = " ".join(f"{parts[name]:x}" for name in ("P", "Q", "DP", "DQ", "QI"))
    messages = [0, 1, key.n - 1, rng.randrange(key.n)]
    text = f"{numbers} {key.e.bit_length()} {key.e:x} " + " ".join(f"{m:x}" for m in messages)
    board = PtyBoard(CONFIG)
    board.board.lose(lost, from_board=False)
    with board:
        words = [str(program), board.path]
        done = subprocess.run(words, input=text, capture_output=True, text=True, check=True)
    opened, loaded, *lines = done.stdout.splitlines()
    assert (opened, loaded) == ("0", "0")
    repeats = 0
    for message, line in zip(messages, lines, strict=True):
        status, value, transfers, repeated = line.split()
        assert (int(status), int(value, 16)) == (0, pow(message, key.d, key.n))
        assert int(transfers) <= MOST_TRANSFERS
        repeats = int(repeated)
    assert (repeats > 0) == (lost > 0)


def test_no_such_line(program: Path, tmp_path: Path) -> None:
    words = [str(program), str(tmp_path / "ttyUSB0")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, f"{OPEN_FAILED}\n")


def test_not_a_line(program: Path) -> None:
    done = subprocess.run([str(program), "/dev/null"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, f"{OPEN_FAILED}\n")
