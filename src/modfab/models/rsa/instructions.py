# SPDX-License-Identifier: Apache-2.0
"""Instructions of the RSA core's word machine, as `mf_rsa_pkg` encodes them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

ADDR_BITS = 13
"""Bits of an address, a length and an immediate."""

FETCH_CYCLES = 2
"""Fetch and decode; part of every instruction."""

_VECTOR_CYCLES = 4  # beside one clock for each word: the pipeline runs empty
_CONTROL_CYCLES = 1


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
    LDM = 8
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


OPERANDS: dict[RsaOp, tuple[str, ...]] = {
    RsaOp.HALT: (),
    RsaOp.ADD: ("dst", "a", "b", "len"),
    RsaOp.ADC: ("dst", "a", "b", "len"),
    RsaOp.SUB: ("dst", "a", "b", "len"),
    RsaOp.SEL: ("dst", "a", "b", "len"),
    RsaOp.EQ: ("a", "b", "len"),
    RsaOp.MAC: ("dst", "a", "len"),
    RsaOp.SET: ("dst", "b", "len"),
    RsaOp.LDM: ("a",),
    RsaOp.RND: ("dst", "len"),
    RsaOp.LOAD: ("dst", "a"),
    RsaOp.STORE: ("dst", "a"),
    RsaOp.MUL: ("dst", "a", "b"),
    RsaOp.SETUP: (),
    RsaOp.EXP: ("a", "b"),
    RsaOp.NEED: ("b", "dst"),
    RsaOp.RELEASE: (),
    RsaOp.LOOP: ("len",),
    RsaOp.ENDLOOP: (),
    RsaOp.UNIT: ("len",),
    RsaOp.EXP2: ("a", "b", "len"),
    RsaOp.SETUP2: (),
}
"""Operation -> fields in the order in which a program's text gives them."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction; fields as `mf_rsa_pkg::instr_t`.

    >>> hex(Instruction(RsaOp.LDM, a=1).encode())
    '0x80000000002000'
    """

    op: RsaOp
    dst: int = 0
    a: int = 0
    b: int = 0
    len: int = 0

    def encode(self) -> int:
        """The bits of `mf_rsa_pkg::instr_t`."""
        value = int(self.op)
        for field in (self.len, self.dst, self.a, self.b):
            value = value << ADDR_BITS | field
        return value


_CONTROL_OPS = frozenset(
    (RsaOp.HALT, RsaOp.NEED, RsaOp.RELEASE, RsaOp.LOOP, RsaOp.ENDLOOP, RsaOp.UNIT)
)
_ENGINE_OPS = frozenset(
    (
        *(RsaOp.LOAD, RsaOp.STORE, RsaOp.MUL, RsaOp.SETUP, RsaOp.SETUP2),
        *(RsaOp.EXP, RsaOp.EXP2),
    )
)


def own_cycles(instruction: Instruction) -> int:
    """Clocks of an instruction without those of the engine's commands.

    >>> own_cycles(Instruction(RsaOp.ADD, len=8)), own_cycles(Instruction(RsaOp.HALT))
    (14, 3)
    """
    op, length = instruction.op, instruction.len
    if op in _CONTROL_OPS:
        own = _CONTROL_CYCLES
    elif op in _ENGINE_OPS:
        own = 3 if op in (RsaOp.EXP, RsaOp.EXP2) else 2
    elif op is RsaOp.RND:  # one word a clock, and no pipeline to run empty
        own = length
    else:
        own = _VECTOR_CYCLES + length + (op in (RsaOp.MAC, RsaOp.LDM))
    return FETCH_CYCLES + own
