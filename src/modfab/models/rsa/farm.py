# SPDX-License-Identifier: Apache-2.0
"""Clock-exact model of how `mf_rsa_farm` hands out jobs and sends answers.

It begins with a key set up in every core and `accept_i` high, and knows neither zeroize nor the
programs of the key; what a core computes, and in how many clocks, it is told. No bit changes in it,
so that checksums and ledgers of the RTL are seen by the clocks that they take only.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from modfab.models.generated.status import JobStatus
from modfab.models.rsa.packets import FAULTS, ID_MASK, status_word
from modfab.models.stream import Skid, Turns

_HEAD_BITS = 17  # id and the bit for the public key


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one operation of a core gives: ending, result words, clocks from start to done."""

    status: JobStatus
    words: tuple[int, ...]
    cycles: int


def checksum(job_id: int, public: bool, words: Sequence[int], result: bool = False) -> int:
    """CRC-32 of a job or of an answer on its way through the farm.

    Args:
        job_id, public: Of the job.
        words: Message, or result.
        result: It is that of an answer.

    >>> hex(checksum(7, True, [1, 2]))
    '0x862c8ccb'
    """
    head = job_id | public << 16 | result << 17
    return zlib.crc32(b"".join(word.to_bytes(4, "little") for word in (head, *words)))


Operate = Callable[[int, Sequence[int], bool], Outcome]
"""Core, message words, public or not -> outcome."""
Recover = Callable[[int], Outcome]
"""Core -> outcome of setting up its key again."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a stream."""

    data: int
    last: bool


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
    left: int = 0  # clocks of PUT, RUN, READ still to come
    inbox: Job | None = None
    job: Job | None = None
    outbox: Job | None = None
    outcome: Outcome | None = None
    sick: bool = False
    out: bool = False
    faults: int = 0

    @property
    def ready(self) -> bool:
        """A job would start at once."""
        return self.state is State.IDLE and self.inbox is None and not self.sick

    @property
    def service(self) -> bool:
        """It runs jobs."""
        return not self.sick and not self.out

    def free(self, arriving: bool) -> bool:
        """Whether the inbox can take a job."""
        return self.inbox is None and not arriving and self.state is not State.PUT

    def step(self, arriving: Job | None, popped: bool) -> None:
        """One clock: a job comes into the inbox, the answer in the outbox has gone."""
        full = self.outbox is not None
        if popped:
            self.outbox = None
        if self.state is State.IDLE:
            self._next_job()
        elif self.state is State.GO:
            self._start()
        elif self.state is State.RUN and self.left == 0:
            self._end()
        elif self.state is State.READ and full:
            pass
        elif self.state is State.ANSWER:
            if not full:
                self._answer()
        elif self.left > 0:
            self.left -= 1
        else:
            self.state = State.GO if self.state is State.PUT else State.ANSWER
        if arriving is not None:
            self.inbox = arriving

    def _next_job(self) -> None:
        if self.inbox is not None:
            self.job, self.inbox = self.inbox, None
            runs = self.job.status is JobStatus.OK and self.service
            self.state, self.left = (State.PUT if runs else State.ANSWER), 2 * self.num_words
            status = self.job.status if self.job.status is not JobStatus.OK else JobStatus.SERVICE
            self.outcome = Outcome(status, (), 0)
        elif self.sick:
            self.job, self.state = None, State.GO

    def _start(self) -> None:
        if self.job is None:
            self.outcome = self.recover(self.index)
        else:
            self.outcome = self.operate(self.index, self.job.words, self.job.public)
        self.state, self.left = State.RUN, self.outcome.cycles

    def _end(self) -> None:
        assert self.outcome is not None
        if self.job is None:
            self.state, self.sick = State.IDLE, False
            self.out = self.outcome.status is not JobStatus.OK
        else:
            good = self.outcome.status is JobStatus.OK
            self.state, self.left = (State.READ if good else State.ANSWER), self.num_words + 2

    def _answer(self) -> None:
        assert self.job is not None
        assert self.outcome is not None
        words = self.outcome.words or (0,) * self.num_words
        self.outbox = Job(self.job.job_id, self.job.public, self.outcome.status, words)
        self.state = State.IDLE
        if self.outcome.status in FAULTS:
            self.faults += 1
            self.out = self.faults == self.fault_limit
            self.sick = not self.out and self.outcome.status is not JobStatus.ENTROPY


