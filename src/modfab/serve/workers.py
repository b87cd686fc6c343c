# SPDX-License-Identifier: Apache-2.0
"""Threads that take jobs to devices, check every result, and replace a device that hangs."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import Enum, auto

from modfab.errors import DeviceError, ModfabError, OperandError
from modfab.host.check import is_private_result
from modfab.host.keys import RsaPrivate
from modfab.serve.jobs import Job, JobQueue, PrivateResult
from modfab.serve.protocol import StoppingError
from modfab.serve.units import Unit, UnitOpener

_TAKE_S = 0.2
_MAX_PAUSE_S = 5.0
_GRACE_S = 1.0  # for a device that was given up: it has had its time


class Ending(Enum):
    """What is known of the keys in a device when its worker was told to stop."""

    UNUSED = auto()  # no key got into it
    WIPED = auto()
    KEPT = auto()  # it could not be wiped
    HANGS = auto()


@dataclass(slots=True)
class DeviceCounters:
    """What one device did since the daemon's start."""

    jobs: int = 0
    faults: int = 0
    hangs: int = 0
    key_loads: int = 0
    cycles: int = 0


DEFAULT_TRIES = 4
DEFAULT_JOB_S = 120.0


@dataclass(frozen=True, slots=True)
class Limits:
    """When the daemon gives up.

    Attributes:
        tries: Times that a job is sent to a device.
        job_s: Seconds after which a device that computes counts as hanging.
        pause_s: Seconds before a device is opened again; doubled after each failure in a row.
    """

    tries: int = DEFAULT_TRIES
    job_s: float = DEFAULT_JOB_S
    pause_s: float = 0.1


class Worker:
    """One thread with one device.

    Args:
        opener: Opens the device; called again after a fault.
        queue: Where the jobs come from.
        limits: When to give up.
        counters: Counts on where a worker before this one ended.
    """

    def __init__(
        self, opener: UnitOpener, queue: JobQueue, limits: Limits, counters: DeviceCounters
    ) -> None:
        self._opener, self._queue, self._limits = opener, queue, limits
        self.counters = counters
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._unit: Unit | None = None
        self._loaded: RsaPrivate | None = None
        self._jobs: list[Job] = []
        self._since = 0.0
        self._failures = 0
        self._abandoned = False
        self._ending = Ending.UNUSED
        self._thread = threading.Thread(target=self._work, daemon=True)

    def start(self) -> None:
        """Let it work."""
        self._thread.start()

    def warm(self, key: RsaPrivate | None) -> None:
        """Before `start`: open the device and set up a key, so that the first job need not wait.

        Without a key the device is wiped all the same: a daemon before may have left its own.

        Raises:
            ModfabError: The device cannot be opened, refuses the key or computes wrongly.
        """
        if key is None:
            self._unit = self._opener()
            self._unit.prepare()
            return
        power = self._compute(key, [2])[0]
        if pow(power.value, key.e, key.n) != 2:
            raise DeviceError(
                "The device computed a wrong result for the first key; test the device before "
                "you use it."
            )

    def stop(self, timeout_s: float) -> Ending:
        """End after the jobs that run, and zeroize the device."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout_s)
            if self._thread.is_alive():
                return Ending.HANGS
        self._close()
        return self._ending

    @property
    def state(self) -> dict[str, object]:
        """For the daemon's report."""
        state = "busy" if self._jobs else "idle" if self._failures == 0 else "failed"
        return {"state": state, **asdict(self.counters)}

    def abandon_if_hanging(self) -> bool:
        """Give up a device that computes for too long; its jobs are sent again."""
        with self._lock:
            computing = self._since > 0
            if not computing or time.monotonic() - self._since < self._limits.job_s:
                return False
            self._abandoned = True
            self.counters.hangs += 1
            jobs, self._jobs = self._jobs, []
        self._again(jobs, "The device did not answer in time; see the daemon's health report.")
        return True

    # ---- the thread ----
    def _work(self) -> None:
        while not self._stop.is_set() and not self._abandoned:
            most = self._unit.batch if self._unit is not None else 1
            jobs = self._queue.take(self._loaded, most, _TAKE_S)
            if jobs:
                self._attempt(jobs)
        self._close()

    def _attempt(self, jobs: list[Job]) -> None:
        with self._lock:
            self._jobs = jobs
        try:
            results = self._compute(jobs[0].key, [job.base for job in jobs])
        except OperandError as error:
            for job in self._claim():
                job.finish(error)
        except ModfabError as error:
            self._fail(self._claim(), str(error))
        except Exception as error:  # a driver's own bug must not end the thread with jobs in it
            self._fail(self._claim(), f"The driver failed with {type(error).__name__}.")
        else:
            self._check(self._claim(), results)

    def _compute(self, key: RsaPrivate, bases: Sequence[int]) -> list[PrivateResult]:
        if self._unit is None:
            self._unit = self._opener()
        unit, loads = self._unit, self._unit.key_loads
        with self._lock:
            self._since = time.monotonic()
        try:
            results = unit.exponentiate(key, bases)
        finally:
            with self._lock:
                self._since = 0.0
            self.counters.key_loads += unit.key_loads - loads
        self._loaded = key
        return results

    def _claim(self) -> list[Job]:
        """The jobs in hand; none when they were taken away because of a hang."""
        with self._lock:
            jobs, self._jobs = self._jobs, []
        return jobs

    def _check(self, jobs: list[Job], results: list[PrivateResult]) -> None:
        """Answer what the public key confirms; send the rest again."""
        wrong = jobs[len(results) :]
        for job, result in zip(jobs, results, strict=False):
            if is_private_result(result.value, job.base, job.key):
                self.counters.jobs += 1
                self.counters.cycles += result.exp_cycles + result.setup_cycles
                job.finish(result)
            else:
                wrong.append(job)
        if wrong:
            self._fail(
                wrong, "The device returned a wrong result, which the daemon's check caught."
            )
        elif jobs:
            self._failures = 0

    def _fail(self, jobs: list[Job], reason: str) -> None:
        if not jobs:
            return
        self.counters.faults += 1
        self._failures += 1
        self._again(jobs, reason)  # another device need not wait for the wipe of this one
        self._close()
        pause = self._limits.pause_s * 2.0 ** min(self._failures - 1, 10)
        self._stop.wait(min(pause, _MAX_PAUSE_S))

    def _again(self, jobs: list[Job], reason: str) -> None:
        for job in reversed(jobs):
            job.tries += 1
            if job.tries >= self._limits.tries:
                job.finish(DeviceError(f"No result after {job.tries} tries; the last: {reason}"))
                continue
            try:
                self._queue.put(job, again=True)
            except StoppingError as error:
                job.finish(error)

    def _close(self) -> None:
        unit, self._unit = self._unit, None
        used, self._loaded = self._loaded is not None, None
        if unit is None:
            return
        with self._lock:
            self._since = time.monotonic()
        try:
            unit.close()
        except Exception:  # whatever a broken device does: it is opened anew, or not at all
            self._failures += 1
            self._ending = Ending.KEPT
        else:
            if used:  # else the device may never have been open, and nothing was wiped
                self._ending = Ending.WIPED
        finally:
            with self._lock:
                self._since = 0.0


