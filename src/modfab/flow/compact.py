# SPDX-License-Identifier: Apache-2.0
"""Lock the block RAMs and multipliers of a core without an array in the middle of the device.

They are few, and a placer that starts with them free leaves some of them a device away from what
they are connected to. Side by side they draw everything else around them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from modfab.flow.lock import (
    BLOCK_RAMS,
    ENGINE,
    MULTIPLIER,
    Cells,
    place_of,
    window,
    write_locked,
)
from modfab.flow.targets import Target

PROGRAM = "u_rom"
"""Instance of a program memory in a module that a build composes: it has the fewest connections."""


def _own(cells: Cells, kinds: Iterable[str]) -> list[str]:
    """Cells of such kinds, those of engines last."""
    names = [name for name, cell in cells.items() if cell["type"] in kinds]
    return sorted(names, key=lambda name: (ENGINE in name, name))


def compact_sites(cells: Cells, target: Target) -> dict[str, str]:
    """Name -> site: multipliers in a row, memories in the row beside it, programs in the next one.

    Args:
        cells: Of one core.
        target: A device with rows of multipliers and block RAMs.

    Returns:
        Sites; of multipliers or block RAMs none where a row has too few.

    >>> from modfab.flow.targets import get_target
    >>> names = {"u_alu.u_mul": MULTIPLIER, "u_ram": "DP16KD", "u_rom.u_ram": "DP16KD"}
    >>> cells = {name: {"type": kind} for name, kind in names.items()}
    >>> compact_sites(cells, get_target("ecp5-85k"))
    {'u_alu.u_mul': 'X59/Y58/MULT18_1', 'u_ram': 'X60/Y46/EBR1', 'u_rom.u_ram': 'X60/Y70/EBR1'}
    """
    height = sum(place_of(row[0])[1] for row in target.ram_rows) / len(target.ram_rows)
    rows = sorted(target.multiplier_rows, key=lambda row: abs(place_of(row[0])[1] - height))
    muls, rams = _own(cells, (MULTIPLIER,)), _own(cells, BLOCK_RAMS)
    near = sorted(
        target.ram_rows, key=lambda row: abs(place_of(row[0])[1] - place_of(rows[0][0])[1])
    )
    memories = [name for name in rams if PROGRAM not in name]
    programs = [name for name in rams if PROGRAM in name]
    found: dict[str, str] = {}
    for names, row in ((muls, rows[0]), (memories, near[0]), (programs, near[1])):
        middle = window(row, (), len(names), (len(row) - len(names)) // 2)
        found |= dict(zip(names, middle, strict=False))
    return found


def lock_compact(netlist: Path, locked: Path, top: str, target: Target) -> int:
    """Copy a netlist and give its multipliers and block RAMs their sites.

    Args:
        netlist: JSON of Yosys.
        locked: The copy.
        top: Its module.
        target: A device with rows of multipliers and block RAMs.

    Returns:
        How many cells have a site.
    """
    data = json.loads(netlist.read_text())
    sites = compact_sites(data["modules"][top]["cells"], target)
    write_locked(data, top, sites, locked)
    return len(sites)
