# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_rsa`: the word machine that runs the programs over an engine model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from modfab.models import exp_ladder_masked as masked_ladder
from modfab.models.engine import SLOT_FREE, Command, EngineModel, Op
from modfab.models.generated.status import RsaStatus, Status
from modfab.models.modexp import Commands
from modfab.models.rsa.assembler import Image
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.instructions import (
    ALARM_CYCLES,
    REFUSED_CYCLES,
    START_CYCLES,
    Instruction,
    RsaOp,
    branch_cycles,
    own_cycles,
)
from modfab.models.rsa.program import TEST_E
from modfab.numbers import from_words, to_words, words_of

Entropy = Callable[[], int]
"""Gives one random word of 32 bits."""

_ENGINE_OPS = {
    RsaOp.LOAD: Op.LOAD,
    RsaOp.LOAD2: Op.LOAD,
    RsaOp.STORE2: Op.STORE,
    RsaOp.MUL2: Op.MUL,
    RsaOp.STORE: Op.STORE,
    RsaOp.MUL: Op.MUL,
    RsaOp.SETUP: Op.SETUP,
    RsaOp.SETUP2: Op.SETUP,
}

_EXP_OPS = (RsaOp.EXP, RsaOp.EXP2, RsaOp.EXPE)
_CONTROL_OPS = (RsaOp.NEED, RsaOp.RELEASE, RsaOp.LOOP, RsaOp.ENDLOOP, RsaOp.UNIT)


@dataclass(frozen=True, slots=True)
class Overlap:
    """Cycles that the second of two transfers takes while the first one runs.

    Attributes:
        load, store: Of the commands `load2` and `store2`.
    """

    load: int
    store: int


NO_OVERLAP = Overlap(0, 0)


def public_commands(exponent: int, bits: int) -> Iterator[Command]:
    """Products of slot 5 <- slot 4 to a public exponent, in Montgomery form: `mf_rsa_unit`.

    Args:
        exponent: Its highest bit, bit `bits` - 1, is taken for set.
        bits: 2 or more.
    """
    base, result = SLOT_FREE, SLOT_FREE + 1
    source = base
    for place in reversed(range(bits - 1)):
        yield Command(Op.MUL, dst0=result, a0=source, b=source)
        source = result
        if exponent >> place & 1:
            yield Command(Op.MUL, dst0=result, a0=result, b=base)


@dataclass(frozen=True, slots=True)
class RsaRun:
    """Outcome of one program.

    Attributes:
        status: How it ended.
        cycles: Clocks from start to done, with entropy always at hand.
    """

    status: RsaStatus
    cycles: int


