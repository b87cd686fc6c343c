# SPDX-License-Identifier: Apache-2.0
"""The README's generated blocks are current, and made from the stored measurements."""

from __future__ import annotations

from dataclasses import replace

import pytest

from modfab.catalog import ENGINES
from modfab.errors import UsageError
from modfab.flow.store import newest, read_folder
from modfab.gen import readme
from modfab.gen.readme import filled, readme_path
from tests.flow.test_store import record

PAGE = "before\n<!-- generated:measured -->\nold\n<!-- /generated -->\nafter\n"


def test_readme_is_current() -> None:
    page = readme_path()
    records = newest(read_folder(page.parent / "results"))
    assert filled(page.read_text(), records) == page.read_text(), (
        "run `python -m modfab.gen.readme`"
    )
    assert "<!-- generated:engines -->" in page.read_text()
    drawing = (page.parent / readme.PLOT).read_text()
    assert readme.plot(records) == drawing, "run `python -m modfab.gen.readme`"


def test_every_engine_has_a_row() -> None:
    text = filled("<!-- generated:engines -->\n<!-- /generated -->", [])
    assert all(f"`{name}`" in text for name in ENGINES)


def test_measured_rows_are_medians_of_the_newest_rtl() -> None:
    old = record(digest="d0", seed=1, mhz=500.0, date="2025-01-01T00:00:00Z")
    runs = [record(), *(record(seed=seed, mhz=float(10 * seed)) for seed in (1, 2, 3))]
    other = replace(record().request, level="axil")
    text = filled(PAGE, [old, *runs, record(request=other)])
    row = "| bit_serial | 64 | ecp5-85k | 100 | 50 | 2 | 1 | 66 | 20.0 (3) | 3.30 | 2026-01-02 |"
    assert text.count("\n| bit_serial") == 1
    assert row in text
    assert text.startswith("before\n")
    assert text.endswith("<!-- /generated -->\nafter\n")


def test_nothing_measured_is_said() -> None:
    assert "Nothing is measured yet" in filled(PAGE, [])


def test_unknown_block() -> None:
    with pytest.raises(UsageError, match=r"no generated block 'x'; .* engines, measured"):
        filled("<!-- generated:x -->\n<!-- /generated -->", [])


def test_readme_needs_a_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readme, "checkout_dir", lambda: None)
    with pytest.raises(UsageError, match="generated in a checkout"):
        readme_path()
