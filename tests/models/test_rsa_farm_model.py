# SPDX-License-Identifier: Apache-2.0
"""The farm's formulas are the cycles of its model, and its page names them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest

from modfab.build.farm import CHANGE_CYCLES, LONE_CYCLES, farm_core
from modfab.models.generated.status import JobStatus
from modfab.models.rsa.farm import Farm, Word
from modfab.models.rsa.farm_member import Outcome
from modfab.models.rsa.packets import job_words
from modfab.paths import rtl_dir

OWN = 1000
"""Cycles of every operation of the cores in these tests."""


def first_words(
    cores: int, num_words: int, jobs: int, owns: Sequence[int] | None = None
) -> list[int]:
    """Send jobs back to back; the cycles in which the first words of the answers are offered.

    The first word of the first job is taken in clock 0. `owns` are the cycles of each core's
    operations, when they are not `OWN`.
    """

    def operate(core: int, words: Sequence[int], public: bool) -> Outcome:
        del public
        return Outcome(JobStatus.OK, tuple(words), owns[core] if owns else OWN)

    def recover(core: int) -> Outcome:
        raise AssertionError(f"core {core} has no fault here")

    farm = Farm(cores, num_words, operate, recover)
    packets = [job_words(number, [number] * num_words) for number in range(jobs)]
    words = [Word(word, i == num_words) for packet in packets for i, word in enumerate(packet)]
    cycles, whole = [], True
    for clock in range(jobs * (max(owns or [OWN]) + 24 * num_words)):
        word, answer = words[0] if words else None, farm.answer
        if answer and whole:
            cycles.append(clock)
        whole = answer.last if answer else whole
        if word and farm.ready:
            words = words[1:]
        farm.step(word, ready=True)
    return cycles


@pytest.mark.parametrize("num_words", [2, 4, 7, 64])
def test_a_job_alone_takes_the_cycles_of_the_formula(num_words: int) -> None:
    assert first_words(1, num_words, 1) == [OWN + LONE_CYCLES.at(num_words)]
    assert first_words(3, num_words, 1) == [OWN + LONE_CYCLES.at(num_words)]


@pytest.mark.parametrize("num_words", [2, 4, 7, 64])
def test_a_core_of_a_full_queue_takes_the_cycles_of_the_formula(num_words: int) -> None:
    cycles = first_words(1, num_words, 6)
    steps = {later - earlier for earlier, later in pairwise(cycles)}
    assert steps == {OWN + CHANGE_CYCLES.at(num_words)}


@pytest.mark.parametrize("cores", [2, 3])
def test_cores_share_a_full_queue(cores: int) -> None:
    config = farm_core("bit_serial", 64, cores)
    cycles = first_words(cores, config.num_words, 6 * cores)
    own = (cycles[-1] - cycles[cores - 1]) / (5 * cores)
    assert abs(own - (OWN + CHANGE_CYCLES.at(config.num_words)) / cores) < 1
    assert config.lone_cycles(OWN) == first_words(cores, config.num_words, 1)[0]
    assert (
        0
        <= config.full_cycles([OWN] * cores) - (OWN + CHANGE_CYCLES.at(config.num_words)) / cores
        < 1
    )


def test_cores_of_different_speed_share_a_full_queue() -> None:
    config, owns = farm_core("bit_serial", 64, 3), [1000, 1000, 2300]
    cycles = first_words(3, config.num_words, 90, owns)
    steady = cycles[30:80]  # at the end a core waits for the slowest one
    found = (steady[-1] - steady[0]) / (len(steady) - 1)
    assert abs(found / config.full_cycles(owns) - 1) < 0.02


def test_the_page_of_the_farm_names_the_formula() -> None:
    page = (rtl_dir() / "farm" / "README.md").read_text()
    assert f"{CHANGE_CYCLES.text} cycles" in " ".join(page.split())
