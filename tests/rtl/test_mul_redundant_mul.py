# SPDX-License-Identifier: Apache-2.0
"""What is particular to the redundant engine with multipliers: the paper's cycles, its corners."""

from __future__ import annotations

import random
from typing import Any

import pytest

from modfab.catalog import get_engine, get_sequencer
from modfab.errors import UsageError
from modfab.models.engine import Command, Op
from tests.contract.bench import A, B, Bench, C
from tests.support.redundant_engines import (
    COUNTED,
    WIDTHS,
    check_on_device,
    exp_cycles,
    mean_cycles,
    multipliers,
    rows,
)

NAME = "redundant_mul"
EXPECTED = (500, 1764, 6596, 25476, 100100)


@pytest.mark.parametrize("row", rows(NAME), ids=lambda row: row["design"])
def test_an_all_ones_exponent_takes_no_more_than_printed(row: dict[str, Any]) -> None:
    num_bits, redundant = row["num_bits"], row["ours"]["params"]["Redundant"]
    digits = num_bits // 16
    cycles = exp_cycles(NAME, num_bits, redundant, (1 << num_bits) - 1)
    store = 2 * digits - 1 if redundant else 3
    assert cycles == 2 * num_bits * (digits + 1) + store <= row["cycles"]
    assert row["cycles"] == (2 * num_bits + (4 if redundant else 2)) * (digits + 1)


