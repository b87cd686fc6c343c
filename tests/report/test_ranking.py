# SPDX-License-Identifier: Apache-2.0
"""The engines beside each other: area with its weights, lanes, order, drawing, command."""

from __future__ import annotations

import errno
import json
from dataclasses import replace
from pathlib import Path
from typing import NoReturn
from xml.etree import ElementTree

import pytest

from modfab.build.core import modexp_core
from modfab.catalog import ENGINES, get_sequencer
from modfab.errors import ToolError, UsageError
from modfab.flow.record import Record, Request
from modfab.flow.store import Store
from modfab.flow.targets import get_target
from modfab.pages.readme import ranking_block
from modfab.report.ranking import exp_text, missing_text, plot_svg, ranking, weights
from tests.support.cli import run_cli


def routed(engine: str, bits: int, lut: int, multipliers: int, mhz: float, seed: int = 1) -> Record:
    params = ENGINES[engine].resolve(bits)
    request = Request(engine, "", "engine", params, bits, "ecp5-85k", seed=seed, freq_mhz=200.0)
    area = {"lut": lut, "ff": 1, "multipliers": multipliers, "block_rams": 1}
    date = "2026-01-02T03:04:05Z"
    return Record(request, "d", {"yosys": "1"}, "r", date, {}, area, {}, mhz, {}, {}, 1.0)


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Record]:
    found = [
        *(
            routed("systolic", 64, 1000, 0, mhz, seed)
            for seed, mhz in enumerate((1.0, 100.0, 90.0))
        ),
        routed("sos", 64, 500, 7, 200.0),
        routed("sos", 128, 500, 7, 200.0),
    ]
    others = [
        replace(found[-1].request, level="modexp_axil"),
        replace(found[-1].request, target="ecp5-25k"),
    ]
    monkeypatch.setenv("MODFAB_DATA", str(tmp_path))
    monkeypatch.setattr("modfab.flow.store.results_dir", lambda: tmp_path / "results")
    store = Store()
    for record in [*found, *(replace(found[-1], request=other) for other in others)]:
        store.add(record)
    return store.records()


def test_a_pair_counts_as_two_products_and_frequency_is_the_median(records: list[Record]) -> None:
    systolic = next(e for e in ranking(records) if e.engine == "systolic")
    engine = ENGINES["systolic"]
    params = engine.resolve(64)
    assert systolic.mhz == 90.0
    assert systolic.num_seeds == 3
    assert systolic.cycles * 2 == engine.pair_cycles(params)
    assert systolic.product_us == systolic.cycles / 90
    ladder = get_sequencer("ladder").exp_cycles(engine, params, (1 << 64) - 1, 64)
    assert systolic.exp_cycles == ladder


def exponentiator(engine: str, bits: int, mhz: float, sequencer: str = "ladder") -> Record:
    """A routed exponentiator with an engine in its default form."""
    made = routed(engine, bits, 900, 0, mhz)
    params = dict(modexp_core(engine, bits, sequencer=sequencer).params)
    request = replace(made.request, level="modexp", sequencer=sequencer, params=params)
    return replace(made, request=request)


def test_an_exponentiation_has_a_time_only_where_the_exponentiator_was_routed(
    records: list[Record],
) -> None:
    others = [exponentiator("systolic", 64, 70.0, "window"), exponentiator("systolic", 128, 70.0)]
    for known in (records, [*records, *others]):
        (entry,) = (e for e in ranking(known, 64) if e.engine == "systolic")
        assert (entry.exp_frequency, entry.exp_ms, exp_text(entry)) == (None, None, "-")
        words = "modfab synth --engine systolic --bits 64 --level modexp --sequencer ladder"
        assert entry.to_measure == f"{words} --target ecp5-85k --route"
        assert "Exponentiators not routed: 2; for example `" in missing_text(ranking(known, 64))
        assert "exponentiation (level, seeds)" not in ranking_block(known)
    known = [*records, exponentiator("systolic", 64, 50.0)]
    (entry,) = (e for e in ranking(known, 64) if e.engine == "systolic")
    assert (entry.mhz, entry.exp_ms) == (90.0, entry.exp_cycles / 50 / 1000)
    assert exp_text(entry).endswith(" (modexp, 1)")
    text = ranking_block(known)
    assert "| ms per exponentiation (level, seeds) |" in text
    assert f"| {exp_text(entry)} |" in text
    assert missing_text([entry]) == ""
    assert "| engine | 64 |" in text
    assert "| engine | 128 |" not in text, "one engine has nothing beside it there"