class RsaModel:
    """Word memory, word machine, engine and sequencer of the RSA core.

    Args:
        image: The assembled programs.
        engines: Models of the engines, one or two; as wide as a prime.
        commands: Model of the sequencer; not used where slot numbers are masked.
        entropy: Source of random words.
        overlap: Cycles that two loads or stores save by overlapping.
    """

    def __init__(
        self,
        image: Image,
        engines: Sequence[EngineModel[Any]],
        commands: Commands,
        entropy: Entropy,
        overlap: Overlap = NO_OVERLAP,
    ) -> None:
        self._overlap = overlap
        self.image, self.engines, self.entropy = image, engines, entropy
        self.engine = engines[0]
        self._commands = commands
        self.memory = [0] * image.num_words
        self.key_valid = False
        self.result_valid = False
        self.carry = self.equal = 0
        self._e_bits = 0
        self._cycles = 0
        self._loop: tuple[int, int] = (0, 0)
        self._released = False

    # ---- the host's side ----
    def put(self, name: str, value: int) -> None:
        """Write a variable; one of the key is refused while a key is valid."""
        address, words = self.image.variables[name]
        in_key = address < self.image.variables["KEY_END"][0]
        if in_key and self.key_valid:
            return
        self.memory[address : address + words] = to_words(value, words)
        if name == "C":
            self.put("C2", value)
        self.result_valid = False

    def get(self, name: str) -> int:
        """The value of a variable; the core itself shows the result only."""
        address, words = self.image.variables[name]
        return from_words(self.memory[address : address + words])

    def run(self, entry: RsaEntry, e_bits: int) -> RsaRun:
        """Run one program.

        Args:
            entry: Which.
            e_bits: Bits of the public exponent; it counts with `KEY`, until the key is wiped.
        """
        self.result_valid = self._released = False
        self._cycles = START_CYCLES
        self.engine, self._loop = self.engines[0], (0, 0)
        operation = entry in (RsaEntry.PRIVATE, RsaEntry.PUBLIC)
        if operation and not self.key_valid:
            return RsaRun(RsaStatus.NO_KEY, 0)
        fits = 2 <= e_bits <= 32 * self.image.variables["E"][1]
        if (entry in (RsaEntry.DERIVE, RsaEntry.TEST) and self.key_valid) or (
            entry is RsaEntry.KEY and not self.key_valid and not fits
        ):
            return RsaRun(RsaStatus.KEY, 0)
        if not self.key_valid:
            self._e_bits = TEST_E.bit_length() if entry is RsaEntry.TEST else e_bits
        ending = self._execute(self.image.entries[entry.program])
        if entry is RsaEntry.TEST:
            self.wipe()
            return RsaRun(RsaStatus.OK if ending is None else RsaStatus.TEST, self._cycles)
        status = RsaStatus.OK if self._released or ending is None else ending
        self.result_valid = operation and self._released
        if not operation and not self._released:
            self.wipe()
        if entry is RsaEntry.KEY:
            self.key_valid = self._released
        return RsaRun(status, self._cycles)

    def wipe(self) -> None:
        """Forget everything: zeroize, or a key that was refused."""
        self.memory = [0] * len(self.memory)
        self.key_valid = self.result_valid = False
        for engine in self.engines:
            engine.zeroize()

    # ---- the machine ----
    def _execute(self, counter: int) -> RsaStatus | None:
        """How a program ended that did not release anything; None for an alarm behind a release."""
        ending = RsaStatus.FAULT
        while True:
            instruction = self.image.code[counter]
            counter += 1
            self._cycles += own_cycles(instruction)
            if instruction.op is RsaOp.HALT:
                return ending
            if instruction.op is RsaOp.ENDLOOP and not self._loop[1] and self._released:
                self._cycles += ALARM_CYCLES
                return None
            if instruction.op in _ENGINE_OPS:
                if not self._engine(instruction):
                    ending, counter = RsaStatus.KEY, self.image.entries["fail"]
                    self._cycles += REFUSED_CYCLES
            elif instruction.op in _EXP_OPS:
                self._exponentiate(instruction)
            elif instruction.op in _CONTROL_OPS:
                flag = self.equal if instruction.a else self.carry
                if instruction.op is RsaOp.NEED and flag != instruction.b:
                    ending, counter = RsaStatus(instruction.dst), self.image.entries["fail"]
                    self._cycles += branch_cycles(taken=True)
                    self._released = False
                counter = self._control(instruction, counter)
            else:
                self._vector(instruction)

    def _exponentiate(self, instruction: Instruction) -> None:
        op, addresses = instruction.op, (instruction.a, instruction.b)
        if op is RsaOp.EXP:
            self._power(self.engine, instruction.a, instruction.b)
        elif op is RsaOp.EXP2:
            self._together(lambda i, unit: self._power(unit, addresses[i], instruction.len))
        else:
            self._together(lambda _, unit: self._public_power(unit, instruction.a))

    def _control(self, instruction: Instruction, counter: int) -> int:
        if instruction.op is RsaOp.RELEASE:
            self._released = True
        elif instruction.op is RsaOp.UNIT:
            self.engine = self.engines[instruction.len]
        elif instruction.op is RsaOp.LOOP:
            self._loop = (counter, instruction.len)
        elif instruction.op is RsaOp.ENDLOOP:
            start, left = self._loop
            self._loop = (start, left - 1)
            self._cycles += branch_cycles(left > 1)
            return start if left > 1 else counter
        return counter

    def _together(self, work: Callable[[int, EngineModel[Any]], None]) -> None:
        """The same on every engine at the same time, and equally long."""
        before = self._cycles
        for index, engine in enumerate(self.engines):
            self._cycles = before
            work(index, engine)

    def _engine(self, instruction: Instruction) -> bool:
        """One engine command; False when a set-up refused the modulus."""
        op = instruction.op
        if op is RsaOp.SETUP2 or op is RsaOp.MUL2:
            self._together(lambda _, unit: self._command(unit, instruction, 0))
            return op is RsaOp.MUL2 or all(unit.status is Status.OK for unit in self.engines)
        if op is RsaOp.LOAD2:
            for index, address in enumerate((instruction.a, instruction.b)):
                load = replace(instruction, a=address)
                self._command(self.engines[index], load, address)
            self._cycles -= self._overlap.load
        elif op is RsaOp.STORE2:
            for index, address in enumerate((instruction.dst, instruction.b)):
                store = replace(instruction, dst=address)
                self._command(self.engines[index], store, address)
            self._cycles -= self._overlap.store
        else:
            self._command(self.engine, instruction, instruction.a)
        return op is not RsaOp.SETUP or self.engine.status is Status.OK

    def _command(self, engine: EngineModel[Any], instruction: Instruction, address: int) -> None:
        operation = _ENGINE_OPS[instruction.op]
        words: tuple[int, ...] = ()
        factor = instruction.b
        if operation is Op.LOAD:
            words = tuple(self.memory[address : address + engine.num_words])
            factor = instruction.len
        command = Command(operation, dst0=instruction.dst, a0=instruction.a, b=factor, words=words)
        result = engine.run(command)
        self.memory[instruction.dst : instruction.dst + len(result.words)] = result.words
        self._cycles += result.cycles

    def _power(self, engine: EngineModel[Any], address: int, bits: int) -> None:
        exponent = self._number(address, words_of(bits)) & ((1 << bits) - 1)
        products = self._commands(exponent, bits, engine.num_lanes)
        if masks := self.image.variables["XDM"][1]:
            window = self.image.variables["XD"][1]
            *mask_words, start = self.memory[address + window : address + window + masks]
            products = masked_ladder.commands(
                exponent, bits, engine.num_lanes, from_words(mask_words), start
            )
            self._cycles += masked_ladder.START_CYCLES
        for command in products:
            self._cycles += engine.run(command).cycles

    def _public_power(self, engine: EngineModel[Any], address: int) -> None:
        words = self.memory[address : address + words_of(self._e_bits)]
        for command in public_commands(from_words(words), self._e_bits):
            self._cycles += engine.run(command).cycles

    def _vector(self, instruction: Instruction) -> None:
        """One vector instruction: whole numbers here, word by word in the RTL."""
        length, op = instruction.len, instruction.op
        a, b = self._number(instruction.a, length), self._number(instruction.b, length)
        full = 1 << 32 * length
        if op in (RsaOp.ADD, RsaOp.ADC, RsaOp.SUB):
            carry_in = self.carry if op is RsaOp.ADC else 0
            value = a - b if op is RsaOp.SUB else a + b + carry_in
            self.carry = int(not 0 <= value < full)
            self._write(instruction.dst, value % full, length)
        elif op is RsaOp.SEL:
            self._write(instruction.dst, a if self.carry else b, length)
        elif op is RsaOp.EQ:
            self.equal = int(a == b)
        elif op is RsaOp.SET:
            self._write(instruction.dst, instruction.b, length)
        elif op is RsaOp.MAC:
            addend = self._number(instruction.dst, length)
            self._write(instruction.dst, a * self.memory[instruction.b] + addend, length + 1)
        else:
            words = [self.entropy() for _ in range(length)]
            self.memory[instruction.dst : instruction.dst + length] = words

    def _number(self, address: int, length: int) -> int:
        return from_words(self.memory[address : address + length])

    def _write(self, address: int, value: int, length: int) -> None:
        self.memory[address : address + length] = to_words(value, length)
