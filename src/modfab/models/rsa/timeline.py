# SPDX-License-Identifier: Apache-2.0
"""When the RSA core's instructions and its engines' commands happen.

A command goes through a register in front of its engine, a word through a buffer of two. The word
machine waits for the end of a store and a set-up, not for the end of a product. Where loads can add
it does not wait for the end of a load either, only until the words have left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

_OFFER = 1  # cycles from decoding to the offer of a command,
_OFFER_LOAD = 5  # to that of a load: with its first word
OFFER_EXP = 2  # and to a sequencer's first product
_OFFER_E = 10
_NEXT_PRODUCT = 4  # to the next decoding, from a product's command,
_NEXT_ENGINE = 3  # from the cycle in which the engine is ready again
_NEXT_WORD = 4  # and from the cycle behind a store's last word: it is written first
NEXT_FED = 1  # and, where a load runs on, from the cycle in which its words are in the buffer
_FULL = 4  # more until a buffer that held all words of a load has room for all of another
_FIRST_WORD = 3  # from a load's command to the engine's first chance to take a word
_NEXT_EXP = 3  # from the acceptance of the last product
_HALT = 2  # from the cycle in which the engines are ready to the end of a program, less one


@dataclass(frozen=True, slots=True)
class Transfers:
    """When an engine's words move, and when it takes its next command.

    Attributes:
        fed: From a load's acceptance until its last words are in the buffer, where there are more.
        store_gap: From the command of the first of two stores to that of the second.
        short: All words of a load fit the buffer in front of an engine.
        first: From a load's acceptance until its first word is taken.
        tail: From a store's last word to its end.
        rest: Cycles after a product in which nothing is accepted unless it has waited for its end.
        loads_run_on: The word machine does not wait for the end of a load.
    """

    fed: int
    store_gap: int
    short: bool = False
    first: int = 1
    tail: int = 0
    rest: int = 0
    loads_run_on: bool = False


@dataclass(slots=True)
class Timeline:
    """Cycles of one program, counted from its start.

    Attributes:
        num_engines: One or two.
        transfers: When words move.
        now: Cycle in which the next instruction is decoded.
        ready: For each engine, the first cycle in which it can accept a command.
        free: For each engine, the first cycle in which its command register can take one.
        full: For each engine, where all words of a load fit its buffer, the cycle until which it
            has no room for another load's.

    >>> time = Timeline(1, Transfers(0, 10))
    >>> for _ in range(2):
    ...     time.product([0], 100)
    >>> time.store([0], 50)
    >>> time.now  # accepted in cycles 2, 102 and 202
    256
    >>> late = Timeline(1, Transfers(0, 0, rest=3), now=3)
    >>> for pause in (0, 98):  # the second command comes just after the end of the first
    ...     late.wait(pause)
    ...     late.product([0], 100)
    >>> late.ready  # accepted in cycles 5 and 109, not 108
    [209]
    """

    num_engines: int
    transfers: Transfers
    now: int = 0
    ready: list[int] = field(default_factory=list)
    free: list[int] = field(default_factory=list)
    full: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ready = [0] * self.num_engines
        self.free = [0] * self.num_engines
        self.full = [0] * self.num_engines

    def _send(self, engine: int, offered: int, cycles: int, first: int = 1) -> tuple[int, int]:
        """Cycles in which the register takes a command and the engine begins it.

        Args:
            engine: Which.
            offered: Cycle from which the register is offered the command.
            cycles: Of the command.
            first: Cycles from `taken` until the engine has what it begins with.
        """
        taken = max(offered, self.free[engine])
        accepted = max(taken + 1, self.ready[engine])
        if accepted > self.ready[engine]:
            accepted = max(accepted, self.ready[engine] + 1 + self.transfers.rest)
        begun = max(taken + first, accepted)
        self.free[engine], self.ready[engine] = accepted + 1, begun + cycles
        return taken, begun

    def wait(self, cycles: int) -> None:
        """An instruction without an engine."""
        self.now += cycles

    def product(self, engines: Sequence[int], cycles: int) -> None:
        """One product on each of the engines."""
        taken = [self._send(engine, self.now + _OFFER, cycles)[0] for engine in engines]
        self.now = max(taken) + _NEXT_PRODUCT

    def set_up(self, engines: Sequence[int], cycles: Sequence[int]) -> None:
        """A set-up on each of the engines, whose cycles may differ where one refuses."""
        for engine, count in zip(engines, cycles, strict=True):
            self._send(engine, self.now + _OFFER, count)
        self.now = max(self.ready) + _NEXT_ENGINE

    def load(self, engines: Sequence[int], cycles: int) -> None:
        """A load, or one on each engine: the second begins when the first has its words."""
        offered, fed = self.now + _OFFER_LOAD, 0
        for engine in engines:
            taken, begun = self._send(engine, offered, cycles, _FIRST_WORD - self.transfers.first)
            fed = begun + self.transfers.fed
            if self.transfers.short:  # in the buffer at once, but behind the words of a load before
                fed, self.full[engine] = max(taken + 6, self.full[engine]), fed + _FULL
            offered = fed
        ended = fed + NEXT_FED if self.transfers.loads_run_on else 0
        self.now = ended or max(self.ready) + _NEXT_ENGINE

    def store(self, engines: Sequence[int], cycles: int) -> None:
        """A store, or one on each engine: the second's words come a cycle behind the first's."""
        accepted = self._send(engines[0], self.now + _OFFER, cycles)[1]
        for engine in engines[1:]:
            accepted = max(accepted, self.free[engine] - 1)
            self._send(engine, accepted + max(self.transfers.store_gap - 1, 2), cycles)
        self.now = max(self.ready) + max(_NEXT_ENGINE, _NEXT_WORD - self.transfers.tail)

    def exponentiation(self, streams: Sequence[tuple[int, Iterable[int]]], start: int = 0) -> None:
        """An exponentiation on some engines at once.

        Args:
            streams: Engine, cycles of its products.
            start: Cycles until the sequencer has its first product, beyond the usual.
        """
        offered = self.now + OFFER_EXP + start
        self.now = max(self._stream(*stream, offered) for stream in streams) + _NEXT_EXP

    def exponentiation_e(self, streams: Sequence[tuple[int, Iterable[int]]]) -> None:
        """The same with the public exponent."""
        self.exponentiation(streams, _OFFER_E - OFFER_EXP)

    def _stream(self, engine: int, products: Iterable[int], offered: int) -> int:
        accepted = offered
        for cycles in products:
            accepted = self._send(engine, offered, cycles)[1]
        return accepted

    def halt(self) -> None:
        """The end of a program, when the engines are done."""
        self.now = max(self.now + 1, max(self.ready) + _HALT) + 1
