# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_exp_window5`: the commands it sends, in order."""

from __future__ import annotations

from collections.abc import Iterator

from modfab.models.engine import SLOT_BASE, SLOT_ONE, SLOT_R, SLOT_R2, SLOT_RESULT, Command, Op

BASE, SUM, TABLE = SLOT_BASE, SLOT_RESULT, 16
"""Slot of the base, slot of the result, and the table: base^i is in slot TABLE + i for i >= 2."""

WINDOW_BITS = 5
"""Bits of a window; the last one may be shorter."""


def commands(exponent: int, exp_bits: int, num_lanes: int) -> Iterator[Command]:
    """The products of a fixed window for the low `exp_bits` bits of an exponent.

    Args:
        exponent: Not negative.
        exp_bits: Bits to process; the number of commands depends on nothing else.
        num_lanes: Not used: no two of its products share an operand and are independent.

    Yields:
        33 products, and with more than 5 bits one for each of the others and one for each 5 of
        them. Second operands are slots below `TABLE`.

    >>> [(c.dst0, c.a0, c.b) for c in commands(0b1000011, 7, 1)][-5:]
    [(5, 32, 1), (5, 5, 5), (5, 5, 5), (5, 19, 5), (5, 5, 0)]
    """
    yield Command(Op.MUL, dst0=BASE, a0=BASE, b=SLOT_R2)
    for power in range(2, 1 << WINDOW_BITS):
        yield Command(Op.MUL, dst0=TABLE + power, a0=_slot(power - 1), b=BASE)
    exponent &= (1 << exp_bits) - 1
    left = max(1, exp_bits)
    first = True
    while left:
        size = min(WINDOW_BITS, left)
        left -= size
        slot = _slot(exponent >> left & ((1 << size) - 1))
        if first:
            yield Command(Op.MUL, dst0=SUM, a0=slot, b=SLOT_R)
            first = False
            continue
        for _ in range(size):
            yield Command(Op.MUL, dst0=SUM, a0=SUM, b=SUM)
        yield Command(Op.MUL, dst0=SUM, a0=slot, b=SUM)
    yield Command(Op.MUL, dst0=SUM, a0=SUM, b=SLOT_ONE)


def _slot(power: int) -> int:
    """The slot of base^power: R for 0, the base's own for 1, the table above."""
    return TABLE + power if power > 1 else (SLOT_R, BASE)[power]
