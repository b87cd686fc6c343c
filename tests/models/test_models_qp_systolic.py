# SPDX-License-Identifier: Apache-2.0
"""The closed form of a quotient-pipelined product gives what its steps give."""

from __future__ import annotations

import random

import pytest

from modfab.models.mul_qp_systolic import Reduction, multiple
from modfab.models.mul_qp_systolic_shape import Shape
from modfab.numbers import from_words

TRIALS = 100


def stepped(x: int, y: int, n: int, shape: Shape, addend: int) -> int:
    """The result of the array's steps, each with the quotient digit of `delay` steps before."""
    w = shape.digit_bits
    mask, mh = (1 << w) - 1, multiple(n, shape)
    s, quotients = addend << w, [0] * shape.delay
    for step in range(shape.num_steps):
        quotients.append(s & mask)
        s = (s >> w) + quotients[step] * mh + (x >> w * step & mask) * y
    return (s << w * shape.delay) + from_words(quotients[shape.num_steps :], w)


@pytest.mark.parametrize("delay", range(4))
def test_closed_form_is_what_the_steps_give(delay: int, rng: random.Random) -> None:
    for _ in range(TRIALS):
        num_bits, digit_bits = rng.randrange(8, 300), rng.randrange(4, 19)
        shape = Shape(num_bits, digit_bits, delay=delay)
        n = rng.randrange(3, 1 << num_bits) | 1
        bound = n << digit_bits * shape.guard + 1
        reduction = Reduction(n, shape)
        x, y, addend = (rng.randrange(bound) for _ in range(3))
        assert reduction.product(x, y) == stepped(x, y, n, shape, 0)
        loaded = rng.getrandbits(num_bits) << digit_bits * shape.guard
        assert reduction.product(loaded, y, addend) == stepped(loaded, y, n, shape, addend)
