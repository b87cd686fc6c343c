# SPDX-License-Identifier: Apache-2.0
"""What sums over traces come to: ranks, thresholds and verdicts, on sums that are made by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest

from modfab.assess import cpa, outcome, ttest
from modfab.assess.models import Change
from modfab.assess.phases import Phase
from modfab.assess.stage import AssessKey
from modfab.assess.statistics import Correlation, Moments, Values, score_threshold, threshold
from modfab.assess.traces import FIXED, RANDOM, Plan
from modfab.build.rsa import rsa_core
from modfab.sim.registers import Register

KEY = AssessKey(0x1111, 0x2235, 17)  # no primes: only the lowest bytes count
P, Q, N = KEY.p & 0x7F, KEY.q & 0x7F, KEY.n & 0x7F


def plan_of(cycles: int) -> Plan:
    phase = Phase("input", 10, 10 + cycles)
    return Plan(rsa_core("bit_serial", 34), KEY, 5000, (phase,), phase, 2)


# ---- guesses ----
@dataclass(slots=True)
class Known(Correlation):
    """Each score is 1, but for those that are given: guess -> score in the third cycle."""

    given: dict[int, float] = field(default_factory=dict)

    def scores(self) -> Values:
        found = np.ones((cpa.GUESSES, 4))
        for guess, score in self.given.items():
            found[guess, 2] = score
        return found


LIMIT = score_threshold(4 * cpa.GUESSES, 50)


def verdicts(name: str, given: dict[int, float]) -> dict[str, dict[str, Any]]:
    empty = Correlation.zero(1, 1)
    products = (empty.guess, empty.guess_squares, empty.trace, empty.trace_squares, empty.products)
    return cpa.rows(Known(50, *products, given), cpa.Attack(name, plan_of(4)))


@pytest.mark.parametrize(
    ("given", "rank", "found"),
    [
        ({Q: LIMIT + 0.1}, 1, True),
        ({Q + 128: LIMIT + 0.1}, 1, True),  # its sign is lost
        ({Q: LIMIT - 0.1}, 1, False),
        ({Q: LIMIT + 0.1, Q ^ 2: LIMIT + 0.2}, 2, False),
        ({Q: LIMIT + 0.1, N: LIMIT + 9}, 1, True),  # n is public
        ({Q: LIMIT + 0.1, P: LIMIT + 9}, 2, False),  # nothing looks for p here
    ],
)
def test_a_prime_is_found_that_stands_out_and_comes_first(
    given: dict[int, float], rank: int, found: bool
) -> None:
    (row,) = verdicts(cpa.RECOMBINATION, given).values()
    assert (row["rank"], row["found"], row["at_cycle"]) == (rank, found, 12)
    assert (row["of"], row["threshold"]) == (127, round(LIMIT, 2))
    rivals = [score for guess, score in given.items() if guess != N]
    assert row["highest_z"] == round(max(rivals), 2), "n is no rival"


def test_the_other_prime_is_no_rival() -> None:
    rows = verdicts(cpa.REDUCTION, {P: LIMIT + 1, Q: LIMIT + 2})
    assert {name: (row["rank"], row["found"], row["of"]) for name, row in rows.items()} == {
        "reduction, p": (1, True, 126),
        "reduction, q": (1, True, 126),
    }


# ---- what a wipe leaves ----
@pytest.mark.parametrize(
    ("registers", "left"),
    [
        ({}, False),
        ({"a": [1, 2], "b": [3]}, False),  # no more than what the fault may have set
        ({"a": [0, 7]}, True),
        ({"a": [1, 3], "b": [0]}, True),
    ],
)
def test_a_secret_is_left_where_more_bits_are_than_the_fault_has_set(
    registers: dict[str, list[int]], left: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcome, "remains", lambda stage: registers)
    change = Change(Register(0, "a", 2, 32), 0, 0)
    assert outcome._left(cast(Any, None), (change, change)) == left


@pytest.mark.parametrize(
    ("told", "factoring", "name"),
    [
        *(("detected", False, "hung"), ("harmless", False, "hung"), ("wrong", True, "wrong")),
        ("detected", True, "detected"),  # the host has refused it, but it was on the bus
    ],
)
def test_a_core_that_never_rests_hangs_but_what_it_gave_away_counts(
    told: str, factoring: bool, name: str
) -> None:
    rtl = SimpleNamespace(step=lambda cycles: None, idle=lambda: 10, limit=10)
    found = outcome._settle(
        cast(Any, SimpleNamespace(rtl=rtl)), cast(Any, None), outcome.Outcome(told, factoring)
    )
    assert found == outcome.Outcome(name, factoring)


# ---- t ----
TRACES = 50
"""Of each group."""
FREEDOM = 2 * TRACES - 1
"""At least, of t with all traces."""


def moments(shifts: Values) -> Moments:
    """Of values with these means above 10, and variance 1."""
    means = 10 + shifts
    return Moments(TRACES, TRACES * means, TRACES * (1 + means * means))


def row_of(total: Values, registers: Values, drift: float = 0.0) -> dict[str, Any]:
    """The row of cycles whose t, of all registers together and of each, is as given.

    A drift from one set to the other makes t of all traces smaller, that of each set stays.
    """
    sums = ttest.Sums(*registers.shape)
    error = np.sqrt(2 / (2 * TRACES - 1))
    for half in (0, 1):
        for which, sign in ((FIXED, 1.0), (RANDOM, 0.0)):
            group = ttest.group_of(half, which)
            sums.total[group] = moments(sign * error * total + drift * half)
            one = moments(sign * error * registers)
            sums.sums[group], sums.squares[group] = one.sums * 1e4, one.squares * 1e8
    (row,) = ttest.rows(sums, plan_of(len(total)), ["a", "b"]).values()
    return row


CYCLES = 256


@pytest.mark.parametrize(
    ("t", "leak"),
    [(8.0, True), (-8.0, True), (5.5, True), (-5.5, True), (4.0, False), (-4.0, False)],
)
def test_t_of_a_cycle_leaks_beyond_the_threshold_of_all_cycles(t: float, leak: bool) -> None:
    total = np.zeros(CYCLES)
    total[3] = t
    row = row_of(total, np.ones((CYCLES, 2)))
    assert (row["t"], row["leak"], row["at_cycle"]) == (t, leak, 13)
    assert row["threshold"] == round(threshold(CYCLES, FREEDOM), 2) > 4
    assert row["freedom"] == FREEDOM
    assert row["traces"] == 4 * TRACES
    assert row["from"] == [], "no register moves much"


def test_what_both_sets_show_is_a_leak_where_all_traces_together_do_not() -> None:
    total = np.zeros(CYCLES)
    total[[3, 5, 7]] = 7.4, -7.4, 6.8  # 5.2 and 4.8 in each set; 4.5 of a normal one is 5.0
    row = row_of(total, np.ones((CYCLES, 2)), drift=50.0)
    assert abs(row["t"]) < 1
    assert (row["leak"], row["in_both_sets"]) == (True, 2)


def test_the_registers_that_a_leak_comes_from_are_named_the_strongest_first() -> None:
    total, registers = np.zeros(CYCLES), np.ones((CYCLES, 2))
    total[3], registers[3], registers[4] = 9.0, (3.5, -4.5), (9.0, 9.0)
    assert row_of(total, registers)["from"] == ["b 4.5", "a 3.5"]


def test_what_several_rounds_of_a_simulation_have_summed_up_is_added_and_kept() -> None:
    sums = ttest.Sums(2, 3)
    ones = np.ones((2, 3), np.uint32)
    rtl = SimpleNamespace(sums=lambda group: (ones * (group + 1), ones * 10 * (group + 1)))
    sums.take(cast(Any, rtl))
    sums.take(cast(Any, rtl))
    sums.total[1].add(np.array([1.0, 2.0]))
    again = ttest.Sums(2, 3)
    again.restore(sums.arrays())
    for found in (sums, again):
        assert found.sums[:, 1, 2].tolist() == [2, 4, 6, 8]
        assert found.squares[:, 0, 1].tolist() == [20, 40, 60, 80]
        assert (found.traces, found.total[1].sums.tolist()) == (1, [1.0, 2.0])


@pytest.mark.parametrize("beyond", [0.04, -0.04])
def test_t_of_a_register_leaks_beyond_the_threshold_of_all_that_move(beyond: float) -> None:
    """Registers that stand still are not counted."""
    registers = np.ones((CYCLES, 2))
    registers[:100, 0] = 0
    limit = threshold(2 * CYCLES - 100, FREEDOM)
    registers[200, 1] = -(limit + beyond)
    row = row_of(np.zeros(CYCLES), registers)
    assert limit - 0.04 > threshold(CYCLES, FREEDOM)
    assert row["register_threshold"] == round(limit, 2)
    assert (row["register"], row["register_cycle"], row["leak"]) == ("b", 210, False)
    assert row["register_leak"] == (beyond > 0)


class Nothing:
    """A test whose traces are the number of their class."""

    name = "nothing"

    def prepare(self, rtl: object, rng: object) -> None:
        """There is no core."""

    def trace(self, rtl: object, rng: object, which: int, group: int) -> npt.NDArray[np.uint32]:
        return np.array([which], np.uint32)


def test_blocks_are_dealt_to_two_sets_of_traces() -> None:
    for block in range(4):
        traces = ttest.run_block(cast(Any, None), cast(Any, Nothing()), 1, block, 0.0)
        assert len(traces) == ttest.BLOCK
        assert {(group, float(totals[0])) for group, totals in traces} == {
            (ttest.group_of(block % 2, which), float(which)) for which in (FIXED, RANDOM)
        }
    noisy = ttest.run_block(cast(Any, None), cast(Any, Nothing()), 1, 0, 3.0)
    added = [float(totals[0]) - group % 2 for group, totals in noisy]
    assert 2 < np.std(added) < 4, "its deviation is what was asked for"
    assert abs(np.mean(added)) < 2
    assert len({ttest.group_of(half, which) for half in (0, 1) for which in (0, 1)}) == 4


def test_a_drawing_has_the_largest_t_of_each_stretch_at_most_100() -> None:
    total = np.zeros(3000)
    total[[1, 2998]] = -500.0, 7.0
    sums = ttest.Sums(3000, 1)
    error = np.sqrt(2 / (2 * TRACES - 1))
    for half in (0, 1):
        sums.total[ttest.group_of(half, FIXED)] = moments(error * total)
        sums.total[ttest.group_of(half, RANDOM)] = moments(0 * total)
    drawn = ttest.series(sums, plan_of(3000), "t")
    assert (len(drawn["x"]), drawn["x"][0], drawn["y"][0]) == (1500, 11, -100.0)
    assert (drawn["x"][-1], drawn["y"][-1]) == (3008, 7.0)
    limit = round(threshold(3000, FREEDOM), 2)
    assert drawn["limits"] == [limit, -limit]
