# SPDX-License-Identifier: Apache-2.0
"""The store of measurements, its export, and the commands over them."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from modfab.cli import results_cmd
from modfab.errors import ToolError, UsageError
from modfab.flow.record import Record, Request, record_from_json
from modfab.flow.store import Store, export, known_records, newest, read_folder, write_folder
from modfab.flow.stored import current, medians
from tests.support.cli import run_cli


def record(seed: int | None = None, mhz: float | None = None, **changes: Any) -> Record:
    """A measurement with recognizable numbers."""
    request = Request(
        engine="bit_serial",
        sequencer="",
        level="engine",
        params={"BitsPerClock": 1, "NumBits": 64, "NumSlots": 8, "Variant": 2},
        exp_bits=0,
        target="ecp5-85k",
        seed=seed,
        freq_mhz=None if seed is None else 200.0,
    )
    area = {"lut": 100, "lut_memory": 0, "ff": 50, "carry": 0, "multipliers": 2, "block_rams": 1}
    made = Record(
        request=request,
        circuit="d1",
        tools={"yosys": "0.70 wheel"},
        revision="abc",
        date="2026-01-02T03:04:05Z",
        cycles={"mul": 66, "setup": 130, "exp": 8582},
        area=area | {"cells": {"LUT4": 100}},
        wrapper={"lut": 14, "ff": 145},
        mhz=mhz,
        used={},
        path={},
        seconds=1.5,
    )
    return replace(made, **changes)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("MODFAB_DATA", str(tmp_path / "data"))
    return Store()


def test_a_record_survives_json() -> None:
    routed = record(seed=3, mhz=66.0)
    assert record_from_json(routed.to_json()) == routed
    derived = json.loads(routed.to_json())["derived"]
    assert derived == {"time_us": {"mul": 1.0, "setup": 130 / 66}, "area_time": 150.0}


def test_an_older_record_gets_the_parameters_that_were_added_since() -> None:
    older = record()
    few = {name: value for name, value in older.request.params.items() if name != "Variant"}
    text = replace(older, request=replace(older.request, params=few)).to_json()
    assert record_from_json(text).request == older.request
    assert newest([record_from_json(text), older]) == [older]


def test_a_choice_that_came_later_is_in_a_key_only_where_it_is_made() -> None:
    """Older records in a user's store are still found."""
    request = record(seed=1).request
    first = (
        *("engine", "sequencer", "level", "params", "exp_bits", "target", "no_enables"),
        *("seed", "freq_mhz"),
    )
    text = json.dumps({name: getattr(request, name) for name in first}, sort_keys=True)
    assert request.key == hashlib.sha256(text.encode()).hexdigest()[:20]
    later: dict[str, Any] = {"router": "router2", "locked": True, "timing_weight": 30}
    later |= {"rsa": {"engines": 2}, "min_set": 8, "lut_multipliers": True}
    later |= {"piece_bits": 30, "wire_ps": 800}
    assert {*first, *later} == set(asdict(request))
    made = [replace(request, **{name: value}) for name, value in later.items()]
    assert len({request.key, *(one.key for one in made)}) == 1 + len(made)
    of_the_router = [one for one in made if one.design_key == request.design_key]
    assert of_the_router == made[:3]


NO_RECORDS = ['{"broken":1}', "no JSON", "[]", "5", '{"request":{"x":1}}']


@pytest.mark.parametrize("text", NO_RECORDS)
def test_a_broken_record_is_named(store: Store, text: str) -> None:
    kept = record()
    store.add(kept)
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("update measurements set record = ?", (text,))
    said = rf"{store.path} has something under the key {kept.request.key} that is no measurement"
    with pytest.raises(ToolError, match=said):
        store.records()
    with pytest.raises(ToolError, match=said):
        store.find(kept.request.key, kept.circuit, kept.tools)


def test_find_needs_the_same_request_circuit_and_tools(store: Store) -> None:
    kept = record()
    store.add(kept)
    assert store.find(kept.request.key, "d1", kept.tools) == kept
    assert store.find(kept.request.key, "d2", kept.tools) is None
    assert store.find(kept.request.key, "d1", {"yosys": "0.71 wheel"}) is None
    assert store.find(record(seed=1).request.key, "d1", kept.tools) is None


