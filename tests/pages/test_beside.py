# SPDX-License-Identifier: Apache-2.0
"""The section "Beside the paper" of the engines' pages: current, and from the rows alone."""

from __future__ import annotations

import pytest

from modfab.catalog import ENGINES
from modfab.pages.beside import PAGES, beside_block
from modfab.pages.readme import checkout, filled
from modfab.report.published import read_published


def test_every_engine_of_a_paper_has_the_section() -> None:
    assert set(PAGES.values()) == {name for name, e in ENGINES.items() if e.paper != "modfab"}


@pytest.mark.parametrize("page", PAGES)
def test_section_is_current(page: str) -> None:
    text = (checkout() / page).read_text()
    block = f"## Beside the paper\n\n<!-- generated:beside_{PAGES[page]} -->\n"
    assert text.count(block) == 1
    assert filled(text, []) == text, "run `./modfab python -m modfab.pages.readme`"


@pytest.mark.parametrize("engine", PAGES.values())
def test_every_reason_and_remark_of_the_rows_is_there(engine: str) -> None:
    text = beside_block(engine)
    rows = read_published(ENGINES[engine].paper).rows
    own = [row for row in rows if row.ours and row.ours.core.unit.engine.name == engine]
    assert own
    for row in own:
        assert row.why in text
        for remark in row.remarks:
            assert f"* **{remark.kind}**, " in text
            assert f": {remark.text}\n" in text
    for row in rows:
        assert row.ours or f": {row.why}\n" in text


def test_cycles_are_the_least_and_the_greatest_ratio() -> None:
    assert "over ours are between 0.96 and 1.10;" in beside_block("sos")
    assert "10 of the 27 rows of `modfab compare --paper qureshi`" in beside_block("sos")
    assert "over ours are between 0.64 and 1.00;" in beside_block("systolic")
    assert '* **misprint**, "UNROLL ME factor=8" of table 2: ' in beside_block("mod_product")
