# SPDX-License-Identifier: Apache-2.0
"""From what tools are asked, and what their reports say, to figures; no tool runs."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from modfab.build.core import engine_core
from modfab.errors import ToolError
from modfab.flow import measure as measure_module
from modfab.flow import route as route_module
from modfab.flow.area import area_of
from modfab.flow.critical_path import path_of
from modfab.flow.design import Design
from modfab.flow.measure import Options, measure, revision
from modfab.flow.route import route, routing_of
from modfab.flow.store import Store
from modfab.flow.synth import NETLIST, Mapping, Synthesis, check_capacity
from modfab.flow.targets import get_target
from modfab.flow.tools import Job, Tool, silent

TARGET = get_target("ecp5-25k")
TOOL = Tool("tool", "1", ("tool",), native=False)


def segment(kind: str, delay: float, net: str = "") -> dict[str, Any]:
    ends = {"from": {"cell": "u_dut.a_q_TRELLIS_FF_Q"}, "to": {"cell": "u_dut.b_q_TRELLIS_FF_DI"}}
    return {"type": kind, "delay": delay, "net": net, **ends}


def report(**mhz: float) -> dict[str, Any]:
    """Nextpnr's report: paths between cycles come first, the slowest clock is no first one."""
    path = [segment("clk-to-q", 0.5), segment("routing", 2.0, "slow"), segment("logic", 0.25)]
    path += [segment("routing", 1.0, "$nextpnr$2"), segment("setup", 0.25)]
    crossing = {"from": "posedge clk", "to": "posedge fast", "path": [segment("logic", 99.0)]}
    ends = [{"from": f"posedge {clock}", "to": f"posedge {clock}", "path": path} for clock in mhz]
    return {
        "fmax": {clock: {"achieved": value} for clock, value in mhz.items()},
        "critical_paths": [crossing, *ends],
        "utilization": {"TRELLIS_COMB": {"used": 7}, "MULT18X18D": {"used": 0}},
    }


def test_the_slowest_clock_decides_and_its_own_path_counts() -> None:
    found = routing_of(report(fast=300.004, clk=199.996, other=250.0), 3.0)
    assert (found.mhz, found.used) == (200.0, {"TRELLIS_COMB": 7})
    path = found.path
    assert (path.logic_ns, path.routing_ns, path.total_ns, path.levels) == (1.0, 3.0, 4.0, 1)
    assert (path.longest_ns, path.longest_net) == (2.0, "slow")
    assert (path.start, path.end) == ("u_dut.a_q", "u_dut.b_q")
    with pytest.raises(ToolError, match="no path within the clock none"):
        path_of(report(clk=1.0)["critical_paths"], "none")


def test_the_router_is_asked_for_what_was_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def run(job: Job, progress: object) -> float:
        asked.extend(job.arguments)
        if (tmp_path / "report_7.json").exists():
            return 5.0  # nextpnr has left it as it was
        (tmp_path / "report_7.json").write_text(json.dumps(report(clk=123.0)))
        (tmp_path / "placed_7.json").write_text('{"modules": {}}')
        return 5.0

    (tmp_path / "report_7.json").write_text(json.dumps(report(clk=999.0)))  # of an earlier run
    monkeypatch.setattr(route_module, "find_tool", lambda name: TOOL)
    monkeypatch.setattr(route_module, "run_job", run)
    found = route(
        *(TARGET, tmp_path),
        seed=7,
        freq_mhz=250.0,
        router="router1-ripup",
        timing_weight=60,
        progress=silent,
    )
    assert (found.mhz, found.seconds) == (123.0, 5.0)

    def behind(option: str) -> str:
        return asked[asked.index(option) + 1]

    names = ("--seed", "--freq", "--router", "--placer-heap-timingweight")
    assert [behind(name) for name in names] == ["7", "250", "router1", "60"]
    assert "--tmg-ripup" in asked
    assert set(TARGET.route) <= set(asked)
    assert (tmp_path / "floorplan_7.svg").is_file()


