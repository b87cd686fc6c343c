# SPDX-License-Identifier: Apache-2.0
"""`modfab results`: what was measured on this machine, and its export into the checkout."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer
from rich.table import Table

from modfab.catalog import ENGINES, get_engine
from modfab.cli.console import table_console
from modfab.cli.options import AsJson
from modfab.errors import UsageError
from modfab.flow.record import Record
from modfab.flow.store import Store, export, newest
from modfab.paths import checkout_dir

results_app = typer.Typer(no_args_is_help=True, help="Stored measurements: list, export.")

OneEngine = Annotated[
    str | None, typer.Option("--engine", help="Only this engine; `modfab engines` lists them.")
]


def _chosen(engine: str | None) -> list[Record]:
    if engine is not None:
        get_engine(engine)
    records = newest(Store().records())
    return [record for record in records if engine in (None, record.request.engine)]


def _unusual(record: Record) -> list[str]:
    """Parameters other than the defaults; all of an engine that this version does not have."""
    params = record.request.params
    engine = ENGINES.get(record.request.engine)
    defaults = {p.name: p.default for p in engine.parameters} if engine else {}
    defaults["NumBits"] = record.request.num_bits
    return [f"{name}={value}" for name, value in params.items() if defaults.get(name) != value]


@results_app.command("list")
def list_command(engine: OneEngine = None, as_json: AsJson = False) -> None:
    """List the newest measurement of every request.

    Example: modfab results list --engine bit_serial
    """
    records = _chosen(engine)
    if as_json:
        print(json.dumps([json.loads(record.to_json()) for record in records]))
        return
    headers = ("engine", "bits", "level", "parameters", "target", "seed", "LUT", "FF", "mul")
    table = Table(*headers, "RAM", "MHz", "date", "revision", box=None, pad_edge=False)
    for record in records:
        request, area = record.request, record.area
        params = " ".join(_unusual(record)) or "-"
        seed = "-" if request.seed is None else str(request.seed)
        mhz = "-" if record.mhz is None else f"{record.mhz:.1f}"
        numbers = (area["lut"], area["ff"], area["multipliers"], area["block_rams"])
        table.add_row(
            *(request.engine, str(request.num_bits), request.level, params, request.target, seed),
            *(*map(str, numbers), mhz, record.date[:10], record.revision),
        )
    table_console().print(table)


@results_app.command("export")
def export_command(engine: OneEngine = None) -> None:
    """Write the newest measurements into results/ of the checkout, one file for each engine.

    Runs of a tree with changes that were not committed stay out: nobody could repeat them.

    Example: modfab results export --engine bit_serial
    """
    root = checkout_dir()
    if root is None:
        raise UsageError(
            "Measurements are exported into a checkout, and this modfab was installed as a "
            "package; clone the repository and run ./modfab results export in it."
        )
    records = _chosen(engine)
    clean = [record for record in records if not record.revision.endswith("+")]
    for path in export(clean, root / "results"):
        print(path.relative_to(root))
    if len(clean) < len(records):
        left = len(records) - len(clean)
        print(f"{left} of {len(records)} were measured with changes not committed", file=sys.stderr)
