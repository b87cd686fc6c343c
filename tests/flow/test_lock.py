# SPDX-License-Identifier: Apache-2.0
"""Multipliers locked side by side: sites exist, neighbours are near, numbers decide the order."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from modfab.build.core import engine_core
from modfab.catalog import get_engine
from modfab.catalog.descriptor import Chain
from modfab.cli.design import design_of
from modfab.errors import ToolError, UsageError
from modfab.flow.design import Design
from modfab.flow.lock import (
    MULTIPLIER,
    beside,
    engine_of,
    head,
    lock,
    place_of,
    rams_beside,
    walk,
)
from modfab.flow.measure import Options, measure, request_of, routed_request
from modfab.flow.store import Store
from modfab.flow.synth import NETLIST, Mapping, synthesize
from modfab.flow.targets import TARGETS, get_target
from modfab.flow.tools import Job, find_tool, silent
from modfab.flow.wrapper import TOP
from modfab.models.mul_qp_systolic_shape import Shape
from tests.support.kept_jobs import kept_job

DEVICES = ("ecp5-25k", "ecp5-45k", "ecp5-85k")


def netlist(
    path: Path, names: list[str], rams: list[str] | None = None, kind: str = MULTIPLIER
) -> Path:
    cells = {
        name: {
            "type": "DP16KD" if name in (rams or ()) else kind,
            "hide_name": 0,
            "parameters": {},
            "attributes": {},
            "port_directions": {},
            "connections": {},
        }
        for name in names + (rams or [])
    }
    top = {"attributes": {"top": "1"}, "ports": {}, "cells": cells, "netnames": {}}
    path.write_text(json.dumps({"modules": {"top": top}}))
    return path


def place(target: str) -> tuple[int, int]:
    """Column and row of a site."""
    found = re.fullmatch(r"X(\d+)/Y(\d+)/MULT18_[0145]", target)
    assert found
    return int(found[1]), int(found[2])


@pytest.mark.parametrize("middle", [False, True])
@pytest.mark.parametrize("name", DEVICES)
def test_a_walk_meets_every_site_once_and_its_next_is_near(name: str, middle: bool) -> None:
    target = get_target(name)
    sites = walk(target, middle)
    assert len(set(sites)) == len(sites) == target.capacity[MULTIPLIER]
    # Two rows and half of a third in one go: no step is longer than from one row to the next.
    steps = [
        abs(a - c) + abs(b - d)
        for (a, b), (c, d) in zip(map(place, sites[:130]), map(place, sites[1:130]), strict=False)
    ]
    assert max(steps) <= 30


@pytest.mark.parametrize(
    ("name", "number"), [("ecp5-85k", 116), ("ecp5-85k", 60), ("ecp5-45k", 60)]
)
def test_an_array_with_controllers_leaves_them_the_side_of_its_first(
    name: str, number: int
) -> None:
    target = get_target(name)
    start, sites = head(target, number)
    assert len(set(sites)) == len(sites) == number
    assert set(sites) <= set(walk(target, middle=False))
    steps = [
        abs(a - c) + abs(b - d)
        for (a, b), (c, d) in zip(map(place, sites[:-1]), map(place, sites[1:]), strict=True)
    ]
    assert max(steps) <= 30
    # It starts near the middle of the last row that it uses, and nothing is below.
    column, row = place(sites[0])
    assert row == max(place(site)[1] for site in sites)
    assert (
        sites[0] == next(all_of for all_of in target.multiplier_rows if sites[0] in all_of)[start]
    )
    length = len(target.multiplier_rows[0])
    assert length // 4 <= start <= length // 2
    assert column > 30


@pytest.mark.parametrize(("name", "number"), [("ecp5-25k", 20), ("ecp5-85k", 40), ("ecp5-45k", 80)])
def test_no_side_is_left_by_one_row_or_too_many_multipliers(name: str, number: int) -> None:
    assert head(get_target(name), number) == (0, [])


def test_controllers_stand_below_the_first_multiplier_and_the_core_beside_them() -> None:
    target = get_target("ecp5-85k")
    start, sites = head(target, 116)
    own = [f"u_dut.u_engine.gen_port[{i}].u_x.gen_tile[{j}]" for i in range(2) for j in range(4)]
    core = [f"u_dut.u_core.u_memory.u_ram.gen_tile[{i}]" for i in range(8)]
    muls = ["u_dut.u_engine.gen_port[0].u_mul", "u_dut.u_core.u_alu.u_mul"]
    found = beside(target, start, sites, own + core, muls)
    assert sorted(found) == sorted(own + core + muls)
    assert len(set(found.values())) == len(found)
    assert not set(found.values()) & set(sites)
    places = [place_of(found[name]) for name in own + core]
    assert [row for _, row in places] == [70] * 8 + [82] * 8
    columns = [column for column, _ in places]
    first = place(sites[0])[0]
    assert min(columns[:8]) == min(columns[8:]) == first
    assert abs(place(found[muls[0]])[0] - first) <= 9
    # The array's first elements are in the same row, above the core's block RAMs.
    assert abs(place(found[muls[1]])[0] - columns[12]) <= 16


@pytest.mark.parametrize("around", ["u_dut.", "u_dut.u_engine.gen_port[1].", "u_dut.u_core."])
def test_an_engine_alone_without_ports_begins_in_a_corner(tmp_path: Path, around: str) -> None:
    target, chain = get_target("ecp5-85k"), get_engine("qp_systolic").chain
    assert chain
    names = [f"u_dut.u_engine.u_array.gen_element[{i}].u_mul_x" for i in range(60)]
    path = netlist(tmp_path / "a.json", [*names, f"{around}u_serial.u_mul"])
    assert lock(path, tmp_path / "b.json", "top", target, chain) == 60
    cells = json.loads((tmp_path / "b.json").read_text())["modules"]["top"]["cells"]
    corner = around == "u_dut."
    sites = walk(target, middle=False) if corner else head(target, 60)[1]
    assert [cells[name]["attributes"]["BEL"] for name in names] == sites[:60]
    assert ("BEL" in cells[f"{around}u_serial.u_mul"]["attributes"]) is not corner


@pytest.mark.parametrize(("name", "row"), [("ecp5-45k", 58), ("ecp5-85k", 46)])
def test_a_core_has_the_row_of_the_engine_where_no_other_is_near(name: str, row: int) -> None:
    target = get_target(name)
    start, sites = head(target, 60)
    own, core = ["u_engine.u_x"], ["u_core.u_ram_a", "u_core.u_ram_b"]
    found = beside(target, start, sites, own + core, [])
    rows = {place_of(site)[1] for site in found.values()}
    assert sorted(found) == sorted(own + core)
    assert rows == {row}


def test_more_block_rams_than_a_row_has_stay_free() -> None:
    target = get_target("ecp5-85k")
    start, sites = head(target, 116)
    assert beside(target, start, sites, [f"u_core.u_{i}" for i in range(53)], []) == {}


def bels(locked: Path) -> dict[str, str]:
    """Cell -> site, of cells that have one."""
    cells = json.loads(locked.read_text())["modules"]["top"]["cells"]
    found = {name: cell["attributes"].get("BEL", "") for name, cell in cells.items()}
    return {name: site for name, site in found.items() if site}


@pytest.mark.parametrize("name", DEVICES)
def test_every_multiplier_has_a_block_ram_of_its_own_beside_it(name: str) -> None:
    target = get_target(name)
    pairs = rams_beside(target)
    assert set(pairs) == set(walk(target, middle=False))
    assert len(set(pairs.values())) == len(pairs)
    assert set(pairs.values()) <= {site for row in target.ram_rows for site in row}
    for mul, ram in pairs.items():
        column, row = place(mul)
        at = re.fullmatch(r"X(\d+)/Y(\d+)/EBR[0-3]", ram)
        assert at
        assert abs(int(at[1]) - column) <= 1
        assert abs(int(at[2]) - row) == 12


def farm_of(num: int, tables: int) -> tuple[list[str], list[str]]:
    """Multipliers and block RAMs of a farm of two dual-port cores, as the flow names them."""
    muls, rams = [], []
    for core in (0, 1):
        engine, member = f"u_dut.gen_core[{core}].u_engine", f"u_dut.u_core.u_farm.gen_core[{core}]"
        element = [f"{engine}.u_array.gen_element[{j}]" for j in range(num)]
        muls += [f"{one}.u_mul_x.u_cell" for one in element]
        rams += [f"{one}.gen_table.u_table.u_cell" for one in element[:tables]]
        muls += [f"{engine}.gen_port[{port}].u_serial.u_mul.u_cell" for port in (0, 1)]
        rams += [f"{engine}.gen_port[{port}].u_serial.u_values.u_cell" for port in (0, 1)]
        muls += [f"{member}.u_member.u_rsa.u_alu.u_{i}.u_cell" for i in range(4)]
        rams += [f"{member}.u_member.u_rsa.u_memory.gen_tile[{i}].u_cell" for i in range(8)]
    return muls, rams


def test_both_arrays_of_a_farm_have_a_half_of_the_device_and_tables_beside_them(
    tmp_path: Path,
) -> None:
    target, chain = get_target("ecp5-85k"), get_engine("qp_systolic").chain
    assert chain
    muls, rams = farm_of(59, 58)
    path = netlist(tmp_path / "a.json", muls, rams)
    assert lock(path, tmp_path / "b.json", "top", target, chain) == 2 * 59
    sites = bels(tmp_path / "b.json")
    assert sorted(sites) == sorted(muls + rams)
    assert len(set(sites.values())) == len(sites)
    columns = {name: int(site[1:].split("/")[0]) for name, site in sites.items()}
    ends = [max(x for name, x in columns.items() if "gen_core[0]" in name)]
    ends += [min(x for name, x in columns.items() if "gen_core[1]" in name)]
    assert ends[0] < ends[1]
    pairs = rams_beside(target)
    for name in rams:
        if "gen_table" in name:
            mul = name.replace("gen_table.u_table", "u_mul_x")
            assert sites[name] == pairs[sites[mul]]
    # An array's first elements lie in the row next to the side that the controllers have.
    for core in (0, 1):
        near = f"u_dut.gen_core[{core}].u_engine."
        assert place(sites[f"{near}u_array.gen_element[0].u_mul_x.u_cell"])[1] == 58
        assert "/Y70/" in sites[f"{near}gen_port[1].u_serial.u_values.u_cell"]


def test_an_engine_alone_with_tables_begins_in_the_middle_with_its_own_block_rams(
    tmp_path: Path,
) -> None:
    target, chain = get_target("ecp5-85k"), get_engine("qp_systolic").chain
    assert chain
    element = [f"u_dut.u_engine.u_array.gen_element[{i}]" for i in range(59)]
    muls = [f"{one}.u_mul_x.u_cell" for one in element]
    tables = [f"{one}.gen_table.u_table.u_cell" for one in element[:58]]
    own = [f"u_dut.u_engine.u_ctrl.u_ram.gen_tile[{i}].u_cell" for i in range(3)]
    path = netlist(tmp_path / "a.json", muls, tables + own)
    assert lock(path, tmp_path / "b.json", "top", target, chain) == 59
    sites = bels(tmp_path / "b.json")
    assert [sites[name] for name in muls] == head(target, 59)[1]
    column, _ = place(sites[muls[0]])
    for name in own:
        assert sites[name] not in [sites[one] for one in tables]
        at = re.fullmatch(r"X(\d+)/Y46/EBR[0-3]", sites[name])
        assert at
        assert 0 < column - int(at[1]) < 10


def test_arrays_that_find_no_side_follow_each_other_with_their_tables(tmp_path: Path) -> None:
    target, chain = get_target("ecp5-25k"), get_engine("qp_systolic").chain
    assert chain
    muls, rams = farm_of(14, 13)
    path = netlist(tmp_path / "a.json", muls, rams)
    assert lock(path, tmp_path / "b.json", "top", target, chain) == 2 * 14
    sites, pairs = bels(tmp_path / "b.json"), rams_beside(target)
    array = [name for name in muls if "gen_element" in name]
    assert [sites[name] for name in array] == walk(target, middle=False)
    tables = [name for name in rams if "gen_table" in name]
    assert sorted(sites) == sorted(array + tables)
    for name in tables:
        assert sites[name] == pairs[sites[name.replace("gen_table.u_table", "u_mul_x")]]


@pytest.mark.parametrize(
    "name",
    [
        "ecp5-25k",
        pytest.param("ecp5-45k", marks=pytest.mark.full),
        pytest.param("ecp5-85k", marks=pytest.mark.full),
    ],
)
def test_the_placer_knows_every_site(tmp_path: Path, name: str) -> None:
    """As many multipliers as there are, every one with a site: placed, or the placer complains."""
    target = get_target(name)
    chain = get_engine("redundant_mul").chain
    assert chain
    sites = walk(target, chain.middle)
    names = [f"u_array.gen_products[{j}].u_mul" for j in range(len(sites))]
    given = lock(netlist(tmp_path / "n.json", names), tmp_path / "l.json", "top", target, chain)
    assert given == len(sites)
    words = "--json l.json --top top --no-route --write out.json -l log -q".split()
    kept_job(Job(find_tool("nextpnr-ecp5"), [*target.route, *words], tmp_path, "log", name, 600))
    cells = json.loads((tmp_path / "out.json").read_text())["modules"]["top"]["cells"]
    assert [cells[name]["attributes"]["NEXTPNR_BEL"] for name in names] == sites


def test_numbers_decide_and_those_without_one_come_first(tmp_path: Path) -> None:
    names = [f"u_a.gen_products[{j}].u_mul" for j in (10, 2, 0)]
    names += ["u_q.u_k.u_cell", "u_port.u_mul"]
    chain, target = Chain(r"gen_products\[(\d+)\]|u_k\b"), get_target("ecp5-25k")
    path = netlist(tmp_path / "n.json", names)
    before = path.read_text()
    assert lock(path, tmp_path / "l.json", "top", target, chain) == 4
    cells = json.loads((tmp_path / "l.json").read_text())["modules"]["top"]["cells"]
    order = [names[3], names[2], names[1], names[0]]
    assert [cells[name]["attributes"]["BEL"] for name in order] == walk(target, middle=False)[:4]
    assert cells["u_port.u_mul"]["attributes"] == {}
    assert path.read_text() == before


def test_engines_of_a_design_follow_each_other(tmp_path: Path) -> None:
    """Of two cores with two arrays each: array by array, each in its own order."""
    engines = [f"u_dut.gen_core[{c}].gen_unit[{u}].u_engine" for c in (2, 10) for u in (0, 1)]
    names = [f"{engine}.u_array.gen_element[{j}].u_mul" for engine in engines for j in (0, 9, 10)]
    path, target = netlist(tmp_path / "n.json", sorted(names)), get_target("ecp5-25k")
    chain = Chain(r"gen_element\[(\d+)\]")
    assert lock(path, tmp_path / "l.json", "top", target, chain) == len(names)
    cells = json.loads((tmp_path / "l.json").read_text())["modules"]["top"]["cells"]
    sites = walk(target, middle=False)[: len(names)]
    assert [cells[name]["attributes"]["BEL"] for name in names] == sites


@pytest.mark.parametrize("level", ["rsa", "rsa_axil", "farm_axil"])
@pytest.mark.parametrize("options", [{}, {"engines": 2}, {"engines": 2, "pair": 1}])
def test_an_rsa_core_is_mapped_and_locked_like_its_engine(
    level: str, options: dict[str, int]
) -> None:
    farm = {"cores": 2} if level == "farm_axil" else {}
    parameters = ({"Contexts": 1}, {**options, **farm})
    design = design_of("qp_systolic", 128, parameters, level, "window", None)
    target = get_target("ecp5-85k")
    request = request_of(design, target, Options())
    assert request.no_enables
    assert routed_request(design, request, Options(), seed=1).locked
    free = request_of(design, target, Options(no_enables=False))
    assert not free.no_enables
    assert not routed_request(design, free, Options(lock=False), seed=1).locked


def test_the_arrays_of_an_rsa_core_are_told_apart(tmp_path: Path) -> None:
    """The names that synthesis gives the multipliers of two arrays, and of a word machine."""
    design = design_of("qp_systolic", 128, ({"Contexts": 1}, {"engines": 2}), "rsa", "window", None)
    target = get_target("ecp5-85k")
    how = Mapping(no_enables=True)
    synthesize(design, target, tmp_path, how=how, limit_s=600, progress=silent)
    chain = get_engine("qp_systolic").chain
    assert chain
    locked = lock(tmp_path / NETLIST, tmp_path / "l.json", TOP, target, chain)
    cells = json.loads((tmp_path / "l.json").read_text())["modules"][TOP]["cells"]
    sites = {cell["attributes"].get("BEL"): name for name, cell in cells.items()}
    order = [sites[site] for site in walk(target, chain.middle)[:locked]]
    assert [engine_of(name) for name in order] == sorted(engine_of(name) for name in order)
    halves = {engine_of(name) for name in order}
    assert halves == {(0,), (1,)}
    numbers = [int(number) for number in re.findall(chain.names, " ".join(order))]
    half = locked // 2
    assert numbers[:half] == sorted(numbers[:half]) == numbers[half:]


def test_a_chain_that_is_not_there(tmp_path: Path) -> None:
    path = netlist(tmp_path / "n.json", ["u_x.gen_element[3].u_lut"], kind="LUT4")
    with pytest.raises(ToolError, match=r"No multiplier.*give --no-lock"):
        lock(path, tmp_path / "l.json", "top", TARGETS["ecp5-25k"], Chain(r"gen_element\[(\d+)\]"))
    assert not (tmp_path / "l.json").exists()


def test_a_folded_array_is_not_locked(tmp_path: Path) -> None:
    """Its held operands have two clock enables an element: more than a block takes."""
    engine = get_engine("qp_systolic")
    assert engine.chain is not None
    digits = Shape(64, 18).num_digits
    free = {
        elements: engine.chain.lockable(engine.resolve(64, {"NumElements": elements}))
        for elements in (0, 1, digits - 1, digits)
    }
    assert free == {0: True, 1: False, digits - 1: False, digits: True}
    design = Design(engine_core("qp_systolic", 64, overrides={"NumElements": 2}))
    with pytest.raises(
        UsageError, match=r"qp_systolic with NumElements 2 has no chain.*leave --lock out"
    ):
        measure(design, "ecp5-25k", Options(lock=True), Store(tmp_path / "results.sqlite"))


def test_an_engine_without_a_chain_cannot_be_locked(tmp_path: Path) -> None:
    design = Design(engine_core("bit_serial", 16))
    with pytest.raises(UsageError, match=r"bit_serial has no chain.*leave --lock out"):
        measure(design, "ecp5-25k", Options(lock=True), Store(tmp_path / "results.sqlite"))


@pytest.mark.full
@pytest.mark.parametrize(
    ("engine", "overrides"),
    [("qp_systolic", {}), ("redundant_mul", {}), ("redundant_mul", {"PipelineStages": 3})],
)
def test_a_locked_engine_is_routed_and_its_record_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str, overrides: dict[str, int]
) -> None:
    monkeypatch.setenv("MODFAB_CACHE", str(tmp_path / "cache"))
    store = Store(tmp_path / "results.sqlite")
    design = Design(engine_core(engine, 64, overrides=overrides))
    found = measure(design, "ecp5-25k", Options(seeds=(1,)), store)
    free = measure(design, "ecp5-25k", Options(seeds=(1,), lock=False), store)
    assert found.routings[0].request.locked
    assert not free.routings[0].request.locked
    assert found.routings[0].path != free.routings[0].path
    assert not list((tmp_path / "cache").rglob("locked_*.json"))
    assert list((tmp_path / "cache").rglob(NETLIST))


def test_every_ecp5_target_knows_its_rows() -> None:
    rows = {name: bool(target.multiplier_rows) for name, target in TARGETS.items()}
    assert rows == {name: target.routable for name, target in TARGETS.items()}
