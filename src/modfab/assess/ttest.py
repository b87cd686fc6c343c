# SPDX-License-Identifier: Apache-2.0
"""Fixed against random: t of every cycle, and of every register in every cycle."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import numpy.typing as npt

from modfab.assess.phases import PHASES
from modfab.assess.statistics import (
    Moments,
    Values,
    both_threshold,
    in_both,
    least_freedom,
    threshold,
    welch_t,
)
from modfab.assess.traces import FIXED, RANDOM, Plan, Test, cycles_of
from modfab.sim.toggles import ToggleRsa

GROUPS = 4
"""Two independent sets of traces times two classes."""

BLOCK = 50
"""Traces with the same first blinders; a block belongs to one set."""

_SERIES = 1500
"""Points of a drawing."""

_NAMED = 4
"""Registers that are named for a leak."""

_AT_ONCE = 100
"""Points whose registers are computed together: all of a long operation would fill the memory."""

Points = npt.NDArray[np.int64]
"""Numbers of points."""


class Sums:
    """What the traces of a t-test add up to.

    Attributes:
        total: For each group the moments of the toggles of all registers, with noise.
        sums, squares: For each group by clock and register, without noise.
    """

    def __init__(self, points: int, registers: int) -> None:
        self.total = [Moments.zero(points) for _ in range(GROUPS)]
        self.sums = np.zeros((GROUPS, points, registers), np.uint32)
        self.squares = np.zeros((GROUPS, points, registers), np.uint64)

    def take(self, rtl: ToggleRsa) -> None:
        """Add what a simulation has summed up."""
        for group in range(GROUPS):
            sums, squares = rtl.sums(group)
            self.sums[group] += sums
            self.squares[group] += squares

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Everything, for a file."""
        found: dict[str, npt.NDArray[Any]] = {"sums": self.sums, "squares": self.squares}
        found["counts"] = np.array([moments.count for moments in self.total])
        found["total_sums"] = np.stack([moments.sums for moments in self.total])
        found["total_squares"] = np.stack([moments.squares for moments in self.total])
        return found

    def restore(self, kept: dict[str, npt.NDArray[Any]]) -> None:
        """From a file."""
        self.sums, self.squares = kept["sums"], kept["squares"]
        columns = (kept["counts"].tolist(), kept["total_sums"], kept["total_squares"])
        self.total = [Moments(*entry) for entry in zip(*columns, strict=True)]

    def by_register(self, groups: Sequence[int], points: Points) -> Moments:
        """Moments of these groups together, at these points, by clock and register."""
        count = sum(self.total[group].count for group in groups)
        sums = sum(self.sums[group, points].astype(np.float64) for group in groups)
        squares = sum(self.squares[group, points].astype(np.float64) for group in groups)
        return Moments(count, np.asarray(sums), np.asarray(squares))

    @property
    def traces(self) -> int:
        """All traces."""
        return sum(moments.count for moments in self.total)


def group_of(which_set: int, which_class: int) -> int:
    """The number of a group."""
    return 2 * which_set + which_class


def run_block(
    rtl: ToggleRsa, test: Test, seed: int, block: int, noise: float
) -> list[tuple[int, Values]]:
    """The traces of a block: group and toggles of each cycle, with noise."""
    rng = random.Random(f"{seed} {test.name} {block}")
    draw = np.random.default_rng(rng.getrandbits(64))
    test.prepare(rtl, rng)
    traces = []
    for _ in range(BLOCK):
        which = rng.getrandbits(1)
        group = group_of(block % 2, which)
        totals = test.trace(rtl, rng, which, group).astype(np.float64)
        if noise:
            totals += draw.normal(0, noise, len(totals))
        traces.append((group, totals))
    return traces


def _classes(sums: Sums, half: int | None) -> tuple[Moments, Moments]:
    """The totals of both classes, of one set or of all traces."""
    total, halves = sums.total, (0, 1) if half is None else (half,)
    fixed, drawn = (
        reduce(add, (total[group_of(one, which)] for one in halves)) for which in (FIXED, RANDOM)
    )
    return fixed, drawn


