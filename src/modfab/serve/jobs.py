# SPDX-License-Identifier: Apache-2.0
"""Jobs of the daemon and the queue that shares the devices among its clients."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from dataclasses import dataclass, field

from modfab.errors import ModfabError
from modfab.host.keys import RsaPrivate
from modfab.serve.protocol import BusyError, StoppingError

MAX_PREFERRED = 8
"""Most jobs in a row for the loaded key while other clients wait."""


@dataclass(frozen=True, slots=True, repr=False)
class PrivateResult:
    """A private result with its cycles."""

    value: int
    exp_cycles: int
    setup_cycles: int


@dataclass(slots=True, eq=False, repr=False)
class Job:
    """One private operation; `done` is set when it has a result or an error.

    Nobody waits for an `unwanted` one any more.
    """

    client: int
    key: RsaPrivate
    base: int
    tries: int = 0
    unwanted: bool = False
    result: PrivateResult | None = None
    error: ModfabError | None = None
    done: threading.Event = field(default_factory=threading.Event)

    def finish(self, outcome: PrivateResult | ModfabError) -> None:
        """Answer the job; the first answer counts."""
        if self.done.is_set():
            return
        if isinstance(outcome, PrivateResult):
            self.result = outcome
        else:
            self.error = outcome
        self.done.set()


class JobQueue:
    """First come, first served within a client; the clients are served round robin.

    Args:
        limit: Jobs that may wait.
    """

    def __init__(self, limit: int = 1024) -> None:
        self._limit = limit
        self._waiting: OrderedDict[int, deque[Job]] = OrderedDict()
        self._changed = threading.Condition()
        self._preferred = 0
        self._open = True

    def __len__(self) -> int:
        with self._changed:
            return sum(map(len, self._waiting.values()))

    def put(self, job: Job, *, again: bool = False) -> None:
        """Let a job wait; one that is sent again goes before its client's others, if it is wanted.

        Raises:
            BusyError: Too many jobs are waiting.
            StoppingError: The queue is closed.
        """
        with self._changed:
            if not self._open:
                raise _stopping()
            if job.unwanted:
                return
            if not again and sum(map(len, self._waiting.values())) >= self._limit:
                raise BusyError(
                    f"Expected fewer than {self._limit} waiting jobs, but so many wait already; "
                    "try again later."
                )
            jobs = self._waiting.setdefault(job.client, deque())
            if again:
                jobs.appendleft(job)
            else:
                jobs.append(job)
            self._changed.notify()

    def take(self, loaded: RsaPrivate | None, most: int, timeout_s: float) -> list[Job]:
        """The next jobs, at most `most`, all with one key; none when none came in time.

        The loaded key is preferred up to `MAX_PREFERRED` times, since another has to be set up.
        """
        with self._changed:
            if not self._waiting:
                self._changed.wait(timeout_s)
            if not self._waiting:
                return []
            first = self._pop(self._choose(loaded))
            jobs = [first]
            while more := self._round(first.key, most - len(jobs)):
                jobs += more
            return jobs

    def remove(self, job: Job) -> bool:
        """Take a job out that nobody waits for any more; whether it was still waiting."""
        with self._changed:
            job.unwanted = True  # a device may have it in hand
            jobs = self._waiting.get(job.client)
            if jobs is None or job not in jobs:
                return False
            jobs.remove(job)
            if not jobs:
                del self._waiting[job.client]
            return True

    def close(self) -> None:
        """Answer every waiting job with an error, and take no other."""
        with self._changed:
            self._open = False
            for jobs in self._waiting.values():
                for job in jobs:
                    job.finish(_stopping())
            self._waiting.clear()
            self._changed.notify_all()

    # ---- steps, with the lock held ----
    def _choose(self, loaded: RsaPrivate | None) -> int:
        front = next(iter(self._waiting))
        if loaded is None or self._waiting[front][0].key == loaded:
            self._preferred = 0
            return front
        for client, jobs in self._waiting.items():
            if jobs[0].key == loaded and self._preferred < MAX_PREFERRED:
                self._preferred += 1
                return client
        self._preferred = 0
        return front

    def _round(self, key: RsaPrivate, most: int) -> list[Job]:
        """One job of each client whose next one has this key, at most so many."""
        clients = [client for client, jobs in self._waiting.items() if jobs[0].key == key]
        return [self._pop(client) for client in clients[:most]]

    def _pop(self, client: int) -> Job:
        jobs = self._waiting.pop(client)
        job = jobs.popleft()
        if jobs:
            self._waiting[client] = jobs  # behind all others
        return job


def _stopping() -> StoppingError:
    return StoppingError("The daemon is stopping; send the job again when it has started.")
