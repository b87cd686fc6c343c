# SPDX-License-Identifier: Apache-2.0
"""Lemmas 1 to 4, and the bounds of the redundant engines, on the golden model."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modfab.models.mul_redundant_lut import RedundantLutModel
from modfab.models.mul_redundant_mul import RedundantMulModel
from modfab.models.redundant import (
    RedundantConfig,
    RedundantModel,
    RedundantNumbers,
    correction_select,
)
from tests.support.strategies import moduli

MODELS = {"mul": RedundantMulModel, "lut": RedundantLutModel}
digit_bits = st.sampled_from([5, 6, 8, 10, 12, 16, 18])
configs = st.builds(RedundantConfig, st.integers(16, 200), digit_bits, st.just(True))


def draw_digits(data: st.DataObject, cfg: RedundantConfig, count: int, below: int) -> int:
    digits = data.draw(st.lists(st.integers(0, below - 1), min_size=count, max_size=count))
    return sum(digit << (i * cfg.lane_bits) for i, digit in enumerate(digits))


def lanes(numbers: RedundantNumbers, x: int) -> list[int]:
    return [numbers.digit(x, i) for i in range(numbers.cfg.digits + 3)]


@given(configs, st.integers(2, 3), st.data())
def test_sum_keeps_value_and_digits(cfg: RedundantConfig, count: int, data: st.DataObject) -> None:
    numbers = RedundantNumbers(cfg)
    terms = [draw_digits(data, cfg, cfg.digits, 4 << cfg.digit_bits) for _ in range(count)]
    total = numbers.add(terms)
    assert numbers.value(total) == sum(map(numbers.value, terms))
    assert max(lanes(numbers, total)) < 4 << cfg.digit_bits


@given(configs, st.data())
def test_product_sum_keeps_value_and_digits(cfg: RedundantConfig, data: st.DataObject) -> None:
    numbers, limit = RedundantNumbers(cfg), 4 << cfg.digit_bits
    x = draw_digits(data, cfg, cfg.digits, limit)
    y = data.draw(st.integers(0, limit - 1))
    c = draw_digits(data, cfg, cfg.digits + 1, limit)
    total = numbers.product_sum(x, y, c)
    assert numbers.value(total) == numbers.value(x) * y + numbers.value(c)
    assert max(lanes(numbers, total)) < limit


@given(configs, st.data())
def test_serial_product_is_the_product(cfg: RedundantConfig, data: st.DataObject) -> None:
    numbers = RedundantNumbers(cfg)
    x, y = (draw_digits(data, cfg, cfg.digits, 4 << cfg.digit_bits) for _ in range(2))
    digits, rest = numbers.serial_product(x, y)
    value = sum(digit << (cfg.digit_bits * i) for i, digit in enumerate(digits))
    assert value + (numbers.value(rest) << cfg.r_bits) == numbers.value(x) * numbers.value(y)


@pytest.mark.parametrize("kind", MODELS)
@given(cfg=configs, data=st.data())
def test_slots_stay_in_range(kind: str, cfg: RedundantConfig, data: st.DataObject) -> None:
    """Below 2M, below M + e, digits of r + 1 bits: at r = 16 a signed 18-bit factor takes them."""
    model: RedundantModel = MODELS[kind](cfg, 8)
    numbers, top = model.numbers, 1 << (cfg.r_bits - cfg.digit_bits)
    model.modulus = data.draw(moduli(cfg.num_bits))
    _, x, y, _ = model.prepare()
    for _ in range(6):
        product = model.multiply(x, y)[0]
        value = numbers.value(product)
        assert (
            value * (1 << cfg.r_bits) - numbers.value(x) * numbers.value(y)
        ) % model.modulus == 0
        assert value < 2 * model.modulus
        assert 7 * value < 7 * model.modulus + 36 * top
        assert max(lanes(numbers, product)) <= (1 << cfg.digit_bits) + 5 < 2 << cfg.digit_bits
        x, y = y, product


@pytest.mark.parametrize("bits", [5, 8])
def test_one_threshold_is_not_enough(bits: int, rng: random.Random) -> None:
    """The paper adds -M when the redundant bits of the top digit are not zero: that overflows."""
    cfg = RedundantConfig(2 * bits, bits, True)
    model, radix = RedundantMulModel(cfg, 8), 1 << bits
    model.modulus = radix**2 - 1
    model.prepare()
    numbers = model.numbers
    x = (radix - 1 << cfg.lane_bits) + 3 * radix - 1  # no redundant bits in the top digit
    s = 0
    for i in range(cfg.digits):
        s = numbers.product_sum(x, numbers.digit(x, i), model.reduce(s))
    c = model.reduce(s)
    assert numbers.top(c) >= radix
    papers = numbers.correction_add(c, model.modulus, 1)
    assert numbers.digit(papers, cfg.digits - 1) >= radix, "the paper's rule would do"
    ours = correction_select(numbers.top(c), radix - 1)
    assert numbers.value(numbers.correction_add(c, model.modulus, ours)) < 2 * model.modulus
