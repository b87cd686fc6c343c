# SPDX-License-Identifier: Apache-2.0
"""The FIFO of the PYNQ-Z2 overlay: every word once and in order, none without room."""

from __future__ import annotations

import ctypes
import random
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import pytest

from modfab.paths import rtl_dir
from modfab.sim.verilate import Design, build

SOURCE = rtl_dir().parent / "boards" / "pynq-z2" / "mf_pynq_entropy.v"
HARNESS = Path(__file__).resolve().parent / "pynq_entropy" / "pynq_entropy.cpp"
ROOM = 512


class RtlFifo:
    """`mf_pynq_entropy` with one AXI access at a time."""

    def __init__(self, seed: int) -> None:
        design = Design("mf_pynq_entropy", (SOURCE,), {}, str(HARNESS))
        self._library = ctypes.CDLL(str(build(design)))
        self._library.mf_open.restype = ctypes.c_void_p
        self._library.mf_r_data.restype = self._library.mf_t_data.restype = ctypes.c_uint32
        self._handle = ctypes.c_void_p(self._library.mf_open(seed))
        self.taken: list[int] = []

    def clock(
        self, *, reset_n: bool = True, write: int | None = None, read: bool = False, take: bool
    ) -> int:
        """One cycle, responses always accepted; the ready signals."""
        valid, data = write is not None, write or 0
        arguments = (int(reset_n), int(valid), ctypes.c_uint32(data), 1, int(read), 1, int(take))
        ready = int(self._library.mf_set(self._handle, *arguments))
        if take and reset_n and self._library.mf_t_valid(self._handle):
            self.taken.append(int(self._library.mf_t_data(self._handle)))
        self._library.mf_clock(self._handle)
        return ready

    def room(self) -> int:
        """A read."""
        assert self.clock(read=True, take=False) & 2
        assert self._library.mf_r_valid(self._handle)
        found = int(self._library.mf_r_data(self._handle))
        self.clock(take=False)
        assert not self._library.mf_r_valid(self._handle)
        return found

    def write(self, word: int, *, take: bool) -> None:
        """A write with its response."""
        assert self.clock(write=word, take=take) & 1
        assert self._library.mf_b_valid(self._handle)
        assert not self.clock(write=word, take=take) & 1, "one response is due"
        assert not self._library.mf_b_valid(self._handle)

    def close(self) -> None:
        self._library.mf_close(self._handle)


@pytest.fixture
def fifo(rng: random.Random) -> Iterator[RtlFifo]:
    made = RtlFifo(rng.randrange(1, 1 << 31))
    made.clock(reset_n=False, take=False)
    yield made
    made.close()


def test_every_word_once_and_in_order(fifo: RtlFifo, rng: random.Random) -> None:
    sent: deque[int] = deque()
    for _ in range(3000):
        if rng.random() < 0.5:
            word = rng.getrandbits(32)
            fifo.write(word, take=rng.random() < 0.5)
            sent.append(word)
        else:
            fifo.clock(take=True)
    for _ in range(ROOM + 4):
        fifo.clock(take=True)
    assert fifo.taken == list(sent)
    assert fifo.room() == ROOM


def test_a_full_one_drops_words_and_says_so(fifo: RtlFifo) -> None:
    assert fifo.room() == ROOM
    for word in range(ROOM + 20):
        fifo.write(word, take=False)
    assert fifo.room() == 0
    for _ in range(2 * ROOM):
        fifo.clock(take=True)
    assert fifo.taken == list(range(ROOM + 1)), "one more is in the register of the output"


def test_reset_drops_all(fifo: RtlFifo) -> None:
    for word in range(10):
        fifo.write(word, take=False)
    fifo.clock(reset_n=False, take=False)
    for _ in range(20):
        fifo.clock(take=True)
    assert fifo.taken == []
    assert fifo.room() == ROOM
