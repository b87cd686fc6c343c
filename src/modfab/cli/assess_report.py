# SPDX-License-Identifier: Apache-2.0
"""The files of `modfab assess`: whose they are, before a campaign, and how they are written."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from modfab.assess.page import check_drawings, page
from modfab.cli.files import write_output
from modfab.errors import ToolError, UsageError


def check_tools(names: Iterable[str]) -> None:
    """Look for what these campaigns and their reports need.

    Raises:
        ToolError: A package is missing.
    """
    for name in names:
        if name == "leakage" and importlib.util.find_spec("numpy") is None:
            raise ToolError(
                "Leakage needs numpy, which this Python does not have; run the ./modfab launcher, "
                "or `pip install 'modfab[flow]'`."
            )
        check_drawings(name)


def check_report(folder: Path, name: str, core: Mapping[str, Any], seed: int) -> None:
    """Look whether a campaign may write into a folder.

    Args:
        folder: Of the reports.
        name: timing, faults, shell, farm or leakage.
        core, seed: Of the campaign; a report of the same ones is replaced.

    Raises:
        UsageError: What is there is of another core or seed, or is no report.
    """
    for path, told in _kept(folder, name):
        if not isinstance(told, dict) or not {"core", "seed"} <= set(told):
            raise UsageError(
                f"Expected a report of modfab assess in {path}, which would be replaced or gone on "
                "with, but it cannot be read as one; choose another folder with -o, or remove it."
            )
        if (told["core"], told["seed"]) != (core, seed):
            raise UsageError(
                f"{path} is of another core or seed, and {name} with seed {seed} would replace it; "
                "choose another folder with -o, or remove it."
            )


def _kept(folder: Path, name: str) -> Iterator[tuple[Path, Any]]:
    """The files of a campaign with what they tell of it; None where that cannot be read."""
    report, journal = folder / f"{name}.json", folder / f"{name}.jsonl"
    if report.exists():
        yield report, _parsed(report)
    if journal.is_file():
        with journal.open("rb") as file:
            head = file.readline()
        if head.endswith(b"\n"):  # else it was cut, and the campaign begins
            yield journal, _json(head)
    if name == "leakage":
        from modfab.assess.leakage import identities

        yield from identities(folder)


def _parsed(path: Path) -> Any:
    try:
        return _json(path.read_bytes())
    except OSError:
        return None


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return None


def write_report(folder: Path, name: str, report: dict[str, Any]) -> None:
    """Write NAME.json and NAME.html, each completely or not at all.

    Raises:
        MachineError: Writing failed.
    """
    html = page(name, report)
    folder.mkdir(parents=True, exist_ok=True)
    for suffix, text in (("json", json.dumps(report, indent=1) + "\n"), ("html", html)):
        write_output(folder / f"{name}.{suffix}", text.encode(), secret=False)
