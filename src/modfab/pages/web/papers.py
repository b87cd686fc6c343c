# SPDX-License-Identifier: Apache-2.0
"""Pages of the report that put published figures beside ours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from modfab.flow.record import Record
from modfab.report.compare import ROUTED, Comparison, compare
from modfab.report.published import AREA, Paper, Row, published_dir, read_published


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a table: what is printed where, numbers of its remarks, and its cells."""

    table: str
    design: str
    marks: tuple[int, ...]
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A published set of figures beside ours.

    Attributes:
        name, note: Of the paper.
        source: Its devices.
        rows: The comparisons.
        ours: How many rows have ours beside them.
    """

    name: str
    note: str
    source: str
    rows: tuple[Comparison, ...]

    @property
    def ours(self) -> int:
        """How many rows have ours beside them."""
        return sum(found.row.ours is not None for found in self.rows)

    @property
    def engines(self) -> list[str]:
        """Engines of ours."""
        names = (one.row.ours.core.unit.engine.name for one in self.rows if one.row.ours)
        return list(dict.fromkeys(names))

    @property
    def remarks(self) -> list[str]:
        """Every remark once."""
        return list(dict.fromkeys(text for one in self.rows for text in remarks_of(one)))

    @property
    def missing(self) -> list[str]:
        """Commands that fill what is missing."""
        return list(dict.fromkeys(text for one in self.rows for text in one.to_measure))


def remarks_of(found: Comparison) -> list[str]:
    """What to know about a row: why our cycles are fewer, and what is not like for like."""
    misprints = [
        f"Misprinted: {name} should be {value:,g} by the paper's other figures; ratios use that."
        for name, value in found.row.corrected.items()
    ]
    texts = (found.row.why, *(remark.text for remark in found.remarks), *misprints)
    return [text for text in texts if text]


def sheets(records: Iterable[Record]) -> list[Sheet]:
    """Every published set of figures beside ours, by name."""
    known = list(records)
    names = sorted(file.stem for file in published_dir().glob("*.toml"))
    return [_sheet(read_published(name), known) for name in names]


def _sheet(paper: Paper, records: Sequence[Record]) -> Sheet:
    devices = dict.fromkeys(row.device for row in paper.rows)
    source = f"Device of theirs: {'; '.join(devices)}." if len(devices) < 3 else "Several devices."
    rows = tuple(compare(row, records) for row in paper.rows)
    return Sheet(paper.name, paper.note, source, rows)


def _text(value: float | None, digits: int = 0) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def _design(row: Row) -> str:
    return f"{row.design} ({row.form})" if row.form else row.design


def _cycles(one: Comparison) -> tuple[str, ...]:
    theirs = one.row.figures.get("cycles")
    ratio = _text(one.cycle_ratio, 2)
    return _text(theirs), _text(one.cycles), ratio, _text(one.setup_cycles)


def _time(one: Comparison) -> tuple[str, ...]:
    frequency = one.frequency
    mhz = f"{frequency.mhz:.1f} ({frequency.num_seeds})" if frequency else "-"
    level = one.row.ours.level if one.row.ours else "-"
    return (
        *(_text(one.row.mhz, 1), _text(one.row.time_us, 1), level, mhz),
        *(_text(one.time_us, 1), _text(one.time_ratio, 2)),
    )


def _area(one: Comparison, names: Sequence[str]) -> tuple[str, ...]:
    cells = []
    for name in names:
        cells += [_text(one.row.figures.get(name)), _text(one.area.get(name))]
        cells.append(_text(one.area_ratio(name), 2))
    return tuple(cells)


def tables(sheet: Sheet) -> list[tuple[str, list[str], list[Line]]]:
    """Cycles, time and area: a title, heads behind table and design, and the rows."""
    numbers = {text: number for number, text in enumerate(sheet.remarks, 1)}
    names = [name for name in AREA if any(name in one.row.figures for one in sheet.rows)]

    def line(one: Comparison, cells: tuple[str, ...]) -> Line:
        marks = tuple(numbers[text] for text in remarks_of(one))
        return Line(one.row.table, _design(one.row), marks, cells)

    time = ["MHz", "us", "our level", "our MHz (seeds)", "our us", "ratio"]
    area = [text for name in names for text in (name.upper(), f"our {name.upper()}", "ratio")]
    family = ", ".join(dict.fromkeys(one.row.family for one in sheet.rows))
    cycles = ["cycles", "our cycles", "ratio", "our set-up"]
    found = [
        ("Cycles", cycles, [line(one, _cycles(one)) for one in sheet.rows]),
        (
            f"Time: theirs on their device, ours routed on {ROUTED}",
            time,
            [line(one, _time(one)) for one in sheet.rows],
        ),
    ]
    if names:
        rows = [line(one, _area(one, names)) for one in sheet.rows]
        found.append((f"Area: theirs as printed, ours by synthesis for {family}", area, rows))
    return found