class WorkerPool:
    """The workers of all devices, and the thread that looks for hanging ones.

    Args:
        openers: One for each device.
        queue: Where the jobs come from.
        limits: When to give up.
    """

    def __init__(self, openers: Sequence[UnitOpener], queue: JobQueue, limits: Limits) -> None:
        self._openers, self._queue, self._limits = openers, queue, limits
        self._lock = threading.Lock()
        self._workers = [Worker(one, queue, limits, DeviceCounters()) for one in openers]
        self._given_up: list[tuple[int, Worker]] = []
        self._stop = threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)

    def start(self, key: RsaPrivate | None) -> None:
        """Open and wipe the devices, set up a key when there is one, and let them work.

        Raises:
            ModfabError: As `Worker.warm`.
        """
        for worker in self._workers:
            worker.warm(key)
        for worker in self._workers:
            worker.start()
        self._watch.start()

    def stop(self) -> list[int]:
        """Zeroize all devices; the numbers, from 1, of those that may still hold a key."""
        self._stop.set()
        if self._watch.is_alive():
            self._watch.join()
        indices = range(len(self._workers))
        return [index + 1 for index in indices if not self._is_empty(index)]

    def states(self) -> list[dict[str, object]]:
        """Of each device, for the daemon's report."""
        with self._lock:
            return [worker.state for worker in self._workers]

    def _is_empty(self, index: int) -> bool:
        """Stop all workers that a device had; a wipe by the last one counts for those before it."""
        grace_s = min(_GRACE_S, self._limits.job_s)
        before = [worker.stop(grace_s) for at, worker in self._given_up if at == index]
        last = self._workers[index].stop(self._limits.job_s)
        if Ending.HANGS in (last, *before) or last is Ending.KEPT:
            return False
        return last is Ending.WIPED or Ending.KEPT not in before

    def _look(self) -> None:
        while not self._stop.wait(min(1.0, self._limits.job_s / 4)):
            with self._lock:
                for index, worker in enumerate(self._workers):
                    if worker.abandon_if_hanging():
                        self._given_up.append((index, worker))
                        self._workers[index] = self._replacement(index, worker)

    def _replacement(self, index: int, worker: Worker) -> Worker:
        fresh = Worker(self._openers[index], self._queue, self._limits, worker.counters)
        fresh.start()
        return fresh
