# SPDX-License-Identifier: Apache-2.0
"""When the RSA core's instructions and its engines' commands happen.

A command goes through a register in front of its engine, a word through a buffer of two. The word
machine waits for the end of a load, a store and a set-up, not for the end of a product.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

_OFFER = 1  # cycles from decoding to the offer of a command,
_OFFER_LOAD = 5  # to that of a load: with its first word
_OFFER_EXP = 2  # and to a sequencer's first product
_OFFER_EXP_E = 9
_NEXT_PRODUCT = 3  # to the next decoding, from a product's command,
_NEXT_ENGINE = 3  # from the cycle in which the engine is ready again
_NEXT_EXP = 2  # from the acceptance of the last product
_HALT = 2  # from the cycle in which the engines are ready to the end of a program, less one


@dataclass(frozen=True, slots=True)
class Overlap:
    """Cycles that the second of two transfers takes while the first one runs.

    Attributes:
        load, store: Of the commands `load2` and `store2`.
        short: All words of a load fit the buffer in front of an engine.
    """

    load: int
    store: int
    short: bool = False


NO_OVERLAP = Overlap(0, 0)


@dataclass(slots=True)
class Timeline:
    """Cycles of one program, counted from its start.

    Attributes:
        num_engines: One or two.
        now: Cycle in which the next instruction is decoded.
        ready: For each engine, the first cycle in which it can accept a command.
        free: For each engine, the first cycle in which its command register can take one.

    >>> time = Timeline(1)
    >>> for _ in range(2):
    ...     time.product([0], 100)
    >>> time.store([0], 50, Overlap(0, 10))
    >>> time.now  # accepted in cycles 2, 102 and 202
    255
    """

    num_engines: int
    now: int = 0
    ready: list[int] = field(default_factory=list)
    free: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ready = [0] * self.num_engines
        self.free = [0] * self.num_engines

    def _send(self, engine: int, offered: int, cycles: int) -> tuple[int, int]:
        """Cycles in which the register takes a command and the engine accepts it."""
        taken = max(offered, self.free[engine])
        accepted = max(taken + 1, self.ready[engine])
        self.free[engine], self.ready[engine] = accepted + 1, accepted + cycles
        return taken, accepted

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

    def load(self, engines: Sequence[int], cycles: int, overlap: Overlap) -> None:
        """A load, or one on each engine: the second begins when the first has its words."""
        taken, accepted = self._send(engines[0], self.now + _OFFER_LOAD, cycles)
        fed = taken + 4 if overlap.short else accepted + cycles - overlap.load
        for engine in engines[1:]:
            self._send(engine, fed, cycles)
        self.now = max(self.ready) + _NEXT_ENGINE

    def store(self, engines: Sequence[int], cycles: int, overlap: Overlap) -> None:
        """A store, or one on each engine: the second's words come right behind the first's."""
        accepted = self._send(engines[0], self.now + _OFFER, cycles)[1]
        for engine in engines[1:]:
            accepted = max(accepted, self.free[engine] - 1)
            gap = max(cycles - overlap.store - 1, 2)
            self._send(engine, accepted + gap, cycles)
        self.now = max(self.ready) + _NEXT_ENGINE

    def power(self, streams: Sequence[tuple[int, Iterable[int]]], start: int = 0) -> None:
        """An exponentiation on some engines at once.

        Args:
            streams: Engine, cycles of its products.
            start: Cycles until the sequencer has its first product, beyond the usual.
        """
        offered = self.now + _OFFER_EXP + start
        self.now = max(self._stream(*stream, offered) for stream in streams) + _NEXT_EXP

    def power_e(self, streams: Sequence[tuple[int, Iterable[int]]]) -> None:
        """The same with the public exponent."""
        self.power(streams, _OFFER_EXP_E - _OFFER_EXP)

    def _stream(self, engine: int, products: Iterable[int], offered: int) -> int:
        accepted = offered
        for cycles in products:
            accepted = self._send(engine, offered, cycles)[1]
        return accepted

    def halt(self) -> None:
        """The end of a program, when the engines are done."""
        self.now = max(self.now + 1, max(self.ready) + _HALT) + 1
