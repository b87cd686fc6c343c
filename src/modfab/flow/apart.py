# SPDX-License-Identifier: Apache-2.0
"""Place the two cores of a farm apart: each in a part of the device, what they share between.

A placer that gets both cores at once stirs them together, and each becomes slower than one alone.
So each is placed alone, with cells that do nothing everywhere else.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from modfab.build.farm import FarmCore
from modfab.errors import ToolError
from modfab.flow.lock import core_of
from modfab.flow.targets import Target

NUM_CORES = 2

_CORE = re.compile(r"gen_core\[\d+\]\.(?:u_member|u_engine|gen_unit\[\d+\]|u_rom)\b")
_FEED = re.compile(r"\$nextpnr_CCU2C_\d+\$")
"""A cell that the packer adds at an end of a carry chain; these have no names of their own."""

Cell = dict[str, Any]
Netlist = dict[str, Any]
"""JSON of Yosys or nextpnr, read."""
Sites = dict[str, str]
"""Cell -> site."""


@dataclass(frozen=True, slots=True)
class Part:
    """A core's part of a device: columns of logic, and which multipliers of every row."""

    columns: range
    multipliers: slice

    def of(self, target: Target) -> Target:
        """The device with this part's multipliers and block RAMs only."""
        return replace(
            target,
            multiplier_rows=tuple(row[self.multipliers] for row in target.multiplier_rows),
            ram_rows=tuple(row[self.multipliers] for row in target.ram_rows),
        )


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the cores of a farm are on a device.

    Attributes:
        columns, rows: Of the device's logic.
        parts: A core's, by its number.
    """

    columns: range
    rows: tuple[int, ...]
    parts: tuple[Part, ...]

    def is_between(self, column: int) -> bool:
        """Whether no core has cells in this column."""
        return not any(column in part.columns for part in self.parts)


_OTHER_ROWS = {10, 22, 34, 46, 58, 70, 82}  # multipliers and block RAMs
LAYOUTS = {
    # Six of the seven blocks of multipliers left of the spine, and the six right of it.
    "ecp5-85k": Layout(
        columns=range(2, 125),
        rows=tuple(row for row in range(2, 94) if row not in _OTHER_ROWS),
        parts=(Part(range(2, 58), slice(24)), Part(range(67, 125), slice(28, None))),
    )
}
"""Devices that have room for two cores."""


def modules_of(core: FarmCore, top: str) -> tuple[str, ...]:
    """Modules that stay apart in a netlist: so the name of a cell says which core it is of.

    Args:
        core: The farm.
        top: The measured module.
    """
    unit = core.rsa.unit
    engine = unit.engine.pair.top if core.rsa.shape.pair and unit.engine.pair else unit.engine.top
    return "mf_rsa_farm_member", engine, unit.sequencer.top, f"{top}_rom"


def core_of_cell(name: str) -> int | None:
    """Which core's netlist a cell is of; None for what the cores share.

    >>> core_of_cell("u_dut.u_core.u_farm.gen_core[1].u_member.u_rsa.kind_q")
    1
    >>> core_of_cell("u_dut.u_core.u_farm.gen_core[1].u_ledger.next_q") is None
    True
    """
    return core_of(name)[0] if _CORE.search(name) else None


def cells_of(netlist: Netlist) -> dict[str, Cell]:
    """Cells of the one module that has some; boxes of a family's cells have none."""
    found: list[dict[str, Cell]] = [module["cells"] for module in netlist["modules"].values()]
    return max(found, key=len)


def _bits(cell: Cell, port: str) -> list[Any]:
    return list(cell["connections"].get(port, []))


def _drivers(cells: Mapping[str, Cell]) -> dict[Any, str]:
    """Net -> the cell that drives it."""
    return {
        bit: name
        for name, cell in cells.items()
        for port, bits in cell["connections"].items()
        if cell["port_directions"].get(port) == "output"
        for bit in bits
    }