def test_an_engine_with_other_cycles_than_today_is_left_out(records: list[Record]) -> None:
    older = [replace(record, cycles={"mul": 1}) for record in records]
    assert ranking(older) == []


def test_area_weighs_multipliers_and_memories_by_the_device(records: list[Record]) -> None:
    target = get_target("ecp5-85k")
    sos = next(e for e in ranking(records) if e.engine == "sos")
    cost = weights(target)
    assert cost["MULT18X18D"] * target.capacity["MULT18X18D"] == target.capacity["LUT4"]
    assert sos.area == float(500 + 7 * cost["MULT18X18D"] + cost["DP16KD"])
    assert sos.area_time == sos.area * sos.product_us


def test_the_best_of_a_width_comes_first_and_the_core_is_left_out(records: list[Record]) -> None:
    entries = ranking(records)
    assert [(e.num_bits, e.engine) for e in entries][-1] == (128, "sos")
    assert len(entries) == 3
    assert entries[0].area_time < entries[1].area_time
    slow, _, _ = reversed(ranking([*records, routed("bit_serial", 64, 400, 0, 10.0)], 64))
    assert slow.engine == "bit_serial", "the smallest, but not for its time"
    assert slow.area < entries[0].area
    assert [e.engine for e in ranking(records, 128)] == ["sos"]


def test_the_drawing_is_a_picture_and_the_same_every_time(records: list[Record]) -> None:
    text = plot_svg(ranking(records), "title & more")
    ElementTree.fromstring(text)
    assert text == plot_svg(ranking(records), "title & more")
    assert "systolic" in text


def test_the_command_prints_and_draws(
    records: list[Record],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    del records
    plot = tmp_path / "e.svg"
    assert run_cli(monkeypatch, "rank", "--bits", 64, "--plot", plot) == 0
    shown = capsys.readouterr().out
    heading = next(line for line in shown.splitlines() if "LUT4" in line)
    words = [word for word in heading.split() if word.isalnum()]
    assert words[:5] == ["bits", "engine", "LUT4", "mult", "RAM"]
    assert "systolic" in shown
    assert "90.0 (3)" in shown
    assert "level engine" in shown
    assert "modfab synth --engine" in shown
    assert "a multiplier counts 536" in " ".join(shown.split())
    assert plot.read_text().startswith("<?xml")
    assert run_cli(monkeypatch, "rank", "--bits", 64, "--json") == 0
    data = json.loads(capsys.readouterr().out)
    assert {entry["engine"] for entry in data} == {"sos", "systolic"}
    assert {(entry["level"], entry["exp_ms"]) for entry in data} == {("engine", None)}


def full(descriptor: int) -> NoReturn:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_what_cannot_be_done_is_said(
    records: list[Record],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    del records
    assert run_cli(monkeypatch, "rank", "--bits", 512) == UsageError.exit_code
    assert "No engine with 512 bits" in capsys.readouterr().err
    assert run_cli(monkeypatch, "rank", "--plot", tmp_path / "no" / "e.svg") == 2
    assert "The folder of the output" in capsys.readouterr().err
    plot = tmp_path / "e.svg"
    plot.write_text("<svg/>")
    monkeypatch.setattr("os.fsync", full)
    assert run_cli(monkeypatch, "rank", "--bits", 64, "--plot", plot) == 3
    assert "no part of it was kept" in capsys.readouterr().err
    assert plot.read_text() == "<svg/>"


def test_a_python_without_matplotlib_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ToolError, match=r"^Plots need matplotlib.*pip install 'modfab\[flow\]'"):
        plot_svg([], "title")
