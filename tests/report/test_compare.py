# SPDX-License-Identifier: Apache-2.0
"""Ours beside published figures: data files, choice of measurements, the command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from modfab.errors import UsageError
from modfab.flow.record import Record, Request
from modfab.flow.store import Store
from modfab.report.circuit import Frequency
from modfab.report.compare import ROUTED, Comparison, command, compare
from modfab.report.published import Row, read_published
from tests.support.cli import run_cli

SMALL = """
paper = "small"
note = "Only for this test."
device = "their device"
family = "xc7"
num_bits = 64
remarks = ["shared"]

[remark.shared]
kind = "estimate"
text = "Theirs is estimated."

[remark.wrong]
kind = "misprint"
text = "A thousand more are printed."

[[row]]
table = "1"
design = "with ours"
cycles = 10000
clock_ns = 10.0
lut = 3000
ff = 1000
ours = { engine = "mod_product", sequencer = "r2l", params = { ClocksPerStep = 2 } }
why = "Because."

[[row]]
table = "1"
design = "a product"
work = "mul"
cycles = 99
mhz = 50.0
time_us = 2.0
corrected = { time_us = 4.0 }
ours = { engine = "bit_serial" }
form = "Variant 2"
remarks = ["wrong"]

[[row]]
table = "2"
design = "theirs alone"
num_bits = 32
per_second = 1000
why = "Nothing of ours does that."
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "small.toml").write_text(SMALL)
    return tmp_path


@pytest.fixture
def row(folder: Path) -> Row:
    return read_published("small", folder).rows[0]


def record(row: Row, target: str, seed: int | None = None, mhz: float | None = None) -> Record:
    assert row.ours
    config = row.ours.core.unit
    request = Request(
        engine=config.engine.name,
        sequencer=config.sequencer_name,
        level=row.ours.level,
        params=dict(config.params),
        exp_bits=config.exp_bits,
        target=target,
        seed=seed,
        freq_mhz=None if seed is None else 100.0,
    )
    area = {"lut": 1500, "ff": 400, "multipliers": 2, "block_rams": 0}
    return Record(
        request, "rtl", {}, "", "2026-01-02T00:00:00Z", {}, area, {}, mhz, {}, {"text": ""}, 1.0
    )


# ---- data ----
def test_rows_of_a_file(folder: Path) -> None:
    paper = read_published("small", folder)
    assert (paper.name, paper.note) == ("small", "Only for this test.")
    exponentiation, product, alone = paper.rows
    assert (exponentiation.mhz, exponentiation.time_us) == (100.0, 100.0)
    assert (product.mhz, product.figures["time_us"], product.time_us) == (50.0, 2.0, 4.0)
    assert (exponentiation.title, product.title) == ("1 with ours", "1 a product (Variant 2)")
    kinds = [[remark.kind for remark in row.remarks] for row in paper.rows]
    assert kinds == [["estimate"], ["estimate", "misprint"], []]
    assert (alone.mhz, alone.time_us, alone.ours, alone.num_bits) == (None, 1000.0, None, 32)
    assert exponentiation.ours
    assert product.ours
    assert exponentiation.ours.cycles == 128 * 130 + 2
    assert product.ours.cycles == 66
    assert replace(product.ours, work="mul2").cycles == 2 * 66, "one after the other"


def test_unknown_paper(folder: Path) -> None:
    with pytest.raises(UsageError, match="no figures of a paper 'none'; choose one of small"):
        read_published("none", folder)


BAD_REMARKS = [
    ('[remark.x]\nkind = "interval"\n', "Remark 'x' of the paper 'small'"),
    ('[remark.x]\nkind = "locked"\ntext = "T."\n', "a kind out of interval, latency"),
    ('[remark.x]\nkind = "rumour"\ntext = "T."\n', "'kind': 'rumour'"),
]


@pytest.mark.parametrize(("text", "reason"), BAD_REMARKS, ids=["no text", "measured", "unknown"])
def test_bad_remark_is_named(folder: Path, text: str, reason: str) -> None:
    (folder / "small.toml").write_text(SMALL.replace("[[row]]", text + "\n[[row]]", 1))
    with pytest.raises(UsageError) as error:
        read_published("small", folder)
    assert reason in str(error.value)


def test_a_row_with_an_unknown_remark_is_named(folder: Path) -> None:
    (folder / "small.toml").write_text(SMALL + 'remarks = ["nobody"]\n')
    with pytest.raises(UsageError, match=r"Row 3 of small\.toml.*no remark nobody"):
        read_published("small", folder)


