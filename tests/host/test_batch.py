# SPDX-License-Identifier: Apache-2.0
"""Jobs that wait for exponentiations together, and what ends them."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Sequence

import pytest

from modfab.host import batch
from modfab.host.batch import run_batch
from modfab.host.core_key import ModExp


def squares(bases: Sequence[int]) -> list[int]:
    return [base * base for base in bases]


def test_an_error_of_the_exponentiations_is_that_of_each_job() -> None:
    def job(modexp: ModExp) -> str:
        with pytest.raises(ValueError, match="none"):
            modexp(3)
        return "told"

    def none(bases: Sequence[int]) -> list[int]:
        raise ValueError("none")

    assert run_batch([job, job], none) == ["told", "told"]


def test_a_signal_while_a_job_is_at_work_ends_all() -> None:
    """The other job has asked for an exponentiation that is never computed."""
    asked, over, main = threading.Event(), threading.Event(), threading.get_ident()

    def waiting(modexp: ModExp) -> int:
        asked.set()
        return modexp(2)

    def at_work(modexp: ModExp) -> int:
        asked.wait()
        signal.pthread_kill(main, signal.SIGUSR1)
        over.wait(60)
        return modexp(3)

    def handler(*_: object) -> None:
        over.set()
        raise SystemExit(143)

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        with pytest.raises(SystemExit):
            run_batch([waiting, at_work], squares)
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_signal_between_question_and_answer_ends_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(asked: object, modexps: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(batch, "_answer", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_batch([lambda modexp: modexp(2), lambda modexp: modexp(3)], squares)


def test_a_thread_that_cannot_start_ends_all(monkeypatch: pytest.MonkeyPatch) -> None:
    start: Callable[[threading.Thread], None] = threading.Thread.start
    started: list[threading.Thread] = []

    def first_only(thread: threading.Thread) -> None:
        if started:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", first_only)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        run_batch([lambda modexp: modexp(2)] * 3, squares)
