# SPDX-License-Identifier: Apache-2.0
"""No access to a core at rest takes a word of its key into the registers of the word memory."""

from __future__ import annotations

import random
from pathlib import Path

from modfab.build.rsa import rsa_core
from modfab.host.generated import mf_rsa_regs as regs
from modfab.host.keys import RsaPrivate
from modfab.host.rsa_device import RsaDevice
from modfab.host.transport_sim import SimTransport
from modfab.numbers import to_words
from modfab.sim.core import RtlCore
from modfab.sim.vcd import read_wave
from tests.support.rsa_core import make_key
from tests.support.vcd import CYCLE

HALF = 64
NUM_WORDS = HALF * 2 // 32
OUTPUTS = {"word_q", "rd_data_o"}
WINDOWS = range(1, 16)  # those that are not there, too
KEY_WORDS = (0, 1, NUM_WORDS - 1, NUM_WORDS, 1023)
RESULT, MESSAGE = regs.RESULT_WINDOW >> 12, regs.MESSAGE_WINDOW >> 12


def poke(rtl: RtlCore) -> None:
    """Read and write words of every window, but those that may be: all in vain."""
    for window in WINDOWS:
        for word in KEY_WORDS:
            address = window << 12 | word << 2
            if window != RESULT:
                assert rtl.read(address) == (2, 0), hex(address)
            if window != MESSAGE:
                assert rtl.write(address, 0xFFFFFFFF) == 2, hex(address)
    assert rtl.read(regs.STATUS)[0] == rtl.read(regs.ID)[0] == 0


def held_words(path: Path, first: int, last: int) -> dict[str, list[int]]:
    """What each register behind a word memory holds in some cycles: at first, then each change."""
    wave = read_wave(path)
    ends = {code: name for name, code in wave.codes.items() if _is_output(name)}
    found: dict[str, list[int]] = {code: [0] for code in ends}
    for time, code, value in wave.changes:
        if code in found and time <= last * CYCLE:
            found[code] = [*found[code] * (time > first * CYCLE), int(value, 2)]
    return {ends[code]: words for code, words in found.items()}


def _is_output(name: str) -> bool:
    return ".u_memory.u_ram_" in name and name.rpartition(".")[2].split("[")[0] in OUTPUTS


def test_refused_accesses_move_nothing_in_a_core(rng: random.Random, tmp_path: Path) -> None:
    """Permitted ones move words of message and result."""
    path = tmp_path / "core.vcd"
    rtl = RtlCore(rsa_core("bit_serial", HALF, {"BitsPerClock": 8}), wave=path)
    device, key = RsaDevice(SimTransport(rtl)), make_key(rng, HALF, HALF)
    device.load_key(RsaPrivate(n=key.n, e=key.e, d=key.d, p=key.p, q=key.q))
    numbers = [rng.randrange(key.n), rng.getrandbits(2 * HALF)]
    numbers.append(device.private(numbers[0]).value)
    rtl.read(regs.STATUS)  # until then the result's last word is there
    first = rtl.clock
    poke(rtl)
    last = rtl.clock
    for index, word in enumerate(to_words(numbers[2], NUM_WORDS)):
        assert rtl.read(regs.RESULT_WINDOW + 4 * index) == (0, word)
    for index, word in enumerate(to_words(numbers[1], NUM_WORDS)):
        assert rtl.write(regs.MESSAGE_WINDOW + 4 * index, word) == 0
    end = rtl.clock
    rtl.close()
    held = held_words(path, first, last)
    assert {len(words) for words in held.values()} == {1}, held
    public = {word for number in numbers for word in to_words(number, NUM_WORDS)}
    for name, words in held_words(path, last, end).items():
        assert len(words) > NUM_WORDS, f"{name}: the result was not read"
        assert set(words) <= public, name
