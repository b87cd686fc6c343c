# SPDX-License-Identifier: Apache-2.0
"""What accesses do to a core or a farm at rest: none takes a word of a key out of its memories."""

from __future__ import annotations

import random
from pathlib import Path

from modfab.build.rsa import rsa_core
from modfab.host.generated import mf_rsa_farm_regs as farm_regs
from modfab.host.generated import mf_rsa_regs as regs
from modfab.host.rsa_device import RsaDevice
from modfab.host.transport_sim import SimTransport
from modfab.numbers import to_words
from modfab.sim.core import RtlCore
from modfab.sim.vcd import read_wave
from tests.support.farm_core import Bench
from tests.support.rsa_core import private_key
from tests.support.vcd import CYCLE

HALF = 64
NUM_WORDS = HALF * 2 // 32
CORE = rsa_core("bit_serial", HALF, {"BitsPerClock": 8})
OUTPUTS = {"word_q", "rd_data_o"}
WINDOWS = range(1, 16)  # those that are not there, too
KEY_WORDS = (0, 1, NUM_WORDS - 1, NUM_WORDS, 1023)
WRITABLE = (regs.IRQ_ENABLE, regs.E_BITS, regs.FAULT_LIMIT)
DELAYS = 12  # cycles from a write to a reset; an access takes fewer
RESULT, MESSAGE = regs.RESULT_WINDOW >> 12, regs.MESSAGE_WINDOW >> 12


def poke(rtl: RtlCore, taken: int | None) -> None:
    """Read and write words of every window, but those that may be: all in vain.

    Args:
        rtl: A core or a farm with a key.
        taken: The window that takes words now, if one does.
    """
    for window in WINDOWS:
        for word in KEY_WORDS:
            address = window << 12 | word << 2
            if window != RESULT:
                assert rtl.read(address) == (2, 0), hex(address)
            if window != taken:
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
    rtl = RtlCore(CORE, wave=path)
    device, key = RsaDevice(SimTransport(rtl)), private_key(rng, HALF, HALF)
    device.load_key(key)
    numbers = [rng.randrange(key.n), rng.getrandbits(2 * HALF)]
    numbers.append(device.private(numbers[0]).value)
    rtl.read(regs.STATUS)  # until then the result's last word is there
    first = rtl.clock
    poke(rtl, MESSAGE)
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


def test_refused_accesses_move_nothing_in_a_farm(rng: random.Random, tmp_path: Path) -> None:
    path = tmp_path / "farm.vcd"
    bench = Bench(2, rng, wave=path)
    bench.load()
    bench.send(2)
    bench.wait(2)
    bench.write(farm_regs.ACCEPT, 0)
    bench.idle()
    first = bench.rtl.clock
    poke(bench.rtl, None)
    last = bench.rtl.clock
    bench.rtl.close()
    held = held_words(path, first, last)
    assert len(held) == 8, "two cores, each with two copies and two registers behind them"
    assert {len(words) for words in held.values()} == {1}, held


def test_a_write_before_a_reset_of_one_cycle_has_no_effect() -> None:
    rtl = RtlCore(CORE)
    bus = SimTransport(rtl)

    def registers() -> list[int]:
        while bus.read32(regs.STATUS) & regs.STATUS_BUSY_MASK:
            rtl.wait(1000)
        return [bus.read32(one) for one in (*WRITABLE, regs.STATUS)]

    first, answered = registers(), 0
    for address in (*WRITABLE, regs.CTRL):
        for after in range(DELAYS):
            answered += rtl.write_then_reset(address, regs.CTRL_LOCK_MASK | 1, after)
            assert registers() == first, (hex(address), after)
    assert 0 < answered < (len(WRITABLE) + 1) * DELAYS
    rtl.close()
