# SPDX-License-Identifier: Apache-2.0
"""`modfab assess`: what a fault does to a build of the RSA core, what time and toggles tell."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from modfab.assess.campaign import Request, described, run_campaign
from modfab.assess.circuit import today
from modfab.assess.farm import run_farm
from modfab.assess.page import cell, tables
from modfab.assess.shell import run_shell
from modfab.assess.timing import run_timing
from modfab.build.farm import DEFAULT_CORES, FarmCore
from modfab.build.rsa import RsaCore, rsa_core_of
from modfab.cli.assess_report import check_report, check_tools, write_report
from modfab.cli.console import print_table, table_console
from modfab.cli.options import (
    AsJson,
    EngineName,
    NumBits,
    ParamTexts,
    finite,
    parse_params,
    refuse_elsewhere,
)
from modfab.errors import UsageError
from modfab.flow.measure import revision
from modfab.host.choice import Build

What = Annotated[
    Literal["timing", "faults", "shell", "leakage", "all"],
    typer.Argument(help="What to assess; shell: faults in its bus shell.", show_default=False),
]
Folder = Annotated[
    Path, typer.Option("-o", "--out", help="Folder of the reports; a campaign goes on there.")
]
CoreName = Annotated[str, typer.Option(help="rsa; faults: farm, too, for faults in its control.")]
SequencerName = Annotated[
    str, typer.Option("--sequencer", "--seq", help="ladder, window, window5 or r2l.")
]
BuildName = Annotated[
    Build | None, typer.Option("--build", help="hardened or basic.", show_default="hardened")
]
AddressBlinding = Annotated[
    bool, typer.Option("--address-blinding", help="As --rsa address_blinding=1.")
]
RsaTexts = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="Options of the RSA core, as in `modfab synth`."),
]
Runs = Annotated[
    int | None,
    typer.Option(min=1, help="Faults (1000), keys for timing (60), traces of a test (1000)."),
]
First = Annotated[int, typer.Option("--from", min=0, help="Number of the first fault.")]
Seed = Annotated[int, typer.Option(min=1, help="Of all that is random.")]
Limit = Annotated[
    float | None,
    typer.Option(
        "--time-limit", min=1, callback=finite, help="Seconds; then report on what is done."
    ),
]
Noise = Annotated[
    float,
    typer.Option(
        min=0,
        callback=finite,
        help="Leakage: noise added to a cycle's toggles (its deviation).",
    ),
]
Points = Annotated[
    int | None,
    typer.Option(
        min=256, help="Leakage: cycles that are looked at, in windows; else all that fit."
    ),
]
CpaRuns = Annotated[
    int | None, typer.Option(min=50, help="Leakage: traces of a correlation attack (as --runs).")
]
RSA_CORE, FARM_CORE = RsaCore.kind, FarmCore.kind
DEFAULT_RUNS = {"timing": 60, "faults": 1000, "shell": 1000, "leakage": 1000, FARM_CORE: 1000}
ASSESSED = ("timing", "faults", "shell", "leakage")


@contextmanager
def _bar(title: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on standard error with the time left, when that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn(title), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, whole: bar.update(task, completed=done, total=whole)


def assess_command(
    what: What,
    engine: EngineName = "bit_serial",
    num_bits: NumBits = 128,
    folder: Folder = Path("assessment"),
    core: CoreName = RSA_CORE,
    sequencer: SequencerName = "ladder",
    build: BuildName = None,
    address_blinding: AddressBlinding = False,
    params: ParamTexts = None,
    rsa: RsaTexts = None,
    runs: Runs = None,
    first: First = 0,
    seed: Seed = 1,
    limit: Limit = None,
    noise: Noise = 0.0,
    points: Points = None,
    cpa_runs: CpaRuns = None,
    as_json: AsJson = False,
) -> None:
    """Assess a simulated build of the RSA core: timing, faults (of core or bus), leakage, or all.

    Writes NAME.json and NAME.html into the folder. The same command again goes on with the core's
    faults and the traces that the folder does not have; faults of bus or farm and timing begin
    again. A report of another core or seed is not replaced. The same seed gives the same keys,
    faults and traces.

    Example: modfab assess faults --engine bit_serial --bits 128 --runs 300 -o assessment
    """
    _check(what, core, rsa, folder)
    _check_used(what, first, {"--noise": noise or None, "--points": points, "--cpa-runs": cpa_runs})
    options = _options(build, address_blinding, parse_params(rsa))
    cores = options.pop("cores", DEFAULT_CORES) if core == FARM_CORE else 1
    made = rsa_core_of(engine, num_bits, parse_params(params), sequencer, options)
    names = [FARM_CORE] if core == FARM_CORE else _names(what)
    check_tools(names)
    for name in names:
        check_report(folder, name, _told(made, name, cores), seed)
    reports = {}
    for name in names:
        request = Request(made, runs or DEFAULT_RUNS[name], seed, first, seconds=limit)
        reports[name] = _run(name, request, folder, (noise, points, cpa_runs), cores)
    if as_json:
        print(json.dumps(reports if what == "all" else next(iter(reports.values()))))
        return
    for name, report in reports.items():
        _show(name, report, folder)


def _names(what: str) -> list[str]:
    """The reports on a core; `all` has those of every word."""
    return list(ASSESSED) if what == "all" else [what]


def _told(core: RsaCore, name: str, cores: int) -> dict[str, Any]:
    """The core as a report tells it; of a farm with the number of its cores."""
    return described(core) | ({"cores": cores} if name == FARM_CORE else {})


def _check(what: str, core: str, rsa: list[str] | None, folder: Path) -> None:
    """Raise UsageError for a core that no campaign is for, or a folder that cannot be made."""
    _check_folder(folder)
    if core not in (RSA_CORE, FARM_CORE) or (core == FARM_CORE and what != "faults"):
        raise UsageError(
            f"Expected --core rsa, or faults with --core farm, but got {what} with --core {core}; "
            "choose one of these."
        )
    if parse_params(rsa).get("public_only"):
        raise UsageError(
            "A campaign runs private operations, but public_only=1 asks for a core that has none; "
            "leave it out. The tests of the project have campaigns of their own for such a core."
        )


def _check_used(what: str, first: int, leakage: Mapping[str, object]) -> None:
    """Raise UsageError for options that this campaign would ignore."""
    if what not in ("leakage", "all"):
        refuse_elsewhere(leakage, f"leakage, but {what} was given; leave it out")
    if what in ("timing", "leakage"):
        where = f"campaigns of faults, but {what} was given; leave it out"
        refuse_elsewhere({"--from": first or None}, where)


def _options(build: Build | None, address_blinding: bool, rsa: dict[str, int]) -> dict[str, int]:
    """The options of the core.

    Raises:
        UsageError: Two of them contradict.
    """
    asked = {} if build is None else {"hardened": int(build == "hardened")}
    asked |= {"address_blinding": 1} if address_blinding else {}
    for name, value in asked.items():
        if rsa.get(name, value) != value:
            option = "--address-blinding" if name == "address_blinding" else f"--build {build}"
            raise UsageError(
                f"{option} and --rsa {name}={rsa[name]} contradict; leave one of them out."
            )
    return {"hardened": 1} | rsa | asked


def _check_folder(folder: Path) -> None:
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not there.is_dir():
        raise UsageError(
            f"Expected a folder for the report, but {there} is a file; choose another one with -o."
        )
    if not os.access(there, os.W_OK | os.X_OK):
        raise UsageError(
            f"The report cannot be written into {folder}; check the permissions, or choose another "
            "folder with -o."
        )


def _run(
    name: str,
    request: Request,
    folder: Path,
    leakage: tuple[float, int | None, int | None],
    cores: int,
) -> dict[str, Any]:
    """Assess one thing, and write its report."""
    core = _told(request.core, name, cores)
    made_of = {"rtl": today(name, {"core": core}).text, "revision": revision()}
    with _bar(name) as tell:
        if name == "faults":
            report = run_campaign(request, folder, tell)
        elif name == FARM_CORE:
            report = run_farm(request, cores, tell)
        elif name == "shell":
            report = run_shell(request, tell)
        elif name == "leakage":
            report = _run_leakage(request, folder, leakage, tell)
        else:
            report = run_timing(*(request.core, request.runs, request.seed, tell, request.seconds))
    report |= made_of
    write_report(folder, name, report)
    return report


def _run_leakage(
    request: Request,
    folder: Path,
    settings: tuple[float, int | None, int | None],
    tell: Callable[[int, int], None] | None,
) -> dict[str, Any]:
    from modfab.assess.leakage import Settings, run_leakage

    return run_leakage(request, Settings(*settings), folder, tell)


def _show(name: str, report: dict[str, Any], folder: Path) -> None:
    console = table_console()
    for title, rows in tables(name, report):
        table = Table(title=title, title_justify="left")
        table.add_column(title)
        for column in next(iter(rows.values()), {}):
            table.add_column(column, justify="right")
        for row, values in rows.items():
            table.add_row(row, *(cell(value) for value in values.values()))
        print_table(console, table)
    console.print(f"Report: {folder / name}.html", soft_wrap=True)
