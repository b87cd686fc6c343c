# SPDX-License-Identifier: Apache-2.0
"""Place a farm core by core: the placer's runs, one behind the other."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence

from modfab.errors import ToolError
from modfab.flow.apart import (
    NUM_CORES,
    Cell,
    Layout,
    Netlist,
    Sites,
    block,
    cells_of,
    core_of_cell,
    logic_sites,
    part_pairs,
    placed_sites,
    taken,
    tile_controls,
    uneven,
    with_feeds,
    without_cores,
    without_nets_between,
)
from modfab.flow.tools import find_tool

Run = Callable[[str, Netlist, Sites, Sequence[str]], Netlist]
"""Runs nextpnr: what for, netlist, sites of cells before it places, its options; what it wrote."""

BIND = """import json

with open({sites!r}) as file:
    sites = json.load(file)
for name, cell in ctx.cells:
    if name in sites and cell.bel is None:
        ctx.bindBel(sites[name], cell, STRENGTH_LOCKED)
"""
"""Script for nextpnr: cells get their sites before the others are placed."""

PASSES = 2
"""How often a core is placed, from the second time on with what the cores share around it."""

_PACK, _PLACE = ("--pack-only",), ("--no-route",)


def check_python() -> None:
    """ToolError when nextpnr runs no Python scripts."""
    tool = find_tool("nextpnr-ecp5")
    done = subprocess.run(
        [*tool.command, "--help"], capture_output=True, text=True, timeout=60, check=False
    )
    if "--pre-place" not in done.stdout + done.stderr:
        raise ToolError(
            f"--apart needs a nextpnr-ecp5 that runs Python scripts, and {tool.version} does not; "
            "install one (Debian's package does), or leave --apart out."
        )


def even(netlist: Netlist, top: str, run: Run) -> dict[str, Cell]:
    """Change a netlist until the packer treats a core alone as it does within the farm.

    Returns:
        The cells that the packer makes of it.
    """
    while True:
        packed = cells_of(run("all cores", netlist, {}, _PACK))
        alone = [
            cells_of(run(f"core {core}", without_cores(netlist, top, (core,)), {}, _PACK))
            for core in range(NUM_CORES)
        ]
        names = uneven([packed, *alone])
        if not names:
            return packed
        part_pairs(netlist, top, names)


def place(
    netlist: Netlist,
    top: str,
    layout: Layout,
    locked: Sequence[Mapping[str, str]],
    run: Run,
) -> Sites:
    """Sites of all cells of a farm.

    Args:
        netlist: What Yosys has written; changed as `even` says.
        top: Its module.
        layout: Where the cores go.
        locked: Of each core, sites of its multipliers and block RAMs.
        run: Runs nextpnr.
    """
    packed = even(netlist, top, run)
    shared: Sites = {}
    cores: Sites = {}
    for _ in range(PASSES):
        cores = {}
        for core in range(NUM_CORES):
            cores |= _place_core(netlist, top, layout, core, locked[core], shared, run)
        shared = _place_shared(netlist, top, layout, cores, run)
    return with_feeds(cores | shared, packed)


def _place_core(
    netlist: Netlist,
    top: str,
    layout: Layout,
    core: int,
    locked: Mapping[str, str],
    shared: Mapping[str, str],
    run: Run,
) -> Sites:
    part = without_cores(netlist, top, (core, None) if shared else (core,))
    cells = part["modules"][top]["cells"]
    for name, site in locked.items():
        cells[name]["attributes"]["BEL"] = site
    columns = layout.parts[core].columns
    sites = _place(part, top, layout, lambda x: x in columns, core, shared, run)
    return {name: site for name, site in sites.items() if core_of_cell(name) == core}


def _place_shared(
    netlist: Netlist, top: str, layout: Layout, cores: Mapping[str, str], run: Run
) -> Sites:
    part = without_cores(netlist, top, (*range(NUM_CORES), None))
    sites = _place(part, top, layout, layout.is_between, None, cores, run)
    return {name: site for name, site in sites.items() if core_of_cell(name) is None}


def _place(
    part: Netlist,
    top: str,
    layout: Layout,
    wanted: Callable[[int], bool],
    moves: int | None,
    stands: Mapping[str, str],
    run: Run,
) -> Sites:
    """Place a core, or what the cores share (None), in the wanted columns; the others stand."""
    without_nets_between(part, top, lambda name: core_of_cell(name) != moves)
    what = "what the cores share" if moves is None else f"core {moves}"
    if stands:
        packed = cells_of(run(f"{what}, packing", part, {}, _PACK))
        stands = with_feeds(stands, packed)
    used = taken(stands.values())
    outside = logic_sites(layout, lambda column: not wanted(column))
    controls = tile_controls(part["modules"][top]["cells"], stands)
    block(part, top, [site for site in outside if site not in used], controls)
    return placed_sites(run(f"{what}, placing", part, dict(stands), _PLACE))
