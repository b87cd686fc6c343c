# SPDX-License-Identifier: Apache-2.0
"""The farm's three streams and its bus, driven by cocotbext-axi under random pauses."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import (
    AxiLiteBus,
    AxiLiteMaster,
    AxiResp,
    AxiStreamBus,
    AxiStreamFrame,
    AxiStreamSink,
    AxiStreamSource,
)

from modfab.host.generated import mf_rsa_farm_regs as regs
from modfab.models.generated.status import JobStatus
from modfab.models.rsa.packets import Answer, job_words, parse_answer
from modfab.numbers import from_words, to_words
from tests.support.farm_core import HALF, NUM_WORDS, PACKET
from tests.support.rsa_core import make_key

WORD_BYTES = 4


class FarmBench:
    """The farm under test with a key and three streams."""

    def __init__(self, dut: Any, rng: random.Random) -> None:
        self.dut, self.rng = dut, rng
        clock, reset = dut.clk_i, dut.rst_i
        self.master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), clock, reset)
        jobs, answers, entropy = (
            AxiStreamBus.from_prefix(dut, name)
            for name in ("s_axis_job", "m_axis_ans", "s_axis_rnd")
        )
        self.jobs = AxiStreamSource(jobs, clock, reset, byte_lanes=WORD_BYTES)
        self.answers = AxiStreamSink(answers, clock, reset, byte_lanes=WORD_BYTES)
        self.entropy = AxiStreamSource(entropy, clock, reset, byte_lanes=WORD_BYTES)
        self.key = make_key(rng, HALF, HALF)

    async def read(self, address: int) -> int:
        answer = await with_timeout(self.master.read(address, 4), 20, "us")
        assert answer.resp == AxiResp.OKAY
        return int.from_bytes(answer.data, "little")

    async def write(self, address: int, value: int) -> None:
        answer = await with_timeout(
            self.master.write(address, value.to_bytes(4, "little")), 20, "us"
        )
        assert answer.resp == AxiResp.OKAY

    async def start(self) -> None:
        Clock(self.dut.clk_i, 10, unit="ns").start()
        self.dut.rst_i.value = 1
        await ClockCycles(self.dut.clk_i, 3)
        self.dut.rst_i.value = 0
        await self.idle()
        for name, value in self.key.parts().items():
            for index, word in enumerate(to_words(value, NUM_WORDS if name == "E" else 2)):
                await self.write(getattr(regs, f"{name}_WINDOW") + 4 * index, word)
        await self.write(regs.E_BITS, self.key.e.bit_length())
        await self.entropy.send(AxiStreamFrame(self.rng.randbytes(4 * 4000)))
        await self.write(regs.CTRL, regs.CTRL_KEY_MASK)
        await self.idle()
        await self.write(regs.ACCEPT, 1)

    async def idle(self) -> None:
        for _ in range(10_000):
            if not await self.read(regs.STATUS) & regs.STATUS_BUSY_MASK:
                return
        raise AssertionError("the farm stays busy")

    def pause(self, stream: AxiStreamSource | AxiStreamSink, probability: float) -> None:
        def pauses() -> Iterator[bool]:
            while True:
                yield self.rng.random() < probability

        stream.set_pause_generator(pauses())

    def send(self, packet: list[int]) -> None:
        data = b"".join(word.to_bytes(4, "little") for word in packet)
        self.jobs.send_nowait(AxiStreamFrame(data))

    async def answer(self) -> Answer:
        frame = await with_timeout(self.answers.recv(), 2000, "us")
        words = [int.from_bytes(frame.tdata[i : i + 4], "little") for i in range(0, 4 * PACKET, 4)]
        assert len(frame.tdata) == 4 * PACKET
        return parse_answer(words)


def bench_of(dut: Any, test: str) -> FarmBench:
    return FarmBench(dut, random.Random(f"{os.environ['MODFAB_SEED']}:{test}"))


async def watch_answers(dut: Any) -> None:
    """Assert for ever that a word of an answer waits unchanged until it is taken."""
    waiting: tuple[int, int] | None = None
    while True:
        await RisingEdge(dut.clk_i)
        offered = dut.m_axis_ans_tvalid.value == 1
        word = (
            (int(dut.m_axis_ans_tdata.value), int(dut.m_axis_ans_tlast.value)) if offered else None
        )
        if waiting is not None:
            assert (offered, word) == (True, waiting), "a word that waited has changed"
        waiting = word if offered and dut.m_axis_ans_tready.value == 0 else None


@cocotb.test()
async def every_job_is_answered_once_under_pauses(dut: Any) -> None:
    bench = bench_of(dut, "pauses")
    await bench.start()
    watcher = cocotb.start_soon(watch_answers(dut))
    for stream in (bench.jobs, bench.answers, bench.entropy):
        bench.pause(stream, 0.4)
    messages = {job_id: bench.rng.randrange(bench.key.n) for job_id in range(8)}
    for job_id, message in messages.items():
        bench.send(job_words(job_id, to_words(message, NUM_WORDS)))
    seen = []
    for _ in messages:
        answer = await bench.answer()
        seen.append(answer.job_id)
        assert answer.status is JobStatus.OK
        assert from_words(answer.words) == pow(messages[answer.job_id], bench.key.d, bench.key.n)
    assert sorted(seen) == sorted(messages)
    watcher.cancel()


@cocotb.test()
async def zeroize_while_an_answer_stands_at_the_port(dut: Any) -> None:
    bench = bench_of(dut, "zeroize")
    await bench.start()
    watcher = cocotb.start_soon(watch_answers(dut))
    bench.answers.pause = True
    for job_id in range(4):
        bench.send(job_words(job_id, to_words(job_id + 2, NUM_WORDS)))
    while dut.m_axis_ans_tvalid.value == 0:
        await RisingEdge(dut.clk_i)
    await bench.write(regs.CTRL, regs.CTRL_ZEROIZE_MASK)
    bench.answers.pause = False
    answers = [await bench.answer() for _ in range(4)]
    assert sorted(answer.job_id for answer in answers) == list(range(4))
    assert {answer.status for answer in answers} == {JobStatus.ZEROIZED}
    for answer in answers:
        assert all(word == 0 for word in answer.words[2:]), "more than the port's buffer was left"
    await bench.idle()
    watcher.cancel()