def test_a_repeated_measurement_replaces_the_older_one(store: Store) -> None:
    store.add(record(seed=1, mhz=50.0))
    store.add(record(seed=1, mhz=60.0))
    assert [found.mhz for found in store.records()] == [60.0]


def test_a_record_takes_anothers_place_whole_or_not_at_all(store: Store) -> None:
    old = record(seed=1, mhz=50.0)
    store.add(old)
    with pytest.raises(TypeError, match="not JSON serializable"):
        store.replace(old, replace(old, circuit="d2", area={**old.area, "carry": object()}))
    assert store.records() == [old]
    new = replace(old, circuit="d2")
    store.replace(old, new)
    assert store.records() == [new]


def test_a_killed_run_leaves_a_consistent_store(store: Store, tmp_path: Path) -> None:
    store.add(record(seed=1, mhz=50.0))
    code = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("delete from measurements")
connection.execute("insert into measurements select 1, 2, 3, 4, 5, 6, 7, 8, 9, 10")
os.kill(os.getpid(), 9)
"""
    done = subprocess.run([sys.executable, "-c", code, str(store.path)], check=False)
    assert done.returncode == -9
    assert [found.mhz for found in store.records()] == [50.0]
    with closing(sqlite3.connect(store.path)) as connection:
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)


def test_a_store_that_is_not_one(store: Store) -> None:
    store.path.parent.mkdir(parents=True)
    store.path.write_text("not a database, and long enough to be noticed " * 20)
    with pytest.raises(ToolError, match=r"results\.sqlite cannot be used .*MODFAB_DATA"):
        store.records()


def test_a_store_that_cannot_be_written(store: Store, tmp_path: Path) -> None:
    kept = record(seed=1, mhz=66.0)
    store.check_writable()
    assert store.records() == []
    store.add(kept)
    before = store.path.read_bytes()
    store.check_writable()
    assert store.path.read_bytes() == before
    assert store.records() == [kept]
    (tmp_path / "file").write_text("")
    with pytest.raises(ToolError, match=r"results\.sqlite cannot be used .*make it writable"):
        Store(tmp_path / "file" / "results.sqlite").check_writable()


def test_reading_makes_nothing(tmp_path: Path) -> None:
    """Records are read where neither the store nor its folder can be written."""
    store = Store(tmp_path / "none" / "results.sqlite")
    kept = record(seed=1, mhz=66.0)
    assert store.records() == []
    assert store.find(kept.request.key, kept.circuit, kept.tools) is None
    assert list(tmp_path.iterdir()) == []
    store.add(kept)
    store.path.chmod(0o400)
    store.path.parent.chmod(0o500)
    assert Store(store.path).records() == [kept]
    store.path.parent.chmod(0o700)
    store.path.chmod(0o600)
    store.path.write_bytes(b"")
    assert store.records() == []
    store.add(kept)
    assert store.records() == [kept]


def test_medians_join_a_synthesis_with_its_seeds() -> None:
    older = record(circuit="d0", seed=1, mhz=10.0)
    records = [older, record(), *(record(seed=k, mhz=50.0 + k) for k in (1, 2, 3))]
    first, second = medians(records)
    assert (first.mhz, len(first.routings)) == (10.0, 1)
    assert (second.mhz, len(second.routings)) == (52.0, 3)
    assert (second.best_mhz, second.headline.mhz) == (53.0, 52.0)
    assert medians(records[:4])[1].mhz == 51.5, "of an even number the mean of the middle ones"
    assert second.synthesis.request.seed is None


def test_medians_take_each_seed_once_and_of_what_was_made_like_the_last() -> None:
    """By the same tools, and of the router the same was asked: only seeds may differ."""
    old = [record(seed=k, mhz=50.0 + k, date="2026-01-01T00:00:00Z") for k in (1, 2, 3)]
    tools = {"nextpnr-ecp5": "0.12 native"}
    new = [record(seed=k, mhz=60.0 + k, tools=tools, date="2026-01-03T00:00:00Z") for k in (1, 2)]
    new.append(record(seed=1, mhz=70.0, tools=tools, date="2026-01-04T00:00:00Z"))
    (found,) = medians([record(), *new, *old])
    assert sorted(run.mhz or 0 for run in found.routings) == [62.0, 70.0]
    faster = replace(new[0].request, freq_mhz=300.0)
    new.append(record(request=faster, mhz=72.0, tools=tools, date="2026-01-04T01:00:00Z"))
    (found,) = medians([record(), *new, *old])
    assert [run.mhz for run in found.routings] == [72.0]
    other = replace(new[0].request, router="router2")
    last = record(request=other, mhz=55.0, tools=tools, date="2026-01-05T00:00:00Z")
    (found,) = medians([record(), *new, *old, last])
    assert [run.mhz for run in found.routings] == [55.0]
    heavy = record(
        request=replace(other, timing_weight=30), mhz=58.0, tools=tools, date="2026-01-06T00:00:00Z"
    )
    (found,) = medians([record(), *new, *old, last, heavy])
    assert [run.mhz for run in found.routings] == [58.0]
    request = replace(heavy.request, locked=True, seed=2)
    locked = replace(heavy, request=request, mhz=61.0, date="2026-01-07T00:00:00Z")
    (found,) = medians([record(), *new, *old, last, heavy, locked])
    assert [run.mhz for run in found.routings] == [61.0]


def test_a_record_says_the_weight_of_timing_where_it_is_not_the_usual_one() -> None:
    usual = record(seed=1, mhz=50.0)
    heavy = replace(usual, request=replace(usual.request, timing_weight=30))
    assert "timing_weight" not in usual.to_json()
    assert usual.request.key != heavy.request.key
    assert [record_from_json(one.to_json()) for one in (usual, heavy)] == [usual, heavy]


def test_current_is_the_newest_that_was_routed() -> None:
    routed = [record(circuit="d0", seed=1, mhz=10.0, date="2026-01-01T00:00:00Z")]
    newer = [record(circuit="d1", date="2026-02-01T00:00:00Z")]
    assert [found.mhz for found in current([*newer, *routed])] == [10.0]
    newer.append(record(circuit="d1", seed=1, mhz=12.0, date="2026-02-01T01:00:00Z"))
    assert [found.mhz for found in current([*newer, *routed])] == [12.0]
    for mapped in (
        {"no_enables": True},
        {"min_set": 8},
        {"lut_multipliers": True},
        {"piece_bits": 30},
        {"wire_ps": 800},
    ):
        other = replace(newer[-1].request, **mapped)
        last = record(circuit="d2", request=other, mhz=14.0, date="2026-02-02T00:00:00Z")
        assert [found.mhz for found in current([*newer, *routed, last])] == [14.0], mapped
        first = record(circuit="d2", request=replace(other, seed=None), date="2026-01-15T00:00:00Z")
        for order in (1, -1):  # its synthesis was before the other's, its routing behind it
            shown = current([*newer, *routed, last, first][::order])
            assert [found.mhz for found in shown] == [14.0], mapped


def test_export_is_sorted_and_merges(tmp_path: Path) -> None:
    first = export([record(seed=2, mhz=52.0), record()], tmp_path)
    assert [path.name for path in first] == ["bit_serial.jsonl"]
    newer = record(seed=2, mhz=53.0, date="2026-02-02T03:04:05Z")
    export([newer, record(seed=1, mhz=51.0)], tmp_path)
    found = read_folder(tmp_path)
    assert [entry.request.seed for entry in found] == [None, 1, 2]
    assert [entry.mhz for entry in found] == [None, 51.0, 53.0]
    before = first[0].read_text()
    export([record(seed=2, mhz=99.0, date="2025-01-01T00:00:00Z")], tmp_path)
    assert first[0].read_text() == before, "an older measurement does not replace a newer one"
    assert newest(reversed(found)) == found


def test_export_leaves_other_files_alone(tmp_path: Path) -> None:
    other = replace(record().request, engine="sos")
    export([record(), record(request=other)], tmp_path)
    path = tmp_path / "sos.jsonl"
    path.write_text(path.read_text() * 2)  # as a merge may leave it
    before = path.read_text()
    assert export([], tmp_path) == []
    assert export([record()], tmp_path) == []
    assert export([record(seed=1, mhz=51.0)], tmp_path) == [tmp_path / "bit_serial.jsonl"]
    assert path.read_text() == before


def test_two_processes_may_write_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one writes it just before this one gives its file the name."""
    rename = Path.replace

    def late(path: Path, target: Path) -> Path:
        monkeypatch.setattr(Path, "replace", rename)
        write_folder([record(seed=1, mhz=51.0)], tmp_path)
        return path.replace(target)

    monkeypatch.setattr(Path, "replace", late)
    write_folder([record(seed=2, mhz=52.0)], tmp_path)
    assert [one.mhz for one in read_folder(tmp_path)] == [52.0]
    assert [path.name for path in tmp_path.iterdir()] == ["bit_serial.jsonl"]


