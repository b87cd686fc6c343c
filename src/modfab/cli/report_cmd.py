# SPDX-License-Identifier: Apache-2.0
"""`modfab report`: measurements and published figures as a static site."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from modfab.cli.progress import tell
from modfab.errors import UsageError
from modfab.flow.store import known_records
from modfab.paths import docs_dir


def report_command(
    folder: Annotated[
        Path, typer.Option("-o", "--out", help="A new or empty folder, or an older report.")
    ],
    assessment: Annotated[
        Path | None,
        typer.Option(help="Folder of assessment results (.md, .json); docs/assessment.md."),
    ] = None,
) -> None:
    """Write a report for the browser: plots, engines, cores, papers, floorplans, records.

    It needs no network and opens from the disk. Figures that are stale are not shown.

    Example: modfab report -o my_report
    """
    from modfab.pages.web.site import write_report

    if assessment is not None and not assessment.is_dir():
        raise UsageError(
            f"Expected a folder of assessment results at {assessment}, but there is none; check "
            "the path or leave --assessment out."
        )
    chosen = assessment or docs_dir() / "assessment.md"
    files = write_report(folder, known_records(), chosen, tell)
    print(f"{folder / 'index.html'} ({len(files)} files)")
