# SPDX-License-Identifier: Apache-2.0
"""Runs of the flow that Ctrl-C ends: what was there before stays, what is half is not taken."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest

from modfab.cli.design import design_of
from modfab.errors import ToolError
from modfab.flow import refresh, synth
from modfab.flow import route as route_module
from modfab.flow import store as store_module
from modfab.flow.refresh import Designs, refreshed
from modfab.flow.route import route
from modfab.flow.store import Store
from modfab.flow.synth import NETLIST, synthesize
from modfab.flow.targets import Target, get_target
from modfab.flow.tools import Job, silent
from tests.flow.test_store import record

ECP5 = get_target("ecp5-25k")


def interrupted(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def test_a_netlist_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The older netlist stays until the new one is complete."""

    def half(job: Job, *_: object) -> NoReturn:
        for word in (job.folder / "synth.ys").read_text().split():
            if word.startswith("netlist"):
                (job.folder / word).write_text("half")
        raise KeyboardInterrupt

    (tmp_path / NETLIST).write_text("whole")
    monkeypatch.setattr(synth, "write_design", lambda *_: [])
    monkeypatch.setattr(synth, "run_yosys", half)
    design = design_of("bit_serial", 16, ({}, {}), "engine", "ladder", None)
    with pytest.raises(KeyboardInterrupt):
        synthesize(design, ECP5, tmp_path, progress=silent)
    assert (tmp_path / NETLIST).read_text() == "whole"
    assert "half" in {path.read_text() for path in tmp_path.iterdir()}


@pytest.mark.parametrize("when", ["locking", "routing"])
def test_a_routing_leaves_no_netlists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    def lock(_: Path, locked: Path, top: str, target: Target) -> None:
        del top, target
        locked.write_text("locked")
        if when == "locking":
            raise KeyboardInterrupt

    def run(job: Job, *_: object) -> NoReturn:
        (job.folder / "placed_3.json").write_text("half")
        raise KeyboardInterrupt

    (tmp_path / NETLIST).write_text("whole")
    monkeypatch.setattr(route_module, "run_job", run)
    with pytest.raises(KeyboardInterrupt):
        route(ECP5, tmp_path, seed=3, lock=lock, progress=silent)
    assert list(tmp_path.iterdir()) == [tmp_path / NETLIST]


def test_a_record_is_replaced_or_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, old = Store(tmp_path / "results.sqlite"), record(seed=1, mhz=50.0)
    store.add(old)
    with monkeypatch.context() as patched:
        patched.setattr(store_module, "_row", interrupted)
        with pytest.raises(KeyboardInterrupt):
            store.replace(old, record(seed=2, mhz=60.0))
    assert store.records() == [old]
    store.replace(old, record(seed=2, mhz=60.0))
    assert [found.mhz for found in store.records()] == [60.0]


def test_without_yosys_no_record_is_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> NoReturn:
        raise ToolError(f"The flow needs {name}.")

    monkeypatch.setattr(refresh, "find_tool", missing)
    with pytest.raises(ToolError, match="needs yosys"):
        refreshed(record(text="of before"), Designs())
