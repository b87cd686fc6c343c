# SPDX-License-Identifier: Apache-2.0
"""The README's generated blocks are current, and made from the stored measurements."""

from __future__ import annotations

from dataclasses import replace

import pytest

from modfab.build.named import LEVELS
from modfab.build.rsa import RsaCore, rsa_core
from modfab.catalog import ENGINES, get_engine
from modfab.errors import UsageError
from modfab.flow.record import Record
from modfab.flow.store import read_folder
from modfab.models.rsa.entry import RsaEntry
from modfab.pages import readme
from modfab.pages.readme import filled
from modfab.pages.studies import DRAWINGS
from modfab.pages.widths import WIDTHS
from tests.flow.test_store import record

PAGE = "before\n<!-- generated:measured -->\nold\n<!-- /generated -->\nafter\n"


def test_pages_and_drawing_are_current() -> None:
    root = readme.checkout()
    stale = [
        name
        for name, text in readme.generated_files(root).items()
        if (root / name).read_text() != text
    ]
    assert not stale, f"run `./modfab python -m modfab.pages.readme`; these differ: {stale}"
    assert "<!-- generated:engines -->" in (root / "README.md").read_text()


def test_every_engine_has_a_row() -> None:
    text = filled("<!-- generated:engines -->\n<!-- /generated -->", [])
    assert all(f"`{name}`" in text for name in ENGINES)


def test_measured_rows_are_medians_of_the_newest_rtl() -> None:
    old = record(circuit="d0", seed=1, mhz=500.0, date="2025-01-01T00:00:00Z")
    runs = [record(), *(record(seed=seed, mhz=float(10 * seed)) for seed in (1, 2, 3))]
    other = replace(record().request, level="modexp_axil", sequencer="ladder")
    text = filled(PAGE, [old, *runs, record(request=other)])
    row = (
        "| bit_serial | engine | 64 | ecp5-85k | 100 | 50 | 2 | 1 | 66 | 20.0 (3) | 3.30 "
        "| 2026-01-02 |"
    )
    assert text.count("\n| bit_serial") == 2
    assert row in text
    assert "| bit_serial | modexp_axil, ladder | 64 |" in text
    assert text.startswith("before\n")
    assert text.endswith("<!-- /generated -->\nafter\n")


def test_headlines_are_routed_engines_with_default_parameters() -> None:
    page = PAGE.replace("measured", "headline")
    other = replace(record().request, params={**record().request.params, "Variant": 0}, seed=1)
    known = [record(), record(seed=1, mhz=10.0), record(request=other, mhz=90.0)]
    text = filled(page, known)
    assert text.count("\n| bit_serial") == 1
    assert "| 10.0 (1) |" in text
    assert "Nothing is measured yet" in filled(page, [record()])


def test_rsa_rows_are_the_formulas() -> None:
    text = filled(PAGE.replace("measured", "rsa"), [])
    for name in ENGINES:
        assert f"\n| `{name}` | " in text
    cycles = rsa_core("bit_serial", 512).programs().program(RsaEntry.PRIVATE, 65537)
    assert f"| `bit_serial` | {cycles:,} | " in text


def rsa_record(config: RsaCore, mhz: float) -> Record:
    core = config.unit
    request = replace(
        record(seed=1).request,
        engine=core.engine.name,
        sequencer=core.sequencer.name,
        level="rsa",
        params=dict(core.params),
        exp_bits=core.exp_bits,
        rsa=config.choices(),
    )
    return record(request=request, mhz=mhz, cycles=config.cycles())