@dataclass(slots=True)
class Dispatcher:
    """Takes jobs off the queue."""

    num_words: int
    id_bits: int
    turns: Turns = field(default_factory=Turns)
    taking: bool = False
    core: int = 0
    head: int | None = None
    words: list[int] = field(default_factory=list)
    commit: tuple[int, Job] | None = None  # reaches the inbox one clock later

    def step(self, word: Word | None, members: Sequence[Member]) -> None:
        """One clock; the word at hand is taken if `taking`."""
        arriving = self.commit[0] if self.commit else None
        self.commit = None
        if not self.taking:
            picked = self._pick(members, arriving) if word else None
            if picked is not None:
                self.core, self.taking, self.head, self.words = picked, True, None, []
        elif word is not None:
            if self.head is None:
                self.head = word.data
            else:
                self.words.append(word.data)
            if word.last:
                self.commit, self.taking = (self.core, self._job(self.head)), False

    def _pick(self, members: Sequence[Member], arriving: int | None) -> int | None:
        service = [member.service for member in members]
        hope = any(member.sick for member in members)
        able = [
            member.free(index == arriving) and (service[index] or not (any(service) or hope))
            for index, member in enumerate(members)
        ]
        idle = [able[index] and member.ready for index, member in enumerate(members)]
        return self.turns.take(idle if any(idle) else able)

    def _job(self, head: int) -> Job:
        known = head >> _HEAD_BITS == 0 and (head & ID_MASK) >> self.id_bits == 0
        good = known and len(self.words) == self.num_words
        status = JobStatus.OK if good else JobStatus.FORMAT
        return Job(head & ID_MASK, bool(head >> 16 & 1), status, tuple(self.words))


@dataclass(slots=True)
class Collector:
    """Sends answers."""

    num_words: int
    turns: Turns = field(default_factory=Turns)
    core: int | None = None
    at: int = 0  # clocks since an outbox was picked
    pipe: Word | None = None  # leaves memory
    output: Word | None = None
    left: bool = False  # every word of the result has

    def step(self, ready: bool, drained: bool, members: Sequence[Member]) -> int | None:
        """One clock.

        Args:
            ready: The output is taken.
            drained: No word is between the output and the receiver, and none left a clock ago.
            members: With the outboxes.

        Returns:
            The core whose answer has gone.
        """
        if self.output is not None and not ready:
            return None
        waiting = self.output is not None or self.pipe is not None
        self.output, self.pipe = self.pipe, None
        if self.core is None:
            self.core = self.turns.take([member.outbox is not None for member in members])
            self.at, self.left = 0, False
            return None
        answer = members[self.core].outbox
        assert answer is not None
        self.at += 1
        if self.at < 2:  # whose answer it is
            return None
        if self.at <= self.num_words + 1:
            self.pipe = Word(answer.words[self.at - 2], False)
        if not self.left:
            self.left = self.at > self.num_words + 2 and drained and not waiting
            return None
        gone, self.core = self.core, None
        self.output = Word(status_word(answer.job_id, answer.status, gone), True)
        return gone


class Farm:
    """Skid buffers, dispatcher, members, collector.

    Args:
        cores: How many.
        num_words: Words of a message.
        operate: What a core makes of a message.
        recover: What setting up a key again gives.
        id_bits: Bits of a job's id.
        fault_limit: As the register FAULT_LIMIT.
    """

    def __init__(
        self,
        cores: int,
        num_words: int,
        operate: Operate,
        recover: Recover,
        id_bits: int = 16,
        fault_limit: int = 4,
    ) -> None:
        self.members = [Member(i, num_words, operate, recover, fault_limit) for i in range(cores)]
        self.dispatcher = Dispatcher(num_words, id_bits)
        self.collector = Collector(num_words)
        self._in, self._out = Skid[Word](), Skid[Word]()
        self._sent = False  # a word of a result left in the clock before

    @property
    def ready(self) -> bool:
        """A word of a job is taken in this clock."""
        return self._in.ready

    @property
    def answer(self) -> Word | None:
        """The word of an answer that is offered."""
        return self._out.front

    def step(self, word: Word | None, ready: bool) -> None:
        """One clock.

        Args:
            word: The word of a job that is offered.
            ready: The word of an answer is taken.
        """
        commit, taking, head = self.dispatcher.commit, self.dispatcher.taking, self._in.front
        sent, room = self.collector.output, self._out.ready
        self.dispatcher.step(head, self.members)
        drained = self._out.front is None and not self._sent
        popped = self.collector.step(room, drained, self.members)
        leaving = self._out.front if ready else None
        self._sent = leaving is not None and not leaving.last
        self._in.step(word, ready=taking)
        self._out.step(sent, ready)
        for member in self.members:
            arriving = commit[1] if commit and commit[0] == member.index else None
            member.step(arriving, popped == member.index)

    def quiet_clocks(self) -> int:
        """Clocks in which nothing but cores works, as long as nothing is offered and taken."""
        busy = [member.left for member in self.members if member.state is State.RUN]
        still = all(member.state is State.RUN or member.ready for member in self.members)
        empty = self.collector.core is None and self.collector.output is None
        silent = self._in.front is None and self._out.front is None and empty
        boxes = any(member.outbox is not None for member in self.members)
        moving = self.dispatcher.taking or self.dispatcher.commit is not None or boxes
        return min(busy) if busy and still and silent and not moving else 0

    def skip(self, clocks: int) -> None:
        """Let that many quiet clocks pass at once."""
        for member in self.members:
            if member.state is State.RUN:
                member.left -= clocks
