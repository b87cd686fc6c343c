# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_exp_ladder`: the commands it sends, in order."""

from __future__ import annotations

from collections.abc import Iterator

from modfab.models.engine import SLOT_BASE, SLOT_ONE, SLOT_R, SLOT_R2, SLOT_RESULT, Command, Op

BASE, LOW, HIGH = SLOT_BASE, SLOT_RESULT, SLOT_RESULT + 1
"""Slots of the base, of the ladder's R0 (the result) and of R1 = R0 * base."""


def commands(exponent: int, exp_bits: int, num_lanes: int) -> Iterator[Command]:
    """The ladder's products for the low `exp_bits` bits of an exponent.

    Args:
        exponent: Not negative.
        exp_bits: Bits to process; the number of commands depends on nothing else.
        num_lanes: 2 sends each pair as one `Op.MUL2`.

    Yields:
        `2*exp_bits + 2` products, or `exp_bits` pairs and 2 products.

    >>> [c.op.name for c in commands(0b10, 2, 2)]
    ['MUL', 'MUL2', 'MUL2', 'MUL']
    """
    yield Command(Op.MUL, dst0=HIGH, a0=BASE, b=SLOT_R2)
    low = SLOT_R
    for index in reversed(range(exp_bits)):
        bit = exponent >> index & 1
        same, other = (HIGH, low) if bit else (low, HIGH)
        same_dst, other_dst = (HIGH, LOW) if bit else (LOW, HIGH)
        if num_lanes == 2:
            yield Command(Op.MUL2, dst0=other_dst, a0=other, b=same, dst1=same_dst, a1=same)
        else:
            yield Command(Op.MUL, dst0=other_dst, a0=other, b=same)
            yield Command(Op.MUL, dst0=same_dst, a0=same, b=same)
        low = LOW
    yield Command(Op.MUL, dst0=LOW, a0=low, b=SLOT_ONE)
