# SPDX-License-Identifier: Apache-2.0
"""A daemon in a thread of this process, for the demo and for tests."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from modfab.serve.client import Client
from modfab.serve.jobs import JobQueue
from modfab.serve.keyring import Keyring
from modfab.serve.server import Server
from modfab.serve.units import UnitOpener
from modfab.serve.workers import Limits, WorkerPool


@contextmanager
def background_daemon(
    path: Path,
    keys: Path | None,
    openers: Sequence[UnitOpener],
    limits: Limits,
    *,
    named_only: bool = False,
    queue: JobQueue | None = None,
) -> Iterator[Client]:
    """Serve while the context lasts.

    Args:
        path: Of the socket.
        keys: Folder of the keys; None for no key.
        openers: Of the devices.
        limits: When to give up.
        named_only: Refuse keys that a client brings along.
        queue: A queue to look into; a new one when None.

    Yields:
        A client.

    Raises:
        ModfabError: The daemon could not be started, or could not zeroize a device at its end.
    """
    queue = JobQueue() if queue is None else queue  # an empty one is false
    pool = WorkerPool(openers, queue, limits)
    stop, ready = threading.Event(), threading.Event()
    failed: list[BaseException] = []

    def work() -> None:
        try:
            with Server(path, Keyring(keys), pool, queue, named_only=named_only) as server:
                server.run(stop, ready.set)
        except BaseException as error:  # raised again by the thread that started this one
            failed.append(error)
        finally:
            ready.set()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        ready.wait()
        if not failed:
            yield Client(path)
    finally:
        stop.set()
        thread.join()
    if failed:
        raise failed[0]
