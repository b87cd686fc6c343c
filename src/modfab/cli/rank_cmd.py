# SPDX-License-Identifier: Apache-2.0
"""`modfab rank`: our engines beside each other, from the stored measurements."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from modfab.catalog import ENGINES
from modfab.cli.console import print_table, table_console
from modfab.cli.files import check_output, write_output
from modfab.cli.options import AsJson
from modfab.errors import UsageError
from modfab.flow.store import known_records
from modfab.flow.targets import get_target
from modfab.report.compare import ROUTED
from modfab.report.ranking import Entry, exp_text, missing_text, plot_svg, ranking, rule_text


def rank_command(
    num_bits: Annotated[int | None, typer.Option("--bits", help="Only this width.")] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Write area against time to this SVG file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Rank the engines by area x time, from every routed measurement in the store.

    Example: modfab rank --bits 1024 --plot engines.svg
    """
    if plot is not None and plot.suffix.lower() != ".svg":
        raise UsageError(f"The plot is SVG, but {plot} does not end in .svg; choose such a name.")
    if plot is not None:
        check_output(plot, {})
    records = known_records()
    entries = ranking(records, num_bits)
    if not entries:
        raise _nothing(num_bits)
    if plot is not None:
        title = f"modfab engines on {get_target(ROUTED).title}"
        write_output(plot, plot_svg(entries, title).encode(), secret=False)
    if as_json:
        print(json.dumps([_as_data(e) for e in entries], indent=1))
        return
    console = table_console()
    print_table(console, _table(entries))
    console.print(rule_text())
    if missing_text(entries):
        console.print(missing_text(entries), soft_wrap=True)
    if plot is not None:
        console.print(f"Plot: {plot}", soft_wrap=True)


def _nothing(num_bits: int | None) -> UsageError:
    bits = 1024 if num_bits is None else num_bits
    able = [name for name in ENGINES if bits in ENGINES[name].parameter("NumBits").legal]
    if not able:
        return UsageError(f"No engine is built for {bits} bits; `modfab engines` lists the widths.")
    width = "" if num_bits is None else f" with {bits} bits"
    engine = "sos" if "sos" in able else able[0]
    return UsageError(
        f"No engine{width} is routed on {ROUTED} yet; measure one, for example with `modfab "
        f"synth --engine {engine} --bits {bits} --target {ROUTED} --route`."
    )


def _as_data(e: Entry) -> dict[str, object]:
    times = {"product_us": e.product_us, "exp_ms": e.exp_ms, "area_time": e.area_time}
    return asdict(e) | {"level": "engine"} | times


def _table(entries: list[Entry]) -> Table:
    table = Table(title=f"engines alone (level engine), routed on {ROUTED}", title_justify="left")
    table.add_column("bits", justify="right")
    table.add_column("engine")
    numbers = (
        "LUT4",
        "mult",
        "RAM",
        "area",
        "MHz (seeds)",
        "cycles",
        "us/product",
        "area x us",
        "ms/exponentiation (level, seeds)",
    )
    for name in numbers:
        table.add_column(name, justify="right")
    for e in entries:
        table.add_row(
            *(str(e.num_bits), e.name, f"{e.lut:,}", str(e.multipliers), str(e.block_rams)),
            *(f"{e.area:,.0f}", f"{e.mhz:.1f} ({e.num_seeds})", f"{e.cycles:g}"),
            *(f"{e.product_us:.3f}", f"{e.area_time:,.0f}", exp_text(e)),
        )
    return table
