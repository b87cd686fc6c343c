# SPDX-License-Identifier: Apache-2.0
"""The report's files: complete, linked, without stale figures, written whole or not at all."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from modfab.build.core import modexp_core
from modfab.catalog import ENGINES
from modfab.errors import MachineError, ToolError, UsageError
from modfab.flow.floorplan import floorplan_of
from modfab.flow.store import Store
from modfab.flow.stored import current
from modfab.pages.web import points, site
from modfab.pages.web.papers import sheets, tables
from modfab.pages.web.points import point_of, points_of
from modfab.pages.web.sections import KINDS, record_page
from modfab.pages.web.site import MARK, report_files, write_report
from modfab.pages.web.texts import assessments
from modfab.paths import docs_dir
from modfab.report.published import published_dir
from tests.pages.report_records import STALE_LUT, STALE_MHZ, broken_links, records
from tests.support.cli import run_cli


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    return report_files(records())


def test_assessments_have_a_page(tmp_path: Path, files: dict[str, str]) -> None:
    (tmp_path / "leak.md").write_text("# Leak\n")
    made = site._Site([], [], [])
    made.texts(tmp_path)
    assert "<h1>Leak</h1>" in made.files["assessment.html"]
    assert "no assessment results" in files["assessment.html"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("report") / "site"
    write_report(place, records())
    return place


def test_every_engine_core_paper_and_measurement_has_a_page(files: dict[str, str]) -> None:
    papers = [path.stem for path in published_dir().glob("*.toml")]
    wanted = {f"engine/{name}.html" for name in ENGINES} | {f"core/{kind}.html" for kind in KINDS}
    wanted |= {f"paper/{name}.html" for name in papers}
    wanted |= {f"record/{point.slug}.html" for point in points_of(records())}
    assert wanted <= set(files)
    assert len(papers) >= 6
    assert sum(name.startswith("record/") for name in files) == len(records()) - 1


def test_links_lead_somewhere_inside(folder: Path) -> None:
    assert broken_links(folder) == []


def test_nothing_is_asked_of_a_network(folder: Path) -> None:
    for path in [*folder.rglob("*.html"), *folder.rglob("*.css")]:
        assert not re.search(r"(?:src|href|url)\W{1,2}(?:https?:)?//", path.read_text()), path


def test_the_same_records_give_the_same_bytes(files: dict[str, str]) -> None:
    assert report_files(records()) == files


def test_a_stale_figure_is_nowhere_but_its_command_is(files: dict[str, str]) -> None:
    for text in files.values():
        assert str(STALE_MHZ) not in text
        assert str(STALE_LUT) not in text
        assert f"{STALE_LUT:,}" not in text
    assert "modfab synth --engine booth16 --bits 256" in files["stale.html"]
    assert "another one than at revision abc" in files["stale.html"]
    assert "modfab synth --engine booth16" in files["engine/booth16.html"]


def test_a_record_has_its_command_and_its_text(files: dict[str, str]) -> None:
    for point in points_of(records()):
        page = files[f"record/{point.slug}.html"]
        assert point.measure in page
        assert point.build in page
        assert point.found.synthesis.circuit in page
        assert ("MHz after routing" in page) is (point.found.mhz is not None)


def test_figures_of_a_point() -> None:
    by_level = {point.request.level: point for point in points_of(records())}
    farm, core = by_level["farm_axil"], by_level["rsa_axil"]
    assert farm.found.mhz
    assert farm.stream_us == pytest.approx(farm.stream_cycles / farm.found.mhz)
    assert farm.stream_cycles < core.cycles / 2  # three at work
    assert "--core farm" in farm.build
    pair = next(p for p in points_of(records()) if p.request.engine == "qp_systolic")
    assert pair.stream_cycles == pair.core.cycles()["mul2"] / 2 < pair.cycles
    alone = modexp_core("qp_systolic", 256, {}, "ladder")  # has a pair too, which is not its work
    assert points._stream_cycles(alone, alone.cycles()["exp"]) == alone.cycles()["exp"]
    assert by_level["engine"].build == ""


def test_a_point_of_several_seeds_has_their_median_and_the_path_of_the_slowest() -> None:
    pair = next(one for one in records() if one.request.engine == "qp_systolic")
    runs = [
        replace(
            pair,
            mhz=mhz,
            date=f"2026-01-0{seed}T00:00:00Z",
            path={"text": f"path {seed}"},
            request=replace(pair.request, seed=seed),
            revision="abc+",
        )
        for seed, mhz in ((1, 200.0), (2, 100.0), (3, 250.0))
    ]
    (point,) = points_of(runs)
    page = record_page(point)
    figures = dict(page["figures"])
    assert figures["MHz after routing"] == "200.0, median of 3 seeds"
    assert figures["operations a second"] == f"{200e6 / point.stream_cycles:,.0f}"
    assert figures["revision"] == "abc with changes that were not committed"
    assert (page["critical"], point.date) == ("path 2", "2026-01-03")
    assert [row[:2] for row in page["runs"]] == [("1", "200.0"), ("2", "100.0"), ("3", "250.0")]
    mixed = points_of([runs[0], replace(runs[1], revision="abd")])[0]
    assert dict(record_page(mixed)["figures"])["revision"] == f"{figures['revision']}, abd"
    in_a_stream = "cycles per operation in a stream"
    for cycles, text in ((1_234_567.5, "1,234,567.5"), (1_234_567.0, "1,234,567")):
        found = dict(record_page(replace(point, stream_cycles=cycles))["figures"])
        assert found[in_a_stream] == text
    (alone,) = points_of(runs[:1])
    assert dict(record_page(alone)["figures"])["MHz after routing"] == "200.0, 1 seed"


def test_cycles_of_another_circuit_make_no_point() -> None:
    one = records()[0]
    assert point_of(current([one])[0])
    assert point_of(current([replace(one, cycles=one.cycles | {"mul": 1})])[0]) is None


def test_papers_show_what_compare_finds() -> None:
    sheet = next(sheet for sheet in sheets(records()) if sheet.name == "qureshi")
    (_, _, cycles), (_, _, times), *_ = tables(sheet)
    ours = [one for one in sheet.rows if one.row.ours]
    assert ours
    for one, line, time in zip(sheet.rows, cycles, times, strict=True):
        assert line.cells[1] == ("-" if one.cycles is None else f"{one.cycles:,}")
        assert (time.cells[4] == "-") is (one.time_us is None)
        assert all(1 <= mark <= len(sheet.remarks) for mark in line.marks)
    assert any(one.time_us for one in sheet.rows)
    printed = next(sheet for sheet in sheets([]) if sheet.name == "nakano")
    assert any(text.startswith("Misprinted: ") for text in printed.remarks)


def test_floorplans_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODFAB_CACHE", str(tmp_path))
    one = records()[0]
    plan = floorplan_of(one)
    plan.parent.mkdir(parents=True)
    plan.write_text("<svg/>")
    made = report_files([one])
    (name,) = (name for name in made if name.startswith("floorplan/"))
    assert made[name] == "<svg/>"
    assert name in made["floorplans.html"]
    assert f"../{name}" in next(made[page] for page in made if page.startswith("record/"))


def test_assessments_are_shown_and_cannot_run(tmp_path: Path) -> None:
    (tmp_path / "leak.md").write_text("# Leak\n\n<script>alert(1)</script>\n")
    rows = [{"model": "stuck", "wrong": 0}, {"model": "<b>", "runs": 20_000}]
    (tmp_path / "faults.json").write_text(json.dumps({"seed": 7, "faults": rows, "t": [1, 2]}))
    faults, leak = assessments(tmp_path)
    assert "<script>" not in leak
    assert "<h1>Leak</h1>" in leak
    assert "&lt;b&gt;" in faults
    assert "20000" in faults
    assert assessments(tmp_path / "none") == []
    (own,) = assessments(docs_dir() / "assessment.md")
    assert "<table>" in own
    assert "href" not in own
    (tmp_path / "faults.json").write_text("{")
    with pytest.raises(UsageError, match=r"Expected JSON in .*faults\.json.* write it again"):
        assessments(tmp_path)
    (tmp_path / "faults.json").unlink()
    (tmp_path / "leak.md").write_bytes(b"\xff")
    with pytest.raises(UsageError, match=r"Expected Markdown in .*leak\.md.* write it again"):
        assessments(tmp_path)


def test_without_measurements_each_page_says_how(tmp_path: Path) -> None:
    write_report(tmp_path / "site", [])
    assert broken_links(tmp_path / "site") == []
    page = (tmp_path / "site/engine/sos.html").read_text()
    assert "Nothing valid is measured here yet." in page
    assert "modfab synth --engine sos" in page


def test_an_older_report_is_replaced_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "site"
    small = {"index.html": "first", "assets/report.js": ""}
    made = small | {"left.html": "from before"}
    monkeypatch.setattr(site, "report_files", lambda records, assessment: made)
    place.mkdir()
    write_report(place, [])
    assert (place / "left.html").is_file()
    del made["left.html"]
    files = write_report(place, [])
    assert not (place / "left.html").exists()
    found = [path.relative_to(place) for path in place.rglob("*") if path.is_file()]
    assert {path.as_posix() for path in found} == set(files)
    monkeypatch.setattr(site, "plotly_script", lambda: tmp_path / "missing.js")
    with pytest.raises(MachineError, match=r"cannot be written to .*site .*; make room"):
        write_report(place, [])
    assert (place / "index.html").is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
    (place / MARK.name).unlink()
    with pytest.raises(UsageError, match=r"site/assets is not from one; .* with -o\."):
        write_report(place, [])
    with pytest.raises(UsageError, match=r"Expected a folder, but .*index\.html is a file; choose"):
        write_report(place / "index.html", [])


OLD_MARK = "Made by modfab report; the next one replaces this folder.\n"


@pytest.mark.parametrize("mark", [None, OLD_MARK, ""], ids=["listed", "old", "empty"])
@pytest.mark.parametrize("name", ["mine.txt", "engine/mine.txt", "record/mine/a.html", "my/link"])
def test_a_file_of_the_user_in_a_report_stays(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str | None, name: str
) -> None:
    """An older report is known by its files' names, one of today by the list in its mark."""
    place = tmp_path / "site"
    shutil.copytree(folder, place)
    if mark is not None:
        (place / MARK.name).write_text(mark)
    assert MARK.foreign_file(place) is None
    mine = place / name
    mine.parent.mkdir(exist_ok=True)
    if name == "my/link":
        mine.symlink_to(folder)
    else:
        mine.write_text("mine")
    before = sorted(place.rglob("*"))
    monkeypatch.setattr(site, "plotly_script", None)
    text = f"replaces nothing but a report, and .*site/{name} is not from one; take it away, or"
    with pytest.raises(UsageError, match=text):
        write_report(place, [])
    assert sorted(place.rglob("*")) == before


def test_without_plotly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ToolError, match=r"plotly, which was not found; run"):
        site.plotly_script()


def test_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MODFAB_DATA", str(tmp_path))
    monkeypatch.setattr("modfab.flow.store.results_dir", lambda: tmp_path / "results")
    for one in records():
        Store().add(one)
    assert run_cli(monkeypatch, "report", "-o", str(tmp_path / "site")) == 0
    assert str(tmp_path / "site/index.html") in capsys.readouterr().out
    assert "qp_systolic" in (tmp_path / "site/measurements.html").read_text()
    words = "report", "-o", str(tmp_path / "site"), "--assessment", str(tmp_path / "none")
    assert run_cli(monkeypatch, *words) == 2
    assert "Expected a folder of assessment results" in capsys.readouterr().err
