# SPDX-License-Identifier: Apache-2.0
"""A simulated farm with a key, its jobs and answers, and the same in the model of its schedule."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path

from modfab.build.farm import FarmCore, farm_core
from modfab.host.generated import mf_rsa_farm_regs as regs
from modfab.models.generated.status import JobStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.farm import Farm, Word
from modfab.models.rsa.farm_member import Outcome
from modfab.models.rsa.packets import Answer, job_words, parse_answer
from modfab.numbers import from_words, to_words
from modfab.sim.farm import Beat, RtlFarm, farm_design
from tests.support.rsa_core import Key, load, make_key, make_model, ok, operate

HALF = 64
NUM_WORDS = 4
PACKET = NUM_WORDS + 1
ID_BITS = 14  # fewer than there can be: the others are reserved
LIMIT = 10**7


def config(cores: int, id_bits: int = ID_BITS, half: int = HALF) -> FarmCore:
    small = farm_core("bit_serial", half, cores, {"BitsPerClock": 8})
    return FarmCore(small.rsa, cores, id_bits)


class Bench:
    """A farm in the simulator, used over its bus and its queue.

    Builds take longer than tests: those of three cores all show their registers, so that tests
    with and without faults share one.
    """

    def __init__(
        self,
        cores: int,
        rng: random.Random,
        farm: FarmCore | None = None,
        wave: Path | None = None,
    ) -> None:
        self.config = farm or config(cores)
        design = farm_design(self.config) if cores == 3 and wave is None else None
        self.rtl = RtlFarm(self.config, wave, design=design)
        self.cores, self.rng = cores, rng
        half = self.config.num_bits // 2
        self.key = make_key(rng, half, half)
        self.num_words = self.config.num_words
        self.packet = self.num_words + 1
        self.sent: dict[int, int] = {}

    # ---- bus ----
    def read(self, address: int) -> int:
        response, data = self.rtl.read(address)
        assert response == 0, hex(address)
        return data

    def write(self, address: int, value: int) -> None:
        assert self.rtl.write(address, value) == 0, hex(address)

    def idle(self) -> None:
        for _ in range(LIMIT // 100):
            if not self.read(regs.STATUS) & regs.STATUS_BUSY_MASK:
                return
            self.rtl.run(100)
        raise AssertionError("the farm stays busy")

    def put_key(self, key: Key) -> None:
        for name, value in key.parts().items():
            words = self.num_words if name == "E" else self.num_words // 2
            for index, word in enumerate(to_words(value, words)):
                self.write(getattr(regs, f"{name}_WINDOW") + 4 * index, word)
        self.write(regs.E_BITS, key.e.bit_length())

    def load(self) -> None:
        """Set the key up in all cores, in place of the one that is there, and take jobs."""
        self.write(regs.ACCEPT, 0)
        self.idle()
        self.write(regs.CTRL, regs.CTRL_ZEROIZE_MASK)
        self.idle()
        self.put_key(self.key)
        self.write(regs.CTRL, regs.CTRL_KEY_MASK)
        self.idle()
        assert self.read(regs.SERVICE) == (1 << self.cores) - 1
        self.write(regs.ACCEPT, 1)

    def core(self, index: int, register: int) -> int:
        self.write(regs.SELECT, index)
        return self.read(register)

    # ---- queue ----
    def message(self) -> int:
        return self.rng.randrange(self.key.n)

    def send(self, count: int) -> None:
        """Jobs with random messages and the next ids."""
        for _ in range(count):
            job_id = len(self.sent)
            self.sent[job_id] = self.message()
            self.rtl.send(job_words(job_id, to_words(self.sent[job_id], self.num_words)))

    def wait(self, count: int) -> list[Answer]:
        """All answers once there are so many; the good ones must be right."""
        beats = self.packet * count
        assert self.rtl.run_until(beats, LIMIT) >= beats, "an answer is missing"
        return self.answers()

    def answers(self) -> list[Answer]:
        """Every answer so far, each right or without a result."""
        answers = [self.answer_of(packet) for packet in self.packets()]
        for answer in answers:
            self.check(answer)
        return answers

    @staticmethod
    def answer_of(packet: Sequence[Beat]) -> Answer:
        return parse_answer([beat.data for beat in packet])

    def check(self, answer: Answer) -> None:
        """The result is right, or zero when the job did not end well."""
        good = answer.status is JobStatus.OK
        base = self.sent.get(answer.job_id, 0)
        right = pow(base, self.key.d, self.key.n) if good else 0
        assert from_words(answer.words) == right, answer

    def packets(self) -> list[list[Beat]]:
        """The answers that are complete."""
        beats = self.rtl.answer_beats()
        whole = len(beats) // self.packet
        packets = [beats[self.packet * i : self.packet * (i + 1)] for i in range(whole)]
        for packet in packets:
            assert [beat.last for beat in packet] == [False] * self.num_words + [True]
        return packets


Prepare = Callable[[Bench], None]


class Stage:
    """A farm of three cores that goes back to where a test begins.

    That is where its key is set up, or what a test prepares, which is simulated once.
    Key and messages depend on the printed seed and a name.
    """

    def __init__(self, name: str) -> None:
        self._bench = Bench(3, random.Random(f"{os.environ['MODFAB_SEED']}:{name}"))
        self._places: dict[Prepare, tuple[int, dict[int, int], random.Random]] = {}
        self._keep(Bench.load)

    def _keep(self, prepare: Prepare) -> None:
        prepare(self._bench)
        self._places[prepare] = (
            self._bench.rtl.save(),
            dict(self._bench.sent),
            copy(self._bench.rng),
        )

    def bench(self, prepare: Prepare = Bench.load) -> Bench:
        """The farm as `prepare` leaves it."""
        if prepare not in self._places:
            self.bench()
            self._keep(prepare)
        number, sent, rng = self._places[prepare]
        self._bench.rtl.restore(number)
        self._bench.sent, self._bench.rng = dict(sent), copy(rng)
        return self._bench

    def close(self) -> None:
        self._bench.rtl.close()


@dataclass
class Pauses:
    """The same draws as the simulator's harness."""

    jobs: int
    answers: int
    state: int

    def goes(self, pause: int) -> bool:
        if pause == 0:
            return True
        self.state ^= self.state << 13 & 0xFFFFFFFF
        self.state ^= self.state >> 17
        self.state ^= self.state << 5 & 0xFFFFFFFF
        return self.state >> 24 >= pause