@pytest.mark.parametrize(
    ("line", "reason"),
    [('design = "with ours"', "'design'"), ("cycles = 10000", "")],
    ids=["missing", "unknown"],
)
def test_bad_row_is_named(folder: Path, line: str, reason: str) -> None:
    replacement = "" if reason else "wheels = 4"
    (folder / "small.toml").write_text(SMALL.replace(line, replacement))
    with pytest.raises(UsageError, match=r"Row 1 of small\.toml cannot be read") as error:
        read_published("small", folder)
    assert (reason or "unknown: wheels") in str(error.value)


# ---- comparison ----
def test_nothing_is_measured_yet(row: Row) -> None:
    found = compare(row, [])
    assert found.cycles == 128 * 130 + 2
    assert found.setup_cycles == 4
    assert found.cycle_ratio == pytest.approx(10000 / found.cycles)
    corrected = compare(replace(row, corrected={"cycles": 20000}), [])
    assert corrected.cycle_ratio == pytest.approx(20000 / found.cycles)
    assert (found.area, found.mhz, found.time_us, found.time_ratio) == ({}, None, None, None)
    words = "modfab synth --engine mod_product --bits 64 -P ClocksPerStep=2 --level modexp"
    assert found.to_measure == (
        f"{words} --sequencer r2l --target xc7",
        f"{words} --sequencer r2l --target {ROUTED} --route",
    )


@pytest.mark.parametrize(("name", "right"), [("clock_ns", 5.0), ("mhz", 200.0)])
def test_a_misprinted_frequency_gives_no_time(row: Row, name: str, right: float) -> None:
    figures = {"cycles": 10000, name: 2 * right}
    printed = replace(row, figures=figures, corrected={name: right})
    assert (printed.mhz, printed.time_us) == (200.0, 50.0)


def test_a_misprinted_area_gives_no_ratio(row: Row) -> None:
    found = compare(replace(row, corrected={"lut": 1500}), [record(row, "xc7")])
    assert (found.area_ratio("lut"), found.area_ratio("ff")) == (1.0, 2.5)


def kinds(found: Comparison) -> list[str]:
    return [remark.kind for remark in found.remarks]


def test_what_is_not_measured_is_said_under_the_row(row: Row) -> None:
    nothing, area = compare(row, []), compare(row, [record(row, "xc7")])
    assert nothing.remarks[-1].text == (
        f"Not measured for this circuit: area on xc7 and frequency and time on {ROUTED}."
    )
    assert (
        area.remarks[-1].text == f"Not measured for this circuit: frequency and time on {ROUTED}."
    )
    whole = compare(row, [record(row, "xc7"), record(row, ROUTED, 1, 90.0)])
    assert kinds(whole) == ["estimate", "locked"]
    assert "where the placer put them" in whole.remarks[-1].text


def test_locked_multipliers_are_said_under_the_row(row: Row) -> None:
    run = record(row, ROUTED, 1, 90.0)
    run = replace(run, request=replace(run.request, locked=True))
    found = compare(row, [record(row, "xc7"), run])
    assert "locked to sites" in found.remarks[-1].text
    no_multipliers = replace(record(row, "xc7"), area={**record(row, "xc7").area, "multipliers": 0})
    assert kinds(compare(row, [no_multipliers, run])) == ["estimate"]


def test_clbs_are_estimated_where_luts_have_four_inputs(row: Row) -> None:
    assert "clb" not in compare(row, [record(row, "xc7")]).area
    small = replace(row, family=ROUTED, figures={**row.figures, "clb": 1500})
    found = compare(small, [record(small, ROUTED, 1, 90.0)])
    assert found.area["clb"] == 750
    assert found.area_ratio("clb") == 2.0


def test_median_of_the_seeds_of_the_newest_rtl(row: Row) -> None:
    runs = [record(row, ROUTED, seed, mhz) for seed, mhz in ((1, 90.0), (2, 110.0), (3, 101.0))]
    old = replace(record(row, ROUTED, 4, 500.0), circuit="old", date="2025-01-01T00:00:00Z")
    other = replace(runs[0].request, level="engine")
    wrong = replace(record(row, ROUTED, 5, 700.0), request=other)
    found = compare(row, [old, wrong, *runs, record(row, "xc7")])
    assert (found.mhz, found.frequency) == (101.0, Frequency(101.0, 3, "modexp"))
    assert found.time_us == pytest.approx((128 * 130 + 2) / 101.0)
    assert found.time_ratio == pytest.approx(100.0 / (found.time_us or 0))
    assert found.area == {"lut": 1500, "ff": 400, "dsp": 2, "bram": 0, "slices": 375}
    assert (found.area_ratio("lut"), found.area_ratio("dsp")) == (2.0, None)
    assert found.to_measure == ()


