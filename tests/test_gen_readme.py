# SPDX-License-Identifier: Apache-2.0
"""The README's generated blocks are current, and made from the stored measurements."""

from __future__ import annotations

from dataclasses import replace

import pytest

from modfab.catalog import ENGINES
from modfab.errors import UsageError
from modfab.gen import readme
from modfab.gen.readme import filled
from modfab.gen.rsa import rsa_config
from modfab.models.rsa_status import RsaEntry
from tests.flow.test_store import record

PAGE = "before\n<!-- generated:measured -->\nold\n<!-- /generated -->\nafter\n"


def test_pages_and_drawing_are_current() -> None:
    root = readme.checkout()
    stale = [
        name
        for name, text in readme.generated_files(root).items()
        if (root / name).read_text() != text
    ]
    assert not stale, f"run `python -m modfab.gen.readme`; these differ: {stale}"
    assert "<!-- generated:engines -->" in (root / "README.md").read_text()


def test_every_engine_has_a_row() -> None:
    text = filled("<!-- generated:engines -->\n<!-- /generated -->", [])
    assert all(f"`{name}`" in text for name in ENGINES)


def test_measured_rows_are_medians_of_the_newest_rtl() -> None:
    old = record(circuit="d0", seed=1, mhz=500.0, date="2025-01-01T00:00:00Z")
    runs = [record(), *(record(seed=seed, mhz=float(10 * seed)) for seed in (1, 2, 3))]
    other = replace(record().request, level="axil")
    text = filled(PAGE, [old, *runs, record(request=other)])
    row = (
        "| bit_serial | mul | 64 | ecp5-85k | 100 | 50 | 2 | 1 | 66 | 20.0 (3) | 3.30 "
        "| 2026-01-02 |"
    )
    assert text.count("\n| bit_serial") == 2
    assert row in text
    assert "| bit_serial | axil, ladder | 64 |" in text
    assert text.startswith("before\n")
    assert text.endswith("<!-- /generated -->\nafter\n")


def test_headlines_are_routed_engines_with_default_parameters() -> None:
    page = PAGE.replace("measured", "headline")
    unusual = replace(record().request, params={**record().request.params, "Variant": 0}, seed=1)
    known = [record(), record(seed=1, mhz=10.0), record(request=unusual, mhz=90.0)]
    text = filled(page, known)
    assert text.count("\n| bit_serial") == 1
    assert "| 10.0 (1) |" in text
    assert "Nothing is measured yet" in filled(page, [record()])


def test_rsa_rows_are_the_formulas_with_times_where_routed() -> None:
    page = PAGE.replace("measured", "rsa")
    text = filled(page, [])
    assert " ms)" not in text
    for name in ENGINES:
        assert f"\n| `{name}` | " in text
    config = rsa_config("bit_serial", 512)
    cycles = config.cycles().program(RsaEntry.PRIVATE, 17)
    assert f"| `bit_serial` | {cycles:,} | " in text
    request = replace(record().request, params=dict(config.core.params), seed=1)
    text = filled(page, [record(request=request, mhz=50.0)])
    assert f"| `bit_serial` | {cycles:,} ({cycles / 50_000:,.1f} ms) | " in text


def test_nothing_measured_is_said() -> None:
    assert "Nothing is measured yet" in filled(PAGE, [])


def test_unknown_block() -> None:
    with pytest.raises(UsageError, match=r"no generated block 'x'; .* engines, headline"):
        filled("<!-- generated:x -->\n<!-- /generated -->", [])


def test_readme_needs_a_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readme, "checkout_dir", lambda: None)
    with pytest.raises(UsageError, match="generated in a checkout"):
        readme.checkout()
