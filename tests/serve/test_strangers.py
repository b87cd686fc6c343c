# SPDX-License-Identifier: Apache-2.0
"""Processes of other users: the daemon turns them away, and the client sends them nothing."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from modfab.errors import NoDeviceError
from modfab.serve import client as client_module
from modfab.serve.client import Client
from modfab.serve.peer import is_own
from tests.support.daemon import daemon, key_folder, shared_short_key
from tests.support.false_daemon import NOBODY, skip_without_other_users
from tests.support.rsa_keys import ours

PYTHON = shutil.which("python3", path="/usr/bin:/usr/local/bin")  # one that every user may run

ASK = """
import socket, sys
with socket.socket(socket.AF_UNIX) as link:
    link.connect(sys.argv[1])
    try:
        link.sendall(b"\\0\\0\\0\\2\\1\\1")
        sys.stdout.write(link.recv(1000).hex())
    except OSError:
        pass
"""

LISTEN = """
import os, socket, sys
with socket.socket(socket.AF_UNIX) as listener:
    listener.bind(sys.argv[1])
    os.chmod(sys.argv[1], 0o777)
    listener.listen()
    print("listening", flush=True)
    link, _ = listener.accept()
    sys.stdout.write(link.recv(1000).hex())
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may write, so that nothing but the peer's user is in the way."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o777)
        yield Path(name)


def stranger(script: str, path: Path) -> subprocess.Popen[str]:
    """A process of another user."""
    skip_without_other_users()
    assert PYTHON is not None
    words = [PYTHON, "-I", "-S", "-c", script, str(path)]
    return subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, cwd="/", user=NOBODY, extra_groups=[]
    )


@contextmanager
def listener_at(path: Path) -> Iterator[list[bytes]]:
    """Takes one connection and keeps what comes; complete when the context has ended."""
    seen: list[bytes] = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()

        def work() -> None:
            link, _ = listener.accept()
            with link:
                seen.append(link.recv(1000))

        thread = threading.Thread(target=work)
        thread.start()
        yield seen
        thread.join()


def test_the_daemon_turns_another_user_away(open_folder: Path, tmp_path: Path) -> None:
    path = open_folder / "s"
    keys = key_folder(tmp_path / "keys", web=shared_short_key(512))
    with daemon(path, keys) as client:
        path.chmod(0o777)
        output, _ = stranger(ASK, path).communicate()
        assert output == ""
        assert client.health()["strangers"] == 1


def test_the_client_sends_another_user_nothing(open_folder: Path) -> None:
    key = ours(shared_short_key(512))
    with stranger(LISTEN, open_folder / "s") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "listening\n"
        with pytest.raises(NoDeviceError, match=f"another user .uid {NOBODY}.*nothing was sent"):
            Client(open_folder / "s").private(key, 5)
        assert process.stdout.read() == ""


def test_a_socket_that_may_not_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of another user's daemon has mode 600; root may use it, so the tests refuse by hand."""

    def refuse(link: socket.socket, address: str) -> None:
        raise PermissionError(13, f"Permission denied: {address}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    with pytest.raises(NoDeviceError, match="You may not use the socket"):
        Client(tmp_path / "s", patience_s=3600).keys()


def test_root_is_no_stranger(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert [is_own(uid) for uid in (1000, 0, 1001)] == [True, True, False]


def test_the_peer_is_asked_for_before_anything_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same for who is not root."""
    monkeypatch.setattr(client_module, "peer_of", lambda link: (1, os.geteuid() + NOBODY))
    key, client = ours(shared_short_key(512)), Client(tmp_path / "s")
    with listener_at(tmp_path / "s") as seen, pytest.raises(NoDeviceError, match="another user"):
        client.private(key, 5)
    assert seen == [b""]
