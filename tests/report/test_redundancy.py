# SPDX-License-Identifier: Apache-2.0
"""What redundancy and the pipelined form gain: which measurements count, and the table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from modfab.flow.record import Record
from modfab.flow.stored import medians
from modfab.pages.studies.redundant_mul import redundancy_block
from modfab.report.redundancy import Gain, gains, pipelined, published_gain, scaling, shares
from tests.flow.test_store import record

PARAMS = {"NumBits": 1024, "NumSlots": 8, "DigitBits": 16}


def routed(redundant: int, mhz: float, exp: int, **changes: Any) -> list[Record]:
    """A synthesis and its routing with seed 1."""
    made = []
    for seed in (None, 1):
        one = record(seed=seed, mhz=mhz if seed else None, cycles={"mul": 1, "exp": exp})
        request = replace(
            one.request,
            engine="redundant_mul",
            sequencer="l2r",
            level="modexp",
            params=PARAMS | {"Redundant": redundant},
            exp_bits=1024,
            target="ecp5-85k",
        )
        made.append(replace(one, request=replace(request, **changes)))
    return made


def alone(mhz: float, cycles: dict[str, int], stages: int = 0) -> list[Record]:
    """The redundant engine alone, single or pipelined."""
    params = PARAMS | {"Redundant": 1, "PipelineStages": stages}
    made = routed(1, mhz, 9, sequencer="ladder", level="engine", params=params)
    return [replace(one, cycles=cycles) for one in made]


SINGLE, PIPE = {"mul": 100, "exp": 9}, {"mul": 150, "mul2": 160, "exp": 9}


def test_gains_compare_the_same_width() -> None:
    known = gains([*routed(0, 20.0, 100), *routed(1, 50.0, 125), *alone(100.0, PIPE, 5)])
    assert [(g.engine, g.num_bits, g.clock, g.speed) for g in known] == [
        ("redundant_mul", 1024, 2.5, 2.0)
    ]
    assert gains(routed(1, 50.0, 125)) == []
    short, wide = {"exp_bits": 17}, {"params": PARAMS | {"Redundant": 0, "DigitBits": 18}}
    for other in (short, wide):
        assert gains([*routed(0, 20.0, 100, **other), *routed(1, 50.0, 125)]) == []


def test_the_pipelined_form_is_set_against_the_redundant_one() -> None:
    fast = alone(200.0, PIPE, 5)
    (gain,) = pipelined([*alone(50.0, SINGLE), *fast])
    assert (gain.clock, gain.speed, gain.times_us) == (4.0, 5.0, (2.0, 0.4))
    assert pipelined(fast) == []


def test_an_engine_alone_is_not_set_against_an_exponentiator() -> None:
    fast = alone(200.0, PIPE, 5)
    assert pipelined([*routed(0, 20.0, 100), *routed(1, 50.0, 100), *fast]) == []
    slow, pipe = (medians(found)[0] for found in (routed(1, 50.0, 100), fast))
    for work in ("exp", "mul"):
        with pytest.raises(ValueError, match=f"says nothing about the time of {work}"):
            _ = Gain("redundant_mul", 1024, slow, pipe, work).speed


def test_scaling_needs_two_widths_in_both_systems() -> None:
    wide = [*routed(0, 20.0, 100), *routed(1, 50.0, 125)]
    assert scaling(wide) == {}

    def at(num_bits: int, mhz: tuple[float, float]) -> list[Record]:
        params = PARAMS | {"NumBits": num_bits}
        return [
            found
            for redundant in (0, 1)
            for found in routed(
                redundant,
                mhz[redundant],
                9,
                params=params | {"Redundant": redundant},
                exp_bits=num_bits,
            )
        ]

    narrow = [*at(64, (40.0, 62.5)), *at(256, (30.0, 60.0))]
    assert scaling([*wide, *narrow]) == {"redundant_mul": (64, 1024, 0.8, 0.5)}
    text = redundancy_block([*wide, *narrow])
    assert "1024 bits run at 0.80 of the frequency of 64 bits, without at 0.50." in text


def with_path(
    num_bits: int, times: tuple[float, float], engine: str = "redundant_mul", locked: bool = True
) -> list[Record]:
    """A routed redundant exponentiator whose longest path has that logic and routing."""
    made = routed(1, 1000 / sum(times), 9, params=PARAMS | {"NumBits": num_bits, "Redundant": 1})
    path = {
        "logic_ns": times[0],
        "routing_ns": times[1],
        "longest_ns": 1.25,
        "levels": 9,
        "start": "u_dut.u_engine.u_engine.gen_single.u_core.two_q",
        "end": "u_engine.acc",
    }
    return [
        replace(
            one,
            request=replace(one.request, engine=engine, exp_bits=num_bits, locked=locked),
            path=path if one.mhz else {"logic_ns": 1.0},
        )
        for one in made
    ]


def test_a_cycle_is_split_into_logic_and_routing() -> None:
    known = [*with_path(64, (8.0, 10.0)), *with_path(1024, (8.0, 17.0))]
    low, high = shares(known)
    assert (low.num_bits, low.logic_ns, low.routing_ns, low.longest_ns) == (64, 8.0, 10.0, 1.25)
    assert (high.num_bits, high.mhz, high.ends) == (1024, 40.0, ("u_core.two_q", "acc"))
    text = redundancy_block(known)
    row = "| 1024 | 40.0 | locked | 8.0 | 17.0 | 1.2 | `u_core.two_q` to `acc` |"
    assert row in text
    assert "at 1024 bits logic takes 1.00 times and routing takes 1.70 times as long" in text
    assert shares(routed(1, 40.0, 9)) == []


def test_the_path_is_that_of_the_seed_at_the_median() -> None:
    runs = [with_path(64, (8.0, routing))[1] for routing in (32.0, 12.0, 2.0)]
    synthesis, _ = with_path(64, (8.0, 12.0))
    seeds = [
        replace(run, request=replace(run.request, seed=seed)) for seed, run in enumerate(runs, 1)
    ]
    (share,) = shares([synthesis, *seeds])
    assert (share.mhz, share.routing_ns) == (50.0, 12.0)


@pytest.mark.parametrize(
    ("locks", "said"),
    [
        ((False, False), "; nothing locked in either."),
        ((True, True), "; multipliers locked in both."),
        ((True, False), ", but only the form with multipliers is locked to sites."),
        ((False, True), ", but only the form with tables is locked to sites."),
    ],
)
def test_the_forms_of_k_times_m_say_their_conditions(locks: tuple[bool, bool], said: str) -> None:
    known = [
        *with_path(1024, (8.0, 17.0), locked=locks[0]),
        *with_path(1024, (8.0, 12.0), "redundant_lut", locks[1]),
    ]
    what = "k * M from tables runs at 1.25 of the frequency of k * M by multipliers"
    assert f"* **1024 bits**: {what}{said}\n" in redundancy_block(known)


@pytest.mark.parametrize("engine", ["redundant_mul", "redundant_lut"])
@pytest.mark.parametrize("num_bits", [64, 1024])
def test_the_papers_own_gain(engine: str, num_bits: int) -> None:
    gain = published_gain(engine, num_bits)
    assert 0.5 < gain < 4
    assert (gain > 1.9) == (num_bits == 1024)


def test_the_block_says_what_is_measured() -> None:
    engines = [*alone(50.0, SINGLE), *alone(200.0, PIPE, 5)]
    text = redundancy_block([*routed(0, 20.0, 100), *routed(1, 50.0, 125), *engines])
    row = "| `redundant_mul` | modexp, l2r | 1024 | 20.0 (1) | 50.0 (1) | 2.50 | 5.0 | 2.5 | 2.00 |"
    assert row in text
    piped = "| engine | 1024 | 5 | 16 | 50.0 (1) | 200.0 (1) | 4.00 | 2.000 | 0.400 | 5.00 |"
    assert piped in text
    text = redundancy_block(engines)
    assert text.startswith("Not measured yet: `modfab synth --engine redundant_mul")
    assert piped in text
    assert redundancy_block([]).startswith("Not measured yet: `modfab synth --engine redundant_mul")
