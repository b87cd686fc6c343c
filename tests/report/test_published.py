# SPDX-License-Identifier: Apache-2.0
"""The files of published figures: reasons, remarks, corrected misprints, the rule of the CLBs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
import tomli

from modfab.flow.store import newest, read_folder
from modfab.paths import docs_dir, results_dir
from modfab.report.clb import RULE, clbs
from modfab.report.compare import compare
from modfab.report.published import Row, published_dir, read_published
from modfab.report.remarks import read_remarks


def _stem(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", sorted(published_dir().glob("*.toml")), ids=_stem)
def test_every_published_file_can_be_read(path: Path) -> None:
    paper = read_published(path.stem)
    assert paper.rows
    for row in paper.rows:
        theirs = row.figure("cycles")
        fewer = row.ours is not None and theirs is not None and row.ours.cycles < theirs
        needed = fewer or row.ours is None
        assert needed == bool(row.why), f"{row.title}: a reason when we are lower or have nothing"


@pytest.mark.parametrize("path", sorted(published_dir().glob("*.toml")), ids=_stem)
def test_every_row_says_what_is_not_like_for_like(path: Path) -> None:
    paper = read_published(path.stem)
    titles = [row.title for row in paper.rows]
    assert len(set(titles)) == len(titles)
    used = {remark for row in paper.rows for remark in row.remarks}
    known = read_remarks(tomli.loads(path.read_text()))
    assert used == set(known.values()), "a remark that no row has"
    for row in paper.rows:
        kinds = {remark.kind for remark in row.remarks}
        assert kinds, f"{row.title} has no remark"
        assert bool(row.corrected) <= ("misprint" in kinds)
        if row.ours and row.figures.keys() & {"clb", "slices"}:
            assert "estimate" in kinds, f"{row.title}: our CLBs and slices are an estimate"
        if row.ours and row.ours.work == "rsa":
            assert "method" in kinds, f"{row.title}: the RSA core does more than the paper counts"
        assert row.ours or kinds & {"other-design", "method"}


SENTENCE = re.compile(r"[A-Z0-9`\[].*\.$")


@pytest.mark.parametrize("path", sorted(published_dir().glob("*.toml")), ids=_stem)
def test_reasons_and_remarks_are_sentences(path: Path) -> None:
    rows = read_published(path.stem).rows
    texts = [text for row in rows for text in (row.why, *(r.text for r in row.remarks)) if text]
    assert [text for text in texts if not SENTENCE.match(text)] == []


def test_rule_of_the_clbs_is_the_one_that_the_rows_state() -> None:
    (area,) = {
        r for row in read_published("blum-paar").rows for r in row.remarks if "CLB" in r.text
    }
    assert area.text.startswith(RULE)


PAPERS = ("nakano", "qureshi", "nguyen-pham", "liao-chen", "blum-paar")


def clock_mhz(row: Row, rows: Sequence[Row]) -> float:
    """A row's clock, or that of Table 1 for the same design where a table prints times only."""
    return row.mhz or next(one.mhz for one in rows if one.design == row.design and one.mhz) or 0


def test_corrected_figures_follow_from_the_papers_others() -> None:
    """What replaces a misprint is what cycles and clock, or the paper's formula, give."""
    fixed = 0
    for rows in (read_published(name).rows for name in PAPERS):
        for row in (row for row in rows if row.corrected):
            fixed += 1
            values, digits = dict(row.corrected), row.num_bits // 16 + 1
            if "area_time" in values:
                area = row.figures["lut"] + row.figures["ff"]
                wanted = area * row.figures["time_us"] / 1000
                assert values.pop("area_time") == pytest.approx(wanted, rel=1e-3), row.title
                continue
            cycles, mhz = row.figure("cycles"), clock_mhz(row, rows)
            assert cycles
            if "time_us" in values:
                assert values["time_us"] == pytest.approx(cycles / mhz, rel=1e-3), row.title
            if "per_second" in values:
                assert values["per_second"] == pytest.approx(1e6 * mhz / cycles, rel=1e-4)
            if row.ours and row.ours.exponent == 65537:
                assert (row.figures["cycles"], cycles) == (22 * digits, 23 * digits)
            elif "cycles" in values:
                assert cycles == (1.5 * row.num_bits + 2) * digits, row.title
                assert row.figures["cycles"] == 1.5 * row.num_bits * digits, row.title
    assert fixed == 10


def test_printed_times_follow_from_cycles_and_clock() -> None:
    """Within a microsecond or what three digits leave out, but for what is corrected."""
    seen = 0
    for rows in (read_published(name).rows for name in PAPERS):
        for row in rows:
            time_us, cycles = row.figures.get("time_us"), row.figures.get("cycles")
            if not time_us or not cycles or not row.mhz or "time_us" in row.corrected:
                continue
            seen += 1
            assert time_us == pytest.approx(cycles / row.mhz, rel=0.006, abs=1.0), row.title
    assert seen > 40


def test_gains_that_nguyen_and_pham_print_belong_to_these_rows() -> None:
    fifth, second, own = read_published("nguyen-pham").rows
    area = {row: row.figures["lut"] + row.figures["ff"] for row in (fifth, second, own)}
    time_us = {row: row.figures["time_us"] for row in (fifth, second, own)}
    assert 1 - area[own] / area[fifth] == pytest.approx(0.099, abs=5e-4)
    assert time_us[fifth] / time_us[own] == pytest.approx(1.32, abs=5e-3)
    assert 1 - area[own] / area[second] == pytest.approx(0.227, abs=5e-4)
    assert time_us[second] / time_us[own] == pytest.approx(1.27, abs=5e-3)
    assert 1 - time_us[own] / time_us[second] == pytest.approx(0.213, abs=5e-4)


@pytest.mark.parametrize(
    ("given", "want"),
    [
        ((4, 0, 0), 2),
        ((5, 0, 0), 3),
        ((6, 0, 2), 2),  # both LUTs of four inputs and the third of every CLB
        ((6, 0, 6), 2),
        ((2, 9, 0), 5),
        ((0, 0, 0), 0),
    ],
)
def test_clb_rule(given: tuple[int, int, int], want: int) -> None:
    assert clbs(*given) == want


def test_what_does_not_fit_the_device_of_nakano_says_so() -> None:
    stored = newest(read_folder(results_dir()))
    known = []
    for row in read_published("nakano").rows:
        found = compare(row, stored)
        if row.device.startswith("XC2VP30") and found.area:
            texts = " ".join(remark.text for remark in row.remarks)
            known.append((found.area["slices"], re.search(r"the ([\d,]+) slices of an XC", texts)))
    (slices,) = {int(said[1].replace(",", "")) for _, said in known if said}
    assert all((ours > slices) == bool(said) for ours, said in known)


def test_the_page_of_papers_names_those_that_can_be_compared() -> None:
    page = (docs_dir() / "papers.md").read_text(encoding="utf-8")
    (said,) = re.findall(r"beside every row; P is (.*?)\. Under", page, re.DOTALL)
    named = set(re.findall(r"`([\w-]+)`", said))
    assert named == {path.stem for path in published_dir().glob("*.toml")}
