# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_exp_ladder_masked`: the commands it sends, in order."""

from __future__ import annotations

from collections.abc import Iterator

from modfab.models.engine import SLOT_BASE, SLOT_ONE, SLOT_R, SLOT_R2, SLOT_RESULT, Command, Op

BASE, RESULT, PLACES = SLOT_BASE, SLOT_RESULT, 3
"""Slots of the base and of the result; the latter is the first of the three that rotate."""

START_CYCLES = 5
"""Cycles from `start_i` to the first product beside those of the other sequencers."""


def mask_words(num_words: int) -> int:
    """Words of masks behind an exponent window of `num_words` words."""
    return num_words + 1


def commands(
    exponent: int, exp_bits: int, num_lanes: int, masks: int = 0, start: int = 0
) -> Iterator[Command]:
    """The ladder's products for the low `exp_bits` bits of an exponent, slots masked.

    While place f is free, R[i] is in the place 1 + (i ^ m) behind it, m the mask. A step multiplies
    R0 by R1 to f, then squares R[e]; the next mask decides which of the two places it leaves.

    Args:
        exponent: Not negative.
        exp_bits: Bits to process; the number of commands depends on nothing else.
        num_lanes: 2 sends each pair as one `Op.MUL2`.
        masks: A random bit for each bit of the exponent.
        start: A random word: the first free place and the first mask.

    Yields:
        `2*exp_bits + 3` products, or `exp_bits` pairs and 3 products.

    >>> [(c.dst0, c.a0, c.b) for c in commands(0b1, 1, 1, masks=1, start=1)]
    [(5, 4, 2), (7, 1, 1), (6, 7, 5), (5, 5, 5), (5, 6, 0)]
    """
    free, mask = start % 256 % PLACES, start >> 8 & 1

    def slot(place: int) -> int:
        return RESULT + (free + 1 + place) % PLACES

    yield Command(Op.MUL, dst0=slot(1 ^ mask), a0=BASE, b=SLOT_R2)
    yield Command(Op.MUL, dst0=slot(mask), a0=SLOT_R, b=SLOT_R)
    for index in reversed(range(exp_bits)):
        bit, after = exponent >> index & 1, masks >> index & 1
        square, goal = bit ^ mask, bit ^ after ^ 1
        same, other, dst = slot(square), slot(1 ^ square), slot(goal)
        if num_lanes == 2:
            yield Command(Op.MUL2, dst0=slot(2), a0=other, b=same, dst1=dst, a1=same)
        else:
            yield Command(Op.MUL, dst0=slot(2), a0=slot(0), b=slot(1))
            yield Command(Op.MUL, dst0=dst, a0=same, b=same)
        free, mask = (free + 2 - goal) % PLACES, after
    yield Command(Op.MUL, dst0=RESULT, a0=slot(mask), b=SLOT_ONE)
