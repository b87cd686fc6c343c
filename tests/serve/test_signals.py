# SPDX-License-Identifier: Apache-2.0
"""The C client among signals: they end no wait, and let none last longer."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from modfab.paths import sw_dir
from modfab.serve import protocol
from modfab.serve.protocol import Frame, Operation, Status
from tests.support.openssl import SANITIZERS, compile_client, skip_without_openssl

SOURCE = Path(__file__).parent / "c" / "client_signals.c"
LATE = 104
LIMIT_S = 60


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    skip_without_openssl()
    folder = sw_dir() / "openssl"
    target = tmp_path_factory.mktemp("signals") / "program"
    flags = (f"-I{folder}", str(folder / "modfab_client.c"))
    return compile_client(target, SOURCE, SANITIZERS, *flags)


@contextmanager
def asking(program: Path, path: Path, timeout_s: int) -> Iterator[subprocess.Popen[str]]:
    words = [str(program), str(path), str(timeout_s)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def output(process: subprocess.Popen[str]) -> list[str]:
    """Status and number of keys."""
    text, _ = process.communicate(timeout=LIMIT_S)
    return text.strip(".").split()


def test_a_daemon_that_hangs(program: Path, path: Path) -> None:
    """The wait ends in time, though every signal interrupts it."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        with asking(program, path, 1) as process:
            assert output(process) == [str(LATE), "0"]


def test_a_daemon_that_takes_no_connection_yet(program: Path, path: Path) -> None:
    """A connection that waits for its turn goes on behind a signal."""
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as first:
        listener.bind(str(path))
        listener.listen(0)  # one may wait
        first.connect(str(path))
        with asking(program, path, LIMIT_S) as process:
            assert process.stdout is not None
            assert process.stdout.read(20) == "." * 20
            listener.accept()[0].close()
            link, _ = listener.accept()
            with link:
                assert protocol.receive(link) == Frame(Operation.KEYS)
                link.sendall(Frame(Status.OK, (b"web",)).encode())
                assert output(process) == [str(Status.OK.value), "1"]
