# SPDX-License-Identifier: Apache-2.0
"""A farm placed core by core: each core in its part of the device, shared cells between them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from modfab.build.farm import FarmCore
from modfab.cli.design import design_of
from modfab.errors import ToolError, UsageError
from modfab.flow import apart_place
from modfab.flow.apart import (
    LAYOUTS,
    Layout,
    Netlist,
    Part,
    Sites,
    behind_luts,
    block,
    core_of_cell,
    logic_sites,
    modules_of,
    placed_sites,
    taken,
    with_feeds,
    without_cores,
    without_nets_between,
)
from modfab.flow.apart_place import PASSES, check_python, even, place
from modfab.flow.design import Design
from modfab.flow.lock import place_of
from modfab.flow.measure import Options, request_of
from modfab.flow.resolve import command_of
from modfab.flow.synth import NETLIST, Mapping, synthesize
from modfab.flow.targets import TARGETS, get_target
from modfab.flow.tools import Tool, silent
from modfab.flow.wrapper import TOP

LAYOUT = LAYOUTS["ecp5-85k"]
TINY = Layout(
    columns=range(2, 14),
    rows=(2, 3, 5),
    parts=(Part(range(2, 6), slice(1)), Part(range(9, 13), slice(1, 2))),
)
CORE = "u_dut.gen_core[{}].u_engine."
PAIR = {"Contexts": 1, "NumSlots": 28, "MinModBits": 32}


def farm_core(design: Design) -> FarmCore:
    assert isinstance(design.core, FarmCore)
    return design.core


def farm(**more: int) -> Design:
    rsa = {"engines": 2, "pair": 1, "cores": 2} | more
    return design_of("qp_systolic", 128, (PAIR, rsa), "farm_axil", "window", None)


def cell(kind: str, outputs: str, **nets: Any) -> dict[str, Any]:
    return {
        "hide_name": 0,
        "type": kind,
        "parameters": {},
        "attributes": {},
        "port_directions": {p: "output" if p in outputs else "input" for p in nets},
        "connections": {p: [] if net is None else [net] for p, net in nets.items()},
    }


def small() -> Netlist:
    """Of each core a LUT, and two flip-flops for which it is data; a shared LUT and flip-flop."""
    cells = {}
    for core, base in enumerate((10, 20)):
        name = CORE.format(core)
        cells[f"{name}lut"] = cell("LUT4", "Z", A=base + 1, B=1, Z=base)
        cells[f"{name}own"] = cell("TRELLIS_FF", "Q", CLK=2, DI=base, LSR="0", Q=base + 1)
        cells[f"{name}out"] = cell("TRELLIS_FF", "Q", CLK=2, DI=base, LSR="0", Q=base + 2)
    cells["shared_lut"] = cell("LUT4", "Z", A=12, B=22, Z=3)
    cells["shared"] = cell("TRELLIS_FF", "Q", CLK=2, DI=3, LSR="0", Q=1)
    return {"modules": {TOP: {"cells": cells, "netnames": {}, "ports": {}, "attributes": {}}}}


class Placer:
    """nextpnr of these tests: takes the first free site; packs a core alone in another order."""

    def __init__(self) -> None:
        self.runs: list[str] = []

    def __call__(
        self, what: str, netlist: Netlist, sites: Sites, options: Sequence[str]
    ) -> Netlist:
        self.runs.append(what)
        found = json.loads(json.dumps(netlist))
        cells = found["modules"][TOP]["cells"]
        paired: set[Any] = set()
        for name in sorted(cells, reverse="shared" in cells):  # one flip-flop behind each LUT
            ports = cells[name]["connections"]
            if cells[name]["type"] == "TRELLIS_FF" and ports.get("DI"):
                if ports["DI"][0] in paired:
                    ports["M"] = ports.pop("DI")
                    cells[name]["port_directions"]["M"] = "input"
                else:
                    paired.add(ports["DI"][0])
        if "--no-route" in options:
            self.place(cells, sites)
        return dict(found)

    @staticmethod
    def place(cells: dict[str, Any], sites: Sites) -> None:
        stands = {n: c["attributes"]["BEL"] for n, c in cells.items() if "BEL" in c["attributes"]}
        stands |= {name: site for name, site in sites.items() if name in cells}
        assert len(set(stands.values())) == len(stands), "two cells at one site"
        used = set(stands.values())
        free = [site for site in logic_sites(TINY, lambda _: True) if site not in used]
        for name, entry in cells.items():
            kind = ".FF" if entry["type"] == "TRELLIS_FF" else ".K"
            site = stands.get(name) or free.pop(next(i for i, s in enumerate(free) if kind in s))
            entry["attributes"]["NEXTPNR_BEL"] = site


def test_parts_of_the_device_and_what_is_between_are_all_of_it() -> None:
    target = get_target("ecp5-85k")
    everywhere = logic_sites(LAYOUT, lambda _: True)
    parts = [logic_sites(LAYOUT, part.columns.__contains__) for part in LAYOUT.parts]
    between = logic_sites(LAYOUT, LAYOUT.is_between)
    assert sum(".K" in site for site in everywhere) == target.capacity["LUT4"]
    assert sorted([*parts[0], *parts[1], *between]) == sorted(everywhere)


def test_multipliers_and_block_rams_of_the_parts_are_in_their_columns() -> None:
    target = get_target("ecp5-85k")
    for part in LAYOUT.parts:
        half = part.of(target)
        for rows in (half.multiplier_rows, half.ram_rows):
            assert all(place_of(site)[0] in part.columns for row in rows for site in row)
            assert {len(row) for row in rows} == {24}


def test_layouts_are_of_devices_there_are() -> None:
    assert set(LAYOUTS) <= set(TARGETS)


def test_flip_flops_that_the_packer_treats_differently_are_behind_no_lut() -> None:
    netlist = small()
    packed = even(netlist, TOP, Placer())
    assert behind_luts(packed) == {"shared": "shared_lut"}
    for core in (0, 1):
        for name in ("own", "out"):
            ports = netlist["modules"][TOP]["cells"][CORE.format(core) + name]["connections"]
            assert ports["M"] == [10 * core + 10]


def test_a_shared_flip_flop_is_not_behind_the_lut_of_a_core() -> None:
    netlist = small()
    cells = netlist["modules"][TOP]["cells"]
    cells["shared"]["connections"]["DI"] = [10]
    assert "shared" not in behind_luts(even(netlist, TOP, Placer()))
    assert cells["shared"]["connections"]["M"] == [10]
    assert cells["shared"]["parameters"]["SD"] == "0 "


def test_placing_gives_every_cell_a_site_of_its_own_in_its_part() -> None:
    netlist, placer = small(), Placer()
    names = [f"{CORE.format(core)}lut" for core in (0, 1)]
    locked = [{names[0]: "X5/Y5/SLICEA.K0"}, {names[1]: "X12/Y5/SLICEA.K0"}]
    sites = place(netlist, TOP, TINY, locked, placer)
    cells = netlist["modules"][TOP]["cells"]
    assert set(sites) == set(cells)
    assert len(set(sites.values())) == len(sites)
    assert [sites[name] for name in names] == ["X5/Y5/SLICEA.K0", "X12/Y5/SLICEA.K0"]
    for name, site in sites.items():
        core, column = core_of_cell(name), place_of(site)[0]
        if core is None:
            assert TINY.is_between(column)
        else:
            assert column in TINY.parts[core].columns
    for what in ("core 0", "core 1", "what the cores share"):
        assert placer.runs.count(f"{what}, placing") == PASSES


def test_feeds_of_a_carry_chain_stand_beside_its_ends() -> None:
    feed, end = "$nextpnr_CCU2C_7$CCU2_COMB1", "$nextpnr_CCU2C_9$CCU2_COMB0"
    packed = {
        feed: cell("TRELLIS_COMB", "FCO", FCI=None, FCO=1),
        "a": cell("TRELLIS_COMB", "FCO", FCI=1, FCO=2),
        "b": cell("TRELLIS_COMB", "FCO", FCI=2, FCO=3),
        end: cell("TRELLIS_COMB", "FCO", FCI=3, FCO=None),
        "$nextpnr_CCU2C_1$CCU2_COMB0": cell("TRELLIS_COMB", "FCO", FCI=None, FCO=None),
    }
    sites = {"a": "X4/Y5/SLICEA.K0", "b": "X4/Y5/SLICEA.K1", "gone": "X9/Y9/SLICEA.K0"}
    assert with_feeds(sites, packed) == {
        "a": "X4/Y5/SLICEA.K0",
        "b": "X4/Y5/SLICEA.K1",
        feed: "X3/Y5/SLICED.K1",
        end: "X4/Y5/SLICEB.K0",
    }
    with pytest.raises(ToolError, match="EBR0"):
        with_feeds({"a": "X4/Y22/EBR0"}, packed)


def test_nets_between_standing_cells_go_but_for_those_before_a_shared_one() -> None:
    netlist = small()
    without_nets_between(netlist, TOP, lambda name: core_of_cell(name) is not None)
    cells = netlist["modules"][TOP]["cells"]
    lut = cells[f"{CORE.format(0)}lut"]["connections"]
    assert lut["A"] == []  # from a flip-flop of its core
    assert lut["B"] == [1]  # from outside
    assert cells["shared_lut"]["connections"] == {"A": [12], "B": [22], "Z": [3]}
    assert cells[f"{CORE.format(0)}own"]["connections"]["DI"] == [10]  # it decides the packing
    netlist = small()
    cells = netlist["modules"][TOP]["cells"]
    cells["shared_lut"]["connections"]["A"] = [10]
    without_nets_between(netlist, TOP, lambda name: core_of_cell(name) is not None)
    assert cells[f"{CORE.format(0)}lut"]["connections"]["A"] == [11]


def test_blocked_sites_get_the_controls_of_their_tile_and_are_no_result() -> None:
    netlist = small()
    like = cell("TRELLIS_FF", "Q", CLK=2, LSR=5, DI=6, Q=7)
    block(
        netlist, TOP, ["X3/Y3/SLICEA.K0", "X3/Y3/SLICEA.FF0", "X4/Y3/SLICEA.FF0"], {"X3/Y3": like}
    )
    cells = netlist["modules"][TOP]["cells"]
    lut, beside, alone = list(cells.values())[-3:]
    assert (lut["type"], lut["attributes"]["BEL"]) == ("LUT4", "X3/Y3/SLICEA.K0")
    assert beside["connections"] == {"CLK": [2], "LSR": [5]}
    assert alone["connections"] == {}
    for entry in cells.values():
        entry["attributes"]["NEXTPNR_BEL"] = "X2/Y2/SLICEA.K0"
    assert len(placed_sites(netlist)) == len(small()["modules"][TOP]["cells"])


def test_a_memorys_write_port_takes_the_luts_of_its_slice() -> None:
    assert taken(["X2/Y3/SLICEC.RAMW", "X2/Y3/SLICEA.K0"]) == {
        "X2/Y3/SLICEC.RAMW",
        "X2/Y3/SLICEC.K0",
        "X2/Y3/SLICEC.K1",
        "X2/Y3/SLICEA.K0",
    }


def test_one_core_is_a_netlist_of_its_own() -> None:
    netlist = small()
    alone = without_cores(netlist, TOP, (0,))
    assert set(alone["modules"][TOP]["cells"]) == {
        f"{CORE.format(0)}{n}" for n in ("lut", "own", "out")
    }
    assert len(netlist["modules"][TOP]["cells"]) == 8


def test_the_name_of_a_cell_says_which_core_it_is_of() -> None:
    assert modules_of(farm_core(farm()), "mf_top") == (
        "mf_rsa_farm_member",
        "mf_mul_qp_systolic_pair",
        "mf_exp_window",
        "mf_top_rom",
    )


@pytest.mark.parametrize(
    ("design", "target", "text"),
    [
        (Design(farm_core(farm()).rsa, bus=True), "ecp5-85k", "level rsa_axil"),
        (farm(cores=3), "ecp5-85k", "cores=2"),
        (farm(), "ecp5-45k", "ecp5-45k was given"),
    ],
)
def test_a_design_that_is_no_such_farm_is_refused(design: Design, target: str, text: str) -> None:
    with pytest.raises(UsageError, match=text):
        request_of(design, get_target(target), Options(apart=True))


def test_a_farm_placed_apart_is_another_request_and_its_command_says_so() -> None:
    design, target = farm(), get_target("ecp5-85k")
    plain, parted = (request_of(design, target, Options(apart=apart)) for apart in (False, True))
    assert plain.key != parted.key
    assert "--apart" in command_of(parted, 1).split()
    assert "--apart" not in command_of(plain, 1).split()


def test_a_nextpnr_without_python_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, able in (("--pre-place arg", True), ("--pack-only", False)):
        tool = Tool("nextpnr-ecp5", "0.9 wheel", ("echo", text), native=False)
        monkeypatch.setattr(apart_place, "find_tool", lambda _, tool=tool: tool)
        if able:
            check_python()
        else:
            with pytest.raises(ToolError, match=r"0\.9 wheel does not; install one"):
                check_python()


@pytest.mark.full
def test_hardly_a_cell_of_a_core_has_a_name_without_it(tmp_path: Path) -> None:
    design, target = farm(), get_target("ecp5-85k")
    how = Mapping(no_enables=True, kept=modules_of(farm_core(design), design.top))
    synthesize(design, target, tmp_path, how=how, progress=silent)
    names = json.loads((tmp_path / NETLIST).read_text())["modules"][TOP]["cells"]
    cores = [core_of_cell(name) for name in names]
    assert cores.count(0) == pytest.approx(cores.count(1), rel=0.01)
    assert cores.count(None) < len(cores) / 3
    assert not any("u_rsa" in name for name in names if core_of_cell(name) is None)