# ---- areas ----
@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ({"LUT6": 3, "RAM32M": 2, "SRL16E": 1, "CARRY4": 9, "FDRE": 5}, (12, 9, 5, 9, 0, 0)),
        ({"RAM64M": 1, "SRLC32E": 1, "RAM32M16": 1, "RAM64M8": 1}, (21, 21, 0, 0, 0, 0)),
        ({"FDPE": 2, "FDCE_1": 3, "FDSE": 1, "LUT6_D": 1}, (1, 0, 6, 0, 0, 0)),
        ({"RAMB36E1": 2, "RAMB18E1": 1, "DSP48E1": 4}, (0, 0, 0, 0, 4, 5)),
        ({"RAMB36SDP": 2, "RAMB18SDP": 1, "RAMB16_S36_S36": 1}, (0, 0, 0, 0, 0, 6)),
        ({"MULT18X18D": 3, "DP16KD": 2, "PDPW16KD": 1}, (0, 0, 0, 0, 3, 3)),
        ({"MUXCY": 1, "RAM16X1D": 1, "RAM64X1D": 1}, (10, 10, 0, 1, 0, 0)),  # LUTs of four inputs
        ({"MUXCY": 1, "RAM64X1D": 1}, (8, 8, 0, 1, 0, 0)),
        ({"CARRY4": 1, "RAM16X1D": 1, "RAM64X1D": 1}, (4, 4, 0, 1, 0, 0)),
    ],
)
def test_cells_are_counted_as_their_family_has_them(
    cells: dict[str, int], expected: tuple[int, ...]
) -> None:
    area = area_of(cells)
    counted = (area.lut, area.lut_memory, area.ff, area.carry, area.multipliers, area.block_rams)
    assert counted == expected


def test_the_wrappers_area_is_taken_off_but_never_more_than_there_is() -> None:
    whole, wrapper = area_of({"LUT4": 10, "TRELLIS_FF": 5}), area_of({"LUT4": 4, "TRELLIS_FF": 9})
    own = Synthesis(whole, wrapper, 1.0).area
    assert (own.lut, own.ff, own.cells) == (6, 0, {"LUT4": 6})


@pytest.mark.parametrize(("cell", "number"), [("LUT4", 24_288), ("DP16KD", 56), ("MULT18X18D", 28)])
def test_a_device_holds_as_much_as_it_has(cell: str, number: int) -> None:
    check_capacity(area_of({cell: number}), TARGET)
    with pytest.raises(ToolError, match=f"needs {number + 1} {cell}, and Lattice"):
        check_capacity(area_of({cell: number + 1}), TARGET)
    with pytest.raises(ToolError, match=r"needs 24290 LUT4"):  # carry chains take LUTs
        check_capacity(area_of({"CCU2C": 12_145}), TARGET)
    with pytest.raises(ToolError, match=r"needs 57 DP16KD"):  # a wide one is as large
        check_capacity(area_of({"DP16KD": 40, "PDPW16KD": 17}), TARGET)


# ---- records ----
def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def test_a_revision_says_that_the_tree_had_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure_module, "checkout_dir", lambda: tmp_path)
    written = ("README.md", "results/sos.jsonl", "docs/engines.svg", "rtl/exp/README.md")
    for name in ("file", *written):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("committed")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    clean = revision()
    assert len(clean) == 12
    for name in written:  # by an export, beside the measurements that go on
        (tmp_path / name).write_text("changed")
    assert revision() == clean
    (tmp_path / "new").write_text("an engine that git does not know yet")
    assert revision() == f"{clean}+"
    (tmp_path / "new").unlink()
    (tmp_path / "file").write_text("changed")
    assert revision() == f"{clean}+"
    monkeypatch.setattr(measure_module, "checkout_dir", lambda: None)
    assert revision() == ""


