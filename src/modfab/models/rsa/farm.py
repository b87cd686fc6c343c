# SPDX-License-Identifier: Apache-2.0
"""Cycle-accurate model of how `mf_rsa_farm` hands out jobs and sends answers.

It begins with a key set up in every core and `accept_i` high, and knows neither zeroize nor the
programs of the key; what a core computes, and in how many cycles, it is told. No bit changes in it,
so that checksums and ledgers of the RTL are seen by the cycles that they take only.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from modfab.models.generated.status import JobStatus
from modfab.models.rsa.farm_member import Job, Member, Operate, Recover, State
from modfab.models.rsa.packets import ID_MASK, status_word
from modfab.models.stream import RoundRobin, Skid

_HEAD_BITS = 17  # id and the bit for the public key


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


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a stream."""

    data: int
    last: bool


@dataclass(slots=True)
class Asked:
    """Registers in front of the dispatcher's choice, each a cycle behind the one before.

    Attributes:
        free, ready: What the inboxes say.
        service, hope: What the cores say.
        able, rest: Which cores can take a job; which have nothing to do.
        chosen: Which the arbiter is asked about.
    """

    free: list[bool]
    ready: list[bool]
    service: list[bool]
    hope: bool
    able: list[bool]
    rest: list[bool]
    chosen: list[bool]

    @classmethod
    def of(cls, cores: int) -> Asked:
        """At the beginning: every inbox was free for long."""
        yes = [True] * cores
        return cls(yes, yes, yes, False, yes, yes, yes)

    def step(self, members: Sequence[Member], arriving: int | None) -> None:
        """One cycle.

        Args:
            members: As they are when it begins.
            arriving: Whose inbox gets a job in this cycle.
        """
        idle = [able and rest for able, rest in zip(self.able, self.rest, strict=True)]
        self.chosen = idle if any(idle) else self.able
        none = not any(self.service) and not self.hope
        self.able = [
            free and index != arriving and (service or none)
            for index, (free, service) in enumerate(zip(self.free, self.service, strict=True))
        ]
        self.rest = self.ready
        self.free = [member.free(member.index == arriving) for member in members]
        self.ready = [member.ready for member in members]
        self.service = [member.service for member in members]
        self.hope = any(member.needs_setup for member in members)


class Step(Enum):
    """Steps of the dispatcher, as the states in the RTL."""

    PICK, PUSH, TAKE, END, LOOK, RANK = range(6)


@dataclass(slots=True)
class Dispatcher:
    """Takes jobs off the queue."""

    num_words: int
    id_bits: int
    asked: Asked
    arbiter: RoundRobin = field(default_factory=RoundRobin)
    state: Step = Step.PICK
    core: int = 0
    words: list[int] = field(default_factory=list)  # of the packet
    commit: tuple[int, Job] | None = None  # reaches the inbox in this cycle

    @property
    def taking(self) -> bool:
        """A word at hand is taken in this cycle."""
        return self.state is Step.TAKE

    def step(self, word: Word | None, members: Sequence[Member]) -> None:
        """One cycle; the word at hand is taken if `taking`."""
        arriving = self.commit[0] if self.commit else None
        chosen, self.commit = self.asked.chosen, None
        self.asked.step(members, arriving)
        if self.state is Step.PICK:
            picked = self.arbiter.take(chosen) if word else None
            if picked is not None:
                self.core, self.words, self.state = picked, [], Step.PUSH
        elif self.state is Step.TAKE:
            if word is not None:
                self.words.append(word.data)
                self.state = Step.END if word.last else Step.TAKE
        elif self.state is Step.END:
            self.commit, self.state = (self.core, self._job()), Step.LOOK
        else:
            after = {Step.PUSH: Step.TAKE, Step.LOOK: Step.RANK, Step.RANK: Step.PICK}
            self.state = after[self.state]

    def _job(self) -> Job:
        head, *words = self.words
        known = head >> _HEAD_BITS == 0 and (head & ID_MASK) >> self.id_bits == 0
        good = known and len(words) == self.num_words
        status = JobStatus.OK if good else JobStatus.FORMAT
        return Job(head & ID_MASK, bool(head >> 16 & 1), status, tuple(words))


