# SPDX-License-Identifier: Apache-2.0
"""Replaces a folder or a file by a finished one: packages, bitstreams, reports, measurements."""

from __future__ import annotations

import contextlib
import secrets
from pathlib import Path

from modfab.errors import UsageError


def check_replaceable(folder: Path) -> None:
    """Refuse the current folder and those it is in: a shell would be left in a deleted folder.

    Raises:
        UsageError: It is one of them.
    """
    try:
        here = Path.cwd()
    except FileNotFoundError:  # deleted already
        return
    if folder.exists() and any(map(folder.samefile, (here, *here.parents))):
        what = "is" if folder.samefile(here) else "holds"
        raise UsageError(
            f"The folder {folder} would be replaced, but it {what} the one that this command runs "
            "in; name another, or a new one in it, with -o."
        )


def put_in_place(made: Path, folder: Path, aside: Path) -> None:
    """Give a finished folder its name; what had it before is back when that does not succeed.

    Args:
        made: The folder, beside the other one.
        folder: Its place, not a link; it need not exist.
        aside: Where the folder that was there goes; its owner takes it away.
    """
    try:
        with contextlib.suppress(FileNotFoundError):
            folder.rename(aside)
        made.rename(folder)
    except BaseException:
        if aside.exists() and not folder.exists():
            aside.rename(folder)
        raise


def replace_text(path: Path, text: str) -> None:
    """Write a file whole or not at all; of several processes the last one's stays."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
