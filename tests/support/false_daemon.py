# SPDX-License-Identifier: Apache-2.0
"""What listens at a daemon's socket and is none, or not one to be trusted."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from modfab.serve import protocol
from modfab.serve.protocol import Frame, Operation, Status
from tests.support.rsa_keys import ours, shared_key

NOBODY = 65534


def skip_without_other_users() -> None:
    """Skip where the tests are not root: only root can take another user's id."""
    if os.geteuid() != 0:
        pytest.skip("only root can take another user's id; run the tests as root")


def _listen(listener: socket.socket, path: Path, user: int | None) -> None:
    """The kernel tells clients the user at the time of the call."""
    listener.bind(str(path))
    own = os.geteuid()
    if user is not None:
        os.seteuid(user)
    try:
        listener.listen()
    finally:
        os.seteuid(own)


@contextmanager
def answers(path: Path, script: Sequence[bytes | None]) -> Iterator[list[Frame]]:
    """One answer for each connection; None closes it without reading the request."""
    requests: list[Frame] = []

    def work() -> None:
        for answer in script:
            link, _ = listener.accept()
            with link:
                if answer is None:
                    continue
                request = protocol.receive(link)
                assert request is not None
                requests.append(request)
                link.sendall(answer)

    with socket.socket(socket.AF_UNIX) as listener:
        _listen(listener, path, None)
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        yield requests
        thread.join(60)
        assert not thread.is_alive(), "not every answer was asked for"


@contextmanager
def false_daemon(path: Path, answer: bytes, user: int | None = None) -> Iterator[list[Frame]]:
    """Answers what asks for the public half rightly, and everything else with these bytes.

    Args:
        path: Of the socket.
        answer: A frame, or no frame.
        user: Who listens; None for the user of the tests.

    Yields:
        The requests that came.
    """
    own = ours(shared_key(1024))
    public = Frame(Status.OK, (protocol.number(own.n), protocol.number(own.e))).encode()
    requests: list[Frame] = []
    done = threading.Event()
    with socket.socket(socket.AF_UNIX) as listener:
        _listen(listener, path, user)

        def work() -> None:
            while True:
                link, _ = listener.accept()
                with link:
                    request = protocol.receive(link)
                    if done.is_set():
                        return
                    if request is None:
                        continue
                    requests.append(request)
                    link.sendall(public if request.code == Operation.PUBLIC else answer)

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield requests
        finally:
            done.set()
            with socket.socket(socket.AF_UNIX) as last:
                last.connect(str(path))
            thread.join()
