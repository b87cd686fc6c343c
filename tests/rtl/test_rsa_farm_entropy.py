# SPDX-License-Identifier: Apache-2.0
"""The generator in front of a farm's cores: what it refuses, and what its failure leaves."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from modfab.host.core_device import field_of
from modfab.host.generated import mf_rsa_farm_regs as regs
from modfab.models.generated.status import JobStatus, RsaStatus
from modfab.sim.registers import Register
from tests.rtl.test_rsa_farm_bits import HURT, flip, run_dry
from tests.support.farm_core import Bench

CORES = 3
OPERATION = 8000  # a little more than the cycles of a private operation

WORDS = f"gen_core[{HURT}].u_member.u_words"


@pytest.fixture
def bench(rng: random.Random) -> Bench:
    made = Bench(CORES, rng)
    made.load()
    return made


def generator(bench: Bench, end: str) -> Register:
    """A register of the generator in front of the cores."""
    name = f"u_farm.u_entropy.{end}"
    return next(register for register in bench.rtl.registers() if register.name.endswith(name))


def test_a_failed_generator_ends_jobs_and_the_keys_stay(bench: Bench) -> None:
    """Its state is none; below the limit of faults the cores stay in service."""
    bench.write(regs.FAULT_LIMIT, 0)
    assert not bench.read(regs.STATUS) & regs.STATUS_ENTROPY_FAILED_MASK
    bench.rtl.flip(generator(bench, "state_q"), 0, 0)
    bench.rtl.run(20)
    own = bench.rtl.own_registers()
    for core in range(CORES):
        assert bench.rtl.is_zero(own[f"gen_core[{core}].u_member.u_words.word_q"])
    bench.send(3 * CORES)
    assert {answer.status for answer in bench.wait(3 * CORES)} == {JobStatus.ENTROPY}
    bench.idle()
    assert bench.read(regs.STATUS) & regs.STATUS_ENTROPY_FAILED_MASK
    assert bench.read(regs.SERVICE) == (1 << CORES) - 1
    assert bench.core(0, regs.CORE_FAULTS) == 3
    bench.load()
    assert not bench.read(regs.STATUS) & regs.STATUS_ENTROPY_FAILED_MASK
    bench.send(CORES)
    assert {answer.status for answer in bench.wait(4 * CORES)[3 * CORES :]} == {JobStatus.OK}
    bench.rtl.close()


def test_entropy_is_tested_before_a_key_uses_it(bench: Bench) -> None:
    """Always the same word after zeroize: no core takes the key."""
    bench.write(regs.ACCEPT, 0)
    bench.idle()
    bench.rtl.stick()
    bench.write(regs.CTRL, regs.CTRL_ZEROIZE_MASK)
    bench.idle()
    bench.put_key(bench.key)
    bench.write(regs.CTRL, regs.CTRL_KEY_MASK)
    bench.idle()
    assert bench.read(regs.SERVICE) == 0
    assert field_of(bench.core(0, regs.STATUS), regs.STATUS_ERROR_MASK) == RsaStatus.ENTROPY
    assert bench.read(regs.STATUS) & regs.STATUS_ENTROPY_FAILED_MASK
    bench.rtl.starve(False)
    bench.load()
    bench.rtl.close()


def test_a_silent_entropy_port_does_not_stop_a_seeded_farm(bench: Bench) -> None:
    """The generator waits for no word once it has its seed."""
    bench.rtl.starve(True)
    bench.send(10 * CORES)
    assert {answer.status for answer in bench.wait(10 * CORES)} == {JobStatus.OK}
    bench.rtl.close()


@pytest.mark.parametrize("number", range(4))
def test_a_changed_bit_of_the_generator_changes_no_result(number: int, bench: Bench) -> None:
    """Other random words, or a failed generator; never a wrong answer."""
    del number
    found = [r for r in bench.rtl.registers() if ".u_farm.u_entropy." in r.name]
    chosen = bench.rng.choice(found)
    bench.send(3 * CORES)
    bench.rtl.run(bench.rng.randrange(OPERATION))
    bench.rtl.flip(chosen, 0, bench.rng.randrange(chosen.element_bits))
    statuses = {answer.status for answer in bench.wait(3 * CORES)}
    assert statuses <= {JobStatus.OK, JobStatus.ENTROPY, JobStatus.SERVICE}, chosen.name
    bench.rtl.close()


def waiting(bench: Bench, words: Sequence[Register]) -> set[int]:
    """The random words that wait for a core, in its registers `word_q`, `full_q` and `gone_q`."""
    held, (full,), (gone,) = map(bench.rtl.words_of, words)
    return {word for i, word in enumerate(held) if full & ~gone & 1 << i}


def test_each_random_word_is_for_one_core_which_takes_it_once(bench: Bench) -> None:
    """Each word of the generator comes once, in no second core, and goes into the core's memory."""
    own = bench.rtl.own_registers()
    places = [
        [own[f"gen_core[{i}].u_member.u_words.{name}"] for name in ("word_q", "full_q", "gone_q")]
        for i in range(CORES)
    ]
    written = [r for r in bench.rtl.registers() if r.name.endswith("u_memory.wr_data_q")]
    before = [waiting(bench, place) for place in places]
    seen, gone, taken, made = set[int]().union(*before), set[int](), set[int](), set[int]()
    words = [generator(bench, name) for name in ("even_q", "odd_q")]
    turn, first = generator(bench, "odd_turn_q"), set(seen)

    def watch(cycles: int) -> None:
        for _ in range(cycles):
            (odd,) = bench.rtl.words_of(turn)
            (word,) = bench.rtl.words_of(words[odd])
            bench.rtl.run(1)
            if bench.rtl.words_of(turn) != [odd]:
                made.add(word)
            for core, memory in enumerate(written):
                old, now = before[core], waiting(bench, places[core])
                assert not (now - old) & (seen | {0})
                seen.update(now)
                gone.update(old - now)
                taken.update(bench.rtl.words_of(memory))
                before[core] = now

    bench.send(2 * CORES)
    watch(OPERATION)
    assert len(gone) > 9
    assert gone <= taken
    bench.write(regs.CTRL, regs.CTRL_ZEROIZE_MASK)
    bench.rtl.run(100)
    watch(1500)  # the generator starts again, and each core takes its words at once
    assert [len(words) for words in before] == [2] * CORES
    assert seen - first == made
    bench.rtl.close()


@pytest.mark.parametrize("bit", range(2))
def test_a_changed_bit_makes_no_random_word(bit: int, bench: Bench) -> None:
    own = bench.rtl.own_registers()
    words = [own[f"{WORDS}.{name}"] for name in ("word_q", "full_q", "gone_q")]
    run_dry(bench, words[0])
    flip(bench, f"{WORDS}.full_q", bit)
    bench.rtl.run(1)
    assert 0 not in waiting(bench, words)
    bench.rtl.close()
