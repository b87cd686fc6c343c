# SPDX-License-Identifier: Apache-2.0
"""What is particular to the quotient-pipelined engine: bounds, forwarding between lanes, cycles."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modfab.catalog import get_engine, get_sequencer
from modfab.models.engine import SLOT_FREE, Command, Op
from modfab.models.mul_qp_systolic import Reduction
from modfab.models.mul_qp_systolic_shape import Shape
from tests.contract.bench import Bench
from tests.support.strategies import moduli

BEST_OPEN_FIOS = 61 * 126
"""Multiplier-cycles of a 1024-bit product of the best published open design (FIOS_DSP_MM)."""

BEST_OPEN_EXPONENTIATION = 1618515
"""Cycles of a 1024-bit exponentiation of CrypTech's ModExpA7 with 132 multipliers."""


@given(st.data())
def test_product_stays_below_the_bound(data: st.DataObject) -> None:
    bits = data.draw(st.integers(64, 300), label="bits")
    delay = data.draw(st.integers(1, 2), label="delay")
    shape = Shape(bits, data.draw(st.integers(8, 18), label="digit"), delay=delay)
    n = data.draw(moduli(bits), label="modulus")
    bound = (n << (shape.digit_bits * shape.guard)) * 2
    edges = st.sampled_from([0, 1, bound - 1, bound - n, n])
    x = data.draw(edges | st.integers(0, bound - 1), label="x")
    y = data.draw(edges | st.integers(0, bound - 1), label="y")
    product = Reduction(n, shape).product(x, y)
    assert product < bound <= 1 << (shape.digit_bits * shape.num_digits)
    assert product % n == x * y * pow(2, -shape.digit_bits * shape.r_digits, n) % n


SHAPES = {
    "usual": Shape(num_bits=64, digit_bits=18),
    "odd digit": Shape(num_bits=70, digit_bits=9),
    "delay 2": Shape(num_bits=64, digit_bits=16, delay=2, mul_stages=3),
    "delay 2, odd digit": Shape(num_bits=71, digit_bits=13, delay=2, mul_stages=4),
    "in turn": Shape(num_bits=64, digit_bits=17, in_turn=1),
    "in turn, delay 2": Shape(num_bits=64, digit_bits=16, delay=2, mul_stages=4, in_turn=1),
    "delay 2, five stages": Shape(num_bits=64, digit_bits=18, delay=2, mul_stages=5),
}
LARGE = {
    "1024 bits": Shape(num_bits=1024, digit_bits=18),
    "1024 bits, delay 2": Shape(num_bits=1024, digit_bits=18, delay=2, mul_stages=5),
}


@pytest.mark.parametrize(
    "shape",
    [
        *(pytest.param(shape, id=name) for name, shape in SHAPES.items()),
        *(pytest.param(shape, id=name, marks=pytest.mark.full) for name, shape in LARGE.items()),
    ],
)
def test_random_chains_of_products_and_pairs(shape: Shape, rng: random.Random) -> None:
    """Operands of a product may be on their way from either lane: every way of forwarding."""
    engine = get_engine("qp_systolic")
    params = {"DigitBits": shape.digit_bits, "QuotientDelay": shape.delay}
    params["MulStages"] = shape.mul_stages
    params |= {"Contexts": 2 - shape.in_turn, "TwoInTurn": shape.in_turn}
    bench = Bench(engine, engine.resolve(shape.num_bits, params))
    free = range(SLOT_FREE, SLOT_FREE + 4)
    for _ in range(8):
        modulus = rng.choice(bench.moduli(rng))
        values = {slot: rng.randrange(modulus) for slot in free}
        program = [*bench.start(modulus), *(bench.load(s, v) for s, v in values.items())]
        for _ in range(60):
            a0, a1, b = (rng.choice(free) for _ in range(3))
            dst0, dst1 = rng.sample(free, 2)
            first = bench.product(values[a0], values[b], modulus)
            second = bench.product(values[a1], values[b], modulus)
            values[dst0] = first
            if rng.random() < 0.7:
                values[dst1] = second
                program.append(Command(Op.MUL2, dst0=dst0, a0=a0, b=b, dst1=dst1, a1=a1))
            else:
                program.append(Command(Op.MUL, dst0=dst0, a0=a0, b=b))
        program += [Command(Op.STORE, a0=slot) for slot in free]
        assert bench.both(program) == list(values.values())
    bench.rtl.close()


def test_multiplier_cycles_of_a_product() -> None:
    shape = Shape(1024, 18)
    multipliers = shape.num_digits + shape.mod_digits
    cycles = multipliers * shape.period / 2  # two products a period
    assert cycles <= 7400 < BEST_OPEN_FIOS


def test_constant_time_exponentiation() -> None:
    engine, ladder = get_engine("qp_systolic"), get_sequencer("ladder")
    params = engine.resolve(1024)
    cycles = ladder.exp_cycles(engine, params, (1 << 1024) - 1, 1024)
    assert cycles <= 130_000 < BEST_OPEN_EXPONENTIATION / 12
