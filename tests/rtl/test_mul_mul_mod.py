# SPDX-License-Identifier: Apache-2.0
"""What is particular to multiply-then-divide: both halves, cycles, parameters, multipliers."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest

from modfab.catalog import Params, get_engine
from modfab.errors import UsageError
from modfab.models.mul_mul_mod import full_product, low_bits, remainder


@pytest.mark.parametrize("digit_bits", [1, 2, 4, 8, 16, 17, 18])
@pytest.mark.parametrize("per_clock", [1, 2, 4])
def test_product_and_remainder(rng: random.Random, digit_bits: int, per_clock: int) -> None:
    for _ in range(20):
        num_bits = rng.randrange(16, 100)
        n = rng.getrandbits(num_bits) | 1 << (num_bits - 1) | 1
        a, b = (rng.choice([0, 1, n - 1, rng.randrange(n)]) for _ in range(2))
        low = low_bits(num_bits, digit_bits, per_clock)
        assert low >= num_bits
        assert low % digit_bits == low % per_clock == 0
        hi, lo = full_product(a, b, digit_bits, low // digit_bits)
        assert hi << low | lo == a * b
        assert hi <= b < n
        assert remainder(hi, lo, n, low) == a * b % n


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """Parameters, and the cycles of the product's two parts."""

    num_bits: int = 256
    params: Params = field(default_factory=dict)
    multiply: int
    divide: int


PRODUCTS = {
    "bit by bit": Product(params={"UseDsp": 0, "DigitBits": 1}, multiply=256, divide=256),
    "four bits divided": Product(
        params={"UseDsp": 0, "DigitBits": 8, "DivBitsPerClock": 4}, multiply=32, divide=64
    ),
    "usual": Product(multiply=16 + 3, divide=256),
    "odd digit": Product(params={"DigitBits": 17}, multiply=16 + 3, divide=272),
    "one digit": Product(
        num_bits=17, params={"DigitBits": 18, "DivBitsPerClock": 4}, multiply=4 + 3, divide=18
    ),
}


@pytest.mark.parametrize("product", PRODUCTS.values(), ids=list(PRODUCTS))
def test_cycles_of_a_product(product: Product) -> None:
    engine = get_engine("mul_mod")
    params = engine.resolve(product.num_bits, product.params)
    model = engine.model(params)
    model.modulus = 7
    cycles = product.multiply + product.divide + 2
    assert model.multiply(6, 6) == (1, cycles)
    assert engine.cycles.mul(params) == cycles


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"UseDsp": 2}, "Parameter UseDsp must be one of 0, 1"),
        ({"DigitBits": 3}, "Parameter DigitBits must be one of 1, 2, 4, 8, 16, 17, 18"),
        ({"DivBitsPerClock": 8}, "Parameter DivBitsPerClock must be one of 1, 2, 4"),
        (
            {"UseDsp": 1, "DigitBits": 8},
            "DigitBits must be one of 16, 17, 18 when UseDsp is 1, but 8 was given; "
            "change one of the two.",
        ),
        (
            {"UseDsp": 0, "DigitBits": 18},
            "DigitBits must be one of 1, 2, 4, 8, 16 when UseDsp is 0, but 18 was given; "
            "change one of the two.",
        ),
    ],
)
def test_bad_parameters(options: dict[str, int], expected: str) -> None:
    with pytest.raises(UsageError) as error:
        get_engine("mul_mod").resolve(256, options)
    assert expected in str(error.value)
