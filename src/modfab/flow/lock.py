# SPDX-License-Identifier: Apache-2.0
"""Lock a linear array's multipliers to sites side by side.

Multipliers lie in a few rows across a device. A placer that starts with all of them free tears an
array of neighbours apart and does not find back; with them in order it places the rest near them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from modfab.catalog.descriptor import Chain
from modfab.errors import ToolError
from modfab.flow.targets import Target

MULTIPLIER = "MULT18X18D"
BLOCK_RAMS = ("DP16KD", "PDPW16KD")

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


def head(target: Target, number: int) -> tuple[int, list[str]]:
    """Sites of one array that leave the device free beside its first multipliers.

    The last row that is needed holds as few as it must, in its middle. The array goes on above, to
    the right end, back along the row above that, and returns from the left.

    Args:
        target: A device with `multiplier_rows`.
        number: Of multipliers.

    Returns:
        The first site's number in its row, and the sites; none when one row is enough, or all are
        not.

    >>> from modfab.flow.targets import get_target
    >>> start, sites = head(get_target("ecp5-85k"), 116)
    >>> start, sites[0], sites[11], sites[12], sites[-1]
    (20, 'X49/Y58/MULT18_0', 'X74/Y58/MULT18_5', 'X78/Y34/MULT18_0', 'X74/Y34/MULT18_5')
    """
    length = len(target.multiplier_rows[0])
    used = target.multiplier_rows[: -(-number // length)]
    if len(used) * length < number or not 2 <= len(used) <= 3:
        return 0, []
    few = number - 2 * length if len(used) == 3 else 0
    start = (length - few) // 2
    middle, loop = start + few, used[:2]
    sites = [*loop[1][middle:], *reversed(loop[0]), *loop[1][:middle]]
    return start, [*used[-1][start:middle], *sites][:number]


def _place(site: str) -> tuple[int, int]:
    column, row, _ = site.split("/")
    return int(column[1:]), int(row[1:])


def beside(
    target: Target, start: int, sites: Sequence[str], rams: Sequence[str], muls: Sequence[str]
) -> dict[str, str]:
    """Sites of the block RAMs and multipliers around an array, engine's first, as `head` says.

    Args:
        target: The device.
        start, sites: Of the array.
        rams, muls: Names of the other block RAMs and multipliers.

    Returns:
        Name -> site; of block RAMs only where a row below the array's first has room for all.
    """
    first = _place(sites[0])
    own = sorted(rams, key=lambda name: (ENGINE not in name, name.startswith("$"), name))
    below = [row for row in target.ram_rows if _place(row[0])[1] > first[1]]
    near = [name for name in own if ENGINE in name]
    at = dict.fromkeys(("engine", "core"), first)
    found = {}
    if below and len(own) <= len(below[0]):
        left = max(0, min(start - len(near) // 2, len(below[0]) - len(own)))
        found = dict(zip(own, below[0][left:], strict=False))
        others = [_place(found[name]) for name in own if ENGINE not in name]
        if others:
            at["core"] = others[len(others) // 2][0], first[1]
    free = [site for row in target.multiplier_rows for site in row if site not in set(sites)]
    for name in sorted(muls, key=lambda name: (ENGINE not in name, name)):
        column, row = at["engine" if ENGINE in name else "core"]
        free.sort(key=lambda site: abs(_place(site)[0] - column) + abs(_place(site)[1] - row))
        if free:
            found[name] = free.pop(0)
    return found


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

    An only array with controllers beside its first multipliers leaves them a side of the device,
    and the other multipliers and block RAMs have sites there.

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
    start, sites = 0, walk(target, chain.middle)
    wanted = chain.beside and any(re.search(chain.beside, name) for name in cells)
    if wanted and len({engine for engine, *_ in found}) == 1:
        start, free = head(target, len(found))
        sites = free or sites
    order = [name for *_, name in sorted(found)]
    placed = dict(zip(order, sites, strict=False))
    if start:
        rams, muls = (
            [
                name
                for name, cell in cells.items()
                if cell["type"] in kinds and name not in placed and not re.search(chain.names, name)
            ]
            for kinds in (BLOCK_RAMS, (MULTIPLIER,))
        )
        placed |= beside(target, start, sites[: len(found)], rams, muls)
    for name, site in placed.items():
        cells[name]["attributes"]["BEL"] = site
    locked.write_text(json.dumps(data))
    return len(found)
