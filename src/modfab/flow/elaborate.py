# SPDX-License-Identifier: Apache-2.0
"""What the RTL itself says about a design: the ports of its top, and its circuit's fingerprint."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from modfab.errors import ToolError
from modfab.flow.design import Design, digest_of
from modfab.flow.fingerprint import fingerprint
from modfab.flow.tools import Job, Progress, find_tool, silent, work_folder
from modfab.flow.warnings import run_yosys
from modfab.sim.cache import private_dir

VERSION = 2
"""Number of the recipe below and of the fingerprint; with another one, results are not reused."""

_BITWISE = """$dff $dffe $sdff $sdffe $sdffce $adff $adffe $aldff $aldffe $dlatch $mux $bwmux
    $and $or $xor $xnor $not $buf $pos""".split()
"""Cells whose bits do not know each other: how RTL groups them into words is not the circuit."""
_NETLIST, _LOG, _UNDRIVEN = "netlist.json", "elaborate.log", "assigned.il"


@dataclass(frozen=True, slots=True)
class Port:
    """A port of a module as a plain vector."""

    name: str
    bits: int
    is_input: bool


@dataclass(frozen=True, slots=True)
class Elaboration:
    """A design as Yosys sees it.

    Attributes:
        ports: Of the top, in the order in which the RTL declares them.
        circuit: Fingerprint of the flat netlist, before mapping.
    """

    ports: tuple[Port, ...]
    circuit: str


def ports_of(design: Design, vendor: str = "") -> tuple[Port, ...]:
    """The ports of a design's top, its clock included, from its RTL."""
    return elaborate(design.top, design.rtl(vendor)).ports


def elaborate(
    top: str, texts: Mapping[str, str], limit_s: float = 3600, progress: Progress = silent
) -> Elaboration:
    """Elaborate a module; the answer is kept in the cache.

    Args:
        top: The module.
        texts: File name -> SystemVerilog, packages first.
        limit_s: Seconds after which Yosys is stopped.
        progress: Told of the run, when one is needed.

    Raises:
        ToolError: Yosys is missing or failed, or the design has a warning, an unconnected port or
            a wire that nothing drives; the text names the first one and the log.
        CacheError: The cache is not this user's own.
    """
    tool = find_tool("yosys")
    key = digest_of({**texts, "": f"{VERSION} {top} {list(texts)} {tool.version}"})
    kept = private_dir("elaborated") / f"{top}-{key}.json"
    known = _known(kept)
    if known is not None:
        return known
    with work_folder(f"{top}-{key}.", kept.parent) as folder:
        found = _run(top, texts, folder, limit_s, progress)
        part = folder / kept.name
        part.write_text(json.dumps(asdict(found)))
        part.replace(kept)
    return found


def _known(kept: Path) -> Elaboration | None:
    """The answer in a file of the cache; None where there is none, or half of one."""
    try:
        data = json.loads(kept.read_text())
        return Elaboration(tuple(Port(**port) for port in data["ports"]), data["circuit"])
    except (FileNotFoundError, ValueError, TypeError, KeyError):
        return None


def _script(top: str, names: list[str]) -> str:
    merge = ["opt_expr", "opt_merge", "opt_clean"]
    steps = [
        f"read_slang --threads 1 --no-proc --top {top} {' '.join(names)}",
        f"hierarchy -check -top {top}",
        *("select t:$buf", f"write_rtlil -selected {_UNDRIVEN}", "select -clear"),
        "proc",
        "flatten -noscopeinfo",
        "chformal -remove",
        "opt_clean",
        "check",
        "pmuxtree",
        f"simplemap {' '.join(f't:{kind}' for kind in _BITWISE)}",
        *(*merge, *merge),
        f"write_json {_NETLIST}",
    ]
    return "\n".join(steps) + "\n"


def _run(
    top: str, texts: Mapping[str, str], folder: Path, limit_s: float, progress: Progress
) -> Elaboration:
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "elaborate.ys").write_text(_script(top, list(texts)))
    arguments = ["-Q", "-T", "-l", _LOG, "-s", "elaborate.ys"]
    what = f"Yosys, elaboration of {top}"
    run_yosys(Job(find_tool("yosys"), arguments, folder, _LOG, what, limit_s), progress)
    _check_driven(folder, what)
    module = _module(folder, top)
    return Elaboration(_ports(module), fingerprint(module))


def _check_driven(folder: Path, what: str) -> None:
    """Yosys' reader assigns x to a variable that nothing drives, and does not say so."""
    text = (folder / _UNDRIVEN).read_text()
    # A cell that copies: its input, where a constant may be part of a list, then its output.
    copied = re.findall(r"^    connect \\A (.*)\n    connect \\Y (.*)$", text, re.MULTILINE)
    for source, wire in copied:
        if re.search(r"\d'[01xz]*[xz]", source):
            name = re.sub(r"[\\ ]", "", wire)
            raise ToolError(
                f"{what}: nothing drives {name}, or not all of it. Drive it, or remove it. The log "
                f"is {folder / _LOG}.",
                folder / _LOG,
            )


def _module(folder: Path, top: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((folder / _NETLIST).read_text())["modules"][top]
    except (OSError, ValueError, KeyError) as error:
        raise ToolError(
            f"Yosys ended without the netlist of {top} that the flow expects in "
            f"{folder / _NETLIST} ({error!r}); its log is {folder / _LOG}.",
            folder / _LOG,
        ) from error
    return found


def _ports(module: Mapping[str, Any]) -> tuple[Port, ...]:
    nets = module["netnames"]
    places = {name: _place(nets[name]["attributes"].get("src", "")) for name in module["ports"]}
    return tuple(
        Port(name, len(port["bits"]), port["direction"] == "input")
        for name, port in sorted(module["ports"].items(), key=lambda item: places[item[0]])
    )


def _place(src: str) -> tuple[int, ...]:
    """Line and column where something is declared.

    >>> _place("mf_rsa.sv:12.5-12.9")
    (12, 5)
    """
    found = re.search(r":(\d+)\.(\d+)", src)
    return (int(found[1]), int(found[2])) if found else ()