def test_area_is_that_of_the_newest_measurement(folder: Path) -> None:
    """An engine alone is one circuit, whatever its record says of a sequencer."""
    product = read_published("small", folder).rows[1]
    new, old = record(product, "xc7"), record(product, "xc7")
    old = replace(old, request=replace(old.request, sequencer="ladder"))
    old = replace(old, date="2025-01-01T00:00:00Z", area={**old.area, "lut": 1})
    for known in ([old, new], [new, old]):
        assert compare(product, known).area["lut"] == 1500


def test_an_engine_alone_gives_an_exponentiation_no_time(row: Row) -> None:
    alone = record(row, ROUTED, 1, 229.6)
    other = [
        replace(alone, request=replace(alone.request, level="engine")),
        replace(alone, request=replace(alone.request, level="modexp_axil")),
        replace(alone, request=replace(alone.request, sequencer="ladder")),
        replace(alone, cycles={"exp": 1}),
    ]
    found = compare(row, [*other, record(row, "xc7")])
    assert (found.frequency, found.mhz, found.time_us, found.time_ratio) == (None,) * 4
    (words,) = found.to_measure
    assert words.endswith(f"--level modexp --sequencer r2l --target {ROUTED} --route")


def test_a_level_that_does_not_do_the_work_is_refused(folder: Path) -> None:
    text = SMALL.replace('sequencer = "r2l",', 'sequencer = "r2l", level = "engine",')
    (folder / "small.toml").write_text(text)
    with pytest.raises(UsageError, match="level engine does not do exp, modexp_axil, modexp do"):
        read_published("small", folder)


def test_a_row_without_ours(folder: Path) -> None:
    found = compare(read_published("small", folder).rows[2], [])
    assert (found.cycles, found.cycle_ratio, found.to_measure) == (None, None, ())


def test_command_of_a_product(folder: Path) -> None:
    ours = read_published("small", folder).rows[1].ours
    assert ours
    assert command(ours, "xc7") == "modfab synth --engine bit_serial --bits 64 --target xc7"


# ---- command ----
@pytest.fixture
def used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MODFAB_DATA", str(folder / "data"))
    monkeypatch.setattr("modfab.cli.compare_cmd.published_dir", lambda: folder)
    monkeypatch.setattr("modfab.flow.store.results_dir", lambda: folder.parent)
    return folder


def test_json(
    used: Path, row: Row, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Store().add(record(row, "xc7"))
    Store().add(record(row, ROUTED, 1, 64.0))
    assert run_cli(monkeypatch, "compare", "--paper", "small", "--json") == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["paper"], data["note"]) == ("small", "Only for this test.")
    first, product, alone = data["rows"]
    assert first["modfab"]["mhz"] == 64.0
    assert (first["modfab"]["level"], first["modfab"]["num_seeds"]) == ("modexp", 1)
    assert (product["modfab"]["level"], product["modfab"]["time_us"]) == ("engine", None)
    assert first["modfab"]["area"]["lut"] == 1500
    assert first["ratio"]["lut"] == 2.0
    assert first["paper"]["cycles"] == 10000
    assert product["modfab"]["to_measure"]
    assert alone["modfab"] is None
    assert alone["why"] == "Nothing of ours does that."
    assert first["remarks"] == [
        {"kind": "estimate", "text": "Theirs is estimated."},
        {
            "kind": "locked",
            "text": "Our frequency has the multipliers where the placer put them.",
        },
    ]
    assert [remark["kind"] for remark in product["remarks"]] == [
        *("estimate", "misprint", "unmeasured")
    ]
    assert (product["form"], product["corrected"]) == ("Variant 2", {"time_us": 4.0})


def test_tables(
    used: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    assert run_cli(monkeypatch, "compare", "--paper", "small") == 0
    text = capsys.readouterr().out
    assert "theirs on their device, ours routed on ecp5-85k" in text
    assert "16,642" in text
    heading = text[text.index("area: theirs as printed") :].splitlines()[2]
    assert "LUT" in heading.split(), "a column for what one row has"
    assert "Only for this test." in text
    assert "1 with ours:\n  Because.\n  estimate: Theirs is estimated.\n" in text
    assert "1 a product (Variant 2):\n  estimate: Theirs is estimated.\n  misprint: " in text
    assert "2 theirs alone:\n  Nothing of ours does that.\n" in text
    assert "modfab synth --engine bit_serial --bits 64 --target xc7" in text


def test_paper_that_is_not_there(
    used: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(monkeypatch, "compare", "--paper", "other") == 2
    assert "choose one of small" in capsys.readouterr().err
