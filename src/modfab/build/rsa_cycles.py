# SPDX-License-Identifier: Apache-2.0
"""Cycles of the RSA core's programs from the catalogue's formulas, without running them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from modfab.catalog import Engine, Params, Sequencer
from modfab.models.engine import SLOT_FREE, SLOT_MOD
from modfab.models.rsa.assembler import Image
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.instructions import (
    BOTH_OPS,
    ENGINE_OPS,
    START_CYCLES,
    Instruction,
    RsaOp,
    branch_cycles,
    own_cycles,
)
from modfab.models.rsa.program import TEST_E, USUAL_E, walk
from modfab.models.rsa.timeline import NEXT_FED, OFFER_EXP, Timeline, Transfers
from modfab.numbers import words_of

_BUFFER_WORDS = 2  # of the buffer between the core and an engine


def store_gap(engine: Engine, params: Params) -> int:
    """Cycles from one store to the next: its words come a cycle behind those of the first."""
    return engine.cycles.store(params) - engine.cycles.store_latency(params) + 2


def _fed(engine: Engine, params: Params) -> int:
    """Cycles from a load's acceptance until its last words are in the buffer before the engine."""
    return engine.feed(params) + 2 - _BUFFER_WORDS * (engine.word_cycles(params) - 1)


def load_tail(engine: Engine, params: Params) -> int:
    """Cycles that the word machine has for itself behind a load.

    An exponentiation that begins after them offers its first product when the load has ended.
    """
    load = engine.cycles.load(params)
    if words_of(params["NumBits"]) <= _BUFFER_WORDS:  # the load may not have begun
        return 2 * load
    return load - _fed(engine, params) - NEXT_FED - OFFER_EXP


class Part(Enum):
    """What the cycles of a program go into."""

    EXPONENTIATIONS = "exponentiations"
    SETUPS = "set-ups of a modulus"
    PRODUCTS = "single products and transfers"
    WORDS = "word machine"


@dataclass(frozen=True, slots=True)
class _Step:
    """An instruction: its own cycles, what it spends besides and for what, the engines' wait."""

    op: RsaOp
    own: int
    part: Part
    spent: int
    waits: int


@dataclass(frozen=True, slots=True)
class RsaCycles:
    """Cycles of one build's programs, when they succeed and entropy is always at hand.

    Attributes:
        image: The programs.
        engine, params, sequencer: What the core computes with.
        num_engines: How many engines it has.
        loads_run_on: The word machine does not wait for the end of a load.
    """

    image: Image
    engine: Engine
    params: Params
    sequencer: Sequencer
    num_engines: int
    loads_run_on: bool = False

    @property
    def slowest(self) -> int:
        """Bound of every program with the usual e: their sum."""
        entries = [entry for entry in RsaEntry if entry.program in self.image.entries]
        return sum(self.program(entry, USUAL_E) for entry in entries)

    def program(self, entry: RsaEntry, e: int) -> int:
        """Cycles from start to done.

        Args:
            entry: The program.
            e: The public exponent; the test of the core has its own.
        """
        return sum(self.parts(entry, e).values())

    def parts(self, entry: RsaEntry, e: int) -> dict[Part, int]:
        """The same by what the cycles go into; a wait for an engine counts with what waits."""
        total = dict.fromkeys(Part, 0)
        total[Part.WORDS] = START_CYCLES
        for step in self._steps(entry, e):
            total[Part.WORDS] += step.own
            total[step.part] += step.spent
        return total

    def waits(self, entry: RsaEntry, e: int) -> list[int]:
        """Cycles from the start of each exponentiation until all engines are ready, if positive."""
        exponentiations = (RsaOp.EXP, RsaOp.EXP2, RsaOp.EXPE)
        return [step.waits for step in self._steps(entry, e) if step.op in exponentiations]

    def _steps(self, entry: RsaEntry, e: int) -> Iterator[_Step]:
        """The instructions of a program in turn."""
        time = Timeline(self.num_engines, self.transfers, START_CYCLES)
        unit, last = 0, -1
        for address in walk(self.image, entry.program):
            instruction = self.image.code[address]
            own = own_cycles(instruction) + branch_cycles(address <= last)
            last = address
            time.wait(own)
            before, waits, part = time.now, max(time.ready) - time.now, Part.WORDS
            unit = instruction.len if instruction.op is RsaOp.UNIT else unit
            if instruction.op in ENGINE_OPS:
                both = instruction.op in BOTH_OPS
                units = range(self.num_engines) if both else (unit,)
                part = self._engine(
                    time, units, instruction, TEST_E if entry is RsaEntry.TEST else e
                )
            elif instruction.op is RsaOp.HALT:
                time.halt()
            yield _Step(instruction.op, own, part, time.now - before, waits)

    @property
    def transfers(self) -> Transfers:
        """When words move.

        The second load starts once the first one's words are in, the last two of them in the buffer
        before the engine; the second store by `store_gap`.
        """
        params = self.params
        word, num_words = self.engine.word_cycles(params), words_of(params["NumBits"])
        return Transfers(
            _fed(self.engine, params),
            store_gap(self.engine, params),
            short=num_words <= _BUFFER_WORDS,
            first=self.engine.feed(params) - word * (num_words - 1),
            tail=self.engine.store_tail,
            rest=self.engine.rest,
            loads_run_on=self.loads_run_on,
        )

    def _engine(
        self, time: Timeline, units: Sequence[int], instruction: Instruction, e: int
    ) -> Part:
        """Let a command pass; returns what its cycles go into."""
        cycles, params, op = self.engine.cycles, self.params, instruction.op
        mul = cycles.mul(params)
        if op in (RsaOp.EXP, RsaOp.EXP2):
            products = self._product_cycles(instruction.b if op is RsaOp.EXP else instruction.len)
            streams = [(unit, (products - mul, mul)) for unit in units]
            time.exponentiation(streams, self.sequencer.start_cycles)
            return Part.EXPONENTIATIONS
        if op is RsaOp.EXPE:
            squares, products = e.bit_length() - 1, e.bit_count() - 1
            square = self.engine.product_cycles(params, SLOT_FREE, SLOT_FREE)
            before_last = squares * square + (products - 1) * mul
            time.exponentiation_e([(unit, (before_last, mul)) for unit in units])
            return Part.EXPONENTIATIONS
        if op in (RsaOp.SETUP, RsaOp.SETUP2):
            short = instruction.b and self.engine.resume_bits(params)
            set_up = cycles.resume if short and cycles.resume else cycles.setup
            time.set_up(units, [set_up(params)] * len(units))
            return Part.SETUPS
        if op in (RsaOp.LOAD, RsaOp.LOAD2):
            load = cycles.load_modulus if instruction.dst == SLOT_MOD else cycles.load
            time.load(units, load(params))
        elif op in (RsaOp.STORE, RsaOp.STORE2):
            time.store(units, cycles.store(params))
        else:
            slots = instruction.a, instruction.b
            time.product(units, self.engine.product_cycles(params, *slots))
        return Part.PRODUCTS

    def _product_cycles(self, num_bits: int) -> int:
        """The products of an exponentiation: a constant sequencer sends them whatever the bits."""
        whole = self.sequencer.exp_cycles(self.engine, self.params, 0, num_bits)
        return whole - self.engine.cycles.store_latency(self.params)
