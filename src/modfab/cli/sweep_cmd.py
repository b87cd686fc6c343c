# SPDX-License-Identifier: Apache-2.0
"""`modfab sweep`: many measurements, over this machine's cores or a cluster."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from modfab.catalog import ENGINES
from modfab.cli.console import print_table, table_console
from modfab.cli.options import AsJson, finite, refuse_elsewhere
from modfab.errors import UsageError
from modfab.flow.store import Store, known_records
from modfab.flow.tools import num_threads

if TYPE_CHECKING:
    from distributed import Client

    from modfab.flow.record import Record
    from modfab.flow.sweep.failures import Failure
    from modfab.flow.sweep.run import Plan, State
    from modfab.flow.sweep.spec import Spec

Memory = Annotated[
    float | None,
    typer.Option(min=0.1, callback=finite, help="GiB that they may have; what is available."),
]
POINT_FAILED = 1
"""Exit code when a point failed."""


def sweep_command(
    spec: Annotated[
        Path | None, typer.Argument(metavar="SPEC.toml", help="What to measure.")
    ] = None,
    example: Annotated[bool, typer.Option("--example", help="Print a SPEC.toml.")] = False,
    scheduler: Annotated[
        str | None, typer.Option(help="A Dask cluster: tcp://HOST:8786; this machine.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes here; as cores and memory allow.")
    ] = None,
    memory: Memory = None,
    retry: Annotated[bool, typer.Option("--retry", help="Try failed points again.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would run.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure a grid or a random choice: engines, parameters, widths, targets, seeds, levels.

    What the store has is not measured again, so an interrupted sweep goes on where it was. A point
    that fails is kept with its reason and log, and is left out until --retry.

    Example: modfab sweep --example > my_sweep.toml

    Example: modfab sweep my_sweep.toml --scheduler tcp://10.0.0.5:8786
    """
    from modfab.flow.sweep.spec import EXAMPLE, read_spec

    if example:
        print(EXAMPLE, end="")
        return
    if spec is None:
        raise UsageError(
            "A sweep needs a SPEC.toml, but none was given; `modfab sweep --example` prints one."
        )
    _check_where(scheduler, workers, memory)
    read = read_spec(spec)
    planned = _planned(read, retry)
    if dry_run:
        _show_plan(read, planned, as_json=as_json)
        return
    found = _swept(planned, (scheduler, workers, memory))
    if as_json:
        print(json.dumps(_as_data(found), indent=1))
    else:
        _show(found)
    if found.failed:
        raise typer.Exit(POINT_FAILED)


def _check_where(scheduler: str | None, workers: int | None, memory: float | None) -> None:
    """Raise UsageError for options of processes that nobody starts, or that are counted already."""
    if scheduler is not None:
        where = "processes of this machine, but --scheduler names a cluster; leave one of them out"
        refuse_elsewhere({"--workers": workers, "--memory": memory}, where)
    if workers is not None:
        where = "a number of processes to find, but --workers gives it; leave one of them out"
        refuse_elsewhere({"--memory": memory}, where)


@dataclass(frozen=True, slots=True)
class _Swept:
    """What came of a sweep: points that were known, measured now, and failed; the best of now."""

    known: int
    measured: int
    failed: dict[str, Failure]
    best: list[Record]


def _planned(read: Spec, retry: bool) -> Plan:
    """What is left to measure."""
    from modfab.flow.sweep.failures import Failures
    from modfab.flow.sweep.run import plan

    planned = plan(read.points, known_records(), Failures(), retry)
    _tell_plan(read, planned)
    return planned


def _show_plan(read: Spec, planned: Plan, *, as_json: bool) -> None:
    titles = [one.point.title for one in planned.todo]
    if as_json:
        known = {"known": planned.known, "failed": _failed_data(planned.failed)}
        print(json.dumps(known | {"todo": titles, "left_out": dict(read.left_out)}, indent=1))
        return
    for title in titles:
        print(title)


def _swept(planned: Plan, where: tuple[str | None, int | None, float | None]) -> _Swept:
    """Measure what is left."""
    from modfab.flow.sweep.failures import Failures
    from modfab.flow.sweep.run import run

    failures, store = Failures(), Store()
    if not planned.todo:
        return _Swept(planned.known, 0, planned.failed, [])
    store.check_writable()
    with _client(planned, *where) as client:
        state = run(planned.todo, client, store, failures, _progress)
    failed = planned.failed | state.failed
    if state.failed:
        _say(f"Reasons and logs are in {failures.folder}.")
    return _Swept(planned.known, state.done, failed, list(state.best.values()))


def _client(
    planned: Plan, scheduler: str | None, workers: int | None, memory: float | None
) -> AbstractContextManager[Client]:
    from modfab.flow.sweep.cluster import available_gib, local_client, num_workers, remote_client

    if scheduler is not None:
        _say(f"on the cluster at {scheduler}")
        return remote_client(scheduler)
    points = [one.point for one in planned.todo]
    number = workers or num_workers(points, num_threads(), memory or available_gib())
    _say(f"on {number} process{'' if number == 1 else 'es'} of this machine")
    return local_client(number)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _tell_plan(read: Spec, planned: Plan) -> None:
    _say(
        f"{len(read.points)} points: {planned.known} measured, {len(planned.failed)} failed before "
        f"(--retry), {len(planned.todo)} to measure; {len(read.left_out)} combinations left out"
    )
    for title, reason in read.left_out.items():
        _say(f"  left out: {title}: {reason}")


def _progress(state: State) -> None:
    ended, left = state.done + len(state.failed), state.seconds_left
    time_left = f"{left / 60:.0f} min" if left >= 90 else f"{left:.0f} s"
    what = state.last.title if state.last else ""
    line = f"{ended} of {state.total}, about {time_left} left: {what}"
    if state.last_failure:
        _say(f"{line}: failed: {state.last_failure.reason}")
        return
    best = max(state.best.values(), key=lambda record: record.date, default=None)
    _say(f"{line}; best so far: {_text(best)}" if best else line)


def _text(record: Record) -> str:
    request, area = record.request, record.area
    name = ENGINES[request.engine].name_with(request.params)
    mhz = f", {record.mhz:.1f} MHz" if record.mhz else ""
    return (
        f"{name}, {request.level}, {request.modulus_bits} bits, {request.target}: "
        f"{area['lut']:,} LUT{mhz}"
    )


def _as_data(found: _Swept) -> dict[str, object]:
    return {
        "known": found.known,
        "measured": found.measured,
        "failed": _failed_data(found.failed),
        "best": [json.loads(record.to_json()) for record in found.best],
    }


def _failed_data(failed: Mapping[str, Failure]) -> dict[str, object]:
    return {title: asdict(failure) for title, failure in failed.items()}


def _show(found: _Swept) -> None:
    if found.best:
        table = Table(
            title="best of this run: least (LUT + FF) x time, or area where nothing was routed",
            title_justify="left",
            box=None,
            pad_edge=False,
        )
        for head in ("level", "bits", "target", "engine", "LUT", "FF", "MHz", "seed"):
            table.add_column(head)
        for record in found.best:
            request, area = record.request, record.area
            name = ENGINES[request.engine].name_with(request.params)
            mhz = f"{record.mhz:.1f}" if record.mhz else "-"
            table.add_row(
                *(request.level, str(request.modulus_bits), request.target, name),
                *(f"{area['lut']:,}", f"{area['ff']:,}", mhz, str(request.seed or "-")),
            )
        print_table(table_console(), table)
    for title, failure in found.failed.items():
        print(f"failed: {title}: {failure.reason}")
    if found.failed:
        print("--retry tries them again.")
