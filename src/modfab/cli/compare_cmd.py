# SPDX-License-Identifier: Apache-2.0
"""`modfab compare`: ours beside what a paper prints."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.table import Table

from modfab.cli.console import print_table, table_console
from modfab.cli.options import AsJson
from modfab.flow.store import known_records
from modfab.report.compare import ROUTED, Comparison, compare
from modfab.report.published import AREA, Paper, published_dir, read_published


def compare_command(
    paper: Annotated[
        str, typer.Option("--paper", help="Paper, as in `modfab engines`, or open-cores.")
    ],
    as_json: AsJson = False,
) -> None:
    """Put our cycles, area and time beside every row that a paper prints.

    Under the rows stands what makes a row and ours not like for like: interval or latency,
    locked multipliers, an estimate, a misprint, another method or another's design.

    Example: modfab compare --paper liao-chen
    """
    folder = published_dir()
    published = read_published(paper, folder)
    records = known_records()
    found = [compare(row, records) for row in published.rows]
    if as_json:
        rows = [as_data(comparison) for comparison in found]
        print(json.dumps({"paper": paper, "note": published.note, "rows": rows}, indent=1))
    else:
        show(published, found)


def as_data(found: Comparison) -> dict[str, Any]:
    """A comparison for machines."""
    row, ours = found.row, found.row.ours
    return {
        "table": row.table,
        "design": row.design,
        "num_bits": row.num_bits,
        "paper": {**row.figures, "device": row.device, "mhz": row.mhz, "time_us": row.time_us},
        "modfab": None
        if ours is None
        else {
            "engine": ours.core.unit.engine.name,
            "sequencer": ours.core.unit.sequencer_name,
            "parameters": dict(ours.core.unit.params),
            "rsa": ours.core.choices(),
            "cycles": found.cycles,
            "setup_cycles": found.setup_cycles,
            "load_cycles": found.load_cycles,
            "area": found.area,
            "area_target": row.family,
            "level": ours.level,
            "mhz": found.mhz,
            "num_seeds": found.frequency.num_seeds if found.frequency else None,
            "time_us": found.time_us,
            "time_target": ROUTED,
            "to_measure": list(found.to_measure),
        },
        "ratio": {
            "cycles": found.cycle_ratio,
            "time": found.time_ratio,
            **{name: found.area_ratio(name) for name in AREA if found.area_ratio(name)},
        },
        "why": row.why,
        "form": row.form,
        "corrected": dict(row.corrected),
        "remarks": [{"kind": remark.kind, "text": remark.text} for remark in found.remarks],
    }


def _text(value: float | None, digits: int = 0) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def _level(found: Comparison) -> str:
    return found.row.ours.level if found.row.ours else "-"


def _mhz(found: Comparison) -> str:
    one = found.frequency
    return f"{one.mhz:.1f} ({one.num_seeds})" if one else "-"


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for index, column in enumerate(columns):
        table.add_column(column, justify="left" if index < 2 else "right")
    return table


def show(paper: Paper, found: list[Comparison]) -> None:
    """Print the tables: cycles, time, area, and what is not measured yet."""
    console = table_console()
    devices = list(dict.fromkeys(c.row.device for c in found))
    device = devices[0] if len(devices) == 1 else "several devices"
    cycles = _table(
        *(f"{paper.name}: cycles", "table", "design", "paper", "modfab", "ratio", "set-up"),
        *("load", "not alike"),
    )
    time = _table(
        f"time: theirs on {device}, ours routed on {ROUTED}",
        *("table", "design", "MHz", "us", "our level", "our MHz (seeds)", "our us", "ratio"),
    )
    for c in found:
        names = (c.row.table, _design(c))
        theirs = c.row.figures.get("cycles")
        cycles.add_row(
            *(*names, _text(theirs), _text(c.cycles)),
            *(_text(c.cycle_ratio, 2), _text(c.setup_cycles), _text(c.load_cycles), _kinds(c)),
        )
        time.add_row(
            *(*names, _text(c.row.mhz, 1), _text(c.row.time_us, 1), _level(c), _mhz(c)),
            *(_text(c.time_us, 1), _text(c.time_ratio, 2)),
        )
    for table in (cycles, time, _area_table(found)):
        print_table(console, table)
    if paper.note:
        console.print(paper.note)
    for rows, reasons in _notes(found):
        console.print("", f"{rows}:", *(f"  {reason}" for reason in reasons), sep="\n")
    missing = list(dict.fromkeys(text for c in found for text in c.to_measure))
    if missing:
        said = "Not measured yet (-); a time of ours is shown only where that circuit was routed:"
        console.print(said, *missing, sep="\n  ", soft_wrap=True)


def _design(found: Comparison) -> str:
    return found.row.design + (f" ({found.row.form})" if found.row.form else "")


def _kinds(found: Comparison) -> str:
    return ", ".join(dict.fromkeys(remark.kind for remark in found.remarks)) or "-"


def _notes(found: list[Comparison]) -> list[tuple[str, list[str]]]:
    """Rows, and under them their reason and remarks; rows that share all of them stand together."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for c in found:
        remarks = [f"{remark.kind}: {remark.text}" for remark in c.remarks]
        texts = ([c.row.why] if c.row.why else []) + remarks
        rows.setdefault(tuple(texts), []).append(c.row.title)
    return [("; ".join(titles), list(texts)) for texts, titles in rows.items() if texts]


def _area_table(found: list[Comparison]) -> Table:
    names = [name for name in AREA if any(name in c.row.figures for c in found)]
    columns = ["our level"]
    columns += [text for name in names for text in (name.upper(), "ours", "ratio")]
    family = ", ".join(dict.fromkeys(c.row.family for c in found))
    table = _table(
        f"area: theirs as printed, ours by synthesis for {family}", "table", "design", *columns
    )
    for c in found:
        cells = [_level(c)]
        for name in names:
            cells += [_text(c.row.figures.get(name)), _text(c.area.get(name))]
            cells.append(_text(c.area_ratio(name), 2))
        table.add_row(c.row.table, _design(c), *cells)
    return table
