# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_modexp`: one engine, one sequencer, operand windows."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any

from modfab.models.engine import (
    SLOT_BASE,
    SLOT_MOD,
    SLOT_RESULT,
    Command,
    EngineModel,
    Op,
    active_words,
)
from modfab.models.generated.status import Status
from modfab.numbers import from_words, to_words

Commands = Callable[[int, int, int], Iterator[Command]]
"""A sequencer: (exponent, exp_bits, num_lanes) -> the products it sends."""


@dataclass(frozen=True, slots=True)
class ModexpResult:
    """Outcome of one operation of the exponentiator.

    Attributes:
        status: `Status.OK`, or why there is no value.
        value: base**exponent mod M; 0 when the status is not OK or only a set-up was asked for.
        setup_cycles: Cycles of the last set-up.
        exp_cycles: First product accepted to first result word.
        products: Commands the sequencer sent.
    """

    status: Status
    value: int = 0
    setup_cycles: int = 0
    exp_cycles: int = 0
    products: int = 0


class ModexpModel:
    """The exponentiator over any engine model and any sequencer.

    `num_words` is the width that the next set-up asks for; 0 stands for the built one.
    """

    def __init__(self, engine: EngineModel[Any], commands: Commands, exp_bits: int) -> None:
        self.engine = engine
        self.exp_bits = exp_bits
        self._commands = commands
        self.num_words = 0
        self._window: int | None = None
        self._setup_cycles = 0

    def setup(self, modulus: int) -> ModexpResult:
        """Load a modulus of `num_words` words (0: as built); the engine computes all else."""
        engine, asked = self.engine, self.num_words
        length = active_words(engine.num_words, asked) if engine.runtime_words else engine.num_words
        words = tuple(to_words(modulus, engine.num_words)[:length])
        engine.run(Command(Op.LOAD, dst0=SLOT_MOD, num_words=asked, words=words))
        cycles = engine.run(Command(Op.SETUP, num_words=asked)).cycles
        ok = self.engine.status is Status.OK
        self._window = modulus if ok else None
        self._setup_cycles = cycles
        return ModexpResult(self.engine.status, setup_cycles=cycles)

    def steps(
        self, base: int, exponent: int, modulus: int, exp_bits: int | None = None
    ) -> Generator[int, None, ModexpResult]:
        """As `powmod`, but in steps: gives the cycles done after each product, then the result."""
        bits = self.exp_bits if exp_bits is None else exp_bits
        if bits > self.exp_bits:
            return ModexpResult(Status.EXP_BITS)
        if modulus != self._window:
            result = self.setup(modulus)
            if result.status is not Status.OK:
                return result
        mask = (1 << 32 * self.engine.active_words) - 1
        base &= mask
        if base >= modulus & mask:
            return ModexpResult(Status.OPERAND, setup_cycles=self._setup_cycles)
        words = tuple(to_words(base, self.engine.active_words))
        self.engine.run(Command(Op.LOAD, dst0=SLOT_BASE, words=words))
        cycles = products = 0
        for command in self._commands(exponent, bits, self.engine.num_lanes):
            cycles += self.engine.run(command).cycles
            products += 1
            yield cycles
        stored = self.engine.run(Command(Op.STORE, a0=SLOT_RESULT))
        return ModexpResult(
            Status.OK,
            from_words(stored.words),
            self._setup_cycles,
            cycles + stored.first_word,
            products,
        )

    def powmod(
        self,
        base: int,
        exponent: int,
        modulus: int,
        exp_bits: int | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> ModexpResult:
        """base**exponent mod modulus; set-up runs only when the modulus is not the last one.

        Args:
            base: Below the modulus.
            exponent: Its low `exp_bits` bits count.
            modulus: Odd, 3 or more, at most NumBits bits.
            exp_bits: Exponent bits to process; the built number when None.
            progress: Called with the cycles done so far, after each product.
        """
        steps = self.steps(base, exponent, modulus, exp_bits)
        while True:
            try:
                cycles = next(steps)
            except StopIteration as end:
                result: ModexpResult = end.value
                return result
            if progress:
                progress(cycles)

    def forget(self) -> None:
        """The modulus is to be set up again, as after a write to its window."""
        self._window = None

    def zeroize(self) -> None:
        """Forget the modulus and every value."""
        self._window = None
        self._setup_cycles = 0
        self.engine.zeroize()
