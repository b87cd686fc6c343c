# SPDX-License-Identifier: Apache-2.0
"""Clocks of the RSA core's programs from the catalogue's formulas, without running them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from modfab.catalog import Engine, Params, Sequencer
from modfab.models.engine import SLOT_MOD
from modfab.models.rsa.assembler import Image
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.instructions import Instruction, RsaOp, own_cycles


class Part(Enum):
    """What the clocks of a program go into."""

    POWERS = "exponentiations"
    SETUPS = "set-ups of a modulus"
    PRODUCTS = "single products and transfers"
    WORDS = "word machine"


@dataclass(frozen=True, slots=True)
class RsaCycles:
    """Clocks of one build's programs, when they succeed and entropy is always at hand.

    Attributes:
        image: The programs.
        engine, params, sequencer: What the core computes with.
    """

    image: Image
    engine: Engine
    params: Params
    sequencer: Sequencer

    def program(self, entry: RsaEntry, e_bits: int) -> int:
        """Clocks from start to done.

        Args:
            entry: The program.
            e_bits: Bits of the public exponent; 0 when it is unknown.
        """
        return sum(self.parts(entry, e_bits).values())

    def parts(self, entry: RsaEntry, e_bits: int) -> dict[Part, int]:
        """The same by what the clocks go into."""
        clocks = dict.fromkeys(Part, 0)
        for instruction, times in self._walk(self.image.entries[entry.program(e_bits)]).items():
            part, engine_clocks = self._engine_clocks(instruction, e_bits)
            clocks[part] += times * engine_clocks
            clocks[Part.WORDS] += times * own_cycles(instruction)
        return clocks

    def _walk(self, start: int) -> Counter[Instruction]:
        """How often a program executes each of its instructions."""
        counts: Counter[Instruction] = Counter()
        times = 1
        for instruction in _until_halt(self.image.code[start:]):
            if instruction.op is RsaOp.LOOP:
                counts[instruction] += 1
                times = instruction.len
                continue
            counts[instruction] += times
            if instruction.op is RsaOp.ENDLOOP:
                times = 1
        return counts

    def _engine_clocks(self, instruction: Instruction, e_bits: int) -> tuple[Part, int]:
        cycles, params, op = self.engine.cycles, self.params, instruction.op
        if op in (RsaOp.EXP, RsaOp.EXP2):
            bits = (instruction.b if op is RsaOp.EXP else instruction.len) or e_bits
            return Part.POWERS, self._power(bits)
        if op in (RsaOp.SETUP, RsaOp.SETUP2):
            return Part.SETUPS, cycles.setup(params)
        if op is RsaOp.LOAD:
            load = cycles.load_modulus if instruction.dst == SLOT_MOD else cycles.load
            return Part.PRODUCTS, load(params)
        if op is RsaOp.STORE:
            return Part.PRODUCTS, cycles.store(params)
        return Part.PRODUCTS, cycles.mul(params) if op is RsaOp.MUL else 0

    def _power(self, num_bits: int) -> int:
        """The products of an exponentiation: a constant sequencer sends them whatever the bits."""
        whole = self.sequencer.exp_cycles(self.engine, self.params, 0, num_bits)
        return whole - self.engine.cycles.store_latency(self.params)


def _until_halt(code: tuple[Instruction, ...]) -> Iterator[Instruction]:
    for instruction in code:
        yield instruction
        if instruction.op is RsaOp.HALT:
            return
