# SPDX-License-Identifier: Apache-2.0
"""Multipliers of two arrays on a crowded device: with gaps, so that their logic has room."""

from __future__ import annotations

from itertools import pairwise

from modfab.flow.lock import head, place_of, regions
from modfab.flow.targets import get_target


def test_an_array_that_is_spread_has_gaps_in_the_rows_above_its_first() -> None:
    for area in regions(get_target("ecp5-85k"), 2):
        start, sites = head(area, 59, spread=True)
        assert len(set(sites)) == len(sites) == 59
        rows = [[site for site in row if site in sites] for row in area.multiplier_rows]
        assert [len(row) for row in rows] == [22, 22, 15]
        assert tuple(sites[:15]) == area.multiplier_rows[2][start : start + 15]
        for row, taken in zip(area.multiplier_rows[:2], rows, strict=False):
            assert {b - a for a, b in pairwise(map(row.index, taken))} == {1, 2}
        steps = [abs(a - c) + abs(b - d) for (a, b), (c, d) in pairwise(map(place_of, sites))]
        assert max(steps) <= 30
    assert head(area, 50, spread=True) == head(area, 50)