class Schedule:
    """The model of the schedule over the golden model of a core with the bench's key."""

    def __init__(self, bench: Bench) -> None:
        farm = bench.config
        self._small_from = farm.cores - farm.small_cores
        self._cores = [
            make_model(core, lambda: bench.rng.getrandbits(32))
            for core in (farm.rsa, farm.small)
            if core
        ]
        self._key = bench.key
        self.setup_cycles, *_ = [ok(load(core, bench.key)) for core in self._cores]
        self.private_cycles, *_ = [ok(operate(core, bench.key, 2)) for core in self._cores]
        self.num_words = bench.num_words
        shape = (bench.cores, self.num_words)
        self.farm = Farm(*shape, self._operate, self._recover, farm.id_bits)

    def _operate(self, core: int, words: Sequence[int], public: bool) -> Outcome:
        model = self._cores[core >= self._small_from]
        entry = RsaEntry.PUBLIC if public else RsaEntry.PRIVATE
        run = operate(model, self._key, from_words(words), entry)
        status = JobStatus(run.status)
        result = to_words(model.get("M"), self.num_words) if status is JobStatus.OK else []
        return Outcome(status, tuple(result), run.cycles)

    def _recover(self, core: int) -> Outcome:
        raise AssertionError(f"core {core} has no fault here")

    def run(
        self, packets: Sequence[Sequence[int]], pauses: Pauses, clock: int
    ) -> tuple[list[Beat], list[Beat]]:
        """Words of jobs and of answers, each with the clock in which it was taken."""
        words = [Word(w, i + 1 == len(p)) for p in packets for i, w in enumerate(p)]
        taken: list[Beat] = []
        answers: list[Beat] = []
        offered = False
        while sum(beat.last for beat in answers) < len(packets):
            if len(taken) == len(words) and (skip := self.farm.quiet_cycles()) > 1:
                for _ in range(skip if pauses.answers else 0):
                    pauses.goes(pauses.answers)
                self.farm.skip(skip)
                clock += skip
            waits = len(taken) < len(words)
            offered = waits and (offered or pauses.goes(pauses.jobs))
            ready = pauses.goes(pauses.answers)
            word = words[len(taken)] if offered else None
            answer = self.farm.answer
            if word and self.farm.ready:
                taken.append(Beat(clock, word.data, word.last))
                offered = False
            if answer and ready:
                answers.append(Beat(clock, answer.data, answer.last))
            self.farm.step(word, ready)
            clock += 1
        return taken, answers


def check_schedule(bench: Bench, packets: Sequence[Sequence[int]], jobs: int, answers: int) -> None:
    """Send packets to a farm that has had none; each word and its clock have to be the model's.

    Args:
        bench: The farm, with its key.
        packets: The jobs.
        jobs, answers: How often sender and receiver pause, as of `RtlFarm.pauses`.
    """
    seed, clock = bench.rng.randrange(1, 2**32), bench.rtl.clock
    bench.rtl.pauses(jobs, answers, seed)
    for packet in packets:
        bench.rtl.send(packet)
    taken, sent = Schedule(bench).run(packets, Pauses(jobs, answers, seed), clock)
    bench.rtl.run_until(len(sent), LIMIT)
    assert bench.rtl.taken_beats() == taken
    assert bench.rtl.answer_beats() == sent
