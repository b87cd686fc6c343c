# SPDX-License-Identifier: Apache-2.0
"""The farm's RTL: its schedule to the clock, throughput, fairness, back-pressure, packets."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import combinations

import pytest

from modfab.build.farm import farm_core
from modfab.errors import UsageError
from modfab.host.generated import mf_rsa_farm_regs as regs
from modfab.models.generated.status import JobStatus
from modfab.models.rsa.packets import job_words
from modfab.numbers import to_words
from modfab.paths import rtl_dir
from tests.support.farm_core import (
    LIMIT,
    NUM_WORDS,
    PACKET,
    Bench,
    Schedule,
    check_schedule,
    config,
)
from tests.support.rtl_codes import python_codes, rtl_codes


def odd_packets(bench: Bench, count: int) -> list[list[int]]:
    """Jobs of every kind: private, public, message too large, packets of wrong form."""
    packets = []
    for job_id in range(count):
        message = to_words(bench.message(), bench.num_words)
        kind = bench.rng.choice(["private"] * 4 + ["public", "large", "short", "long", "bit"])
        if kind == "large":
            message = [0xFFFFFFFF] * bench.num_words
        packet = job_words(job_id, message, public=kind == "public")
        if kind == "short":
            packet = packet[: bench.rng.randrange(1, bench.packet)]
        if kind == "long":
            packet += [bench.rng.getrandbits(32) for _ in range(bench.rng.randrange(1, 4))]
        if kind == "bit":
            packet[0] |= 1 << bench.rng.choice([*range(bench.config.id_bits, 16), *range(17, 32)])
        packets.append(packet)
    return packets


# A result of 8 words also waits in its outbox, one of 4 lies behind it once it has begun to leave.
@pytest.mark.parametrize(
    ("cores", "jobs", "answers", "words"),
    [(2, 0, 0, 4), (2, 100, 200, 4), (3, 250, 0, 4), (4, 0, 250, 4), (3, 100, 200, 8)],
    ids=["no pauses", "both pause", "slow sender", "slow receiver", "long"],
)
def test_schedule_and_values_are_the_models(
    cores: int, jobs: int, answers: int, words: int, rng: random.Random
) -> None:
    bench = Bench(cores, rng, config(cores, half=16 * words))
    bench.load()
    check_schedule(bench, odd_packets(bench, 6 * cores), jobs, answers)
    bench.rtl.close()


@pytest.mark.parametrize("cores", [2, 3, 4])
def test_throughput_is_that_of_the_cores(cores: int, rng: random.Random) -> None:
    """N cores give N times the jobs of one core that never waits for a message or a result."""
    bench = Bench(cores, rng)
    bench.load()
    rounds = 6
    bench.send(rounds * cores)
    bench.wait(rounds * cores)
    single = Schedule(bench).private_cycles
    assert bench.core(0, regs.CYCLES_LO) == single
    ends = [packet[-1].clock for packet in bench.packets()]
    cycles_a_job = (ends[-1] - ends[cores - 1]) / ((rounds - 1) * cores)
    speedup = single / cycles_a_job
    print(f"{cores} cores: {speedup:.3f} times one core")
    assert 0.98 * cores <= speedup <= cores
    bench.rtl.close()


def test_every_core_gets_its_share(rng: random.Random) -> None:
    bench = Bench(4, rng)
    bench.load()
    bench.send(24)
    answers = bench.wait(24)
    assert Counter(answer.core for answer in answers) == dict.fromkeys(range(4), 6)
    assert [bench.core(i, regs.CORE_JOBS) for i in range(4)] == [6] * 4
    assert sorted(answer.job_id for answer in answers) == list(range(24))
    bench.rtl.close()


def test_public_jobs_overtake_and_ids_tell(rng: random.Random) -> None:
    """A job of another length does not hold up the others, and answers come as they are ready."""
    bench = Bench(2, rng)
    bench.load()
    message = bench.message()
    bench.send(1)
    for job_id in (101, 102, 103):
        bench.rtl.send(job_words(job_id, to_words(message, NUM_WORDS), public=True))
    bench.rtl.run_until(4 * PACKET, LIMIT)
    last_words = [packet[-1].data & 0xFFFF for packet in bench.packets()]
    assert sorted(last_words) == [0, 101, 102, 103]
    assert last_words[0] == 101
    public = pow(message, bench.key.e, bench.key.n)
    for packet in bench.packets():
        if packet[-1].data & 0xFFFF > 100:
            assert [beat.data for beat in packet[:-1]] == to_words(public, NUM_WORDS)
    bench.rtl.close()


def test_a_receiver_that_stands_still_stops_the_sender_and_loses_nothing(
    rng: random.Random,
) -> None:
    bench = Bench(2, rng)
    bench.load()
    bench.rtl.pauses(0, 256)
    bench.send(40)
    bench.rtl.run(100_000)
    held = bench.rtl.num_taken_beats
    bench.rtl.run(50_000)
    assert bench.rtl.num_taken_beats == held, "the sender goes on"
    assert held <= PACKET * 3 * 2 + 2, "more than inbox, core and outbox of each core, and a buffer"
    assert bench.rtl.num_answer_beats == 0
    bench.rtl.pauses(0, 0)
    answers = bench.wait(40)
    assert Counter(answer.job_id for answer in answers) == dict.fromkeys(range(40), 1)
    assert all(answer.status is JobStatus.OK for answer in answers)
    bench.rtl.close()


def test_accept_holds_the_queue(rng: random.Random) -> None:
    bench = Bench(2, rng)
    bench.load()
    bench.write(regs.ACCEPT, 0)
    bench.send(3)
    bench.rtl.run(20_000)
    assert bench.rtl.num_taken_beats == 2, "more than the buffer at the port holds"
    bench.idle()
    bench.write(regs.ACCEPT, 1)
    bench.wait(3)
    bench.rtl.close()


def test_jobs_without_a_key_are_answered_so(rng: random.Random) -> None:
    bench = Bench(2, rng)
    bench.idle()
    bench.write(regs.E_BITS, 0)
    bench.write(regs.ACCEPT, 1)
    bench.send(5)
    above = 1 << bench.config.id_bits
    for job_id, public in ((5, True), (above - 1, False), (above, False)):
        bench.rtl.send(job_words(job_id, to_words(0, NUM_WORDS), public))
    ends = {answer.job_id: answer.status for answer in bench.wait(8)}
    none = dict.fromkeys((*range(5), above - 1), JobStatus.NO_KEY)
    assert ends == none | dict.fromkeys((5, above), JobStatus.FORMAT), "nor e, nor so long an id"
    bench.rtl.close()


def test_numbers_of_jobs_have_distance_three() -> None:
    """So that one changed bit of a number is corrected."""
    text = (rtl_dir() / "farm" / "mf_rsa_farm_pkg.sv").read_text()
    codes = [int(code, 2) for code in re.findall(r"seq_code = 5'b([01]{5});", text)]
    assert len(codes) == 4
    assert all((a ^ b).bit_count() >= 3 for a, b in combinations(codes, 2))


def test_codes_are_those_of_the_rtl_package() -> None:
    assert rtl_codes(rtl_dir() / "farm" / "mf_rsa_farm_pkg.sv", "Job") == python_codes(JobStatus)


def test_sizes_out_of_range_are_refused() -> None:
    with pytest.raises(UsageError, match="Expected 1 to 32 cores, but got 33"):
        farm_core("bit_serial", 64, 33)
    with pytest.raises(UsageError, match="Expected 1 to 16 bits of a job's id, but got 0"):
        config(2, id_bits=0)
