# SPDX-License-Identifier: Apache-2.0
"""One changed bit in the farm's own registers: a fault for its job, right answers for others."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator

import pytest

from modfab.host.generated import mf_rsa_farm_regs as regs
from modfab.models.generated.status import JobStatus
from modfab.models.rsa.farm import checksum
from modfab.models.rsa.packets import Answer
from modfab.numbers import to_words
from modfab.sim.registers import Register
from tests.support.farm_core import NUM_WORDS, PACKET, Bench, Stage, config

CORES = 3
HURT = 1  # the core whose boxes are changed; the collector has begun with core 0
OPERATION = 8000  # a little more than the cycles of a private operation
OK, FAULT = JobStatus.OK, JobStatus.FAULT


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    made = Stage(__name__)
    yield made
    made.close()


@pytest.fixture
def bench(stage: Stage) -> Bench:
    return stage.bench()


def flip(bench: Bench, name: str, bit: int, element: int = 0) -> None:
    bench.rtl.flip(bench.rtl.own_registers()[name], element, bit)


def once_each(answers: list[Answer], count: int) -> None:
    ids = sorted(answer.job_id for answer in answers)
    assert ids == list(range(count)), "a job is lost, doubled or has another's id"


def answers_of(bench: Bench) -> list[Answer]:
    """As `Bench.answers`, but words that left before a fault was found may be anything."""
    answers = [bench.answer_of(packet) for packet in bench.packets()]
    for answer in answers:
        if answer.status is OK:
            bench.check(answer)
    return answers


def waited(bench: Bench, count: int) -> list[Answer]:
    """All answers once there are so many."""
    beats = count * bench.packet
    assert bench.rtl.run_until(beats, 10**6) == beats
    return answers_of(bench)


def run_until_set(bench: Bench, name: str) -> None:
    register, left = bench.rtl.own_registers()[name], 2 * OPERATION
    while bench.rtl.is_zero(register):
        bench.rtl.run(1)
        left -= 1
        assert left, f"{name} stays 0"


# ---- boxes of a core that stands still: one job in its outbox, one inside, one in its inbox ----
Statuses = tuple[JobStatus, JobStatus, JobStatus]
OUTBOX, INSIDE, INBOX, NONE = (FAULT, OK, OK), (OK, FAULT, OK), (OK, OK, FAULT), (OK, OK, OK)
BOXES: dict[str, tuple[str, int, int, Statuses]] = {
    "word of the outbox": ("u_member.u_outbox.u_ram.mem_q", 17, 2, OUTBOX),
    "its id": ("u_member.out_job_q", 5, 0, OUTBOX),
    "its bit for e": ("u_member.out_job_q", 16, 0, OUTBOX),
    "its ending": ("u_member.out_status_q", 2, 0, OUTBOX),
    "its ending's copy": ("u_member.out_status_inv_q", 1, 0, OUTBOX),
    "its checksum": ("u_member.out_crc_q", 30, 0, OUTBOX),
    "its number": ("u_member.out_seq_q", 3, 0, NONE),
    "outbox seems empty": ("u_member.out_full_q", 0, 0, OUTBOX),
    "id of the job inside": ("u_member.job_q", 0, 0, INSIDE),
    "its bit for e inside": ("u_member.job_q", 16, 0, INSIDE),
    "ending inside": ("u_member.status_q", 3, 0, INSIDE),
    "ending's copy inside": ("u_member.status_inv_q", 0, 0, INSIDE),
    "number inside": ("u_member.seq_q", 0, 0, NONE),
    "checksum inside": ("u_member.u_crc.crc_q", 9, 0, INSIDE),
    "word of the inbox": ("u_member.u_inbox.mem_q", 31, 3, INBOX),
    "id in the inbox": ("u_member.in_job_q", 15, 0, INBOX),
    "bit for e in the inbox": ("u_member.in_job_q", 16, 0, INBOX),
    "ending in the inbox": ("u_member.in_status_q", 3, 0, INBOX),
    "ending's copy in the inbox": ("u_member.in_status_inv_q", 2, 0, INBOX),
    "checksum in the inbox": ("u_member.in_crc_q", 0, 0, INBOX),
    "number in the inbox": ("u_member.in_seq_q", 4, 0, NONE),
    "inbox seems empty": ("u_member.in_full_q", 0, 0, INBOX),
    "a program of the key inside": ("u_member.setup_q", 0, 0, NONE),
    "its copy": ("u_member.no_setup_q", 0, 0, NONE),
    "active": ("u_member.active_q", 0, 0, NONE),
    "ledger, first job": ("u_ledger.jobs_q", 3, 0, OUTBOX),
    "ledger, second job": ("u_ledger.jobs_q", 18 + 16, 0, INSIDE),
    "ledger, parity of the third": ("u_ledger.jobs_q", 2 * 18 + 17, 0, INBOX),
    "ledger, a free place": ("u_ledger.jobs_q", 3 * 18 + 2, 0, NONE),
} | {
    f"{register} {bit}": (register, bit, 0, NONE)
    for register, bits in (
        *((f"u_member.u_state.{form}", 7) for form in ("word_q", "inverse_q", "masked_q")),
        *(("u_member.u_state.mask_q", 1), ("u_ledger.first_q", 5), ("u_ledger.next_q", 5)),
    )
    for bit in range(bits)
}


def stand_still(bench: Bench) -> None:
    bench.rtl.pauses(0, 256)
    bench.send(3 * CORES)
    bench.rtl.run(4 * OPERATION)


@pytest.mark.parametrize(("register", "bit", "element", "expected"), BOXES.values(), ids=BOXES)
def test_a_changed_bit_beside_a_core(
    register: str, bit: int, element: int, expected: Statuses, stage: Stage
) -> None:
    bench = stage.bench(stand_still)
    flip(bench, f"gen_core[{HURT}].{register}", bit, element)
    bench.rtl.run(100)
    bench.rtl.pauses(0, 0)
    answers = waited(bench, 3 * CORES)
    once_each(answers, 3 * CORES)
    assert tuple(answer.status for answer in answers if answer.core == HURT) == expected
    assert {answer.status for answer in answers if answer.core != HURT} == {OK}
    assert bench.core(HURT, regs.CORE_FAULTS) == expected.count(FAULT)
    bench.send(2 * CORES)
    assert {answer.status for answer in waited(bench, 5 * CORES)[3 * CORES :]} == {OK}


@pytest.mark.parametrize("register", ["host_word_q", "host_inv_q", "read_addr_q"])
def test_a_changed_bit_between_core_and_outbox(register: str, bench: Bench) -> None:
    member = f"gen_core[{HURT}].u_member"
    bench.send(2 * CORES)
    run_until_set(bench, f"{member}.u_outbox.reading_q")
    flip(bench, f"{member}.u_outbox.{register}", 0)
    answers = waited(bench, 2 * CORES)
    once_each(answers, 2 * CORES)
    assert [answer.status for answer in answers if answer.core == HURT] == [FAULT, OK]
    assert {answer.status for answer in answers if answer.core != HURT} == {OK}
    assert bench.core(HURT, regs.CORE_FAULTS) == 1


@pytest.mark.parametrize("bit", [0, 1])
def test_a_changed_address_of_the_inbox(bit: int, bench: Bench) -> None:
    member = f"gen_core[{HURT}].u_member"
    bench.send(2 * CORES)
    run_until_set(bench, f"{member}.phase_q")
    flip(bench, f"{member}.fetch_q", bit)
    answers = waited(bench, 2 * CORES)
    once_each(answers, 2 * CORES)
    assert [answer.status for answer in answers if answer.core == HURT] == [FAULT, OK]
    assert {answer.status for answer in answers if answer.core != HURT} == {OK}


@pytest.mark.parametrize("name", ["kept_q", "stands_q", "wiped_q"])
def test_a_changed_bit_while_a_word_of_the_outbox_stands_still(
    name: str, rng: random.Random
) -> None:
    bench = Bench(CORES, rng, config(CORES, half=128))  # 8 words: some are still in the box
    bench.load()
    bench.send(2 * CORES)
    bench.rtl.run_until(1, 10**6)
    bench.rtl.pauses(0, 256)
    bench.rtl.run(10)
    flip(bench, f"gen_core[0].u_member.u_outbox.{name}", 0)
    bench.rtl.run(10)
    bench.rtl.pauses(0, 0)
    first, *others = waited(bench, 2 * CORES)
    assert (first.core, first.status) == (0, FAULT)
    assert {answer.status for answer in others} == {OK}
    bench.rtl.close()


def holds(bench: Bench, name: str, value: int) -> bool:
    """Whether a register holds it: without its bits it is zero."""
    register = bench.rtl.own_registers()[name]
    ones = [bit for bit in range(register.element_bits) if value >> bit & 1]
    for bit in ones:
        bench.rtl.flip(register, 0, bit)
    zero = bench.rtl.is_zero(register)
    for bit in ones:
        bench.rtl.flip(register, 0, bit)
    return zero


def test_checksums_are_zlibs(stage: Stage) -> None:
    bench = stage.bench(stand_still)
    first, _, third = range(HURT, 3 * CORES, CORES)  # in turns
    result = to_words(pow(bench.sent[first], bench.key.d, bench.key.n), NUM_WORDS)
    message = to_words(bench.sent[third], NUM_WORDS)
    member = f"gen_core[{HURT}].u_member"
    ones = 0xFFFFFFFF  # the farm leaves the final complement out
    assert holds(bench, f"{member}.in_crc_q", ones ^ checksum(third, False, message))
    assert holds(bench, f"{member}.out_crc_q", ones ^ checksum(first, False, result, result=True))
    bench.rtl.pauses(0, 0)
    assert {answer.status for answer in waited(bench, 3 * CORES)} == {OK}


# ---- the dispatcher in the middle of a job ----
def bits(name: str, count: int, status: JobStatus) -> dict[str, tuple[str, int, JobStatus]]:
    return {f"{name} {bit}": (name, bit, status) for bit in range(count)}


def voted(place: str, places: Iterable[int]) -> dict[str, tuple[str, int, JobStatus]]:
    """Bits of a register in three forms: what one of them says does not matter."""
    forms = ("word_q", "inverse_q", "masked_q")
    found = {
        f"{place}.{form} {bit}": (f"{place}.{form}", bit, OK) for form in forms for bit in places
    }
    return found | bits(f"{place}.mask_q", 1, OK)


DISPATCHER = (
    voted("u_state", range(7))
    | voted("u_chosen", range(CORES))
    | voted("u_full", range(1))
    | voted("u_count.u_vote", range(3))
    | voted("u_takes", range(1))
    | bits("u_turns.behind_q", CORES, OK)
    | bits("free_q", CORES, OK)
    | bits("able_q", CORES, OK)
    | bits("set_q", CORES, OK)
    | {f"push_job_q {bit}": ("push_job_q", bit, OK) for bit in (0, 16, 17)}
    | {f"u_crc.crc_q {bit}": ("u_crc.crc_q", bit, FAULT) for bit in (0, 31)}
    | {"u_crc.step_q": ("u_crc.step_q", 0, FAULT)}
    | {f"job_q {bit}": ("job_q", bit, FAULT) for bit in (0, 15, 16)}
    | {name: (name, 0, FAULT) for name in ("bad_q", "good_q", "dead_q", "live_q", "dirty_q")}
)


def stop_in_the_third_job(bench: Bench) -> None:
    bench.send(2 * CORES)
    while bench.rtl.num_taken_beats < 2 * PACKET + 3:
        bench.rtl.run(1)
    bench.rtl.pauses(256, 0)
    bench.rtl.run(10)


@pytest.mark.parametrize(("name", "bit", "status"), DISPATCHER.values(), ids=DISPATCHER)
def test_a_changed_bit_of_the_dispatcher(
    name: str, bit: int, status: JobStatus, stage: Stage
) -> None:
    bench = stage.bench(stop_in_the_third_job)
    flip(bench, f"u_in.{name}", bit)
    bench.rtl.run(10)
    bench.rtl.pauses(0, 0)
    answers = waited(bench, 2 * CORES)
    once_each(answers, 2 * CORES)
    assert {answer.job_id: answer.status for answer in answers} == {
        job_id: status if job_id == 2 else OK for job_id in range(2 * CORES)
    }


# ---- the collector in the middle of an answer, which the receiver holds up ----
# Registers that follow ledger and outbox in each cycle: a changed bit is gone before it matters.
LEDGER = ("count_q", "number_q", "job_q")
COMPARED = (
    *("asks_q", "seq_q", "job_q", "status_inv_q", "box_crc_q", "full_q", "lost_q", "quiet_q"),
    *("mine_q", "ahead_q", "here_q", "gone_q", "same_job_q", "changed_q", "sound_q", "well_q"),
    *("ok_q", "same_q", "good_q", "bad_q", "known_q"),
)
COLLECTOR = (
    voted("u_out.u_state", range(6))
    | voted("u_out.u_chosen", range(CORES))
    | voted("u_out.u_next.u_vote", range(2))
    | voted("u_out.u_leaving", (0, 7, 31, 32, 33, 34, 35, 36))
    | voted("u_out.u_go", (0,))
    | voted("u_out.u_front", range(31))
    | voted("u_out.u_age", range(2))
    | voted("u_skid_out.u_out", (0, 7, 16, 30, 32, 33))
    | voted("u_skid_out.u_spill", (0, 30, 32, 33))
    | voted("u_skid_in.u_out", (0, 32, 33, 34))
    | voted("u_skid_in.u_spill", (0, 32, 33, 34))
    | bits("u_out.u_turns.behind_q", CORES, OK)
    | {f"gen_core[0].u_ledger.{name}": (f"gen_core[0].u_ledger.{name}", 0, OK) for name in LEDGER}
    | {f"u_out.{name}": (f"u_out.{name}", 0, OK) for name in COMPARED}
    | {"u_out.u_crc.crc_q 7": ("u_out.u_crc.crc_q", 7, FAULT)}
    | {"u_out.void_q": ("u_out.void_q", 0, FAULT)}
)


def stop_in_the_first_answer(bench: Bench) -> None:
    bench.send(2 * CORES)
    bench.rtl.run_until(1, 10**6)
    bench.rtl.pauses(0, 256)
    bench.rtl.run(10)


@pytest.mark.parametrize(("name", "bit", "status"), COLLECTOR.values(), ids=COLLECTOR)
def test_a_changed_bit_of_the_collector(
    name: str, bit: int, status: JobStatus, stage: Stage
) -> None:
    bench = stage.bench(stop_in_the_first_answer)
    flip(bench, name, bit)
    bench.rtl.run(10)
    bench.rtl.pauses(0, 0)
    first, *others = waited(bench, 2 * CORES)
    assert first.status is status
    assert {answer.status for answer in others} == {OK}
    once_each([first, *others], 2 * CORES)


def test_an_outbox_that_seems_full_before_its_first_answer(bench: Bench) -> None:
    """It holds the number of no job that is owed, whatever it held at power-up: it is emptied."""
    bench.send(2 * CORES)
    bench.rtl.run(OPERATION // 4)
    for core in range(CORES):
        flip(bench, f"gen_core[{core}].u_member.out_full_q", 0)
        bench.rtl.run(50)
    answers = waited(bench, 2 * CORES)
    assert {answer.status for answer in answers} == {OK}
    once_each(answers, 2 * CORES)


def run_dry(bench: Bench, first: Register) -> None:
    """Send jobs and stop where a core has no random word left."""
    bench.send(2 * CORES)
    for _ in range(4 * OPERATION):
        bench.rtl.run(1)
        if not any(bench.rtl.words_of(first)):
            return
    raise AssertionError("the core has words all the time")


@pytest.mark.parametrize("bit", range(2))
@pytest.mark.parametrize("form", ["full_q", "gone_q"])
def test_random_words_that_seem_to_be_there_come_all_the_same(
    form: str, bit: int, bench: Bench
) -> None:
    """A core that has used its words up asks for more, whatever one bit says of them."""
    words = f"gen_core[{HURT}].u_member.u_words"
    run_dry(bench, bench.rtl.own_registers()[f"{words}.word_q"])
    flip(bench, f"{words}.{form}", bit)
    answers = waited(bench, 2 * CORES)
    assert {answer.status for answer in answers} == {OK}
    once_each(answers, 2 * CORES)


RESETS = ("u_reset", "u_core_reset", "u_engine_reset", "u_failed", "u_zeroize", "u_core_zeroize")


@pytest.mark.parametrize("level", RESETS)
def test_a_changed_bit_of_a_reset_resets_nothing(level: str, bench: Bench) -> None:
    """The majority of three registers for each core, and for each part that they share."""
    places = [found for found in bench.rtl.registers() if f".{level}." in found.name]
    assert len(places) == 3 * (CORES + (4 if level in ("u_reset", "u_zeroize") else 1))
    bench.send(2 * CORES)
    for place in places:
        bench.rtl.run(OPERATION // 20)
        bench.rtl.flip(place, 0, 0)
    answers = waited(bench, 2 * CORES)
    assert {answer.status for answer in answers} == {OK}
    once_each(answers, 2 * CORES)
    assert bench.read(regs.SERVICE) == (1 << CORES) - 1


def test_a_random_word_that_a_changed_bit_gives_is_one_of_the_generator(bench: Bench) -> None:
    own = bench.rtl.own_registers()
    kept = own[f"gen_core[{HURT}].u_member.u_words.word_q"]
    given = own[f"u_rnd_words.gen_copies[{HURT}].copy_q"]
    run_dry(bench, kept)
    (word,) = bench.rtl.words_of(given)
    flip(bench, "rnd_given_q", HURT)
    bench.rtl.run(1)
    assert bench.rtl.words_of(kept)[0] == word != 0


# ---- any bit at any time ----
LONG = (pytest.mark.full, pytest.mark.timeout(3600))  # only a hang takes so long


@pytest.mark.parametrize("faults", [25, pytest.param(1500, marks=LONG)])
def test_no_changed_bit_gives_a_wrong_answer(faults: int, bench: Bench) -> None:
    rng, jobs, seen = bench.rng, 0, Counter[JobStatus]()
    places = list(bench.rtl.own_registers().values())
    for _ in range(faults):
        bench.send(2 * CORES)
        jobs += 2 * CORES
        bench.rtl.pauses(rng.choice([0, 60]), rng.choice([0, 60]), rng.randrange(1, 2**32))
        bench.rtl.run(rng.randrange(2 * OPERATION) if rng.random() < 0.5 else rng.randrange(60))
        place = rng.choice(places)
        bench.rtl.flip(place, rng.randrange(place.elements), rng.randrange(place.element_bits))
        assert bench.rtl.run_until(jobs * PACKET, 10**6) == jobs * PACKET, place.name
        bench.idle()
        answers = answers_of(bench)
        once_each(answers, jobs)
        fresh = [answer.status for answer in answers[-2 * CORES :]]
        assert set(fresh) <= {OK, FAULT, JobStatus.SERVICE}, (place.name, fresh)
        assert fresh.count(FAULT) <= 1, (place.name, fresh)
        seen.update(fresh)
        if bench.read(regs.SERVICE) != (1 << CORES) - 1:
            bench.load()
    print(f"{faults} changed bits: {dict(seen)}")
