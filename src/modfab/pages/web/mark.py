# SPDX-License-Identifier: Apache-2.0
"""The mark of a report's folder: which files are its own, so that nothing else is replaced."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

MARK = ".modfab-report"
"""File that says that a folder is a report, and which files are of it, one a line."""

_HEAD = "Made by modfab report; the next one replaces this folder, whose files are these:"

_WRITTEN = (
    *(MARK, "index.html", "measurements.html", "stale.html", "floorplans.html"),
    *("assessment.html", "method.html", "engine/*.html", "core/*.html", "paper/*.html"),
    *("record/*.html", "floorplan/*.svg", "assets/report.css", "assets/report.js"),
    "assets/plotly.min.js",
)
"""Files of reports from before the mark listed them."""


def mark_text(files: Iterable[str]) -> str:
    """The mark of a report with these files, paths in its folder."""
    return "\n".join([_HEAD, *sorted({MARK, *files})]) + "\n"


def foreign_file(folder: Path) -> str | None:
    """A file that no report has written, as a path in the folder; None where all are a report's."""
    mark = folder / MARK
    if not mark.is_file():
        return min((path.name for path in folder.iterdir()), default=None)
    listed = set(mark.read_text(encoding="utf-8", errors="replace").splitlines()[1:])
    for path in sorted(folder.rglob("*")):
        here = path.relative_to(folder).as_posix()
        known = here in listed if listed else _is_older(here)
        if not known and (path.is_symlink() or not path.is_dir()):
            return here
    return None


def _is_older(name: str) -> bool:
    return any(
        fnmatchcase(name, pattern) and name.count("/") == pattern.count("/") for pattern in _WRITTEN
    )
