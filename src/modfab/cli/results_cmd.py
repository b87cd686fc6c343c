# SPDX-License-Identifier: Apache-2.0
"""`modfab results`: what was measured, its export into the checkout, and whether it still holds."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from modfab.catalog import ENGINES, get_engine
from modfab.cli.console import print_table, table_console
from modfab.cli.options import AsJson
from modfab.cli.progress import tell
from modfab.errors import UsageError
from modfab.flow.record import Record
from modfab.flow.refresh import Outcome, prune_folder, refresh_folder, refresh_store, stale_designs
from modfab.flow.store import Store, export, known_records, newest, read_folder
from modfab.flow.stored import valid
from modfab.pages.cells import circuit_text
from modfab.paths import checkout_dir, results_dir

results_app = typer.Typer(
    no_args_is_help=True,
    help="Measurements of results/ and your own: list, stale, refresh, export, prune.\n\n"
    "Example: modfab results list --engine sos",
)

OneEngine = Annotated[
    str | None, typer.Option("--engine", help="Only this engine; `modfab engines` lists them.")
]


def _chosen(records: Iterable[Record], engine: str | None) -> list[Record]:
    if engine is not None:
        get_engine(engine)
    return [record for record in records if engine in (None, record.request.engine)]


def _non_defaults(record: Record) -> list[str]:
    """Parameters other than the defaults; all of an engine that this version does not have."""
    params = record.request.params
    engine = ENGINES.get(record.request.engine)
    defaults = {p.name: p.default for p in engine.parameters} if engine else {}
    defaults["NumBits"] = record.request.num_bits
    return [f"{name}={value}" for name, value in params.items() if defaults.get(name) != value]


@results_app.command("list")
def list_command(engine: OneEngine = None, as_json: AsJson = False) -> None:
    """List the newest measurement of every request, of results/ and your own.

    Those that do not hold for today's RTL are left out; `results stale` lists them.

    Example: modfab results list --engine bit_serial
    """
    records = valid(_chosen(known_records(), engine))
    if as_json:
        print(json.dumps([json.loads(record.to_json()) for record in records]))
        return
    table = Table(box=None, pad_edge=False)
    headers = ("engine", "bits", "level", "parameters", "target", "seed", "LUT", "FF", "mul")
    for head in (*headers, "RAM", "MHz", "date", "revision"):
        figures = head in {"bits", "seed", "LUT", "FF", "mul", "RAM", "MHz", "date"}
        table.add_column(head, justify="right" if figures else "left")
    for record in records:
        request, area = record.request, record.area
        params = " ".join(_non_defaults(record)) or "-"
        seed = "-" if request.seed is None else str(request.seed)
        mhz = "-" if record.mhz is None else f"{record.mhz:.1f}"
        numbers = (area["lut"], area["ff"], area["multipliers"], area["block_rams"])
        table.add_row(
            *(request.engine, str(request.modulus_bits), circuit_text(request), params),
            *(request.target, seed),
            *(*map(str, numbers), mhz, record.date[:10], record.revision),
        )
    print_table(table_console(), table)


@results_app.command("export")
def export_command(engine: OneEngine = None) -> None:
    """Write your own newest measurements into results/ of the checkout, one file for each engine.

    Prints the files that changed. Runs of a tree with changes that were not committed stay out:
    nobody could repeat them.

    Example: modfab results export --engine bit_serial
    """
    root = _checkout("export")
    records = _chosen(Store().records(), engine)
    clean = newest(record for record in records if not record.revision.endswith("+"))
    for path in export(clean, root / "results"):
        print(path.relative_to(root))
    every = len(newest(records))
    if len(clean) < every:
        left = every - len(clean)
        print(f"{left} of {every} were measured with changes not committed", file=sys.stderr)


@results_app.command("prune")
def prune_command() -> None:
    """Take out of the checkout's results/ what is stale and is not to be measured again.

    That is a design that does not exist any more, or one of which a newer measurement holds, of an
    RSA core also one with its bus. Git keeps what was there.

    Example: modfab results prune
    """
    count = prune_folder(_checkout("prune") / "results")
    print(f"results/: {count} measurements taken out")


def _checkout(command: str) -> Path:
    root = checkout_dir()
    if root is None:
        raise UsageError(
            "The results/ of a checkout are meant, and this modfab was installed as a package; "
            f"clone the repository and run ./modfab results {command} in it."
        )
    return root


@results_app.command("refresh")
def refresh_command(
    restamp: Annotated[
        bool,
        typer.Option(
            "--restamp",
            help="Fingerprint unchanged RTL anew, too: after a change of Yosys.",
        ),
    ] = False,
) -> None:
    """Compare every stored circuit with today's RTL: what is the same stays, the rest is stale.

    Runs Yosys where a text changed; an interrupted run goes on where it was.

    Example: modfab results refresh
    """
    root = checkout_dir()
    if root is not None:
        _tell("results/", refresh_folder(root / "results", restamp, tell))
    _tell("the store", refresh_store(Store(), restamp, tell))


def _tell(where: str, outcome: Outcome) -> None:
    print(
        f"{where}: {outcome.records} measurements, {outcome.changed} compared anew, "
        f"{outcome.stale} stale"
    )


@results_app.command("stale")
def stale_command(as_json: AsJson = False) -> None:
    """List what no longer holds, why, and the command that measures it again.

    Example: modfab results stale
    """
    found = stale_designs([*read_folder(results_dir()), *Store().records()])
    if as_json:
        rows = [
            {"request": asdict(one.request), "reason": one.reason, "command": one.command}
            for one in found
        ]
        print(json.dumps(rows))
        return
    for reason in dict.fromkeys(one.reason for one in found):
        print(f"{reason}:")
        for one in found:
            if one.reason == reason:
                request = one.request
                name = f"{request.engine} {request.level} {request.num_bits} {request.target}"
                print(f"  {one.command or f'{name}: no such design today'}")
