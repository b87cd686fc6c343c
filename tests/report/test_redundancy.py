# SPDX-License-Identifier: Apache-2.0
"""What redundancy and the pipelined form gain: which measurements count, and the table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from modfab.flow.record import Record
from modfab.gen.engine_pages import redundancy_block
from modfab.report.redundancy import gains, pipelined, published_gain, scaling
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


def pipe(mhz: float, exp: int) -> list[Record]:
    """The pipelined form."""
    params = PARAMS | {"Redundant": 1, "PipelineStages": 5}
    return routed(1, mhz, exp, sequencer="ladder", level="mul", params=params)


def test_gains_compare_the_same_width() -> None:
    known = gains([*routed(0, 20.0, 100), *routed(1, 50.0, 125), *pipe(100.0, 150)])
    assert [(g.engine, g.num_bits, g.clock, g.speed) for g in known] == [
        ("redundant_mul", 1024, 2.5, 2.0)
    ]
    assert gains(routed(1, 50.0, 125)) == []


def test_the_pipelined_form_is_set_against_the_redundant_one() -> None:
    (gain,) = pipelined([*routed(0, 20.0, 100), *routed(1, 50.0, 100), *pipe(200.0, 160)])
    assert (gain.clock, gain.speed) == (4.0, 2.5)
    assert pipelined(pipe(200.0, 160)) == []


def test_scaling_needs_two_widths_in_both_systems() -> None:
    wide = [*routed(0, 20.0, 100), *routed(1, 50.0, 125)]
    assert scaling(wide) == {}
    narrow = [
        found
        for redundant, mhz in ((0, 40.0), (1, 62.5))
        for found in routed(
            redundant, mhz, 9, params=PARAMS | {"NumBits": 64, "Redundant": redundant}, exp_bits=64
        )
    ]
    assert scaling([*wide, *narrow]) == {"redundant_mul": (64, 1024, 0.8, 0.5)}
    text = redundancy_block([*wide, *narrow])
    assert "1024 bits run at 0.80 of the frequency of 64 bits, without at 0.50." in text


@pytest.mark.parametrize("engine", ["redundant_mul", "redundant_lut"])
@pytest.mark.parametrize("num_bits", [64, 1024])
def test_the_papers_own_gain(engine: str, num_bits: int) -> None:
    gain = published_gain(engine, num_bits)
    assert 0.5 < gain < 4
    assert (gain > 1.9) == (num_bits == 1024)


def test_the_block_says_what_is_measured() -> None:
    text = redundancy_block([*routed(0, 20.0, 100), *routed(1, 50.0, 125), *pipe(100.0, 150)])
    assert "| `redundant_mul` | 1024 | 20.0 (1) | 50.0 (1) | 2.50 | 5.0 | 2.5 | 2.00 |" in text
    assert "| 1024 | 5 | 16 | 50.0 (1) | 100.0 (1) | 2.00 | 2.5 | 1.5 | 1.67 |" in text
    assert redundancy_block([]).startswith("Not measured yet: `modfab synth --engine redundant_mul")
