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
    BOTH_OPS,
    FAIL_CYCLES,
    KEEPS_RELEASE,
    PLUS,
    REFUSED_CYCLES,
    START_CYCLES,
    Instruction,
    RsaOp,
    branch_cycles,
    own_cycles,
)
from modfab.models.rsa.program import TEST_E
from modfab.models.rsa.timeline import Timeline, Transfers
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
        cycles: Cycles from start to done, with entropy always at hand. An engine's cycles of a
            modulus that it refuses are not part of the contract, and count as 0.
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
        transfers: When words move in the engines' loads and stores.
    """

    def __init__(
        self,
        image: Image,
        engines: Sequence[EngineModel[Any]],
        commands: Commands,
        entropy: Entropy,
        transfers: Transfers,
    ) -> None:
        self._transfers = transfers
        self.image, self.engines, self.entropy = image, engines, entropy
        self._unit = 0
        self._commands = commands
        self.memory = [0] * image.num_words
        self.context = self._target = 0
        self._valid = [False] * image.num_keys
        self._e_bits = [0] * image.num_keys
        self.result_valid = False
        self.carry = self.equal = 0
        self._time = Timeline(len(engines), transfers)
        self._loop: tuple[int, int] = (0, 0)
        self._released = self._moving = False

    # ---- the host's side ----
    @property
    def key_valid(self) -> bool:
        """The chosen context has a key."""
        return self._valid[self.context]

    @property
    def valid_keys(self) -> tuple[bool, ...]:
        """Which contexts have a key."""
        return tuple(self._valid)

    def put(self, name: str, value: int) -> None:
        """Write a variable; one of the key is refused while the chosen context has a key."""
        address, words = self.image.variables[name]
        in_key = address < self.image.variables["KEY_END"][0]
        if in_key and self.key_valid:
            return
        self._put_words(address, to_words(value, words))
        if name == "C":
            self.put("C2", value)
        self.result_valid = False

    def get(self, name: str) -> int:
        """The value of a variable; the core itself shows the result only."""
        address, words = self.image.variables[name]
        return from_words(self._words(address, words))

    def run(self, entry: RsaEntry, e_bits: int, target: int | None = None) -> RsaRun:
        """Run one program.

        Args:
            entry: Which. `CHANGE` becomes `LEAVE` where the target has no key; `LEAVE` alone wipes
                the chosen context.
            e_bits: Bits of the public exponent; it counts with `KEY`, until the key is wiped.
            target: The context to change to; None for the chosen one.
        """
        self._target = self.context if target is None else target
        if entry is RsaEntry.CHANGE and not self._valid[self._target]:
            entry = RsaEntry.LEAVE
        self.result_valid = self._released = False
        self._time = Timeline(len(self.engines), self._transfers, START_CYCLES)
        self._unit, self._loop = 0, (0, 0)
        operation = entry in (RsaEntry.PRIVATE, RsaEntry.PUBLIC)
        if operation and not self.key_valid:
            return RsaRun(RsaStatus.NO_KEY, 0)
        fits = 2 <= e_bits <= 32 * self.image.variables["E"][1]
        if entry is RsaEntry.KEY and not self.key_valid and not fits:
            self._wipe_context()
            return RsaRun(RsaStatus.KEY, 0)
        if (entry is RsaEntry.DERIVE and self.key_valid) or (
            entry is RsaEntry.TEST and any(self._valid)
        ):
            return RsaRun(RsaStatus.KEY, 0)
        if not self.key_valid:
            bits = TEST_E.bit_length() if entry is RsaEntry.TEST else e_bits
            self._e_bits[self.context] = bits
        self._moving = entry in (RsaEntry.CHANGE, RsaEntry.LEAVE)
        ending = self._execute(self.image.entries[entry.program])
        if self._moving:
            return self._moved(entry)
        if entry is RsaEntry.TEST:
            self.wipe()
            self.context = self._target  # the chosen one, which no wipe but zeroize changes
            return RsaRun(RsaStatus.OK if ending is None else RsaStatus.TEST, self._time.now)
        status = RsaStatus.OK if self._released or ending is None else ending
        shows = operation or (entry is RsaEntry.KEY and self.image.makes_keys)
        self.result_valid = shows and self._released
        if not operation and not self._released:
            self._wipe_context()
        if entry is RsaEntry.KEY:
            self._valid[self.context] = self._released
        return RsaRun(status, self._time.now)

    def _moved(self, entry: RsaEntry) -> RsaRun:
        """The end of a change: another context is the chosen one, without a key an empty one."""
        self._moving, self.context = False, self._target
        if entry is RsaEntry.LEAVE:
            self._wipe_context()
        return RsaRun(RsaStatus.OK, self._time.now)

    def wipe(self) -> None:
        """Forget everything: zeroize."""
        self.memory = [0] * len(self.memory)
        self._valid = [False] * len(self._valid)
        self.context, self.result_valid = 0, False
        for engine in self.engines:
            engine.zeroize()

    def _wipe_context(self) -> None:
        """Forget what is not another context's: a key that was refused, a context that is left."""
        image = self.image
        banks = [image.place(0, context) for context in range(image.num_keys)]
        others = {start: self.memory[start : start + image.bank] for start in banks}
        del others[banks[self.context]]
        self.memory = [0] * len(self.memory)
        for start, words in others.items():
            self.memory[start : start + image.bank] = words
        self._valid[self.context] = self.result_valid = False
        for engine in self.engines:
            engine.zeroize()

    # ---- the memory, whose key words are those of a context ----
    def _words(self, address: int, length: int) -> list[int]:
        start = self.image.place(address, self._target if self._moving else self.context)
        return self.memory[start : start + length]

    def _put_words(self, address: int, words: Sequence[int]) -> None:
        start = self.image.place(address, self.context)
        self.memory[start : start + len(words)] = words

    # ---- the machine ----
    def _execute(self, counter: int) -> RsaStatus | None:
        """How a program ended that did not release anything; None for an alarm behind a release."""
        ending = RsaStatus.FAULT
        while True:
            instruction = self.image.code[counter]
            counter += 1
            if instruction.op is RsaOp.HALT:
                self._time.halt()
                return ending
            self._time.wait(own_cycles(instruction))
            self._released = self._released and instruction.op in KEEPS_RELEASE
            if instruction.op is RsaOp.ENDLOOP and not self._loop[1] and self._released:
                return None
            if instruction.op in _ENGINE_OPS:
                if not self._engine(instruction):
                    ending, counter = RsaStatus.KEY, self.image.entries["fail"]
                    self._time.wait(REFUSED_CYCLES)
            elif instruction.op in _EXP_OPS:
                self._exponentiate(instruction)
            elif instruction.op in _CONTROL_OPS:
                flag = self.equal if instruction.a else self.carry
                if instruction.op is RsaOp.NEED and flag != instruction.b:
                    ending, counter = RsaStatus(instruction.dst), self.image.entries["fail"]
                    self._time.wait(FAIL_CYCLES)
                counter = self._control(instruction, counter)
            else:
                self._vector(instruction)

    @property
    def engine(self) -> EngineModel[Any]:
        """The engine of instructions that are for one."""
        return self.engines[self._unit]

    def _exponentiate(self, instruction: Instruction) -> None:
        op, addresses = instruction.op, (instruction.a, instruction.b)
        if op is RsaOp.EXP:
            start, products = self._exponentiation(self.engine, instruction.a, instruction.b)
            self._time.exponentiation([(self._unit, products)], start)
        elif op is RsaOp.EXP2:
            halves = [
                self._exponentiation(engine, address, instruction.len)
                for engine, address in zip(self.engines, addresses, strict=True)
            ]
            streams = [(unit, products) for unit, (_, products) in enumerate(halves)]
            self._time.exponentiation(streams, halves[0][0])
        else:
            streams = [
                (unit, self._public_exponentiation(engine, instruction.a))
                for unit, engine in enumerate(self.engines)
            ]
            self._time.exponentiation_e(streams)

    def _control(self, instruction: Instruction, counter: int) -> int:
        if instruction.op is RsaOp.RELEASE:
            self._released = True
        elif instruction.op is RsaOp.UNIT:
            self._unit = instruction.len
        elif instruction.op is RsaOp.LOOP:
            self._loop = (counter, instruction.len)
        elif instruction.op is RsaOp.ENDLOOP:
            start, left = self._loop
            self._loop = (start, left - 1)
            self._time.wait(branch_cycles(left > 1))
            return start if left > 1 else counter
        return counter

    def _engine(self, instruction: Instruction) -> bool:
        """One command, or the same on both engines; False when a set-up refused the modulus."""
        op = instruction.op
        units = range(len(self.engines)) if op in BOTH_OPS else (self._unit,)
        engines = [self.engines[unit] for unit in units]
        if op in (RsaOp.LOAD, RsaOp.LOAD2):
            loads = [
                self._command(engine, replace(instruction, a=address), address)
                for engine, address in zip(engines, (instruction.a, instruction.b), strict=False)
            ]
            self._time.load(units, loads[0])
        elif op in (RsaOp.STORE, RsaOp.STORE2):
            stores = [
                self._command(engine, replace(instruction, dst=address), address)
                for engine, address in zip(engines, (instruction.dst, instruction.b), strict=False)
            ]
            self._time.store(units, stores[0])
        else:
            cycles = [self._command(engine, instruction, 0) for engine in engines]
            if op in (RsaOp.SETUP, RsaOp.SETUP2):
                self._time.set_up(units, cycles)
                return all(engine.status is Status.OK for engine in engines)
            self._time.product(units, cycles[0])
        return True

    def _command(self, engine: EngineModel[Any], instruction: Instruction, address: int) -> int:
        operation = _ENGINE_OPS[instruction.op]
        words: tuple[int, ...] = ()
        addend, factor = instruction.a, instruction.b
        if operation is Op.LOAD:
            words = tuple(self._words(address, engine.num_words))
            factor = instruction.len % PLUS
            addend = instruction.dst if instruction.len & PLUS else 0
        command = Command(operation, dst0=instruction.dst, a0=addend, b=factor, words=words)
        result = engine.run(command)
        self._put_words(instruction.dst, result.words)
        return result.cycles

    def _exponentiation(
        self, engine: EngineModel[Any], address: int, bits: int
    ) -> tuple[int, list[int]]:
        """Cycles until the first product, beyond the usual; cycles of each product."""
        exponent = self._number(address, words_of(bits)) & ((1 << bits) - 1)
        products = self._commands(exponent, bits, engine.num_lanes)
        start = 0
        if masks := self.image.variables["XDM"][1]:
            window = self.image.variables["XD"][1]
            *mask_words, place = self._words(address + window, masks)
            products = masked_ladder.commands(
                exponent, bits, engine.num_lanes, from_words(mask_words), place
            )
            start = masked_ladder.START_CYCLES
        return start, [engine.run(command).cycles for command in products]

    def _public_exponentiation(self, engine: EngineModel[Any], address: int) -> list[int]:
        bits = self._e_bits[self.context]
        products = public_commands(self._number(address, words_of(bits)), bits)
        return [engine.run(command).cycles for command in products]

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
            product = a * self._number(instruction.b, 1)
            self._write(instruction.dst, product + addend, length + 1)
        else:
            self._put_words(instruction.dst, [self.entropy() for _ in range(length)])

    def _number(self, address: int, length: int) -> int:
        return from_words(self._words(address, length))

    def _write(self, address: int, value: int, length: int) -> None:
        self._put_words(address, to_words(value, length))
