# SPDX-License-Identifier: Apache-2.0
"""The core under test seen through cocotbext-axi: words, operands, operations."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import Any

from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

from modfab.build.core import modexp_core
from modfab.host.generated import mf_modexp_regs as regs
from modfab.models.generated.status import Status
from modfab.numbers import from_words, to_words

NUM_BITS = 40
EXP_BITS = 36
NUM_WORDS = 2
CONFIG = modexp_core("bit_serial", NUM_BITS, exp_bits=EXP_BITS)


class SlaveError(Exception):
    """The core answered with SLVERR."""


def rng_of(test: str) -> random.Random:
    """Random numbers of one test, from the printed seed."""
    return random.Random(f"{os.environ['MODFAB_SEED']}:{test}")


def odd_modulus(rng: random.Random) -> int:
    """An odd modulus of exactly NUM_BITS bits."""
    return rng.getrandbits(NUM_BITS) | 1 << (NUM_BITS - 1) | 1


def exp_cycles(exponent: int, exp_bits: int = EXP_BITS) -> int:
    """Cycles of an exponentiation as the catalogue has them."""
    return CONFIG.sequencer.exp_cycles(CONFIG.engine, CONFIG.params, exponent, exp_bits)


class Core:
    """The core under test."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), dut.clk_i, dut.rst_i)
        write, read = self.master.write_if, self.master.read_if
        self.aw, self.w, self.b = write.aw_channel, write.w_channel, write.b_channel
        self.ar, self.r = read.ar_channel, read.r_channel

    async def cycles(self, count: int) -> None:
        if count:
            await ClockCycles(self.dut.clk_i, count)

    async def reset(self) -> None:
        self.dut.rst_i.value = 1
        await self.cycles(3)
        self.dut.rst_i.value = 0
        await self.idle()

    # ---- words ----
    async def read(self, address: int) -> int:
        answer = await with_timeout(self.master.read(address, 4), 20, "us")
        if answer.resp == AxiResp.SLVERR:
            assert answer.data == bytes(4), "an error response carries data"
            raise SlaveError(hex(address))
        assert answer.resp == AxiResp.OKAY
        return int.from_bytes(answer.data, "little")

    async def write(self, address: int, value: int, num_bytes: int = 4) -> None:
        data = value.to_bytes(num_bytes, "little")
        answer = await with_timeout(self.master.write(address, data), 20, "us")
        if answer.resp == AxiResp.SLVERR:
            raise SlaveError(hex(address))
        assert answer.resp == AxiResp.OKAY

    async def refuses_read(self, address: int) -> bool:
        try:
            await self.read(address)
        except SlaveError:
            return True
        return False

    async def refuses_write(self, address: int, value: int, num_bytes: int = 4) -> bool:
        try:
            await self.write(address, value, num_bytes)
        except SlaveError:
            return True
        return False

    # ---- operands and operations ----
    async def put(self, window: int, value: int) -> None:
        for index, word in enumerate(to_words(value, NUM_WORDS)):
            await self.write(window + 4 * index, word)

    async def get(self, window: int) -> int:
        return from_words([await self.read(window + 4 * i) for i in range(NUM_WORDS)])

    async def flag(self, mask: int) -> bool:
        return bool(await self.read(regs.STATUS) & mask)

    async def idle(self) -> Status:
        """Poll until the core is not busy; return the error code."""
        for _ in range(3000):
            status = await self.read(regs.STATUS)
            if not status & regs.STATUS_BUSY_MASK:
                return Status((status & regs.STATUS_ERROR_MASK) >> regs.STATUS_ERROR_SHIFT)
        raise AssertionError("the core stays busy")

    async def load(self, base: int, exponent: int, modulus: int) -> None:
        await self.put(regs.MODULUS_WINDOW, modulus)
        await self.put(regs.BASE_WINDOW, base)
        await self.put(regs.EXPONENT_WINDOW, exponent)

    async def run(self, flags: int = regs.CTRL_START_MASK) -> Status:
        await self.write(regs.CTRL, flags)
        return await self.idle()

    async def powmod(self, base: int, exponent: int, modulus: int, exp_bits: int = EXP_BITS) -> int:
        """One whole operation, which must succeed in the catalogue's number of cycles."""
        await self.write(regs.EXP_BITS, exp_bits)
        await self.load(base, exponent, modulus)
        assert await self.run() is Status.OK
        low, high = await self.read(regs.EXP_CYCLES_LO), await self.read(regs.EXP_CYCLES_HI)
        assert low | high << 32 == exp_cycles(exponent, exp_bits)
        return await self.get(regs.RESULT_WINDOW)

    async def check_power(self, rng: random.Random) -> None:
        """A random operation gives what `pow` gives."""
        modulus = odd_modulus(rng)
        base, exponent = rng.randrange(modulus), rng.getrandbits(EXP_BITS)
        assert await self.powmod(base, exponent, modulus) == pow(base, exponent, modulus)

    def window_words(self) -> list[int]:
        """Content of the four window memories, through the simulator."""
        core = self.dut.u_core
        memories = (core.u_modulus, core.u_base, core.u_exponent, core.u_result)
        return [int(memory.mem_q[i].value) for memory in memories for i in range(NUM_WORDS)]

    # ---- stalls ----
    def stall(self, rng: random.Random, probability: float) -> None:
        """Let every channel pause at random from now on."""

        def pauses() -> Iterator[bool]:
            while True:
                yield rng.random() < probability

        for channel in (self.aw, self.w, self.b, self.ar, self.r):
            channel.set_pause_generator(pauses())


async def running_core(dut: Any) -> Core:
    """A core with a clock, out of reset and idle."""
    Clock(dut.clk_i, 10, unit="ns").start()
    dut.rst_i.value = 1
    core = Core(dut)
    await RisingEdge(dut.clk_i)
    await core.reset()
    return core


async def watch_responses(dut: Any) -> None:
    """Assert for ever that a response waits unchanged until it is taken."""
    waiting: list[int | None] = [None, None]
    while True:
        await RisingEdge(dut.clk_i)
        b_bits = int(dut.s_axi_bresp.value)
        r_bits = int(dut.s_axi_rresp.value) << 32 | int(dut.s_axi_rdata.value)
        b = (dut.s_axi_bvalid, dut.s_axi_bready, b_bits)
        r = (dut.s_axi_rvalid, dut.s_axi_rready, r_bits)
        for index, (valid, ready, bits) in enumerate((b, r)):
            if waiting[index] is not None:
                assert valid.value == 1, "a response was withdrawn"
                assert bits == waiting[index], "a waiting response changed"
            waiting[index] = bits if valid.value == 1 and ready.value == 0 else None
