# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_exp_window`: the commands it sends, in order."""

from __future__ import annotations

from collections.abc import Iterator

from modfab.models.engine import SLOT_BASE, SLOT_ONE, SLOT_R, SLOT_R2, SLOT_RESULT, Command, Op

BASE, SUM, TABLE = SLOT_BASE, SLOT_RESULT, SLOT_RESULT + 1
"""Slots of the base, of the result, and the one below the base's first power."""

WINDOW_BITS = 4
"""Bits of a window in the catalogue's sequencer."""


def commands(
    exponent: int, exp_bits: int, num_lanes: int, window_bits: int = WINDOW_BITS
) -> Iterator[Command]:
    """The products of a fixed window for the low `exp_bits` bits of an exponent.

    Args:
        exponent: Not negative.
        exp_bits: Bits to process; the number of commands depends on nothing else.
        num_lanes: Not used: no two of its products share an operand and are independent.
        window_bits: 1, 2 or 4.

    Yields:
        `2**window_bits + 1 + (W - 1) * (window_bits + 1)` products, W windows, at least one.

    >>> [(c.dst0, c.a0, c.b) for c in commands(0b10, 3, 1, window_bits=2)]
    [(7, 4, 2), (8, 7, 7), (9, 8, 7), (5, 1, 1), (5, 5, 5), (5, 5, 5), (5, 5, 8), (5, 5, 0)]
    """
    yield Command(Op.MUL, dst0=TABLE + 1, a0=BASE, b=SLOT_R2)
    for power in range(2, 1 << window_bits):
        yield Command(Op.MUL, dst0=TABLE + power, a0=TABLE + power - 1, b=TABLE + 1)
    exponent &= (1 << exp_bits) - 1
    windows = max(1, -(-exp_bits // window_bits))
    for number in reversed(range(windows)):
        value = exponent >> number * window_bits & ((1 << window_bits) - 1)
        power = TABLE + value if value else SLOT_R
        if number == windows - 1:
            yield Command(Op.MUL, dst0=SUM, a0=power, b=SLOT_R)
            continue
        for _ in range(window_bits):
            yield Command(Op.MUL, dst0=SUM, a0=SUM, b=SUM)
        yield Command(Op.MUL, dst0=SUM, a0=SUM, b=power)
    yield Command(Op.MUL, dst0=SUM, a0=SUM, b=SLOT_ONE)
