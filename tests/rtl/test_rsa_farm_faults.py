# SPDX-License-Identifier: Apache-2.0
"""Faults of one core of the farm, zeroize and key windows: the others go on, nothing is kept."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from itertools import chain, combinations, pairwise
from statistics import mean

import pytest

from modfab.host.core_device import field_of
from modfab.host.generated import mf_rsa_farm_regs as regs
from modfab.models.generated.status import JobStatus, RsaStatus
from modfab.models.rsa.packets import Answer
from modfab.sim.registers import Register
from tests.rtl.test_rsa_faults import IDLE_COMMAND, PUBLIC
from tests.support.farm_core import NUM_WORDS, PACKET, Bench, Schedule, config

CORES = 3
FAULTY = 1  # the core that has the faults
OPERATION = 8000  # a little more than the cycles of a private operation


@pytest.fixture
def bench(rng: random.Random) -> Bench:
    made = Bench(CORES, rng)
    made.load()
    return made


def register(bench: Bench, end: str, core: int = FAULTY) -> Register:
    """The one register of a core whose name ends so."""
    place = f"gen_core[{core}].u_member"
    (found,) = (
        register
        for register in bench.rtl.registers()
        if register.name.replace("__BRA__", "[").replace("__KET__", "]").endswith(end)
        and place in register.name.replace("__BRA__", "[").replace("__KET__", "]")
    )
    return found


def hurt(bench: Bench, variable: str, core: int = FAULTY, copies: str = "a") -> None:
    """Flip a bit of a variable in one or both of the core's two copies of its memory."""
    address, bit = config(CORES).rsa.image.variables[variable][0], bench.rng.randrange(16)
    for copy in copies:
        bench.rtl.flip(register(bench, f"u_ram_{copy}.mem_q", core), address, bit)


def of_core(answers: list[Answer], core: int) -> list[JobStatus]:
    return [answer.status for answer in answers if answer.core == core]


def test_a_passing_fault_costs_one_job_and_the_core_comes_back(bench: Bench) -> None:
    """The key's random factor goes wrong; setting up the key again makes a new one.

    It matters at any time; a blinder in the memory does not while the engine holds it.
    """
    bench.send(60)
    bench.rtl.run(2 * OPERATION)
    hurt(bench, "S")
    answers = bench.wait(60)
    assert Counter(answer.job_id for answer in answers) == dict.fromkeys(range(60), 1)
    statuses = of_core(answers, FAULTY)
    assert statuses.count(JobStatus.FAULT) == 1
    behind = statuses.index(JobStatus.FAULT) + 1
    assert statuses[behind] is JobStatus.SERVICE, "the job behind the fault comes back, not run"
    assert statuses.count(JobStatus.SERVICE) == 1
    assert statuses[behind + 1 :].count(JobStatus.OK) >= 5, "the core is in service again"
    assert bench.read(regs.SERVICE) == 0b111
    assert [bench.core(i, regs.CORE_FAULTS) for i in range(CORES)] == [0, 1, 0]
    assert set(of_core(answers, 0) + of_core(answers, 2)) == {JobStatus.OK}
    bench.rtl.close()


def test_a_lasting_fault_takes_the_core_out_and_the_others_keep_their_pace(bench: Bench) -> None:
    """Its prime is wrong, so that it cannot set up its key again."""
    bench.send(60)
    bench.rtl.run(2 * OPERATION)
    hurt(bench, "P")
    answers = bench.wait(60)
    assert Counter(answer.job_id for answer in answers) == dict.fromkeys(range(60), 1)
    fault, behind = of_core(answers, FAULTY)[-2:]
    assert fault in (JobStatus.FAULT, JobStatus.KEY)
    assert behind is JobStatus.SERVICE
    assert bench.read(regs.SERVICE) == 0b101
    assert bench.read(regs.OUT_OF_SERVICE) == 0b010
    assert field_of(bench.core(FAULTY, regs.STATUS), regs.STATUS_ERROR_MASK) == RsaStatus.KEY
    single = Schedule(bench).private_cycles
    for core in (0, 2):
        ends = [p[-1].clock for p in bench.packets() if p[-1].data >> 24 == core]
        pace = mean(b - a for a, b in pairwise(ends))
        assert single <= pace <= 1.02 * single
    assert set(of_core(answers, 0) + of_core(answers, 2)) == {JobStatus.OK}
    bench.load()
    bench.send(6)
    assert of_core(bench.wait(66)[60:], FAULTY) == [JobStatus.OK] * 2
    bench.rtl.close()