class Sending(Enum):
    """States of the collector, as in the RTL."""

    PICK, CHECK, WORDS, SENT, STATUS, DONE = range(6)


@dataclass(slots=True)
class Collector:
    """Sends answers."""

    num_words: int
    arbiter: RoundRobin = field(default_factory=RoundRobin)
    state: Sending = Sending.PICK
    core: int = 0
    asks: list[bool] = field(default_factory=list)  # outboxes that were full
    at: int = 0  # cycles of CHECK, words of WORDS
    quiet: int = 0  # cycles since every word of the result has left
    pipe: list[Word | None] = field(default_factory=lambda: [None] * 3)  # from the memory on
    output: Word | None = None

    def step(self, ready: bool, drained: bool, members: Sequence[Member]) -> int | None:
        """One cycle.

        Args:
            ready: The output is taken.
            drained: No word is between the output and the receiver, and none left a cycle ago.
            members: With the outboxes.

        Returns:
            The core whose outbox is emptied.
        """
        goes, state = self.output is None or ready, self.state
        waiting = self.output is not None or any(self.pipe)
        self.quiet = self.quiet + 1 if state is Sending.SENT and drained and not waiting else 0
        if goes:
            self.output, self.pipe = self.pipe[-1], [None, *self.pipe[:-1]]
        picked = self.arbiter.take(self.asks) if state is Sending.PICK and goes else None
        if picked is not None:
            self.core, self.at, self.state = picked, 0, Sending.CHECK
        elif state is Sending.CHECK:
            if goes and self.at >= 2:
                self.at, self.state = 0, Sending.WORDS
            else:
                self.at += 1
        elif goes and state in (Sending.WORDS, Sending.STATUS):
            self._offer(members[self.core].outbox)
        elif self.quiet == 4:
            self.state = Sending.STATUS
        elif state is Sending.DONE:
            self.state = Sending.PICK
        fresh = state is Sending.PICK and picked is None
        self.asks = [fresh and member.outbox is not None for member in members]
        return self.core if state is Sending.DONE else None

    def _offer(self, answer: Job | None) -> None:
        assert answer is not None
        if self.state is Sending.STATUS:
            self.output = Word(status_word(answer.job_id, answer.status, self.core), True)
            self.state = Sending.DONE
        else:
            self.pipe[0] = Word(answer.words[self.at], False)
            self.at += 1
            self.state = Sending.SENT if self.at == self.num_words else Sending.WORDS


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
        self.dispatcher = Dispatcher(num_words, id_bits, Asked.of(cores))
        self.collector = Collector(num_words)
        self._in, self._out = Skid[Word](), Skid[Word]()
        self._sent = False  # a word of a result left in the cycle before

    @property
    def ready(self) -> bool:
        """A word of a job is taken in this cycle."""
        return self._in.ready

    @property
    def answer(self) -> Word | None:
        """The word of an answer that is offered."""
        return self._out.front

    def step(self, word: Word | None, ready: bool) -> None:
        """One cycle.

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

    def quiet_cycles(self) -> int:
        """Cycles in which nothing but cores works, as long as nothing is offered and taken."""
        busy = [member.left for member in self.members if member.state is State.RUN]
        still = all(member.state is State.RUN or member.ready for member in self.members)
        empty = self.collector.state is Sending.PICK and self.collector.output is None
        silent = self._in.front is None and self._out.front is None and empty
        boxes = any(member.outbox is not None for member in self.members)
        asked = self.dispatcher.asked
        settled = replace(asked)
        settled.step(self.members, None)
        moving = self.dispatcher.state is not Step.PICK or boxes or settled != asked
        return min(busy) if busy and still and silent and not moving else 0

    def skip(self, cycles: int) -> None:
        """Let that many quiet cycles pass at once."""
        for member in self.members:
            if member.state is State.RUN:
                member.left -= cycles
