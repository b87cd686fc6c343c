# SPDX-License-Identifier: Apache-2.0
"""What is typed reaches what computes: options that nothing else looks at."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

from modfab.build.core import Core
from modfab.build.rsa import rsa_core
from modfab.cli import board_cmd, build_cmd, keyload_cmd, results_cmd, sweep_cmd
from modfab.errors import UsageError
from modfab.flow.refresh import Outcome, stale_designs
from modfab.flow.resolve import measure_command_of
from modfab.flow.store import Store, export, read_folder
from modfab.flow.stored import medians
from modfab.flow.sweep.failures import Failure, Failures
from modfab.flow.sweep.spec import read_spec
from modfab.models.rsa.entry import RsaEntry
from modfab.report.fitting import cores_of
from tests.flow.test_refresh import stored
from tests.flow.test_store import record
from tests.report.test_choosing import stored as routed
from tests.report.test_fitting import core
from tests.support.cli import run_cli
from tests.support.daemon import shared_short_key, write_key

Patch = pytest.MonkeyPatch
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setenv("MODFAB_DATA", str(tmp_path / "data"))
    monkeypatch.setattr("modfab.flow.store.results_dir", lambda: tmp_path / "results")
    monkeypatch.setattr(results_cmd, "checkout_dir", lambda: tmp_path)


def test_prune_takes_out_what_is_outlived(
    tmp_path: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    gone = stored(request=replace(stored().request, engine="gone"), stale="its design is gone")
    export([gone, stored()], tmp_path / "results")
    assert run_cli(monkeypatch, "results", "prune") == 0
    assert capsys.readouterr().out == "results/: 1 measurements taken out\n"
    assert read_folder(tmp_path / "results") == [stored()]


def test_refresh_restamps_where_it_is_told(monkeypatch: Patch) -> None:
    asked: list[bool] = []

    def refresh(place: object, restamp: bool, tell: object) -> Outcome:
        asked.append(restamp)
        return Outcome(0, 0, 0)

    for name in ("refresh_folder", "refresh_store"):
        monkeypatch.setattr(results_cmd, name, refresh)
    assert run_cli(monkeypatch, "results", "refresh") == 0
    assert run_cli(monkeypatch, "results", "refresh", "--restamp") == 0
    assert asked == [False, False, True, True]


def test_export_of_one_engine_leaves_the_others(tmp_path: Path, monkeypatch: Patch) -> None:
    for name in ("bit_serial", "sos"):
        Store().add(record(request=replace(record().request, engine=name)))
    assert run_cli(monkeypatch, "results", "export", "--engine", "sos") == 0
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["sos.jsonl"]


def test_the_list_has_a_seed_where_one_was_routed(monkeypatch: Patch, capsys: Capture) -> None:
    Store().add(record())
    Store().add(record(seed=31, mhz=66.0))
    assert run_cli(monkeypatch, "results", "list") == 0
    alone, placed = capsys.readouterr().out.splitlines()[1:]
    assert " - " in alone
    assert " 31 " in placed


def test_a_latency_is_a_limit(monkeypatch: Patch, capsys: Capture) -> None:
    Store().add(routed(rsa_core("sos", 256), "rsa_axil", 120.0))
    words = "choose --op rsa512-sign --target ecp5-85k --no-openssl".split()
    assert run_cli(monkeypatch, *words, "--max-latency", "0.001") == 1
    assert "--max-latency 0.001: it has" in capsys.readouterr().out


def test_a_public_farm_does_public_operations(monkeypatch: Patch, capsys: Capture) -> None:
    words = "farm --engine bit_serial -P BitsPerClock=8 --bits 128 --cores 2 --public --json"
    assert run_cli(monkeypatch, *words.split(), "--jobs", "5") == 0
    core = rsa_core("bit_serial", 64, {"BitsPerClock": 8})
    cycles = core.programs().program(RsaEntry.PUBLIC, 65537)
    assert json.loads(capsys.readouterr().out)["operation_cycles"] == cycles


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "my_sweep.toml"
    path.write_text('[[grid]]\nengines = ["bit_serial"]\nbits = [16, 32, 64]\ntargets = ["xc7"]\n')
    return path


@pytest.mark.parametrize(
    ("words", "number"), [("--workers 5", 5), ("--memory 4.5", 2), ("--memory 0.1", 1)]
)
def test_a_sweep_has_as_many_processes_as_were_asked_for(
    words: str, number: int, spec: Path, monkeypatch: Patch
) -> None:
    started: list[int] = []

    def start(workers: int) -> NoReturn:
        started.append(workers)
        raise UsageError("Enough.")

    monkeypatch.setattr("modfab.flow.sweep.cluster.local_client", start)
    monkeypatch.setattr(sweep_cmd, "num_threads", lambda: 9)
    assert run_cli(monkeypatch, "sweep", str(spec), *words.split()) == 2
    assert started == [number]


def test_failed_points_are_tried_again_where_it_is_told(
    spec: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    point = read_spec(spec).points[0]
    Failures().keep(point.request().key, Failure(point.title, point.text(), "too large", "log"))
    for words, todo in (((), 2), (("--retry",), 3)):
        assert run_cli(monkeypatch, "sweep", str(spec), "--dry-run", "--json", *words) == 0
        assert len(json.loads(capsys.readouterr().out)["todo"]) == todo


def test_a_package_has_the_exponent_window_that_was_asked_for(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    made: list[Core] = []
    monkeypatch.setattr(build_cmd, "_package", lambda built, *_, **__: made.append(built))
    words = "build --engine bit_serial --bits 64 --exp-bits 17 -o".split()
    assert run_cli(monkeypatch, *words, tmp_path / "core") == 0
    assert made[0].unit.exp_bits == 17


def test_a_bitstream_is_routed_as_it_was_asked_for(tmp_path: Path, monkeypatch: Patch) -> None:
    asked: list[Any] = []

    def build(*words: Any) -> NoReturn:
        asked.append(words[4])
        raise UsageError("Enough.")

    monkeypatch.setattr(board_cmd, "build_bitstream", build)
    words = "build --board ulx3s-85f --core rsa --bits 512 -o".split()
    more = "--router router2 --seeds 3 --limit 7".split()
    assert run_cli(monkeypatch, *words, tmp_path / "board", *more) == 2
    assert run_cli(monkeypatch, *words, tmp_path / "board") == 2
    chosen = [(made.router, made.seeds, made.limit_s) for made in asked]
    assert chosen == [("router2", (1, 2, 3), 420), ("router1", (1,), 7200)]


def test_a_report_shows_the_assessment_that_was_named(tmp_path: Path, monkeypatch: Patch) -> None:
    asked: list[object] = []

    def write(folder: Path, records: object, assessment: Path, tell: object) -> list[Path]:
        asked.append(assessment)
        return []

    monkeypatch.setattr("modfab.pages.web.site.write_report", write)
    (tmp_path / "mine").mkdir()
    words = "report", "-o", tmp_path / "site", "--assessment", tmp_path / "mine"
    assert run_cli(monkeypatch, *words) == 0
    assert asked == [tmp_path / "mine"]


@pytest.mark.parametrize("derive", [False, True])
def test_a_key_is_derived_where_it_is_told(
    derive: bool, monkeypatch: Patch, tmp_path: Path
) -> None:
    asked: list[object] = []

    class Loaded:
        def choose(self, context: int) -> None:
            pass

        def load_key(self, key: object, progress: object, derive: bool = False) -> int:
            asked.append(derive)
            return 7

        def lock(self) -> None:
            pass

        def __enter__(self) -> Loaded:
            return self

        def __exit__(self, *_: object) -> None:
            pass

    write_key(tmp_path / "key", shared_short_key())
    monkeypatch.setattr(keyload_cmd, "open_rsa_device", lambda *_: Loaded())
    words = ["keyload", "--key", tmp_path / "key", "--device", "uio:/dev/uio0"]
    assert run_cli(monkeypatch, *words, *["--derive"] * derive) == 0
    assert asked == [derive]


def test_a_routed_core_comes_before_a_newer_one_that_is_not() -> None:
    one = core("ladder")
    other = replace(core("ladder", seed=None, freq_mhz=None, target="ecp5-85k"), mhz=None)
    other = replace(other, date="2027-01-01T00:00:00Z")
    for known in ([one, other], [other, one]):
        (found,) = cores_of(known, "sos", 2048)
        assert found.mhz == 100.0


def test_the_synthesis_stands_for_a_measurement_wherever_it_is_in_the_list() -> None:
    alone, placed = record(), record(seed=1, mhz=50.0)
    for known in ([alone, placed], [placed, alone]):
        (found,) = medians(known)
        assert found.synthesis == alone


def test_a_stale_synthesis_is_measured_again_without_a_router() -> None:
    (found,) = stale_designs([stored(stale="another circuit")])
    assert "--route" not in found.command
    assert "--route" not in measure_command_of(medians([stored()])[0])


def test_parameters_reach_the_exponentiator(monkeypatch: Patch, capsys: Capture) -> None:
    words = "powmod --engine bit_serial --bits 64 --mod 197 --base 12 --exp 5 --device model --json"
    cycles = []
    for more in ((), ("-P", "BitsPerClock=8")):
        assert run_cli(monkeypatch, *words.split(), *more) == 0
        cycles.append(json.loads(capsys.readouterr().out)["cycles"])
    assert cycles[1] < cycles[0]
