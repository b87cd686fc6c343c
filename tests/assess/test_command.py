# SPDX-License-Identifier: Apache-2.0
"""`modfab assess` and the files of its folder; no campaign of these tests simulates anything."""

from __future__ import annotations

import importlib.util
import json
import os
import re
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modfab.assess.campaign import described
from modfab.assess.shell import COLUMNS
from modfab.cli import assess_cmd
from modfab.cli.assess_report import write_report
from modfab.errors import MachineError
from tests.support.cli import run_cli

Assess = Callable[..., int]


@pytest.fixture
def ran() -> list[str]:
    """The campaigns that ran."""
    return []


@pytest.fixture
def assess(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ran: list[str]) -> Assess:
    """The command, with reports that cost nothing."""

    def reported(name: str) -> Callable[..., dict[str, Any]]:
        def run(first: Any, *others: Any) -> dict[str, Any]:
            ran.append(name)
            timing = name == "timing"
            core, seed = (first, others[1]) if timing else (first.core, first.seed)
            told = described(core) | ({"cores": others[0]} if name == "farm" else {})
            report = {"core": told, "seed": seed, "seconds": 0, "rows": {}, "bus": {}, "found": []}
            return report | {"models": {"a": dict.fromkeys(COLUMNS, 0)}}

        return run

    runs = {"timing": "run_timing", "faults": "run_campaign", "shell": "run_shell"}
    runs |= {"farm": "run_farm", "leakage": "_run_leakage"}
    for name, run in runs.items():
        monkeypatch.setattr(assess_cmd, run, reported(name))
    monkeypatch.setattr(assess_cmd, "tables", lambda name, report: [])
    monkeypatch.setattr("modfab.assess.page.tables", lambda name, report: [])
    folder = str(tmp_path)
    return lambda *words: run_cli(monkeypatch, "assess", *words, "--bits", "128", "-o", folder)


@pytest.mark.parametrize("words", ["timing", "faults", "shell", "leakage", "faults --core farm"])
def test_a_report_of_another_core_or_seed_stays(
    words: str,
    assess: Assess,
    ran: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert assess(*words.split()) == 0
    (report,) = tmp_path.glob("*.json")
    kept = report.read_bytes()
    others = [["--seed", "2"], ["--build", "basic"], ["-P", "BitsPerClock=8"]]
    others += [["--rsa", "cores=3"]] if "farm" in words else []
    for other in others:
        assert assess(*words.split(), *other) == 2
        text = " ".join(capsys.readouterr().err.split())
        assert f"{report} is of another core or seed" in text
        assert "choose another folder with -o" in text
    assert report.read_bytes() == kept
    assert len(ran) == 1
    assert assess(*words.split()) == 0, "the same command goes on, or replaces its own report"
    assert len(ran) == 2


def test_all_looks_at_every_report_before_the_first_campaign(
    assess: Assess, ran: list[str], tmp_path: Path
) -> None:
    assert assess("all") == 0
    assert ran == ["timing", "faults", "shell", "leakage"]
    ran.clear()
    (tmp_path / "timing.json").unlink()
    assert assess("all", "--seed", "2") == 2
    for name in ("timing", "faults", "shell"):
        (tmp_path / f"{name}.json").unlink(missing_ok=True)
    assert assess("all", "--seed", "2") == 2
    assert not ran
    (tmp_path / "leakage.json").unlink()
    assert assess("all", "--seed", "2") == 0


@pytest.mark.parametrize("what", ["faults", "leakage"])
def test_a_campaign_that_has_not_reported_yet_stays_too(
    what: str, assess: Assess, ran: list[str], tmp_path: Path
) -> None:
    assert assess(what) == 0
    report = json.loads((tmp_path / f"{what}.json").read_text())
    (tmp_path / f"{what}.json").unlink()
    head = json.dumps({"core": report["core"], "seed": report["seed"]})
    if what == "faults":
        (tmp_path / "faults.jsonl").write_text(f"{head}\n")
    else:
        np.savez_compressed(tmp_path / "leakage-message.npz", identity=np.array(head))
    assert assess("all", "--seed", "2") == 2
    assert ran == [what]
    assert assess("all") == 0
    assert len(ran) == 5


@pytest.mark.parametrize("name", ["shell.json", "faults.jsonl", "leakage-message.npz"])
@pytest.mark.parametrize("content", [b"", b"a", b'{"core": {}}\n', b"[]\n", b"\xff\n"])
def test_what_is_no_report_is_not_replaced(
    name: str,
    content: bytes,
    assess: Assess,
    ran: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / name).write_bytes(content)
    cut = name == "faults.jsonl" and not content.endswith(b"\n")  # nothing of it is kept
    assert assess(Path(name).stem.partition("-")[0]) == (0 if cut else 2)
    if not cut:
        text = " ".join(capsys.readouterr().err.split())
        assert f"Expected a report of modfab assess in {tmp_path / name}" in text
        assert not ran
        assert (tmp_path / name).read_bytes() == content


def test_what_a_report_needs_is_looked_for_first(
    assess: Assess,
    ran: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    find, missing = importlib.util.find_spec, ["matplotlib"]

    def found(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name in missing else find(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", found)
    for words in ("faults", "shell", "leakage", "all", "faults --core farm"):
        assert assess(*words.split()) == 3
        assert "Reports need matplotlib" in capsys.readouterr().err
    assert not ran
    assert assess("timing") == 0, "its page has no drawing"
    missing[:] = ["numpy"]
    assert assess("all") == 3
    assert "Leakage needs numpy" in capsys.readouterr().err
    assert ran == ["timing"]


def test_a_report_is_written_whole_or_not_at_all(
    assess: Assess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert assess("timing") == 0
    names = ["timing.html", "timing.json"]
    before = [(tmp_path / name).read_bytes() for name in names]
    report = json.loads(before[1])

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(MachineError, match="could not be written"):
        write_report(tmp_path, "timing", report | {"seconds": 9})
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert [(tmp_path / name).read_bytes() for name in names] == before


def test_the_options_reach_the_campaign(assess: Assess, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, tuple[Any, ...]] = {}
    for name, run in (("faults", "run_campaign"), ("leakage", "_run_leakage")):
        usual = getattr(assess_cmd, run)

        def noted(*words: Any, name: str = name, usual: Any = usual) -> Any:
            asked[name] = words
            return usual(*words)

        monkeypatch.setattr(assess_cmd, run, noted)
    assert assess("faults", *"--runs 7 --from 5 --seed 3 --time-limit 9".split()) == 0
    request = asked["faults"][0]
    assert (request.runs, request.first, request.seed, request.seconds) == (7, 5, 3, 9.0)
    assert assess("leakage", *"--seed 3 --noise 2 --points 300 --cpa-runs 60".split()) == 0
    assert asked["leakage"][2] == (2.0, 300, 60), "in the order of Settings"


def test_a_report_is_shown_as_tables(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    report = {"models": {"one_bit": {"runs": 30, "wrong": 1}}}
    assess_cmd._show("faults", report, tmp_path)
    shown = capsys.readouterr().out
    assert re.search(r"one_bit\W+30\W+1\b", shown)
    assert f"Report: {tmp_path / 'faults'}.html" in shown
