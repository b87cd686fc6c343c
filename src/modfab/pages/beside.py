# SPDX-License-Identifier: Apache-2.0
"""The section "Beside the paper" of an engine's page, from the rows of the published figures.

Cycles come from the catalogue, reasons and remarks from the data file; nothing that is measured is
in it, so that the page changes with the data alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from modfab.catalog import ENGINES
from modfab.flow.record import Record
from modfab.report.published import Row, read_published

PAGES = {
    f"rtl/mul/{name}/README.md": name for name, found in ENGINES.items() if found.paper != "modfab"
}
"""Page of every engine that follows a paper -> engine."""


def beside_block(engine: str) -> str:
    """Where an engine stands beside its paper, and what is not like for like.

    Args:
        engine: Name in the catalogue.
    """
    paper = read_published(ENGINES[engine].paper)
    own = [row for row in paper.rows if row.ours and row.ours.core.unit.engine.name == engine]
    alone = [row for row in paper.rows if row.ours is None]
    lines = [
        f"{len(own)} of the {len(paper.rows)} rows of `modfab compare --paper {paper.name}` stand "
        f"beside this engine. {_cycles(own)}"
    ]
    lines += [f"* {rows}: {text}" for text, rows in _reasons(own)]
    lines += [f"* **{kind}**, {rows}: {text}" for (kind, text), rows in _remarks(own)]
    lines += [f"* no core of ours beside {rows}: {text}" for text, rows in _reasons(alone)]
    return f"{lines[0]}\n\n" + "".join(f"{line}\n" for line in lines[1:])


def _cycles(rows: Sequence[Row]) -> str:
    """How our cycles compare, over all rows that have cycles."""
    ratios = [
        theirs / row.ours.cycles for row in rows if row.ours and (theirs := row.figure("cycles"))
    ]
    if not ratios:
        return "The paper prints no cycles for them."
    low, high = min(ratios), max(ratios)
    span = f"{low:.2f}" if f"{low:.2f}" == f"{high:.2f}" else f"between {low:.2f} and {high:.2f}"
    rest = "" if len(ratios) == len(rows) else f" in the {len(ratios)} rows with cycles"
    return f"The paper's cycles over ours are {span}{rest}; above one, ours are fewer."


def _reasons(rows: Iterable[Row]) -> list[tuple[str, str]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row.why:
            found.setdefault(row.why, []).append(row)
    return [(text, _named(where)) for text, where in found.items()]


def _remarks(rows: Sequence[Row]) -> list[tuple[tuple[str, str], str]]:
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        for remark in row.remarks:
            found.setdefault((remark.kind, remark.text), []).append(row)
    return [
        (what, "every row" if len(where) == len(rows) else _named(where))
        for what, where in found.items()
    ]


def _named(rows: Sequence[Row]) -> str:
    """Some rows in few words: their tables, and the row itself where it is one."""
    tables = [t if t[0].islower() else f"table {t}" for t in dict.fromkeys(r.table for r in rows)]
    if len(rows) > 1:
        return f"{len(rows)} rows of {' and '.join(tables)}"
    form = f" ({rows[0].form})" if rows[0].form else ""
    return f'"{rows[0].design}" of {tables[0]}{form}'


def _maker(engine: str) -> Callable[[Sequence[Record]], str]:
    def make(records: Sequence[Record]) -> str:
        del records
        return beside_block(engine)

    return make


BLOCKS = {f"beside_{engine}": _maker(engine) for engine in PAGES.values()}
