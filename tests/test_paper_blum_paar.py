# SPDX-License-Identifier: Apache-2.0
"""[BLUM01] Tables 1 to 4: cycles of pairs and of exponentiations, against paper and model."""

from __future__ import annotations

import random

import pytest

from modfab.gen.config import CoreConfig, core_config
from modfab.models.modexp import ModexpModel
from modfab.report.published import Row, read_published

WIDTHS = (160, 256, 512, 768, 1024)
SLACK = 1.02  # first word of the canonical residue against first digit of any residue
ROWS = read_published("blum-paar").rows


def configured(num_bits: int, radix_bits: int, exp_bits: int) -> CoreConfig:
    return core_config("systolic", num_bits, {"RadixBits": radix_bits}, "r2l", exp_bits)


def exp_cycles(num_bits: int, radix_bits: int, exponent: int, exp_bits: int) -> int:
    config = configured(num_bits, radix_bits, exp_bits)
    return config.sequencer.exp_cycles(config.engine, config.params, exponent, exp_bits)


def paper_pair(num_bits: int, radix_bits: int) -> int:
    """Section 4.3 for radix 16; for radix 2 from the formula of section 5.2."""
    return 2 * (num_bits // 4 + 10) if radix_bits == 4 else 2 * (num_bits + 4)


@pytest.mark.parametrize("num_bits", WIDTHS)
@pytest.mark.parametrize("radix_bits", [1, 4])
def test_pair(num_bits: int, radix_bits: int) -> None:
    config = configured(num_bits, radix_bits, 8)
    assert config.engine.pair_cycles(config.params) == paper_pair(num_bits, radix_bits)


@pytest.mark.parametrize("num_bits", WIDTHS)
@pytest.mark.parametrize("radix_bits", [1, 4])
def test_exponentiation(num_bits: int, radix_bits: int) -> None:
    paper = (num_bits + 2) * paper_pair(num_bits, radix_bits)
    ours = exp_cycles(num_bits, radix_bits, (1 << num_bits) - 1, num_bits)
    assert 0.9 * paper < ours <= SLACK * paper


@pytest.mark.parametrize("num_bits", WIDTHS)
@pytest.mark.parametrize("radix_bits", [1, 4])
def test_fermat_number(num_bits: int, radix_bits: int) -> None:
    paper = 19 * paper_pair(num_bits, radix_bits)
    assert 0.9 * paper < exp_cycles(num_bits, radix_bits, 65537, 17) <= SLACK * paper


def radix_bits_of(row: Row) -> int:
    return 1 if "radix 2," in row.design else 4


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.table != "4"], ids=lambda row: f"{row.table}-{row.design}"
)
def test_published_figures_agree_with_each_other(row: Row) -> None:
    """A misread digit would show: time is cycles times the clock of Table 1."""
    assert row.ours is not None
    if "cycles" in row.figures:
        assert row.ours.cycles <= SLACK * row.figures["cycles"]
    if row.table == "1":
        return
    (same,) = (r for r in ROWS if r.table == "1" and r.design in row.design)
    assert same.figures["clb"] == row.figures["clb"]
    products = 19 if row.table == "3" else row.num_bits + 2
    cycles = products * paper_pair(row.num_bits, radix_bits_of(row))
    microseconds = cycles * same.figures["clock_ns"] / 1000
    assert row.figures["time_us"] == pytest.approx(microseconds, rel=0.02, abs=5)


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.table == "4"], ids=lambda row: f"{row.table}-{row.design}"
)
def test_published_crt_figures_are_those_of_half_the_width(row: Row) -> None:
    """Serial: two powers on one array. Parallel: two arrays, at most 9 % slower by the device."""
    half, radix_bits = row.num_bits // 2, radix_bits_of(row)
    (same,) = (
        r for r in ROWS if r.table == "1" and r.num_bits == half and radix_bits_of(r) == radix_bits
    )
    serial = "serial" in row.design
    assert row.figures["clb"] == same.figures["clb"] * (1 if serial else 2)
    cycles = (half + 2) * paper_pair(half, radix_bits) * (2 if serial else 1)
    microseconds = cycles * same.figures["clock_ns"] / 1000
    assert row.figures["time_us"] == pytest.approx(microseconds, rel=0.01 if serial else 0.09)


@pytest.mark.parametrize("num_bits", [160, pytest.param(1024, marks=pytest.mark.full)])
def test_a_whole_exponentiation_by_the_model(num_bits: int, rng: random.Random) -> None:
    config = configured(num_bits, 4, num_bits)
    model = ModexpModel(config.engine.model(config.params), config.sequencer.commands, num_bits)
    modulus = rng.getrandbits(num_bits) | 1 << (num_bits - 1) | 1
    base, exponent = rng.randrange(modulus), rng.getrandbits(num_bits)
    result = model.power(base, exponent, modulus)
    assert result.value == pow(base, exponent, modulus)
    assert result.exp_cycles == exp_cycles(num_bits, 4, exponent, num_bits)
