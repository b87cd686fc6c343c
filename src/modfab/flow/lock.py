# SPDX-License-Identifier: Apache-2.0
"""Lock a linear array's multipliers to sites side by side.

Multipliers lie in a few rows across a device. A placer that starts with all of them free tears an
array of neighbours apart and does not find back; with them in order it places the rest near them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from modfab.catalog.descriptor import Chain
from modfab.errors import ToolError
from modfab.flow.targets import Target

MULTIPLIER = "MULT18X18D"

ENGINE = "u_engine"
"""Instance of an engine in a module that a build composes, below the cores and units it has."""


def walk(target: Target, middle: bool) -> list[str]:
    """Every multiplier site of a device, so that the next one is near.

    Args:
        target: A device with `multiplier_rows`.
        middle: Start in the middle of the device, not at an end of a row.

    Example:
        The device with two rows: half of one, the other one back, the rest of the first.

        >>> from modfab.flow.targets import get_target
        >>> sites = walk(get_target("ecp5-45k"), middle=True)
        >>> sites[0], sites[17], sites[18], sites[-1]
        ('X46/Y46/MULT18_4', 'X83/Y46/MULT18_5', 'X83/Y22/MULT18_5', 'X43/Y46/MULT18_1')
    """
    rows = target.multiplier_rows
    if not middle or len(rows) == 1:
        turned = [row[:: -1 if number % 2 else 1] for number, row in enumerate(rows)]
        return [site for row in turned for site in row]
    start, half = len(rows) // 2, len(rows[0]) // 2
    second, *others = [*rows[start + 1 :], *reversed(rows[:start])]
    sites = [*rows[start][half:], *reversed(second), *rows[start][:half]]
    for row in others:
        sites += [*row[half:], *reversed(row[:half])]
    return sites


def engine_of(name: str) -> tuple[int, ...]:
    """Which of a design's engines a cell is of: the numbers of the instances around that engine.

    >>> engine_of("u_dut.gen_core[2].gen_unit[1].u_engine.u_array.gen_element[7].u_mul")
    (2, 1)
    >>> engine_of("u_dut.u_engine.u_array.gen_element[7].u_mul")
    ()
    """
    around = name.split(f"{ENGINE}.", 1)[0] if f"{ENGINE}." in name else ""
    return tuple(int(number) for number in re.findall(r"\[(\d+)\]", around))


def lock(netlist: Path, locked: Path, top: str, chain: Chain, target: Target) -> int:
    """Copy a netlist and give multipliers their sites, one engine's behind another's.

    Args:
        netlist: JSON of Yosys.
        locked: The copy.
        top: Its module.
        chain: Which multipliers.
        target: A device with `multiplier_rows`.

    Returns:
        How many multipliers have a site now.

    Raises:
        ToolError: No multiplier has such a name.
    """
    data = json.loads(netlist.read_text())
    cells = data["modules"][top]["cells"]
    found = []
    for name, cell in cells.items():
        match = re.search(chain.names, name) if cell["type"] == MULTIPLIER else None
        if match:
            found.append((engine_of(name), int(match[1] or -1), name))
    if not found:
        raise ToolError(
            f"No multiplier of {netlist} has a name like {chain.names!r}, so none can be locked; "
            "give --no-lock."
        )
    for (*_, name), site in zip(sorted(found), walk(target, chain.middle), strict=False):
        cells[name]["attributes"]["BEL"] = site
    locked.write_text(json.dumps(data))
    return len(found)
