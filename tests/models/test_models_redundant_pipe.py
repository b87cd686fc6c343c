# SPDX-License-Identifier: Apache-2.0
"""The pipelined redundant engine's model: its constants, and the bounds that its page states."""

from __future__ import annotations

import random

import pytest

from modfab.models.engine import SLOT_MOD, SLOT_R, SLOT_R2, Command, Op
from modfab.models.redundant_pipe import PipeShape, RedundantPipeModel
from modfab.numbers import to_words

SHAPES = [
    PipeShape(num_bits, digit_bits, stages)
    for num_bits in (16, 33, 64, 100)
    for digit_bits in (5, 8, 16, 17)
    for stages in (1, 3, 5)
]


def started(shape: PipeShape, modulus: int) -> RedundantPipeModel:
    model = RedundantPipeModel(shape, 8)
    words = tuple(to_words(modulus, model.num_words))
    model.run(Command(Op.LOAD, dst0=SLOT_MOD, words=words))
    model.run(Command(Op.SETUP))
    return model


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_chains_stay_within_their_bounds(shape: PipeShape, rng: random.Random) -> None:
    bits = shape.num_bits
    for modulus in ((1 << bits) - 1, 3, (1 << (bits - 1)) + 1, rng.getrandbits(bits) | 3):
        model = started(shape, modulus)
        value, bound = model.numbers.value, modulus << shape.guard_bits
        r_inverse = pow(1 << model.r_bits, -1, modulus)
        slots = [model.slots[SLOT_R], model.slots[SLOT_R2], model.from_integer(modulus - 1)]
        for _ in range(12):
            a, b = rng.choice(slots), rng.choice(slots)
            product = model.multiply(a, b)[0]
            assert (value(product) - value(a) * value(b) * r_inverse) % modulus == 0
            assert value(product) < bound <= 1 << shape.digits * shape.digit_bits
            digits = [model.numbers.digit(product, i) for i in range(shape.digits)]
            assert max(digits) <= (1 << shape.digit_bits) + 4
            slots.append(product)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_set_up_makes_powers_of_two(shape: PipeShape, rng: random.Random) -> None:
    modulus = rng.getrandbits(shape.num_bits) | 3
    model = started(shape, modulus)
    for slot, power in ((SLOT_R, 1), (SLOT_R2, 2)):
        expected = pow(2, power * model.r_bits, modulus)
        assert model.numbers.value(model.slots[slot]) % modulus == expected


def test_two_lanes_are_two_products(rng: random.Random) -> None:
    model = started(PipeShape(64, 16, 3), rng.getrandbits(64) | 3)
    a, b = (model.from_integer(rng.getrandbits(60)) for _ in range(2))
    both = model.multiply2(a, b, b)
    assert both == (model.multiply(a, b)[0], model.multiply(b, b)[0], 26)
