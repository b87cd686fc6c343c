# SPDX-License-Identifier: Apache-2.0
"""cocotb tests of mf_modexp_axil: the bus, what it refuses, stalled channels."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from cocotb.triggers import gather

from modfab.host.generated import mf_modexp_regs as regs
from tests.rtl.axil.axil_bench import (
    EXP_BITS,
    NUM_BITS,
    Core,
    odd_modulus,
    rng_of,
    running_core,
    watch_responses,
)

CONSTANTS = {
    regs.ID: regs.ID_MAGIC_VALUE,
    regs.VERSION: regs.VERSION_MAJOR_VALUE << regs.VERSION_MAJOR_SHIFT
    | regs.VERSION_MINOR_VALUE << regs.VERSION_MINOR_SHIFT,
    regs.CAPABILITY: 1 << regs.CAPABILITY_LANES_SHIFT
    | 1 << regs.CAPABILITY_SEQUENCER_SHIFT
    | 1 << regs.CAPABILITY_ENGINE_SHIFT,
    regs.NUM_BITS: NUM_BITS,
    regs.EXP_BITS_MAX: EXP_BITS,
}
COUNTERS = (
    regs.SETUP_CYCLES,
    regs.EXP_CYCLES_LO,
    regs.EXP_CYCLES_HI,
    regs.TOTAL_CYCLES_LO,
    regs.TOTAL_CYCLES_HI,
)
RESET_VALUES = {
    **CONSTANTS,
    **dict.fromkeys(COUNTERS, 0),
    regs.CTRL: 0,
    regs.STATUS: 6 << regs.STATUS_ERROR_SHIFT,
    regs.IRQ_STATUS: 0,
    regs.IRQ_ENABLE: 0,
    regs.EXP_BITS: EXP_BITS,
    regs.NUM_WORDS: 0,
}
HOLES = (0x14, 0x1C, 0x4C, 0x7C, 0x80, 0xA4, 0x100, 0xFFC, 0x5000, 0x9000, 0xFFFC)
BEYOND = [w + 4 * i for w in (0x1000, 0x2000, 0x3000, 0x4000) for i in (2, 3, 0x3FF)]


@cocotb.test()
async def registers_after_reset(dut: Any) -> None:
    core = await running_core(dut)
    found = {address: await core.read(address) for address in RESET_VALUES}
    assert found == RESET_VALUES
    assert core.window_words() == [0] * 8


@cocotb.test()
async def low_address_bits_of_a_read_are_ignored(dut: Any) -> None:
    core = await running_core(dut)
    for address, value in CONSTANTS.items():
        for offset in (1, 2, 3):
            answer = await core.master.read(address + offset, 1)
            assert answer.data == bytes([value.to_bytes(4, "little")[offset]])


@cocotb.test()
async def refused_when_idle(dut: Any) -> None:
    core, rng = await running_core(dut), rng_of("refused")
    await core.load(*(rng.getrandbits(40) for _ in range(3)))
    before = core.window_words()
    for address in (*HOLES, *BEYOND, 0x2000, 0x2004, 0x3000, 0x3004, 0x4000, 0x4004):
        assert await core.refuses_read(address), hex(address)
    for address in (*HOLES, *BEYOND, *CONSTANTS, *COUNTERS, regs.STATUS, 0x4000, 0x4004):
        assert await core.refuses_write(address, 0xFFFFFFFF), hex(address)
    for address in (
        0x1000,
        0x2004,
        0x3000,
        regs.EXP_BITS,
        regs.NUM_WORDS,
        regs.CTRL,
        regs.IRQ_ENABLE,
    ):
        for offset, num_bytes in ((0, 1), (0, 2), (0, 3), (1, 3), (2, 2), (3, 1)):
            assert await core.refuses_write(address + offset, 1, num_bytes), hex(address)
    assert core.window_words() == before
    assert {a: await core.read(a) for a in RESET_VALUES} == RESET_VALUES


@cocotb.test()
async def refused_while_busy(dut: Any) -> None:
    core, rng = await running_core(dut), rng_of("busy")
    modulus = odd_modulus(rng)
    base, exponent = rng.randrange(modulus), rng.getrandbits(36)
    await core.powmod(1, 1, modulus)
    await core.load(base, exponent, modulus)
    await core.write(regs.CTRL, regs.CTRL_START_MASK)
    for address in (0x1000, 0x1004, 0x2000, 0x2004, 0x3000, 0x3004, regs.EXP_BITS, regs.NUM_WORDS):
        assert await core.refuses_write(address, rng.getrandbits(32)), hex(address)
    for flags in (regs.CTRL_START_MASK, regs.CTRL_SETUP_ONLY_MASK, 3):
        assert await core.refuses_write(regs.CTRL, flags)
    for address in (0x1000, 0x1004, 0x4000, 0x4004, 0x100, 0xFFC):
        assert await core.refuses_read(address), hex(address)
    for address in RESET_VALUES:
        await core.read(address)
    await core.write(regs.IRQ_ENABLE, 1)
    await core.write(regs.CTRL, 0)
    assert await core.flag(regs.STATUS_BUSY_MASK), "the operation was too short for this test"
    assert await core.idle() == 0
    assert await core.get(regs.RESULT_WINDOW) == pow(base, exponent, modulus)
    assert await core.read(regs.EXP_BITS) == EXP_BITS
    assert await core.read(regs.NUM_WORDS) == 0
    for address in (*BEYOND, 0x2000, 0x3000):  # only the result may be read
        assert await core.refuses_read(address), hex(address)
    for address in (0x4000, 0x4004):
        assert await core.refuses_write(address, 0), hex(address)
    assert await core.get(regs.RESULT_WINDOW) == pow(base, exponent, modulus)


@cocotb.test()
async def a_refused_start_starts_nothing(dut: Any) -> None:
    """Starts are sent as fast as possible across the ends of operations."""
    core = await running_core(dut)
    await core.load(2, 0, 3)
    await core.write(regs.EXP_BITS, 0)
    starts = {"seen": 0, "accepted": 0}

    async def count() -> None:
        while True:
            await core.cycles(1)
            starts["seen"] += int(dut.u_core.start.value)

    counter = cocotb.start_soon(count())
    refused = 0
    for delay in range(150):
        await core.cycles(delay % 7)
        no = await core.refuses_write(regs.CTRL, regs.CTRL_START_MASK)
        refused += no
        starts["accepted"] += not no
    await core.idle()
    counter.cancel()
    assert starts["seen"] == starts["accepted"]
    assert refused > 20
    assert starts["accepted"] > 3


@cocotb.test()
async def address_and_data_in_any_order(dut: Any) -> None:
    core, rng = await running_core(dut), rng_of("order")
    for late in (core.aw, core.w) * 4:
        word = rng.getrandbits(32)
        late.pause = True
        task = cocotb.start_soon(core.write(regs.MODULUS_WINDOW, word))
        await core.cycles(rng.randrange(5, 20))
        assert not task.done()
        assert await core.read(regs.ID) == CONSTANTS[regs.ID], "a half write stops reads"
        late.pause = False
        await task
        assert await core.read(regs.MODULUS_WINDOW) == word


@cocotb.test()
async def a_stalled_response_stops_its_own_channel_only(dut: Any) -> None:
    core = await running_core(dut)
    watcher = cocotb.start_soon(watch_responses(dut))
    core.b.pause = True
    writes = [cocotb.start_soon(core.write(0x1000 + 4 * i, 7 + i)) for i in range(2)]
    for _ in range(5):
        assert await core.read(regs.NUM_BITS) == NUM_BITS
    assert not any(task.done() for task in writes)
    core.b.pause = False
    for task in writes:
        await task
    core.r.pause = True
    reads = [cocotb.start_soon(core.read(0x1000 + 4 * i)) for i in range(2)]
    for i in range(5):
        await core.write(0x2000, i)
    assert not any(task.done() for task in reads)
    core.r.pause = False
    assert [await task for task in reads] == [7, 8]
    watcher.cancel()


@cocotb.test()
async def reads_and_writes_take_turns(dut: Any) -> None:
    core = await running_core(dut)
    order: list[str] = []

    async def read() -> None:
        await core.read(regs.STATUS)
        order.append("r")

    async def write(value: int) -> None:
        await core.write(0x1000, value)
        order.append("w")

    accesses = [read() for _ in range(20)] + [write(i) for i in range(20)]
    await gather(*accesses)
    both_wait = "".join(order[:36])
    assert "rrr" not in both_wait
    assert "www" not in both_wait


@cocotb.test()
async def an_access_takes_five_cycles(dut: Any) -> None:
    core = await running_core(dut)
    clock = {"count": 0}
    first: dict[str, int] = {}

    async def watch() -> None:
        while True:
            await core.cycles(1)
            clock["count"] += 1
            for name in ("arvalid", "rvalid", "awvalid", "wvalid", "bvalid"):
                if getattr(dut, f"s_axi_{name}").value == 1:
                    first.setdefault(name, clock["count"])

    watcher = cocotb.start_soon(watch())
    await core.read(regs.MODULUS_WINDOW)
    await core.write(regs.MODULUS_WINDOW, 1)
    watcher.cancel()
    assert first["rvalid"] - first["arvalid"] == 6
    assert first["bvalid"] - max(first["awvalid"], first["wvalid"]) == 6


async def _noise(core: Core, rng: random.Random, words: dict[int, int]) -> None:
    """Accesses that are answered or refused, but never change an operation."""
    while True:
        address, value = rng.choice(list(CONSTANTS.items()))
        assert await core.read(address) == value
        await core.refuses_read(rng.choice((*HOLES, *BEYOND, 0x1000, 0x2000, 0x4000)))
        same = rng.choice(list(words))
        await core.refuses_write(rng.choice((*HOLES, same)), words[same])


@cocotb.test()
async def operations_with_every_channel_stalled(dut: Any) -> None:
    core, rng = await running_core(dut), rng_of("stalls")
    watcher = cocotb.start_soon(watch_responses(dut))
    for probability in (0.3, 0.8):
        core.stall(rng, probability)
        modulus = odd_modulus(rng)
        base, exponent = rng.randrange(modulus), rng.getrandbits(12)
        await core.write(regs.EXP_BITS, 12)
        await core.load(base, exponent, modulus)
        words = {0x1000: modulus & 0xFFFFFFFF, 0x2004: base >> 32, 0x3000: exponent}
        await core.write(regs.CTRL, regs.CTRL_START_MASK)
        noise = cocotb.start_soon(_noise(core, rng, words))
        assert await core.idle() == 0
        noise.cancel()
        assert await core.get(regs.RESULT_WINDOW) == pow(base, exponent, modulus)
    watcher.cancel()
