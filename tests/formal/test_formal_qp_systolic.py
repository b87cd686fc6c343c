# SPDX-License-Identifier: Apache-2.0
"""What the proofs `step` and `table` are about is what stands in the array, statement by statement.

Registers between the additions are left out in the harnesses, so that these do not hold the module.
"""

from __future__ import annotations

import re

import pytest

from modfab.paths import rtl_dir
from tests.formal.test_formal import FORMAL

ARRAY = rtl_dir() / "mul/qp_systolic/mf_mul_qp_systolic_array.sv"
STEP = {
    "u": "u_q[j]",
    "px_i": "px_q[j]",
    "pq_i": "pq_q[j]",
    "s_i": "s_q[j]",
    "e_i": "e_q[j]",
    "first_i": "first1_q[j]",
    "above_i": "above",
    "top": "high",
    "ProductBits": "2*DigitBits",
}
ENTRY = {
    "fill_i": "fill_at[j]",
    "lower_i[j]": "entry_q[j]",
    "mh_i[j]": "mh",
    "carry[j]": "carry_in",
    "carry[j+1]": "carry",
    "next[j]": "entry",
    "unused_lowest[j]": "unused_lowest",
}
BOTH = {"both[j]": "both", "lower_i[j]": "lower", "upper_i[j]": "upper"}
"""Names in a harness -> names in the array."""

_ADDER = "mf_prim_add_gate #(.WidthBits("
STATEMENTS: tuple[tuple[str, dict[str, str], str, str], ...] = (
    ("step", STEP, "assign gated", "assign gated"),
    ("step", STEP, "assign save", "assign save"),
    ("step", STEP, "assign majority", "assign majority"),
    ("step", STEP, "assign {top, unused_high} =", "assign {high, unused_high} ="),
    ("step", STEP, "assign low", "assign low"),
    ("step", STEP, ".a_i  ((ProductBits+1)", ".a_i  ((2*DigitBits+1)"),
    ("step", STEP, ".b_i  ({px_i", ".b_i  ({px_q[j]"),
    ("step", STEP, "= low[DigitBits];", "<= low[DigitBits];"),
    ("step", STEP, "= {top, low[", "<= {high, low["),
    ("table", ENTRY, f"{_ADDER}DigitBits+2)) u_entry", f"{_ADDER}DigitBits+2)) u_entry"),
    (
        "table",
        BOTH,
        "assign both[j] = product_t'(lower_i[j]) +",
        "assign both = product_t'(lower) +",
    ),
    ("table", BOTH, "assign both[j] = product_t'(lower_i[j]);", "assign both = product_t'(lower);"),
)
"""Harness, its names, where a statement begins there, and where it does in the array."""


def statement(text: str, start: str) -> str:
    """What begins at the only place with `start`; a port's connection ends with a comma."""
    assert text.count(start) == 1, start
    rest = text[text.index(start) :]
    end = re.search(r",\n" if start.startswith(".") else r";\n", rest)
    assert end
    return rest[: end.start()].removeprefix("<")


def without_spaces(found: str) -> str:
    return re.sub(r"\s+", "", found)


def renamed(found: str, names: dict[str, str]) -> str:
    words = sorted(map(re.escape, names), key=len, reverse=True)
    pattern = rf"(?<![\w.'])(?:{'|'.join(words)})(?!\w)"
    return re.sub(pattern, lambda match: names[match[0]], found)


@pytest.mark.parametrize(
    ("proof", "names", "there", "here"), STATEMENTS, ids=[f"{s[0]}-{s[2]}" for s in STATEMENTS]
)
def test_a_harness_has_what_stands_in_the_array(
    proof: str, names: dict[str, str], there: str, here: str
) -> None:
    harness = FORMAL / f"mul_qp_systolic/mf_formal_qp_systolic_{proof}.sv"
    proved = renamed(statement(harness.read_text(), there), names)
    assert without_spaces(proved) == without_spaces(statement(ARRAY.read_text(), here))
