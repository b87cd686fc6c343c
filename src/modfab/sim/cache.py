# SPDX-License-Identifier: Apache-2.0
"""The cache of compiled code: a folder that only its owner can change, and files that are his.

What lies there is loaded into this process, so a file of somebody else would be his code running
as this user. One process at a time makes a file, and it appears whole or not at all.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from modfab.errors import CacheError
from modfab.paths import cache_dir

_PRIVATE = "private"
_OWNER_ONLY = 0o700
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_ADVICE = "let MODFAB_CACHE name a folder of your own"


def private_dir(name: str = "") -> Path:
    """The cache, or a folder in it, made when it is not there; only its owner can use it.

    A folder that was there and that others can read stays as it is: the cache is a private one
    in it.

    Raises:
        CacheError: It cannot be made, it belongs to somebody else, or others can write to it.
    """
    folder = cache_dir()
    if _make(folder, close=False) & _OTHERS:
        folder /= _PRIVATE
        _make(folder, close=True)
    if name:
        folder /= name
        _make(folder, close=True)
    return folder


def _make(path: Path, *, close: bool) -> int:
    """Make a folder that is not there, else check or close it, and return the mode it had."""
    try:
        path.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
        found = path.stat()
        _check_owner(path, found)
        if close and found.st_mode & _OTHERS:
            path.chmod(_OWNER_ONLY)
    except OSError as error:
        reason = "it is a file" if path.is_file() else error.strerror
        raise CacheError(
            f"The cache folder {path} cannot be used ({reason}); {_ADVICE} that can be written."
        ) from None
    return found.st_mode


def _check_owner(path: Path, found: os.stat_result) -> None:
    """Refuse what somebody else made or can change."""
    if found.st_uid != os.geteuid():
        raise CacheError(
            f"{path} belongs to user {found.st_uid}, but this is user {os.geteuid()}: code in it "
            f"may be somebody else's and is not loaded; {_ADVICE}."
        )
    if found.st_mode & _OTHERS_WRITE:
        raise CacheError(
            f"Others can write to {path} (mode {stat.S_IMODE(found.st_mode):o}), so that code in "
            f"it is not loaded; remove it, or {_ADVICE}."
        )


def check_file(path: Path) -> None:
    """Refuse a file of the cache that is not this user's own.

    Raises:
        CacheError: It belongs to somebody else, others can write to it, or it is no plain file.
    """
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode):
        raise CacheError(
            f"{path} is no plain file, so that code in it is not loaded; remove it, or {_ADVICE}."
        )
    _check_owner(path, found)


def load_library(path: Path) -> ctypes.CDLL:
    """Load a library of the cache.

    Raises:
        CacheError: It is not this user's own, or it is damaged.
    """
    check_file(path)
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise CacheError(
            f"{path} cannot be loaded ({error}); remove it, and it is compiled again."
        ) from None


@contextmanager
def making(target: Path, wait: Callable[[], None]) -> Iterator[bool]:
    """Hold the right to make a file of the cache.

    Args:
        target: The file.
        wait: Called once when another process makes it now; this one waits for it.

    Yields:
        Whether there is still something to make.
    """
    with (private_dir("locks") / f"{target.name}.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            wait()
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield not target.is_file()


def publish(made: Path, target: Path) -> None:
    """Copy a finished file into the cache; it appears there in one step, whoever else does it."""
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        shutil.copyfile(made, partial)
        partial.chmod(_OWNER_ONLY)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
