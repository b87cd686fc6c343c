# SPDX-License-Identifier: Apache-2.0
"""Multipliers of two arrays on a crowded device: with gaps, so that their logic has room."""

from __future__ import annotations

from itertools import pairwise

from modfab.flow.lock import beside, head, place_of, rams_beside, regions
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


def test_block_rams_that_find_tables_in_their_row_are_placed_all_the_same() -> None:
    """Five beside the first elements, the others a row below, each half the other's image."""
    target = get_target("ecp5-85k")
    own = [f"u_dut.u_engine.gen_port[{i}].u_x.gen_tile[{j}]" for i in range(2) for j in range(7)]
    core = [f"u_dut.u_core.u_memory.u_ram.gen_tile[{i}]" for i in range(14)]
    columns = []
    for area in regions(target, 2):
        start, sites = head(area, 59, spread=True)
        tables = [rams_beside(area)[site] for site in sites]
        found = beside(area, start, sites, own + core, [], tables)
        assert sorted(found) == sorted(own + core)
        assert len({*found.values(), *tables}) == len(found) + len(tables)
        assert [place_of(found[name])[1] for name in own + core] == [70] * 5 + [82] * 23
        columns.append([place_of(found[name])[0] for name in own + core])
    left, right = columns
    middle = place_of(target.ram_rows[0][26])[0]
    assert max(left) < middle <= min(right)
    for side in columns:  # the core's lie towards the middle of the device
        assert all(abs(side[0] - at) < abs(side[0] - far) for at in side[:14] for far in side[14:])
