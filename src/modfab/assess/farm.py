# SPDX-License-Identifier: Apache-2.0
"""Faults in the control of a farm: is each job answered once, rightly or not at all?"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from modfab.assess.campaign import Request, Tell, described
from modfab.assess.live import Found, HungError, dealt_report, run_dealt
from modfab.assess.outcome import gives_a_factor
from modfab.assess.stage import SECRETS, AssessKey, random_key
from modfab.build.farm import FarmCore
from modfab.build.rsa import ENTROPY_CYCLES, watchdog_cycles
from modfab.errors import DeviceError
from modfab.host.generated import mf_rsa_farm_regs as regs
from modfab.models.generated.status import JobStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.packets import UnknownEndingError, job_words, parse_answer
from modfab.numbers import from_words, to_words
from modfab.sim.farm import Beat, RtlFarm, farm_design
from modfab.sim.registers import COPIES, Register
from modfab.sim.verilate import Design

COLUMNS = (
    *("runs", "detected", "harmless", "wrong", "factoring", "hung", "secret_left"),
    *("lost", "doubled", "broken"),
)
"""As the counts of the core's faults. `lost`: a job got no answer. `doubled`: an answer to no job,
or a second one. `broken`: a packet of another length than an answer's."""

_BATCH = 2
"""Jobs for each core in a run with a fault; one more each follows without a fault."""
_MOMENT = 60
"""Cycles in which the farm takes a few jobs, or sends a few answers."""
_PORTS = ("u_skid_in.", "u_skid_out.", "u_out.u_leaving.")
"""Buffers at the ports, and the word that leaves the collector."""


@dataclass(frozen=True, slots=True)
class Job:
    """A message and the right answer to it."""

    message: int
    result: int
    public: bool

    def packet(self, job_id: int, words: int) -> list[int]:
        """Its words."""
        return job_words(job_id, to_words(self.message, words), self.public)


def part_of(name: str) -> str:
    """The model that a register of the farm belongs to.

    >>> part_of("gen_core[1].u_member.crc_q"), part_of("u_out.u_leaving.word_q"), part_of("sent_q")
    ('farm_boxes', 'farm_ports', 'farm_collector')
    """
    if name.startswith(_PORTS):
        return "farm_ports"
    if ".u_ledger." in name or name.endswith("].lost_q"):
        return "farm_ledger"
    if name.startswith("gen_core"):
        return "farm_boxes"
    return "farm_dispatcher" if name.startswith("u_in.") else "farm_collector"