def test_the_committed_and_the_users_own_are_known(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modfab.flow.store.results_dir", lambda: tmp_path)
    export([record(), record(seed=1, mhz=41.0)], tmp_path)
    for seed in range(1, 6):
        store.add(record(seed=seed, mhz=50.0 + seed, date=f"2026-0{9 - seed}-01T00:00:00Z"))
    assert [one.mhz for one in store.records()] == [55.0, 54.0, 53.0, 52.0, 51.0], "newest last"
    assert [one.mhz for one in known_records()] == [None, 51.0, 52.0, 53.0, 54.0, 55.0]


@pytest.mark.parametrize("text", ["{}", *NO_RECORDS])
def test_a_bad_line_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.jsonl").write_text(f"{record().to_json()}\n{text}\n")
    with pytest.raises(UsageError, match=r"Line 2 of .*x\.jsonl is not a stored measurement"):
        read_folder(tmp_path)


def test_commands_list_and_export(
    store: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    store.add(record(seed=1, mhz=51.25))
    unknown = replace(record().request, engine="gone")
    store.add(record(request=unknown))
    monkeypatch.setattr("modfab.flow.store.results_dir", lambda: tmp_path / "committed")
    assert run_cli(monkeypatch, "results", "list") == 0
    assert "gone" in capsys.readouterr().out
    assert run_cli(monkeypatch, "results", "list", "--engine", "bit_serial") == 0
    shown = capsys.readouterr().out
    assert "51.2" in shown
    assert ("NumSlots" in shown, "NumBits" in shown) == (False, False), "as the engine comes"
    assert run_cli(monkeypatch, "results", "list", "--json") == 0
    assert 51.25 in [found["mhz"] for found in json.loads(capsys.readouterr().out)]
    dirty = record(seed=7, mhz=77.0, revision="abc+")
    monkeypatch.setattr(results_cmd, "checkout_dir", lambda: tmp_path)
    assert run_cli(monkeypatch, "results", "export") == 0
    assert capsys.readouterr().out == "results/bit_serial.jsonl\nresults/gone.jsonl\n"
    exported = {r.request.key for r in read_folder(tmp_path / "results")}
    assert exported == {r.request.key for r in store.records()}
    store.add(dirty)
    assert run_cli(monkeypatch, "results", "export") == 0
    assert "1 of 3 were measured with changes not committed" in capsys.readouterr().err
    assert {r.request.key for r in read_folder(tmp_path / "results")} == exported
    assert run_cli(monkeypatch, "results", "list", "--engine", "none") == 2


@pytest.mark.usefixtures("store")
def test_a_new_checkout_lists_what_is_committed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(monkeypatch, "results", "list", "--engine", "sos36", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert {"engine", "rsa_axil"} <= {found["request"]["level"] for found in listed}
    assert run_cli(monkeypatch, "results", "list", "--engine", "sos36") == 0
    shown = capsys.readouterr().out
    assert re.search(r"2048 +rsa_axil, window, 2 engines, blinded ", shown), "bits are those of n"


def test_export_needs_a_checkout(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.add(record())
    monkeypatch.setattr(results_cmd, "checkout_dir", lambda: None)
    with pytest.raises(UsageError, match="results export"):
        results_cmd.export_command()