def without_cores(netlist: Netlist, top: str, keep: Container[int | None]) -> Netlist:
    """A copy with the cells of some cores, and of what they share when None is among them."""
    module = netlist["modules"][top]
    cells = {name: cell for name, cell in module["cells"].items() if core_of_cell(name) in keep}
    modules = netlist["modules"] | {top: module | {"cells": copy.deepcopy(cells)}}
    return netlist | {"modules": modules}


def _by_routing(cell: Cell) -> None:
    """Give a flip-flop its data through its second input, which any net reaches."""
    cell["connections"]["M"] = cell["connections"].pop("DI")
    cell["port_directions"]["M"] = cell["port_directions"].pop("DI")
    cell["parameters"]["SD"] = "0 "


def behind_luts(packed: Mapping[str, Cell]) -> dict[str, str]:
    """Flip-flop that the packer has put behind a LUT or carry cell -> that cell."""
    drivers = _drivers(packed)
    return {
        name: drivers.get(_bits(cell, "DI")[0], "")
        for name, cell in packed.items()
        if cell["type"] == "TRELLIS_FF" and _bits(cell, "DI")
    }


def uneven(packings: Iterable[Mapping[str, Cell]]) -> set[str]:
    """Flip-flops that are behind a LUT in some packings only, or behind one of another core.

    Args:
        packings: Netlists after the packer, all cells or a part: it pairs them in an order of its
            own.
    """
    everywhere = list(packings)
    pairs = [behind_luts(packed) for packed in everywhere]
    found = {
        name
        for here in pairs
        for name, lut in here.items()
        if core_of_cell(name) != core_of_cell(lut)
    }
    for packed, here in zip(everywhere, pairs, strict=True):
        found |= {n for other in pairs for n in other if n in packed and n not in here}
    return found


def part_pairs(netlist: Netlist, top: str, names: Iterable[str]) -> None:
    """Let these flip-flops not be behind a LUT."""
    cells = netlist["modules"][top]["cells"]
    for name in names:
        if "DI" in cells[name]["connections"]:
            _by_routing(cells[name])


def block(netlist: Netlist, top: str, sites: Iterable[str], controls: Mapping[str, Cell]) -> None:
    """Fill sites with cells that do nothing, so that the placer leaves them alone.

    Args:
        netlist: Changed.
        top: Its module.
        sites: Of LUTs and flip-flops.
        controls: Tile -> a flip-flop that it has: all of one tile share clock and reset.
    """
    cells = netlist["modules"][top]["cells"]
    for number, site in enumerate(sites):
        lut = ".K" in site
        like = {} if lut else controls.get(site.rsplit("/", 1)[0], {})
        nets = {port: like["connections"].get(port, []) for port in ("CLK", "LSR")} if like else {}
        cells[f"{_BLOCK}{number}"] = {
            "hide_name": 0,
            "type": "LUT4" if lut else "TRELLIS_FF",
            "parameters": {"INIT": "0" * 16} if lut else dict(like.get("parameters", _RESTING)),
            "attributes": {"BEL": site},
            "port_directions": {"Z": "output"} if lut else dict.fromkeys(nets, "input"),
            "connections": {"Z": []} if lut else nets,
        }


_BLOCK = "blocked$"
_RESTING = {"GSR": "DISABLED", "CEMUX": "1 ", "CLKMUX": "CLK", "LSRMUX": "LSR", "REGSET": "RESET"}


def logic_sites(layout: Layout, wanted: Callable[[int], bool]) -> list[str]:
    """Sites of LUTs and flip-flops in the columns that are wanted."""
    return [
        f"X{column}/Y{row}/SLICE{half}.{kind}{number}"
        for column in layout.columns
        if wanted(column)
        for row in layout.rows
        for half in "ABCD"
        for kind in ("K", "FF")
        for number in (0, 1)
    ]


