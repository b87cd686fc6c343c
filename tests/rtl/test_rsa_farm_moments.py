# SPDX-License-Identifier: Apache-2.0
"""Faults that matter in one cycle only, or in two places: each job is answered once and rightly."""

from __future__ import annotations

import random

import pytest

from modfab.host.generated import mf_rsa_farm_regs as regs
from modfab.models.generated.status import JobStatus
from modfab.models.rsa.packets import job_words
from modfab.numbers import to_words
from tests.rtl.test_rsa_farm_bits import (
    CORES,
    FAULT,
    HURT,
    OK,
    OPERATION,
    answers_of,
    flip,
    once_each,
    waited,
)
from tests.rtl.test_rsa_farm_faults import hurt, register
from tests.support.farm_core import NUM_WORDS, Bench

MEMBER = f"gen_core[{HURT}].u_member"
SERVICE = JobStatus.SERVICE
# One-hot states, the last one in bit 0.
PICK_IN, HEAD, ENDS = 1 << 5, 1 << 4, 1 << 2  # of the dispatcher
DONE, PICK_OUT = 1 << 5, 1 << 4  # of the collector


@pytest.fixture
def bench(rng: random.Random) -> Bench:
    made = Bench(CORES, rng)
    made.load()
    return made


def flip_all(bench: Bench, names: tuple[str, ...], bit: int) -> None:
    for name in names:
        flip(bench, name, bit)


def run_until(bench: Bench, name: str, bits: int) -> None:
    """Stop in the first cycle in which one of a register's bits is set."""
    place, left = bench.rtl.own_registers()[name], 2 * OPERATION
    while not bench.rtl.words_of(place)[0] & bits:
        bench.rtl.run(1)
        left -= 1
        assert left, f"{name} stays without {bits:#x}"


MOMENTS: dict[str, tuple[str, int, str, int, int, JobStatus]] = {
    f"{watched}: {name} {bit}": (f"{place}.{watched}", bits, f"{place}.{name}", bit, job, status)
    for place, watched, bits, name, numbers, job, status in (
        (MEMBER, "start_q", 1, "run_entry_q", range(3), HURT, FAULT),
        (MEMBER, "core_we_q", 1, "core_addr_q", range(2), HURT, FAULT),
        (MEMBER, "u_outbox.asked_q", 1, "core_addr_q", range(2), HURT, FAULT),
        ("u_in", "u_state.word_q", HEAD, "strange_q", range(1), 0, FAULT),
        ("u_in", "u_state.word_q", HEAD, "plain_q", range(1), 0, FAULT),
        ("u_in", "u_state.word_q", ENDS, "bad_q", range(1), 0, FAULT),
        ("u_in", "u_state.word_q", ENDS, "good_q", range(1), 0, FAULT),
    )
    for bit in numbers
} | {
    f"ledger {name}": ("u_out.u_state.word_q", DONE, f"gen_core[0].u_ledger.{name}", 0, 0, OK)
    for name in ("some_q", "none_q")
}


@pytest.mark.parametrize(
    ("watched", "bits", "name", "bit", "job", "status"), MOMENTS.values(), ids=MOMENTS
)
def test_a_changed_bit_in_the_clock_that_it_matters(
    watched: str, bits: int, name: str, bit: int, job: int, status: JobStatus, bench: Bench
) -> None:
    bench.send(2 * CORES)
    run_until(bench, watched, bits)
    flip(bench, name, bit)
    answers = waited(bench, 2 * CORES)
    once_each(answers, 2 * CORES)
    ended = {answer.job_id: answer.status for answer in answers}
    assert ended.pop(job) is status
    behind = {OK, SERVICE} if status is FAULT else {OK}
    assert ended.pop(job + CORES) in behind
    assert set(ended.values()) == {OK}
    bench.rtl.close()


def test_a_core_that_runs_without_a_job_costs_none(rng: random.Random) -> None:
    """It derives a key that is not there; then the job is put into it."""
    bench = Bench(CORES, rng)
    bench.idle()
    bench.write(regs.ACCEPT, 1)
    flip(bench, f"{MEMBER}.start_q", 0)
    bench.send(2 * CORES)
    assert {answer.status for answer in waited(bench, 2 * CORES)} == {JobStatus.NO_KEY}
    bench.rtl.close()


