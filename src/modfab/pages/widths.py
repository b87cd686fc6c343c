# SPDX-License-Identifier: Apache-2.0
"""The table of engines and widths: what is routed alone, and why the rest is not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import tomli

from modfab.catalog import ENGINES
from modfab.errors import UsageError
from modfab.flow.record import Record
from modfab.flow.stored import Measurement, current
from modfab.pages.table import table
from modfab.paths import results_dir
from modfab.report.circuit import mhz_text
from modfab.report.compare import ROUTED

WIDTHS = (256, 512, 1024, 2048)


def left_out(path: Path | None = None) -> dict[tuple[str, int], str]:
    """Why an engine is not routed alone at a width.

    Raises:
        UsageError: A row names an engine or a width that the table does not have.
    """
    place = path or results_dir() / "left-out.toml"
    reasons = {}
    for row in tomli.loads(place.read_text(encoding="utf-8"))["row"]:
        for engine in row["engines"]:
            for bits in row["bits"]:
                if engine not in ENGINES or bits not in WIDTHS:
                    raise UsageError(
                        f"{place.name} leaves out {engine} at {bits} bits; the engines are "
                        f"{', '.join(ENGINES)}, the widths {', '.join(map(str, WIDTHS))}."
                    )
                reasons[engine, bits] = str(row["why"])
    return reasons


def routed_alone(records: Sequence[Record]) -> dict[tuple[str, int], Measurement]:
    """By engine and width its routed measurement: as the engine comes, or else the fastest."""
    found: dict[tuple[str, int], Measurement] = {}
    known = [one for one in current(records) if one.mhz is not None]
    for one in sorted(known, key=_rank):
        request = one.synthesis.request
        if (request.level, request.target) == ("engine", ROUTED) and request.engine in ENGINES:
            found[request.engine, request.num_bits] = one
    return found


def _rank(found: Measurement) -> tuple[bool, float]:
    return not _non_defaults(found), found.mhz or 0.0


def _non_defaults(found: Measurement) -> str:
    request = found.synthesis.request
    return ENGINES[request.engine].non_defaults(request.params) if request.engine in ENGINES else ""


def _cell(found: Measurement | None) -> str:
    if found is None:
        return "-"
    others = _non_defaults(found)
    return mhz_text(found) + (f", {others}" if others else "")


def widths_of_engines_block(records: Sequence[Record]) -> str:
    """MHz of every engine alone at every width, and the reason of each gap."""
    known, reasons = routed_alone(records), left_out()
    rows = [
        (f"`{engine}`", *(_cell(known.get((engine, bits))) for bits in WIDTHS))
        for engine in ENGINES
    ]
    gaps: dict[str, list[str]] = {}
    for engine in ENGINES:
        for bits in WIDTHS:
            if (engine, bits) not in known:
                words = f"modfab synth --engine {engine} --bits {bits} --target {ROUTED} --route"
                why = reasons.get((engine, bits), f"Not measured yet: `{words}`.")
                gaps.setdefault(why, []).append(f"`{engine}` at {bits} bits")
    lines = [f"* {', '.join(places)}: {why}\n" for why, places in gaps.items()]
    head = ("engine", *(f"{bits} bits" for bits in WIDTHS))
    return table(head, rows) + ("\n" + "".join(lines) if lines else "")


BLOCKS = {"widths_of_engines": widths_of_engines_block}