_INPUTS = {
    "LUT4": r"[ABCD]$",
    "CCU2C": r"[ABCD][01]$",
    "PFUMX": r"C0$",
    "L6MUX21": r"SD$",
    "TRELLIS_DPR16X4": r"RAD|DI|WAD",
    "MULT18X18D": r"(?!CLK)",
    "DP16KD": r"(?!CLK)",
    "PDPW16KD": r"(?!CLK)",
}
"""Kind of a cell -> its inputs that decide neither packing nor which cells share a tile."""


def without_nets_between(netlist: Netlist, top: str, stands: Callable[[str], bool]) -> None:
    """Take out the nets that lead only from cells that stand to cells that stand.

    The placer stops early when most of all wire is between cells that it cannot move. What feeds a
    LUT that also drives another cell stays, as its delay counts.
    """
    cells = netlist["modules"][top]["cells"]
    drivers = _drivers(cells)
    moved = {
        bit
        for name, cell in cells.items()
        if not stands(name)
        for bits in cell["connections"].values()
        for bit in bits
    }
    for name, cell in cells.items():
        ports = _INPUTS.get(cell["type"])
        if ports is None or not stands(name):
            continue
        if cell["type"] == "LUT4" and not moved.isdisjoint(_bits(cell, "Z")):
            continue
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "input" and re.match(ports, port):
                kept = ["x" if bit in drivers and stands(drivers[bit]) else bit for bit in bits]
                cell["connections"][port] = [] if kept == ["x"] else kept


def placed_sites(placed: Netlist) -> Sites:
    """Cell -> site, of logic, multipliers and block RAMs, of a netlist that nextpnr has placed."""
    found = {n: str(c["attributes"].get("NEXTPNR_BEL", "")) for n, c in cells_of(placed).items()}
    return {
        name: site
        for name, site in found.items()
        if re.search(r"/(?:SLICE|MULT18_|EBR)", site) and not name.startswith(_BLOCK)
    }


def _beside(site: str, by: int) -> str:
    """The LUT that is so many behind this one in a carry chain.

    >>> _beside("X4/Y5/SLICED.K1", 1), _beside("X4/Y5/SLICEB.K0", -1)
    ('X5/Y5/SLICEA.K0', 'X4/Y5/SLICEA.K1')
    """
    found = re.fullmatch(r"X(\d+)/(Y\d+)/SLICE([ABCD])\.K([01])", site)
    if found is None:
        raise ToolError(f"A carry cell has the site {site}, which is none of a LUT.")
    number = int(found[1]) * 8 + "ABCD".index(found[3]) * 2 + int(found[4]) + by
    column, place = divmod(number, 8)
    return f"X{column}/{found[2]}/SLICE{'ABCD'[place // 2]}.K{place % 2}"


def with_feeds(sites: Mapping[str, str], packed: Mapping[str, Cell]) -> Sites:
    """Sites, and those of the cells that the packer has added beside carry cells that have one."""
    drivers = _drivers(packed)
    before = {n: drivers.get(bit) for n, c in packed.items() for bit in _bits(c, "FCI")}
    after = {other: name for name, other in before.items() if other}
    found = {name: site for name, site in sites.items() if name in packed}
    todo = [name for name in packed if _FEED.match(name) and name not in found]
    while todo:
        for name in todo:
            if before.get(name) in found:
                found[name] = _beside(found[before[name] or ""], 1)
            elif after.get(name) in found:
                found[name] = _beside(found[after[name]], -1)
        left = [name for name in todo if name not in found]
        if len(left) == len(todo):
            break
        todo = left
    return found


def taken(sites: Iterable[str]) -> set[str]:
    """Sites that cells use up: a memory's write port takes the two LUTs of its slice, too."""
    found = set(sites)
    for site in [site for site in found if site.endswith(".RAMW")]:
        found |= {site.replace("RAMW", "K0"), site.replace("RAMW", "K1")}
    return found


def tile_controls(cells: Mapping[str, Cell], sites: Mapping[str, str]) -> dict[str, Cell]:
    """Tile -> a flip-flop that stands there."""
    return {
        site.rsplit("/", 1)[0]: cells[name]
        for name, site in sites.items()
        if ".FF" in site and name in cells
    }