@pytest.mark.parametrize(
    "row", rows(NAME, "expected") + rows("redundant_lut", "expected"), ids=lambda row: row["design"]
)
def test_half_of_ones_takes_no_more_than_expected(
    row: dict[str, Any],
) -> None:
    num_bits, redundant = row["num_bits"], row["ours"]["params"]["Redundant"]
    engine, half = row["ours"]["engine"], int("10" * (num_bits // 2), 2)
    assert row["ours"]["exponent"] == "half"
    formula = (3 * num_bits // 2 + (4 if redundant else 2)) * (num_bits // 16 + 1)
    assert exp_cycles(engine, num_bits, redundant, half) <= formula
    left_out = 2 * (num_bits // 16 + 1) if num_bits in (64, 512) and not redundant else 0
    assert row["cycles"] == formula - left_out


def test_65537_takes_no_more_than_printed() -> None:
    assert exp_cycles(NAME, 1024, 1, 65537) == 19 * 65 + 127 <= 1430


@pytest.mark.parametrize(("num_bits", "printed"), [*zip(WIDTHS, EXPECTED, strict=True)])
def test_random_exponents(num_bits: int, printed: int, rng: random.Random) -> None:
    """The paper's mean counts two products more, a square and a multiplication of 1."""
    mean = mean_cycles(NAME, num_bits, rng)
    assert mean <= printed * 1.02
    assert mean + 2 * (num_bits // 16 + 1) == pytest.approx(printed, rel=0.02)


@pytest.mark.parametrize(
    ("num_bits", "redundant"),
    [
        (64, 1),
        pytest.param(64, 0, marks=pytest.mark.full),
        *(pytest.param(n, r, marks=pytest.mark.full) for n in WIDTHS[1:] for r in (0, 1)),
    ],
)
def test_rtl_takes_those_cycles(num_bits: int, redundant: int, rng: random.Random) -> None:
    exponent = (1 << num_bits) - 1
    cycles = check_on_device(NAME, num_bits, redundant, exponent, rng)
    assert cycles == exp_cycles(NAME, num_bits, redundant, exponent)


@pytest.mark.parametrize("num_bits", COUNTED)
def test_multipliers_are_those_of_table_1(num_bits: int) -> None:
    assert multipliers(NAME, num_bits) == 2 * (num_bits // 16) + 1


@pytest.mark.parametrize("stages", [1, 3, 5])
def test_multipliers_of_the_pipelined_form(stages: int) -> None:
    """One for each digit of M and of an operand, which is (stages + 1) / 2 digits longer."""
    assert multipliers(NAME, 64, PipelineStages=stages) == 4 + 5 + (stages + 1) // 2


@pytest.mark.parametrize("stages", [1, 3, 5])
def test_pipelined_cycles_follow_the_page(stages: int) -> None:
    engine = get_engine(NAME)
    for num_bits, digit_bits in ((64, 16), (1024, 16), (1024, 17), (100, 5)):
        params = engine.resolve(num_bits, {"DigitBits": digit_bits, "PipelineStages": stages})
        cycles = 2 * -(-(num_bits + 2) // digit_bits) + 2 * stages + 10
        assert engine.pair_cycles(params) == engine.cycles.mul(params) == cycles
    single = engine.resolve(1024)
    assert engine.pair_cycles(single) is None
    assert engine.cycles.mul(single) == 65


@pytest.mark.parametrize(
    ("num_bits", "stages"),
    [
        (64, 3),
        *(pytest.param(n, s, marks=pytest.mark.full) for n in WIDTHS for s in (1, 3, 5)),
    ],
)
def test_pipelined_rtl_takes_those_cycles(num_bits: int, stages: int, rng: random.Random) -> None:
    """The ladder makes one pair of each bit of the exponent, whatever the bit is."""
    engine = get_engine(NAME)
    params = engine.resolve(num_bits, {"PipelineStages": stages})
    expected = get_sequencer("ladder").exp_cycles(engine, params, 1, num_bits)
    exponent = rng.getrandbits(num_bits)
    assert check_on_device(NAME, num_bits, 1, exponent, rng, "ladder", stages) == expected


@pytest.mark.parametrize("bits", [5, pytest.param(16, marks=pytest.mark.full)])
def test_corrections_by_0_1_and_2(bits: int, rng: random.Random) -> None:
    """Chains at moduli close to R and at R / 2, where the correction takes all of its values."""
    engine = get_engine(NAME)
    num_bits = 6 * bits
    bench = Bench(engine, engine.resolve(num_bits, {"DigitBits": bits}))
    try:
        for modulus in ((1 << num_bits) - 1, (1 << (num_bits - 1)) + 1, (1 << num_bits) - 3):
            a, b = modulus - 1, rng.randrange(modulus)
            bench.both([*bench.start(modulus), bench.load(A, a), bench.load(B, b)])
            for _ in range(20):
                a = bench.product(a, b, modulus)
                b = bench.product(b, b, modulus)
                square = Command(Op.MUL, dst0=B, a0=B, b=B)
                program = [Command(Op.MUL, dst0=A, a0=A, b=B), square, Command(Op.STORE, a0=A)]
                assert bench.both(program) == [a]
            assert bench.both([Command(Op.MUL, dst0=C, a0=A, b=B), Command(Op.STORE, a0=C)]) == [
                bench.product(a, b, modulus)
            ]
    finally:
        bench.rtl.close()


@pytest.mark.parametrize(
    ("bits", "options", "expected"),
    [
        (15, {}, "Parameter NumBits must be one of 16..4096 (bits), but 15 was given"),
        (64, {"DigitBits": 4}, "Parameter DigitBits must be one of 5..18"),
        (64, {"Redundant": 2}, "Parameter Redundant must be one of 0, 1"),
        (64, {"PipelineStages": 2}, "Parameter PipelineStages must be one of 0, 1, 3, 5"),
        (
            64,
            {"PipelineStages": 3, "Redundant": 0},
            "PipelineStages needs Redundant 1 and DigitBits up to 17, but Redundant 0 and",
        ),
        (64, {"PipelineStages": 1, "DigitBits": 18}, "and DigitBits 18 were given; change them"),
    ],
)
def test_bad_parameters(bits: int, options: dict[str, int], expected: str) -> None:
    with pytest.raises(UsageError) as error:
        get_engine(NAME).resolve(bits, options)
    assert expected in str(error.value)
