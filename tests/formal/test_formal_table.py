# SPDX-License-Identifier: Apache-2.0
"""The proof of the table of k * M finds a wrong table."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.formal.test_formal import LIMIT_S, ROOT, prove

TABLE = "rtl/mul/redundant_lut/mf_mul_redundant_lut_table.sv"
WRONG = [
    pytest.param("+ (IndexBits+1)'(|acc_i[0][IndexBits-1:0])", "", id="g-without-carry"),
    pytest.param("+ 2'(|upper[IndexBits-1:0])", "", id="low-digit-without-carry"),
]


@pytest.mark.timeout(LIMIT_S)
@pytest.mark.parametrize(("right", "wrong"), WRONG)
def test_a_wrong_table_fails(tmp_path: Path, right: str, wrong: str) -> None:
    for folder in ("formal/redundant", "rtl/mul/redundant_lut", "rtl/prim/generic", "rtl/common"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    text = (tmp_path / TABLE).read_text()
    assert text.count(right) == 1
    (tmp_path / TABLE).write_text(text.replace(right, wrong))
    path = tmp_path / "formal" / "redundant" / "table.sby"
    code, output = prove(path, tmp_path / "run", LIMIT_S, "two_12")
    assert code != 0
    assert "DONE (FAIL" in output