def test_jobs_wait_for_cores_that_set_up_their_key_again(bench: Bench) -> None:
    """No core is in service, but all are about to be; one of them fails, and gets no job."""
    bench.send(CORES)
    bench.rtl.run(OPERATION // 2)
    for core in range(CORES):
        hurt(bench, "P" if core == HURT else "C2", core, copies="ab")
    assert OK not in {answer.status for answer in bench.wait(CORES)}
    assert bench.read(regs.SERVICE) == bench.read(regs.OUT_OF_SERVICE) == 0
    bench.send(CORES)
    assert {answer.status for answer in bench.wait(2 * CORES)[CORES:]} == {OK}
    assert bench.read(regs.OUT_OF_SERVICE) == 1 << HURT
    bench.rtl.close()


def test_a_watchdog_takes_its_core_out(bench: Bench) -> None:
    bench.send(CORES)
    bench.rtl.run(OPERATION // 2)
    bench.rtl.flip(register(bench, "u_rsa.watchdog_q", HURT), 0, 31)
    ended = {answer.core: answer.status for answer in bench.wait(CORES)}
    assert ended == dict.fromkeys(range(CORES), OK) | {HURT: JobStatus.WATCHDOG}
    bench.idle()
    assert bench.core(HURT, regs.CORE_FAULTS) == 1
    assert bench.read(regs.OUT_OF_SERVICE) == 1 << HURT
    bench.send(CORES)
    assert {answer.status for answer in bench.wait(2 * CORES)[CORES:]} == {OK}
    bench.rtl.close()


@pytest.mark.parametrize("bit", [0, 1])
def test_a_changed_bit_of_whether_e_is_known(bit: int, bench: Bench) -> None:
    bench.rtl.send(job_words(0, to_words(2, NUM_WORDS), public=True))
    run_until(bench, "gen_core[0].u_member.in_full_q", 1)
    flip(bench, "u_told.gen_copies[0].copy_q", bit)
    assert [answer.status for answer in waited(bench, 1)] == [FAULT]
    bench.rtl.close()


def stand(bench: Bench) -> None:
    """Each core has a job in its outbox, one inside that has ended, and one in its inbox."""
    bench.rtl.pauses(0, 256)
    bench.send(3 * CORES)
    bench.rtl.run(4 * OPERATION)


@pytest.mark.parametrize("limit", [1, 2])
@pytest.mark.parametrize("place", ["in_crc_q", "out_crc_q"])
def test_a_changed_job_counts_for_the_limit_and_the_core_keeps_its_key(
    place: str, limit: int, bench: Bench
) -> None:
    bench.write(regs.FAULT_LIMIT, limit)
    stand(bench)
    flip(bench, f"{MEMBER}.{place}", 0)
    bench.rtl.pauses(0, 0)
    waited(bench, 3 * CORES)
    out = 1 << HURT if limit == 1 else 0
    assert bench.read(regs.OUT_OF_SERVICE) == out
    assert bench.read(regs.SERVICE) == (1 << CORES) - 1 - out
    last = [bench.core(core, regs.CYCLES_LO) for core in range(CORES)]
    assert last == [last[0]] * CORES, "a core has set up its key again"
    bench.rtl.close()


def test_a_word_that_seems_to_come_reaches_no_full_outbox(bench: Bench) -> None:
    stand(bench)
    flip(bench, f"{MEMBER}.u_outbox.reading_q", 0)
    bench.rtl.run(10)
    bench.rtl.pauses(0, 0)
    assert {answer.status for answer in waited(bench, 3 * CORES)} == {OK}
    bench.rtl.close()


def test_faults_in_two_cycles_on_end_are_two(bench: Bench) -> None:
    """The collector's, by which the outbox is free, and that of the job that waits for that."""
    bench.write(regs.FAULT_LIMIT, 2)
    bench.rtl.pauses(0, 256)
    bench.send(3 * CORES)
    bench.rtl.run(3 * OPERATION // 2)
    hurt(bench, "C2", HURT, copies="ab")
    bench.rtl.run(OPERATION)
    flip(bench, f"{MEMBER}.out_crc_q", 0)
    bench.rtl.pauses(0, 0)
    answers = waited(bench, 3 * CORES)
    of_core = [answer.status for answer in answers if answer.core == HURT]
    assert of_core == [FAULT, FAULT, SERVICE]
    assert bench.core(HURT, regs.CORE_FAULTS) == 2
    bench.idle()
    assert bench.read(regs.OUT_OF_SERVICE) == 1 << HURT
    bench.rtl.close()


FORMS = ("word_q", "inverse_q")
"""Two of a register's three forms: the majority is wrong."""


@pytest.mark.parametrize("bit", [0, 2], ids=["no state", "two states"])
def test_a_member_without_one_state_wipes_its_boxes(bit: int, bench: Bench) -> None:
    stand(bench)
    flip_all(bench, tuple(f"{MEMBER}.u_state.{form}" for form in FORMS), bit)
    bench.rtl.run(200)
    bench.rtl.pauses(0, 0)
    answers = waited(bench, 3 * CORES)
    once_each(answers, 3 * CORES)
    of_core = [answer.status for answer in answers if answer.core == HURT]
    assert of_core == [FAULT, FAULT, SERVICE]
    assert {answer.status for answer in answers if answer.core != HURT} == {OK}
    bench.send(2 * CORES)
    assert {answer.status for answer in waited(bench, 5 * CORES)[3 * CORES :]} == {OK}
    bench.rtl.close()


@pytest.mark.parametrize(("place", "pick"), [("u_in", PICK_IN), ("u_out", PICK_OUT)])
def test_dispatcher_and_collector_come_back_without_a_state(
    place: str, pick: int, bench: Bench
) -> None:
    names = tuple(f"{place}.u_state.{form}" for form in FORMS)
    flip_all(bench, names, pick.bit_length() - 1)
    bench.rtl.run(5)
    bench.send(2 * CORES)
    assert {answer.status for answer in waited(bench, 2 * CORES)} == {OK}
    bench.rtl.close()


@pytest.mark.parametrize("bit", [0, 8, 17, 25])
def test_a_word_that_changes_while_it_waits_is_a_fault(bit: int, bench: Bench) -> None:
    """Each quarter of it has a parity of its own."""
    bench.write(regs.ACCEPT, 0)
    bench.send(CORES)
    bench.rtl.run(20)
    flip_all(bench, tuple(f"u_skid_in.u_spill.{form}" for form in FORMS), bit)
    bench.write(regs.ACCEPT, 1)
    answers = waited(bench, CORES)
    once_each(answers, CORES)
    assert {a.job_id: a.status for a in answers} == {0: FAULT} | dict.fromkeys(range(1, CORES), OK)
    bench.rtl.close()


def test_zeroize_in_every_clock_of_a_job(rng: random.Random) -> None:
    """Without a key a core soon ends a job, so that each state meets the zeroize."""
    bench, sent = Bench(CORES, rng), 0
    bench.idle()
    for cycles in range(110):
        bench.write(regs.ACCEPT, 1)
        for job_id in (sent, sent + 1):
            bench.rtl.send(job_words(job_id, to_words(bench.message(), NUM_WORDS)))
        bench.rtl.run(cycles)
        bench.write(regs.CTRL, regs.CTRL_ZEROIZE_MASK)
        bench.idle()
        bench.write(regs.ACCEPT, 1)
        sent += 2
        answers = waited(bench, sent)
        ends = {answer.status for answer in answers[-2:]}
        assert ends <= {JobStatus.NO_KEY, JobStatus.ZEROIZED}, (cycles, ends)
    seen = {answer.status for answer in answers_of(bench)}
    assert seen == {JobStatus.NO_KEY, JobStatus.ZEROIZED}
    bench.rtl.close()
