# SPDX-License-Identifier: Apache-2.0
"""Instructions of the RSA core's word machine, as `mf_rsa_pkg` encodes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

ADDR_BITS = 13
"""Bits of an address, a length and an immediate."""

TRACE_BITS = 2 * ADDR_BITS
"""Bits of the trace of what was executed."""

INSTRUCTION_BITS = 1 + 5 + 4 * ADDR_BITS
"""Bits of an instruction: parity, operation, four fields."""

_VECTOR_CYCLES = 5  # decode, and four until the last word is written
_ROW_CYCLES = 11  # the multiplier is read first, the last word is the carry, the sum takes longer
_CONTROL_CYCLES = 4
_BRANCH_CYCLES = 1  # of a loop that goes on, beside these

FAIL_CYCLES = 2
"""Of a branch to `fail`, beside those of the instruction of control that decides it."""

REFUSED_CYCLES = 4
"""Of a refused modulus beside its own: a branch, which an engine's instruction takes as a whole."""

START_CYCLES = 3
"""Until the first instruction of a program is here."""


PLUS = 1 << 7
"""Of `len` of a load, beside the factor's slot: the loaded slot is added, on engines that can."""


class RsaOp(IntEnum):
    """Operations, numbered as `mf_rsa_pkg::op_e`."""

    HALT = 0
    ADD = 1
    ADC = 2
    SUB = 3
    SEL = 4
    EQ = 5
    MAC = 6
    SET = 7
    MUL2 = 8
    RND = 9
    LOAD = 10
    STORE = 11
    MUL = 12
    SETUP = 13
    EXP = 14
    NEED = 15
    RELEASE = 16
    LOOP = 17
    ENDLOOP = 18
    UNIT = 19
    EXP2 = 20
    SETUP2 = 21
    LOAD2 = 22
    STORE2 = 23
    EXPE = 24


OPERANDS: dict[RsaOp, tuple[str, ...]] = {
    RsaOp.HALT: (),
    RsaOp.ADD: ("dst", "a", "b", "len"),
    RsaOp.ADC: ("dst", "a", "b", "len"),
    RsaOp.SUB: ("dst", "a", "b", "len"),
    RsaOp.SEL: ("dst", "a", "b", "len"),
    RsaOp.EQ: ("a", "b", "len"),
    RsaOp.MAC: ("dst", "a", "b", "len"),
    RsaOp.SET: ("dst", "b", "len"),
    RsaOp.MUL2: ("dst", "a", "b"),
    RsaOp.RND: ("dst", "len"),
    RsaOp.LOAD: ("dst", "a", "len"),
    RsaOp.STORE: ("dst", "a"),
    RsaOp.MUL: ("dst", "a", "b"),
    RsaOp.SETUP: ("b",),
    RsaOp.EXP: ("a", "b"),
    RsaOp.NEED: ("a", "b", "dst"),
    RsaOp.RELEASE: (),
    RsaOp.LOOP: ("len",),
    RsaOp.ENDLOOP: (),
    RsaOp.UNIT: ("len",),
    RsaOp.EXP2: ("a", "b", "len"),
    RsaOp.SETUP2: ("b",),
    RsaOp.LOAD2: ("dst", "a", "b", "len"),
    RsaOp.STORE2: ("dst", "b", "a"),
    RsaOp.EXPE: ("a",),
}
"""Operation -> fields in the order in which a program's text gives them."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction; fields as `mf_rsa_pkg::instr_t`.

    >>> hex(Instruction(RsaOp.EQ, a=1, len=2).encode())
    '0x250000000002000'
    """

    op: RsaOp
    dst: int = 0
    a: int = 0
    b: int = 0
    len: int = 0

    def encode(self) -> int:
        """The bits of `mf_rsa_pkg::instr_t`, even parity on top."""
        value = int(self.op)
        for field in (self._len_field(), self.dst, self.a, self.b):
            value = value << ADDR_BITS | field
        return value | value.bit_count() % 2 << INSTRUCTION_BITS - 1

    def _len_field(self) -> int:
        """`len`; where it counts words, what the count begins with: two less than will come."""
        if self.op is RsaOp.HALT or self.op in _CONTROL_OPS or self.op in ENGINE_OPS:
            return self.len
        return (self.len + (self.op is RsaOp.MAC) - 2) % (1 << ADDR_BITS)


_CONTROL_OPS = frozenset((RsaOp.NEED, RsaOp.RELEASE, RsaOp.LOOP, RsaOp.ENDLOOP, RsaOp.UNIT))
ENGINE_OPS = frozenset(
    (
        *(RsaOp.LOAD, RsaOp.LOAD2, RsaOp.STORE, RsaOp.STORE2, RsaOp.MUL, RsaOp.MUL2),
        *(RsaOp.SETUP, RsaOp.SETUP2, RsaOp.EXP, RsaOp.EXP2, RsaOp.EXPE),
    )
)
"""Operations whose cycles are those of `modfab.models.rsa.timeline`."""

KEEPS_RELEASE = frozenset((RsaOp.HALT, RsaOp.ENDLOOP, RsaOp.RELEASE))
"""Operations behind which a release still holds."""

BOTH_OPS = frozenset(
    (*(RsaOp.LOAD2, RsaOp.STORE2, RsaOp.MUL2, RsaOp.SETUP2), *(RsaOp.EXP2, RsaOp.EXPE))
)
"""Operations that all engines take part in."""


def own_cycles(instruction: Instruction) -> int:
    """Cycles of an instruction that has no command for an engine; 0 for the others and a halt.

    >>> own_cycles(Instruction(RsaOp.ADD, len=8)), own_cycles(Instruction(RsaOp.UNIT))
    (13, 4)
    """
    op, length = instruction.op, instruction.len
    if op is RsaOp.HALT or op in ENGINE_OPS:
        return 0
    if op in _CONTROL_OPS:
        return _CONTROL_CYCLES
    if op is RsaOp.RND:  # a word a cycle, the last one counted in the next
        return length + 4
    return length + (_ROW_CYCLES if op is RsaOp.MAC else _VECTOR_CYCLES)


def branch_cycles(taken: bool) -> int:
    """Cycles of the end of a loop beside its own."""
    return _BRANCH_CYCLES * taken


def trace(addresses: Iterable[int]) -> int:
    """What `mf_rsa_fetch` makes of the addresses of the instructions executed so far.

    >>> hex(trace([1, 2, 3]))
    '0x3'
    """
    value = 0
    for address in addresses:
        value = (value << 1 & (1 << TRACE_BITS) - 1 | value >> TRACE_BITS - 1) ^ address
    return value
