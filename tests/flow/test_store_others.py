# SPDX-License-Identifier: Apache-2.0
"""The store and results/ while another process writes, and records of other tools and texts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from modfab.build.core import engine_core
from modfab.cli import results_cmd
from modfab.flow import measure as measure_module
from modfab.flow.design import Design
from modfab.flow.measure import Options, measure
from modfab.flow.record import Record
from modfab.flow.refresh import Designs, refresh_folder, refresh_store
from modfab.flow.store import Store, export, read_folder
from modfab.flow.stored import medians
from tests.flow.test_store import record
from tests.support.cli import run_cli

NEWER = "2027-01-01T00:00:00Z"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("MODFAB_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("MODFAB_CACHE", str(tmp_path / "cache"))
    return Store()


def test_what_was_stored_meanwhile_is_not_replaced(store: Store) -> None:
    old = record(seed=1, mhz=50.0)
    again = replace(old, mhz=60.0, date=NEWER)
    store.add(again)
    store.replace(old, replace(old, stale="the circuit is another one"))
    assert store.records() == [again]
    store.add(replace(old, circuit="d0"))
    store.replace(replace(old, circuit="d0"), old)
    assert store.records() == [again], "the older one went to its place"


def test_a_refresh_keeps_what_came_meanwhile(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process measures and exports while designs are elaborated."""
    gone = replace(record().request, params={**record().request.params, "NumBits": 3})
    first, meanwhile = record(request=gone), record(seed=2, mhz=70.0)
    folder = tmp_path / "results"
    export([first], folder)
    store.add(first)
    find = Designs.of

    def late(designs: Designs, request: object) -> object:
        store.add(replace(first, mhz=1.0))
        export([meanwhile], folder)
        return find(designs, gone)

    monkeypatch.setattr(Designs, "of", late)
    assert refresh_folder(folder).stale == 1
    assert [bool(found.stale) for found in read_folder(folder)] == [True, False]
    refresh_store(store)
    assert [found.mhz for found in store.records()] == [1.0]


def test_a_clean_measurement_is_exported_behind_one_of_changed_files(
    store: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(results_cmd, "checkout_dir", lambda: tmp_path)
    store.add(record(seed=1, mhz=50.0))
    store.add(record(seed=1, mhz=60.0, revision="abc+", circuit="d2", date=NEWER))
    assert run_cli(monkeypatch, "results", "export") == 0
    assert capsys.readouterr().err == ""
    assert [found.mhz for found in read_folder(tmp_path / "results")] == [50.0]


def test_an_area_is_of_the_netlist_that_was_routed() -> None:
    """Another Yosys makes another netlist of the same circuit."""
    tools = {"yosys": "0.70 wheel", "nextpnr-ecp5": "0.11 native"}
    routed = record(seed=1, mhz=50.0, tools=tools)
    smaller = {**record().area, "lut": 90}
    later = record(tools={"yosys": "0.71 wheel"}, area=smaller, date=NEWER)
    (found,) = medians([later, routed])
    assert (found.synthesis.area["lut"], found.mhz) == (100, 50.0)
    assert medians([later])[0].synthesis.area["lut"] == 90


def test_a_farm_has_no_time_of_a_product() -> None:
    request = replace(record().request, level="farm_axil")
    farm = record(request=request, mhz=50.0, cycles={"mul": 66, "private": 1000, "exp": 900})
    derived = json.loads(farm.to_json())["derived"]
    assert derived == {"time_us": {"private": 20.0}, "area_time": None}


def test_what_the_store_answers_has_the_text_of_the_rtl_there_is(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sweep compares it; the revision is that of when the RTL was read."""
    revisions = iter(["read", "meanwhile", "later"])
    monkeypatch.setattr(measure_module, "revision", lambda: next(revisions))
    design = Design(engine_core("bit_serial", 16))
    first = measure(design, "ecp5-25k", Options(), store).synthesis
    assert first.revision == "read"
    store.add(replace(first, text="that of other comments"))
    again: Record = measure(design, "ecp5-25k", Options(), store).synthesis
    assert again == first
