# SPDX-License-Identifier: Apache-2.0
"""A farm with small cores: each takes the cycles of its formula, and jobs go by speed."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from modfab.build.compose import compose
from modfab.build.farm import FarmCore, farm_core_of
from modfab.build.rsa_programs import cfg_literal
from modfab.errors import UsageError
from modfab.host.generated import mf_rsa_farm_regs as regs
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.packets import job_words
from modfab.numbers import to_words
from tests.support.farm_core import NUM_WORDS, Bench, check_schedule

PARAMS = {"Contexts": 1, "QuotientTables": 1}
OPTIONS = {"engines": 2, "pair": 1}
SMALL = {"cores": 2, "small_cores": 1, "small_elements": 3}
ADDS = {"LoadSum": 1, "FactorSlots": 16, "NumSlots": 48}


def mixed(options: Mapping[str, int], num_bits: int = 128, adds: bool = False) -> FarmCore:
    """A core with tables on a dual-port engine, and one with two folded engines.

    Args:
        options: Beside `OPTIONS` and `SMALL`.
        num_bits: Of n.
        adds: Loads of the first core add, and exponentiations have windows of five bits.
    """
    given, params = {**OPTIONS, **SMALL, **options}, {**PARAMS, **(ADDS if adds else {})}
    return farm_core_of("qp_systolic", num_bits, params, "window5" if adds else "window", given)


@pytest.mark.parametrize(
    ("jobs", "answers", "adds"),
    [(0, 0, False), (120, 180, False), (0, 90, True)],
    ids=["no pauses", "pauses", "loads that add"],
)
def test_schedule_and_values_are_the_models(
    jobs: int, answers: int, adds: bool, rng: random.Random
) -> None:
    bench = Bench(2, rng, mixed({}, adds=adds))
    bench.load()
    packets = [
        job_words(job_id, to_words(bench.message(), NUM_WORDS), public=rng.random() < 0.3)
        for job_id in range(14)
    ]
    check_schedule(bench, packets, jobs, answers)
    bench.rtl.close()


def test_jobs_go_by_speed(rng: random.Random) -> None:
    farm = mixed({})
    bench, own = Bench(2, rng, farm), farm.own_cycles(RsaEntry.PRIVATE)
    bench.load()
    bench.send(40)
    answers = bench.wait(40)
    assert [bench.core(i, regs.CYCLES_LO) for i in (0, 1)] == own
    shares = [sum(answer.core == i for answer in answers[:30]) for i in (0, 1)]
    assert abs(shares[0] / shares[1] - own[1] / own[0]) < 0.35, shares
    ends = [packet[-1].clock for packet in bench.packets()][2:36]
    assert (ends[-1] - ends[0]) / (len(ends) - 1) == pytest.approx(farm.full_cycles(own), rel=0.06)
    bench.rtl.close()


@pytest.mark.parametrize("elements", [4, 8, 16, 30])
@pytest.mark.parametrize("options", [{}, {"hardened": 0}], ids=["hardened", "basic"])
def test_programs_and_memory_map_of_a_small_core_are_the_others(
    elements: int, options: dict[str, int]
) -> None:
    farm = mixed({"small_elements": elements, **options}, 2048)
    assert farm.small
    assert farm.small.image == farm.rsa.image
    assert [*compose(farm, True, "farm")] == ["farm_rom.sv", "farm.sv"]
    rows, others = (set(cfg_literal(one).splitlines()) for one in (farm.rsa, farm.small))
    differ = {row.split(":")[0].strip() for row in rows ^ others}
    assert differ <= {"watchdog_cycles", "unit_wipe"}


@pytest.mark.parametrize("num_bits", [128, 256, 2048])
@pytest.mark.parametrize("options", [{}, {"hardened": 0}], ids=["hardened", "basic"])
def test_a_small_core_beside_one_whose_loads_add_has_its_own_programs(
    num_bits: int, options: dict[str, int]
) -> None:
    """Its loads do not add; every word has the same address."""
    farm = mixed(options, num_bits, adds=True)
    assert farm.small
    assert (farm.rsa.sum_bits > 0, farm.small.sum_bits) == (True, 0)
    assert farm.small.image != farm.rsa.image
    assert farm.small.image.variables == farm.rsa.image.variables
    assert [*compose(farm, True, "farm")] == ["farm_small_rom.sv", "farm_rom.sv", "farm.sv"]


@pytest.mark.parametrize("adds", [False, True], ids=["", "loads that add"])
def test_the_options_give_the_farm_again(adds: bool) -> None:
    farm = mixed({}, adds=adds)
    assert farm.small
    assert farm.choices() == {**farm.rsa.choices(), **SMALL}
    options = farm.choices()
    del options["half_bits"]
    params, sequencer = farm.unit.params, farm.unit.sequencer_name
    given = {name: params[name] for name in (*PARAMS, *(ADDS if adds else {}))}
    assert farm_core_of("qp_systolic", 128, given, sequencer, options) == farm
    assert "small_cores" not in FarmCore(farm.rsa, 2).choices()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"small_cores": 2}, "Of 2 cores 0 to 1 can be small ones, but 2 were to be"),
        ({"small_elements": 0}, "and small_elements with it"),
        ({"small_cores": 0}, "and small_elements with it"),
        ({"small_cores": -1}, "but -1 were to be"),
        ({"small_elements": 99}, "NumElements"),
    ],
)
def test_small_cores_that_cannot_be(options: dict[str, int], text: str) -> None:
    with pytest.raises(UsageError, match=text):
        mixed(options)


def test_an_engine_that_does_not_fold_has_no_small_cores() -> None:
    with pytest.raises(UsageError, match="the engine is sos and engines=1"):
        farm_core_of("sos", 128, {}, "ladder", SMALL)
