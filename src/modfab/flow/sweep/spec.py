# SPDX-License-Identifier: Apache-2.0
"""What a sweep covers, from a TOML file such as `EXAMPLE`."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli

from modfab.build.farm import FARM_NAMES
from modfab.build.named import KEYED, RSA_NAMES, kind_of
from modfab.catalog import get_engine, get_sequencer
from modfab.errors import UsageError
from modfab.flow.record import DEFAULT_ROUTER, ROUTERS
from modfab.flow.route import DEFAULT_FREQ_MHZ
from modfab.flow.sweep.point import SweepPoint
from modfab.flow.targets import get_target

EXAMPLE = """\
# Routes the engine sos for two widths and two word sizes: modfab sweep FILE
search = "grid"            # every combination; "random": some of them
# samples = 3              # how many, of a random search
# seed = 1                 # which, of a random search
freq_mhz = 200.0           # asked of the router; also: router, limit_minutes of one tool run

[[grid]]                   # there may be several
engines = ["sos"]
bits = [128, 256]          # of the modulus; of levels rsa and farm those of n
targets = ["ecp5-25k"]
levels = ["engine"]        # unless given
sequencers = ["ladder"]    # unless given; an engine alone has none
seeds = [1, 2]             # of place and route; without, synthesis only

[grid.params]              # of the engines that have them
WordBits = [32, 64]

