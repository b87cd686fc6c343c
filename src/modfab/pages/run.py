# SPDX-License-Identifier: Apache-2.0
"""Modules that write a page or a drawing when they are run: `--help`, and no other argument."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from modfab.errors import ModfabError


def run(module: str, text: str, write: Callable[[], Sequence[Path]]) -> None:
    """Write files, and say which; `--help` and wrong arguments write nothing.

    Args:
        module: As given to `python -m`.
        text: What it does.
        write: Writes the files and returns them.
    """
    argparse.ArgumentParser(prog=f"./modfab python -m {module}", description=text).parse_args()
    write_files(write)


def write_files(write: Callable[[], Sequence[Path]]) -> None:
    """Write files, and say which; an error ends the program with its sentence and code."""
    try:
        written = write()
    except ModfabError as error:
        print(f"modfab: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    for path in written:
        print(path)


def drawing(module: str, path: Path, draw: Callable[[], str]) -> None:
    """Write one drawing."""

    def write() -> Sequence[Path]:
        path.write_text(draw())
        return (path,)

    run(module, f"Draw {path.name} anew from the model.", write)
