# SPDX-License-Identifier: Apache-2.0
"""What is particular to the redundant engine with a table: its reads, the paper's cycles."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modfab.catalog import get_engine
from modfab.errors import UsageError
from modfab.models.mul_redundant_lut import RedundantLutModel
from modfab.models.redundant import RedundantConfig
from tests.support.redundant_engines import COUNTED, check_on_device, exp_cycles, multipliers, rows
from tests.support.strategies import moduli

NAME = "redundant_lut"


@pytest.mark.parametrize("row", rows(NAME), ids=lambda row: row["design"])
def test_cycles_are_those_of_the_other_engine(row: dict[str, Any]) -> None:
    num_bits, redundant = row["num_bits"], row["ours"]["params"]["Redundant"]
    ones = (1 << num_bits) - 1
    cycles = exp_cycles(NAME, num_bits, redundant, ones)
    assert cycles == exp_cycles("redundant_mul", num_bits, redundant, ones) <= row["cycles"]


@pytest.mark.parametrize("num_bits", COUNTED)
def test_multipliers_are_those_of_table_2(num_bits: int) -> None:
    assert multipliers(NAME, num_bits) == num_bits // 16


def test_set_up_fills_the_table_one_word_a_clock() -> None:
    engine, other = get_engine(NAME), get_engine("redundant_mul")
    for bits, words in ((5, 32), (8, 256), (10, 1024), (16, 256), (18, 512)):
        params = engine.resolve(256, {"DigitBits": bits})
        beside = other.resolve(256, {"DigitBits": bits})
        assert engine.cycles.setup(params) - other.cycles.setup(beside) == words - bits


@given(st.sampled_from([5, 8, 10, 12, 16, 18]), st.integers(16, 120), st.data())
def test_what_is_read_cancels_the_lowest_digit(
    bits: int, num_bits: int, data: st.DataObject
) -> None:
    model = RedundantLutModel(RedundantConfig(num_bits, bits, True), 8)
    model.modulus = data.draw(moduli(num_bits))
    model.prepare()
    low = data.draw(st.integers(0, (1 << bits) - 1))
    terms = model.multiples(low)
    total = sum(map(model.numbers.value, terms))
    assert len(terms) == (1 if bits <= 10 else 2)
    assert total % model.modulus == 0
    assert (low + total) % (1 << bits) == 0
    assert total // model.modulus < 1 << bits


@pytest.mark.parametrize(
    ("num_bits", "redundant"),
    [
        (64, 1),
        *(pytest.param(n, r, marks=pytest.mark.full) for n in (64, 256, 1024) for r in (0, 1)),
    ],
)
def test_rtl_takes_those_cycles(num_bits: int, redundant: int, rng: random.Random) -> None:
    exponent = rng.getrandbits(num_bits)
    cycles = check_on_device(NAME, num_bits, redundant, exponent, rng)
    assert cycles == exp_cycles(NAME, num_bits, redundant, exponent)


def test_ladder_takes_as_long_for_every_exponent(rng: random.Random) -> None:
    exponents = (1, (1 << 48) - 1)
    cycles = {check_on_device(NAME, 48, 1, exponent, rng, "ladder") for exponent in exponents}
    assert cycles == {(2 * 48 + 2) * 4 + 5}


@pytest.mark.parametrize("bits", [4, 11, 13, 15, 17])
def test_digits_without_a_table(bits: int) -> None:
    with pytest.raises(
        UsageError, match="Parameter DigitBits must be one of 5, 6, 7, 8, 9, 10, 12"
    ):
        get_engine(NAME).resolve(64, {"DigitBits": bits})