@pytest.mark.parametrize("before", [0, 2])
@pytest.mark.parametrize("limit", [1, 2, 0])
def test_the_limit_of_faults(limit: int, before: int, bench: Bench) -> None:
    """A limit below the faults before it acts at the next one."""
    for fault in range(3):
        if fault == before:
            bench.write(regs.FAULT_LIMIT, limit)
        bench.send(CORES)
        bench.rtl.run(OPERATION // 2)
        hurt(bench, "C2", copies="ab")
        bench.wait(CORES * (fault + 1))
        bench.idle()
        out = before <= fault and 0 < limit <= fault + 1
        counted = min(fault + 1, limit) if limit and not before else fault + 1
        assert bench.read(regs.OUT_OF_SERVICE) == (1 << FAULTY if out else 0)
        assert bench.core(FAULTY, regs.CORE_FAULTS) == counted
    bench.rtl.close()


def test_with_every_core_out_jobs_are_answered_not_held(bench: Bench) -> None:
    bench.send(CORES)
    bench.rtl.run(OPERATION // 10)
    for core in range(CORES):
        hurt(bench, "P", core)
    bench.wait(CORES)
    bench.idle()
    assert bench.read(regs.SERVICE) == 0
    bench.send(10)
    assert {answer.status for answer in bench.wait(CORES + 10)[CORES:]} == {JobStatus.SERVICE}
    bench.load()
    bench.send(CORES)
    assert {a.status for a in bench.wait(2 * CORES + 10)[-CORES:]} == {JobStatus.OK}
    bench.rtl.close()


def test_a_result_that_changes_before_it_is_fetched_is_a_fault(bench: Bench) -> None:
    bench.rtl.pauses(0, 256)
    bench.send(3 * CORES)
    bench.rtl.run(4 * OPERATION)  # each core has one answer in its outbox and one result inside
    hurt(bench, "M")
    bench.rtl.pauses(0, 0)
    statuses = of_core(bench.wait(3 * CORES), FAULTY)
    assert statuses == [JobStatus.OK, JobStatus.FAULT, JobStatus.SERVICE]
    bench.rtl.close()


# What is not zero in a generator that has seen no word.
GENERATOR_AT_REST = {
    *("state_q", "count_inv_q", "start_q", "lane_start_q", "start2_q", "run_q", "hit_q", "same_q"),
    *("begins_q", "lane_begins_q"),  # the next word is the first one
}

# Registers of the farm that say nothing of keys, messages and results; wr_data_q follows the last
# word that was written on the bus, which is the command to zeroize.
OWN_PUBLIC = PUBLIC | {
    *("in_job_q", "job_q", "in_status_q", "setup_q", "no_setup_q", "since_q", "read_addr_q"),
    *("behind_q", "next_q", "addr_q", "stands_q", "rnd_turn_q", "jobs_q", "faults_q", "open_q"),
    *("bad_q", "left_q", "allowed_q", "ar_word_q", "aw_word_q", "w_strb_q", "rsp_data_q"),
    *("rsp_err_q", "key_we_q", "reg_req_q", "in_full_q", "active_q", "wr_data_q"),
    *("in_status_inv_q", "status_inv_q", "out_status_q", "out_status_inv_q"),
    *("in_seq_q", "seq_q", "out_seq_q", "first_q", "next_q", "out_job_q"),
    *("live_q", "good_q", "ran_q", "void_q", "same_q", "whole_q", "ok_q"),
    *("sent_q", "lost_q", "free_q", "ready_q", "able_q", "set_q", "rest_q", "rests_q", "idle_o"),
    *("closed_q", "shown_q", "plain_q", "strange_q", "push_job_q", "number_q", "same_job_q"),
    *("sound_q", "core_addr_q", "key_addr_q", "core_status_q", "run_entry_q", "as_sent_q"),
    *("rnd_to_q", "rnd_wanted_q", "changed_q", "run_entry_inv_q", "core_addr_inv_q"),
    *("known_q", "gone_q", "bound_q", "keep_q", "over_q", "clear_q"),
}


# The first words of a job that the farm has not begun.
WAITING = tuple(f"u_skid_in.{place}.word_q" for place in ("u_out", "u_spill"))

# Addresses of dispatcher and collector, the cores that they have chosen, whether the collector's
# words move, what its answer says beside the result.
COUNTS = (
    *("u_count.u_vote.word_q", "u_next.u_vote.word_q", "u_age.word_q"),
    *("u_go.word_q", "u_front.word_q", "u_takes.word_q", "u_state.word_q"),
    *("u_chosen.word_q", "u_full.word_q"),
)


def other_forms(bench: Bench) -> set[str]:
    """Forms of registers in three forms beside the plain one, which is looked at."""
    names = [register.name for register in bench.rtl.registers()]
    voted = [name.removesuffix("masked_q") for name in names if name.endswith(".masked_q")]
    # Two ports of two places, three counts, three registers of the dispatcher, three of the
    # collector, the cores that both have chosen, the states of both and of each member, whether
    # those of both were lost, whether the generator has failed.
    assert len(voted) == 23
    return {place + form for place in voted for form in ("inverse_q", "masked_q", "mask_q")}


# In the arithmetic's pipeline of three words, the bits that say "last word" follow left_q, which
# keeps counting nothing; the words beside them must be zero.
STAGE_BITS, LAST_BIT = 67, 64
STAGE_LASTS = [STAGE_BITS * stage + LAST_BIT for stage in range(3)]


def is_zero_without(
    bench: Bench, register: Register, bits: list[int], numbers: Iterable[int] | None = None
) -> bool:
    """Whether no other bit of a register of one element is set, and so many of these."""

    def flipped(chosen: tuple[int, ...]) -> bool:
        for bit in chosen:
            bench.rtl.flip(register, 0, bit)
        return bench.rtl.is_zero(register)

    counts = range(len(bits) + 1) if numbers is None else numbers
    for chosen in chain.from_iterable(combinations(bits, n) for n in counts):
        zero = flipped(chosen)
        flipped(chosen)
        if zero:
            return True
    return False


def says_nothing(bench: Bench, register: Register) -> bool:
    """Whether only ends of words, an address above a word, or a checksum's word of ones remain."""
    if register.name.endswith("u_crc.word_inv_q"):
        ones = [*range(32)]
        return is_zero_without(bench, register, ones, [32])
    if register.name.endswith("u_alu.stage_q"):
        return is_zero_without(bench, register, STAGE_LASTS)
    addresses = [*range(32, register.element_bits)] if ".u_puts." in register.name else []
    return bool(addresses) and is_zero_without(bench, register, addresses)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 1.05, 2.3])
