# SPDX-License-Identifier: Apache-2.0
"""Lock a linear array's multipliers and tables to sites side by side.

Multipliers lie in a few rows across a device. A placer that starts with all of them free tears an
array of neighbours apart and does not find back; with them in order it places the rest near them.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from modfab.build.compose import SMALL
from modfab.catalog.descriptor import Chain
from modfab.errors import ToolError
from modfab.flow.targets import Target

MULTIPLIER = "MULT18X18D"
_NEXT_ROW = 12
"""Tiles from a row of block RAMs to the next; more where a row of multipliers lies between."""

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


def head(target: Target, number: int, spread: bool = False) -> tuple[int, list[str]]:
    """Sites of one array that leave the device free beside its first multipliers.

    The last row that is needed holds as few as it must, in its middle. The array goes on above, to
    the right end, back along the row above that, and returns from the left.

    Args:
        target: A device with `multiplier_rows`.
        number: Of multipliers.
        spread: Of three rows, take three eighths of the array in each above the last one, with
            gaps: on a crowded device an element needs more room than there is around a multiplier.

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
    above = min(3 * number // 8, length) if spread and len(used) == 3 else length
    few = number - 2 * above if len(used) == 3 else 0
    start = (length - few) // 2
    places = [(2 * i + 1) * length // (2 * above) for i in range(above)]
    right = [at for at in places if at >= start + few]
    left = [at for at in places if at < start + few]
    sites = [used[1][at] for at in right]
    sites += [used[0][at] for at in reversed(places)]
    sites += [used[1][at] for at in left]
    return start, [*used[-1][start : start + few], *sites][:number]


def place_of(site: str) -> tuple[int, int]:
    """Column and row of a site.

    >>> place_of("X49/Y58/MULT18_0")
    (49, 58)
    """
    column, row, _ = site.split("/")
    return int(column[1:]), int(row[1:])


def regions(target: Target, number: int) -> list[Target]:
    """Parts of a device for so many arrays, each with rows of its own; none for more than two.

    The right part is the left one's mirror image: both cores end in the middle, where what they
    share lies between them.

    >>> from modfab.flow.targets import get_target
    >>> left, right = regions(get_target("ecp5-85k"), 2)
    >>> left.multiplier_rows[0][-1], right.multiplier_rows[0][-1]
    ('X59/Y10/MULT18_1', 'X62/Y10/MULT18_4')
    """
    if number == 1:
        return [target]
    if number != 2:
        return []
    middle = len(target.multiplier_rows[0]) // 2
    return [
        replace(
            target,
            multiplier_rows=tuple(row[part] for row in target.multiplier_rows),
            ram_rows=tuple(row[part] for row in target.ram_rows),
        )
        for part in (slice(middle), slice(None, middle - 1, -1))
    ]


def rams_beside(target: Target) -> dict[str, str]:
    """Multiplier's site -> a block RAM's site in its column, in a row next to it; each once.

    Above where every row of multipliers has one there, so that the side below an array is free.

    >>> from modfab.flow.targets import get_target
    >>> for name in ("ecp5-45k", "ecp5-85k"):
    ...     target = get_target(name)
    ...     print([rams_beside(target)[row[0]] for row in target.multiplier_rows])
    ['X4/Y10/EBR0', 'X4/Y34/EBR0']
    ['X4/Y22/EBR0', 'X4/Y46/EBR0', 'X4/Y70/EBR0']
    """
    rows = [place_of(row[0])[1] for row in target.multiplier_rows]
    rams = {place_of(row[0])[1]: row for row in target.ram_rows}
    above = [max((at for at in rams if at < row), default=None) for row in rows]
    below = [min((at for at in rams if at > row), default=None) for row in rows]
    return {
        mul: ram
        for at, row in zip(below if None in above else above, target.multiplier_rows, strict=True)
        if at is not None
        for mul, ram in zip(row, rams[at], strict=True)
    }


def _distance(row: Sequence[str], other: Sequence[str]) -> int:
    """Tiles between two rows of sites."""
    return abs(place_of(other[0])[1] - place_of(row[0])[1])


def window(row: Sequence[str], taken: Collection[str], number: int, near: int) -> list[str]:
    """Adjacent free sites of a row, as near as possible to a given index.

    Args:
        row: Names of its sites, from the left.
        taken: Sites that are not free.
        number: How many.
        near: Index in `row` where the first one should be.

    Returns:
        `number` names, or none where so few are free.
    """
    free = [at for at, site in enumerate(row) if site not in taken]
    windows = [free[left : left + number] for left in range(len(free) - number + 1) if number]
    best = min(windows, key=lambda window: abs(window[0] - near), default=[])
    return [row[at] for at in best]


def run(row: Sequence[str], taken: Collection[str], near: int) -> list[str]:
    """The free sites of a row that have no taken one between them, of these the nearest to a site.

    >>> run(["X4", "X6", "X8", "X10", "X13"], {"X8"}, 1)
    ['X4', 'X6']
    """
    runs: list[list[int]] = [[]]
    for at, site in enumerate(row):
        if site not in taken:
            runs[-1].append(at)
        elif runs[-1]:
            runs.append([])
    best = min(filter(None, runs), key=lambda one: min(abs(at - near) for at in one), default=[])
    return [row[at] for at in best]


def beside(
    target: Target,
    start: int,
    sites: Sequence[str],
    rams: Sequence[str],
    muls: Sequence[str],
    taken: Collection[str] = (),
) -> dict[str, str]:
    """Sites of the block RAMs and multipliers around an array, engine's first, as `head` says.

    Args:
        target: The device.
        start, sites: Of the array.
        rams, muls: Names of the other block RAMs and multipliers.
        taken: Sites of block RAMs that are not free.

    Returns:
        Name -> site. Block RAMs of the engine get the row below the array's first, as far as it has
        room, the others the next one; all of them one row where that is not close; none where none
        has room.
    """
    first = place_of(sites[0])
    near = sorted(name for name in rams if ENGINE in name)
    others = [name for name in rams if ENGINE not in name]
    far = sorted(others, key=lambda name: (name.startswith("$"), name))
    below = [row for row in target.ram_rows if place_of(row[0])[1] > first[1]]

    def fill(names: Sequence[str], row: Sequence[str], near: int) -> dict[str, str]:
        return dict(zip(names, window(row, taken, len(names), near), strict=False))

    at = dict.fromkeys(("engine", "core"), first)
    found: dict[str, str] = {}
    if near and far and len(below) > 1 and _distance(*below[:2]) <= _NEXT_ROW:
        # Nothing would draw cells below a single row: it would be the bottom of a wide, flat strip.
        side = run(below[0], taken, start)
        some = dict(zip(near, side, strict=False))
        found = some if len(side) < len(near) else fill(near, below[0], start)
        found |= fill([*near[len(side) :], *far], below[1], start)
    if len(found) < len(rams):
        tries = (fill([*near, *far], row, start - len(near) // 2) for row in below)
        found = next(filter(None, tries), {})
    placed = [place_of(found[name]) for name in far if name in found]
    if placed:
        at["core"] = placed[len(placed) // 2][0], first[1]
    free = [site for row in target.multiplier_rows for site in row if site not in set(sites)]
    for name in sorted(muls, key=lambda name: (ENGINE not in name, name)):
        column, row = at["engine" if ENGINE in name else "core"]
        free.sort(key=lambda site: abs(place_of(site)[0] - column) + abs(place_of(site)[1] - row))
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


def core_of(name: str) -> tuple[int, ...]:
    """Which of a farm's cores a cell is of: its number, the first one in the name of its engine.

    >>> core_of("u_dut.u_core.u_farm.gen_core[1].u_member.u_rsa.u_memory.u_ram_a.gen_tile[3]")
    (1,)
    >>> core_of("u_dut.u_core.u_memory.u_ram_a.gen_tile[3]")
    ()
    """
    found = re.search(r"gen_core\[(\d+)\]", name)
    return (int(found[1]),) if found else ()


Cells = Mapping[str, Mapping[str, Any]]
"""Name -> cell, as in JSON of Yosys."""


def arrays_of(
    cells: Cells, chain: Chain, kinds: Collection[str]
) -> dict[tuple[int, ...], list[tuple[int, str]]]:
    """Engine -> number and name of the cells of its array, in their order.

    Arrays of a farm's small cores are left to the placer: they are folded, see `Chain.lockable`.
    """
    found = defaultdict(list)
    for name, cell in cells.items():
        locks = cell["type"] in kinds and f".{SMALL}." not in name
        match = re.search(chain.names, name) if locks else None
        if match:
            found[engine_of(name)].append((int(match[1] or -1), name))
    return {engine: sorted(found[engine]) for engine in sorted(found)}


def _tables(
    target: Target, cells: Cells, chain: Chain, placed: Mapping[str, str]
) -> dict[str, str]:
    """Block RAM of an element -> site beside its multiplier."""
    near = rams_beside(target)
    muls = arrays_of(cells, chain, (MULTIPLIER,))
    found = {}
    for engine, rams in arrays_of(cells, chain, BLOCK_RAMS).items():
        sites = {number: placed.get(name, "") for number, name in reversed(muls.get(engine, []))}
        for number, name in rams:
            if sites.get(number) in near:
                found[name] = near[sites.pop(number)]
    return found


def _sided(target: Target, cells: Cells, chain: Chain) -> dict[str, str]:
    """Sites of arrays with controllers beside their first multipliers: a side each, and theirs.

    Returns:
        Name -> site; empty where the controllers find no side.
    """
    arrays = arrays_of(cells, chain, (MULTIPLIER,))
    alone = len(arrays) == 1 and not any(f".{SMALL}." in name for name in cells)
    if not alone and any(engine != core_of(own[0][1]) for engine, own in arrays.items()):
        return {}
    areas = regions(target, len(arrays))
    heads = [
        head(area, len(own), spread=len(arrays) > 1)
        for area, own in zip(areas, arrays.values(), strict=False)
    ]
    if not heads or not all(start for start, _ in heads):
        return {}
    placed: dict[str, str] = {}
    for (_, sites), own in zip(heads, arrays.values(), strict=True):
        placed |= {name: site for (_, name), site in zip(own, sites, strict=True)}
    placed |= _tables(target, cells, chain, placed)
    rest = [name for name in cells if name not in placed and not re.search(chain.names, name)]
    for area, (start, sites), engine in zip(areas, heads, arrays, strict=True):
        its = [name for name in rest if alone or core_of(name) == engine]
        rams, muls = (
            [name for name in its if cells[name]["type"] in kinds]
            for kinds in (BLOCK_RAMS, (MULTIPLIER,))
        )
        placed |= beside(area, start, sites, rams, muls, placed.values())
    return placed


def write_locked(data: Any, top: str, sites: Mapping[str, str], locked: Path) -> None:
    """Write a netlist in which cells of a module have their sites.

    Args:
        data: Yosys' JSON, read; its cells get the sites, too.
        top: The module.
        sites: Cell -> site.
        locked: The file.
    """
    cells = data["modules"][top]["cells"]
    for name, site in sites.items():
        cells[name]["attributes"]["BEL"] = site
    locked.write_text(json.dumps(data))


def lock(netlist: Path, locked: Path, top: str, target: Target, chain: Chain) -> int:
    """Copy a netlist and give multipliers their sites, one engine's behind another's.

    Block RAMs of the array's elements get sites beside their multipliers. One or two arrays with
    controllers beside their first multipliers leave them a side of the device, and the other
    multipliers and block RAMs have sites there.

    Args:
        netlist: JSON of Yosys.
        locked: The copy.
        top: Its module.
        target: A device with `multiplier_rows`.
        chain: Which multipliers.

    Returns:
        How many multipliers of arrays there are.

    Raises:
        ToolError: No multiplier has such a name.
    """
    data = json.loads(netlist.read_text())
    cells = data["modules"][top]["cells"]
    order = [name for own in arrays_of(cells, chain, (MULTIPLIER,)).values() for _, name in own]
    if not order:
        raise ToolError(
            f"No multiplier of {netlist} has a name like {chain.names!r}, so none can be locked; "
            "give --no-lock."
        )
    # Tables take the block RAMs in a corner, and the controllers' own would be far from them.
    wanted = bool(arrays_of(cells, chain, BLOCK_RAMS)) or (
        chain.beside and any(re.search(chain.beside, name) for name in cells)
    )
    placed = _sided(target, cells, chain) if wanted else {}
    if not placed:
        placed = dict(zip(order, walk(target, chain.middle), strict=False))
        placed |= _tables(target, cells, chain, placed)
    write_locked(data, top, placed, locked)
    return len(order)
