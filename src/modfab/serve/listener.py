# SPDX-License-Identifier: Apache-2.0
"""The daemon's socket at its path, which one daemon at a time may have."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
from pathlib import Path

from modfab.errors import UsageError

LOCK_SUFFIX = ".lock"
_PROBE_S = 2.0


class Listener:
    """A socket at a path, mode 0600, bound and not listening yet; a dead daemon's is replaced.

    A daemon opens its devices before it listens, and wipes them after. So the path is its own not
    by an answer, but by a lock on a file beside it, which lasts until `unlock` or the process's
    end. That file stays: who removed it could lock another one than who has it open already.

    Raises:
        UsageError: The socket cannot be made, or another daemon has the path.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = _locked(path)
        try:
            self.socket = _bound(path)
            self._inode = path.stat().st_ino
        except BaseException:
            os.close(self._lock)
            raise

    def remove(self) -> None:
        """Close the socket and take it away from its path."""
        self.socket.close()
        with contextlib.suppress(OSError):
            if self._path.stat().st_ino == self._inode:  # not what somebody put there since
                self._path.unlink()

    def unlock(self) -> None:
        """Let another daemon have the path; a second call does nothing."""
        lock, self._lock = self._lock, -1
        if lock >= 0:
            os.close(lock)


def _locked(path: Path) -> int:
    """The open lock file, locked."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        lock = os.open(f"{path}{LOCK_SUFFIX}", flags, 0o600)
    except OSError as error:
        raise _cannot_be_made(path, error) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        taken = isinstance(error, BlockingIOError)
        raise (_taken(path) if taken else _cannot_be_made(path, error)) from None
    return lock


def _bound(path: Path) -> socket.socket:
    if path.is_socket():
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(_PROBE_S)
            try:
                probe.connect(str(path))
            except FileNotFoundError:
                pass
            except ConnectionRefusedError:  # nobody listens any more
                path.unlink(missing_ok=True)
            except OSError:  # a socket of another kind or user, or too many wait there
                raise _taken(path) from None
            else:  # a daemon of a release without the lock, or another program
                raise _taken(path)
    listener = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    except OSError as error:
        listener.close()
        raise _cannot_be_made(path, error) from None
    finally:
        os.umask(before)
    return listener


def _taken(path: Path) -> UsageError:
    return UsageError(
        f"A daemon answers at {path} already, or is starting or stopping there; use that one, stop "
        "it first, or choose another path after --socket."
    )


def _cannot_be_made(path: Path, error: OSError) -> UsageError:
    return UsageError(
        f"The socket {path} cannot be made ({error.strerror or error}); choose a path of up to "
        "100 characters in a folder that you may write, after --socket."
    )
