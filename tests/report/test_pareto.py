# SPDX-License-Identifier: Apache-2.0
"""The Pareto line of the drawing of engines."""

from __future__ import annotations

from modfab.report.ranking import Entry, pareto


def entry(product_us: float, area: float) -> Entry:
    return Entry("sos", "", 64, 1, 0, 0, area, 100.0, 1, 100 * product_us, 1, None, "")


def test_it_leaves_out_what_another_beats_in_area_and_time() -> None:
    points = [(8.0, 3.0), (1.0, 9.0), (2.0, 4.0), (4.0, 5.0), (2.0, 6.0), (9.0, 3.0)]
    line = pareto(entry(*point) for point in points)
    assert [(e.product_us, e.area) for e in line] == [(1.0, 9.0), (2.0, 4.0), (8.0, 3.0)]


def test_nothing_has_no_line() -> None:
    assert pareto([]) == []
