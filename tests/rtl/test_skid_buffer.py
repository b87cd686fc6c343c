# SPDX-License-Identifier: Apache-2.0
"""The stream buffers against their model, cycle by cycle, through resets and changed bits."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from modfab.models.stream import Skid
from modfab.paths import rtl_dir
from modfab.sim.verilate import Design, build

WIDTH_BITS = 33
HARNESS = Path(__file__).resolve().parent / "skid" / "skid.cpp"


PLAIN, VOTED = "mf_skid_buffer", "mf_rsa_farm_skid"
FILES = {
    PLAIN: ("common/mf_skid_buffer.sv",),
    VOTED: ("farm/mf_rsa_farm_vote.sv", "farm/mf_rsa_farm_skid.sv"),
}
SPILL = {PLAIN: ("", b"spill_q"), VOTED: (".u_spill", b"word_q")}
"""Scope and name of what the second place holds."""
FORMS = ("word_q", "inverse_q", "masked_q", "mask_q")


class RtlSkid:
    """A buffer with its inputs as arguments of `step`."""

    def __init__(self, top: str, seed: int) -> None:
        files = tuple(rtl_dir() / file for file in FILES[top])
        design = Design(top, files, {}, str(HARNESS), public=True)
        self._top = top
        self._library = ctypes.CDLL(str(build(design)))
        self._library.mf_open.restype = ctypes.c_void_p
        self._library.mf_out_data.restype = ctypes.c_uint64
        self._library.mf_word.restype = ctypes.c_uint64
        self._handle = ctypes.c_void_p(self._library.mf_open(seed))

    def step(self, reset: bool, item: int | None, data: int, ready: bool) -> None:
        """One cycle; without an item `data` is on the wires all the same."""
        valid, word = item is not None, data if item is None else item
        inputs = (int(reset), int(valid), ctypes.c_uint64(word), int(ready))
        self._library.mf_step(self._handle, *inputs)

    def state(self) -> tuple[bool, list[int], list[int]]:
        """Whether it takes a word; the words of the places, and those of the full ones alone."""
        ready = bool(self._library.mf_in_ready(self._handle))
        valid = bool(self._library.mf_out_valid(self._handle))
        words = [int(self._library.mf_out_data(self._handle))]
        scope, name = SPILL[self._top]
        spill = self._library.mf_word(self._handle, f"TOP.{self._top}{scope}".encode(), name)
        words.append(int(spill) & (1 << WIDTH_BITS) - 1)
        return ready, words, words[: valid + (not ready)]

    def flip(self, place: str, form: str, bit: int) -> None:
        """Change a bit of one form of a place of `VOTED`."""
        scope = f"TOP.{self._top}.{place}".encode()
        self._library.mf_flip(self._handle, scope, form.encode(), bit)

    def close(self) -> None:
        self._library.mf_close(self._handle)


@pytest.fixture(params=FILES)
def rtl(request: pytest.FixtureRequest, rng: random.Random) -> Iterator[RtlSkid]:
    made = RtlSkid(request.param, rng.randrange(1, 1 << 31))
    yield made
    made.close()


@pytest.mark.parametrize("rtl", FILES, indirect=True)
def test_every_cycle_is_the_models(rtl: RtlSkid, rng: random.Random) -> None:
    _compare(rtl, rng, changes=False)


@pytest.mark.parametrize("rtl", [VOTED], indirect=True)
def test_a_changed_bit_each_cycle_changes_nothing(rtl: RtlSkid, rng: random.Random) -> None:
    _compare(rtl, rng, changes=True)


def _compare(rtl: RtlSkid, rng: random.Random, changes: bool) -> None:
    model, offered, full_at_reset = Skid[int](), None, 0
    for cycle in range(4000):
        reset = cycle == 0 or rng.random() < 0.05
        if offered is None and rng.random() < 0.7:
            offered = rng.getrandbits(WIDTH_BITS)
        ready = rng.random() < 0.5
        if changes and cycle:
            form = rng.choice(FORMS)
            bit = 0 if form == "mask_q" else rng.randrange(WIDTH_BITS + 1)
            rtl.flip(rng.choice(("u_out", "u_spill")), form, bit)
        rtl.step(reset, offered, rng.getrandbits(WIDTH_BITS), ready)
        if reset:
            full_at_reset += len(model.places) == 2
            model, offered = Skid[int](), None
        elif model.step(offered, ready):
            offered = None
        in_ready, words, held = rtl.state()
        assert in_ready == model.ready
        assert held == model.places
        assert words == [*model.places, *[0] * (2 - len(model.places))], "an empty place is zero"
    assert full_at_reset > 5
