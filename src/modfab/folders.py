# SPDX-License-Identifier: Apache-2.0
"""A finished folder in the place of an older one: packages and reports are written so."""

from __future__ import annotations

import contextlib
from pathlib import Path

from modfab.errors import UsageError


def check_replaceable(folder: Path) -> None:
    """Refuse the folder that this process runs in: whoever is in it would be nowhere.

    Raises:
        UsageError: It is that one.
    """
    if folder.exists() and folder.samefile(Path()):
        raise UsageError(
            f"The folder {folder} would be replaced, but it is the one that this command runs in; "
            "name another, or a new one in it, with -o."
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
