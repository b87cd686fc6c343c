# SPDX-License-Identifier: Apache-2.0
"""A daemon in a thread of this process, for the demo and for tests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from modfab.host.closing import Closing
from modfab.serve.client import Client
from modfab.serve.jobs import JobQueue
from modfab.serve.keyring import Keyring
from modfab.serve.server import Server
from modfab.serve.units import UnitOpener
from modfab.serve.workers import Limits, WorkerPool


class _Running(Closing):
    """A daemon's thread, which begins at once; its error is raised at the end.

    Args:
        serve: Serves until the first is set; calls the second when it answers.
    """

    def __init__(self, serve: Callable[[threading.Event, Callable[[], None]], None]) -> None:
        self._stop, self._ready = threading.Event(), threading.Event()
        self._serve = serve
        self._failed: list[BaseException] = []
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def answers(self) -> bool:
        """Whether it has started, once that is known."""
        self._ready.wait()
        return not self._failed

    def _work(self) -> None:
        try:
            self._serve(self._stop, self._ready.set)
        except BaseException as error:  # raised again by the thread that started this one
            self._failed.append(error)
        finally:
            self._ready.set()

    def close(self) -> None:
        """Stop it and raise what it failed with."""
        self._stop.set()
        self._thread.join()
        failed, self._failed = self._failed, []
        if failed:
            raise failed[0]


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

    def serve(stop: threading.Event, ready: Callable[[], None]) -> None:
        with Server(path, Keyring(keys), pool, queue, named_only=named_only) as server:
            server.run(stop, ready)

    with _Running(serve) as running:
        if running.answers():
            yield Client(path)