[grid.rsa]                 # of levels rsa and farm
engines = [1]
"""

_TOP: dict[str, tuple[type, ...]] = {
    "search": (str,),
    "samples": (int,),
    "seed": (int,),
    "freq_mhz": (int, float),
    "router": (str,),
    "limit_minutes": (int, float),
    "grid": (list,),
}
_LISTS = {"engines": str, "bits": int, "targets": str, "levels": str, "sequencers": str}
_GRID = (*_LISTS, "seeds", "params", "rsa")
_WANTED = ("engines", "bits", "targets")
_MOST = 1e9
SEARCHES = ("grid", "random")


@dataclass(frozen=True, slots=True)
class Spec:
    """A sweep.

    Attributes:
        points: What it measures, each once, those with the first seed first.
        left_out: Combinations that no design has -> why.
    """

    points: tuple[SweepPoint, ...]
    left_out: Mapping[str, str]


def read_spec(path: Path) -> Spec:
    """The sweep of a file.

    Raises:
        UsageError: The file is missing, is not TOML or says something that a sweep does not know.
    """
    try:
        data = tomli.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(
            f"Expected a sweep in TOML at {path}, but it cannot be read ({error}); "
            "`modfab sweep --example` prints one."
        ) from error
    return spec_of(data, path.name)


def spec_of(data: Mapping[str, Any], where: str) -> Spec:
    """The sweep of parsed TOML; `where` names it in errors.

    Raises:
        UsageError: A key or a value is wrong, or no point is left.
    """
    _check_top(data, where)
    routing = {
        "freq_mhz": _number(data, "freq_mhz", DEFAULT_FREQ_MHZ, where),
        "router": data.get("router", DEFAULT_ROUTER),
        "limit_s": 60.0 * _number(data, "limit_minutes", 60, where),
    }
    found: dict[str, SweepPoint] = {}
    left_out: dict[str, str] = {}
    for grid in data["grid"]:
        for words in _combinations(_checked_grid(grid, where)):
            point = SweepPoint(**words, **routing)
            try:
                found.setdefault(point.request().key, point)
            except UsageError as error:
                left_out[point.title] = str(error)
    if not found:
        reason = next(iter(left_out.values()), "its lists are empty")
        raise UsageError(f"No combination of {where} is a design: {reason}")
    return Spec(_ordered(_searched(list(found.values()), data, where)), left_out)


def _check_top(data: Mapping[str, Any], where: str) -> None:
    for name, value in data.items():
        kinds = _TOP.get(name)
        if kinds is None or not isinstance(value, kinds) or isinstance(value, bool):
            raise UsageError(
                f"{where} has {name} = {value!r}, which a sweep does not know; it takes "
                f"{', '.join(_TOP)}."
            )
    search, router = data.get("search", "grid"), data.get("router", DEFAULT_ROUTER)
    if search not in SEARCHES or router not in ROUTERS:
        raise UsageError(
            f"{where} has search {search!r} and router {router!r}; choose one of "
            f"{', '.join(SEARCHES)} and one of {', '.join(ROUTERS)}."
        )
    if search == "grid" and {"samples", "seed"} & set(data):
        raise UsageError(
            f'samples and seed belong to a random search, but {where} has them and search "grid"; '
            'leave them out, or write search = "random".'
        )
    if not data.get("grid") or not all(isinstance(grid, dict) for grid in data["grid"]):
        raise UsageError(f"{where} has no [[grid]]; add one with {', '.join(_WANTED)}.")


def _number(data: Mapping[str, Any], name: str, usual: float, where: str) -> float:
    """A number of the file; only a limit may be none, inf."""
    value: float = data.get(name, usual)
    endless = name == "limit_minutes" and value == math.inf
    if not (0 < value <= _MOST or endless):  # nan is not, either
        raise UsageError(
            f"{name} of {where} must be a number above 0 and not above {_MOST:g}, but is "
            f"{str(value)[:40]}; write for example {name} = {usual:g}."
        )
    return float(value)


def _checked_grid(grid: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    unknown, missing = set(grid) - set(_GRID), [name for name in _WANTED if not grid.get(name)]
    if unknown or missing:
        raise UsageError(
            f"A [[grid]] of {where} needs {', '.join(_WANTED)} and may have "
            f"{', '.join(_GRID[3:])}; "
            f"missing: {', '.join(missing) or '-'}, unknown: {', '.join(sorted(unknown)) or '-'}."
        )
    lists = {name: (grid[name], kind) for name, kind in _LISTS.items() if name in grid}
    lists |= {"seeds": (grid["seeds"], int)} if "seeds" in grid else {}
    for table in ("params", "rsa"):
        inner = grid.get(table, {})
        if not isinstance(inner, dict):
            raise UsageError(f"{table} of {where} must be a table of lists; write [grid.{table}].")
        lists |= {f"{table}.{name}": (values, int) for name, values in inner.items()}
    for name, (values, kind) in lists.items():
        if not isinstance(values, list) or any(type(value) is not kind for value in values):
            what = "names" if kind is str else "whole numbers"
            raise UsageError(f"{name} of {where} must be a list of {what}, but is {values!r}.")
    if min(grid.get("seeds") or [1]) < 1:
        raise UsageError(f"seeds of {where} begin at 1, but are {grid['seeds']}.")
    _check_names(grid)
    return grid


def _check_names(grid: Mapping[str, Any]) -> None:
    there = [
        parameter.name for name in grid["engines"] for parameter in get_engine(name).parameters
    ]
    for table, known in (("params", there), ("rsa", (*RSA_NAMES, *FARM_NAMES))):
        for name in grid.get(table, {}):
            if name not in known:
                raise UsageError(
                    f"[grid.{table}] has {name}, which none of its cores has; choose from "
                    f"{', '.join(dict.fromkeys(known))}."
                )
    for name in grid["targets"]:
        target = get_target(name)
        if grid.get("seeds") and not target.routable:
            raise UsageError(
                f"{target.title}: there is no open router for {name}; give it a [[grid]] of its "
                "own without seeds."
            )
    for name in grid.get("levels", ()):
        kind_of(name)
    for name in grid.get("sequencers", ()):
        get_sequencer(name)


def _combinations(grid: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    seeds = grid.get("seeds") or [None]
    levels = grid.get("levels", ["engine"])
    places = itertools.product(grid["engines"], grid["bits"], grid["targets"], levels)
    for engine, bits, target, level in places:
        there = {parameter.name for parameter in get_engine(engine).parameters}
        params = {name: v for name, v in grid.get("params", {}).items() if name in there}
        rsa = grid.get("rsa", {}) if kind_of(level) in KEYED else {}
        sequencers = grid.get("sequencers", ["ladder"]) if level != "engine" else ["ladder"]
        for sequencer, chosen, choices in itertools.product(
            sequencers, _products(params), _products(rsa)
        ):
            words = {"engine": engine, "bits": bits, "target": target, "level": level}
            more = {"sequencer": sequencer, "params": chosen, "rsa": choices}
            for seed in seeds:
                yield {**words, **more, "seed": seed}


def _products(lists: Mapping[str, list[int]]) -> list[dict[str, int]]:
    return [dict(zip(lists, values, strict=True)) for values in itertools.product(*lists.values())]


def _searched(points: list[SweepPoint], data: Mapping[str, Any], where: str) -> list[SweepPoint]:
    if data.get("search", "grid") == "grid":
        return points
    samples = data.get("samples", 0)
    if samples < 1:
        raise UsageError(f"A random search needs samples, but {where} has none; add samples = 20.")
    return random.Random(data.get("seed", 1)).sample(points, min(samples, len(points)))


def _ordered(points: list[SweepPoint]) -> tuple[SweepPoint, ...]:
    """First seeds first: every design has a figure early, and no two wait for one netlist."""
    return tuple(sorted(points, key=lambda point: (point.seed or 0, point.bits)))