def test_an_rsa_time_is_that_of_the_core_itself() -> None:
    config = rsa_core("qp_systolic", 1024, sequencer="window", engines=2, pair=True)
    core = rsa_record(config, 80.0)
    private = core.cycles["private"]
    time = f"{private / 80_000:,.2f}"
    params = get_engine("qp_systolic").resolve(1024)
    alone = replace(core.request, level="engine", params=params, rsa=None, sequencer="ladder")
    engine = replace(core, request=alone, mhz=229.6)
    words = "modfab synth --engine qp_systolic --bits 2048 -P Contexts=1 --level rsa_axil"
    for blocks in (("rsa",), ("rsa_measured",), ("rsa", "rsa_measured")):
        page = "".join(PAGE.replace("measured", name) for name in blocks)
        text = filled(page, [engine])
        assert f"{private / 229_600:,.2f}" not in text
        assert " ms" not in text
        assert "229.6" not in text
    page = PAGE.replace("measured", "rsa_measured")
    command = f"`{words} --sequencer window --rsa engines=2 --rsa pair=1 --target ecp5-85k --route`"
    assert command in filled(page, [engine])
    row = f"| rsa, window | ecp5-85k | 2048 | 100 | 2 | 1 | {private:,} | "
    assert f"{row}80.0 (1) | {time} |" in filled(page, [engine, core])
    synthesis = replace(core, request=replace(core.request, seed=None, freq_mhz=None), mhz=None)
    assert f"{row}- | - |" in filled(page, [engine, synthesis])
    assert row not in filled(page, [engine, replace(core, cycles=core.cycles | {"private": 9})])


def test_an_engine_shows_only_figures_of_its_usual_form_and_width() -> None:
    made = record(seed=1, mhz=77.0)
    params = get_engine("bit_serial").resolve(1024)
    usual = replace(made, request=replace(made.request, params=params))
    for changes in ({"NumBits": 512}, {"Variant": 0}):
        other = replace(usual.request, params={**params, **changes})
        text = filled(PAGE.replace("measured", "engines"), [replace(usual, request=other)])
        assert "77.0" not in text
    text = filled(PAGE.replace("measured", "engines"), [usual])
    engine = ENGINES["bit_serial"]
    row = f"{engine.title} | 2 | {engine.cycles.mul(params):,} | 77.0 (1) | {engine.take_when} |"
    assert row in text
    assert "| 126 for two |" in text


def test_the_readme_has_rsa_cores_that_were_routed_and_says_how_to_route_the_default() -> None:
    page = PAGE.replace("measured", "rsa_cores")
    default = rsa_core("qp_systolic", 1024, sequencer="window", engines=2, pair=True)
    core = rsa_record(default, 80.0)
    not_routed = replace(core, request=replace(core.request, seed=None, freq_mhz=None), mhz=None)
    private = f"{core.cycles['private']:,}"
    for known in ([], [not_routed]):
        text = filled(page, known)
        assert f"| - | - | - | {private} | - | - |" in text
        assert "The default core is not routed: `modfab synth --engine qp_systolic" in text
    small = rsa_record(rsa_core("bit_serial", 64, engines=2), 50.0)
    text = filled(page, [core, small])
    assert "modfab synth" not in text
    assert f"| {private} | 80.0 (1) |" in text
    assert "| 50.0 (1) |" in text


@pytest.mark.parametrize("level", [*LEVELS, ""])
def test_every_page_copes_without_a_level(level: str) -> None:
    """Records of a level, or all of them, may be stale; what is missing is then said."""
    root = readme.checkout()
    stored = [r for r in read_folder(root / "results") if level and r.request.level != level]
    pages = [filled((root / name).read_text(), stored) for name in readme.PAGES]
    text = "".join(pages)
    missing = text.count("Not measured yet: `modfab synth --engine systolic")
    if level in ("engine", ""):  # of two blocks, one is of level modexp; and of each width
        assert missing == (1 if level else 2) + len(WIDTHS)
    if level in ("modexp", ""):
        assert "Not measured yet: `modfab synth --engine redundant_mul" in text
    for make in (readme.plot, *DRAWINGS.values()):
        assert "<svg" in make(stored)


def test_nothing_measured_is_said() -> None:
    assert "Nothing is measured yet" in filled(PAGE, [])


def test_unknown_block() -> None:
    with pytest.raises(UsageError, match=r"no generated block 'x'; .* engines, headline"):
        filled("<!-- generated:x -->\n<!-- /generated -->", [])


def test_readme_needs_a_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readme, "checkout_dir", lambda: None)
    with pytest.raises(UsageError, match="generated in a checkout"):
        readme.checkout()


def test_rows_of_everything_tell_their_circuits_apart() -> None:
    """One or two engines, `basic` or not: circuits of one name, level and width."""
    page = (readme.checkout() / "docs" / "measured.md").read_text()
    rows = page.split("<!-- generated:measured -->")[1].splitlines()[3:-1]
    named = [tuple(row.split(" | ")[:4]) for row in rows if row.startswith("| ")]
    assert len(named) > 100
    assert len(set(named)) == len(named)
