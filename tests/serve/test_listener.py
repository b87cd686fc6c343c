# SPDX-License-Identifier: Apache-2.0
"""The daemon's path: what lies there already, or since, and who may use its lock."""

from __future__ import annotations

import socket
import stat
from pathlib import Path

import pytest

from modfab.errors import UsageError
from modfab.serve.listener import LOCK_SUFFIX, Listener


@pytest.fixture
def lock(path: Path) -> Path:
    return path.with_name(path.name + LOCK_SUFFIX)


def test_the_lock_is_its_owners_and_stays(path: Path, lock: Path) -> None:
    listener = Listener(path)
    assert stat.S_IMODE(lock.stat().st_mode) == 0o600
    listener.remove()
    listener.unlock()
    assert lock.is_file()
    assert not path.exists()


def test_what_somebody_put_there_since_stays(path: Path) -> None:
    listener = Listener(path)
    path.unlink()
    path.write_text("another daemon's")
    listener.remove()
    listener.unlock()
    assert path.read_text() == "another daemon's"


def test_a_link_is_no_lock(path: Path, lock: Path, tmp_path: Path) -> None:
    lock.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="cannot be made"):
        Listener(path)
    assert not (tmp_path / "elsewhere").exists()


def test_what_answers_without_a_lock_keeps_its_path(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))
        other.listen()
        with pytest.raises(UsageError, match="A daemon answers at"):
            Listener(path)
        assert path.is_socket()
    later = Listener(path)  # the refused one has let the lock go
    later.remove()
    later.unlock()


@pytest.mark.parametrize("kind", [socket.SOCK_DGRAM, socket.SOCK_SEQPACKET])
def test_a_socket_of_another_kind_keeps_its_path(path: Path, kind: socket.SocketKind) -> None:
    with socket.socket(socket.AF_UNIX, kind) as other:
        other.bind(str(path))
        inode = path.stat().st_ino
        with pytest.raises(UsageError, match="A daemon answers at"):
            Listener(path)
        assert path.stat().st_ino == inode
