# SPDX-License-Identifier: Apache-2.0
"""Many jobs, each of which needs exponentiations, on something that computes many at a time.

A padding scheme asks for one exponentiation and waits. Here each job waits in a thread of its own
until every job of its batch has asked, and then all exponentiations are computed in one go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Condition
from typing import TypeVar

from modfab.host.core_key import ModExp

_T = TypeVar("_T")

Job = Callable[[ModExp], _T]
"""Computes something with the private operation of a key."""

ModExps = Callable[[Sequence[int]], Sequence[int]]
"""Many exponentiations at once, in the order of their bases."""


class _Round:
    """The jobs of one batch: how many are at work, and what they wait for."""

    def __init__(self, count: int) -> None:
        self._changed = Condition()
        self._at_work = count
        self._asked: list[tuple[int, Future[int]]] = []
        self._given: list[tuple[int, Future[int]]] = []  # what was asked before, answered or not
        self._over: BaseException | None = None

    def run(self, job: Job[_T]) -> _T:
        """One job, in its thread."""
        try:
            return job(self._modexp)
        finally:
            with self._changed:
                self._at_work -= 1
                self._changed.notify()

    def _modexp(self, base: int) -> int:
        future: Future[int] = Future()
        with self._changed:
            if self._over:
                raise self._over
            self._asked.append((base, future))
            self._changed.notify()
        return future.result()

    def give_up(self, error: BaseException) -> None:
        """Raise this error in every job that waits for an exponentiation, or asks for one."""
        with self._changed:
            self._over = error
            for _, future in (*self._given, *self._asked):
                if not future.done():
                    future.set_exception(error)

    def questions(self) -> list[tuple[int, Future[int]]]:
        """What all jobs that are left wait for; nothing when none is left."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._asked) == self._at_work)
            self._given, self._asked = self._asked, []
        return self._given


def run_batch(jobs: Sequence[Job[_T]], modexps: ModExps) -> list[_T]:
    """Run jobs at the same time; the first error of a job, or of the exponentiations, is raised.

    >>> squares = lambda bases: [base * base for base in bases]
    >>> run_batch([lambda modexp: modexp(2) + modexp(3), lambda modexp: modexp(4)], squares)
    [13, 16]
    """
    if not jobs:
        return []
    together = _Round(len(jobs))
    with ThreadPoolExecutor(len(jobs)) as pool:
        try:
            futures = [pool.submit(together.run, job) for job in jobs]
            while asked := together.questions():
                _answer(asked, modexps)
        except BaseException as error:  # jobs would wait for ever, and the pool for them
            together.give_up(error)
            raise
        return [future.result() for future in futures]


def _answer(asked: Sequence[tuple[int, Future[int]]], modexps: ModExps) -> None:
    """Compute what was asked; an error of the exponentiations is raised in every job."""
    try:
        values = modexps([base for base, _ in asked])
    except Exception as error:
        for _, future in asked:
            future.set_exception(error)
        return
    for (_, future), value in zip(asked, values, strict=True):
        future.set_result(value)
