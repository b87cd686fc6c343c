# SPDX-License-Identifier: Apache-2.0
"""The worked example on the page of `qp_systolic` is what its models compute."""

from __future__ import annotations

import re

from modfab.models.mul_qp_systolic import Reduction, multiple
from modfab.models.mul_qp_systolic_array import FullArray
from modfab.models.mul_qp_systolic_shape import Shape
from modfab.paths import rtl_dir

PAGE = (rtl_dir() / "mul" / "qp_systolic" / "README.md").read_text(encoding="utf-8")
SHAPE = Shape(3, 4)
MODULUS, X, Y = 7, 291, 837
ROW = re.compile(r"^\| (\d+)" + r" \| (\d+)" * 6 + r" \|$", re.MULTILINE)


def example_rows() -> list[list[int]]:
    """Rows of the example: i, x_i, q_(i-1), s_2, s_1, s_0, q_i."""
    section = PAGE.split("## A worked example")[1].split("\n## ")[0]
    return [[int(number) for number in found.groups()] for found in ROW.finditer(section)]


def sums_of_the_array() -> dict[tuple[int, int], int]:
    """Sum of each step and element, from the model that runs cycle by cycle."""
    array = FullArray(SHAPE, MODULUS, num_slots=8)
    array.poke(4, X)
    array.poke(5, Y)
    array.start(x=4, y=5, dst=6)
    sums: dict[tuple[int, int], int] = {}
    while array.products:
        for j, element in enumerate(array.state()):
            if element.work is not None:
                sums.setdefault((element.work[1], j), element.s)
        array.clock()
    assert array.peek(6) == Reduction(MODULUS, SHAPE).product(X, Y)
    return sums


def test_the_steps_are_those_of_the_array() -> None:
    rows, sums = example_rows(), sums_of_the_array()
    assert [row[0] for row in rows] == list(range(SHAPE.num_steps))
    quotients = [0, *(sums[step, 0] % 16 for step in range(SHAPE.num_steps))]
    for step, x, used, s2, s1, s0, known in rows:
        assert x == X >> (4 * step) & 15
        assert (s2, s1, s0) == tuple(sums[step, j] for j in (2, 1, 0))
        assert known == quotients[step]
        assert used == (quotients[step - 1] if step else 0)


def test_the_result_is_that_of_the_model() -> None:
    assert SHAPE.num_digits == 3
    assert multiple(MODULUS, SHAPE) == 2
    rows = example_rows()
    result = Reduction(MODULUS, SHAPE).product(X, Y)
    assert result == 16 * rows[-1][5] + rows[-1][6]
    assert f"P = 16 * 18 + 14 = {result}" in PAGE.replace("\n", " ")
    assert result % MODULUS == X * Y * pow(2, -4 * SHAPE.r_digits, MODULUS) % MODULUS
    assert f"2^(-{4 * (SHAPE.r_digits)}) = 4" in PAGE.replace("\n", " ")


def test_set_up_from_a_lower_bound_saves_what_the_page_says() -> None:
    plain, bound = Shape(1024, 18), Shape(1024, 18, min_mod_bits=1023)
    said = (
        f"k = 1023 saves {plain.doublings - bound.doublings} of {plain.doublings} doublings",
        f"from {plain.setup_cycles:,} to {bound.setup_cycles:,} cycles",
    )
    assert all(text in PAGE.replace("\n", " ") for text in said)
