# SPDX-License-Identifier: Apache-2.0
"""Goals of `qp_systolic`: formulas answer some, measurements the others; a missed one says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from modfab.build.core import modexp_core
from modfab.catalog import get_engine
from modfab.flow.record import Record
from modfab.flow.targets import get_target
from modfab.pages.engine_pages import goals_block
from modfab.report.goals import even_weights, goals
from modfab.report.ranking import weights
from tests.flow.test_store import record


def routed(num_bits: int, elements: int, mhz: float) -> Record:
    params = get_engine("qp_systolic").resolve(num_bits, {"NumElements": elements})
    request = replace(
        record(seed=1).request, engine="qp_systolic", params=params, target="ecp5-85k", seed=1
    )
    return record(request=request, mhz=mhz, cycles={})


def test_formulas_answer_without_a_measurement() -> None:
    met = {goal.what: goal.met for goal in goals([])}
    assert met["multiplier-cycles of a product, full array, 1024 bits"]
    assert met["busy multipliers, 4 to 32 elements, in %"]
    assert met["MHz of the full array, 1024 bits"] is None
    assert "not measured" in goals_block([])
    assert all(goal.to_measure for goal in goals([]) if goal.met is None)
    words = "modfab synth --engine qp_systolic --bits 1024 --target ecp5-85k --route"
    assert f"* MHz of the full array, 1024 bits: `{words}`" in goals_block([])


def test_a_goal_is_met_or_missed() -> None:
    name = "MHz of the full array, 1024 bits"
    for mhz, met in ((199.9, False), (200.0, True)):
        (goal,) = (g for g in goals([routed(1024, 0, mhz)]) if g.what == name)
        assert (goal.reached, goal.met, goal.basis) == (mhz, met, "engine (1)")
    assert f"| {name} | >= 200.0 | 199.9 | mul (1) | no |" in goals_block([routed(1024, 0, 199.9)])


def test_widths_are_compared_when_both_are_measured() -> None:
    (goal,) = (
        g for g in goals([routed(512, 16, 200.0), routed(2048, 16, 170.0)]) if "2048 over" in g.what
    )
    assert goal.reached == 0.85
    assert goal.met is False


def exponentiator(engine: str, sequencer: str, mhz: float) -> Record:
    """A routed exponentiator of 1024 bits."""
    config = modexp_core(engine, 1024, sequencer=sequencer)
    request = replace(
        routed(1024, 0, mhz).request,
        engine=engine,
        sequencer=sequencer,
        level="modexp",
        params=dict(config.params),
        exp_bits=1024,
    )
    return record(request=request, mhz=mhz, cycles=config.cycles())


def test_exponentiations_are_compared_between_exponentiators_only() -> None:
    def reached(*known: Record) -> tuple[float | None, str]:
        (goal,) = (g for g in goals(known) if g.what.startswith("times the exponentiations"))
        return goal.reached, goal.basis

    theirs = exponentiator("redundant_lut", "l2r", 40.0)
    ours = exponentiator("qp_systolic", "ladder", 80.0)
    assert reached(routed(1024, 0, 229.6), theirs) == (None, "-")
    assert reached(ours) == (None, "-")
    times = [one.cycles["exp"] / (one.mhz or 0) for one in (theirs, ours)]
    assert reached(ours, theirs, routed(1024, 0, 229.6)) == (times[0] / times[1], "modexp (1)")


def test_an_engine_that_is_better_is_named_with_the_weight_that_makes_both_equal() -> None:
    ours = routed(512, 0, 200.0)
    params = get_engine("systolic").resolve(512)
    request = replace(ours.request, engine="systolic", params=params)
    other = replace(ours, request=request, area=ours.area | {"multipliers": 0}, mhz=900.0)
    ((mine, theirs, weight),) = even_weights([ours, other])
    assert (mine.engine, theirs.engine) == ("qp_systolic", "systolic")
    rams = float(weights(get_target("ecp5-85k"))["DP16KD"])
    costs = [
        (e.lut + rams * e.block_rams + weight * e.multipliers) * e.product_us
        for e in (mine, theirs)
    ]
    assert costs[0] == pytest.approx(costs[1])
    assert "At 512 bits `systolic` has the lower area x time" in goals_block([ours, other])
    slow = replace(other, mhz=1.0)
    assert even_weights([ours, slow]) == []
    assert "would be equal" not in goals_block([ours, slow])
