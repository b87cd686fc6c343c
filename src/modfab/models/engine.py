# SPDX-License-Identifier: Apache-2.0
"""The engine contract (rtl/mul/README.md) as Python types, and the part common to all models."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Generic, TypeVar

from modfab.models.generated.status import Status
from modfab.numbers import from_words, to_words, words_of

Private = TypeVar("Private")
"""What a slot holds: the engine's own representation of a residue."""


class Op(IntEnum):
    """Commands of an engine, numbered as `mf_pkg::op_e`."""

    LOAD = 0
    STORE = 1
    SETUP = 2
    MUL = 3
    MUL2 = 4


SLOT_ONE, SLOT_R, SLOT_R2, SLOT_MOD, SLOT_FREE = range(5)
"""Slots that set-up fills (1, R mod M, R^2 mod M), the modulus, and the first free one."""

SLOT_BASE, SLOT_RESULT = SLOT_FREE, SLOT_FREE + 1
"""Where every sequencer finds the base of an exponentiation and leaves the result."""

COMMAND_FIELDS = {"op": 3, "dst0": 7, "a0": 7, "b": 7, "dst1": 7, "a1": 7, "num_words": 16}
"""Fields of `mf_pkg::cmd_t` with their bits, most significant first."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command; `words` feeds an `Op.LOAD`. Fields as `mf_pkg::cmd_t`.

    `b` of an `Op.LOAD` is a factor's slot on engines with `load_factor`, `a0` that of an addend on
    engines with `load_sum`; 0: none. `b` of an `Op.SETUP` that is not 0 asks for a short one where
    there is `resume`.

    >>> hex(Command(Op.MUL, dst0=5, a0=4, b=2).packed())
    '0x18508080000000'
    >>> Command.unpack(0x18508080000000) == Command(Op.MUL, dst0=5, a0=4, b=2)
    True
    """

    op: Op
    dst0: int = 0
    a0: int = 0
    b: int = 0
    dst1: int = 0
    a1: int = 0
    num_words: int = 0
    words: tuple[int, ...] = ()

    def packed(self) -> int:
        """The bits of `mf_pkg::cmd_t`."""
        value = 0
        for name, bits in COMMAND_FIELDS.items():
            value = value << bits | int(getattr(self, name))
        return value

    @classmethod
    def unpack(cls, value: int) -> Command:
        """The command that the bits of `mf_pkg::cmd_t` stand for."""
        fields: dict[str, Any] = {}
        for name, bits in reversed(COMMAND_FIELDS.items()):
            fields[name] = value & ((1 << bits) - 1)
            value >>= bits
        return cls(Op(fields.pop("op")), **fields)


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a command gave.

    Attributes:
        cycles: Cycles from this command's acceptance to the next one's.
        words: Words of an `Op.STORE`, least significant first; empty otherwise.
        first_word: Cycles from acceptance to the first word of an `Op.STORE`; 0 otherwise.
    """

    cycles: int
    words: tuple[int, ...] = ()
    first_word: int = 0


def active_words(built: int, asked: int) -> int:
    """Words that an engine with run-time width moves for a modulus loaded with `num_words`.

    >>> [active_words(8, asked) for asked in (0, 3, 8, 9)]
    [8, 3, 8, 8]
    """
    return asked if 1 <= asked <= built else built


class EngineModel(ABC, Generic[Private]):
    """Golden model of an engine whose slots hold values of the type `Private`."""

    num_lanes: int = 1
    runtime_words: bool = False
    load_factor: bool = False
    load_sum: bool = False
    resume: bool = False
    long_r: bool = False
    """The square of slot 1 takes the cycles of a product, as a sequencer may want it."""
    min_mod_bits: int = 0
    factor_slots: int = 0
    """Slots from 0 on that can be `b`, and `a0` of a load; 0: all."""

    def __init__(self, num_bits: int, num_slots: int) -> None:
        self.num_bits = num_bits
        self.num_words = words_of(num_bits)
        self.active_words = self.num_words
        self.modulus = 0
        self.status = Status.NO_MODULUS
        self._loaded = 0
        self.slots: list[Private] = [self.from_integer(0)] * num_slots

    # ---- what an engine is ----
    @property
    @abstractmethod
    def r_bits(self) -> int:
        """log2 of the Montgomery factor R for the active width; 0 for engines with R = 1."""

    @abstractmethod
    def from_integer(self, value: int) -> Private:
        """The private form of a canonical integer, as `Op.LOAD` makes it."""

    def from_product(self, value: int, factor: Private) -> Private:
        """The private form of value*factor*R^-1 mod M, as an `Op.LOAD` with a factor makes it.

        Only engines with `load_factor` have it.
        """
        raise NotImplementedError(f"{type(self).__name__} loads without a factor")

    @abstractmethod
    def to_integer(self, private: Private) -> int:
        """The canonical integer, 0 <= value < M, as `Op.STORE` gives it."""

    @abstractmethod
    def multiply(self, a: Private, b: Private) -> tuple[Private, int]:
        """The product a*b*R^-1 mod M in private form, and its cycles."""

    @abstractmethod
    def prepare(self) -> tuple[Private, Private, Private, int]:
        """Set-up for `self.modulus`: private forms of 1, R, R^2 mod M, and the cycles."""

    @abstractmethod
    def load_cycles(self, is_modulus: bool) -> int:
        """Cycles of an `Op.LOAD`."""

    @abstractmethod
    def store_cycles(self) -> tuple[int, int]:
        """Cycles of an `Op.STORE`, and the distance to its first word."""

    def square(self, a: Private) -> tuple[Private, int]:
        """The product of a slot with itself, and its cycles."""
        return self.multiply(a, a)

    def multiply2(self, a0: Private, a1: Private, b: Private) -> tuple[Private, Private, int]:
        """Two products sharing b; only engines with `num_lanes` 2 have it."""
        raise NotImplementedError(f"{type(self).__name__} has one lane")

    # ---- the contract ----
    def run(self, command: Command) -> CommandResult:
        """Execute one command and return its value and its cycles.

        The cycles of a refused set-up are not part of the contract and are returned as 0.

        Raises:
            ValueError: A factor is in a slot that cannot be one: the sender is wrong.
        """
        self._check_factors(command)
        if command.op is Op.LOAD:
            return CommandResult(self._load(command))
        if command.op is Op.STORE:
            cycles, first = self.store_cycles()
            value = self.to_integer(self.slots[command.a0])
            return CommandResult(cycles, tuple(to_words(value, self.active_words)), first)
        if command.op is Op.SETUP:
            return CommandResult(self._setup(command))
        a0, b = self.slots[command.a0], self.slots[command.b]
        if command.op is Op.MUL:
            square = command.a0 == command.b and not (self.long_r and command.a0 == SLOT_R)
            self.slots[command.dst0], cycles = self.square(a0) if square else self.multiply(a0, b)
            return CommandResult(cycles)
        lane0, lane1, cycles = self.multiply2(a0, self.slots[command.a1], b)
        self.slots[command.dst0], self.slots[command.dst1] = lane0, lane1
        return CommandResult(cycles)

    def _check_factors(self, command: Command) -> None:
        factors = [command.b] if command.op is not Op.STORE else []
        if command.op is Op.LOAD:
            factors.append(command.a0)
        if self.factor_slots and max(factors, default=0) >= self.factor_slots:
            raise ValueError(f"{command} has a factor beyond the first {self.factor_slots} slots")

    def zeroize(self) -> None:
        """Forget the modulus and every slot."""
        self.modulus = self._loaded = 0
        self.slots = [self.from_integer(0)] * len(self.slots)
        self.active_words = self.num_words
        self.status = Status.NO_MODULUS

    def _load(self, command: Command) -> int:
        value, is_modulus = from_words(command.words), command.dst0 == SLOT_MOD
        if is_modulus:
            if self.runtime_words:
                self.active_words = active_words(self.num_words, command.num_words)
            self._loaded = value
            self.status = Status.NO_MODULUS
        else:
            value &= (1 << self.num_bits) - 1
            self.slots[command.dst0] = self._loaded_slot(command, value)
        return self.load_cycles(is_modulus)

    def _loaded_slot(self, command: Command, value: int) -> Private:
        """What a load leaves in its slot."""
        if self.load_factor and command.b:
            return self.from_product(value, self.slots[command.b])
        return self.from_integer(value)

    def _setup(self, command: Command) -> int:
        if (command.num_words or self.num_words) != self.active_words:
            self.status = Status.NUM_WORDS
            return 0
        self.status = self._check(self._loaded)
        if self.status is not Status.OK:
            return 0
        self.modulus = self._loaded
        return self._fill_slots(command)

    def _fill_slots(self, command: Command) -> int:
        """Slots 0 to 2 of a set-up that has passed its checks; its cycles."""
        one, r, r2, cycles = self.prepare()
        self.slots[SLOT_ONE], self.slots[SLOT_R], self.slots[SLOT_R2] = one, r, r2
        return cycles

    def _check(self, modulus: int) -> Status:
        if modulus.bit_length() > min(self.num_bits, 32 * self.active_words):
            return Status.MOD_WIDE
        if modulus <= 1:
            return Status.MOD_ONE if modulus else Status.MOD_ZERO
        if modulus & 1 == 0:
            return Status.MOD_EVEN
        return Status.MOD_SMALL if modulus >> self.min_mod_bits == 0 else Status.OK
