# SPDX-License-Identifier: Apache-2.0
"""Cycles of the RSA core's programs from the catalogue's formulas, without running them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum

from modfab.catalog import Engine, Params, Sequencer
from modfab.models.engine import SLOT_MOD
from modfab.models.rsa.assembler import Image
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.instructions import (
    ALARM_CYCLES,
    START_CYCLES,
    Instruction,
    RsaOp,
    branch_cycles,
    own_cycles,
)
from modfab.models.rsa.machine import Overlap
from modfab.models.rsa.program import TEST_E, walk


class Part(Enum):
    """What the cycles of a program go into."""

    POWERS = "exponentiations"
    SETUPS = "set-ups of a modulus"
    PRODUCTS = "single products and transfers"
    WORDS = "word machine"


@dataclass(frozen=True, slots=True)
class RsaCycles:
    """Cycles of one build's programs, when they succeed and entropy is always at hand.

    Attributes:
        image: The programs.
        engine, params, sequencer: What the core computes with.
    """

    image: Image
    engine: Engine
    params: Params
    sequencer: Sequencer

    def program(self, entry: RsaEntry, e: int) -> int:
        """Cycles from start to done.

        Args:
            entry: The program.
            e: The public exponent; the test of the core has its own.
        """
        return sum(self.parts(entry, e).values())

    def parts(self, entry: RsaEntry, e: int) -> dict[Part, int]:
        """The same by what the cycles go into."""
        total = dict.fromkeys(Part, 0)
        e = TEST_E if entry is RsaEntry.TEST else e
        counts = Counter(self.image.code[at] for at in walk(self.image, entry.program))
        loops = Counter(i.len for i in counts.elements() if i.op is RsaOp.LOOP)
        taken = sum((passes - 1) * times for passes, times in loops.items())
        for instruction, times in counts.items():
            part, engine_cycles = self._engine_cycles(instruction, e)
            total[part] += times * engine_cycles
            total[Part.WORDS] += times * own_cycles(instruction)
        total[Part.WORDS] += ALARM_CYCLES * (entry is RsaEntry.TEST)
        total[Part.WORDS] += START_CYCLES + branch_cycles(taken=True) * taken
        return total

    @property
    def overlap(self) -> Overlap:
        """What `load2` and `store2` save beside two loads or two stores.

        The second load starts once the first one's words are in; the second store so that its
        words come right behind those of the first.
        """
        cycles, params = self.engine.cycles, self.params
        return Overlap(
            cycles.load(params) - self.engine.feed(params) - 1, cycles.store_latency(params) - 1
        )

    def _engine_cycles(self, instruction: Instruction, e: int) -> tuple[Part, int]:
        cycles, params, op = self.engine.cycles, self.params, instruction.op
        if op in (RsaOp.EXP, RsaOp.EXP2):
            bits = instruction.b if op is RsaOp.EXP else instruction.len
            return Part.POWERS, self._power(bits)
        if op is RsaOp.EXPE:
            products = e.bit_length() + e.bit_count() - 2
            return Part.POWERS, products * cycles.mul(params)
        if op in (RsaOp.SETUP, RsaOp.SETUP2):
            return Part.SETUPS, cycles.setup(params)
        if op in (RsaOp.LOAD, RsaOp.LOAD2):
            load = cycles.load_modulus if instruction.dst == SLOT_MOD else cycles.load
            twice = self.engine.feed(params) + 1 if op is RsaOp.LOAD2 else 0
            return Part.PRODUCTS, load(params) + twice
        if op in (RsaOp.STORE, RsaOp.STORE2):
            twice = cycles.store(params) - self.overlap.store if op is RsaOp.STORE2 else 0
            return Part.PRODUCTS, cycles.store(params) + twice
        single = op in (RsaOp.MUL, RsaOp.MUL2)
        return Part.PRODUCTS, cycles.mul(params) if single else 0

    def _power(self, num_bits: int) -> int:
        """The products of an exponentiation: a constant sequencer sends them whatever the bits."""
        whole = self.sequencer.exp_cycles(self.engine, self.params, 0, num_bits)
        products = whole - self.engine.cycles.store_latency(self.params)
        return self.sequencer.start_cycles + products