def t_values(sums: Sums) -> tuple[Values, Values, Values]:
    """Of each cycle t with all traces, and with those of each set."""
    whole, one, other = (welch_t(*_classes(sums, half)) for half in (None, 0, 1))
    return whole, one, other


def freedoms(sums: Sums) -> tuple[int, int, int]:
    """The least degrees of freedom of t with all traces, and with those of each set."""
    whole, one, other = (least_freedom(*_classes(sums, half)) for half in (None, 0, 1))
    return whole, one, other


def register_t(sums: Sums, points: Points) -> Values:
    """Of each register t at each of these points, with all traces."""
    fixed, drawn = (
        sums.by_register([group_of(half, which) for half in (0, 1)], points)
        for which in (FIXED, RANDOM)
    )
    return welch_t(fixed, drawn)


def _slices(plan: Plan) -> list[slice]:
    """The points of each window."""
    slices, at = [], 0
    for window in plan.windows:
        length = window.end - window.start
        slices.append(slice(at, at + length))
        at += length
    return slices


def rows(sums: Sums, plan: Plan, names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """For each phase the largest t, where it is, and the registers that it comes from."""
    found = {}
    for phase in PHASES:
        pieces = [s for s, w in zip(_slices(plan), plan.windows, strict=True) if w.name == phase]
        if pieces:
            points = np.concatenate([np.arange(piece.start, piece.stop) for piece in pieces])
            found[phase] = _row(sums, plan, names, points)
    return found


def _row(sums: Sums, plan: Plan, names: Sequence[str], points: Points) -> dict[str, Any]:
    whole, one, other = (values[points] for values in t_values(sums))
    freedom, *each_set = freedoms(sums)
    limit = threshold(len(points), freedom)
    first, second = (both_threshold(found) for found in each_set)
    both = in_both(one, other, (first, second))
    worst = int(np.argmax(np.abs(whole)))
    pieces = (points[at : at + _AT_ONCE] for at in range(0, len(points), _AT_ONCE))
    each = np.concatenate([np.abs(register_t(sums, piece)) for piece in pieces])
    moving = int(np.count_nonzero(each)) or 1
    place, register = np.unravel_index(int(np.argmax(each)), each.shape)
    register_limit, most = threshold(moving, freedom), float(each[place, register])
    leak = bool(abs(whole[worst]) > limit or both.any())
    order = np.argsort(-each[worst])[:_NAMED]
    cycles = cycles_of(plan)
    return {
        "traces": sums.traces,
        "cycles": len(points),
        "freedom": freedom,
        "threshold": round(limit, 2),
        "t": round(float(whole[worst]), 2),
        "at_cycle": int(cycles[points[worst]]),
        "leak": leak,
        "in_both_sets": int(both.sum()),
        "from": [f"{names[i]} {each[worst][i]:.1f}" for i in order if each[worst][i] > BELOW],
        "register_threshold": round(register_limit, 2),
        "register_t": round(most, 2),
        "register": names[int(register)],
        "register_cycle": int(cycles[points[int(place)]]),
        "register_leak": most > register_limit,
    }


BELOW = 3.0
"""A register with a smaller t is not named."""


def series(sums: Sums, plan: Plan, title: str) -> dict[str, Any]:
    """A drawing of t over time: of each stretch of cycles the largest one."""
    whole, cycles = t_values(sums)[0], cycles_of(plan)
    size = -(-len(whole) // _SERIES)
    x, y = [], []
    for at in range(0, len(whole), size):
        piece = whole[at : at + size]
        worst = int(np.argmax(np.abs(piece)))
        x.append(int(cycles[at + worst]))
        y.append(round(float(np.clip(piece[worst], -100, 100)), 2))
    limit = round(threshold(len(whole), freedoms(sums)[0]), 2)
    return {
        "title": title,
        "x": x,
        "y": y,
        "limits": [limit, -limit],
        "xlabel": "clock",
        "ylabel": "t, at most 100",
    }
