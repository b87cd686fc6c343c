# SPDX-License-Identifier: Apache-2.0
"""Replaces a folder or a file by a finished one: packages, bitstreams, reports, measurements."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from modfab.errors import UsageError


def first_foreign(folder: Path, is_own: Callable[[str], bool]) -> str | None:
    """The first file or link below a folder, as a path in it, that is not its own."""
    for path in sorted(folder.rglob("*")):
        here = path.relative_to(folder).as_posix()
        if not is_own(here) and (path.is_symlink() or not path.is_dir()):
            return here
    return None


@dataclass(frozen=True, slots=True)
class Mark:
    """A file that says who made its folder, and which files are of it: no others are replaced.

    Attributes:
        name: Of the file.
        head: Its first line; then comes one file a line.
        older: Patterns of the files of folders whose mark does not list them.
    """

    name: str
    head: str
    older: tuple[str, ...] = ()

    def text(self, files: Iterable[str]) -> str:
        """The mark of a folder with these files, paths in it."""
        return "\n".join([self.head, *sorted({self.name, *files})]) + "\n"

    def foreign_file(self, folder: Path) -> str | None:
        """A file that is not of such a folder, as a path in it; None where there is none."""
        mark = folder / self.name
        if not mark.is_file():
            return min((path.name for path in folder.iterdir()), default=None)
        listed = set(mark.read_text(encoding="utf-8", errors="replace").splitlines()[1:])
        return first_foreign(folder, listed.__contains__ if listed else self._is_older)

    def _is_older(self, name: str) -> bool:
        return any(
            fnmatchcase(name, pattern) and name.count("/") == pattern.count("/")
            for pattern in self.older
        )


def check_replaceable(folder: Path) -> None:
    """Refuse a file, the current folder and those it is in, which a shell would be left in.

    Raises:
        UsageError: It is one of them.
    """
    if folder.is_file():
        raise UsageError(f"Expected a folder, but {folder} is a file; choose another with -o.")
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
