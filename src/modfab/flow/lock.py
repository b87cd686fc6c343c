# SPDX-License-Identifier: Apache-2.0
"""Lock a linear array's multipliers to sites side by side.

Multipliers lie in a few rows across a device. A placer that starts with all of them free tears an
array of neighbours apart and does not find back; with them in order it places the rest near them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from modfab.errors import ToolError
from modfab.flow.targets import Target

MULTIPLIER = "MULT18X18D"


def walk(target: Target) -> list[str]:
    """Every multiplier site of a device, so that the next one is near, from the middle on.

    Example:
        The device with two rows: half of the first, the second back, the rest of the first.

        >>> from modfab.flow.targets import get_target
        >>> sites = walk(get_target("ecp5-45k"))
        >>> sites[0], sites[17], sites[18], sites[-1]
        ('X46/Y22/MULT18_4', 'X83/Y22/MULT18_5', 'X83/Y46/MULT18_5', 'X43/Y22/MULT18_1')
    """
    first, *others = target.multiplier_rows
    if not others:
        return list(first)
    middle = len(first) // 2
    sites = [*first[middle:], *reversed(others[0]), *first[:middle]]
    for row in others[1:]:
        sites += [*row[middle:], *reversed(row[:middle])]
    return sites


def lock(netlist: Path, locked: Path, top: str, chain: str, target: Target) -> int:
    """Copy a netlist and give multipliers their sites.

    Args:
        netlist: JSON of Yosys.
        locked: The copy.
        top: Its module.
        chain: Regular expression of the multipliers' instance names. Its group numbers them; those
            without a number come first.
        target: A device with `multiplier_rows`.

    Returns:
        How many multipliers have a site now.

    Raises:
        ToolError: The expression fits no multiplier.
    """
    data = json.loads(netlist.read_text())
    cells = data["modules"][top]["cells"]
    found = []
    for name, cell in cells.items():
        match = re.search(chain, name) if cell["type"] == MULTIPLIER else None
        if match:
            found.append((int(match[1] or -1), name))
    if not found:
        raise ToolError(
            f"No multiplier of {netlist} has a name like {chain!r}, so none can be locked; "
            "give --no-lock."
        )
    for (_, name), site in zip(sorted(found), walk(target), strict=False):
        cells[name]["attributes"]["BEL"] = site
    locked.write_text(json.dumps(data))
    return len(found)