class Flow:
    """What Yosys and nextpnr would do, and how often."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, cells: dict[str, int]) -> None:
        self.cells, self.routed, self.netlists = cells, list[int](), list[Path]()
        self.wrapper = dict[str, int]()
        self.yosys, self.fails, self.folders = "1", set[int](), list[Path]()
        self.runs = set[str]()
        elaborated = type("Elaborated", (), {"circuit": "c" * 16, "ports": ()})
        monkeypatch.setattr(measure_module, "elaborate", lambda *_: elaborated)
        monkeypatch.setattr(measure_module, "find_tool", self._tool)
        monkeypatch.setattr(measure_module, "synthesize", self._synthesize)
        monkeypatch.setattr(measure_module, "route", self._route)
        monkeypatch.setattr(measure_module, "measure_parts", self._parts)
        monkeypatch.setattr(measure_module, "wrapper_text", lambda *_: "")
        monkeypatch.setattr(measure_module, "revision", lambda: "abc")

    def _tool(self, name: str) -> Tool:
        return replace(TOOL, version=f"{name} {self.yosys}")

    def _synthesize(self, _: object, __: object, folder: Path, **___: object) -> Synthesis:
        self.netlists.append(folder / NETLIST)
        self.netlists[-1].write_text("{}")
        return Synthesis(area_of(self.cells), area_of(self.wrapper), 1.0)

    def _parts(self, *_: object, how: Mapping, **__: object) -> dict[str, dict[str, int]]:
        return {"part": {"lut": how.piece_bits}}

    def _route(
        self, _: object, folder: Path, *, seed: int, run: str, **__: object
    ) -> route_module.Routing:
        self.routed.append(seed)
        self.runs.add(run)
        self.folders.append(folder)
        if seed in self.fails:
            raise ToolError(f"nextpnr has not found a way ({seed}).")
        return routing_of(report(clk=100.0 + seed), 1.0)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("MODFAB_CACHE", str(tmp_path / "cache"))
    return Store(tmp_path / "results.sqlite")


SMALL = Design(engine_core("bit_serial", 16))


def measured(store: Store, seeds: Sequence[int], **options: Any) -> list[int | None]:
    found = measure(SMALL, "ecp5-25k", Options(tuple(seeds), **options), store)
    return [record.request.seed for record in found.routings]


def test_only_what_is_not_known_is_routed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    flow = Flow(monkeypatch, {"LUT4": 9})
    assert measured(store, (1, 2), parts=True) == [1, 2]
    assert measured(store, (2, 3)) == [2, 3]
    assert (flow.routed, len(flow.netlists)) == ([1, 2, 3], 1)
    flow.netlists[0].unlink()
    assert measured(store, (1, 3)) == [1, 3]
    assert len(flow.netlists) == 1, "nothing needs it"
    assert measured(store, (4,)) == [4]
    assert (flow.routed, len(flow.netlists)) == ([1, 2, 3, 4], 2)
    synthesis, *routings = sorted(store.records(), key=lambda one: one.request.seed or 0)
    assert (set(synthesis.tools), synthesis.parts) == ({"yosys"}, {"part": {"lut": 62}})
    for one in routings:
        assert (set(one.tools), one.parts) == ({"yosys", "nextpnr-ecp5"}, {}), "of the synthesis"
        assert one.mhz == 100.0 + (one.request.seed or 0)
        assert one.area == synthesis.area
    assert measured(store, (3,), force=True) == [3]
    assert measured(store, (3,), router="router2") == [3]
    assert flow.routed == [1, 2, 3, 4, 3, 3]
    assert len(flow.runs) == 5, "another router has files of its own"
    measured(store, (), parts=True, piece_bits=30)
    assert {"part": {"lut": 30}} in [record.parts for record in store.records()]


def test_what_another_process_has_routed_meanwhile_is_taken(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow = Flow(monkeypatch, {"LUT4": 9})
    (done,) = measure(SMALL, "ecp5-25k", Options((1,)), Store(tmp_path / "other")).routings

    @contextmanager
    def waited(path: Path) -> Iterator[None]:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.name.startswith("route_"):
            store.add(done)
        yield

    monkeypatch.setattr(measure_module, "locked", waited)
    assert measured(store, (1,)) == [1]
    assert flow.routed == [1]


def test_a_netlist_is_routed_as_the_work_of_the_yosys_that_made_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow = Flow(monkeypatch, {"LUT4": 9})
    measured(store, ())
    flow.yosys, flow.cells = "2", {"LUT4": 8}
    measured(store, ())
    flow.yosys = "1"
    assert measured(store, (1,)) == [1]
    assert flow.folders == [flow.netlists[0].parent]
    assert flow.netlists[0] != flow.netlists[1]
    assert len(flow.netlists) == 2, "each is kept"


def test_a_seed_that_fails_takes_no_other_one_away(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow = Flow(monkeypatch, {"LUT4": 9})
    flow.fails = {1, 3}
    told = r"No routing with seed 1, 3; the other seeds are stored\. nextpnr .* \(1\)\.$"
    with pytest.raises(ToolError, match=told):
        measured(store, (1, 2, 3, 4))
    assert measured(store, (2, 4)) == [2, 4]
    assert flow.routed == [1, 2, 3, 4]
    with pytest.raises(ToolError, match=r"^No routing with seed 3\. nextpnr"):
        measured(store, (3,))


def test_what_does_not_fit_is_stored_and_not_routed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow = Flow(monkeypatch, {"MULT18X18D": 29})
    flow.wrapper = {"MULT18X18D": 1}
    with pytest.raises(ToolError, match="needs 29 MULT18X18D"):
        measured(store, (1,))
    for seeds in ((1,), ()):  # the stored record of it is no answer either
        with pytest.raises(ToolError, match="needs 29 MULT18X18D"):
            measured(store, seeds)
    assert (flow.routed, len(flow.netlists)) == ([], 1)
    assert [record.area["multipliers"] for record in store.records()] == [28]
