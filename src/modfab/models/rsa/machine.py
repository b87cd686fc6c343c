# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_rsa`: the word machine that runs the programs over an engine model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from modfab.models.engine import Command, EngineModel, Op
from modfab.models.generated.status import RsaStatus, Status
from modfab.models.modexp import Commands
from modfab.models.rsa.assembler import Image
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.instructions import Instruction, RsaOp, own_cycles
from modfab.numbers import from_words, to_words, words_of

Entropy = Callable[[], int]
"""Gives one random word of 32 bits."""

_ENGINE_OPS = {
    RsaOp.LOAD: Op.LOAD,
    RsaOp.STORE: Op.STORE,
    RsaOp.MUL: Op.MUL,
    RsaOp.SETUP: Op.SETUP,
    RsaOp.SETUP2: Op.SETUP,
}

_CONTROL_OPS = (RsaOp.NEED, RsaOp.RELEASE, RsaOp.LOOP, RsaOp.ENDLOOP, RsaOp.UNIT)


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
        commands: Model of the sequencer.
        entropy: Source of random words.
    """

    def __init__(
        self,
        image: Image,
        engines: Sequence[EngineModel[Any]],
        commands: Commands,
        entropy: Entropy,
    ) -> None:
        self.image, self.engines, self.entropy = image, engines, entropy
        self.engine = engines[0]
        self._commands = commands
        self.memory = [0] * image.num_words
        self.key_valid = False
        self.result_valid = False
        self.flag = 0
        self._multiplier = 0
        self._e_bits = 0
        self._cycles = 0
        self._loop: tuple[int, int] = (0, 0)
        self._released = False

    # ---- the host's side ----
    def put(self, name: str, value: int) -> None:
        """Write a variable; one of the key makes the key invalid."""
        address, words = self.image.variables[name]
        self.memory[address : address + words] = to_words(value, words)
        if name == "C":
            self.put("C2", value)
        self.result_valid = False
        if address < self.image.variables["KEY_END"][0]:
            self.key_valid = False

    def get(self, name: str) -> int:
        """The value of a variable; the core itself shows the result only."""
        address, words = self.image.variables[name]
        return from_words(self.memory[address : address + words])

    def run(self, entry: RsaEntry, e_bits: int) -> RsaRun:
        """Run one program.

        Args:
            entry: Which.
            e_bits: Bits of the public exponent to process; 0 when it is unknown.
        """
        self.result_valid = self._released = False
        self._e_bits, self._cycles = e_bits, 0
        self.engine = self.engines[0]
        operation = entry in (RsaEntry.PRIVATE, RsaEntry.PUBLIC)
        if operation and not self.key_valid:
            return RsaRun(RsaStatus.NO_KEY, 0)
        least = int(entry is RsaEntry.PUBLIC)
        if not least <= e_bits <= 32 * self.image.variables["E"][1]:
            return RsaRun(RsaStatus.KEY, 0)
        ending = self._execute(self.image.entries[entry.program(e_bits)])
        status = RsaStatus.OK if self._released else ending
        self.result_valid = operation and self._released
        if entry is RsaEntry.KEY:
            self.key_valid = self._released
        return RsaRun(status, self._cycles)

    # ---- the machine ----
    def _execute(self, counter: int) -> RsaStatus:
        ending = RsaStatus.FAULT
        while True:
            instruction = self.image.code[counter]
            counter += 1
            self._cycles += own_cycles(instruction)
            if instruction.op is RsaOp.HALT:
                return ending
            if instruction.op in _ENGINE_OPS:
                if not self._engine(instruction):
                    ending, counter = RsaStatus.KEY, self.image.entries["fail"]
            elif instruction.op is RsaOp.EXP:
                self._power(self.engine, instruction.a, instruction.b)
            elif instruction.op is RsaOp.EXP2:
                before = self._cycles
                for engine, address in zip(
                    self.engines, (instruction.a, instruction.b), strict=True
                ):
                    self._cycles = before  # at the same time, and equally long
                    self._power(engine, address, instruction.len)
            elif instruction.op in _CONTROL_OPS:
                if instruction.op is RsaOp.NEED and self.flag != instruction.b:
                    ending, counter = RsaStatus(instruction.dst), self.image.entries["fail"]
                    self._released = False
                counter = self._control(instruction, counter)
            else:
                self._vector(instruction)

    def _control(self, instruction: Instruction, counter: int) -> int:
        if instruction.op is RsaOp.RELEASE:
            self._released = True
        elif instruction.op is RsaOp.UNIT:
            self.engine = self.engines[instruction.len]
        elif instruction.op is RsaOp.LOOP:
            self._loop = (counter, instruction.len)
        elif instruction.op is RsaOp.ENDLOOP:
            start, left = self._loop
            if left > 1:
                self._loop = (start, left - 1)
                return start
        return counter

    def _engine(self, instruction: Instruction) -> bool:
        """One engine command; False when a set-up refused the modulus."""
        if instruction.op is RsaOp.SETUP2:
            return self._setup_both()
        words: tuple[int, ...] = ()
        if instruction.op is RsaOp.LOAD:
            words = tuple(self.memory[instruction.a : instruction.a + self.engine.num_words])
        command = Command(
            _ENGINE_OPS[instruction.op],
            dst0=instruction.dst,
            a0=instruction.a,
            b=instruction.b,
            words=words,
        )
        result = self.engine.run(command)
        self.memory[instruction.dst : instruction.dst + len(result.words)] = result.words
        self._cycles += result.cycles
        return instruction.op is not RsaOp.SETUP or self.engine.status is Status.OK

    def _setup_both(self) -> bool:
        """Both engines at the same time; False when one refused its modulus."""
        runs = [engine.run(Command(Op.SETUP)) for engine in self.engines]
        self._cycles += max(run.cycles for run in runs)
        return all(engine.status is Status.OK for engine in self.engines)

    def _power(self, engine: EngineModel[Any], address: int, num_bits: int) -> None:
        bits = num_bits or self._e_bits
        words = self.memory[address : address + words_of(bits)]
        exponent = from_words(words) & ((1 << bits) - 1)
        for command in self._commands(exponent, bits, engine.num_lanes):
            self._cycles += engine.run(command).cycles

    def _vector(self, instruction: Instruction) -> None:
        """One vector instruction: whole numbers here, word by word in the RTL."""
        length, op = instruction.len, instruction.op
        a, b = self._number(instruction.a, length), self._number(instruction.b, length)
        full = 1 << 32 * length
        if op in (RsaOp.ADD, RsaOp.ADC, RsaOp.SUB):
            carry_in = self.flag if op is RsaOp.ADC else 0
            value = a - b if op is RsaOp.SUB else a + b + carry_in
            self.flag = int(not 0 <= value < full)
            self._write(instruction.dst, value % full, length)
        elif op is RsaOp.SEL:
            self._write(instruction.dst, a if self.flag else b, length)
        elif op is RsaOp.EQ:
            self.flag = int(a == b)
        elif op is RsaOp.SET:
            self._write(instruction.dst, instruction.b, length)
        elif op is RsaOp.MAC:
            value = a * self._multiplier + self._number(instruction.dst, length)
            self._write(instruction.dst, value, length + 1)
        elif op is RsaOp.LDM:
            self._multiplier = self.memory[instruction.a]
        else:
            words = [self.entropy() for _ in range(length)]
            self.memory[instruction.dst : instruction.dst + length] = words

    def _number(self, address: int, length: int) -> int:
        return from_words(self.memory[address : address + length])

    def _write(self, address: int, value: int, length: int) -> None:
        self.memory[address : address + length] = to_words(value, length)
