# SPDX-License-Identifier: Apache-2.0
"""A small picture of where a design was placed, drawn from nextpnr's placement."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from modfab.build.named import LEVELS
from modfab.errors import CacheError
from modfab.flow.critical_path import plain_name
from modfab.flow.design import digest_of
from modfab.flow.record import Record, Request
from modfab.sim.cache import private_dir

_BEL = re.compile(r"X(\d+)/Y(\d+)/")
_COLOURS = ("#3b6fb6", "#d1802f", "#3f9a5f", "#a35bb0", "#b6483b", "#4aa5b5", "#8a8a3c")
_WRAPPER_COLOUR = "#9a9a9a"
_PITCH = 6  # pixels of one tile


def _group(cell: str) -> str:
    """The instance that a cell belongs to, to the depth that pictures distinguish."""
    words = plain_name(cell).split(".")
    inside = [word for word in words[:-1] if word != "u_dut"]
    if words[0] != "u_dut":
        return "wrapper"
    return ".".join(re.sub(r"\[\d+\]", "", word) for word in inside[:2]) or "top"


def folder_of(request: Request, circuit: str, yosys: str) -> Path:
    """Where the files of a netlist are kept, which this version of Yosys made of this circuit.

    Raises:
        CacheError: The cache is not this user's own.
    """
    name = f"{request.engine}-{request.num_bits}-{request.target}-{request.design_key[:8]}"
    return private_dir("flow") / f"{name}-{digest_of({circuit: yosys})[:8]}"


def run_of(request: Request) -> str:
    """End of the names of a routing's files: one with another router has files of its own."""
    return f"{request.seed}_{request.key[:8]}"


def floorplan_of(record: Record) -> Path:
    """The picture of a routing, there when it was made on this machine.

    Raises:
        CacheError: The cache is not this user's own.
    """
    folder = folder_of(record.request, record.circuit, record.tools["yosys"])
    return folder / f"floorplan_{run_of(record.request)}.svg"


def floorplan_text(record: Record) -> str:
    """SVG of a routing; empty when it was not made on this machine, or the cache is another's."""
    try:
        return floorplan_of(record).read_text(encoding="utf-8")
    except (CacheError, FileNotFoundError):
        return ""


def find_floorplan(records: Iterable[Record]) -> str:
    """SVG of the widest measured level that was placed on this machine; empty when none was."""
    for record in sorted(records, key=lambda record: -LEVELS.index(record.request.level)):
        if record.request.seed is not None and (text := floorplan_text(record)):
            return text
    return ""


def tiles_of(placed: Path) -> dict[tuple[int, int], Counter[str]]:
    """Tile -> number of cells of each instance, from the netlist that nextpnr wrote."""
    netlist = json.loads(placed.read_text())
    tiles: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    for module in netlist["modules"].values():
        for name, cell in module["cells"].items():
            found = _BEL.search(cell["attributes"].get("NEXTPNR_BEL", ""))
            if found:
                tiles[int(found[1]), int(found[2])][_group(name)] += 1
    return dict(tiles)


def floorplan_svg(tiles: dict[tuple[int, int], Counter[str]], title: str) -> str:
    """SVG of a placement: one square per used tile, coloured by the instance it holds most of.

    >>> "2 cells of u_b<" in floorplan_svg({(1, 2): Counter({"u_a": 1, "u_b": 2})}, "two parts")
    True
    """
    totals: Counter[str] = Counter()
    for counts in tiles.values():
        totals.update(counts)
    groups = [name for name, _ in totals.most_common() if name != "wrapper"]
    shown = groups[: len(_COLOURS)]
    colours = dict(zip(shown, _COLOURS, strict=False))
    width = (max((x for x, _ in tiles), default=0) + 2) * _PITCH
    height = (max((y for _, y in tiles), default=0) + 2) * _PITCH
    squares = []
    for (x, y), counts in sorted(tiles.items()):
        name, number = counts.most_common(1)[0]
        shade = min(1.0, 0.35 + sum(counts.values()) / 16)
        squares.append(
            f'<rect x="{x * _PITCH}" y="{y * _PITCH}" width="{_PITCH - 1}" height="{_PITCH - 1}" '
            f'fill="{colours.get(name, _WRAPPER_COLOUR)}" opacity="{shade:.2f}"><title>'
            f"X{x} Y{y}: {number} cells of {name}</title></rect>"
        )
    legend = [(name, colours[name]) for name in shown] + [("wrapper and other", _WRAPPER_COLOUR)]
    lines = [
        f'<g transform="translate(4 {height + 22 + 16 * i})"><rect width="10" height="10" '
        f'fill="{colour}"/><text x="16" y="9">{name}: {totals[name]} cells</text></g>'
        if name in totals
        else f'<g transform="translate(4 {height + 22 + 16 * i})"><rect width="10" height="10" '
        f'fill="{colour}"/><text x="16" y="9">{name}</text></g>'
        for i, (name, colour) in enumerate(legend)
    ]
    total_height = height + 30 + 16 * len(legend)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {max(width, 360)} {total_height}" '
        'font-family="sans-serif" font-size="11">\n'
        f"<title>{title}</title>\n"
        f'<rect width="{width}" height="{height}" fill="#f4f4f0" stroke="#444"/>\n'
        + "\n".join(squares)
        + f'\n<text x="4" y="{height + 14}">{title}</text>\n'
        + "\n".join(lines)
        + "\n</svg>\n"
    )
