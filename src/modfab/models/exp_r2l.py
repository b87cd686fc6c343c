# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_exp_r2l`: the commands it sends, in order."""

from __future__ import annotations

from collections.abc import Iterator

from modfab.models.engine import SLOT_BASE, SLOT_ONE, SLOT_R, SLOT_R2, SLOT_RESULT, Command, Op

BASE, ACC, POWER, SINK = SLOT_BASE, SLOT_RESULT, SLOT_RESULT + 1, SLOT_RESULT + 2
"""Slots of the base, of m (the result), of t = base^(2^i), and of products that nobody reads."""


def commands(exponent: int, exp_bits: int, num_lanes: int) -> Iterator[Command]:
    """For every bit from the lowest: m <- m*t and t <- t*t; where the bit is zero m stays.

    Args:
        exponent: Not negative.
        exp_bits: Bits to process; the number of commands depends on nothing else.
        num_lanes: 2 sends each product and its square as one `Op.MUL2`.

    Yields:
        `2*exp_bits` products, or 2 products and `exp_bits - 1` pairs; 2 when there is no bit.

    >>> [c.op.name for c in commands(0b10, 2, 2)]
    ['MUL', 'MUL2', 'MUL']
    """
    yield Command(Op.MUL, dst0=POWER, a0=BASE, b=SLOT_R2)
    acc = SLOT_ONE  # until a bit is one
    for index in range(exp_bits - 1):
        bit = exponent >> index & 1
        dst = ACC if bit else SINK
        if num_lanes == 2:
            yield Command(Op.MUL2, dst0=dst, a0=acc, b=POWER, dst1=POWER, a1=POWER)
        else:
            yield Command(Op.MUL, dst0=dst, a0=acc, b=POWER)
            yield Command(Op.MUL, dst0=POWER, a0=POWER, b=POWER)
        acc = ACC if bit else acc
    last = exponent >> (exp_bits - 1) & 1 if exp_bits else 0
    if not last and acc == SLOT_ONE:
        yield Command(Op.MUL, dst0=ACC, a0=acc, b=SLOT_R)
    else:
        yield Command(Op.MUL, dst0=ACC if last else SINK, a0=acc, b=POWER)
