# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_exp_l2r`: the commands it sends, in order."""

from __future__ import annotations

from collections.abc import Iterator

from modfab.models.engine import SLOT_BASE, SLOT_ONE, SLOT_R2, SLOT_RESULT, Command, Op

BASE, ACC, MONT = SLOT_BASE, SLOT_RESULT, SLOT_RESULT + 1
"""Slots of the base, of the accumulator (the result) and of the base in Montgomery form."""


def commands(exponent: int, exp_bits: int, num_lanes: int) -> Iterator[Command]:
    """Square for each bit below the leading one, multiply where the bit is one.

    Args:
        exponent: Not negative; only its low `exp_bits` bits count.
        exp_bits: Bits to scan for the leading one.
        num_lanes: Accepted for uniformity; one lane is used.

    Yields:
        Bit length plus Hamming weight products; 2 for exponent 0.

    >>> len(list(commands(65537, 17, 1)))
    19
    """
    exponent &= (1 << exp_bits) - 1
    yield Command(Op.MUL, dst0=MONT, a0=BASE if exponent else SLOT_ONE, b=SLOT_R2)
    acc = MONT
    for index in reversed(range(exponent.bit_length() - 1)):
        yield Command(Op.MUL, dst0=ACC, a0=acc, b=acc)
        acc = ACC
        if exponent >> index & 1:
            yield Command(Op.MUL, dst0=ACC, a0=ACC, b=MONT)
    yield Command(Op.MUL, dst0=ACC, a0=acc, b=SLOT_ONE)
