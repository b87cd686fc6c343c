# SPDX-License-Identifier: Apache-2.0
"""Cycle-accurate model of `mf_rsa_farm_member`: one core between its inbox and its outbox."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from modfab.models.generated.status import JobStatus
from modfab.models.rsa.packets import FAULTS


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one operation of a core gives: ending, result words, cycles from start to done."""

    status: JobStatus
    words: tuple[int, ...]
    cycles: int


Operate = Callable[[int, Sequence[int], bool], Outcome]
"""Core, message words, public or not -> outcome."""
Recover = Callable[[int], Outcome]
"""Core -> outcome of setting up its key again."""


@dataclass(frozen=True, slots=True)
class Job:
    """A job on its way through a core."""

    job_id: int
    public: bool
    status: JobStatus
    words: tuple[int, ...]


class State(Enum):
    """States of a member, as in the RTL; the wipe is not modelled."""

    IDLE, PUT, GO, RUN, READ, ANSWER = range(6)


@dataclass(slots=True)
class Member:
    """One core between inbox and outbox.

    Attributes:
        index: Its number.
        num_words: Words of a message.
        operate, recover: What the core does.
        fault_limit: Faults that take it out of service; 0 for no limit.
    """

    index: int
    num_words: int
    operate: Operate
    recover: Recover
    fault_limit: int
    state: State = State.IDLE
    left: int = 0  # cycles of PUT, GO, RUN, READ still to come
    inbox: Job | None = None
    known: bool = False  # what the job in the inbox says is known: a cycle after it came
    job: Job | None = None
    outbox: Job | None = None
    outcome: Outcome | None = None
    needs_setup: bool = False
    disabled: bool = False
    faults: int = 0

    @property
    def ready(self) -> bool:
        """A job would start at once."""
        return self.state is State.IDLE and self.inbox is None and not self.needs_setup

    @property
    def service(self) -> bool:
        """It runs jobs."""
        return not self.needs_setup and not self.disabled

    def free(self, arriving: bool) -> bool:
        """Whether the inbox can take a job."""
        return self.inbox is None and not arriving and self.state is not State.PUT

    def step(self, arriving: Job | None, popped: bool) -> None:
        """One cycle: a job comes into the inbox, the answer in the outbox has gone."""
        full = self.outbox is not None
        if popped:
            self.outbox = None
        known, self.known = self.known, self.inbox is not None
        if self.state is State.IDLE:
            self._next_job(known)
        elif full and self.state in (State.READ, State.ANSWER):
            pass
        elif self.state is State.ANSWER:
            self._answer()
        elif self.left > 0:
            self.left -= 1
        else:
            self._next_state()
        if arriving is not None:
            self.inbox = arriving

    def _next_state(self) -> None:
        if self.state is State.PUT:
            self._go()
        elif self.state is State.GO:
            self._start()
        elif self.state is State.RUN:
            self._end()
        else:
            self.state = State.ANSWER

    def _next_job(self, known: bool) -> None:
        if self.inbox is not None:
            if not known:
                return
            self.job, self.inbox = self.inbox, None
            runs = self.job.status is JobStatus.OK and self.service
            self.state, self.left = (State.PUT if runs else State.ANSWER), 2 * self.num_words + 4
            status = self.job.status if self.job.status is not JobStatus.OK else JobStatus.SERVICE
            self.outcome = Outcome(status, (), 0)
        elif self.needs_setup:
            self.job = None
            self._go()

    def _go(self) -> None:
        self.state, self.left = State.GO, 3  # the core looks at a start for one cycle

    def _start(self) -> None:
        if self.job is None:
            self.outcome = self.recover(self.index)
        else:
            self.outcome = self.operate(self.index, self.job.words, self.job.public)
        self.state, self.left = State.RUN, self.outcome.cycles

    def _end(self) -> None:
        assert self.outcome is not None
        if self.job is None:
            self.state, self.needs_setup = State.IDLE, False
            self.disabled = self.outcome.status is not JobStatus.OK
        else:
            good = self.outcome.status is JobStatus.OK
            self.state, self.left = (State.READ if good else State.ANSWER), self.num_words + 5

    def _answer(self) -> None:
        assert self.job is not None
        assert self.outcome is not None
        words = self.outcome.words or (0,) * self.num_words
        self.outbox = Job(self.job.job_id, self.job.public, self.outcome.status, words)
        self.state = State.IDLE
        if self.outcome.status in FAULTS:
            self.faults += 1
            self.disabled = 0 < self.fault_limit <= self.faults
            self.needs_setup = not self.disabled and self.outcome.status is not JobStatus.ENTROPY
