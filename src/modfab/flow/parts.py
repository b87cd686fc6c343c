# SPDX-License-Identifier: Apache-2.0
"""What each part of a design costs: synthesis with the modules kept apart, cells by module."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from modfab.errors import ToolError
from modfab.flow.area import area_of
from modfab.flow.design import Design
from modfab.flow.synth import Mapping as Choices
from modfab.flow.synth import mapping, read_design, write_design
from modfab.flow.targets import Target
from modfab.flow.tools import Job, Progress, find_tool
from modfab.flow.warnings import run_yosys
from modfab.flow.wrapper import TOP

_STAT = "parts.json"
_COUNTED = ("lut", "lut_memory", "ff", "multipliers", "block_rams")

Modules = Mapping[str, Mapping[str, int]]
"""Module -> how many of each cell and of each module it has."""


def module_of(name: str) -> str:
    r"""The RTL's name of a module in a netlist.

    >>> module_of("\\mf_regfile_1w2r$mf_measure.u_dut.u_engine.gen_banks[0].u_slots")
    'mf_regfile_1w2r'
    """
    return name.lstrip("\\").split("$", 1)[0]


def cells_below(modules: Modules, name: str) -> Counter[str]:
    """Cells of a module and of all below it."""
    cells: Counter[str] = Counter()
    for cell, number in modules[name].items():
        if cell in modules:
            for below, count in cells_below(modules, cell).items():
                cells[below] += number * count
        else:
            cells[cell] += number
    return cells


def parts_of(modules: Modules, top: str) -> dict[str, dict[str, int]]:
    """Resources by the modules right below the engine; its own name stands for what is its own.

    Wrappers with nothing but one module in them are looked through.

    Args:
        modules: As of Yosys' statistics.
        top: The measured module.

    >>> modules = {"a$x": {"mf_b$x": 1}, "mf_b$x": {"LUT4": 3, "mf_c$1": 2}, "mf_c$1": {"LUT4": 5}}
    >>> {name: part["lut"] for name, part in parts_of(modules, "a$x").items()}
    {'mf_b': 3, 'mf_c': 10}
    """
    while len(modules[top]) == 1 and next(iter(modules[top])) in modules:
        top = next(iter(modules[top]))
    sums: dict[str, Counter[str]] = {module_of(top): Counter()}
    for cell, number in modules[top].items():
        if cell not in modules:
            sums[module_of(top)][cell] += number
            continue
        part = sums.setdefault(module_of(cell), Counter())
        for below, count in cells_below(modules, cell).items():
            part[below] += number * count
    areas = {name: area_of(cells).to_json() for name, cells in sums.items()}
    return {name: {key: int(str(area[key])) for key in _COUNTED} for name, area in areas.items()}


def _script(target: Target, top: str, names: list[str], how: Choices) -> str:
    apart = [step.replace(" -flatten", "") for step in mapping(target, TOP, how)]
    if target.routable:  # its synthesis flattens unless told otherwise
        apart = [step.replace(target.synth, f"{target.synth} -noflatten") for step in apart]
    return "\n".join([*read_design(top, names, True), *apart, f"tee -o {_STAT} stat -json"]) + "\n"


def _modules(path: Path) -> dict[str, Mapping[str, int]]:
    try:
        data: Mapping[str, Any] = json.loads(path.read_text())["modules"]
        return {name.lstrip("\\"): data[name]["num_cells_by_type"] for name in data}
    except (OSError, ValueError, KeyError) as error:
        log = path.parent / "parts.log"
        raise ToolError(
            f"Yosys ended without the cells of each module that the flow expects in {path} "
            f"({error!r}); its log is {log}.",
            log,
        ) from error


def measure_parts(
    design: Design,
    target: Target,
    folder: Path,
    *,
    how: Choices,
    limit_s: float,
    progress: Progress,
) -> dict[str, dict[str, int]]:
    """Resources of the engine's parts.

    Nothing is optimised across modules, so the parts together are more than the design.

    Args:
        design: What to measure.
        target: For which family.
        folder: Created when missing.
        how: Choices of the mapping, as for the design.
        limit_s: Seconds after which Yosys is stopped.
        progress: Told of the stages.

    Raises:
        ToolError: Yosys is missing, failed, warned or did not end.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = write_design(design, target, folder)
    (folder / "parts.ys").write_text(_script(target, design.top, names, how))
    what = f"Yosys, parts for {target.name}"
    words = ["-Q", "-T", "-l", "parts.log", "-s", "parts.ys"]
    run_yosys(Job(find_tool("yosys"), words, folder, "parts.log", what, limit_s), progress)
    modules = _modules(folder / _STAT)
    top = next(name for name in modules if module_of(name) == design.top)
    return parts_of(modules, top)