def test_zeroize_answers_every_job_and_leaves_nothing(part: float, bench: Bench) -> None:
    bench.rtl.pauses(30, 60, bench.rng.randrange(1, 2**32))
    bench.send(5 * CORES)
    bench.rtl.run(int(part * OPERATION) + bench.rng.randrange(50))
    bench.rtl.starve(True)  # after a wipe each core takes a fresh word
    bench.write(regs.CTRL, regs.CTRL_ZEROIZE_MASK)
    bench.rtl.run(3000)
    begun = -(-bench.rtl.num_taken_beats // PACKET)
    bench.idle()
    answers = bench.answers()
    assert Counter(a.job_id for a in answers) == dict.fromkeys(range(len(answers)), 1)
    assert begun - 1 <= len(answers) <= begun, "the first words of one job wait at the port"
    assert {a.status for a in answers} <= {JobStatus.OK, JobStatus.ZEROIZED}
    assert JobStatus.ZEROIZED in {a.status for a in answers}
    assert bench.read(regs.SERVICE) == bench.read(regs.ACCEPT) == 0
    forms = other_forms(bench)
    left = [
        register.name
        for register in bench.rtl.registers()
        if register.name.endswith("_q")
        and not bench.rtl.is_zero(register)
        and not register.name.endswith(IDLE_COMMAND)
        and not register.name.endswith((*WAITING, *COUNTS))
        and ".u_rom." not in register.name  # the program, in every package
        and ".u_told." not in register.name  # whether the host has said how long e is
        and register.name not in forms
        and not says_nothing(bench, register)
    ]
    inside = {name for name in left if ".u_entropy." in name}
    assert {name.rsplit(".", 1)[1] for name in inside} <= GENERATOR_AT_REST
    names = {name.rsplit(".", 1)[1] for name in left if name not in inside}
    assert names <= OWN_PUBLIC, left
    bench.write(regs.ACCEPT, 1)
    rest = bench.wait(5 * CORES)[len(answers) :]
    assert {a.status for a in rest} == {JobStatus.NO_KEY}
    bench.rtl.close()


def test_zeroize_cuts_an_answer_that_is_on_its_way(bench: Bench) -> None:
    """Words that have not left are zero, and the last word says that they do not count."""
    bench.send(1)
    bench.rtl.run_until(1, 10**6)
    bench.rtl.pauses(0, 256)
    bench.write(regs.CTRL, regs.CTRL_ZEROIZE_MASK)
    bench.rtl.pauses(0, 0)
    assert bench.rtl.run_until(PACKET, 10**6) == PACKET
    words = [beat.data for beat in bench.rtl.answer_beats()]
    result = pow(bench.sent[0], bench.key.d, bench.key.n)
    assert JobStatus(words[-1] >> 16 & 0xF) is JobStatus.ZEROIZED
    assert words[0] == result & 0xFFFFFFFF, "it had left before"
    assert words[NUM_WORDS - 1] == 0 != result >> 96
    bench.rtl.close()


WINDOWS = ("P", "Q", "DP", "DQ", "QI", "E", "D")


def test_no_window_can_be_read(bench: Bench) -> None:
    bench.send(1)
    bench.wait(1)
    bench.write(regs.ACCEPT, 0)
    bench.idle()
    places = [getattr(regs, f"{name}_WINDOW") for name in WINDOWS] + [0x8000, 0x9000, 0xF000]
    for place in places:
        for word in (0, 1, 3, 1023):
            assert bench.rtl.read(place + 4 * word) == (2, 0)
    bench.rtl.close()


def refused(bench: Bench) -> list[bool]:
    """Writes to each key window, to E_BITS, and CTRL.derive, CTRL.key: which are refused."""
    places = [getattr(regs, f"{name}_WINDOW") for name in WINDOWS] + [regs.E_BITS]
    answers = [bench.rtl.write(place, 17) for place in places]
    for command in (regs.CTRL_DERIVE_MASK, regs.CTRL_KEY_MASK):
        answers.append(bench.rtl.write(regs.CTRL, command))
        bench.rtl.run(20_000)
    return [answer == 2 for answer in answers]


def test_a_valid_key_cannot_be_changed_though_unlocked(bench: Bench) -> None:
    """Each write is answered with an error; `key` and jobs then find every word as it was."""
    bench.write(regs.ACCEPT, 0)
    bench.idle()
    assert not bench.read(regs.STATUS) & regs.STATUS_LOCKED_MASK
    assert refused(bench) == [True] * 9 + [False]
    bench.write(regs.ACCEPT, 1)
    bench.send(CORES)
    assert {answer.status for answer in bench.wait(CORES)} == {JobStatus.OK}
    bench.rtl.close()


def test_one_core_with_a_key_is_enough_to_refuse(bench: Bench) -> None:
    """The others have lost theirs to an alarm, or never had one."""
    bench.write(regs.ACCEPT, 0)
    bench.idle()
    for core in (0, 2):
        bench.rtl.flip(register(bench, "u_control.hot_inv_q", core), 0, 0)
    bench.rtl.run(2000)
    assert bench.read(regs.SERVICE) == 1 << FAULTY
    assert all(refused(bench)[:9])
    bench.rtl.flip(register(bench, "u_control.hot_inv_q"), 0, 0)
    bench.rtl.run(2000)
    assert all(refused(bench)[:9]), "after an alarm no core takes a key"
    bench.write(regs.CTRL, regs.CTRL_ZEROIZE_MASK)
    bench.idle()
    bench.load()
    bench.rtl.close()


def test_the_key_can_be_changed_only_at_rest_and_unlocked(bench: Bench) -> None:
    assert all(refused(bench)), "the farm takes jobs"
    bench.send(1)
    bench.rtl.run(100)
    bench.write(regs.ACCEPT, 0)
    assert all(refused(bench)[:8]), "a job runs"
    bench.wait(1)
    bench.idle()
    bench.write(regs.CTRL, regs.CTRL_LOCK_MASK)
    assert refused(bench) == [True] * 9 + [False], "locked: the key can be set up, not changed"
    bench.write(regs.ACCEPT, 1)
    bench.send(2)
    assert {answer.status for answer in bench.wait(3)} == {JobStatus.OK}
    bench.write(regs.CTRL, regs.CTRL_ZEROIZE_MASK)
    bench.idle()
    assert not any(refused(bench))
    bench.rtl.close()


def test_a_key_given_by_its_exponent(bench: Bench) -> None:
    """The command derive, then key."""
    bench.write(regs.ACCEPT, 0)
    bench.idle()
    bench.write(regs.CTRL, regs.CTRL_ZEROIZE_MASK)
    bench.idle()
    bench.put_key(bench.key)
    for name in ("DP", "DQ", "QI"):
        for word in range(2):
            bench.write(getattr(regs, f"{name}_WINDOW") + 4 * word, 0)
    for word in range(4):
        bench.write(regs.D_WINDOW + 4 * word, bench.key.d >> 32 * word & 0xFFFFFFFF)
    for command in (regs.CTRL_DERIVE_MASK, regs.CTRL_KEY_MASK):
        bench.write(regs.CTRL, command)
        bench.idle()
    bench.write(regs.ACCEPT, 1)
    bench.send(CORES)
    assert {answer.status for answer in bench.wait(CORES)} == {JobStatus.OK}
    bench.rtl.close()


def test_interrupts(bench: Bench) -> None:
    """Done when the last core has ended its program, fault when a job has."""
    bench.write(regs.IRQ_ENABLE, regs.IRQ_ENABLE_DONE_MASK | regs.IRQ_ENABLE_FAULT_MASK)
    assert bench.read(regs.IRQ_STATUS) == regs.IRQ_STATUS_DONE_MASK
    bench.write(regs.IRQ_STATUS, regs.IRQ_STATUS_DONE_MASK)
    assert not bench.rtl.wait(1000)
    bench.send(1)
    bench.rtl.run(OPERATION // 10)
    hurt(bench, "P", core=0)
    assert bench.rtl.wait(2 * OPERATION)
    assert bench.read(regs.IRQ_STATUS) == regs.IRQ_STATUS_FAULT_MASK
    bench.write(regs.IRQ_STATUS, regs.IRQ_STATUS_FAULT_MASK)
    bench.write(regs.ACCEPT, 0)
    bench.idle()
    bench.write(regs.CTRL, regs.CTRL_KEY_MASK)
    assert bench.rtl.wait(2 * OPERATION)
    bench.idle()
    bench.rtl.close()