class FarmBench:
    """One simulated farm with a key.

    Args:
        farm: The build.
        seed: Of the key.
        design: A changed `farm_design`.
    """

    def __init__(self, farm: FarmCore, seed: int, design: Design | None = None) -> None:
        self.farm, self.seed, self.design = farm, seed, design or farm_design(farm)
        half = farm.rsa.shape.half_bits
        self.key: AssessKey = random_key(random.Random(f"{seed} farm key"), half, half)
        self.cycles = farm.rsa.programs().program(RsaEntry.PRIVATE, self.key.e)
        self.limit = 4 * (ENTROPY_CYCLES + watchdog_cycles(farm.rsa) + _BATCH * self.cycles)
        self.rtl: RtlFarm | None = None
        self.last = "no fault yet"
        self.begin()

    def begin(self) -> None:
        """A new simulation, with the key loaded, that takes jobs."""
        if self.rtl is not None:
            self.rtl.close()
        self.rtl = RtlFarm(self.farm, seed=self.seed, design=self.design)
        own = self.rtl.own_registers()
        self.parts = {part: list[Register]() for part in dict.fromkeys(map(part_of, own))}
        for name, register in own.items():
            self.parts[part_of(name)].append(register)
        self.seen = 0
        self.wait_idle()  # the cores test themselves
        for name, value in self.key.parts().items():
            words = self.words if name == "E" else self.farm.rsa.shape.half_words
            for index, word in enumerate(to_words(value, words)):
                self.write(getattr(regs, f"{name}_WINDOW") + 4 * index, word)
        self.write(regs.E_BITS, self.key.e.bit_length())
        self.write(regs.CTRL, regs.CTRL_KEY_MASK)
        self.wait_idle()
        if self.read(regs.SERVICE) != (1 << self.farm.cores) - 1:
            raise DeviceError("The simulated farm refused a valid key; this is a bug in it.")
        self.write(regs.ACCEPT, 1)

    @property
    def open(self) -> RtlFarm:
        """The simulation."""
        if self.rtl is None:
            raise DeviceError("The simulated farm was closed.")
        return self.rtl

    @property
    def words(self) -> int:
        """Words of a message."""
        return self.farm.num_words

    # ---- the bus ----
    def write(self, address: int, data: int) -> int:
        """The response; HungError without one."""
        try:
            return self.open.write(address, data)
        except DeviceError as error:
            raise HungError from error

    def read(self, address: int) -> int:
        """A word; HungError without one."""
        try:
            return self.open.read(address)[1]
        except DeviceError as error:
            raise HungError from error

    def wait_idle(self) -> None:
        """Wait until no core runs anything and no answer waits."""
        for _ in range(self.limit // 100):
            if not self.read(regs.STATUS) & regs.STATUS_BUSY_MASK:
                return
            self.open.run(100)
        raise HungError

    # ---- jobs ----
    def send(self, rng: random.Random, count: int) -> dict[int, Job]:
        """Jobs with random messages by their ids, one of four for the public exponent."""
        key, jobs = self.key, dict[int, Job]()
        for job_id in rng.sample(range(1 << self.farm.id_bits), count):
            message, public = rng.randrange(2, key.n), rng.randrange(4) == 0
            exponent = key.e if public else key.d
            jobs[job_id] = Job(message, pow(message, exponent, key.n), public)
            self.open.send(jobs[job_id].packet(job_id, self.words))
        return jobs

    def collect(self, count: int) -> list[list[Beat]]:
        """The packets that came until so many words more are there, or until the limit."""
        end = self.seen + count * (self.words + 1)
        self.open.run_until(end, self.limit)
        self.open.run(4 * _MOMENT)  # for one too many
        beats = self.open.answer_beats(self.seen)
        self.seen += len(beats)
        packets = [list[Beat]()]
        for beat in beats:
            packets[-1].append(beat)
            if beat.last:
                packets.append([])
        return [packet for packet in packets if packet]

    def fault(self, rng: random.Random, part: str, cycles: int) -> str:
        """One bit of one register of a part, in one of so many cycles from now on."""
        register = rng.choice(self.parts[part])
        element, bit = rng.randrange(register.elements), rng.randrange(register.element_bits)
        after = rng.randrange(1, cycles + 1)
        self.open.flip_after(after, register, element, bit)
        self.last = f"{register.name} element {element} bit {bit} after {after} cycles"
        return self.last

    # ---- what is judged ----
    def judged(self, jobs: dict[int, Job], packets: Sequence[Sequence[Beat]]) -> Counter[str]:
        """How the answers fit the jobs; `ok` counts the right results."""
        counts, answered = Counter[str](), Counter[int]()
        for packet in packets:
            if len(packet) != self.words + 1:
                counts["broken"] += 1
                continue
            try:
                answer = parse_answer([beat.data for beat in packet])
            except UnknownEndingError as error:
                answered[error.job_id] += 1
                continue
            answered[answer.job_id] += 1
            counts.update(self._of_one(jobs, answer.job_id, answer.status, answer.words))
        counts["lost"] += sum(answered[job_id] == 0 for job_id in jobs)
        extra = sum(answered.values()) - sum(min(answered[job_id], 1) for job_id in jobs)
        counts["doubled"] += extra
        return +counts

    def _of_one(
        self, jobs: dict[int, Job], job_id: int, status: JobStatus, words: Sequence[int]
    ) -> list[str]:
        job, result = jobs.get(job_id), from_words(list(words))
        found = []
        if status is JobStatus.OK:
            found.append("ok" if job and result == job.result else "wrong")
        others = [job] if job else list(jobs.values())
        private = [other for other in others if not other.public]
        if result and any(
            result != other.result and gives_a_factor(self.key, other.message, result)
            for other in private
        ):
            found.append("factoring")
        return found

    def holds_secrets(self, results: set[int]) -> bool:
        """Whether a word of the key, or of one of these results, is anywhere but at the ports."""
        ports = {register.index for register in self.parts["farm_ports"]}
        for register in self.open.registers():
            if register.element_bits < 32 or register.index in ports:
                continue
            if (self.secrets | results).intersection(self.open.words_of(register)):
                return True
        return False

    def keep_secrets(self) -> None:
        """Remember the words of the key and its blinding, as the memory of each core has them."""
        places = [self.farm.rsa.image.variables[name] for name in SECRETS]
        self.secrets = set[int]()
        for register in self.open.registers():
            if register.name.endswith(COPIES[0]):
                memory = self.open.words_of(register)
                step = len(memory) // register.elements
                words = (memory[step * (a + i)] for a, count in places for i in range(count))
                self.secrets |= set(words) - {0, 1}

    def close(self) -> None:
        """Free the simulation."""
        self.open.close()
        self.rtl = None


# ---- models ----
def _outcome(counts: Counter[str], all_ok: bool) -> tuple[str, ...]:
    """The counters that a run adds to."""
    bad = [name for name in ("lost", "doubled", "broken", "factoring") if counts[name]]
    if counts["wrong"]:
        return ("wrong", *bad)
    return ("harmless" if all_ok and not bad else "detected", *bad)


def _jobs(bench: FarmBench, rng: random.Random, part: str) -> Found:
    """A batch of jobs with a fault while they are taken, run or answered, and one without."""
    cores, rtl = bench.farm.cores, bench.open
    count = _BATCH * cores
    rtl.pauses(rng.choice((0, 60)), rng.choice((0, 60)), rng.randrange(1, 1 << 32))
    jobs, when = bench.send(rng, count), rng.choice(("taken", "run", "answered"))
    if when == "answered":
        rtl.run_until(bench.seen + 1 + rng.randrange(cores) * (bench.words + 1), bench.limit)
    text = bench.fault(rng, part, _BATCH * bench.cycles if when == "run" else _MOMENT)
    packets = bench.collect(count)
    rtl.pauses(0, 0)
    bench.wait_idle()
    jobs |= (later := bench.send(rng, cores))
    counts = bench.judged(jobs, packets + bench.collect(len(later)))
    return Found(_outcome(counts, counts["ok"] == len(jobs)), f"{when}: {text}")


def wipe(bench: FarmBench, rng: random.Random) -> Found:
    """A zeroize while jobs run, with a fault about then; the rest is answered without a key."""
    rtl, cores = bench.open, bench.farm.cores
    bench.keep_secrets()
    jobs = bench.send(rng, _BATCH * cores)
    rtl.run(rng.randrange(_BATCH * bench.cycles))
    text = bench.fault(rng, rng.choice(list(bench.parts)), 4 * _MOMENT)
    rtl.run(rng.randrange(2 * _MOMENT))
    response = bench.write(regs.CTRL, regs.CTRL_ZEROIZE_MASK)
    rtl.run(4 * _MOMENT)
    bench.wait_idle()
    told = response or bench.read(regs.SERVICE)
    packets = bench.collect(0)
    unsent = _unsent(bench, jobs, packets)
    left = bench.holds_secrets(unsent) and not told
    bench.write(regs.ACCEPT, 1)
    packets += bench.collect(len(jobs) - len(packets))
    counts = bench.judged(jobs, packets)
    outcome = _outcome(counts, not told)
    return Found((*outcome, "secret_left") if left else outcome, text)


def _unsent(bench: FarmBench, jobs: dict[int, Job], packets: Sequence[list[Beat]]) -> set[int]:
    """Words of private results that the farm has not sent, but may have computed."""
    sent = {beat.data for packet in packets for beat in packet}
    results = (to_words(job.result, bench.words) for job in jobs.values() if not job.public)
    return {word for words in results for word in words} - sent - {0, 1}


def _of_part(part: str) -> Callable[[FarmBench, random.Random], Found]:
    return lambda bench, rng: _jobs(bench, rng, part)


PARTS = ("farm_dispatcher", "farm_boxes", "farm_ledger", "farm_collector", "farm_ports")
"""Models of faults in these registers while jobs go through."""

MODELS = {part: _of_part(part) for part in PARTS} | {"farm_wipe": wipe}
"""Every model by its name in a report; runs are dealt to them in turn."""


def run_farm(request: Request, cores: int, tell: Tell | None = None) -> dict[str, Any]:
    """Run faults in the control of a farm.

    Args:
        request: What to run; one simulation is used. A `design` is a changed `farm_design`.
        cores: How many of the request's core there are.
        tell: Gets the progress.
    """
    started, farm = time.monotonic(), FarmCore(request.core, cores)
    bench = FarmBench(farm, request.seed, request.design)
    rows, found = run_dealt(request, bench, MODELS, "farm", tell)
    core = described(request.core) | {"cores": cores}
    report = dealt_report(request, core, rows, COLUMNS, found)
    return report | {"seconds": round(time.monotonic() - started, 1)}
